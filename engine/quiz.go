package engine

import (
	"fmt"
	"strconv"
	"strings"

	"aiprep/content"
)

// testLength is the number of questions of a test.
const testLength = 5

// startTest serves test [topic|category]. A test that is under way goes on,
// whatever was asked for, so a doubled command changes nothing.
func (t *turn) startTest() (Reply, error) {
	run, err := t.currentTest()
	if err != nil {
		return Reply{}, err
	}
	if run.Token != "" && !run.Done {
		r, err := t.resumeTest(run)
		if r.Whisper != nil {
			r.Whisper.Text = append(t.text(wTestResumed), r.Whisper.Text...)
		}
		return r, err
	}
	scope := strings.ToLower(t.args()["scope"])
	if _, err := t.scopeTopics(scope); err != nil {
		return Reply{}, err
	}
	if r, stop, err := t.limited(); err != nil || stop {
		return r, err
	}
	run, err = t.newRun(scope)
	if err != nil {
		return Reply{}, err
	}
	return t.nextQuestion(run)
}

// newRun makes a run of questions; it is stored with its first question.
func (t *turn) newRun(scope string) (test, error) {
	if err := t.enrol(); err != nil {
		return test{}, err
	}
	ab, err := t.abilities()
	if err != nil {
		return test{}, err
	}
	before := t.scopeScore(ab, scope)
	run := test{
		Token:  idFrom(mac(t.e.secret, "test", string(t.id), strconv.Itoa(int(t.person.Tests)))),
		Scope:  scope,
		Before: []float64{before.Mean, before.Low, before.High},
	}
	t.person.Tests++
	return run, t.savePerson()
}

// of is how many questions the run has.
func (r test) of() int {
	if r.Of > 0 {
		return r.Of
	}
	return testLength
}

// resumeTest shows the open question again, or the next one.
func (t *turn) resumeTest(run test) (Reply, error) {
	if len(run.Steps) > 0 && run.Steps[len(run.Steps)-1].Option == "" {
		m, err := t.testQuestion(run)
		return t.show(m), err
	}
	return t.nextQuestion(run)
}

func (t *turn) currentTest() (test, error) {
	var run test
	if t.id == "" {
		return run, nil
	}
	_, err := get(t.tx, keyTest(t.id), &run)
	return run, err
}

// scopeTopics resolves what a person asked to be tested on to offered topics.
func (t *turn) scopeTopics(scope string) ([]*content.Topic, error) {
	topics := t.e.offered(scope)
	if len(topics) > 0 {
		return topics, nil
	}
	if t.e.bank.Topic(scope) != nil || t.e.bank.Category(scope) != nil {
		return nil, t.sorry(wTopicSoon, "topic", scope)
	}
	if near := t.e.bank.Suggest(scope); len(near) > 0 {
		return nil, t.sorry(wTopicUnknownNear, "topic", scope, "near", strings.Join(near, ", "))
	}
	return nil, t.sorry(wTopicUnknown, "topic", scope)
}

// offered lists the offered topics of a topic, a category or, for "", all.
func (e *Engine) offered(scope string) []*content.Topic {
	var found []*content.Topic
	for _, c := range e.bank.Categories {
		for _, tp := range c.Topics {
			if (scope == "" || scope == c.ID || scope == tp.ID || scope == tp.Path()) && tp.Offered() {
				found = append(found, tp)
			}
		}
	}
	return found
}

// nextQuestion draws the next question, stores it and shows it.
func (t *turn) nextQuestion(run test) (Reply, error) {
	item, review, err := t.draw(run)
	if err != nil {
		return Reply{}, err
	}
	if item == nil { // fewer than five items can share a test
		return t.finish(run)
	}
	run.Steps = append(run.Steps, step{
		Item: item.ID, Rev: item.Rev,
		Order: t.e.shuffle(item, "test", string(run.Token)), Review: review,
	})
	if !review { // what comes back to one person is no exposure
		if err := t.serve(run, item); err != nil {
			return Reply{}, err
		}
	}
	if err := put(t.tx, keyTest(t.id), run); err != nil {
		return Reply{}, err
	}
	m, err := t.testQuestion(run)
	return t.show(m), err
}

