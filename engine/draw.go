package engine

import (
	"fmt"
	"slices"
	"strings"

	"aiprep/content"
	"aiprep/engine/skill"
)

// draw selects the next item of a run, or nil when none is left, and reports
// whether its review was due.
func (t *turn) draw(run test) (item *content.Item, review bool, err error) {
	if run.Review != "" {
		return t.drawReview(run)
	}
	topics := t.e.offered(run.Scope)
	if len(topics) == 0 { // withdrawn since the test began: it ends here
		return nil, false, nil
	}
	first, due, err := t.dueTopic(topics, run)
	if err != nil {
		return nil, false, err
	}
	if topics = t.spread(topics, run); first != nil {
		topics = []*content.Topic{first}
	}
	ab, err := t.abilities()
	if err != nil {
		return nil, false, err
	}
	var items []*content.Item
	var cands []skill.Candidate
	tests := 0
	for _, tp := range topics {
		live := t.atLevel(t.e.live(tp), due)
		cs, n, err := t.candidates(tp, live, ab, run)
		if err != nil {
			return nil, false, err
		}
		for k, i := range live {
			cs[k].Due = due[i.ID]
		}
		items, cands, tests = append(items, live...), append(cands, cs...), max(tests, n)
	}
	choice := t.e.model.Select(cands, skill.Want{
		Scope: len(items), Tests: tests,
		First: t.person.Answers == 0 && len(run.Steps) == 0,
	}, t.e.seed("draw", run.Token, len(run.Steps)))
	if choice.Index < 0 {
		return nil, false, nil
	}
	item = items[choice.Index]
	return item, due[item.ID], nil
}

// spread narrows a test over many topics to one topic a question: five
// different ones where there are five.
func (t *turn) spread(topics []*content.Topic, run test) []*content.Topic {
	if len(topics) == 1 {
		return topics
	}
	order := t.e.random("spread", string(run.Token)).Perm(len(topics))
	return []*content.Topic{topics[order[len(run.Steps)%len(topics)]]}
}

// atLevel keeps the items of the person's level, and those due for a review,
// if enough are left for a test.
func (t *turn) atLevel(items []*content.Item, due map[string]bool) []*content.Item {
	kept := slices.DeleteFunc(slices.Clone(items), func(i *content.Item) bool {
		return t.person.Level != 0 && i.Level != content.Level(t.person.Level) && !due[i.ID]
	})
	if apart(kept) < testLength {
		return items
	}
	return kept
}

// apart counts, taking them in order, the items that can share a test: none
// is an enemy of another.
func apart(items []*content.Item) int {
	var chosen []*content.Item
	for _, i := range items {
		if !slices.ContainsFunc(chosen, func(c *content.Item) bool {
			return slices.Contains(c.Enemies, i.ID) || slices.Contains(i.Enemies, c.ID)
		}) {
			chosen = append(chosen, i)
		}
	}
	return len(chosen)
}

// candidates describes a topic's items to the selection: how likely the person
// is to be right, when they saw them, how often they are served.
func (t *turn) candidates(tp *content.Topic, items []*content.Item, ab abilities, run test) ([]skill.Candidate, int, error) {
	var ex exposure
	if _, err := get(t.tx, keyServed(tp.ID), &ex); err != nil {
		return nil, 0, err
	}
	history, err := t.history(tp.ID)
	if err != nil {
		return nil, 0, err
	}
	m, own := t.e.model, ab.topic(t.e.model, tp.ID, t.in.At)
	cands := make([]skill.Candidate, len(items))
	for k, i := range items {
		n, was := t.e.numbers(i), history[i.ID]
		cands[k] = skill.Candidate{
			P:      m.Predict(ab.General, own, n, skill.Attempt{Last: lastOf(was)}).P,
			B:      n.Item.B + n.Topic.M,
			Seen:   was.N > 0,
			Days:   float64(t.in.At.Unix()-was.At) / 86400,
			Served: points(ex.Items[i.ID]),
			Enemy:  t.clashes(i, run),
		}
	}
	return cands, points(ex.Tests), nil
}

// history reads what the person did with the items of one topic.
func (t *turn) history(topic string) (map[string]seen, error) {
	prefix := keyItem(t.id, topic+".")
	from, to := prefixRange(prefix)
	recs, err := t.tx.Scan(from, to, 1000)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	h := make(map[string]seen, len(recs))
	for _, r := range recs {
		var s seen
		if _, err := decode(r.Value, &s); err != nil {
			return nil, err
		}
		h[topic+"."+string(r.Key[len(prefix):])] = s
	}
	return h, nil
}

// clashes reports whether an item may not join the run: it is in it already,
// or gives one of its questions away.
func (t *turn) clashes(i *content.Item, run test) bool {
	for _, s := range run.Steps {
		other := t.e.bank.Item(s.Item)
		if s.Item == i.ID || slices.Contains(i.Enemies, s.Item) || (other != nil && slices.Contains(other.Enemies, i.ID)) {
			return true
		}
	}
	return false
}

// fade makes about the last 200 tests count for exposure.
const fade = 1 - 1.0/200

// serve counts that the run's last step was served.
func (t *turn) serve(run test, item *content.Item) error {
	var ex exposure
	key := keyServed(item.Topic)
	if _, err := get(t.tx, key, &ex); err != nil {
		return err
	}
	if ex.Items == nil {
		ex.Items = map[string]float64{}
	}
	first := !slices.ContainsFunc(run.Steps[:len(run.Steps)-1], func(s step) bool {
		return strings.HasPrefix(s.Item, item.Topic+".")
	})
	if first {
		ex.Tests = ex.Tests*fade + 1
		for id := range ex.Items {
			ex.Items[id] *= fade
		}
	}
	ex.Items[item.ID]++
	return put(t.tx, key, ex)
}
