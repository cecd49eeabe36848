package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// A post that was refused for now is tried again, later, once.
func TestPostLaterIsTriedAgain(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Later, After: 40 * time.Second}}
	c.daily("g")
	if len(c.posts.sent) != 1 {
		t.Fatalf("%d attempts at nine", len(c.posts.sent))
	}
	c.until(monday.Add(time.Hour + 39*time.Second))
	if len(c.posts.sent) != 1 {
		t.Fatalf("tried again too early")
	}
	c.until(monday.Add(time.Hour + 41*time.Second))
	if len(c.posts.sent) != 2 || c.posts.sent[0].Key != c.posts.sent[1].Key {
		t.Fatalf("attempts %d, want 2 under one key", len(c.posts.sent))
	}
	c.until(monday.Add(20 * time.Hour))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d attempts, want 2", len(c.posts.sent))
	}
}

// The place is gone: suspended with everything kept, revived when the bot is
// added again.
func TestGoneSuspendsAndJoiningRevives(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Gone}}
	c.daily("g")
	c.until(monday.Add(60 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Fatalf("%d attempts, want 1", len(c.posts.sent))
	}
	c.wants(c.types("admin", "g", "setup").Whisper, "suspended", "no longer exists")
	in := c.input("admin", "g")
	in.Verb, in.Event = "joined", true
	c.do(in)
	c.until(monday.Add(73 * time.Hour))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d attempts after the bot is back, want 2", len(c.posts.sent))
	}
}

// Forbidden: suspended, and tried again at the usual time of each day, since
// nobody tells of a right that was given back. Whoever set it up is told both,
// once, if they have a private chat with the bot.
func TestForbiddenIsTriedAgainAndAnAdminIsTold(t *testing.T) {
	c := newChat(t)
	c.types("admin", "", "daily") // the private chat is open, and its owner known
	no := &engine.PostError{Kind: engine.Forbidden}
	c.types("admin", "g", "setup 09:00")
	c.posts.fail = []error{no, nil, no} // Monday, a word, Tuesday
	c.until(monday.Add(47 * time.Hour))
	to := func() (all []string) {
		for _, d := range c.posts.sent {
			all = append(all, d.To.Chat+": "+d.Message.Title)
		}
		return all
	}
	if got := to(); len(got) != 3 || !strings.HasPrefix(got[1], "admin: ⚠️") {
		t.Fatalf("went out: %q", got)
	}
	c.wants(&c.posts.sent[1].Message, "Give me the right to send messages")
	c.wants(c.types("admin", "g", "setup").Whisper, "suspended", "may not write")
	c.until(monday.Add(50 * time.Hour))
	if got := to(); len(got) != 5 || !strings.HasPrefix(got[3], "g: 🎯") {
		t.Fatalf("went out: %q", got)
	}
	c.wants(&c.posts.sent[4].Message, "all is well")
	c.wants(c.types("admin", "g", "setup").Whisper, "challenge: on")
}

// Nobody can suspend a server by typing an event's verb.
func TestEventsCannotBeTyped(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.wants(c.types("ben", "g", "left").Whisper, "/help")
	c.until(monday.Add(25 * time.Hour))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d posts, want 2", len(c.posts.sent))
	}
}

func TestMovedGoesToTheNewPlace(t *testing.T) {
	c := newChat(t)
	to := engine.Place{Platform: "test", Server: "super", Chat: "super"}
	c.posts.fail = []error{&engine.PostError{Kind: engine.Moved, To: to}}
	m := c.daily("g")
	if len(c.posts.sent) != 2 || c.posts.sent[1].To != to {
		t.Fatalf("posts %+v", c.posts.sent)
	}
	c.wants(c.press("ben", "super", m, "m2", "A").Whisper, "1 day")
}

