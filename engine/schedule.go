package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// RunSchedule does everything that goes out unasked until ctx ends: it wakes
// for the first job that is due, claims it, sends it and records what became
// of it. posters holds one Poster a platform. A crash at any point leaves a
// claim, from which the next run goes on.
func (e *Engine) RunSchedule(ctx context.Context, posters map[string]Poster) error {
	r := e.runner(posters, wallNow)
	defer r.work.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-e.wake:
		}
		next, err := r.startDue(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("read jobs", "err", err)
		}
		if err := r.keepHouse(ctx); err != nil && ctx.Err() == nil {
			e.log.Error("keep house", "err", err)
		}
		if err := r.rescoring(ctx); err != nil && ctx.Err() == nil {
			e.log.Error("score again", "err", err)
		}
		// Timers stand still while a machine sleeps, so the wall clock is
		// read again at least twice a minute.
		timer.Reset(min(max(next.Sub(r.now()), 0), 30*time.Second))
	}
}

const (
	sendersPerPlatform = 32
	dueAtOnce          = 256
	doubtFor           = 10 * time.Minute // how long an unknown outcome waits for a press
	tardy              = time.Minute      // later than this is said to be late
)

// Advance does everything that is due up to an instant, one job after the
// other at the time it was due, and returns when it is done. It is RunSchedule for a clock that
// is set by hand: a console's, or a test's.
func (e *Engine) Advance(ctx context.Context, posters map[string]Poster, to time.Time) error {
	if _, err := e.Rescore(ctx); err != nil {
		return err
	}
	var last []byte
	stuck := 0
	for {
		now := to
		r := e.runner(posters, func() time.Time { return now })
		from, end := prefixRange([]byte("job/"))
		keys, err := r.keysIn(ctx, from, end, 1)
		if err != nil || len(keys) == 0 || jobDue(keys[0]).After(to) {
			return err
		}
		key := keys[0]
		if stuck++; !bytes.Equal(key, last) {
			stuck = 0
		}
		if stuck > 3 {
			return fmt.Errorf("advance to %v: %s does not move on", to, key)
		}
		now, last = jobDue(key), key
		if err := r.do(ctx, key); err != nil {
			return err
		}
	}
}

// wallNow is the wall clock, without the monotonic reading.
func wallNow() time.Time { return time.Now().Round(0) }

// runner is one run of the schedule.
type runner struct {
	*Engine
	posters  map[string]Poster
	now      func() time.Time
	swept    time.Time
	retained time.Time
	slots    map[string]chan struct{} // bounds the sends under way, a platform
	work     sync.WaitGroup
}

func (e *Engine) runner(posters map[string]Poster, now func() time.Time) *runner {
	r := &runner{Engine: e, posters: posters, now: now, slots: map[string]chan struct{}{}}
	for p := range posters {
		r.slots[p] = make(chan struct{}, sendersPerPlatform)
	}
	return r
}

// startDue starts the work on every due job and returns when the next is due.
func (r *runner) startDue(ctx context.Context) (time.Time, error) {
	now := r.now()
	from, end := prefixRange([]byte("job/"))
	rest := keyJob(now.Add(time.Second), "", "") // due later than now
	for {
		keys, err := r.keysIn(ctx, from, rest, dueAtOnce)
		if err != nil {
			return now.Add(5 * time.Second), err
		}
		for _, key := range keys {
			r.start(ctx, key)
			from = append(bytes.Clone(key), 0)
		}
		if len(keys) < dueAtOnce {
			break
		}
	}
	next, err := r.keysIn(ctx, rest, end, 1)
	if err != nil || len(next) == 0 {
		return now.Add(time.Hour), err
	}
	return jobDue(next[0]), nil
}

// keysIn lists at most n keys of a range.
func (r *runner) keysIn(ctx context.Context, from, to []byte, n int) (keys [][]byte, err error) {
	err = r.store.View(ctx, func(tx Tx) error {
		keys = nil
		recs, err := tx.Scan(from, to, n)
		for _, rec := range recs {
			keys = append(keys, bytes.Clone(rec.Key))
		}
		return err
	})
	return keys, err
}

// jobDue reads the due time in a job's key.
func jobDue(key []byte) time.Time {
	var unix int64
	if _, err := fmt.Sscanf(string(key), "job/%012x/", &unix); err != nil {
		return time.Time{}
	}
	return time.Unix(unix, 0)
}

// start works on one job in its own goroutine, unless that is under way.
func (r *runner) start(ctx context.Context, key []byte) {
	r.background(ctx, string(key), func() error { return r.do(ctx, key) })
}

