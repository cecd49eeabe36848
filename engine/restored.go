package engine

import (
	"context"
	"fmt"
	"time"
)

// Restored makes a store that was put back fit to go on at a time. What it
// believes to be due may have gone out after the backup was made, and nobody
// can tell, so it is left out: a challenge is never posted twice. Left out days
// break no streak. It reports how many servers had such a day.
func (e *Engine) Restored(ctx context.Context, now time.Time) (servers int, err error) {
	r := e.rebuilding(e.store, true)
	err = r.each(ctx, "s/", func(ctx context.Context, id ID) error {
		return e.store.Update(ctx, func(tx Tx) error {
			var s space
			if found, err := get(tx, keySpace(id), &s); err != nil || !found || s.Job == nil {
				return err
			}
			var j job
			found, err := get(tx, s.Job, &j)
			if err != nil || !found || time.Unix(j.Due, 0).After(now) {
				return err
			}
			servers++
			return (&scheduling{e: e, tx: tx, id: id, space: &s, now: now}).leaveOut(j)
		})
	})
	if err != nil {
		return servers, fmt.Errorf("leave out what may have been posted: %w", err)
	}
	return servers, nil
}

// leaveOut gives up a post, and every other date that is due by now.
func (s *scheduling) leaveOut(j job) error {
	if err := s.tx.Delete(s.space.Job); err != nil {
		return fmt.Errorf("leave out post: %w", err)
	}
	var o occurrence
	if _, err := get(s.tx, keyOcc(s.id, j.Date), &o); err != nil {
		return err
	}
	if o.State == "" || o.State == occChosen || o.State == occClaimed {
		o.State, o.Message = occMissed, nil
		if err := put(s.tx, keyOcc(s.id, j.Date), o); err != nil {
			return err
		}
	}
	loc := zoneOf(s.space.Zone)
	today := DateOf(s.now, loc)
	if at, ok := today.At(s.space.Hour, s.space.Minute, loc); ok && at.After(s.now) {
		today--
	}
	s.space.Last = max(s.space.Last, j.Date, today)
	return s.plan()
}
