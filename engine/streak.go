package engine

import (
	"fmt"
	"slices"
	"time"
)

// A streak counts kept dates in a row. What it counts hangs on facts alone: the
// answers in their order and when each challenge was posted. The turn that
// keeps a date and the rebuild that goes over all of them again share the rule,
// and differ in where they read.

// stoodFor is how many seconds a challenge must have been out before an answer
// to a later date makes it a missed one. Posts and answers are recorded seconds
// after they happened and in whatever order; with this between them, whoever
// looks later sees what was seen then.
const stoodFor = 10 * 60

// endOfDays lies after every date that is kept: in the year 2243.
const endOfDays Date = 100_000

// keptPage is how many kept dates are read at once.
const keptPage = 100

// membership is a server that a person answers in, since a challenge date:
// what was posted there before does not concern them.
// Who has not answered there for two weeks may have left, which no platform
// tells: what is posted after that does not concern them either, until they
// answer again.
type membership struct {
	Space ID   `cbor:"1,keyasint"`
	Since Date `cbor:"2,keyasint,omitempty"`
	Last  Date `cbor:"3,keyasint,omitempty"` // newest date answered there
}

// staysFor is how many dates after the last answer a membership lasts.
const staysFor = 14

// posting is one challenge as a streak sees it.
type posting struct {
	date   Date
	at     int64 // when it was posted, Unix seconds
	closed bool
}

// diary is where a streak's facts are read.
type diary interface {
	// kept returns the kept dates in from <= d < to, ascending.
	kept(from, to Date) ([]Date, error)
	// postings returns the challenges that were posted in a space for the
	// dates in from <= d < to, ascending.
	postings(space ID, from, to Date) ([]posting, error)
}

// remember notes that the person answers in this server.
func (p *person) remember(space ID, d Date) {
	m := membership{Space: space, Since: d, Last: d}
	is := func(o membership) bool { return o.Space == space }
	if i := slices.IndexFunc(p.Spaces, is); i >= 0 {
		m.Since, m.Last = min(m.Since, p.Spaces[i].Since), max(m.Last, p.Spaces[i].Last)
		p.Spaces = slices.Delete(p.Spaces, i, i+1)
	}
	p.Spaces = slices.Insert(p.Spaces, 0, m)
	p.Spaces = p.Spaces[:min(len(p.Spaces), 8)]
	if p.Joined == 0 || d < p.Joined {
		p.Joined = d
	}
}

// Freezes: one is earned with every seventh kept day of a run, at most two are
// held, and each saves one missed date by itself. A date that no freeze saves
// ends the run, and the next begins without any.
const (
	freezeEvery = 7
	freezesHeld = 2
)

// grow counts one more kept date, after so many missed ones. It is the rule
// for people and for servers.
func (s *streak) grow(d Date, missed int) {
	s.Froze = 0
	if missed > s.Freezes {
		s.Current, s.Freezes = 0, 0
	} else {
		s.Freezes, s.Froze = s.Freezes-missed, missed
	}
	s.Current, s.Last = s.Current+1, d
	s.Longest = max(s.Longest, s.Current)
	if s.Earned = s.Current%freezeEvery == 0 && s.Freezes < freezesHeld; s.Earned {
		s.Freezes++
	}
}

// lapse counts a server's date without its quorum: a freeze that all share
// saves it, or the run is over.
func (s *streak) lapse() {
	if s.Freezes == 0 {
		s.Current = 0
		return
	}
	s.Freezes--
}

// milestone reports whether a server celebrates this many days.
func milestone(n int) bool {
	return slices.Contains([]int{7, 30, 50, 100, 200, 365, 500, 1000}, n)
}

// keep counts a date that was just kept, by an answer given at an instant
// (Unix seconds).
func (p *person) keep(d Date, at int64, days diary) error {
	stood := func(o posting) bool { return o.at+stoodFor <= at }
	s := &p.Streak
	if d < s.Last { // an older date, still open elsewhere, may close a gap
		return p.recount(stood, days, nil)
	}
	missed := 0
	if s.Last != 0 {
		dates, err := p.missed(s.Last+1, d, stood, days)
		if err != nil {
			return err
		}
		missed = len(dates)
	}
	s.grow(d, missed)
	return nil
}

