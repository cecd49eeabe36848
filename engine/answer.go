package engine

import (
	"aiprep/content"
	"aiprep/engine/skill"
)

// restDays is how long an item rests for a person: an answer to it within
// this time keeps the day but moves no ability.
const restDays = 30

// outcome is what one answer did.
type outcome struct {
	item    *content.Item
	option  string // the chosen option's key, or dontKnow
	right   bool
	counted bool // moved the abilities
	seq     uint32
}

// record makes an answer a fact: log, abilities and what was seen, all in the
// turn's transaction. a holds what the caller knows; the rest is filled in.
func (t *turn) record(i *content.Item, a answer) (outcome, error) {
	if err := t.enrol(); err != nil {
		return outcome{}, err
	}
	was, ab, err := t.before(i)
	if err != nil {
		return outcome{}, err
	}
	rested := was.N == 0 || t.in.At.Unix()-was.At >= restDays*86400
	rested = rested && !a.Peeked && !t.e.withdrawn(i.ID, i.Rev)
	try := skill.Attempt{Last: lastOf(was), Daily: a.Kind == kindDaily}
	m, now := t.e.model, t.e.current.Load()
	tp, n := ab.topic(m, i.Topic, t.in.At), now.of(m, i)
	a.Item, a.Rev, a.At, a.Late = i.ID, i.Rev, t.in.At.UnixMilli(), t.in.Late
	a.Zone, a.Counted, a.Epoch = t.zone().String(), rested, now.Epoch
	a.P = m.Predict(ab.General, tp, n, try).P
	if !now.has(i) {
		a.Prior = &n.Item
	}
	if rested {
		if err := t.contribute(i.ID, a, m.Observe(ab.General, tp, try, a.Right)); err != nil {
			return outcome{}, err
		}
		ab.learn(m, i.Topic, n, try, a.Right, t.in.At, a.Zone)
		if err := put(t.tx, keySkill(t.id), ab); err != nil {
			return outcome{}, err
		}
	}
	out := outcome{item: i, option: a.Option, right: a.Right, counted: rested, seq: t.person.Answers}
	return out, t.log(i, a, was)
}

// before reads what the person last did with the item, and their abilities.
func (t *turn) before(i *content.Item) (seen, abilities, error) {
	var was seen
	if _, err := get(t.tx, keyItem(t.id, i.ID), &was); err != nil {
		return was, abilities{}, err
	}
	ab, err := t.abilities()
	return was, ab, err
}

func lastOf(s seen) skill.Last {
	switch {
	case s.N == 0:
		return skill.Never
	case s.Right:
		return skill.Right
	}
	return skill.Wrong
}

// log appends the answer and counts it.
func (t *turn) log(i *content.Item, a answer, was seen) error {
	if err := put(t.tx, keyAnswer(t.id, t.person.Answers), a); err != nil {
		return err
	}
	now := seen{At: t.in.At.Unix(), Right: a.Right, N: was.N + 1}
	if err := put(t.tx, keyItem(t.id, i.ID), now); err != nil {
		return err
	}
	if err := t.remind(i.ID, a.Right); err != nil {
		return err
	}
	t.person.Answers++
	if a.Right {
		t.person.Right++
	}
	return t.savePerson()
}

// shuffle draws the order in which an item's options are shown.
func (e *Engine) shuffle(i *content.Item, purpose string, parts ...string) []int {
	order := make([]int, len(i.Options))
	for n := range order {
		order[n] = n
	}
	if i.Fixed {
		return order
	}
	rng := e.random("order", append([]string{purpose, i.ID}, parts...)...)
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	return order
}

// options reads a pressed letter: the option's key and whether it is right.
func chosen(i *content.Item, order []int, letter string) (option string, right, ok bool) {
	if letter == dontKnow {
		return dontKnow, false, true
	}
	if len(letter) != 1 || letter[0] < 'a' || int(letter[0]-'a') >= len(order) {
		return "", false, false
	}
	o := i.Options[order[letter[0]-'a']]
	return o.Key, o.Correct, true
}

// letterOf is where the option with that key stood, as "A", "B", ...
func letterOf(i *content.Item, order []int, key string) string {
	for n, at := range order {
		if at < len(i.Options) && i.Options[at].Key == key {
			return string(rune('A' + n))
		}
	}
	return "?"
}

// asked reports whether an item still is what a stored question showed.
func asked(i *content.Item, rev, options int) bool {
	return i != nil && i.Rev == rev && len(i.Options) == options
}
