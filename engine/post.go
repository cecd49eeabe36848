package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// postJob sends a challenge: claim, send, record.
func (r *runner) postJob(ctx context.Context, key []byte, p Poster) error {
	finder, canFind := p.(Finder)
	c, err := r.claim(ctx, key, canFind)
	if err != nil || c == nil {
		return err
	}
	if c.doubt && canFind {
		receipt, finding, err := finder.Find(ctx, c.Delivery)
		switch {
		case err == nil && finding == Found:
			return r.posted(ctx, key, c, receipt, nil)
		case (err != nil || finding == CannotTell) && r.now().Sub(c.lookedFrom) < doubtFor:
			return r.later(ctx, key, r.now().Add(time.Minute))
		case c.stale:
			return r.giveUp(ctx, key)
		case err != nil || finding == CannotTell:
			if c, err = r.again(ctx, key); err != nil || c == nil {
				return err
			}
		}
	}
	receipt, err := p.Post(ctx, c.Delivery)
	if ctx.Err() != nil && err != nil {
		return nil // shutting down: the claim stays and the next run goes on
	}
	return r.posted(ctx, key, c, receipt, err)
}

// claim is a post that this process has taken on.
type claim struct {
	Delivery
	doubt   bool // an earlier attempt may have arrived
	stale   bool // too late to post, were it not for the doubt
	canFind bool // the platform can be asked what became of an attempt

	lookedFrom time.Time // when this doubt was first looked into
	space      ID
	date       Date
}

// claim marks the job claimed and returns what to send, or nil when there is
// nothing to send now.
func (r *runner) claim(ctx context.Context, key []byte, canFind bool) (c *claim, err error) {
	err = r.update(ctx, key, func(s *scheduling, j job, o occurrence) error {
		c = nil
		doubt, stale := j.State != "", s.tooLate(j)
		switch {
		case o.State != occChosen && o.State != occClaimed: // adopted meanwhile
			return s.tx.Delete(key)
		case !s.space.posts() && !doubt, stale && !(doubt && canFind):
			return s.drop(key, j, o)
		case !doubt && !s.e.stillAsked(o): // a new release changed the item
			return s.rechoose(key, j)
		}
		if err := s.closePrevious(j.Date); err != nil {
			return err
		}
		if j.State == jobClaimed && !canFind { // the process died while sending
			j.State = jobUnknown
			return s.move(key, time.Unix(j.Tried, 0).Add(doubtFor), j)
		}
		note := word("")
		if s.now.Sub(time.Unix(j.Due, 0)) > tardy {
			note = wPostedLate
		}
		if doubt && !canFind {
			note = wPostedAgain
		}
		taken, err := s.take(key, j, o, note)
		if err == nil {
			taken.stale, taken.canFind, c = stale, canFind, taken
		}
		return err
	})
	return c, err
}

// drop gives a date up: it counts as missed and the next one is planned.
func (s *scheduling) drop(key []byte, j job, o occurrence) error {
	if err := s.tx.Delete(key); err != nil {
		return fmt.Errorf("drop post: %w", err)
	}
	return s.missed(j.Date, o)
}

// rechoose draws again for a date whose item is no longer what was drawn.
func (s *scheduling) rechoose(key []byte, j job) error {
	if err := s.tx.Delete(key); err != nil {
		return fmt.Errorf("choose again: %w", err)
	}
	if err := s.unchoose(j.Date); err != nil {
		return err
	}
	return s.choose(j.Date, time.Unix(j.Due, 0))
}

func (e *Engine) stillAsked(o occurrence) bool {
	item := e.bank.Item(o.Item)
	return asked(item, o.Rev, len(o.Order)) && !e.paused(item)
}

// giveUp drops a post that was found absent too late.
func (r *runner) giveUp(ctx context.Context, key []byte) error {
	return r.update(ctx, key, func(s *scheduling, j job, o occurrence) error {
		return s.drop(key, j, o)
	})
}

// take writes the claim and renders the message once for all attempts.
func (s *scheduling) take(key []byte, j job, o occurrence, note word) (*claim, error) {
	doubt := j.State != ""
	if !doubt {
		j.Tried = s.now.Unix()
	}
	tried := time.Time{}
	if doubt {
		tried = time.Unix(j.Tried, 0)
		if s.now.Unix()-j.Looked > 3600 { // for the first time, or after an absence
			j.Looked = s.now.Unix()
		}
	}
	j.State, j.Tries = jobClaimed, j.Tries+1
	m, err := s.message(&o, note)
	if err != nil {
		return nil, err
	}
	o.State, o.To = occClaimed, s.space.Place
	if err := put(s.tx, keyOcc(s.id, j.Date), o); err != nil {
		return nil, err
	}
	if err := put(s.tx, key, j); err != nil {
		return nil, err
	}
	return &claim{
		doubt: doubt, lookedFrom: time.Unix(j.Looked, 0), space: s.id, date: j.Date,
		Delivery: Delivery{Key: string(o.Token), To: o.To, Message: *m, Tried: tried},
	}, s.save()
}

