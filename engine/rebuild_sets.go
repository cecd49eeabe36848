package engine

import (
	"bytes"
	"context"
	"maps"
	"math"
	"reflect"
	"slices"
)

// seenItems compares what the person last did with each item.
func (r *rebuild) seenItems(tx Tx, p *replay, f *findings) error {
	want := make(map[string][]byte, len(p.seen))
	for item, s := range p.seen {
		raw, err := encode(s)
		if err != nil {
			return err
		}
		want[item] = raw
	}
	return r.set(tx, keyItem(p.id, ""), want, f, ofSeen)
}

// keptDays compares the kept dates.
func (r *rebuild) keptDays(tx Tx, p *replay, f *findings) error {
	want := make(map[string][]byte, len(p.days))
	for _, d := range p.days {
		want[dateKey(d)] = []byte{recordVersion}
	}
	return r.set(tx, keyPerson(p.id, "day/"), want, f, ofDays)
}

// set compares all records below prefix with those that should be there, by
// what follows the prefix in their keys. Equal values have equal bytes.
func (r *rebuild) set(tx Tx, prefix []byte, want map[string][]byte, f *findings, kind int) error {
	var wrong []string
	stored := map[string]bool{}
	err := eachBelow(tx, prefix, func(rec Record) error {
		name := string(rec.Key[len(prefix):])
		if f.compare(kind, bytes.Equal(want[name], rec.Value), "%s is not what the facts give", rec.Key) {
			wrong = append(wrong, name)
		}
		stored[name] = true
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !stored[name] {
			f.compare(kind, false, "%s%s is missing", prefix, name)
			wrong = append(wrong, name)
		}
	}
	if !r.repair {
		return nil
	}
	for _, name := range wrong {
		key := append(bytes.Clone(prefix), name...)
		write := func() error { return tx.Put(key, want[name]) }
		if want[name] == nil {
			write = func() error { return tx.Delete(key) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// space compares a server's streak with its quorums.
func (r *rebuild) space(ctx context.Context, id ID) error {
	var f findings
	err := r.settled(ctx, func() error { return nil }, func(tx Tx) error {
		f = findings{}
		var have space
		if found, err := get(tx, keySpace(id), &have); err != nil || !found {
			return err
		}
		want, err := streakOf(tx, id)
		if err != nil {
			return err
		}
		if !f.compare(ofSpaces, have.Streak == want, "space %s: streak %+v, by the facts %+v", id, have.Streak, want) || !r.repair {
			return nil
		}
		have.Streak = want
		return put(tx, keySpace(id), have)
	})
	if err == nil {
		r.count(f)
	}
	return err
}

// streakOf counts a server's streak from the facts: a date with its quorum
// counts when it is met, and one without ends the streak when it closes.
func streakOf(tx Tx, id ID) (s streak, err error) {
	met, closed := map[Date]bool{}, map[Date]bool{}
	err = eachDate(tx, []byte("day/"+string(id)+"/"), func(d Date, value []byte) error {
		var day spaceDay
		_, err := decode(value, &day)
		if day.Met {
			met[d] = true
		}
		return err
	})
	if err != nil {
		return s, err
	}
	err = eachDate(tx, []byte("s/"+string(id)+"/occ/"), func(d Date, value []byte) error {
		var o occurrence
		_, err := decode(value, &o)
		if o.State == occClosed && o.Posted != 0 && o.Excused == 0 { // else it was never open
			closed[d] = true
		}
		return err
	})
	if err != nil {
		return s, err
	}
	dates := maps.Clone(met)
	maps.Copy(dates, closed)
	for _, d := range slices.Sorted(maps.Keys(dates)) {
		if !met[d] {
			s.lapse()
			continue
		}
		s.grow(d, 0)
	}
	return s, nil
}

// eachDate calls fn for every record of a range of dates.
func eachDate(tx Tx, prefix []byte, fn func(Date, []byte) error) error {
	return eachBelow(tx, prefix, func(r Record) error {
		d, err := parseDateKey(r.Key)
		if err != nil {
			return err
		}
		return fn(d, r.Value)
	})
}

// tolerance is how far numbers may lie apart, relative to the larger: sums
// may be taken in another order on another machine.
const tolerance = 1e-9

// alike reports whether two values are equal, but for numbers within the
// tolerance. An absent map is an empty one.
func alike(a, b any) bool { return alikeValues(reflect.ValueOf(a), reflect.ValueOf(b)) }

func alikeValues(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || alikeValues(a.Elem(), b.Elem()))
	case reflect.Float64:
		x, y := a.Float(), b.Float()
		return x == y || math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
	case reflect.Struct:
		for i := range a.NumField() {
			if !alikeValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array, reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !alikeValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		for _, k := range a.MapKeys() {
			if v := b.MapIndex(k); !v.IsValid() || !alikeValues(a.MapIndex(k), v) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	return a.Equal(b)
}
