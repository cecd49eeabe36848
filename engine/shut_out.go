package engine

import (
	"fmt"

	"aiprep/content"
)

// What becomes of a space when its place moves, is lost or is found again.

// moveTo gives the space a new address. A space that had grown there meanwhile
// stops posting: the older one, which has the streak, goes on.
func (s *scheduling) moveTo(to Place) error {
	key := keyPlace(s.e.secret, to)
	vals, err := s.tx.Get(key)
	if err != nil {
		return fmt.Errorf("move place: %w", err)
	}
	if there := ID(vals[0]); there != "" && there != s.id {
		other := space{}
		if _, err := get(s.tx, keySpace(there), &other); err != nil {
			return err
		}
		if err := (&scheduling{e: s.e, tx: s.tx, id: there, space: &other, now: s.now}).suspend(whyRemoved); err != nil {
			return err
		}
	}
	s.space.Place = to
	if err := s.tx.Put(key, []byte(s.id)); err != nil {
		return fmt.Errorf("move place: %w", err)
	}
	return nil
}

// shutOut notes that the bot may not post, and has an admin told the first time.
// A private daily ends.
func (s *scheduling) shutOut(why string) error {
	if s.space.Place.Private() {
		s.space.State = ""
		return nil
	}
	known := s.space.State == stateSuspended
	if s.space.State, s.space.Why = stateSuspended, why; known {
		return nil
	}
	return s.tellAdmin(func(c *catalogue) content.Text { return c.text(wAdminSuspended, "why", c.whySuspended(why)) })
}

// back notes that posting works again.
func (s *scheduling) back() error {
	if s.space.State != stateSuspended {
		return nil
	}
	s.space.State, s.space.Why = stateOn, ""
	return s.tellAdmin(func(c *catalogue) content.Text { return c.text(wAdminBack) })
}

// suspend stops posting until the bot may post again; everything is kept.
func (s *scheduling) suspend(why string) error {
	if _, _, err := s.forget(); err != nil {
		return err
	}
	s.space.State, s.space.Why = stateSuspended, why
	return s.save()
}

// whySuspended says in words why a server's daily stopped.
func (c *catalogue) whySuspended(why string) string {
	switch why {
	case whyRemoved:
		return c.say(wWhyRemoved)
	case whyEmpty:
		return c.say(wWhyEmpty)
	case whyBlocked:
		return c.say(wBlocked)
	case Gone.String():
		return c.say(wWhyGone)
	}
	return c.say(wWhyForbidden)
}
