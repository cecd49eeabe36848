package engine

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// scheduling is one space's calendar inside one transaction. Commands and
// RunSchedule share it, so that every rule about dates stands here once.
type scheduling struct {
	e     *Engine
	tx    Tx
	id    ID
	space *space
	now   time.Time
	put   *bool // set when a job was put

	picked *picked // the choice, if it was made before the transaction
}

// chooseAhead is how long before its post a challenge is chosen.
const chooseAhead = time.Hour

// next returns the first date after s.space.Last whose instant lies after t.
func (s *scheduling) next(t time.Time) (Date, time.Time, bool) {
	days := s.upcoming(t, 1)
	if len(days) == 0 {
		return 0, time.Time{}, false
	}
	return days[0].date, days[0].at, true
}

// slot is a date and the instant at which its challenge is due.
type slot struct {
	date Date
	at   time.Time
}

// upcoming lists the next n slots after t.
func (s *scheduling) upcoming(t time.Time, n int) []slot {
	loc := zoneOf(s.space.Zone)
	var found []slot
	first := max(DateOf(t, loc), s.space.Last+1, s.space.Until+1)
	for d := first; d < first+400 && len(found) < n; d++ {
		if !s.space.Days.Has(d) {
			continue
		}
		if at, ok := d.At(s.space.Hour, s.space.Minute, loc); ok && at.After(t) {
			found = append(found, slot{d, at})
		}
	}
	return found
}

// putJob stores a job and, when it is the space's pending post, its key.
func (s *scheduling) putJob(due time.Time, j job) error {
	if due.Before(s.now) {
		due = s.now
	}
	key := keyJob(due, j.Kind, string(s.id)+"/"+dateKey(j.Date))
	if j.Kind != jobReveal {
		s.space.Job = key
	}
	if s.put != nil {
		*s.put = true
	}
	return put(s.tx, key, j)
}

// heal forgets dates that lie in the future: they come from a clock that was
// wrong for a while. What the store knows of today decides whether today's was
// posted.
func (s *scheduling) heal() error {
	today := DateOf(s.now, zoneOf(s.space.Zone))
	if s.space.Last <= today+1 && s.space.Posted <= today+1 {
		return nil
	}
	last := today - 1
	for d := today; d <= today+1; d++ {
		var o occurrence
		if _, err := get(s.tx, keyOcc(s.id, d), &o); err != nil {
			return err
		}
		if o.State == occPosted || o.State == occClosed {
			last = d
		}
	}
	s.space.Last, s.space.Posted = last, last
	if s.space.Open > today+1 {
		s.space.Open = 0
	}
	return nil
}

// save writes the space.
func (s *scheduling) save() error { return put(s.tx, keySpace(s.id), *s.space) }

// posts reports whether the next challenge is tried. Where the bot was forbidden
// to write it tries again at the usual time: nobody tells it of a right that
// was given back.
func (s *space) posts() bool {
	return s.State == stateOn || s.State == stateSuspended && s.Why == Forbidden.String() && !s.Place.Private()
}

// ownerRests reports whether a private daily falls on a day off.
func (s *scheduling) ownerRests(d Date) (bool, error) {
	if s.space.Owner == "" {
		return false, nil
	}
	var p person
	_, err := get(s.tx, keyMe(s.space.Owner), &p)
	return p.rests(d), err
}

// plan puts the job that will choose the next challenge and saves the space.
func (s *scheduling) plan() error { return s.planFrom(s.now) }

// planFrom plans the first challenge that is due after t, which may be past.
func (s *scheduling) planFrom(t time.Time) error {
	s.space.Job = nil
	if s.space.posts() {
		if d, at, ok := s.next(t); ok {
			j := job{Kind: jobChoose, Space: s.id, Date: d, Due: at.Unix()}
			if err := s.putJob(at.Add(-chooseAhead), j); err != nil {
				return err
			}
		}
	}
	return s.save()
}

// replan forgets the pending challenge and plans anew with the space's present
// settings. A post that is being sent, or may have been, is left to finish.
func (s *scheduling) replan() error {
	if err := s.heal(); err != nil {
		return err
	}
	from := s.now
	dropped, busy, err := s.forget()
	if err != nil {
		return err
	}
	if busy {
		return s.save()
	}
	// A post that was due and had not gone out yet stays due.
	if due := time.Unix(dropped.Due, 0); dropped.Kind != "" && !due.After(s.now) && !s.tooLate(dropped) {
		from = due.Add(-time.Second)
	}
	return s.planFrom(from)
}

// forget drops the pending job and what it has chosen, and returns it; busy
// means that the post is already under way.
func (s *scheduling) forget() (dropped job, busy bool, err error) {
	if s.space.Job == nil {
		return job{}, false, nil
	}
	var j job
	found, err := get(s.tx, s.space.Job, &j)
	if err != nil {
		return job{}, false, err
	}
	if found && j.State != "" {
		return job{}, true, nil
	}
	if found && j.Kind == jobPost {
		if err := s.unchoose(j.Date); err != nil {
			return job{}, false, err
		}
	}
	if err := s.tx.Delete(s.space.Job); err != nil {
		return job{}, false, fmt.Errorf("forget job: %w", err)
	}
	s.space.Job = nil
	return j, false, nil
}

func (s *scheduling) unchoose(d Date) error {
	var o occurrence
	found, err := get(s.tx, keyOcc(s.id, d), &o)
	if err != nil || !found || o.State != occChosen {
		return err
	}
	if err := s.tx.Delete(keyOcc(s.id, d)); err != nil {
		return fmt.Errorf("forget challenge: %w", err)
	}
	return s.tx.Delete(keyToken(o.Token))
}

