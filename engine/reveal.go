package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// revealWithin is how long a reveal is tried for; edits may be repeated safely.
const revealWithin = 24 * time.Hour

// revealJob closes a delivery and turns its messages into the reveal.
func (r *runner) revealJob(ctx context.Context, key []byte, p Poster) error {
	var o occurrence
	var s space
	var j job
	err := r.update(ctx, key, func(sc *scheduling, jb job, oc occurrence) error {
		if err := sc.close(jb.Date, &oc); err != nil {
			return err
		}
		o, s, j = oc, *sc.space, jb
		return nil
	})
	if err != nil || j.Kind == "" {
		return err
	}
	counts, err := r.tally(ctx, j)
	if err != nil {
		return err
	}
	m := r.reveal(o, j.Date, counts, s)
	for _, ref := range o.Refs {
		if wait := r.edit(ctx, p, o.To, ref, *m, j.Tries); wait > 0 && r.now().Sub(time.Unix(j.Due, 0)) < revealWithin {
			return r.update(ctx, key, func(sc *scheduling, jb job, _ occurrence) error {
				jb.Tries++
				return sc.move(key, sc.now.Add(wait), jb)
			})
		}
	}
	return r.update(ctx, key, func(sc *scheduling, jb job, oc occurrence) error {
		for _, n := range counts {
			oc.Answers += n
		}
		if err := put(sc.tx, keyOcc(sc.id, jb.Date), oc); err != nil {
			return err
		}
		return sc.tx.Delete(key)
	})
}

// edit reveals one message and returns how long to wait before trying again,
// or 0 when it is done or will never be.
func (r *runner) edit(ctx context.Context, p Poster, to Place, ref Ref, m Message, tries int) time.Duration {
	err := p.Edit(ctx, to, ref, m)
	var pe *PostError
	if err != nil && !errors.As(err, &pe) {
		pe = &PostError{Kind: Unknown, Err: err}
	}
	switch {
	case pe == nil:
		r.count("reveal", to.Platform, "ok")
		return 0
	case pe.Kind == Later:
		return max(pe.After, time.Second)
	case pe.Kind == Unknown:
		return min(30*time.Second<<min(tries, 8), time.Hour)
	}
	r.count("reveal", to.Platform, pe.Kind.String())
	r.log.Info("reveal dropped", "platform", to.Platform, "outcome", pe.Kind.String())
	return 0
}

// tally counts the answers to a closed delivery, page by page, so that no
// transaction lasts long.
func (r *runner) tally(ctx context.Context, j job) (map[string]int, error) {
	counts := map[string]int{}
	from, to := prefixRange(keyMark(j.Space, j.Date, ""))
	for {
		var page []Record
		err := r.store.View(ctx, func(tx Tx) error {
			recs, err := tx.Scan(from, to, 1000)
			page = nil
			for _, rec := range recs {
				page = append(page, Record{Key: bytes.Clone(rec.Key), Value: bytes.Clone(rec.Value)})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("count answers: %w", err)
		}
		for _, rec := range page {
			var mk mark
			if _, err := decode(rec.Value, &mk); err != nil {
				return nil, err
			}
			counts[mk.Option]++
			from = append(bytes.Clone(rec.Key), 0)
		}
		if len(page) < 1000 {
			return counts, nil
		}
	}
}
