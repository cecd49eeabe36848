package engine

import (
	"fmt"
	"strconv"

	"aiprep/content"
	"aiprep/engine/skill"
)

// testSummary says what the test showed: how many were right, and the score
// before and after with its honest range.
func (t *turn) testSummary(run test) (*Message, error) {
	ab, err := t.abilities()
	if err != nil {
		return nil, err
	}
	right, answered, lines := 0, 0, content.Text{}
	for n, s := range run.Steps {
		if s.Option == "" {
			continue
		}
		answered++
		mark := "✗"
		if s.Right {
			mark, right = "✓", right+1
		}
		item := t.e.bank.Item(s.Item)
		if item == nil {
			continue
		}
		lines = append(lines, content.Block{Kind: content.ListItem, Mark: strconv.Itoa(n+1) + ".",
			Spans: []content.Span{{Text: mark + " " + t.e.bank.Topic(item.Topic).Title + " · " + item.Level.String()}}})
	}
	m := &Message{Title: t.say(wTestDone, "right", right, "of", answered), Text: lines}
	if answered == 0 {
		m.Title, m.Text = t.say(wTestStopped), t.text(wTestStoppedText)
	} else if run.Review == "" {
		m.Text = append(m.Text, t.scoreChange(run, ab)...)
	}
	m.Buttons = [][]Button{{
		t.button(wAgain, "test", run.Scope),
		t.button(wStats, "stats", t.topicOf(run.Scope)),
	}}
	if run.Review != "" {
		m.Buttons[0][0] = t.button(wTestMe, "test")
		return m, t.reviewLine(m)
	}
	if tp := t.e.bank.Topic(run.Scope); tp != nil && tp.Guide != nil {
		m.Buttons[0] = append(m.Buttons[0], t.button(wGuide, "learn", tp.ID))
	}
	return m, nil
}

func (t *turn) scoreChange(run test, ab abilities) content.Text {
	s := t.scopeScore(ab, run.Scope)
	text := t.text(wScoreLine, "name", t.scopeName(run.Scope), "score", points(s.Mean), "low", points(s.Low), "high", points(s.High))
	if len(run.Before) == 3 {
		text = append(text, t.text(wScoreChange, "before", points(run.Before[0]), "change", fmt.Sprintf("%+d", points(s.Mean)-points(run.Before[0])))...)
	}
	return append(text, t.text(wOneTest)...)
}

// scopeScore is the score that a test of this scope is about: of the topic, or
// of everything.
func (t *turn) scopeScore(ab abilities, scope string) skill.Score {
	if tp := t.e.bank.Topic(scope); tp != nil {
		return t.e.model.Score(ab.General, ab.topic(t.e.model, tp.ID, t.in.At), t.e.world())
	}
	return t.e.model.GeneralScore(ab.General)
}

// topicOf is the scope when it is a topic, else "".
func (t *turn) topicOf(scope string) string {
	if tp := t.e.bank.Topic(scope); tp != nil {
		return tp.ID
	}
	return ""
}

func (t *turn) scopeName(scope string) string {
	if tp := t.e.bank.Topic(scope); tp != nil {
		return tp.Title
	}
	return t.say(wOverall)
}

// points rounds a score for display.
func points(f float64) int { return int(f + 0.5) }