// today posts the challenge of today's date now. It reports false when that
// date was posted already, or is being posted.
func (s *scheduling) today() (bool, error) {
	if err := s.heal(); err != nil {
		return false, err
	}
	d := DateOf(s.now, zoneOf(s.space.Zone))
	if s.space.Posted >= d {
		return false, nil
	}
	_, busy, err := s.forget()
	if err != nil || busy {
		return false, err
	}
	return true, s.choose(d, s.now)
}

// choose draws the challenge of a date, stores it rendered, and puts the job
// that posts it at the given instant.
func (s *scheduling) choose(d Date, at time.Time) error {
	var err error
	picked := s.picked
	if picked == nil || picked.item != nil && !slices.Contains(s.pool(), picked.item) { // chosen under other settings
		if picked, err = s.pickItem(d); err != nil {
			return err
		}
	}
	if picked.item == nil {
		s.space.Job = nil
		return errors.Join(s.shutOut(whyEmpty), s.save())
	}
	o := s.occurrence(picked, d)
	o.Due = at.Unix()
	if err := s.saveOccurrence(d, o); err != nil {
		return err
	}
	if err := s.putJob(at, job{Kind: jobPost, Space: s.id, Date: d, Due: at.Unix()}); err != nil {
		return err
	}
	return s.save()
}

// occurrence makes a chosen challenge.
func (s *scheduling) occurrence(p *picked, d Date) occurrence {
	item := p.item
	token := idFrom(mac(s.e.secret, "delivery", string(s.id), d.String()))
	o := occurrence{
		Token: token, Item: item.ID, Rev: item.Rev, State: occChosen, To: s.space.Place,
		Order: s.e.shuffle(item, "daily", string(token)), For: p.reason,
	}
	for _, k := range s.space.Peeks {
		if k.Item == item.ID {
			o.Peeked = append(o.Peeked, k.Who)
		}
	}
	return o
}

// saveOccurrence writes a challenge and what its buttons stand for.
func (s *scheduling) saveOccurrence(d Date, o occurrence) error {
	if err := put(s.tx, keyToken(o.Token), tokenFor{Space: s.id, Date: d}); err != nil {
		return err
	}
	if o.State == occPosted {
		if err := put(s.tx, keyUsed(s.id, o.Item), d); err != nil {
			return err
		}
	}
	return put(s.tx, keyOcc(s.id, d), o)
}

// sent records that the challenge of d stands in the chat: its message, when
// it closes, and the next one's job.
func (s *scheduling) sent(d Date, o *occurrence, ref Ref) error {
	if !slices.Contains(o.Refs, ref) {
		o.Refs = append(o.Refs, ref)
	}
	if o.State == occPosted || o.State == occClosed {
		return s.saveOccurrence(d, *o)
	}
	if d < s.space.Posted { // found long after: a newer one is out
		o.State = occClosed
		return s.saveOccurrence(d, *o)
	}
	mine, err := s.dropJobOf(d)
	if err != nil {
		return err
	}
	s.space.Last, s.space.Posted, s.space.Open = max(s.space.Last, d), d, d
	o.State, o.Posted, o.Message = occPosted, s.now.Unix(), nil
	if err := errors.Join(s.back(), s.putClose(d, o)); err != nil {
		return err
	}
	if err := s.saveOccurrence(d, *o); err != nil {
		return err
	}
	if !mine {
		return s.save()
	}
	return s.plan()
}

// putClose decides when a challenge closes, and what then happens. In a private
// chat the verdict has taken the question's place, so nothing is revealed; what
// may come is a reminder.
func (s *scheduling) putClose(d Date, o *occurrence) error {
	if s.space.Place.Private() {
		end, _ := (d + 1).At(0, 0, zoneOf(s.space.Zone))
		o.Closes = end.Add(grace).Unix()
		return s.remind(d)
	}
	closes := s.now.Add(24 * time.Hour)
	if _, at, ok := s.next(s.now); ok && at.Before(closes) {
		closes = at
	}
	o.Closes = closes.Unix()
	return s.putJob(closes, job{Kind: jobReveal, Space: s.id, Date: d, Due: o.Closes})
}

// dropJobOf deletes the pending job if it is about that date, or gone.
func (s *scheduling) dropJobOf(d Date) (bool, error) {
	if s.space.Job == nil {
		return true, nil
	}
	var j job
	found, err := get(s.tx, s.space.Job, &j)
	if err != nil || found && j.Date != d {
		return false, err
	}
	return true, s.tx.Delete(s.space.Job)
}

// missed records that the date's challenge was not posted, and plans on. It
// breaks no streak.
func (s *scheduling) missed(d Date, o occurrence) error {
	o.State, o.Message = occMissed, nil
	if err := put(s.tx, keyOcc(s.id, d), o); err != nil {
		return err
	}
	s.space.Last = max(s.space.Last, d)
	return s.planFrom(s.now.Add(-s.e.catchUp)) // today's may still be made up for
}

// close ends the answering of a date. A day without quorum ends the server's
// streak.
func (s *scheduling) close(d Date, o *occurrence) error {
	if o.State != occPosted {
		return nil
	}
	o.State = occClosed
	if err := put(s.tx, keyOcc(s.id, d), *o); err != nil {
		return err
	}
	var day spaceDay
	if _, err := get(s.tx, keySpaceDay(s.id, d), &day); err != nil {
		return err
	}
	if err := put(s.tx, keySpaceDay(s.id, d), day); err != nil {
		return err
	}
	if !day.Met && o.Excused == 0 {
		s.space.Streak.lapse()
	}
	if s.space.Open == d {
		s.space.Open = 0
	}
	return s.save()
}
