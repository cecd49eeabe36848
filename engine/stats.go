package engine

import (
	"slices"
	"strings"

	"aiprep/content"
)

// stats serves the command: scores with their honest ranges.
func (t *turn) stats() (Reply, error) {
	if t.person.Answers == 0 {
		return t.show(&Message{
			Title:   t.say(wStatsEmptyTitle),
			Text:    t.text(wStatsEmpty),
			Buttons: [][]Button{{t.button(wTestMe, "test")}},
		}), nil
	}
	ab, err := t.abilities()
	if err != nil {
		return Reply{}, err
	}
	g := t.e.model.GeneralScore(ab.General)
	m := &Message{Title: t.say(wStatsTitle, "score", points(g.Mean), "low", points(g.Low), "high", points(g.High))}
	m.Text = t.text(wStatsAnswers, "n", int(t.person.Answers), "right", int(t.person.Right))
	m.Text = append(m.Text, t.topicScores(ab)...)
	m.Text = append(m.Text, t.text(wStatsRange)...)
	m.Buttons = [][]Button{{t.button(wTestMe, "test"), t.button(wStreak, "streak")}}
	return t.show(m), nil
}

// topicScores lists the practised topics, best first, at most twelve.
func (t *turn) topicScores(ab abilities) content.Text {
	type row struct {
		title          string
		mean, low, top int
		n              int
	}
	var rows []row
	world := t.e.world()
	for id := range ab.Topics {
		own := ab.topic(t.e.model, id, t.in.At)
		s := t.e.model.Score(ab.General, own, world)
		title := id
		if tp := t.e.bank.Topic(id); tp != nil {
			title = tp.Title
		}
		rows = append(rows, row{title, points(s.Mean), points(s.Low), points(s.High), own.N})
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.mean != b.mean {
			return b.mean - a.mean
		}
		return strings.Compare(a.title, b.title)
	})
	var text content.Text
	for _, r := range rows[:min(len(rows), 12)] {
		text = append(text, t.text(wStatsTopic, "topic", r.title, "score", r.mean, "low", r.low, "high", r.top, "n", r.n)...)
	}
	return text
}

// streaks serves streak: one's own days in a row, and the server's.
func (t *turn) streaks() (Reply, error) {
	s, err := t.streakNow()
	if err != nil {
		return Reply{}, err
	}
	m := &Message{Title: t.say(wStreakNone)}
	switch {
	case s.Current > 0:
		m.Title = t.say(wStreakTitle, "n", s.Current)
		m.Text = t.text(wStreakLongest, "n", s.Longest)
	case s.Longest > 0:
		m.Text = t.text(wStreakStartAgain, "n", s.Longest)
	default:
		m.Text = t.text(wStreakHow)
	}
	if !t.in.In.Private() && t.space.State != "" {
		m.Text = append(m.Text, t.text(wServerStreak, "n", t.space.Streak.Current, "longest", t.space.Streak.Longest)...)
		m.Text = append(m.Text, t.text(wQuorum, "n", max(1, t.space.Quorum))...)
	}
	m.Buttons = [][]Button{{t.button(wDailyButton, "daily"), t.button(wStats, "stats")}}
	return t.show(m), nil
}