// background works in its own goroutine, unless work of that name is under way.
func (r *runner) background(ctx context.Context, id string, work func() error) {
	r.mu.Lock()
	busy := r.flight[id]
	r.flight[id] = true
	r.mu.Unlock()
	if busy {
		return
	}
	r.work.Go(func() {
		err := work()
		if err != nil && ctx.Err() == nil {
			r.log.Error("job failed, trying again", "err", err)
			select { // the store is in trouble: do not spin
			case <-time.After(5 * time.Second):
			case <-ctx.Done():
			}
		}
		r.mu.Lock()
		delete(r.flight, id)
		r.mu.Unlock()
		r.nudge()
	})
}

// do works on one job.
func (r *runner) do(ctx context.Context, key []byte) error {
	var j job
	var s space
	there := false
	err := r.store.View(ctx, func(tx Tx) error {
		j, s = job{}, space{}
		found, err := get(tx, key, &j)
		if err != nil || !found {
			return err
		}
		there, err = get(tx, keySpace(j.Space), &s)
		return err
	})
	if err != nil || j.Kind == "" {
		return err
	}
	if !there { // erased meanwhile
		return r.store.Update(ctx, func(tx Tx) error { return tx.Delete(key) })
	}
	if j.Kind == jobChoose {
		return r.chooseJob(ctx, key)
	}
	poster, ok := r.posters[s.Place.Platform]
	if !ok { // the operator switched this platform off: wait for it
		return r.later(ctx, key, r.now().Add(time.Hour))
	}
	slot := r.slots[s.Place.Platform]
	select {
	case slot <- struct{}{}:
		defer func() { <-slot }()
	case <-ctx.Done():
		return nil
	}
	switch j.Kind {
	case jobReveal:
		return r.revealJob(ctx, key, poster)
	case jobRemind, jobWord:
		return r.wordJob(ctx, key, poster)
	}
	return r.postJob(ctx, key, poster)
}

// update runs fn over a job, its space and its challenge, if the job still
// exists.
func (r *runner) update(ctx context.Context, key []byte, fn func(*scheduling, job, occurrence) error) error {
	return r.store.Update(ctx, func(tx Tx) error {
		var j job
		if found, err := get(tx, key, &j); err != nil || !found {
			return err
		}
		s, o := space{}, occurrence{}
		if _, err := get(tx, keySpace(j.Space), &s); err != nil {
			return err
		}
		if _, err := get(tx, keyOcc(j.Space, j.Date), &o); err != nil {
			return err
		}
		return fn(&scheduling{e: r.Engine, tx: tx, id: j.Space, space: &s, now: r.now()}, j, o)
	})
}

// later moves a job to another due time.
func (r *runner) later(ctx context.Context, key []byte, due time.Time) error {
	return r.update(ctx, key, func(s *scheduling, j job, _ occurrence) error {
		return s.move(key, due, j)
	})
}

// move puts a job under another due time.
func (s *scheduling) move(key []byte, due time.Time, j job) error {
	if err := s.tx.Delete(key); err != nil {
		return fmt.Errorf("move job: %w", err)
	}
	if err := s.putJob(due, j); err != nil {
		return err
	}
	return s.save()
}

// chooseJob chooses the challenge of a date. When the bot was down past the
// date or its catch-up window, the date is missed and the next one planned.
func (r *runner) chooseJob(ctx context.Context, key []byte) error {
	choice, err := r.pick(ctx, key)
	if err != nil {
		return err
	}
	return r.update(ctx, key, func(s *scheduling, j job, _ occurrence) error {
		s.picked = choice
		if err := s.tx.Delete(key); err != nil {
			return fmt.Errorf("finish choosing: %w", err)
		}
		if !s.space.posts() || s.space.Last >= j.Date {
			return s.plan()
		}
		if rests, err := s.ownerRests(j.Date); err != nil || rests {
			s.space.Last = j.Date
			return errors.Join(err, s.plan())
		}
		if s.tooLate(j) {
			return s.missed(j.Date, occurrence{})
		}
		return s.choose(j.Date, time.Unix(j.Due, 0))
	})
}

// pick makes the choice before the transaction that stores it, so that no
// writer waits for the reading.
func (r *runner) pick(ctx context.Context, key []byte) (p *picked, err error) {
	err = r.store.View(ctx, func(tx Tx) error {
		p = nil
		var j job
		if found, err := get(tx, key, &j); err != nil || !found {
			return err
		}
		var sp space
		if _, err := get(tx, keySpace(j.Space), &sp); err != nil {
			return err
		}
		p, err = (&scheduling{e: r.Engine, tx: tx, id: j.Space, space: &sp, now: r.now()}).pickItem(j.Date)
		return err
	})
	return p, err
}

// tooLate reports whether a post can no longer be made up for: its date is
// over, or it is more than the catch-up window late.
func (s *scheduling) tooLate(j job) bool {
	due := time.Unix(j.Due, 0)
	late := s.now.Sub(due)
	return late > s.e.catchUp || late > tardy && DateOf(s.now, zoneOf(s.space.Zone)) > j.Date
}
