package engine

import (
	"context"
	"fmt"
	"slices"

	"aiprep/content"
)

// rescorePage is how many people are looked at in one transaction.
const rescorePage = 500

// Rescore scores everybody again who had answered a question that was
// withdrawn, and reports how many there were. It goes on where it was
// interrupted, and a withdrawn question is done once.
func (e *Engine) Rescore(ctx context.Context) (people int, err error) {
	e.rescore.Lock()
	defer e.rescore.Unlock()
	r := &rebuild{
		Engine: e, repair: true, report: Report{Kinds: derivedKinds()},
		history: newHistory(e.model), posted: &postedDays{e.store, map[ID]loadedDays{}},
	}
	for item, h := range *e.held.Load() {
		for h.State == itemWithdrawn && !h.Done {
			n, err := r.rescorePage(ctx, item, &h)
			people += n
			if err != nil {
				return people, fmt.Errorf("score again without %s: %w", item, err)
			}
			e.publish(item, h)
		}
	}
	return people, nil
}

// rescorePage scores some of those who had answered the item, and notes where
// to go on.
func (r *rebuild) rescorePage(ctx context.Context, item string, h *held) (int, error) {
	ids, next, err := r.whoMet(ctx, item, h.Next)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := r.person(ctx, id); err != nil {
			return 0, err
		}
	}
	h.Next, h.Done = next, next == ""
	err = r.store.Update(ctx, func(tx Tx) error {
		for _, id := range ids {
			var p person
			found, err := get(tx, keyMe(id), &p)
			if err != nil {
				return err
			}
			if !found || slices.Contains(p.Rescored, item) {
				continue
			}
			p.Rescored = append(p.Rescored, item)
			if err := put(tx, keyMe(id), p); err != nil {
				return err
			}
		}
		return put(tx, keyHeld(item), *h)
	})
	return len(ids), err
}

// whoMet lists those among the next people, from an id on, who have answered
// the item, and the id to go on from, "" at the end.
func (r *rebuild) whoMet(ctx context.Context, item string, from ID) (ids []ID, next ID, err error) {
	_, end := prefixRange([]byte("p/"))
	err = r.store.View(ctx, func(tx Tx) error {
		ids, next = nil, ""
		at := []byte("p/" + string(from))
		for range rescorePage {
			recs, err := tx.Scan(at, end, 1)
			if err != nil || len(recs) == 0 {
				next = ""
				return err
			}
			id := ID(recs[0].Key[len("p/"):][:idLen])
			vals, err := tx.Get(keyItem(id, item))
			if err != nil {
				return err
			}
			if vals[0] != nil {
				ids = append(ids, id)
			}
			next = id + "0" // the character after "/"
			at = []byte("p/" + string(next))
		}
		return nil
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
