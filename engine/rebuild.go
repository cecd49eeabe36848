package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Report says how what is stored compares with what the facts say.
type Report struct {
	Kinds    []Checked `json:"kinds"`
	Examples []string  `json:"examples,omitempty"` // of differences, at most 20; ids, no names
}

// Checked is one kind of derived record.
type Checked struct {
	What      string `json:"what"`
	Checked   int    `json:"checked"`
	Different int    `json:"different"`
	Repaired  int    `json:"repaired"`
}

// Left is how many differences stand: those that were not repaired.
func (r Report) Left() (n int) {
	for _, k := range r.Kinds {
		n += k.Different - k.Repaired
	}
	return n
}

// Text is the report as lines for a terminal.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %9s %9s %9s\n", "", "checked", "different", "repaired")
	for _, k := range r.Kinds {
		fmt.Fprintf(&b, "%-16s %9d %9d %9d\n", k.What, k.Checked, k.Different, k.Repaired)
	}
	for _, e := range r.Examples {
		b.WriteString("  " + e + "\n")
	}
	return b.String()
}

// The kinds of derived records, by their place in Report.Kinds.
const (
	ofNumbers = iota
	ofCounters
	ofAbilities
	ofSeen
	ofCards
	ofDays
	ofStreaks
	ofServers
	ofBoards
	ofSpaces
)

func derivedKinds() []Checked {
	var all []Checked
	for _, what := range []string{"item numbers", "answer counters", "abilities", "items seen", "review cards", "kept days", "streaks", "servers joined", "boards", "server streaks"} {
		all = append(all, Checked{What: what})
	}
	return all
}

// maxExamples bounds the examples of a Report.
const maxExamples = 20

// rebuild is one run over all that is derived.
type rebuild struct {
	*Engine
	store   Store // that of the engine, or one transaction on it
	repair  bool
	report  Report
	history *history
	posted  *postedDays
}

func (e *Engine) rebuilding(on Store, repair bool) *rebuild {
	return &rebuild{
		Engine: e, store: on, repair: repair, report: Report{Kinds: derivedKinds()},
		history: newHistory(e.model), posted: &postedDays{on, map[ID]loadedDays{}},
	}
}

// Rebuild computes everything that is derived from the facts (answers, epochs,
// quorums and when challenges were posted) again and compares it with what is
// stored: counts, dates and flags must be equal, numbers to 1e-9 relative.
// Unless verifyOnly is set it writes what it computed where that differs. It
// works in small transactions, one person or space each, so people may go on
// answering meanwhile. An error means that the facts could not be read.
func (e *Engine) Rebuild(ctx context.Context, verifyOnly bool) (Report, error) {
	r := e.rebuilding(e.store, !verifyOnly)
	err := r.itemNumbers(ctx)
	if err == nil {
		err = r.each(ctx, "p/", r.person)
	}
	if err == nil {
		err = r.each(ctx, "s/", r.space)
	}
	if err != nil {
		return r.report, fmt.Errorf("compute derived records: %w", err)
	}
	return r.report, nil
}

