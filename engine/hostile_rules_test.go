package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/content"
	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// ---- helpers

func (c *chat) raw(who, server string, on engine.Ref, words ...string) engine.Reply {
	c.Helper()
	in := c.input(who, server)
	in.On, in.Verb, in.Args = on, words[0], words[1:]
	return c.do(in)
}

func action(m *engine.Message, label string) []string {
	for _, r := range m.Buttons {
		for _, b := range r {
			if b.Label == label {
				return strings.Fields(b.Action)
			}
		}
	}
	return nil
}

func shown(r engine.Reply) string {
	s := ""
	for n, m := range map[string]*engine.Message{"whisper": r.Whisper, "replace": r.Replace, "post": r.Post} {
		if m != nil {
			s += n + ": " + m.Title + " | " + m.Text.String() + "\n"
		}
	}
	return s
}

// stopping ends the schedule while a post is under way; the post arrives.
type stopping struct {
	*platform
	stop func()
}

func (s stopping) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	r, err := s.platform.Post(ctx, d)
	if s.stop != nil {
		s.stop() // SIGTERM arrives while Telegram's answer is on its way
	}
	return r, err
}

// 1. A clean stop during a successful post forgets the receipt: posted twice.
func TestHostileStopWhilePosting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChat(t)
		c.now = time.Now()
		c.types("admin", "g", "setup 09:00")
		ctx, cancel := context.WithCancel(t.Context())
		s := stopping{c.posts, cancel}
		done := make(chan error)
		go func() { done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": s}) }()
		<-done
		ctx, cancel = context.WithCancel(t.Context())
		go func() { done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": c.posts}) }()
		time.Sleep(time.Hour)
		cancel()
		<-done
		if len(c.posts.sent) != 1 {
			t.Errorf("%d posts of one date, the last: %q", len(c.posts.sent), c.last().Text.String()[:60])
		}
	})
}

// 14. The store fails once just after a post that arrived: posted twice.
type flaky struct {
	engine.Store
	fail *int
}

func (f flaky) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if *f.fail > 0 {
		*f.fail--
		return errors.New("disk full")
	}
	return f.Store.Update(ctx, fn)
}

type breaking struct {
	*platform
	fail *int
	once bool
}

func (b *breaking) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	r, err := b.platform.Post(ctx, d)
	if !b.once {
		b.once, *b.fail = true, 1
	}
	return r, err
}

func TestHostileStoreFailsOnceAfterPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := newChatOn(t, flaky{storetest.Memory(), &n})
		c.now = time.Now()
		c.types("admin", "g", "setup 09:00")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			done <- c.e.RunSchedule(ctx, map[string]engine.Poster{"test": &breaking{platform: c.posts, fail: &n}})
		}()
		time.Sleep(12 * time.Hour)
		cancel()
		<-done
		if len(c.posts.sent) != 1 {
			t.Errorf("%d posts of one date", len(c.posts.sent))
		}
	})
}

// 2. A setting changed while a post waits out a 429 loses today's post.
func TestHostileSettingWhilePostIsRetried(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Later, After: 40 * time.Second}}
	c.daily("g") // 09:00: Later, back at 09:00:40
	c.types("admin", "g", "setup quorum=2")
	c.until(monday.Add(20 * time.Hour))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d attempts on Monday, want 2: Monday's challenge is lost", len(c.posts.sent))
	}
}

