package engine

import (
	"cmp"
	"slices"
	"strings"

	"aiprep/content"
	"aiprep/engine/skill"
)

// stats serves stats [topic]: scores with their honest ranges.
func (t *turn) stats() (Reply, error) {
	if id := strings.ToLower(t.args()["topic"]); id != "" {
		return t.topicStats(id)
	}
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
	m.Text = append(m.Text, t.readiness(ab, t.practised(ab))...)
	rows := t.topicScores(ab)
	m.Text = append(m.Text, t.topicLines(rows)...)
	m.Text = append(m.Text, t.text(wStatsRange)...)
	m.Buttons = [][]Button{{t.button(wTestMe, "test"), t.button(wStreak, "streak")}}
	if err := t.reviewLine(m); err != nil {
		return Reply{}, err
	}
	return t.show(m), t.statsCard(m, ab, rows)
}

// topicScores lists the practised topics, best first.
func (t *turn) topicScores(ab abilities) []topicRow {
	var rows []topicRow
	world := t.e.world()
	for id := range ab.Topics {
		own := ab.topic(t.e.model, id, t.in.At)
		s := t.e.model.Score(ab.General, own, world)
		title := id
		if tp := t.e.bank.Topic(id); tp != nil {
			title = tp.Title
		}
		rows = append(rows, topicRow{title, points(s.Mean), points(s.Low), points(s.High), own.N})
	}
	slices.SortFunc(rows, func(a, b topicRow) int {
		return cmp.Or(cmp.Compare(b.mean, a.mean), strings.Compare(a.title, b.title))
	})
	return rows
}

// topicStats shows one topic, also an untried one: its score then borrows from
// the others, and says so.
func (t *turn) topicStats(id string) (Reply, error) {
	tp := t.e.bank.Topic(id)
	if tp == nil {
		_, err := t.scopeTopics(id)
		return Reply{}, orSorry(err, t.sorry(wTopicUnknown, "topic", id))
	}
	ab, err := t.abilities()
	if err != nil {
		return Reply{}, err
	}
	own := ab.topic(t.e.model, tp.ID, t.in.At)
	s := t.e.model.Score(ab.General, own, t.e.world())
	m := &Message{Title: t.say(wTopicTitle, "topic", tp.Title, "score", points(s.Mean), "low", points(s.Low), "high", points(s.High))}
	m.Text = t.text(wTopicAnswers, "n", own.N)
	if s.Borrowed {
		m.Text = t.text(wBorrowed)
	}
	m.Text = append(m.Text, t.readiness(ab, []*content.Topic{tp})...)
	m.Text = append(m.Text, t.text(wStatsRange)...)
	m.Buttons = [][]Button{{t.button(wTestMe, "test", tp.ID), t.button(wAllStats, "stats")}}
	return t.show(m), nil
}

// practised lists the topics that the person has answered on.
func (t *turn) practised(ab abilities) []*content.Topic {
	var topics []*content.Topic
	for _, tp := range t.e.offered("") {
		if _, ok := ab.Topics[tp.ID]; ok {
			topics = append(topics, tp)
		}
	}
	return topics
}

// readiness says, a level a line, how likely a typical question of the topics
// is answered right. A level with fewer than two questions is left out.
func (t *turn) readiness(ab abilities, topics []*content.Topic) content.Text {
	text := t.text(wReadiness)
	now := t.e.current.Load()
	shown := false
	for _, level := range content.Levels() {
		var parts []skill.Part
		for _, tp := range topics {
			part := skill.Part{Topic: ab.topic(t.e.model, tp.ID, t.in.At), Difficulty: t.e.model.NewTopicDifficulty()}
			for _, i := range t.e.live(tp) {
				if i.Level == level {
					n := now.of(t.e.model, i)
					part.Items, part.Difficulty = append(part.Items, n.Item), n.Topic
				}
			}
			parts = append(parts, part)
		}
		r := t.e.model.Readiness(ab.General, t.e.world(), parts)
		if r.Items < 2 {
			continue
		}
		shown = true
		text = append(text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: t.say(wReadyLevel, "level", level.String(), "low", percent(r.Low), "high", percent(r.High))},
		}})
	}
	if !shown {
		return nil
	}
	return text
}

func percent(p float64) int { return int(p*100 + 0.5) }

// streaks serves streak: one's own days in a row, and the server's.
func (t *turn) streaks() (Reply, error) {
	if t.args()["what"] == "why" {
		return t.streakWhy()
	}
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
	if s.Freezes > 0 {
		m.Text = append(m.Text, t.text(wFreezes, "n", s.Freezes)...)
	}
	if !t.in.In.Private() && t.space.State != "" {
		m.Text = append(m.Text, t.text(wServerStreak, "n", t.space.Streak.Current, "longest", t.space.Streak.Longest)...)
		m.Text = append(m.Text, t.text(wQuorum, "n", max(1, t.space.Quorum))...)
		if n := t.space.Streak.Freezes; n > 0 {
			m.Text = append(m.Text, t.text(wSharedFreezes, "n", n)...)
		}
	}
	m.Buttons = [][]Button{{t.button(wDailyButton, "daily"), t.button(wStreakWhy, "streak", "why"), t.button(wStats, "stats")}}
	return t.show(m), nil
}
