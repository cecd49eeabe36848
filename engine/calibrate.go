package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aiprep/engine/skill"
)

// Items learn from anonymous copies of answers, in batches. An answer of a
// person who agreed writes a copy without the person; a fold takes the copies
// in order, moves the numbers, publishes them as the next epoch and deletes
// the copies, all in one transaction: run again, it finds nothing to do.

// When a fold is due.
const (
	foldBatch = 500       // copies at once
	foldEvery = time.Hour // or however few there are
)

// folded is the anonymous copy of an answer.
type folded struct {
	Item   string            `cbor:"1,keyasint"`
	Rev    int               `cbor:"2,keyasint"`
	Option string            `cbor:"3,keyasint"`
	Seen   skill.Observation `cbor:"4,keyasint"`
}

// epoch is what one fold changed: enough to go from the epoch before it to
// this one, so that a rebuild can walk through all of them.
type epoch struct {
	At      int64                            `cbor:"1,keyasint"` // Unix seconds
	Answers int                              `cbor:"2,keyasint"`
	Items   map[string]itemNumbers           `cbor:"3,keyasint,omitempty"`
	Topics  map[string]skill.TopicDifficulty `cbor:"4,keyasint,omitempty"`
	World   skill.World                      `cbor:"5,keyasint"`
}

// tally is how an item was answered at first attempts in tests, by people who
// agreed: what the health report is made of.
type tally struct {
	Rev     int            `cbor:"1,keyasint"`
	N       int            `cbor:"2,keyasint"`
	Right   int            `cbor:"3,keyasint,omitempty"`
	Options map[string]int `cbor:"4,keyasint,omitempty"`
}

// contribute writes the anonymous copy of an answer, if the person agreed.
func (t *turn) contribute(item string, a answer, seen skill.Observation) error {
	if t.person.Consent != consentYes {
		return nil
	}
	random := idFrom(mac(t.e.secret, "fold", string(t.id), fmt.Sprint(t.person.Answers)))
	key := keyFold(t.in.At, random)
	return put(t.tx, key, folded{Item: item, Rev: a.Rev, Option: a.Option, Seen: seen})
}

// Calibrate folds one batch of copies if a batch is due, and reports how many
// it took. force takes whatever there is.
func (e *Engine) Calibrate(ctx context.Context, now time.Time, force bool) (int, error) {
	var taken int
	var published *numbers
	err := e.store.Update(ctx, func(tx Tx) error {
		taken, published = 0, nil
		from, to := prefixRange([]byte("fold/"))
		recs, err := tx.Scan(from, to, foldBatch)
		if err != nil || len(recs) == 0 || (len(recs) < foldBatch && !force && !e.foldIsOld(recs[0].Key, now)) {
			return err
		}
		cur, err := e.loadNumbers(tx)
		if err != nil {
			return err
		}
		f := &fold{e: e, tx: tx, numbers: cur.next(), change: epoch{At: now.Unix(), Items: map[string]itemNumbers{}, Topics: map[string]skill.TopicDifficulty{}}, tallies: map[string]*tally{}}
		for _, r := range recs {
			if err := f.add(r); err != nil {
				return err
			}
		}
		taken, published = len(recs), f.numbers
		if err := f.save(); err != nil {
			return err
		}
		return f.pauseSuspects()
	})
	if err != nil {
		return 0, errors.Join(fmt.Errorf("calibrate items: %w", err), e.loadHeld(context.WithoutCancel(ctx)))
	}
	if published != nil {
		e.current.Store(published)
		e.log.Info("items calibrated", "epoch", published.Epoch, "answers", taken)
	}
	return taken, nil
}

// foldIsOld reports whether the oldest copy has waited long enough.
func (e *Engine) foldIsOld(key []byte, now time.Time) bool {
	var ms int64
	if _, err := fmt.Sscanf(string(key), "fold/%016x/", &ms); err != nil {
		return true
	}
	return now.Sub(time.UnixMilli(ms)) >= foldEvery
}

// fold is one batch being taken in.
type fold struct {
	e       *Engine
	tx      Tx
	numbers *numbers
	change  epoch
	tallies map[string]*tally
}

// add takes one copy: the numbers learn from it and the copy goes. An item
// that is gone, or was changed since, teaches nothing.
func (f *fold) add(r Record) error {
	var c folded
	if _, err := decode(r.Value, &c); err != nil {
		return err
	}
	if err := f.tx.Delete(r.Key); err != nil {
		return err
	}
	f.change.Answers++
	i := f.e.bank.Item(c.Item)
	if i == nil || i.Rev != c.Rev {
		return nil
	}
	m := f.e.model
	f.numbers.set(i, m.LearnItem(f.numbers.of(m, i), c.Seen))
	f.change.Items[i.ID] = f.numbers.Items[i.ID]
	f.change.Topics[i.Topic] = f.numbers.Topics[i.Topic]
	if c.Seen.Attempt.Daily || c.Seen.Attempt.Last != skill.Never {
		return nil
	}
	return f.count(i.ID, c)
}

// count keeps the health report's figures.
func (f *fold) count(item string, c folded) error {
	ta := f.tallies[item]
	if ta == nil {
		ta = &tally{}
		if _, err := get(f.tx, keyTally(item), ta); err != nil {
			return err
		}
		if ta.Rev != c.Rev {
			*ta = tally{Rev: c.Rev}
		}
		if ta.Options == nil {
			ta.Options = map[string]int{}
		}
		f.tallies[item] = ta
	}
	ta.N++
	ta.Options[c.Option]++
	if c.Seen.Right {
		ta.Right++
	}
	return nil
}

// save publishes the epoch.
func (f *fold) save() error {
	f.change.World = f.numbers.World
	if err := put(f.tx, keyNumbers, f.numbers); err != nil {
		return err
	}
	for item, ta := range f.tallies {
		if err := put(f.tx, keyTally(item), ta); err != nil {
			return err
		}
	}
	return put(f.tx, keyEpoch(f.numbers.Epoch), f.change)
}
