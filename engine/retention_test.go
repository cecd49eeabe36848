package engine_test

import (
	"testing"
	"time"

	"aiprep/engine"
)

// retain looks for the silent every day of a week, as serve does, and reports
// what the last look erased.
func (c *chat) retain(at time.Time) (people, servers int) {
	c.Helper()
	for day := 7; day >= 0; day-- {
		var err error
		if people, servers, err = c.e.Retain(c.Context(), at.Add(-time.Duration(day)*24*time.Hour)); err != nil {
			c.Fatal(err)
		}
		if day > 0 && people+servers > 0 {
			c.Fatalf("%d days early %d people and %d servers are erased", day, people, servers)
		}
	}
	return people, servers
}

// Who is silent for two years is erased, and so is a lost server; who goes on,
// and a server that is posted in, stay, with their streaks right.
func TestTheSilentAreErased(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ann", "g", m, "m1", "A")
	c.press("ben", "g", m, "m1", "A")
	in := c.input("admin", "g")
	in.Verb, in.Event = "left", true
	c.do(in)
	edge := c.now.Add(24 * 30 * 24 * time.Hour)
	c.now = edge.Add(-10 * 24 * time.Hour)
	c.types("ben", "", "settings level=mid")
	if people, servers := c.retain(edge.Add(time.Hour)); people != 1 || servers != 1 {
		t.Errorf("erased: %d people, %d servers", people, servers)
	}
	c.now = edge.Add(2 * time.Hour)
	c.wants(c.types("ann", "", "export").Whisper, "I keep nothing about you")
	c.wants(c.types("ben", "", "stats").Whisper, "1 answer")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	for _, prefix := range []string{"s/", "mark/", "board/", "day/"} {
		if left := c.dump(prefix); left != "" {
			t.Errorf("of the server there is left:\n%s", left)
		}
	}
}

// A clock that jumps ahead makes nobody silent.
func TestAClockThatJumpsErasesNobody(t *testing.T) {
	c := newChat(t)
	c.press("ann", "g", c.daily("g"), "m1", "A")
	c.retain(c.now.Add(8 * 24 * time.Hour))
	if people, servers, err := c.e.Retain(t.Context(), c.now.Add(50*365*24*time.Hour)); people+servers != 0 || err != nil {
		t.Errorf("fifty years ahead: %d people, %d servers, %v", people, servers, err)
	}
	c.wants(c.types("ann", "", "stats").Whisper, "1 answer")
}

// A blocked person gets one line, a blocked server no posts, until they are let
// in again, also in a new process.
func TestBlocked(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	ann := engine.Blocked{Platform: "test", ID: "ann", At: c.now}
	g := engine.Blocked{Platform: "test", ID: "g", Server: true, At: c.now}
	for _, b := range []engine.Blocked{ann, g} {
		if err := c.e.Block(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	c.reopen()
	c.wants(c.types("ann", "", "test").Whisper, "has closed it here")
	c.wants(c.types("ben", "g", "daily").Whisper, "has closed it here")
	c.wants(c.types("admin", "g", "setup 10:00").Whisper, "has closed it here")
	c.wants(c.types("ben", "", "start").Whisper, "Ready for")
	in := c.input("admin", "g")
	in.Verb, in.Event = "joined", true
	c.do(in)
	c.until(monday.Add(72 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d posts in a blocked server", len(c.posts.sent)-1)
	}
	for _, b := range []engine.Blocked{ann, g} {
		b.At = c.now
		if err := c.e.Unblock(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if err := c.e.Unblock(t.Context(), b); err == nil {
			t.Error("unblocked twice")
		}
	}
	c.wants(c.types("ann", "", "test").Whisper, "Question 1 of 5")
	c.until(monday.Add(98 * time.Hour))
	if len(c.posts.sent) != 3 { // Thursday's and Friday's
		t.Errorf("%d posts after it was let in again", len(c.posts.sent)-1)
	}
}
