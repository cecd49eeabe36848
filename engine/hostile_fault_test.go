package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/engine"
	"aiprep/engine/seal"
	"aiprep/engine/storetest"
)

// nth fails the nth Update; committed says that it was written all the same.
type nth struct {
	engine.Store
	at, n     int
	committed bool
}

func (f *nth) Update(ctx context.Context, fn func(engine.Tx) error) error {
	f.n++
	if f.n == f.at {
		if f.committed {
			if err := f.Store.Update(ctx, fn); err != nil {
				return err
			}
		}
		return errors.New("disk full")
	}
	return f.Store.Update(ctx, fn)
}

// history is a platform that knows exactly what arrived.
type history struct{ *platform }

func (h *history) Find(_ context.Context, d engine.Delivery) (engine.Receipt, engine.Finding, error) {
	for n, s := range h.sent {
		if s.Key == d.Key {
			return engine.Receipt{Ref: engine.Ref(fmt.Sprint("m", n+1))}, engine.Found, nil
		}
	}
	return engine.Receipt{}, engine.Absent, nil
}

// Every single Update of two days fails once; what comes of it is compared.
func TestHostileEveryUpdateFailsOnce(t *testing.T) {
	synctest.Test(t, everyUpdateFailsOnce) // the pauses between tries cost nothing there
}

func everyUpdateFailsOnce(t *testing.T) {
	for _, finds := range []bool{false, true} {
		for _, committed := range []bool{false, true} {
			for k := 1; k < 40; k++ {
				s := &nth{Store: storetest.Memory()}
				c := newChatOn(t, s)
				c.types("admin", "g", "setup 09:00")
				var p engine.Poster = c.posts
				if finds {
					p = &history{c.posts}
				}
				s.at, s.n, s.committed = k, 0, committed
				for range 20 {
					err := c.e.Advance(c.Context(), map[string]engine.Poster{"test": p}, monday.Add(50*time.Hour))
					if err == nil {
						break
					}
				}
				if s.n < k {
					break
				}
				keys := map[string]int{}
				for _, d := range c.posts.sent {
					keys[d.Key]++
				}
				c.now = monday.Add(50 * time.Hour)
				if len(c.posts.sent) != 3 || len(keys) != 3 || len(c.posts.edits) != 2 {
					t.Errorf("finder %v, committed %v, update %d fails: %d posts of %d dates, %d reveals", finds, committed, k, len(c.posts.sent), len(keys), len(c.posts.edits))
				}
			}
		}
	}
}

// The clock was wrong (ten years ahead) for a minute and is right again.
func TestHostileClockAheadForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat(t)
		c.now = time.Now()
		began := c.now
		c.types("admin", "g", "setup 09:00")
		time.Sleep(3652*24*time.Hour + 10*time.Hour) // the schedule starts with a wrong clock
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": c.posts}) }()
		time.Sleep(time.Minute)
		cancel()
		<-done
		n := len(c.posts.sent)
		c.now = began.Add(time.Hour)
		c.types("admin", "g", "setup 10:00") // an admin tries to mend it
		c.until(began.Add(400 * 24 * time.Hour))
		if len(c.posts.sent) == n {
			t.Errorf("%d post while the clock was wrong, none in the 400 days after it was right again", n)
		}
		form := c.types("admin", "g", "setup").Whisper
		t.Log(form.Text.String())
		r := c.raw("admin", "g", "w", "set", action(form, "Time")[1], "now")
		if strings.Contains(shown(r), "already posted") {
			t.Errorf("and Post one now says: %s", shown(r))
		}
	})
}

// The normal life over a sealed store.
func TestHostileSealed(t *testing.T) {
	key, err := seal.ParseKey(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	s, err := seal.Open(t.Context(), storetest.Memory(), key)
	if err != nil {
		t.Fatal(err)
	}
	c := newChatOn(t, storetest.Twice(s))
	m := c.daily("g", "quorum=2")
	c.press("ann", "g", m, "m1", "A")
	c.press("ben", "g", m, "m1", "B")
	q := c.types("ann", "", "test quantization").Whisper
	c.press("ann", "", q, "w", "A")
	c.wants(c.types("ann", "g", "stats").Whisper, "2 answers")
	c.until(monday.Add(25 * time.Hour))
	r := c.posts.edits["m1"]
	c.wants(&r, "2 answers")
}

// What Advance does not do and RunSchedule does: fold, sweep.
func TestHostilePathScope(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00 topics=nlp-llms/tokenization").Whisper
	c.wants(form, "Topics: tokenization ")
	form = c.types("admin", "g", "setup topics="+strings.Repeat("tokenization,", 25)).Whisper
	if n := form.Text.Len(); n > 1000 {
		t.Errorf("a form of %d characters", n)
	}
	tok := action(form, "Time")[1]
	r := c.raw("admin", "g", "w", "set", tok, "topic", "tokenization", "off")
	_ = r
	f := c.raw("admin", "g", "w", "set", tok, "form")
	if strings.Count(shown(f), "tokenization") > 1 {
		t.Errorf("toggled off, and still there %d times", strings.Count(shown(f), "tokenization"))
	}
}

// A press of a place that was set up by nobody: tokens of another server.
func TestHostileTokensAcross(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	tok := action(m, "A")[1]
	q := c.types("ann", "", "test quantization").Whisper
	tt := action(q, "A")[1]
	form := c.types("admin", "g", "setup").Whisper
	st := action(form, "Time")[1]
	// of another server's public message, by someone who never was in g
	t.Log(shown(c.raw("eve", "h", "x", "mine", tok, "a")))
	c.wants(c.types("eve", "h", "streak").Whisper, "No streak")
	c.wants(c.types("ben", "g", "streak").Whisper, "This server: 0 days")
	for _, w := range [][]string{{"pick", tt, "1a"}, {"next", tt, "1"}, {"why", tt, "1"}, {"cancel", tt}, {"why", tok}, {"vote", tok, "a"}} {
		r := c.raw("mal", "h", "x", w...)
		if r.Whisper == nil || r.Replace != nil {
			t.Errorf("%v: %s", w, shown(r))
		}
	}
	for _, w := range [][]string{{"set", st, "pause"}, {"set", tok, "pause"}, {"set", st, "form"}} {
		t.Log(shown(c.raw("admin", "h", "x", w...)))
	}
}
