package engine_test

import (
	"fmt"
	"testing"
	"time"

	"aiprep/engine"
)

// What a server posted before somebody answered there for the first time does
// not end their streak.
func TestStreakDoesNotAskForWhatWasBeforeJoining(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00 Mon-Fri")
	c.types("admin", "h", "setup 12:00")
	c.until(monday.Add(5 * 24 * time.Hour)) // Saturday
	newest := 0
	for n, d := range c.posts.sent {
		if d.To.Server == "g" {
			newest = n
		}
	}
	c.press("ann", "g", &c.posts.sent[newest].Message, engine.Ref(fmt.Sprint("m", newest+1)), "A")
	c.until(monday.Add(7*24*time.Hour + 5*time.Hour)) // Monday; h posted on both days between
	m, ref := c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	c.wants(c.press("ann", "h", m, ref, "A").Whisper, "2 days in a row")
	c.until(monday.Add(9*24*time.Hour + 5*time.Hour)) // Wednesday; Tuesday's of h was hers to answer
	m, ref = c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	c.wants(c.press("ann", "h", m, ref, "A").Whisper, "1 day")
}

// For somebody who plays in private only, every date counts, and joining a
// server later does not fill the gap before.
func TestStreakInPrivateNeedsEveryDate(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00 Mon-Fri")
	answer := func(want string) {
		t.Helper()
		c.wants(c.press("ann", "", c.types("ann", "", "daily").Whisper, "w1", "A").Replace, want)
	}
	answer("1 day")
	c.until(monday.Add(24 * time.Hour))
	answer("2 days in a row")
	c.until(monday.Add(3*24*time.Hour + 2*time.Hour)) // Wednesday is missing
	m, ref := c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	c.wants(c.press("ann", "g", m, ref, "A").Whisper, "1 day")
}