// testQuestion renders the open question of a run.
func (t *turn) testQuestion(run test) (*Message, error) {
	n := len(run.Steps)
	s := run.Steps[n-1]
	item := t.e.bank.Item(s.Item)
	if !asked(item, s.Rev, len(s.Order)) {
		return t.goneQuestion(run)
	}
	topic := t.e.bank.Topic(item.Topic)
	m := &Message{
		Title:   t.say(wTestTitle, "k", n, "of", run.of(), "topic", topic.Title),
		Text:    question(item, s.Order),
		Buttons: t.words.letters(verbPick, run.Token, strconv.Itoa(n), len(s.Order)),
		Quiz:    quizOf(item, s.Order),
	}
	last := len(m.Buttons) - 1
	m.Buttons[last] = append(m.Buttons[last], t.button(wStop, verbStop, string(run.Token)))
	return m, nil
}

// goneQuestion stands where a question was that a new release changed.
func (t *turn) goneQuestion(run test) (*Message, error) {
	return &Message{
		Text:    t.text(wQuestionGone),
		Buttons: [][]Button{{t.button(wNext, verbNext, string(run.Token), strconv.Itoa(len(run.Steps)))}},
	}, nil
}

// ownTest finds the run that a button belongs to; only its owner gets further.
func (t *turn) ownTest() (test, string, error) {
	if len(t.in.Args) == 0 {
		return test{}, "", t.sorry(wTestOver)
	}
	run, err := t.currentTest()
	if err != nil {
		return run, "", err
	}
	if run.Token == "" || string(run.Token) != t.in.Args[0] {
		return run, "", t.sorry(wTestOver)
	}
	move := ""
	if len(t.in.Args) > 1 {
		move = t.in.Args[1]
	}
	return run, move, nil
}

// pick serves an answer button. A button of an earlier step shows where the
// test is now and counts nothing.
func (t *turn) pick() (Reply, error) {
	run, move, err := t.ownTest()
	if err != nil {
		return Reply{}, err
	}
	n := len(run.Steps)
	digits := len(move) - len(strings.TrimLeft(move, "0123456789"))
	at, _ := strconv.Atoi(move[:digits])
	if at < 1 || at > n {
		return Reply{}, t.sorry(wTestOver)
	}
	s := &run.Steps[at-1]
	item := t.e.bank.Item(s.Item)
	if s.Option != "" || !asked(item, s.Rev, len(s.Order)) {
		return t.testVerdict(run, at, false)
	}
	option, right, ok := chosen(item, s.Order, move[digits:])
	if !ok {
		return Reply{}, t.sorry(wTestOver)
	}
	kind := kindTest
	if run.Review != "" {
		kind = kindReview
	}
	out, err := t.record(item, answer{
		Option: option, Right: right, Kind: kind,
		Date: DateOf(t.in.At, t.zone()), Delivery: run.Token, Order: s.Order,
	})
	if err != nil {
		return Reply{}, err
	}
	s.Option, s.Right, s.Counted = option, right, out.counted
	run.Done = run.Done || at == run.of()
	if err := put(t.tx, keyTest(t.id), run); err != nil {
		return Reply{}, err
	}
	return t.testVerdict(run, at, false)
}

