package engine

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Who has been silent for long enough is erased, and so is a server in which
// nothing has been posted for as long and that the bot cannot reach.

// keepFor is how long, unless the operator says otherwise.
const keepFor = 24 * 30 * 24 * time.Hour

// retainEvery is how often the silent are looked for.
const retainEvery = 24 * time.Hour

// A clock that jumped years ahead must not make everybody silent: nothing is
// erased before the clock has gone on evenly for a week.
const (
	evenFor = 7 * 24 * time.Hour
	evenGap = 3 * 24 * time.Hour // between two looks
)

// clockSeen is what is remembered of the clock.
type clockSeen struct {
	Since int64 `cbor:"1,keyasint"` // it has gone on evenly since then, Unix seconds
	Last  int64 `cbor:"2,keyasint"`
}

func (e *Engine) clockTrusted(ctx context.Context, now time.Time) (trusted bool, err error) {
	err = e.store.Update(ctx, func(tx Tx) error {
		var c clockSeen
		if _, err := get(tx, keyClock, &c); err != nil {
			return err
		}
		if gap := now.Sub(time.Unix(c.Last, 0)); gap < 0 || gap > evenGap {
			c.Since = now.Unix()
		}
		c.Last = now.Unix()
		trusted = now.Sub(time.Unix(c.Since, 0)) >= evenFor
		return put(tx, keyClock, c)
	})
	if err != nil {
		return false, fmt.Errorf("look at the clock: %w", err)
	}
	return trusted, nil
}

// Retain erases the people and servers that have been silent since before a
// time, and reports how many.
func (e *Engine) Retain(ctx context.Context, now time.Time) (people, servers int, err error) {
	if trusted, err := e.clockTrusted(ctx, now); err != nil || !trusted || e.keep < 0 {
		return 0, 0, err
	}
	before := now.Add(-e.keep).Unix()
	r := e.rebuilding(e.store, true)
	err = r.each(ctx, "p/", func(ctx context.Context, id ID) error {
		gone, err := e.retainPerson(ctx, id, before)
		if gone {
			people++
		}
		return err
	})
	if err != nil {
		return people, servers, fmt.Errorf("erase the silent: %w", err)
	}
	err = r.each(ctx, "s/", func(ctx context.Context, id ID) error {
		gone, err := r.retainServer(ctx, id, before)
		if gone {
			servers++
		}
		return err
	})
	if err != nil {
		return people, servers, fmt.Errorf("erase the silent: %w", err)
	}
	return people, servers, nil
}

// retainPerson erases a person who was last heard of before a time.
func (e *Engine) retainPerson(ctx context.Context, id ID, before int64) (gone bool, err error) {
	silent := func(tx Tx) (bool, error) {
		var p person
		found, err := get(tx, keyMe(id), &p)
		if err != nil || !found {
			return false, err
		}
		last := max(p.Since, p.Seen)
		if p.Seen == 0 && p.Answers > 0 { // written by a version that did not note it
			var a answer
			if _, err := get(tx, keyAnswer(id, p.Answers-1), &a); err != nil {
				return false, err
			}
			last = max(last, a.At/1000)
		}
		return last < before, nil
	}
	err = e.store.View(ctx, func(tx Tx) (err error) {
		gone, err = silent(tx)
		return err
	})
	if err != nil || !gone {
		return false, err
	}
	return gone, e.store.Update(ctx, func(tx Tx) (err error) {
		if gone, err = silent(tx); err != nil || !gone { // heard of meanwhile
			return err
		}
		return e.erasePerson(tx, id)
	})
}

// retainServer erases a server that is not posted in any more. What its
// challenges did for people's streaks is computed again without them.
func (r *rebuild) retainServer(ctx context.Context, id ID, before int64) (gone bool, err error) {
	var played []ID
	check := func(tx Tx) error {
		gone, played = false, nil
		var s space
		found, err := get(tx, keySpace(id), &s)
		if err != nil || !found || s.Place.Private() || s.posts() {
			return err
		}
		last := max(s.Seen, s.Posted.noon().Add(-12*time.Hour).Unix())
		gone = last < before
		return nil
	}
	if err := r.store.View(ctx, check); err != nil || !gone {
		return false, err
	}
	err = r.store.Update(ctx, func(tx Tx) error {
		if err := check(tx); err != nil || !gone {
			return err
		}
		prefix := keyBoard(id, "")
		err := eachBelow(tx, prefix, func(rec Record) error {
			played = append(played, ID(strings.Clone(string(rec.Key[len(prefix):]))))
			return nil
		})
		if err != nil {
			return err
		}
		return r.eraseServer(tx, id)
	})
	if err != nil || !gone {
		return false, err
	}
	for _, who := range played {
		if err := r.person(ctx, who); err != nil {
			return true, err
		}
	}
	return true, nil
}

// eraseServer deletes everything about a server.
func (e *Engine) eraseServer(tx Tx, id ID) error {
	var s space
	if _, err := get(tx, keySpace(id), &s); err != nil {
		return err
	}
	if s.Token != "" {
		if err := tx.Delete(keyToken(s.Token)); err != nil {
			return fmt.Errorf("erase server: %w", err)
		}
	}
	for _, prefix := range []string{"mark/", "board/", "day/"} {
		if err := deleteBelow(tx, []byte(prefix+string(id)+"/")); err != nil {
			return err
		}
	}
	return e.eraseChat(tx, id)
}

// retaining looks for the silent once a day, beside everything else.
func (r *runner) retaining(ctx context.Context, now time.Time) {
	if now.Sub(r.retained) < retainEvery {
		return
	}
	r.retained = now
	r.background(ctx, "retain", func() error {
		people, servers, err := r.Retain(ctx, now)
		if people+servers > 0 {
			r.log.Info("erased after a long silence", "people", people, "servers", servers)
		}
		return err
	})
}
