package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// onTx is a Store that is one transaction which is under way.
type onTx struct{ Tx }

func (s onTx) View(_ context.Context, fn func(Tx) error) error   { return fn(s.Tx) }
func (s onTx) Update(_ context.Context, fn func(Tx) error) error { return fn(s.Tx) }
func (s onTx) Close() error                                      { return nil }

// merge makes two people one, in this transaction: the answers in the order of
// their times, without a second one to the same challenge, and everything
// derived computed anew. It returns who is left, the one who has been here for
// longer.
func (t *turn) merge(a, b ID) (ID, error) {
	var one, two person
	for id, p := range map[ID]*person{a: &one, b: &two} {
		found, err := get(t.tx, keyMe(id), p)
		if err != nil {
			return "", err
		}
		if !found {
			return "", t.sorry(wLinkUnknown)
		}
	}
	if two.Since < one.Since {
		a, b, one, two = b, a, two, one
	}
	alive, err := t.betterRun(a, b, one, two)
	if err != nil {
		return "", err
	}
	if err := t.mergeAnswers(a, b); err != nil {
		return "", err
	}
	if err := t.mergeRest(a, b); err != nil {
		return "", err
	}
	if err := put(t.tx, keyMe(a), one.with(two, alive)); err != nil {
		return "", err
	}
	return a, t.e.rebuilding(onTx{t.tx}, true).person(t.ctx, a)
}

// with is the person who both are: what the elder chose stands, and what they
// left open is what the other chose.
func (p person) with(o person, alive *rest) person {
	p.Zone, p.Level = cmp.Or(p.Zone, o.Zone), cmp.Or(p.Level, o.Level)
	if p.Consent == 0 || o.Consent == consentNo {
		p.Consent = o.Consent
	}
	p.Hidden = p.Hidden || o.Hidden
	p.Tests += o.Tests
	p.Best = max(p.Best, o.Best, p.Streak.Longest, o.Streak.Longest)
	for _, a := range o.On {
		if !slices.Contains(p.On, a) {
			p.On = append(p.On, a)
		}
	}
	p.Accounts, p.Private = append(p.Accounts, o.Accounts...), append(p.Private, o.Private...)
	p.Rests = append(p.Rests, o.Rests...)
	slices.SortStableFunc(p.Rests, func(x, y rest) int { return cmp.Compare(x.From, y.From) })
	if alive != nil && alive.From <= alive.To {
		p.Rests = append(p.Rests, *alive)
	}
	for _, item := range o.Rescored {
		if !slices.Contains(p.Rescored, item) {
			p.Rescored = append(p.Rescored, item)
		}
	}
	return p
}

// betterRun is the time of the longer of two streaks that are alive. What the
// other account missed in it must not end it: it is excused.
func (t *turn) betterRun(a, b ID, one, two person) (*rest, error) {
	var best *rest
	most := 0
	for id, p := range map[ID]person{a: one, b: two} {
		s, n := p.Streak, p.Streak.Current
		days := storedDiary{t.tx, id}
		missed, err := p.missed(s.Last+1, t.openSince(), func(o posting) bool { return o.closed }, days)
		if err != nil {
			return nil, err
		}
		if n <= most || len(missed) > s.Freezes {
			continue
		}
		var kept []Date
		err = eachDate(t.tx, keyPerson(id, "day/"), func(d Date, _ []byte) error {
			kept = append(kept, d)
			return nil
		})
		if err != nil {
			return nil, err
		}
		most, best = n, &rest{From: kept[max(0, len(kept)-n)], To: t.openSince() - 1, Days: EveryDay}
	}
	return best, nil
}

