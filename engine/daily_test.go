package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/engine"
)

// The first answer stands, whatever is pressed after it and wherever.
func TestFirstAnswerStands(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	first := c.press("ben", "g", m, "m1", "B").Whisper
	c.wants(first, "1 day")
	again := c.press("ben", "g", m, "m1", "C").Whisper
	c.wants(again, "Your first answer counts: B", first.Title)
	own := c.types("ben", "g", "daily").Whisper
	c.wants(own, first.Title)
	c.wants(c.types("ben", "g", "stats").Whisper, "1 answer,")
	c.until(monday.Add(25 * time.Hour))
	reveal := c.posts.edits["m1"]
	c.wants(&reveal, "1 answer")
}

// A button works only where it was made, and only before the reveal.
func TestVotesElsewhereOrTooLateDoNotCount(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.wants(c.press("ben", "other", m, "m1", "A").Whisper, "belongs elsewhere")
	c.until(monday.Add(25 * time.Hour))
	c.wants(c.press("ben", "g", m, "m1", "A").Whisper, "closed")
	c.wants(c.types("ben", "g", "stats").Whisper, "Nothing to show")
}

// A forged press cannot send a server's posts to another place.
func TestForgedPressCannotChooseAChannel(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	here := form.Buttons[len(form.Buttons)-1][0].Action
	in := c.input("admin", "g")
	words := strings.Fields(here)
	in.On, in.Verb, in.Args = "w1", words[0], append(words[1:len(words)-1], "elsewhere")
	c.wants(c.do(in).Whisper, "another server")
	in.Verb, in.Args = "setup", []string{"channel=elsewhere"}
	c.wants(c.do(in).Whisper, "another server")
	c.until(monday.Add(time.Hour))
	if to := c.posts.sent[0].To.Chat; to != "g" {
		t.Errorf("posted to %q", to)
	}
}

// Every press of an admin's button asks for the right again.
func TestAdminRightIsCheckedOnEveryPress(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	for _, row := range form.Buttons {
		for _, b := range row {
			r := c.press("ben", "g", form, "w1", b.Label)
			c.wants(r.Whisper, "people who manage")
			c.now = c.now.Add(time.Minute)
		}
	}
	c.wants(c.press("admin", "elsewhere", form, "w1", "Time").Whisper, "another server")
}

func TestServerStreakNeedsItsQuorum(t *testing.T) {
	c := newChat(t)
	m := c.daily("g", "quorum=2")
	c.press("ann", "g", m, "m1", "A")
	c.press("ann", "g", m, "m1", "B") // the same person twice is one
	c.wants(c.types("ann", "g", "streak").Whisper, "This server: 0 days", "2 members")
	c.press("ben", "g", m, "m1", "A")
	c.wants(c.types("ann", "g", "streak").Whisper, "This server: 1 day")
	c.until(monday.Add(25 * time.Hour)) // Tuesday's
	c.wants(c.last(), "Server streak: 1 day")
	c.press("ann", "g", c.last(), "m2", "A")
	c.until(monday.Add(49 * time.Hour)) // Wednesday: Tuesday had one answer
	c.wants(c.types("ann", "g", "streak").Whisper, "This server: 0 days (longest 1)")
}

// Days without a post break no streak; a missed post that was there does.
func TestStreakFollowsThePosts(t *testing.T) {
	c := newChat(t)
	m := c.daily("g", "Mon-Fri")
	c.press("ann", "g", m, "m1", "A")
	for day := 1; day <= 7; day++ {
		c.until(monday.Add(time.Duration(day)*24*time.Hour + 2*time.Hour))
		if n := len(c.posts.sent); n > 1 && day != 5 && day != 6 {
			c.press("ann", "g", c.last(), engine.Ref(fmt.Sprint("m", n)), "A")
		}
	}
	// Monday to Friday, and Monday again: the weekend had no challenge.
	c.wants(c.types("ann", "g", "streak").Whisper, "6 days in a row", "This server: 6 days")
	c.until(monday.Add(10*24*time.Hour + 2*time.Hour)) // Thursday; Tuesday and Wednesday missed
	c.wants(c.types("ann", "g", "streak").Whisper, "No streak", "Your longest was 6 days")
}