// 2b. the same while the job is due and merely waits in the queue (paced out)
func TestHostileSettingWhilePostIsQueued(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00")
	c.until(monday.Add(59*time.Minute + 59*time.Second))
	c.now = monday.Add(time.Hour + 20*time.Second) // 09:00:20, its turn has not come
	c.types("admin", "g", "setup quorum=2")
	c.until(monday.Add(20 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d posts on Monday, want 1", len(c.posts.sent))
	}
}

// 3. One's own private daily stays open for ever when pressed from elsewhere.
func TestHostilePrivateDailyAfterItsDay(t *testing.T) {
	c := newChat(t)
	m := c.types("dora", "", "daily").Whisper
	c.press("dora", "", m, "w1", "A")
	c.until(monday.Add(24 * time.Hour))
	tue := c.types("dora", "", "daily").Whisper // opened on Tuesday, not answered
	c.until(monday.Add(5 * 24 * time.Hour))     // Saturday
	sat := c.types("dora", "", "daily").Whisper
	c.wants(c.press("dora", "", sat, "w", "A").Replace, "🔥 1 day")
	a := action(tue, "A")
	r := c.raw("dora", "g", "", a...) // as a deep link of a group: /start in-<group>-0-<mine tok a>
	if strings.Contains(shown(r), "days in a row") || !strings.Contains(shown(r), "over or belongs elsewhere") {
		t.Errorf("Tuesday's answered on Saturday:\n%s", shown(r))
	}
	c.wants(c.types("dora", "", "stats").Whisper, "2 answers")
}

// 3b. Someone else's private daily can be answered, and counts.
func TestHostileForeignPrivateDaily(t *testing.T) {
	c := newChat(t)
	m := c.types("dora", "", "daily").Whisper
	r := c.raw("eve", "", "w", action(m, "A")...)
	if !strings.Contains(shown(r), "belongs elsewhere") {
		t.Errorf("eve answered dora's own daily:\n%s", shown(r))
	}
}

// 4. set ... channel without a press sends the server's posts elsewhere.
func TestHostileChannelThroughSet(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	tok := action(form, "Time")[1]
	c.raw("admin", "g", "", "set", tok, "channel", "victim") // deep link or awaited line: On is ""
	c.until(monday.Add(time.Hour))
	if to := c.posts.sent[0].To.Chat; to != "g" {
		t.Errorf("posted to %q", to)
	}
}

// 4b. "set tok ask channel" asks for a line and takes it as a channel.
func TestHostileChannelThroughAsk(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	tok := action(form, "Time")[1]
	r := c.raw("admin", "g", "w", "set", tok, "ask", "channel")
	if r.Ask != nil {
		c.raw("admin", "g", "", append(strings.Fields(r.Ask.Action), "victim")...)
	}
	c.until(monday.Add(time.Hour))
	if to := c.posts.sent[0].To.Chat; to != "g" {
		t.Errorf("posted to %q", to)
	}
}

// 5. A forged press on the public challenge replaces it for everybody.
func TestHostileReplaceOfThePublicMessage(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ben", "g", m, "m1", "A")
	tok := action(m, "A")[1]
	for _, words := range [][]string{{"why", tok}, {"mine", tok, "a"}, {"test"}, {"help"}, {"stats"}} {
		if r := c.raw("ben", "g", "m1", words...); r.Replace != nil {
			t.Errorf("%v on the public message: replaced by %q", words, r.Replace.Title)
		}
	}
}

// 6. A topic that is no longer offered holds a person in a test.
func TestHostileTopicWithdrawnInATest(t *testing.T) {
	c := newChat(t)
	q := c.types("ann", "", "test quantization").Whisper
	c.press("ann", "", q, "w", "A")
	bank := contenttest.Bank()
	for _, cat := range bank.Categories {
		for _, tp := range cat.Topics {
			if tp.ID == "quantization" {
				for _, i := range tp.Items[2:] {
					i.Status, i.Withdrawn = content.Withdrawn, &content.Withdrawal{Date: monday, Reason: "wrong"}
				}
			}
		}
	}
	e, err := engine.New(t.Context(), engine.Config{Store: c.store, Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	c.e = e
	r := c.types("ann", "", "test tokenization")
	if r.Whisper.Title == "" {
		t.Errorf("asked for tokenization, got: %s", shown(r))
	}
}

// 7. What does not fit is dropped without a word.
func TestHostileTopicsWithASpace(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("admin", "g", "setup 09:00 topics=tokenization, quantization").Whisper, "tokenization, quantization")
	c.wants(c.types("admin", "h", "setup 09:00 tokenization quantization").Whisper, "quantization")
}

// 8. Huge input: how long does it hold the writer?
func TestHostileHugeInput(t *testing.T) {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: bank, Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	c := &chat{T: t, e: e, now: monday, posts: &platform{edits: map[engine.Ref]engine.Message{}}}
	for name, line := range map[string]string{
		"settings, one word of 4000": "settings zone=" + strings.Repeat("x", 4000),
		"settings, one slash word":   "settings /" + strings.Repeat("x", 4000),
		"settings, 2000 words":       "settings " + strings.Repeat("a ", 2000),
		"settings, 800 words of 4":   "settings " + strings.Repeat("abcd ", 800),
		"settings, 570 words of 6":   "settings " + strings.Repeat("abcdef ", 570),
		"test, one word":             "test " + strings.Repeat("x", 4000),
		"test, hyphens":              "test " + strings.Repeat("abc-", 1000),
		"test, hyphens2":             "test " + strings.Repeat("a-", 2000),
		"learn, hyphens":             "learn " + strings.Repeat("abc-", 1000),
		"stats, hyphens":             "stats " + strings.Repeat("abc-", 1000),
		"setup, topics":              "setup topics=" + strings.Repeat("abc-", 1000),
		"setup, 2000 words":          "setup " + strings.Repeat("a ", 2000),
		"discord: 6000":              "test scope=" + strings.Repeat("abc-", 1500),
	} {
		c.now = c.now.Add(time.Minute)
		r := c.types("admin", "g", line)
		n := 0
		if r.Whisper != nil {
			n = r.Whisper.Text.Len()
		}
		if n > 3500 {
			t.Errorf("%s: answer of %d characters", name, n)
		}
	}
}

// 9. A forged Next skips a question.
func TestHostileForgedNextSkips(t *testing.T) {
	c := newChat(t)
	q := c.types("ann", "", "test quantization").Whisper
	tok := action(q, "A")[1]
	r := c.raw("ann", "", "w", "next", tok, "1")
	if strings.Contains(shown(r), "Question 2 of 5") {
		t.Errorf("question 1 was skipped unanswered")
	}
}

// 10. Old verdict of a changed item: its Next skips the open question.
func TestHostileOldVerdictOfChangedItemSkips(t *testing.T) {
	c := newChat(t)
	q1 := c.types("ann", "", "test quantization").Whisper
	v1 := c.press("ann", "", q1, "w1", "A").Replace
	q2 := c.press("ann", "", v1, "w1", "Next ▶").Replace
	_ = q2
	// the release changes only the first question's item
	bank := contenttest.Bank()
	for _, cat := range bank.Categories {
		for _, tp := range cat.Topics {
			for _, i := range tp.Items {
				if strings.Contains(q1.Text.String(), strings.ReplaceAll(i.Stem, "`", "")) {
					i.Rev = 2
				}
			}
		}
	}
	e, err := engine.New(t.Context(), engine.Config{Store: c.store, Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	c.e = e
	gone := c.press("ann", "", v1, "w1", "Explain more").Replace
	c.wants(gone, "changed")
	r := c.press("ann", "", gone, "w1", "Next ▶")
	if strings.Contains(shown(r), "Question 3 of 5") {
		t.Errorf("question 2 is lost unanswered: %s", r.Replace.Title)
	}
}

// 11. A server one has left goes on breaking one's streak.
func TestHostileLeftServerBreaksStreak(t *testing.T) {
	c := newChat(t)
	c.types("admin", "old", "setup 09:00") // every day
	c.types("admin", "new", "setup 09:00 Mon-Fri")
	c.until(monday.Add(time.Hour))
	for _, d := range c.posts.sent {
		c.press("ann", d.To.Server, &d.Message, "m", "A")
	}
	// from Tuesday on ann is only in "new" (she left "old" in January)
	seen := len(c.posts.sent)
	for day := 1; day <= 60; day++ {
		c.until(monday.Add(time.Duration(day)*24*time.Hour + 2*time.Hour))
		for _, d := range c.posts.sent[seen:] {
			if d.To.Server == "new" {
				c.press("ann", "new", &d.Message, engine.Ref(fmt.Sprint(day)), "A")
			}
		}
		seen = len(c.posts.sent)
	}
	// Two weeks after her last answer there the old server asks nothing of her.
	c.wants(c.types("ann", "new", "streak").Whisper, "35 days")
}

// 12. The quorum is lowered to what has already answered: the day is lost.
func TestHostileQuorumLowered(t *testing.T) {
	c := newChat(t)
	m := c.daily("g", "quorum=3")
	c.press("ann", "g", m, "m1", "A")
	c.press("ben", "g", m, "m1", "A")
	c.types("admin", "g", "setup quorum=2")
	c.wants(c.types("ann", "g", "streak").Whisper, "This server: 1 day")
}

// 13. Zone moved west: today's own daily is shown and cannot be answered.
func TestHostileZoneWestward(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings zone=Asia/Tokyo")
	c.types("ann", "", "daily")        // 5 Jan, 17:00 in Tokyo
	c.until(monday.Add(8 * time.Hour)) // 16:00 UTC: 6 Jan 01:00 in Tokyo, 5 Jan 08:00 in LA
	c.types("ann", "", "settings zone=America/Los_Angeles")
	m := c.types("ann", "", "daily").Whisper
	r := c.press("ann", "", m, "w", "A")
	if strings.Contains(shown(r), "closed") {
		t.Errorf("today's (5 Jan in LA) question was shown anew, and then:\n%s", shown(r))
	}
}