// mergeAnswers writes the answers of both as those of a, by time, and moves
// the marks.
func (t *turn) mergeAnswers(a, b ID) error {
	type owned struct {
		answer
		by ID
	}
	var all []owned
	for _, id := range []ID{a, b} {
		err := eachBelow(t.tx, keyPerson(id, "answer/"), func(r Record) error {
			var x answer
			_, err := decode(r.Value, &x)
			all = append(all, owned{x, id})
			return err
		})
		if err != nil {
			return err
		}
		if err := deleteBelow(t.tx, keyPerson(id, "answer/")); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(x, y owned) int { return cmp.Compare(x.At, y.At) })
	met := map[ID]bool{}
	seq := uint32(0)
	for _, x := range all {
		second := x.Kind == kindDaily && met[x.Delivery]
		if x.Kind == kindDaily {
			met[x.Delivery] = true
			if err := t.moveMark(x.answer, x.by, a, seq, second); err != nil {
				return err
			}
		}
		if second {
			continue
		}
		if err := put(t.tx, keyAnswer(a, seq), x.answer); err != nil {
			return err
		}
		seq++
	}
	return nil
}

// moveMark makes the mark of an answer that of a person, or drops it where that
// person has one already.
func (t *turn) moveMark(x answer, by, to ID, seq uint32, second bool) error {
	key := keyMark(x.Space, x.Date, by)
	var mk mark
	found, err := get(t.tx, key, &mk)
	if err != nil {
		return err
	}
	if by != to {
		if err := t.tx.Delete(key); err != nil {
			return fmt.Errorf("move mark: %w", err)
		}
		if err := t.tx.Delete(keyBoard(x.Space, by)); err != nil {
			return fmt.Errorf("move mark: %w", err)
		}
	}
	if !found || second {
		return nil
	}
	mk.Seq = seq
	return put(t.tx, keyMark(x.Space, x.Date, to), mk)
}

// mergeRest moves what is no answer: accounts, flags and a test under way.
func (t *turn) mergeRest(a, b ID) error {
	var other person
	if _, err := get(t.tx, keyMe(b), &other); err != nil {
		return err
	}
	for _, account := range other.Accounts {
		if err := t.tx.Put([]byte(account), []byte(a)); err != nil {
			return fmt.Errorf("move account: %w", err)
		}
	}
	for _, chat := range other.Private {
		var s space
		if found, err := get(t.tx, keySpace(chat), &s); err != nil {
			return err
		} else if !found || s.Owner != b {
			continue
		}
		if s.Owner = a; chat == t.spaceID {
			t.space = s
		}
		if err := put(t.tx, keySpace(chat), s); err != nil {
			return err
		}
	}
	var mine, theirs test
	if _, err := get(t.tx, keyTest(a), &mine); err != nil {
		return err
	}
	found, err := get(t.tx, keyTest(b), &theirs)
	if err != nil {
		return err
	}
	if found && !theirs.Done && (mine.Token == "" || mine.Done) {
		if err := put(t.tx, keyTest(a), theirs); err != nil {
			return err
		}
	}
	if err := errors.Join(t.mergeUnlocks(a, b), t.mergeFlags(a, b)); err != nil {
		return err
	}
	return deleteBelow(t.tx, keyPerson(b, ""))
}

// mergeUnlocks leaves one unlock where there may be two; payments of both are kept.
func (t *turn) mergeUnlocks(a, b ID) error {
	var mine, theirs unlocked
	have, err := get(t.tx, keyUnlock(a), &mine)
	if err != nil {
		return err
	}
	found, err := get(t.tx, keyUnlock(b), &theirs)
	switch {
	case err != nil || !found:
		return err
	case !have:
		mine = theirs
	default:
		mine.More = append(mine.More, append(theirs.More, theirs.Origin+":"+theirs.Ref)...)
	}
	return put(t.tx, keyUnlock(a), mine)
}

// mergeFlags makes what one person said about questions the other's.
func (t *turn) mergeFlags(a, b ID) error {
	moved := map[string]Record{}
	err := eachBelow(t.tx, []byte("flag/"), func(r Record) error {
		if item, own := strings.CutSuffix(string(r.Key), "/"+string(b)); own {
			moved[item] = Record{slices.Clone(r.Key), slices.Clone(r.Value)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for item, r := range moved {
		if err := t.tx.Delete(r.Key); err != nil {
			return fmt.Errorf("move flag: %w", err)
		}
		if err := t.tx.Put([]byte(item+"/"+string(a)), r.Value); err != nil {
			return fmt.Errorf("move flag: %w", err)
		}
	}
	return nil
}
