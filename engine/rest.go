package engine

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"aiprep/content"
)

// Days off and vacations are dates on which nobody expects an answer. They
// count from the day on which they are chosen, and from the next one if that
// day was kept already: what was judged stays judged.

// longestVacation is in days.
const longestVacation = 60

// rests reports whether the person is not expected to answer on a date.
func (p *person) rests(d Date) bool {
	off := false
	for _, r := range p.Rests { // the newest word on the days of the week counts
		switch {
		case d < r.From:
		case r.To == 0:
			off = r.Days.Has(d)
		}
	}
	return off || slices.ContainsFunc(p.Rests, func(r rest) bool { return r.To != 0 && r.From <= d && d <= r.To })
}

// restFrom is the first date that a choice made now can be about.
func (t *turn) restFrom() Date { return max(t.today(), t.person.Streak.Last+1) }

// chooseRest sets the days of the week that are off; "none" for none.
func (t *turn) chooseRest(value string) error {
	var days Days
	if !strings.EqualFold(value, "none") {
		var err error
		if days, err = ParseDays(t.words.readDays(value)); err != nil || days == EveryDay {
			return t.sorry(wBadRest, "value", value)
		}
	}
	from := t.restFrom()
	t.person.Rests = slices.DeleteFunc(t.person.Rests, func(r rest) bool { return r.To == 0 && r.From >= from })
	t.addRest(rest{From: from, Days: days})
	return t.savePerson()
}

// chooseVacation sets how many days from today the person is away. 0 ends a
// vacation.
func (t *turn) chooseVacation(value string) error {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 0 || n > longestVacation {
		return t.sorry(wBadVacation, "value", value)
	}
	from := t.restFrom()
	var kept []rest
	for _, r := range t.person.Rests {
		if r.To >= from {
			r.To = from - 1
		}
		if r.To == 0 || r.From <= r.To {
			kept = append(kept, r)
		}
	}
	t.person.Rests = kept
	if n > 0 {
		t.addRest(rest{From: from, To: from + Date(n) - 1, Days: EveryDay})
	}
	return t.savePerson()
}

// addRest keeps what was chosen. None is ever forgotten, since a recount goes
// back to the first day; of one day at most one of each kind is left.
func (t *turn) addRest(r rest) { t.person.Rests = append(t.person.Rests, r) }

// restLines say what is off from now on.
func (t *turn) restLines() content.Text {
	off, away := t.say(wNone), Date(0)
	for _, r := range t.person.Rests {
		switch {
		case r.To == 0 && r.Days == 0:
			off = t.say(wNone)
		case r.To == 0:
			off = t.words.days(r.Days)
		case r.To >= t.today():
			away = r.To
		}
	}
	text := t.text(wSettingsRest, "days", off)
	if away != 0 {
		text = append(text, t.text(wSettingsVacation, "date", t.words.date(away))...)
	}
	return text
}

// daysExplained is how many days streak why goes back.
const daysExplained = 14

// streakWhy says day by day what counted.
func (t *turn) streakWhy() (Reply, error) {
	m := &Message{Title: t.say(wStreakWhyTitle)}
	m.Buttons = [][]Button{{t.button(wDailyButton, "daily"), t.button(wStreak, "streak")}}
	if t.person.Streak.Last == 0 {
		m.Text = t.text(wStreakHow)
		return t.show(m), nil
	}
	days := storedDiary{t.tx, t.id}
	closed := func(o posting) bool { return o.closed }
	missed, frozen, err := t.judged(closed, days)
	if err != nil {
		return Reply{}, err
	}
	times, err := t.answerTimes()
	if err != nil {
		return Reply{}, err
	}
	for d := t.today(); d > t.today()-daysExplained && d >= DateOf(time.Unix(t.person.Since, 0), t.zone()); d-- {
		kept, err := days.kept(d, d+1)
		if err != nil {
			return Reply{}, err
		}
		what := t.say(wDayNone)
		switch {
		case times[d] != "":
			what = t.say(wDayKept, "time", times[d])
		case len(kept) > 0:
			what = t.say(wDayKeptPlain)
		case t.person.rests(d):
			what = t.say(wDayRest)
		case slices.Contains(frozen, d):
			what = t.say(wDayFrozen)
		case slices.Contains(missed, d):
			what = t.say(wDayMissed)
		case d >= t.openSince():
			what = t.say(wDayOpen)
		}
		m.Text = append(m.Text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: t.words.date(d) + ": " + what},
		}})
	}
	m.Text = append(m.Text, t.text(wStreakWhyHow)...)
	return t.show(m), nil
}

// judged lists the dates of the last two weeks that were missed, and those
// that a freeze saved.
func (t *turn) judged(counts func(posting) bool, days diary) (missed, frozen []Date, err error) {
	p := t.person // a copy: nothing is changed here
	if err := p.recount(counts, days, func(d Date) { frozen = append(frozen, d) }); err != nil {
		return nil, nil, err
	}
	since, err := p.missed(p.Streak.Last+1, t.openSince(), counts, days)
	if err != nil {
		return nil, nil, err
	}
	if len(since) <= p.Streak.Freezes {
		frozen = append(frozen, since...)
	}
	for d := t.today() - daysExplained; d < t.openSince(); d++ {
		one, err := p.missed(d, d+1, counts, days)
		if err != nil {
			return nil, nil, err
		}
		missed = append(missed, one...)
	}
	return missed, frozen, nil
}

// clockOn is a time of day, with its day of the week where that is not the
// date's own.
func (c *catalogue) clockOn(d Date, at time.Time) string {
	if DateOf(at, at.Location()) == d {
		return at.Format("15:04")
	}
	return c.list(wWeekdays)[at.Weekday()] + " " + at.Format("15:04")
}

// answerTimes are the local times at which the newest dates were kept.
func (t *turn) answerTimes() (map[Date]string, error) {
	first := uint32(0)
	if n := t.person.Answers; n > 300 {
		first = n - 300
	}
	_, end := prefixRange(keyPerson(t.id, "answer/"))
	recs, err := t.tx.Scan(keyAnswer(t.id, first), end, 300)
	if err != nil {
		return nil, err
	}
	times := map[Date]string{}
	for _, r := range recs {
		var a answer
		if _, err := decode(r.Value, &a); err != nil {
			return nil, err
		}
		if a.Kind == kindDaily && times[a.Date] == "" {
			times[a.Date] = t.words.clockOn(a.Date, time.UnixMilli(a.At).In(t.zone()))
		}
	}
	return times, nil
}