// each calls do for every id that has records below prefix.
func (r *rebuild) each(ctx context.Context, prefix string, do func(context.Context, ID) error) error {
	from, end := prefixRange([]byte(prefix))
	for {
		var ids []ID
		err := r.store.View(ctx, func(tx Tx) error {
			ids = nil
			for at := from; len(ids) < 100; {
				recs, err := tx.Scan(at, end, 1)
				if err != nil || len(recs) == 0 {
					return err
				}
				id, _, _ := strings.Cut(string(recs[0].Key[len(prefix):]), "/")
				ids = append(ids, ID(id))
				at = []byte(prefix + id + "0") // the character after "/"
			}
			return nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := do(ctx, id); err != nil {
				return err
			}
		}
		from = []byte(prefix + string(ids[len(ids)-1]) + "0")
	}
}

// findings are what one transaction found; it may run again, so they are
// counted only after it.
type findings struct {
	checked, different [ofSpaces + 1]int
	examples           []string
}

// compare counts one comparison and reports whether it came out different.
func (f *findings) compare(kind int, same bool, format string, args ...any) bool {
	f.checked[kind]++
	if !same {
		f.different[kind]++
		f.examples = append(f.examples, fmt.Sprintf(format, args...))
	}
	return !same
}

// count takes findings into the report. What is different was repaired, but
// for those kinds that could not be.
func (r *rebuild) count(f findings, beyond ...int) {
	for kind := range r.report.Kinds {
		k := &r.report.Kinds[kind]
		k.Checked += f.checked[kind]
		k.Different += f.different[kind]
		if r.repair && !slices.Contains(beyond, kind) {
			k.Repaired += f.different[kind]
		}
	}
	room := maxExamples - len(r.report.Examples)
	r.report.Examples = append(r.report.Examples, f.examples[:min(room, len(f.examples))]...)
}

// errMore stops a transaction before which something was to be read.
var errMore = errors.New("there is more to read")

// settled reads and then runs fn in a transaction, again as long as fn finds
// that more came in between.
func (r *rebuild) settled(ctx context.Context, read func() error, fn func(Tx) error) error {
	run := r.store.View
	if r.repair {
		run = r.store.Update
	}
	for range 20 {
		if err := read(); err != nil {
			return err
		}
		if err := run(ctx, fn); !errors.Is(err, errMore) {
			return err
		}
	}
	return errors.New("answers come in faster than they are read: try again at a quieter time")
}

// nothing returns errMore if there is a record in the range.
func nothing(tx Tx, from, to []byte) error {
	recs, err := tx.Scan(from, to, 1)
	if err == nil && len(recs) > 0 {
		err = errMore
	}
	return err
}

// itemNumbers checks the newest epoch's numbers against the way there.
func (r *rebuild) itemNumbers(ctx context.Context) error {
	_, end := prefixRange([]byte("epoch/"))
	var f findings
	var want *numbers
	read := func() error {
		err := r.history.extend(ctx, r.store)
		want = r.history.numbers()
		return err
	}
	err := r.settled(ctx, read, func(tx Tx) error {
		f = findings{}
		if err := nothing(tx, keyEpoch(r.history.newest+1), end); err != nil {
			return err
		}
		have, err := r.loadNumbers(tx)
		if err != nil {
			return err
		}
		if f.compare(ofNumbers, alike(have, want), "item numbers of epoch %d are not what the epochs up to %d give", have.Epoch, want.Epoch) && r.repair {
			return put(tx, keyNumbers, want)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.count(f)
	if r.repair && f.different[ofNumbers] > 0 {
		r.current.Store(want)
	}
	return nil
}

// person compares one person.
func (r *rebuild) person(ctx context.Context, id ID) error {
	p := r.newReplay(id)
	_, end := prefixRange(keyPerson(id, "answer/"))
	var f findings
	err := r.settled(ctx, func() error { return p.read(ctx, r.store) }, func(tx Tx) error {
		f = findings{}
		if err := nothing(tx, p.next, end); err != nil {
			return err
		}
		for _, compare := range []func(Tx, *replay, *findings) error{r.me, r.abilities, r.seenItems, r.notebookOf, r.keptDays, r.boardsOf, r.voidMarks} {
			if err := compare(tx, p, &f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("person %s: %w", id, err)
	}
	if p.unknown != nil {
		r.count(f, ofAbilities)
		return nil
	}
	r.count(f)
	return nil
}

// me compares what the person's own record counts.
func (r *rebuild) me(tx Tx, p *replay, f *findings) error {
	var have person
	found, err := get(tx, keyMe(p.id), &have)
	if err != nil || !found && p.answers == 0 { // erased meanwhile
		return err
	}
	want := have
	want.Answers, want.Right, want.Streak = p.me.Answers, p.me.Right, p.me.Streak
	want.Streak.Longest = max(want.Streak.Longest, have.Best)
	want.Spaces, want.Joined = p.me.Spaces, p.me.Joined
	bad := f.compare(ofCounters, have.Answers == want.Answers && have.Right == want.Right,
		"person %s: %d answers, %d right, by the facts %d and %d", p.id, have.Answers, have.Right, want.Answers, want.Right)
	bad = f.compare(ofStreaks, have.Streak == want.Streak,
		"person %s: streak %+v, by the facts %+v", p.id, have.Streak, want.Streak) || bad
	bad = f.compare(ofServers, slices.Equal(have.Spaces, want.Spaces) && have.Joined == want.Joined,
		"person %s: servers %v since %s, by the facts %v since %s", p.id, have.Spaces, have.Joined, want.Spaces, want.Joined) || bad
	if !bad || !r.repair {
		return nil
	}
	return put(tx, keyMe(p.id), want)
}

// abilities compares the person's numbers.
func (r *rebuild) abilities(tx Tx, p *replay, f *findings) error {
	have := abilities{General: r.model.NewGeneral()}
	found, err := get(tx, keySkill(p.id), &have)
	if err != nil || !found && len(p.seen) == 0 {
		return err
	}
	if p.unknown != nil {
		f.compare(ofAbilities, false, "person %s: abilities cannot be computed: %v", p.id, p.unknown)
		return nil
	}
	want := p.abilities
	if n := len(want.Curve) - len(have.Curve); n > 0 { // an older version drew no curve
		want.Curve = want.Curve[n:]
	}
	if !f.compare(ofAbilities, alike(have, want), "person %s: abilities %+v, by the facts %+v", p.id, have, p.abilities) || !r.repair {
		return nil
	}
	return put(tx, keySkill(p.id), p.abilities)
}
