package engine

import (
	"slices"

	"aiprep/content"
	"aiprep/engine/picture"
	"aiprep/engine/skill"
)

// drawing is a picture that a reply wants, drawn after its transaction.
type drawing struct {
	card picture.Card
	alt  string
}

// draw adds the picture to the message that the reply shows. Without it
// everything is still said in words.
func (e *Engine) draw(d *drawing, r Reply) {
	m := r.Whisper
	if m == nil {
		m = r.Replace
	}
	if d == nil || m == nil {
		return
	}
	png, err := e.artist.Draw(d.card)
	if err != nil {
		e.log.Error("picture not drawn", "err", err)
		return
	}
	m.Image = &Image{PNG: png, Alt: d.alt}
}

// curvePoint is the general score at the end of a date, in points, with half
// of its range.
type curvePoint struct {
	_    struct{} `cbor:",toarray"`
	Date Date
	Mean int
	Half int
}

// curveLen is how many dates the curve of a score goes back.
const curveLen = 40

// mark notes the score of a date.
func (a *abilities) mark(s skill.Score, d Date) {
	p := curvePoint{Date: d, Mean: points(s.Mean), Half: points((s.High - s.Low) / 2)}
	if n := len(a.Curve); n > 0 && a.Curve[n-1].Date >= d {
		p.Date = a.Curve[n-1].Date
		a.Curve[n-1] = p
		return
	}
	a.Curve = append(a.Curve, p)
	a.Curve = a.Curve[max(0, len(a.Curve)-curveLen):]
}

// weeksShown is how many weeks the calendar of a card goes back: half a year.
const weeksShown = 26

// statsCard is what stats draws.
func (t *turn) statsCard(m *Message, ab abilities, rows []topicRow) error {
	c := picture.Card{
		Title: m.Title, Subtitle: t.say(wStatsAnswers, "n", int(t.person.Answers), "right", int(t.person.Right)),
		LineName: t.say(wCardLine), DaysName: t.say(wCardDays),
	}
	if r := []rune(c.Title); len(r) > 2 && r[0] > 0x1f000 { // the picture needs no sign before its title
		c.Title = string(r[2:])
	}
	for _, r := range rows[:min(len(rows), 8)] {
		c.Bars = append(c.Bars, picture.Bar{Label: r.title, Low: r.low, Mean: r.mean, Top: r.top})
	}
	for _, p := range ab.Curve {
		c.Line = append(c.Line, picture.Point{Mean: p.Mean, Half: p.Half})
	}
	days, err := t.calendar()
	if err != nil {
		return err
	}
	c.Days = days
	t.drawing = &drawing{card: c, alt: t.say(wCardAlt)}
	return nil
}

// calendar is what became of the days of the last weeks, from a Monday on. What
// was missed is left out: a card celebrates.
func (t *turn) calendar() ([]picture.Day, error) {
	if t.person.Streak.Last == 0 {
		return nil, nil
	}
	today := t.today()
	first := today - Date((int(today.Weekday())+6)%7) - 7*(weeksShown-1)
	diary := storedDiary{t.tx, t.id}
	var saved []Date
	p := t.person // a copy: nothing is changed here
	if err := p.recount(func(o posting) bool { return o.closed }, diary, func(d Date) { saved = append(saved, d) }); err != nil {
		return nil, err
	}
	days := make([]picture.Day, today-first+1)
	for n := range days {
		if d := first + Date(n); p.rests(d) || slices.Contains(saved, d) {
			days[n] = picture.DaySaved
		}
	}
	for from := first; ; {
		kept, err := diary.kept(from, today+1)
		if err != nil {
			return nil, err
		}
		for _, d := range kept {
			days[d-first], from = picture.DayKept, d+1
		}
		if len(kept) < keptPage {
			return days, nil
		}
	}
}

// boardCard is what the board of a week draws.
func (t *turn) boardCard(m *Message) {
	c := picture.Card{Title: m.Title}
	if r := []rune(c.Title); len(r) > 2 && r[0] > 0x1f000 {
		c.Title = string(r[2:])
	}
	if t.space.Streak.Current > 0 {
		c.Subtitle = t.say(wCardServer, "n", t.space.Streak.Current)
	}
	c.Ranks = t.ranks
	if len(c.Ranks) > 0 {
		t.drawing = &drawing{card: c, alt: t.say(wCardBoardAlt)}
	}
}

// topicRow is a practised topic's score, in points.
type topicRow struct {
	title          string
	mean, low, top int
	n              int
}

// topicLines says the best of them in words.
func (t *turn) topicLines(rows []topicRow) content.Text {
	var text content.Text
	for _, r := range rows[:min(len(rows), 12)] {
		text = append(text, t.text(wStatsTopic, "topic", r.title, "score", r.mean, "low", r.low, "high", r.top, "n", r.n)...)
	}
	return text
}