// testVerdict shows how step at went, with the way on.
func (t *turn) testVerdict(run test, at int, full bool) (Reply, error) {
	s := run.Steps[at-1]
	item := t.e.bank.Item(s.Item)
	if !asked(item, s.Rev, len(s.Order)) {
		m, err := t.goneQuestion(run)
		return t.show(m), err
	}
	m := t.words.verdict(item, s.Order, s.Option, full)
	m.Text = append(content.Text{{Kind: content.Quote, Spans: flat(content.Parse(shortStem(item)))}}, m.Text...)
	if run.Review != "" {
		back, err := t.nextReview(s.Item)
		if err != nil {
			return Reply{}, err
		}
		m.Text = append(m.Text, back...)
	} else if !s.Counted {
		m.Text = append(m.Text, t.uncounted(item)...)
	}
	row := []Button{t.button(wNext, verbNext, string(run.Token), strconv.Itoa(at))}
	if at == run.of() {
		row[0].Label = t.say(wSummary)
	}
	if full {
		row = append(row, t.button(wFlag, verbFlag, s.Item))
	} else {
		row = append(row, t.button(wExplain, verbWhy, string(run.Token), strconv.Itoa(at)))
	}
	m.Buttons = [][]Button{row}
	return t.show(m), nil
}

func shortStem(i *content.Item) string {
	if i.StemShort != "" {
		return i.StemShort
	}
	return i.Stem
}

// next moves on from a verdict; pressed twice, it shows the same question.
func (t *turn) next() (Reply, error) {
	run, move, err := t.ownTest()
	if err != nil {
		return Reply{}, err
	}
	at, err := strconv.Atoi(move)
	if err != nil || at < 0 || at > len(run.Steps) {
		return Reply{}, t.sorry(wTestOver)
	}
	switch {
	case run.Done:
		return t.finish(run)
	case at < len(run.Steps) || t.stillOpen(run):
		return t.resumeTest(run)
	case at == run.of():
		return t.finish(run)
	}
	return t.nextQuestion(run)
}

// stillOpen reports whether the run's last question waits for an answer that
// can be given.
func (t *turn) stillOpen(run test) bool {
	if len(run.Steps) == 0 {
		return false
	}
	s := run.Steps[len(run.Steps)-1]
	return s.Option == "" && asked(t.e.bank.Item(s.Item), s.Rev, len(s.Order))
}

// stop ends a test early; what was answered stays counted.
func (t *turn) stop() (Reply, error) {
	run, err := t.currentTest()
	if err != nil {
		return Reply{}, err
	}
	if len(t.in.Args) > 0 && t.in.Args[0] != string(run.Token) {
		return Reply{}, t.sorry(wTestOver)
	}
	if t.id != "" {
		if err := t.tx.Delete(keyAsk(t.id)); err != nil {
			return Reply{}, fmt.Errorf("stop asking: %w", err)
		}
	}
	if run.Token == "" || run.Done {
		return t.show(&Message{Text: t.text(wNothingToStop)}), nil
	}
	return t.finish(run)
}

// finish closes the run and sums it up.
func (t *turn) finish(run test) (Reply, error) {
	run.Done = true
	if run.Review == "" && len(run.Steps) == testLength && t.person.Consent == 0 {
		// Asked once, after the first whole test; no answer means no.
		run.Asked, t.person.Consent = true, consentNo
		if err := t.savePerson(); err != nil {
			return Reply{}, err
		}
	}
	if err := put(t.tx, keyTest(t.id), run); err != nil {
		return Reply{}, err
	}
	m, err := t.testSummary(run)
	if err == nil && run.Asked && t.person.Consent == consentNo {
		m.Text = append(m.Text, t.text(wShareAsk)...)
		m.Buttons = append(m.Buttons, []Button{t.button(wShareOn, verbMy, "share", "yes")})
	}
	return t.show(m), err
}

// why shows the whole explanation of an answered step or daily; typed alone,
// why today's challenge was chosen.
func (t *turn) why() (Reply, error) {
	if len(t.in.Args) == 0 {
		return t.whyChosen()
	}
	if len(t.in.Args) == 2 {
		if at, err := strconv.Atoi(t.in.Args[1]); err == nil {
			run, _, err := t.ownTest()
			if err != nil {
				return Reply{}, err
			}
			if at < 1 || at > len(run.Steps) || run.Steps[at-1].Option == "" {
				return Reply{}, t.sorry(wTestOver)
			}
			return t.testVerdict(run, at, true)
		}
	}
	return t.whyDaily()
}