// Without a way to ask, a post in doubt waits ten minutes, is posted once
// more, says so, and both messages are revealed; one answer counts.
func TestUnknownIsPostedOnceMoreAndSaysSo(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{errors.New("connection reset")}
	first := c.daily("g")
	c.until(monday.Add(time.Hour + 9*time.Minute))
	if len(c.posts.sent) != 1 {
		t.Fatalf("posted again within ten minutes")
	}
	c.until(monday.Add(time.Hour + 11*time.Minute))
	if len(c.posts.sent) != 2 {
		t.Fatalf("%d posts, want 2", len(c.posts.sent))
	}
	c.wants(c.last(), "Posted again")
	c.press("ben", "g", c.last(), "m2", "A")
	again := c.press("ben", "g", first, "m1", "B") // the first has arrived after all
	c.wants(again.Whisper, "Your first answer counts: A")
	c.until(monday.Add(25 * time.Hour))
	for _, ref := range []engine.Ref{"m1", "m2"} {
		m := c.posts.edits[ref]
		c.wants(&m, "It was", "1 answer")
	}
	if len(c.posts.sent) != 3 {
		t.Errorf("%d posts on the next day, want 3", len(c.posts.sent))
	}
}

// A press on a post in doubt proves that it arrived: nothing is posted again.
func TestPressAdoptsAPostInDoubt(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{errors.New("time-out")}
	m := c.daily("g")
	c.wants(c.press("ben", "g", m, "m77", "A").Whisper, "1 day")
	c.until(monday.Add(2 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d posts, want 1", len(c.posts.sent))
	}
	c.until(monday.Add(25 * time.Hour))
	if _, ok := c.posts.edits["m77"]; !ok || len(c.posts.sent) != 2 {
		t.Errorf("revealed %v, %d posts; want m77 and 2", c.posts.edits, len(c.posts.sent))
	}
}

func TestFinderDecidesADoubt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		says  []engine.Finding
		posts int
		again bool
	}{
		{"found", []engine.Finding{engine.Found}, 1, false},
		{"absent", []engine.Finding{engine.Absent}, 2, false},
		{"cannot tell, then found", []engine.Finding{engine.CannotTell, engine.CannotTell, engine.Found}, 1, false},
		{"cannot tell for ten minutes", []engine.Finding{engine.CannotTell}, 2, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.posts.fail = []error{errors.New("time-out")}
			f := &finder{platform: c.posts, says: tt.says, receipt: engine.Receipt{Ref: "found"}}
			c.types("admin", "g", "setup 09:00")
			c.untilWith(f, monday.Add(time.Hour+15*time.Minute))
			if len(c.posts.sent) != tt.posts || f.asked == 0 {
				t.Fatalf("%d posts and %d questions, want %d posts", len(c.posts.sent), f.asked, tt.posts)
			}
			if said := strings.Contains(c.last().Text.String(), "Posted again"); said != tt.again {
				t.Errorf("says posted again: %v, want %v", said, tt.again)
			}
			c.untilWith(f, monday.Add(25*time.Hour))
			if len(c.posts.edits) != 1 {
				t.Errorf("revealed %v, want one message", c.posts.edits)
			}
		})
	}
}

// A message that a moderator deleted is no reason to stop.
func TestLostRevealIsDropped(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.posts.lost = &engine.PostError{Kind: engine.Lost}
	c.until(monday.Add(49 * time.Hour))
	if len(c.posts.sent) != 3 {
		t.Errorf("%d posts, want 3", len(c.posts.sent))
	}
}

// Refused content is skipped, and the next day goes on.
func TestRefusedIsSkipped(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Refused}}
	c.daily("g")
	c.until(monday.Add(25 * time.Hour))
	if len(c.posts.sent) != 2 || c.posts.sent[0].Key == c.posts.sent[1].Key {
		t.Errorf("%d posts, want 2 of different dates", len(c.posts.sent))
	}
}

// One server's trouble does not touch another's post.
func TestOneFailureDelaysNobody(t *testing.T) {
	c := newChat(t)
	c.types("admin", "bad", "setup 09:00")
	c.types("admin", "good", "setup 09:00")
	c.posts.fail = []error{&engine.PostError{Kind: engine.Later, After: time.Hour}}
	c.until(monday.Add(time.Hour))
	servers := map[string]int{}
	for _, d := range c.posts.sent {
		servers[d.To.Server]++
	}
	if servers["good"] != 1 || servers["bad"] != 1 {
		t.Errorf("attempts %v", servers)
	}
}

