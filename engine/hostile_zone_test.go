package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/engine"
)

// Stale and in doubt, Discord answers the question with an error once: the
// message that is there is given up, and its buttons stay for ever.
func TestHostileStaleFindError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat(t)
		c.now = time.Now()
		c.posts.fail = []error{&engine.PostError{Kind: engine.Unknown}}
		c.types("admin", "g", "setup 09:00")
		f := &finder{platform: c.posts, says: []engine.Finding{engine.CannotTell, engine.Found}, receipt: engine.Receipt{Ref: "m1"}}
		run := func(d time.Duration) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": f}) }()
			time.Sleep(d)
			cancel()
			<-done
		}
		run(9*time.Hour + 5*time.Second) // posted at nine, arrived, in doubt; then away for seven hours
		time.Sleep(7 * time.Hour)
		run(20 * time.Hour)
		if _, ok := c.posts.edits["m1"]; !ok {
			t.Errorf("asked %d times: the message stands in the channel and is never revealed", f.asked)
		}
	})
}

// Two accounts, one chat: the daily of a paused server still reveals.
func TestHostilePauseWhileOpen(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.types("admin", "g", "pause")
	c.wants(c.press("ben", "g", m, "m1", "A").Whisper, "1 day")
	c.until(monday.Add(26 * time.Hour))
	r := c.posts.edits["m1"]
	c.wants(&r, "1 answer")
	c.types("admin", "g", "resume")
	c.until(monday.Add(50 * time.Hour))
	c.wants(c.types("ben", "g", "streak").Whisper, "1 day in a row", "This server: 1 day")
}

// Channel moved at noon: no second post of the date; the old one is revealed.
func TestHostileChannelMovedAtNoon(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.now = monday.Add(4 * time.Hour)
	c.types("admin", "g", "setup channel=c2")
	c.types("admin", "g", "setup 20:00")
	c.until(monday.Add(15 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d posts", len(c.posts.sent))
	}
	c.wants(c.press("ben", "g", m, "m1", "A").Whisper, "1 day")
	c.until(monday.Add(37 * time.Hour)) // Tuesday 21:00
	if len(c.posts.sent) != 2 || c.posts.sent[1].To.Chat != "c2" {
		t.Errorf("%d posts", len(c.posts.sent))
	}
	r := c.posts.edits["m1"]
	c.wants(&r, "1 answer")
}

// Zone changes around the date line never post a date twice or skip two.
func TestHostileZoneRoundTheWorld(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00 zone=Pacific/Kiritimati")
	zones := []string{"Pacific/Pago_Pago", "Pacific/Kiritimati", "UTC", "America/Los_Angeles", "Asia/Tokyo"}
	for k := range 40 {
		c.until(monday.Add(time.Duration(k*11) * time.Hour))
		c.types("admin", "g", "setup zone="+zones[k%len(zones)])
	}
	keys := map[string]int{}
	for _, d := range c.posts.sent {
		if keys[d.Key]++; keys[d.Key] > 1 {
			t.Errorf("twice")
		}
	}
	t.Logf("%d posts in %d days", len(c.posts.sent), 40*11/24)
}

// A restart with the store in every state around a post, with a second engine.
func TestHostileAwaitedLineAfterFailure(t *testing.T) {
	c := newChat(t)
	r := c.types("ann", "", "settings")
	r = c.press("ann", "", r.Whisper, "w", "Change time zone")
	if r.Ask == nil {
		t.Fatal("no prompt")
	}
	u := c.input("ann", "").From
	for _, line := range []string{"", " ", "nowhere", strings.Repeat("x", 10000), "a=b", "zone=Europe/Berlin", "\u202eBerlin"} {
		action, _, ok, err := c.e.Awaited(t.Context(), u, c.now)
		if err != nil || !ok {
			t.Fatalf("%q: no longer awaited (%v)", line, err)
		}
		w := strings.Fields(action)
		rr := c.raw("ann", "", "", append(w, line)...)
		if rr.Whisper == nil {
			t.Errorf("%q: %s", line, shown(rr))
		}
	}
	c.raw("ann", "", "", "my", "zone", "Europe/Berlin")
	if _, _, ok, _ := c.e.Awaited(t.Context(), u, c.now); ok {
		t.Error("still awaited")
	}
}
