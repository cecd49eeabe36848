package engine

import (
	"fmt"
	"slices"
	"time"

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
	try := skill.Attempt{Last: lastOf(was), Daily: a.Kind == kindDaily}
	m, now := t.e.model, t.e.current.Load()
	tp, n := ab.topic(m, i.Topic, t.in.At), now.of(m, i)
	a.Item, a.Rev, a.At, a.Late = i.ID, i.Rev, t.in.At.UnixMilli(), t.in.Late
	a.Zone, a.Counted, a.Epoch = t.zone().String(), rested, now.Epoch
	a.P = m.Predict(ab.General, tp, n, try).P
	if rested {
		if err := t.contribute(i.ID, a, m.Observe(ab.General, tp, try, a.Right)); err != nil {
			return outcome{}, err
		}
		ab.General, tp = m.LearnPerson(ab.General, tp, n, try, a.Right)
		if ab.Topics == nil {
			ab.Topics = map[string]topicAbility{}
		}
		ab.At = max(ab.At, t.in.At.Unix())
		ab.Topics[i.Topic] = topicAbility{Topic: tp, At: ab.At}
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
	t.person.Answers++
	if a.Right {
		t.person.Right++
	}
	return t.savePerson()
}

// keepDay counts a challenge date for the person's streak, once.
func (t *turn) keepDay(d Date) error {
	vals, err := t.tx.Get(keyDay(t.id, d))
	if err != nil || vals[0] != nil {
		return err
	}
	if err := t.tx.Put(keyDay(t.id, d), []byte{recordVersion}); err != nil {
		return fmt.Errorf("keep day: %w", err)
	}
	s := &t.person.Streak
	switch {
	case s.Last == 0:
		s.Current, s.Last = 1, d
	case d > s.Last:
		missed, err := t.missed(s.Last+1, d, false)
		if err != nil {
			return err
		}
		if missed {
			s.Current = 0
		}
		s.Current, s.Last = s.Current+1, d
	default: // an older date, still open elsewhere, may close a gap
		if s.Current, err = t.countBack(s.Last); err != nil {
			return err
		}
	}
	s.Longest = max(s.Longest, s.Current)
	return t.savePerson()
}

// missed reports whether any date in from <= d < to was one on which the
// person could have answered and did not: a date posted in a server they
// answer in, or, for someone who only plays in private, any date. With closed,
// dates that can still be answered do not count.
func (t *turn) missed(from, to Date, closed bool) (bool, error) {
	if from >= to {
		return false, nil
	}
	if len(t.person.Spaces) == 0 {
		return true, nil
	}
	for _, id := range t.person.Spaces {
		recs, err := t.tx.Scan(keyOcc(id, from), keyOcc(id, to), 400)
		if err != nil {
			return false, fmt.Errorf("look for missed days: %w", err)
		}
		for _, r := range recs {
			open, err := t.expected(r, closed)
			if err != nil || open {
				return open, err
			}
		}
	}
	return false, nil
}

// expected reports whether an occurrence asked for an answer that the person
// did not give on any server.
func (t *turn) expected(r Record, closed bool) (bool, error) {
	var o occurrence
	if _, err := decode(r.Value, &o); err != nil {
		return false, err
	}
	if o.State != occClosed && (closed || o.State != occPosted) {
		return false, nil
	}
	d, err := parseDateKey(r.Key)
	if err != nil {
		return false, err
	}
	vals, err := t.tx.Get(keyDay(t.id, d))
	return vals[0] == nil, err
}

// countBack counts kept days in a row up to last.
func (t *turn) countBack(last Date) (int, error) {
	n := 0
	for d := last; ; {
		n++
		prev, ok, err := t.keptBefore(d)
		if err != nil || !ok {
			return n, err
		}
		missed, err := t.missed(prev+1, d, false)
		if err != nil || missed {
			return n, err
		}
		d = prev
	}
}

// keptBefore finds the newest kept date before d, at most 62 days back.
func (t *turn) keptBefore(d Date) (Date, bool, error) {
	recs, err := t.tx.Scan(keyDay(t.id, d-62), keyDay(t.id, d), 62)
	if err != nil || len(recs) == 0 {
		return 0, false, err
	}
	prev, err := parseDateKey(recs[len(recs)-1].Key)
	return prev, err == nil, err
}

// streakNow is the person's streak as of today: it is over when a date that
// has closed was missed.
func (t *turn) streakNow() (streak, error) {
	s := t.person.Streak
	if s.Last == 0 {
		return s, nil
	}
	missed, err := t.missed(s.Last+1, DateOf(t.in.At, t.zone()), true)
	if missed {
		s.Current = 0
	}
	return s, err
}

// remember notes that the person answers in this server.
func (t *turn) remember(space ID) {
	if i := slices.Index(t.person.Spaces, space); i >= 0 {
		t.person.Spaces = slices.Delete(t.person.Spaces, i, i+1)
	}
	t.person.Spaces = slices.Insert(t.person.Spaces, 0, space)
	t.person.Spaces = t.person.Spaces[:min(len(t.person.Spaces), 8)]
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

// local formats an instant for a person.
func local(at time.Time, loc *time.Location) string {
	return at.In(loc).Format("Mon 2 Jan 15:04")
}
