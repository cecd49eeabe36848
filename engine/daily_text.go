package engine

import (
	"fmt"

	"aiprep/content"
)

// histogram shows how often each option was chosen.
func (c *catalogue) histogram(item *content.Item, order []int, counts map[string]int) content.Text {
	total := 0
	for _, n := range counts {
		total += n
	}
	if total == 0 {
		return c.text(wNobody)
	}
	text := c.text(wAnswered, "n", total)
	row := func(label string, n int) {
		text = append(text, content.Block{Kind: content.ListItem, Mark: label, Spans: []content.Span{
			{Text: fmt.Sprintf("%s %d %% (%d)", bar(n, total), (n*100+total/2)/total, n)},
		}})
	}
	for n, at := range order {
		o := item.Options[at]
		mark := string(rune('A' + n))
		if o.Correct {
			mark += " ✓"
		}
		row(mark, counts[o.Key])
	}
	if n := counts[dontKnow]; n > 0 {
		row(c.say(wDontKnow), n)
	}
	return text
}

// reveal renders what a challenge becomes when it closes.
func (e *Engine) reveal(o occurrence, d Date, counts map[string]int, s space) *Message {
	c := e.in(s.Lang)
	item := e.bank.Item(o.Item)
	if !asked(item, o.Rev, len(o.Order)) {
		return &Message{Text: c.text(wQuestionGone)}
	}
	letter := letterOf(item, o.Order, item.Options[item.Key()].Key)
	m := &Message{
		Title: c.say(wRevealTitle, "letter", letter, "topic", e.bank.Topic(item.Topic).Title),
		Text:  question(item, o.Order),
	}
	m.Text = append(m.Text, c.histogram(item, o.Order, counts)...)
	m.Text = append(m.Text, content.Parse(item.Full)...)
	switch {
	case s.Feast == d && s.Streak.Current == s.Milestone && d != 0:
		m.Text = append(m.Text, c.text(wMilestone, "n", s.Milestone)...)
	case s.Streak.Current > 0 && s.Streak.Last < d:
		m.Text = append(m.Text, c.text(wSharedFroze, "n", s.Streak.Current)...)
	case s.Streak.Current > 0:
		m.Text = append(m.Text, c.text(wServerStreakLine, "n", s.Streak.Current)...)
	}
	return m
}

// dailyMessage renders the public challenge.
func (e *Engine) dailyMessage(item *content.Item, o occurrence, s space, note word) *Message {
	c := e.in(s.Lang)
	m := &Message{
		Title:   c.say(wDailyTitle, "topic", e.bank.Topic(item.Topic).Title, "level", item.Level.String()),
		Buttons: c.letters(answerVerb(s.Place), o.Token, "", len(o.Order)),
		Quiz:    quizOf(item, o.Order),
	}
	m.Quiz.Native = s.Polls && !s.Place.Private()
	if s.Role != "" {
		m.Ping = &Role{ID: s.Role}
	}
	if note != "" {
		m.Text = append(m.Text, c.text(note)...)
	}
	m.Text = append(m.Text, question(item, o.Order)...)
	if s.Streak.Current > 0 {
		m.Text = append(m.Text, c.text(wServerStreakLine, "n", s.Streak.Current)...)
	}
	if s.Place.Private() {
		return m
	}
	m.Text = append(m.Text, c.text(wDailyFooter)...)
	return m
}

// answerVerb is what an answer button of a challenge does: on a message that
// only one person reads, the verdict takes its place.
func answerVerb(p Place) string {
	if p.Private() {
		return verbMine
	}
	return verbVote
}