// The bot's own absence breaks no streak.
func TestDowntimeBreaksNoStreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat(t)
		c.now = time.Now()
		run := func(d time.Duration) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": c.posts}) }()
			time.Sleep(d)
			cancel()
			<-done
			c.now = time.Now()
		}
		c.types("admin", "g", "setup 09:00")
		run(10 * time.Hour)
		c.press("ann", "g", c.last(), "m1", "A")
		time.Sleep(4 * 24 * time.Hour) // down: three dates go by, and the post of the fourth
		run(time.Minute)
		if len(c.posts.sent) != 2 {
			t.Fatalf("%d posts, want 2", len(c.posts.sent))
		}
		c.wants(c.last(), "Posted late", "Server streak: 1 day")
		c.wants(c.press("ann", "g", c.last(), "m2", "A").Whisper, "2 days in a row")
		c.wants(c.types("ann", "g", "streak").Whisper, "This server: 2 days")
	})
}

// A private daily needs no schedule and no admin.
func TestPrivateDaily(t *testing.T) {
	c := newChat(t)
	m := c.types("dora", "", "daily").Whisper
	verdict := c.press("dora", "", m, "w1", "A").Replace
	c.wants(verdict, "1 day")
	c.wants(c.types("dora", "", "daily").Whisper, verdict.Title)
	c.until(monday.Add(24 * time.Hour))
	c.wants(c.press("dora", "", m, "w1", "B").Replace, verdict.Title)
	next := c.types("dora", "", "daily").Whisper
	c.wants(c.press("dora", "", next, "w2", "A").Replace, "2 days")
	c.until(monday.Add(3 * 24 * time.Hour))
	c.wants(c.types("dora", "", "streak").Whisper, "Your longest was 2 days")
}

// Nobody sees or answers another person's test.
func TestTestsAreTheirOwners(t *testing.T) {
	c := newChat(t)
	m := c.types("ann", "", "test tokenization").Whisper
	c.wants(c.press("ben", "", m, "w1", "A").Whisper, "another test")
	c.wants(c.types("ben", "", "stats").Whisper, "Nothing to show")
}

// A doubled press, and a press of an old button, change nothing.
func TestDoubledPressesOfATest(t *testing.T) {
	c := newChat(t)
	q := c.types("ann", "", "test tokenization").Whisper
	v := c.press("ann", "", q, "w1", "A").Replace
	same := c.press("ann", "", q, "w1", "B").Replace
	if same.Title != v.Title {
		t.Errorf("the second press changed the verdict from %q to %q", v.Title, same.Title)
	}
	second := c.press("ann", "", v, "w1", "Next ▶").Replace
	again := c.press("ann", "", v, "w1", "Next ▶").Replace
	if second.Text.String() != again.Text.String() || second.Title != again.Title {
		t.Errorf("a doubled Next went on twice: %q, then %q", second.Title, again.Title)
	}
	c.wants(c.types("ann", "", "stats").Whisper, "1 answer,")
}

func TestLimitIsKindAndRefills(t *testing.T) {
	c := newChat(t)
	limited := 0
	for range 25 {
		in := c.input("ann", "")
		in.Verb, in.At = "help", monday
		r, err := c.e.Handle(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if r.Whisper.Title == "" {
			limited++
			c.wants(r.Whisper, "Try again in 3 seconds")
		}
	}
	if limited != 5 {
		t.Errorf("%d of 25 at once were limited, want 5", limited)
	}
	c.now = monday.Add(time.Minute)
	c.wants(c.types("ann", "", "help").Whisper, "Commands")
}
