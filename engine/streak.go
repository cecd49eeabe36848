package engine

import (
	"fmt"
	"slices"
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

// longestGap is how many dates back a streak looks for the one kept before.
const longestGap = 62

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

// keep counts a date that was just kept, by an answer given at an instant
// (Unix seconds).
func (p *person) keep(d Date, at int64, days diary) error {
	stood := func(o posting) bool { return o.at+stoodFor <= at }
	s := &p.Streak
	switch {
	case s.Last == 0:
		s.Current, s.Last = 1, d
	case d > s.Last:
		missed, err := p.missed(s.Last+1, d, stood, days)
		if err != nil {
			return err
		}
		if missed {
			s.Current = 0
		}
		s.Current, s.Last = s.Current+1, d
	default: // an older date, still open elsewhere, may close a gap
		n, err := p.countBack(stood, days)
		if err != nil {
			return err
		}
		s.Current = n
	}
	s.Longest = max(s.Longest, s.Current)
	return nil
}

// missed reports whether any date in from <= d < to was one on which the
// person could have answered and did not: a date posted in a server they
// answer in, or, before they answered in any, every date.
func (p *person) missed(from, to Date, counts func(posting) bool, days diary) (bool, error) {
	if from >= to {
		return false, nil
	}
	if p.Joined == 0 || from < p.Joined {
		return true, nil
	}
	for _, m := range p.Spaces {
		list, err := days.postings(m.Space, max(from, m.Since, to-400), min(to, max(m.Last, m.Since)+staysFor))
		if err != nil {
			return false, err
		}
		for _, o := range list {
			if !counts(o) {
				continue
			}
			if kept, err := days.kept(o.date, o.date+1); err != nil || len(kept) == 0 {
				return true, err
			}
		}
	}
	return false, nil
}

// countBack counts kept days in a row up to the last.
func (p *person) countBack(counts func(posting) bool, days diary) (int, error) {
	n := 0
	for d := p.Streak.Last; ; n++ {
		before, err := days.kept(d-longestGap, d)
		if err != nil || len(before) == 0 {
			return n + 1, err
		}
		prev := before[len(before)-1]
		missed, err := p.missed(prev+1, d, counts, days)
		if err != nil || missed {
			return n + 1, err
		}
		d = prev
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
	missed, err := t.person.missed(s.Last+1, DateOf(t.in.At, t.zone()), closed, storedDiary{t.tx, t.id})
	if missed {
		s.Current = 0
	}
	return s, err
}

// storedDiary reads a diary from the records.
type storedDiary struct {
	tx Tx
	id ID
}

func (s storedDiary) kept(from, to Date) ([]Date, error) {
	recs, err := s.tx.Scan(keyDay(s.id, from), keyDay(s.id, to), longestGap)
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
		if o.Posted == 0 || o.State != occPosted && o.State != occClosed {
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
