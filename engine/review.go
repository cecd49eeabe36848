package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"aiprep/content"
	"aiprep/engine/skill"
)

// A person's notebook holds the items they missed, each with the date on which
// it is worth asking again. An item leaves it once it is known for long.

// learnt is the interval, in days, after which a right answer closes a card.
const learnt = 90

// card is one item of a notebook. It follows from the answers alone: the turn
// that records one and the rebuild share answered.
type card struct {
	Stability  int64  `cbor:"1,keyasint"` // of skill.Memory, in 1/1000 day
	Difficulty int64  `cbor:"2,keyasint"` // of skill.Memory, in 1/1000
	At         int64  `cbor:"3,keyasint"` // of the last answer, Unix seconds
	Due        Date   `cbor:"4,keyasint"`
	Missed     uint32 `cbor:"5,keyasint"`
}

// answered is the card after one more answer, given at an instant (Unix
// seconds) on a local date. ok is false when the notebook needs no such card.
func (c card) answered(right bool, at int64, today Date) (next card, ok bool) {
	var m skill.Memory
	switch {
	case c.Missed == 0 && right:
		return card{}, false
	case c.Missed == 0:
		m = skill.NewMemory(false)
	default:
		m = skill.Memory{Stability: float64(c.Stability) / 1000, Difficulty: float64(c.Difficulty) / 1000}
		m = m.Next(right, float64(at-c.At)/86400)
	}
	days := m.Interval()
	if right && days > learnt {
		return card{}, false
	}
	next = card{
		Stability: max(1, int64(m.Stability*1000+.5)), Difficulty: int64(m.Difficulty*1000 + .5),
		At: at, Due: today + Date(days), Missed: c.Missed,
	}
	if !right {
		next.Missed++
	}
	return next, true
}

// remind brings the notebook up to date after an answer.
func (t *turn) remind(item string, right bool) error {
	var c card
	known, err := get(t.tx, keyCard(t.id, item), &c)
	if err != nil {
		return err
	}
	next, ok := c.answered(right, t.in.At.Unix(), t.today())
	switch {
	case ok:
		return put(t.tx, keyCard(t.id, item), next)
	case known:
		return t.tx.Delete(keyCard(t.id, item))
	}
	return nil
}

func (t *turn) today() Date { return DateOf(t.in.At, t.zone()) }

// noted is a card with its item.
type noted struct {
	card
	item *content.Item
}

