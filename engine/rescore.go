package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"aiprep/content"
)

// When a fact loses its weight (a question is withdrawn, a day is excused), all
// that was derived from it is computed again, a few people at a time.

// recount is such work that is under way. It goes when everybody is done.
type recount struct {
	Item  string `cbor:"1,keyasint,omitempty"` // who has answered it
	Space ID     `cbor:"2,keyasint,omitempty"` // or who has answered there
	Next  string `cbor:"3,keyasint,omitempty"` // where to go on
}

func putRecount(tx Tx, rc recount) error { return put(tx, keyRecount(rc.Item+string(rc.Space)), rc) }

// rescorePage is how many people are looked at in one transaction.
const rescorePage = 500

// Rescore computes again, for everybody whom it concerns, what hangs on a
// withdrawn question or an excused day, and reports how many people there
// were. It goes on where it was interrupted.
func (e *Engine) Rescore(ctx context.Context) (people int, err error) {
	e.rescore.Lock()
	defer e.rescore.Unlock()
	for {
		var rc recount
		var key []byte
		err := e.store.View(ctx, func(tx Tx) error {
			from, to := prefixRange(keyRecount(""))
			recs, err := tx.Scan(from, to, 1)
			if key = nil; err != nil || len(recs) == 0 {
				return err
			}
			key, rc = bytes.Clone(recs[0].Key), recount{}
			_, err = decode(recs[0].Value, &rc)
			return err
		})
		if err != nil || key == nil {
			return people, err
		}
		n, err := e.rebuilding(e.store, true).rescorePage(ctx, key, rc)
		if people += n; err != nil {
			return people, fmt.Errorf("score again: %w", err)
		}
	}
}

// rescorePage scores some of those whom it concerns, and notes where to go on.
func (r *rebuild) rescorePage(ctx context.Context, key []byte, rc recount) (int, error) {
	list := r.whoMet
	if rc.Space != "" {
		list = r.whoPlayed
	}
	ids, next, err := list(ctx, rc)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := r.person(ctx, id); err != nil {
			return 0, err
		}
	}
	rc.Next = next
	return len(ids), r.store.Update(ctx, func(tx Tx) error {
		for _, id := range ids {
			if err := toTell(tx, id, rc.Item); err != nil {
				return err
			}
		}
		if next == "" {
			return tx.Delete(key)
		}
		return put(tx, key, rc)
	})
}

// toTell notes that a person is to be told of a withdrawn question.
func toTell(tx Tx, id ID, item string) error {
	if item == "" {
		return nil
	}
	var p person
	found, err := get(tx, keyMe(id), &p)
	if err != nil || !found || slices.Contains(p.Rescored, item) {
		return err
	}
	p.Rescored = append(p.Rescored, item)
	return put(tx, keyMe(id), p)
}

// whoMet lists those among the next people who have answered the item, and
// where to go on, "" at the end.
func (r *rebuild) whoMet(ctx context.Context, rc recount) (ids []ID, next string, err error) {
	_, end := prefixRange([]byte("p/"))
	err = r.store.View(ctx, func(tx Tx) error {
		ids, next = nil, rc.Next
		for range rescorePage {
			recs, err := tx.Scan([]byte("p/"+next), end, 1)
			if err != nil || len(recs) == 0 {
				next = ""
				return err
			}
			id := ID(recs[0].Key[len("p/"):][:idLen])
			vals, err := tx.Get(keyItem(id, rc.Item))
			if err != nil {
				return err
			}
			if vals[0] != nil {
				ids = append(ids, id)
			}
			next = string(id) + "0" // the character after "/"
		}
		return nil
	})
	return ids, next, err
}

// whoPlayed lists the next of those who have answered challenges of the space.
func (r *rebuild) whoPlayed(ctx context.Context, rc recount) (ids []ID, next string, err error) {
	prefix := keyBoard(rc.Space, "")
	_, end := prefixRange(prefix)
	err = r.store.View(ctx, func(tx Tx) error {
		ids, next = nil, ""
		recs, err := tx.Scan(append(bytes.Clone(prefix), rc.Next...), end, rescorePage)
		for _, rec := range recs {
			ids = append(ids, ID(rec.Key[len(prefix):]))
		}
		if len(recs) == rescorePage {
			next = string(ids[len(ids)-1]) + "0"
		}
		return err
	})
	return ids, next, err
}

// news tells a person, with the next thing they are told in private, that they
// were scored again. It is said once.
func (t *turn) news(r *Reply) error {
	n := len(t.person.Rescored)
	m := r.Whisper
	if m == nil {
		m = r.Replace
	}
	if t.id == "" || n == 0 || m == nil {
		return nil
	}
	m.Text = append(t.text(wRescored, "n", n), m.Text...)
	t.person.Rescored = nil
	return t.savePerson()
}

// uncounted says why an answer moved nothing.
func (t *turn) uncounted(i *content.Item) content.Text {
	if t.e.withdrawn(i.ID, i.Rev) {
		return t.text(wWithdrawn)
	}
	return t.text(wNotCounted)
}

// voidMarks compares the marks of challenges whose question was withdrawn
// since: they give no points.
func (r *rebuild) voidMarks(tx Tx, p *replay, f *findings) error {
	for _, a := range p.void {
		var mk mark
		key := keyMark(a.Space, a.Date, p.id)
		found, err := get(tx, key, &mk)
		if err != nil || !found {
			return err
		}
		if !f.compare(ofBoards, mk.Points == 0 && !mk.Counted, "%s has points for a withdrawn question", key) || !r.repair {
			continue
		}
		mk.Points, mk.Counted = 0, false
		if err := put(tx, key, mk); err != nil {
			return err
		}
	}
	return nil
}
