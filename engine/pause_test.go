package engine_test

import (
	"testing"
	"time"
)

// A pause of some days ends by itself, and no streak with it; changing a
// setting does not end it, pressing Turn on does.
func TestAPauseOfSomeDays(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ann", "g", m, "m1", "A")
	c.wants(c.types("admin", "g", "pause days=3").Whisper, "nothing until Wed 7 Jan is over", "Thu 8 Jan 09:00")
	c.wants(c.types("admin", "g", "setup time=10:00").Whisper, "nothing until Wed 7 Jan", "Thu 8 Jan 10:00")
	c.until(monday.Add((2*24 + 12) * time.Hour))
	if n := len(c.posts.sent); n != 1 {
		t.Errorf("%d posts during the pause, want 1", n)
	}
	c.until(monday.Add((3*24 + 3) * time.Hour))
	if n := len(c.posts.sent); n != 2 {
		t.Fatalf("%d posts after the pause, want 2", n)
	}
	c.wants(c.press("ann", "g", c.last(), "m2", "A").Whisper, "2 days in a row")
	c.wants(c.types("admin", "g", "pause days=0").Whisper, "1 to 365")
	c.wants(c.types("admin", "g", "pause 5").Whisper, "nothing until Mon 12 Jan")
	c.wants(c.types("admin", "g", "resume").Whisper, "challenge: on", "Fri 9 Jan")
	c.sound()
}

// Skipping leaves out one date, also when its challenge was chosen already.
func TestSkipLeavesOutOne(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.until(monday.Add(24*time.Hour + 30*time.Minute)) // half an hour before the post
	form := c.types("admin", "g", "skip").Whisper
	c.wants(form, "nothing until Tue 6 Jan is over", "Wed 7 Jan 09:00")
	c.until(monday.Add((24 + 12) * time.Hour))
	if n := len(c.posts.sent); n != 1 {
		t.Errorf("%d posts, want 1: the second was to be skipped", n)
	}
	c.until(monday.Add((48 + 2) * time.Hour))
	if n := len(c.posts.sent); n != 2 {
		t.Errorf("%d posts, want 2", n)
	}
	c.wants(c.types("ann", "g", "skip").Whisper, "people who manage this server")
	c.wants(c.types("admin", "h", "skip").Whisper, "No daily challenge runs here")
}