// notebook lists the person's cards of items that can be asked, the longest
// due first.
func (t *turn) notebook() ([]noted, error) {
	if t.id == "" {
		return nil, nil
	}
	prefix := keyCard(t.id, "")
	var all []noted
	err := eachBelow(t.tx, prefix, func(r Record) error {
		var c card
		if _, err := decode(r.Value, &c); err != nil {
			return err
		}
		item := t.e.bank.Item(string(r.Key[len(prefix):]))
		if item != nil && item.Status == content.Live && !t.e.paused(item) {
			all = append(all, noted{c, item})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b noted) int { return cmp.Compare(a.Due, b.Due) })
	return all, err
}

// due are the cards of a notebook whose day has come.
func (t *turn) due(all []noted) []noted {
	today := t.today()
	n, _ := slices.BinarySearchFunc(all, today+1, func(c noted, d Date) int { return cmp.Compare(c.Due, d) })
	return all[:n]
}

// What review can be told.
const (
	reviewDue  = "due"
	reviewAll  = "all"
	reviewAnki = "anki"
	reviewCSV  = "csv"
)

// review serves the command: the due cards as a run of questions, all cards,
// or the notebook as a file.
func (t *turn) review() (Reply, error) {
	run, err := t.currentTest()
	if err != nil {
		return Reply{}, err
	}
	args, err := t.knownArgs()
	if err != nil {
		return Reply{}, err
	}
	what := args["what"]
	all, err := t.notebook()
	if err != nil {
		return Reply{}, err
	}
	if what == reviewAnki || what == reviewCSV {
		return t.exportNotebook(all, what)
	}
	if run.Token != "" && !run.Done {
		r, err := t.resumeTest(run)
		if r.Whisper != nil {
			r.Whisper.Text = append(t.text(wTestResumed), r.Whisper.Text...)
		}
		return r, err
	}
	cards := t.due(all)
	if what == reviewAll {
		cards = all
	} else {
		what = reviewDue
	}
	if len(cards) == 0 {
		return t.show(t.nothingDue(all)), nil
	}
	run, err = t.newRun("")
	if err != nil {
		return Reply{}, err
	}
	run.Review, run.Of = what, min(testLength, len(cards))
	return t.nextQuestion(run)
}

// nothingDue says when the next review comes, or how the notebook fills.
func (t *turn) nothingDue(all []noted) *Message {
	m := &Message{Title: t.say(wReviewNone), Text: t.text(wReviewHow)}
	m.Buttons = [][]Button{{t.button(wTestMe, "test")}}
	if len(all) > 0 {
		m.Text = t.text(wReviewNext, "n", len(all), "when", t.words.date(all[0].Due))
		m.Buttons[0] = append(m.Buttons[0], t.button(wReviewAll, "review", reviewAll))
	}
	return m
}

// drawReview is the next card of a review run, or nil when none is left.
func (t *turn) drawReview(run test) (*content.Item, bool, error) {
	cards, err := t.notebook()
	if err != nil {
		return nil, false, err
	}
	if run.Review == reviewDue {
		cards = t.due(cards)
	}
	for _, c := range cards {
		if !slices.ContainsFunc(run.Steps, func(s step) bool { return s.Item == c.item.ID }) {
			return c.item, true, nil
		}
	}
	return nil, false, nil
}

// dueTopic is the topic, of those given, whose card has been due for longest,
// or nil when none is or the run has had its one review.
func (t *turn) dueTopic(topics []*content.Topic, run test) (*content.Topic, map[string]bool, error) {
	if slices.ContainsFunc(run.Steps, func(s step) bool { return s.Review }) {
		return nil, nil, nil
	}
	cards, err := t.notebook()
	if err != nil {
		return nil, nil, err
	}
	var first *content.Topic
	due := map[string]bool{}
	for _, c := range t.due(cards) {
		at := slices.IndexFunc(topics, func(tp *content.Topic) bool { return tp.ID == c.item.Topic })
		switch {
		case at < 0:
		default:
			due[c.item.ID] = true
			if first == nil {
				first = topics[at]
			}
		}
	}
	return first, due, nil
}

// nextReview says when an item that was missed comes back.
func (t *turn) nextReview(item string) (content.Text, error) {
	var c card
	found, err := get(t.tx, keyCard(t.id, item), &c)
	switch days := int(c.Due - t.today()); {
	case err != nil:
		return nil, err
	case !found:
		return t.text(wReviewLearnt), nil
	default:
		return t.text(wReviewBack, "n", max(1, days)), nil
	}
}

// reviewLine tells how many cards are due, for stats.
func (t *turn) reviewLine(m *Message) error {
	cards, err := t.notebook()
	if err != nil || len(cards) == 0 {
		return err
	}
	n := len(t.due(cards))
	if n == 0 {
		return nil
	}
	m.Text = append(m.Text, t.text(wReviewDue, "n", n)...)
	m.Buttons[0] = append([]Button{t.button(wReviewButton, "review")}, m.Buttons[0]...)
	return nil
}

// remind does to the notebook what the turn of this answer did.
func (p *replay) remind(a answer) {
	at := time.UnixMilli(a.At)
	next, ok := p.cards[a.Item].answered(a.Right, at.Unix(), DateOf(at, zoneOf(a.Zone)))
	if ok {
		p.cards[a.Item] = next
		return
	}
	delete(p.cards, a.Item)
}

// notebookOf compares the cards of one person.
func (r *rebuild) notebookOf(tx Tx, p *replay, f *findings) error {
	want := make(map[string][]byte, len(p.cards))
	for item, c := range p.cards {
		raw, err := encode(c)
		if err != nil {
			return err
		}
		want[item] = raw
	}
	return r.set(tx, keyCard(p.id, ""), want, f, ofCards)
}

// exportNotebook hands the notebook out as a file for Anki or a spreadsheet.
func (t *turn) exportNotebook(all []noted, format string) (Reply, error) {
	if len(all) == 0 {
		return t.show(t.nothingDue(all)), nil
	}
	var b strings.Builder
	write, name := t.csvNotebook, "aiprep-review.csv"
	if format == reviewAnki {
		write, name = t.ankiNotebook, "aiprep-review.txt"
	}
	if err := write(&b, all); err != nil {
		return Reply{}, fmt.Errorf("export notebook: %w", err)
	}
	hint := wExportedCSV
	if format == reviewAnki {
		hint = wExportedAnki
	}
	return t.show(&Message{
		Title: t.say(wExported, "n", len(all)),
		Text:  t.text(hint),
		File:  &File{Name: name, Data: []byte(b.String())},
	}), nil
}
