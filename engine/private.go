package engine

import (
	"slices"
	"strings"
	"time"
)

// A private daily is a server's daily with one member: the person's private
// chat is the place, their zone and level the settings. Only they can start it,
// and whoever blocks the bot has ended it.

// chooseDaily serves settings daily=HH:MM or off.
func (t *turn) chooseDaily(value string) error {
	id, s, err := t.privateChat()
	if err != nil {
		return err
	}
	if strings.EqualFold(value, "off") {
		s.State = ""
	} else {
		hh, mm, err := ParseClock(value)
		if err != nil {
			return t.sorry(wBadTime, "value", value)
		}
		s.State, s.Why, s.Hour, s.Minute, s.Days, s.Owner = stateOn, "", hh, mm, EveryDay, t.id
	}
	return t.replanPrivate(id, s)
}

// privateChat is the person's own chat on this platform.
func (t *turn) privateChat() (ID, *space, error) {
	if t.in.In.Private() {
		return t.spaceID, &t.space, t.settle()
	}
	for _, id := range slices.Backward(t.person.Private) {
		s := &space{}
		if _, err := get(t.tx, keySpace(id), s); err != nil {
			return "", nil, err
		}
		if s.Place.Platform == t.in.In.Platform {
			return id, s, nil
		}
	}
	return "", nil, t.sorry(wPrivateFirst)
}

// replanPrivate gives the chat what the person chose, and plans anew.
func (t *turn) replanPrivate(id ID, s *space) error {
	s.Zone, s.Level, s.Lang = t.zone().String(), t.person.Level, t.words.tag.String()
	sc := &scheduling{e: t.e, tx: t.tx, id: id, space: s, now: t.in.At, put: &t.putJobs}
	return sc.replan()
}

// followPrivate lets the private dailies know of a new zone or level.
func (t *turn) followPrivate() error {
	for _, id := range t.person.Private {
		s := &t.space
		if id != t.spaceID {
			s = &space{}
			if _, err := get(t.tx, keySpace(id), s); err != nil {
				return err
			}
		}
		if s.State == stateOn {
			if err := t.replanPrivate(id, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// dailyTime is when the private daily comes, or "".
func (t *turn) dailyTime() (string, error) {
	for _, id := range slices.Backward(t.person.Private) {
		s := &t.space
		if id != t.spaceID {
			s = &space{}
			if _, err := get(t.tx, keySpace(id), s); err != nil {
				return "", err
			}
		}
		if s.State == stateOn && s.Place.Platform == t.in.In.Platform {
			return clock(s.Hour, s.Minute), nil
		}
	}
	return "", nil
}

// takeNow makes a challenge that was chosen for later today one that is asked
// now, because the person did not wait for it.
func (t *turn) takeNow(o *occurrence) error {
	if o.State != occChosen {
		return nil
	}
	end, _ := (t.today() + 1).At(0, 0, t.zone())
	o.State, o.Posted, o.Closes, o.Message = occPosted, t.in.At.Unix(), end.Add(grace).Unix(), nil
	if err := t.schedule().saveOccurrence(t.today(), *o); err != nil {
		return err
	}
	t.space.Last = max(t.space.Last, t.today())
	if t.space.Job != nil {
		if err := t.tx.Delete(t.space.Job); err != nil {
			return err
		}
	}
	return t.schedule().plan()
}

// Reminders: a run of at least so many days is worth one, at the hour at which
// the person usually answers or, while too little is known, in the evening.
const (
	worthReminding = 2
	usualFrom      = 5 // answers
	eveningHour    = 20
)

// remind plans the reminder of a private daily that went out.
func (s *scheduling) remind(d Date) error {
	loc := zoneOf(s.space.Zone)
	hh, mm, err := s.usualTime(loc)
	if err != nil {
		return err
	}
	at, ok := d.At(hh, mm, loc)
	if !ok || at.Before(s.now.Add(time.Hour)) {
		if at, ok = d.At(eveningHour, 0, loc); !ok || at.Before(s.now.Add(time.Hour)) {
			return nil
		}
	}
	return putWord(s.tx, at, jobRemind, s.id, dateKey(d), job{Date: d})
}

// usualTime is the middle one of the times of day of the newest answers.
func (s *scheduling) usualTime(loc *time.Location) (hh, mm int, err error) {
	var owner person
	if _, err := get(s.tx, keyMe(s.space.Owner), &owner); err != nil {
		return 0, 0, err
	}
	from := uint32(0)
	if owner.Answers > 30 {
		from = owner.Answers - 30
	}
	_, end := prefixRange(keyPerson(s.space.Owner, "answer/"))
	recs, err := s.tx.Scan(keyAnswer(s.space.Owner, from), end, 30)
	if err != nil || len(recs) < usualFrom {
		return eveningHour, 0, err
	}
	var minutes []int
	for _, r := range recs {
		var a answer
		if _, err := decode(r.Value, &a); err != nil {
			return 0, 0, err
		}
		at := time.UnixMilli(a.At).In(loc)
		minutes = append(minutes, at.Hour()*60+at.Minute())
	}
	slices.Sort(minutes)
	m := minutes[len(minutes)/2]
	return m / 60, m % 60, nil
}

// reminder is said when the day's question is still open and a streak hangs on
// it.
func (s *scheduling) reminder(j job, o occurrence) (*Message, error) {
	owner := s.space.Owner
	var p person
	if _, err := get(s.tx, keyMe(owner), &p); err != nil || s.space.State != stateOn || p.rests(j.Date) {
		return nil, err
	}
	vals, err := s.tx.Get(keyDay(owner, j.Date))
	if err != nil || vals[0] != nil { // kept, here or elsewhere
		return nil, err
	}
	days := storedDiary{s.tx, owner}
	missed, err := p.missed(p.Streak.Last+1, j.Date, func(o posting) bool { return o.closed }, days)
	if err != nil || p.Streak.Current < worthReminding || len(missed) > p.Streak.Freezes || o.Token == "" {
		return nil, err
	}
	c := s.e.in(s.space.Lang)
	m := &Message{Title: c.say(wRemindTitle, "n", p.Streak.Current), Text: c.text(wRemind)}
	m.Buttons = [][]Button{{{Label: c.say(wDailyButton), Action: "daily"}, {Label: c.say(wDailyOff), Action: verbMy + " daily off"}}}
	return m, nil
}
