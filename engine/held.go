package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"aiprep/content"
)

// A question that seems wrong is paused: nobody is asked it until the operator
// has looked. One that is wrong is withdrawn: it counts for nobody any more,
// and who had answered it is scored again without it, once.

// held says what became of one item in this store. It stays, so that an item
// that was looked at and released is not paused again for the same flags.
type held struct {
	Rev   int    `cbor:"1,keyasint"` // the newest revision it is about
	State string `cbor:"2,keyasint"`
	Why   string `cbor:"3,keyasint,omitempty"`
	At    int64  `cbor:"4,keyasint"` // Unix seconds
}

// States of an item that is held.
const (
	itemPaused    = "paused"
	itemReleased  = "released"
	itemWithdrawn = "withdrawn"
)

// Why an item was paused by itself.
const (
	whyFlagged = "flagged"
	whySuspect = "the able do worse"
)

// From how many people's words an item is paused, and how much of a topic may
// be paused that way: a few people must not empty it.
const (
	flagsOfKey = 3
	flagsOfAny = 5
	pausable   = 5 // one in so many of a topic's items
)

// ErrNoItem says that no question has that id.
var ErrNoItem = errors.New("no question of this release has that id: the file of its topic shows them")

// heldItems are the held items by id. A published map is never changed.
type heldItems map[string]held