// Posting now counts as today's: no date is ever posted twice.
func TestPostNowCountsAsTodays(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	c.wants(c.press("admin", "g", form, "w1", "Post one now").Replace, "on its way")
	c.until(c.now.Add(time.Second))
	if len(c.posts.sent) != 1 {
		t.Fatalf("%d posts, want 1", len(c.posts.sent))
	}
	c.wants(c.press("admin", "g", form, "w1", "Post one now").Whisper, "already posted")
	c.types("admin", "g", "setup 10:00")
	c.until(monday.Add(8 * time.Hour))
	if len(c.posts.sent) != 1 {
		t.Errorf("%d posts on one date", len(c.posts.sent))
	}
	c.until(monday.Add(26*time.Hour + time.Minute))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d posts on the next day, want 2", len(c.posts.sent))
	}
}

// An item comes back to a server only when all have been used.
func TestNoRepeatUntilThePoolIsUsedUp(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00 topics=quantization") // ten items
	c.until(monday.Add(20*24*time.Hour + 2*time.Hour))
	seen := map[string]int{}
	for i, d := range c.posts.sent {
		stem := d.Message.Text[0].Spans
		text := ""
		for _, s := range stem {
			text += s.Text
		}
		if prev, ok := seen[text]; ok && i-prev < 8 {
			t.Errorf("post %d repeats post %d", i, prev)
		}
		if i < 10 && len(seen) != i {
			t.Errorf("post %d repeats within the pool", i)
		}
		seen[text] = i
	}
	if len(seen) != 10 || len(c.posts.sent) != 21 {
		t.Errorf("%d posts of %d items, want 21 of 10", len(c.posts.sent), len(seen))
	}
}

// When a group moves to an address where a second space had grown, the older
// one goes on, and the chat gets one post a date.
func TestMoveOntoAnotherSpaceLeavesOne(t *testing.T) {
	c := newChat(t)
	c.types("admin", "old", "setup 09:00")
	c.types("admin", "new", "setup 09:00")
	in := c.input("admin", "new")
	in.Verb, in.Args, in.Event = "moved", []string{"old"}, true
	c.do(in)
	c.until(monday.Add(25*time.Hour + time.Minute))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d posts on two days, want 2", len(c.posts.sent))
	}
	for _, d := range c.posts.sent {
		if d.To.Chat != "new" {
			t.Errorf("posted to %q", d.To.Chat)
		}
	}
}

// dying is a platform on which a post arrives and the process ends before it
// hears of that.
type dying struct {
	*platform
	die func()
}

func (d *dying) Post(ctx context.Context, x engine.Delivery) (engine.Receipt, error) {
	r, _ := d.platform.Post(ctx, x)
	d.die()
	return r, context.Canceled
}

// A process that ends between a post and its receipt leaves a claim: the next
// one does not post at once, but waits for a press and then says that it posts
// again.
func TestACrashWhilePostingLeavesADoubt(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00")
	ctx, cancel := context.WithCancel(t.Context())
	_ = c.e.Advance(ctx, map[string]engine.Poster{"test": &dying{c.posts, cancel}}, monday.Add(time.Hour))
	if len(c.posts.sent) != 1 {
		t.Fatalf("%d posts before the end", len(c.posts.sent))
	}
	c.reopen()
	c.until(monday.Add(time.Hour + 5*time.Minute))
	if len(c.posts.sent) != 1 {
		t.Fatalf("%d posts within five minutes: a claim was not kept", len(c.posts.sent))
	}
	c.until(monday.Add(time.Hour + 15*time.Minute))
	if len(c.posts.sent) != 2 {
		t.Fatalf("%d posts after a quarter of an hour", len(c.posts.sent))
	}
	c.wants(c.last(), "Posted again")
	if a, b := c.posts.sent[0], c.posts.sent[1]; a.Key != b.Key {
		t.Errorf("two deliveries: %s and %s", a.Key, b.Key)
	}
}
