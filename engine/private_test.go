package engine_test

import (
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// heard lists what went to a chat since a number of posts.
func (c *chat) heard(chat string, since int) (titles []string) {
	for _, d := range c.posts.sent[since:] {
		if d.To.Chat == chat {
			titles = append(titles, d.Message.Title)
		}
	}
	return titles
}

// A private daily comes at the person's time, in their zone, on no day off, and
// until they stop it.
func TestThePrivateDaily(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("ann", "g", "settings daily=07:30").Whisper, "Open a private chat")
	c.types("ann", "", "settings zone=Asia/Tokyo rest=Wed")
	c.wants(c.types("ann", "", "settings daily=07:30").Whisper, "Private daily: 07:30")
	c.wants(c.types("ann", "g", "settings").Whisper, "Private daily: 07:30")
	c.until(monday.Add(24 * time.Hour)) // Tuesday 17:00 in Tokyo
	m := c.last()
	if got := c.heard("ann", 0); len(got) != 1 || !strings.Contains(got[0], "Daily challenge") {
		t.Fatalf("by Tuesday ann heard %q", got)
	}
	r := c.press("ann", "", m, "w", "A")
	c.wants(r.Replace, "a streak begins")
	c.until(monday.Add(48 * time.Hour)) // Wednesday is a day off
	if got := c.heard("ann", 0); len(got) != 1 {
		t.Errorf("on the day off ann heard %q", got)
	}
	c.until(monday.Add(72 * time.Hour))
	if got := c.heard("ann", 0); len(got) != 2 {
		t.Errorf("on Thursday ann had heard %q", got)
	}
	c.wants(c.types("ann", "", "settings").Whisper, "Private daily: 07:30")
	c.press("ann", "", c.types("ann", "", "settings").Whisper, "w", "Stop the daily")
	n := len(c.posts.sent)
	c.until(monday.Add(24 * 7 * time.Hour))
	if got := c.heard("ann", n); len(got) != 0 {
		t.Errorf("after it was stopped ann hears %q", got)
	}
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
}

// Who does not wait for the private daily gets it early, and not again.
func TestThePrivateDailyTakenEarly(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings daily=09:00")
	c.until(monday.Add(30 * time.Minute)) // chosen, not posted
	m := c.types("ann", "", "daily").Whisper
	c.wants(c.press("ann", "", m, "w", "A").Replace, "a streak begins")
	c.until(monday.Add(23 * time.Hour))
	if got := c.heard("ann", 0); len(got) != 0 {
		t.Errorf("ann hears %q", got)
	}
	c.until(monday.Add(26 * time.Hour))
	if got := c.heard("ann", 0); len(got) != 1 {
		t.Errorf("the next day ann heard %q", got)
	}
}

// A reminder comes when a streak hangs on the day, at the hour at which the
// person usually answers, and never when the day is kept.
func TestTheReminder(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings daily=09:00")
	for day := range 5 {
		c.until(monday.Add(time.Duration(day)*24*time.Hour + 6*time.Hour)) // 14:00
		c.press("ann", "", c.last(), "w", "A")
	}
	if got := c.heard("ann", 0); len(got) != 5 {
		t.Fatalf("ann heard %q", got)
	}
	n := len(c.posts.sent)
	c.until(monday.Add(5*24*time.Hour + 5*time.Hour + 50*time.Minute))
	if got := c.heard("ann", n); len(got) != 1 {
		t.Fatalf("before her usual hour ann heard %q", got)
	}
	c.until(monday.Add(5*24*time.Hour + 7*time.Hour))
	got := c.heard("ann", n)
	if len(got) != 2 || !strings.Contains(got[1], "5 days in a row, and today's question is open") {
		t.Fatalf("at her usual hour ann heard %q", got)
	}
	c.wants(c.press("ann", "", c.last(), "w", "Daily").Replace, "Daily challenge")
	c.until(monday.Add(9 * 24 * time.Hour)) // the streak is over: no reminder of it
	for _, title := range c.heard("ann", n+2) {
		if strings.Contains(title, "in a row") {
			t.Errorf("a lost streak is spoken of: %q", title)
		}
	}
}

// Who blocks the bot has ended the private daily, and is not written to when
// they come back until they ask.
func TestWhoBlocksTheBotIsUnsubscribed(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings daily=09:00")
	c.posts.fail = []error{&engine.PostError{Kind: engine.Forbidden}}
	c.until(monday.Add(50 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d attempts", len(c.posts.sent))
	}
	in := c.input("ann", "")
	in.Verb, in.Event = "joined", true
	c.do(in)
	c.until(monday.Add(75 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d attempts after she unblocked it", len(c.posts.sent))
	}
	c.types("ann", "", "settings daily=09:00")
	in.Verb = "left"
	c.do(in)
	c.until(monday.Add(100 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d attempts after she blocked it", len(c.posts.sent))
	}
}

// Nothing goes to somebody who was erased.
func TestAnErasedPersonHearsNothing(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings daily=09:00")
	c.until(monday.Add(2 * time.Hour))
	c.press("ann", "", c.types("ann", "", "erase").Whisper, "w", "Erase everything")
	n := len(c.posts.sent)
	c.until(monday.Add(72 * time.Hour))
	if len(c.posts.sent) != n {
		t.Errorf("went out: %+v", c.posts.sent[n:])
	}
	for _, prefix := range []string{"p/", "s/", "job/", "token/"} {
		if left := c.dump(prefix); left != "" {
			t.Errorf("left:\n%s", left)
		}
	}
}