// loadHeld reads the held items, and withdraws those that the release has
// withdrawn since.
func (e *Engine) loadHeld(ctx context.Context) error {
	var all heldItems
	err := e.store.Update(ctx, func(tx Tx) error {
		all = heldItems{}
		prefix := keyHeld("")
		err := eachBelow(tx, prefix, func(r Record) error {
			var h held
			_, err := decode(r.Value, &h)
			all[string(r.Key[len(prefix):])] = h
			return err
		})
		if err != nil {
			return err
		}
		for _, i := range e.bank.Withdrawn() {
			if h := all[i.ID]; h.State == itemWithdrawn && h.Rev >= i.Rev {
				continue
			}
			h := held{Rev: i.Rev, State: itemWithdrawn, Why: i.Withdrawn.Reason, At: i.Withdrawn.Date.Unix()}
			all[i.ID] = h
			if err := put(tx, keyHeld(i.ID), h); err != nil {
				return err
			}
			if err := putRecount(tx, recount{Item: i.ID}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read held items: %w", err)
	}
	e.held.Store(&all)
	return nil
}

// paused reports whether nobody is to be asked the item now.
func (e *Engine) paused(i *content.Item) bool {
	h, ok := (*e.held.Load())[i.ID]
	return ok && h.State != itemReleased && h.Rev >= i.Rev
}

// withdrawn reports whether an answer to that revision counts for nothing.
func (e *Engine) withdrawn(item string, rev int) bool {
	h, ok := (*e.held.Load())[item]
	return ok && h.State == itemWithdrawn && h.Rev >= rev
}

// live lists the items of a topic that may be asked.
func (e *Engine) live(tp *content.Topic) []*content.Item {
	all := tp.Live()
	for n, i := range all {
		if !e.paused(i) {
			continue
		}
		kept := append([]*content.Item{}, all[:n]...)
		for _, i := range all[n+1:] {
			if !e.paused(i) {
				kept = append(kept, i)
			}
		}
		return kept
	}
	return all
}

// hold writes what becomes of an item and publishes it. It is known before the
// transaction ends, so that no answer in between is counted under the old
// state; when the transaction fails the caller loads the stored state again.
func (e *Engine) hold(tx Tx, item string, h held) error {
	if err := put(tx, keyHeld(item), h); err != nil {
		return err
	}
	e.publish(item, h)
	return nil
}

func (e *Engine) publish(item string, h held) {
	for {
		was := e.held.Load()
		all := maps.Clone(*was)
		all[item] = h
		if e.held.CompareAndSwap(was, &all) {
			return
		}
	}
}

// mayPause reports whether an item may be paused by itself: nobody has looked
// at this revision yet, and enough of its topic stays.
func (e *Engine) mayPause(tx Tx, i *content.Item) (bool, error) {
	var h held
	if found, err := get(tx, keyHeld(i.ID), &h); err != nil || found && h.Rev >= i.Rev {
		return false, err
	}
	out, all := 1, e.bank.Topic(i.Topic).Live()
	for _, other := range all {
		if other != i && e.paused(other) {
			out++
		}
	}
	return out*pausable <= len(all), nil
}

// pauseFlagged pauses the item if enough people say that something is wrong.
func (t *turn) pauseFlagged(i *content.Item) error {
	ofKey, n := 0, 0
	if may, err := t.e.mayPause(t.tx, i); err != nil || !may {
		return err
	}
	err := eachBelow(t.tx, []byte("flag/"+i.ID+"/"), func(r Record) error {
		var f flag
		if _, err := decode(r.Value, &f); err != nil || f.Rev != i.Rev {
			return err
		}
		if n++; f.Kind == "key" {
			ofKey++
		}
		return nil
	})
	if err != nil || ofKey < flagsOfKey && n < flagsOfAny {
		return err
	}
	t.e.log.Warn("question paused", "item", i.ID, "why", whyFlagged)
	t.e.count("item", t.in.From.Platform, itemPaused)
	t.held = true
	return t.e.hold(t.tx, i.ID, held{Rev: i.Rev, State: itemPaused, Why: whyFlagged, At: t.in.At.Unix()})
}

// PauseItem has nobody asked a question until it is released or withdrawn, or
// a release brings a new revision of it.
func (e *Engine) PauseItem(ctx context.Context, item, why string, now time.Time) error {
	return e.setHeld(ctx, item, itemPaused, why, now)
}

// ReleaseItem has a paused question asked again. It is an error when it was
// withdrawn: a question that counts for nobody needs a new revision.
func (e *Engine) ReleaseItem(ctx context.Context, item string, now time.Time) error {
	return e.setHeld(ctx, item, itemReleased, "", now)
}

// WithdrawItem has a question count for nobody, from now on and in what was
// answered. Rescore then scores those people again.
func (e *Engine) WithdrawItem(ctx context.Context, item, why string, now time.Time) error {
	return e.setHeld(ctx, item, itemWithdrawn, why, now)
}

func (e *Engine) setHeld(ctx context.Context, item, state, why string, now time.Time) error {
	i := e.bank.Item(strings.TrimSpace(item))
	if i == nil {
		return ErrNoItem
	}
	err := e.store.Update(ctx, func(tx Tx) error {
		var was held
		found, err := get(tx, keyHeld(i.ID), &was)
		switch {
		case err != nil:
			return err
		case found && was.State == itemWithdrawn && was.Rev >= i.Rev:
			return fmt.Errorf("%s was withdrawn and stays so: raise its revision to ask it again", i.ID)
		case state == itemReleased && (!found || was.State != itemPaused):
			return fmt.Errorf("%s is not paused", i.ID)
		}
		if state == itemWithdrawn {
			if err := putRecount(tx, recount{Item: i.ID}); err != nil {
				return err
			}
		}
		return e.hold(tx, i.ID, held{Rev: i.Rev, State: state, Why: why, At: now.Unix()})
	})
	if err != nil {
		return errors.Join(err, e.loadHeld(context.WithoutCancel(ctx)))
	}
	return nil
}

// pauseSuspects pauses the items of which the batch shows that able people do
// worse on them.
func (f *fold) pauseSuspects() error {
	for id, ta := range f.tallies {
		i := f.e.bank.Item(id)
		if i == nil || ta.N < fewPeople || !f.e.model.Health(f.numbers.of(f.e.model, i).Item, labelled(f.e.model, i)).Suspect {
			continue
		}
		if may, err := f.e.mayPause(f.tx, i); err != nil || !may {
			return err
		}
		f.e.log.Warn("question paused", "item", id, "why", whySuspect)
		f.e.count("item", "", itemPaused)
		if err := f.e.hold(f.tx, id, held{Rev: i.Rev, State: itemPaused, Why: whySuspect, At: f.change.At}); err != nil {
			return err
		}
	}
	return nil
}