// missed lists the dates in from <= d < to, ascending, on which the person
// could have answered and did not: those posted in a server they answer in,
// or, before they answered in any, every date. Days of rest are none of them.
// It stops when there are more than freezes can save.
func (p *person) missed(from, to Date, counts func(posting) bool, days diary) ([]Date, error) {
	var dates []Date
	alone := to
	if p.Joined != 0 {
		alone = min(to, p.Joined)
	}
	for d := from; d < alone && len(dates) <= freezesHeld; d++ {
		if !p.rests(d) {
			dates = append(dates, d)
		}
	}
	if from >= to || p.Joined == 0 {
		return dates, nil
	}
	for _, m := range p.Spaces {
		list, err := days.postings(m.Space, max(from, m.Since, to-400), min(to, max(m.Last, m.Since)+staysFor))
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if len(dates) > freezesHeld {
				return dates, nil
			}
			if !counts(o) || p.rests(o.date) || slices.Contains(dates, o.date) {
				continue
			}
			kept, err := days.kept(o.date, o.date+1)
			if err != nil {
				return nil, err
			}
			if len(kept) == 0 {
				dates = append(dates, o.date)
			}
		}
	}
	slices.Sort(dates)
	return dates[:min(len(dates), freezesHeld+1)], nil
}

// recount counts the streak anew from the first kept date on. saved, if not
// nil, is told of every date that a freeze saved.
func (p *person) recount(counts func(posting) bool, days diary, saved func(Date)) error {
	s := streak{}
	for from := Date(0); ; {
		page, err := days.kept(from, endOfDays)
		if err != nil {
			return err
		}
		for _, d := range page {
			var dates []Date
			if s.Last != 0 {
				if dates, err = p.missed(s.Last+1, d, counts, days); err != nil {
					return err
				}
			}
			if saved != nil && len(dates) <= s.Freezes {
				for _, m := range dates {
					saved(m)
				}
			}
			s.grow(d, len(dates))
			from = d + 1
		}
		if len(page) == 0 {
			s.Longest = max(s.Longest, p.Streak.Longest) // it never falls
			p.Streak = s
			return nil
		}
	}
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
	if err := t.person.keep(d, t.in.At.Unix(), storedDiary{t.tx, t.id}); err != nil {
		return err
	}
	return t.savePerson()
}

// streakNow is the person's streak as of today: it is over when a date that
// has closed was missed.
func (t *turn) streakNow() (streak, error) {
	s := t.person.Streak
	if s.Last == 0 {
		return s, nil
	}
	closed := func(o posting) bool { return o.closed }
	missed, err := t.person.missed(s.Last+1, t.openSince(), closed, storedDiary{t.tx, t.id})
	if n := len(missed); n > s.Freezes {
		s.Current, s.Freezes = 0, 0
	} else {
		s.Freezes -= n
	}
	return s, err
}

// grace is how long after midnight a private daily can still be answered.
const grace = 3 * time.Hour

// openSince is the first date that can still be answered in private.
func (t *turn) openSince() Date { return DateOf(t.in.At.Add(-grace), t.zone()) }

// storedDiary reads a diary from the records.
type storedDiary struct {
	tx Tx
	id ID
}

func (s storedDiary) kept(from, to Date) ([]Date, error) {
	recs, err := s.tx.Scan(keyDay(s.id, from), keyDay(s.id, to), keptPage)
	if err != nil {
		return nil, fmt.Errorf("read kept days: %w", err)
	}
	dates := make([]Date, len(recs))
	for n, r := range recs {
		if dates[n], err = parseDateKey(r.Key); err != nil {
			return nil, err
		}
	}
	return dates, nil
}

func (s storedDiary) postings(space ID, from, to Date) ([]posting, error) {
	recs, err := s.tx.Scan(keyOcc(space, from), keyOcc(space, to), 400)
	if err != nil {
		return nil, fmt.Errorf("look for missed days: %w", err)
	}
	return postingsOf(recs)
}

// postingsOf keeps the challenges that reached people. One that was found in
// the chat only after a newer one was out has no time, and nobody could answer.
func postingsOf(recs []Record) ([]posting, error) {
	var list []posting
	for _, r := range recs {
		var o occurrence
		if _, err := decode(r.Value, &o); err != nil {
			return nil, err
		}
		if o.Posted == 0 || o.Excused != 0 || o.State != occPosted && o.State != occClosed {
			continue
		}
		d, err := parseDateKey(r.Key)
		if err != nil {
			return nil, err
		}
		list = append(list, posting{date: d, at: o.Posted, closed: o.State == occClosed})
	}
	return list, nil
}