// message is the stored rendering, or a new one when a note must be said.
func (s *scheduling) message(o *occurrence, note word) (*Message, error) {
	m := &Message{}
	if o.Message != nil && note != wPostedAgain {
		_, err := decode(o.Message, m)
		return m, err
	}
	item := s.e.bank.Item(o.Item)
	if !asked(item, o.Rev, len(o.Order)) {
		return nil, fmt.Errorf("render challenge: item %s changed", o.Item)
	}
	m = s.e.dailyMessage(item, *o, *s.space, note)
	raw, err := encode(m)
	o.Message, o.Again = raw, o.Again || note == wPostedAgain
	return m, err
}

// again claims a post whose first attempt stays in doubt for good.
func (r *runner) again(ctx context.Context, key []byte) (c *claim, err error) {
	err = r.update(ctx, key, func(s *scheduling, j job, o occurrence) error {
		c, err = s.take(key, j, o, wPostedAgain)
		return err
	})
	return c, err
}

// closePrevious closes the delivery that is still open when the next one goes
// out, and reveals it at once.
func (s *scheduling) closePrevious(next Date) error {
	d := s.space.Open
	if d == 0 || d >= next {
		return nil
	}
	var o occurrence
	if _, err := get(s.tx, keyOcc(s.id, d), &o); err != nil {
		return err
	}
	if old := time.Unix(o.Closes, 0); old.After(s.now) {
		var j job
		key := keyJob(old, jobReveal, string(s.id)+"/"+dateKey(d))
		if found, err := get(s.tx, key, &j); err != nil {
			return err
		} else if found {
			if err := s.move(key, s.now, j); err != nil {
				return err
			}
		}
	}
	return s.close(d, &o)
}

// posted records what became of a post.
func (r *runner) posted(ctx context.Context, key []byte, c *claim, receipt Receipt, failure error) error {
	outcome := "ok"
	var pe *PostError
	if failure != nil && !errors.As(failure, &pe) {
		pe = &PostError{Kind: Unknown, Err: failure}
	}
	if pe != nil {
		outcome = pe.Kind.String()
	}
	r.count("post", c.To.Platform, outcome)
	r.log.Info("daily post", "platform", c.To.Platform, "outcome", outcome)
	return r.record(ctx, key, c, receipt, pe)
}

// What is known of a post must not be lost: it is recorded also when the
// schedule is being stopped, and tried again when the store has a bad moment.
const (
	recordWithin = 10 * time.Second
	recordTries  = 5
)

func (r *runner) record(ctx context.Context, key []byte, c *claim, receipt Receipt, pe *PostError) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()
	for n := range recordTries {
		if n > 0 {
			select {
			case <-time.After(time.Second << (n - 1)):
			case <-ctx.Done():
				return errors.Join(err, ctx.Err())
			}
		}
		known := false
		err = r.update(ctx, key, func(s *scheduling, j job, o occurrence) error {
			known = true
			if pe == nil {
				return errors.Join(s.asks(receipt.Poll, j.Date), s.sent(j.Date, &o, receipt.Ref))
			}
			return s.failed(key, j, o, pe, c)
		})
		if err == nil && !known && pe == nil {
			err = r.addRef(ctx, c, receipt)
		}
		if err == nil {
			return r.countBallots(ctx, c.To.Platform, receipt.Poll)
		}
	}
	return fmt.Errorf("record post: %w", err)
}

// addRef notes one more message of a delivery that a press had adopted while
// this one was on its way.
func (r *runner) addRef(ctx context.Context, c *claim, receipt Receipt) error {
	return r.store.Update(ctx, func(tx Tx) error {
		s := &scheduling{e: r.Engine, tx: tx, id: c.space, space: &space{Place: c.To}}
		if err := s.asks(receipt.Poll, c.date); err != nil {
			return err
		}
		var o occurrence
		if found, err := get(tx, keyOcc(c.space, c.date), &o); err != nil || !found || slices.Contains(o.Refs, receipt.Ref) {
			return err
		}
		o.Refs = append(o.Refs, receipt.Ref)
		return put(tx, keyOcc(c.space, c.date), o)
	})
}

// failed decides what a failed post means for its job.
func (s *scheduling) failed(key []byte, j job, o occurrence, pe *PostError, c *claim) error {
	ready := func() { // this attempt proved to be nothing; an earlier one may not
		if j.State = ""; c.doubt {
			j.State = jobUnknown
		}
	}
	switch pe.Kind {
	case Later:
		ready()
		return s.move(key, s.now.Add(max(pe.After, time.Second)), j)
	case Moved:
		ready()
		if err := s.moveTo(pe.To); err != nil {
			return err
		}
		return s.move(key, s.now, j)
	case Unknown:
		s.space.Fault, s.space.FaultAt = pe.Kind.String(), s.now.Unix()
		j.State = jobUnknown
		wait := doubtFor
		if c.canFind && j.Tries <= 3 { // elsewhere a press is waited for
			wait = 15 * time.Second
		}
		return s.move(key, s.now.Add(wait), j)
	}
	s.space.Fault, s.space.FaultAt = pe.Kind.String(), s.now.Unix()
	if pe.Kind == Forbidden || pe.Kind == Gone {
		if err := s.shutOut(pe.Kind.String()); err != nil {
			return err
		}
	}
	return s.drop(key, j, o)
}
