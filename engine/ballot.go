package engine

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"
)

// Where a platform has quizzes of its own, a challenge can be one. An answer to
// it names the quiz alone: which challenge that is was stored with the receipt.
// An answer that comes before the receipt waits for it.

// How a server's challenges are answered.
const (
	answersButtons = "buttons"
	answersPoll    = "poll"
)

// ballotFor is how long an answer waits for its quiz to be known.
const ballotFor = 24 * time.Hour

// asks notes which challenge a native quiz asks.
func (s *scheduling) asks(poll string, d Date) error {
	if poll == "" {
		return nil
	}
	return put(s.tx, keyPoll(s.e.secret, s.space.Place.Platform, poll), tokenFor{Space: s.id, Date: d})
}

// ballot serves an answer to a native quiz: ballot <quiz> <option>. The platform
// shows the verdict itself, so nothing is said. The first answer counts.
func (t *turn) ballot() (Reply, error) {
	if len(t.in.Args) != 2 || t.e.shutOutOf(t.in) {
		return Reply{}, nil
	}
	var to tokenFor
	found, err := get(t.tx, keyPoll(t.e.secret, t.in.From.Platform, t.in.Args[0]), &to)
	if err != nil {
		return Reply{}, err
	}
	if !found {
		return Reply{}, t.keepBallot()
	}
	var o occurrence
	if found, err = get(t.tx, keyOcc(to.Space, to.Date), &o); err != nil || !found || o.State == occClosed {
		return Reply{}, err
	}
	item := t.e.bank.Item(o.Item)
	n, bad := strconv.Atoi(t.in.Args[1])
	if bad != nil || n < 0 || n >= len(o.Order) || !asked(item, o.Rev, len(o.Order)) {
		return Reply{}, nil
	}
	var mk mark
	if answered, err := t.marked(to.Space, to.Date, &mk); err != nil || answered {
		return Reply{}, err
	}
	chose := item.Options[o.Order[n]]
	mk = mark{Option: chose.Key, Right: chose.Correct}
	return Reply{}, t.count(item, o, to.Space, to.Date, &mk)
}

// keepBallot keeps an answer until its quiz is known. The first one stands.
func (t *turn) keepBallot() error {
	key := keyBallot(t.e.secret, t.in.From.Platform, t.in.Args[0], t.in.From.ID)
	vals, err := t.tx.Get(key)
	if err != nil || vals[0] != nil {
		return err
	}
	return put(t.tx, key, t.in)
}

// countBallots counts the answers that came before the receipt.
func (e *Engine) countBallots(ctx context.Context, platform, poll string) error {
	if poll == "" {
		return nil
	}
	prefix := keyBallot(e.secret, platform, poll, "")
	prefix = prefix[:bytes.LastIndexByte(prefix, '/')+1]
	var waiting []Record
	err := e.store.View(ctx, func(tx Tx) error {
		waiting = nil
		return eachBelow(tx, prefix, func(r Record) error {
			waiting = append(waiting, Record{bytes.Clone(r.Key), bytes.Clone(r.Value)})
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("read waiting answers: %w", err)
	}
	for _, r := range waiting {
		var in Input
		if _, err := decode(r.Value, &in); err != nil {
			return err
		}
		if _, err := e.Handle(ctx, in); err != nil {
			return err
		}
		if err := e.store.Update(ctx, func(tx Tx) error { return tx.Delete(r.Key) }); err != nil {
			return fmt.Errorf("count waiting answers: %w", err)
		}
	}
	return nil
}

// sweepBallots forgets answers whose quiz never became known.
func sweepBallots(tx Tx, now time.Time) error {
	var old [][]byte
	err := eachBelow(tx, []byte("ballot/"), func(r Record) error {
		var in Input
		if _, err := decode(r.Value, &in); err != nil {
			return err
		}
		if now.Sub(in.At) > ballotFor {
			old = append(old, bytes.Clone(r.Key))
		}
		return nil
	})
	for _, key := range old {
		if err := tx.Delete(key); err != nil {
			return fmt.Errorf("forget answers: %w", err)
		}
	}
	return err
}
