package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// asideFor is how long an update that could not be handled is kept.
const asideFor = 7 * 24 * time.Hour

// Aside is an update that could not be handled.
type Aside struct {
	At     time.Time
	ID     string // platform:id of the update
	Reason string
	Raw    []byte
}

// SetAside keeps an update that could not be handled for a week, so that the
// operator can look at it and it does not stop the ones behind it.
func (e *Engine) SetAside(ctx context.Context, platform, id string, at time.Time, raw []byte, reason string) error {
	e.count("aside", platform, "kept")
	e.log.Warn("update set aside", "platform", platform, "id", id, "reason", reason)
	err := e.store.Update(ctx, func(tx Tx) error {
		return put(tx, keyAside(at, platform, id), aside{Raw: raw, Reason: reason})
	})
	if err != nil {
		return fmt.Errorf("set update aside: %w", err)
	}
	return nil
}

// ListAside returns at most n of the updates set aside, oldest first.
func (e *Engine) ListAside(ctx context.Context, n int) (list []Aside, err error) {
	prefix := []byte("aside/")
	from, to := prefixRange(prefix)
	err = e.store.View(ctx, func(tx Tx) error {
		list = nil
		recs, err := tx.Scan(from, to, n)
		for _, r := range recs {
			var a aside
			if _, err := decode(r.Value, &a); err != nil {
				return err
			}
			at, id, _ := bytes.Cut(r.Key[len(prefix):], []byte("/"))
			list = append(list, Aside{At: asideTime(at), ID: string(id), Reason: a.Reason, Raw: a.Raw})
		}
		return err
	})
	return list, err
}

func asideTime(hex []byte) time.Time {
	var ms int64
	if _, err := fmt.Sscanf(string(hex), "%016x", &ms); err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// keepHouse does, every ten minutes, what has no time of its own: items learn
// from what has piled up, and what was set aside a week ago is forgotten.
func (r *runner) keepHouse(ctx context.Context) error {
	now := r.now()
	if now.Sub(r.swept) < 10*time.Minute {
		return nil
	}
	r.swept = now
	r.retaining(ctx, now)
	if err := r.mendPlans(ctx, now); err != nil {
		return err
	}
	for {
		n, err := r.Calibrate(ctx, now, false)
		if err != nil {
			return err
		}
		if n < foldBatch {
			break
		}
	}
	return r.sweepAside(ctx, now)
}

// rescoring scores people again, if there is any to do, beside everything else.
func (r *runner) rescoring(ctx context.Context) error {
	from, to := prefixRange(keyRecount(""))
	waiting, err := r.keysIn(ctx, from, to, 1)
	if err != nil || len(waiting) == 0 {
		return err
	}
	r.background(ctx, "rescore", func() error {
		n, err := r.Rescore(ctx)
		r.log.Info("people scored again", "people", n)
		return err
	})
	return nil
}

// mendPlans plans anew what is due later than any schedule allows: such jobs
// were put while the clock was wrong.
func (r *runner) mendPlans(ctx context.Context, now time.Time) error {
	_, end := prefixRange([]byte("job/"))
	far, err := r.keysIn(ctx, keyJob(now.Add(farAhead), "", ""), end, 1000)
	if err != nil {
		return err
	}
	for _, key := range far {
		err := r.update(ctx, key, func(s *scheduling, j job, _ occurrence) error {
			if j.Kind == jobReveal || j.State != "" || !bytes.Equal(s.space.Job, key) {
				return nil
			}
			return s.replan()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// farAhead is longer than the time between two posts of any schedule, also
// where a weekly post meets a date that does not exist.
const farAhead = 16 * 24 * time.Hour

// sweepAside forgets what has been kept for a week, and codes nobody used.
func (r *runner) sweepAside(ctx context.Context, now time.Time) error {
	from, _ := prefixRange([]byte("aside/"))
	to := keyAside(now.Add(-asideFor), "", "")
	old, err := r.keysIn(ctx, from, to, 1000)
	if err != nil {
		return err
	}
	from, to = prefixRange(keyLink(""))
	codes, err := r.keysIn(ctx, from, to, 1)
	if err != nil {
		return err
	}
	from, to = prefixRange([]byte("ballot/"))
	ballots, err := r.keysIn(ctx, from, to, 1)
	if err != nil || len(old)+len(codes)+len(ballots) == 0 {
		return err
	}
	return r.store.Update(ctx, func(tx Tx) error {
		for _, key := range old {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		return errors.Join(sweepLinks(tx, now), sweepBallots(tx, now))
	})
}
