package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/storetest"
)

// stores are those that a rebuild is tried on.
func stores(t *testing.T, run func(*testing.T, engine.Store)) {
	t.Run("memory, every update twice", func(t *testing.T) { run(t, storetest.Twice(storetest.Memory())) })
	t.Run("file", func(t *testing.T) {
		store, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run(t, store)
	})
}

// What was derived along the way is what a rebuild derives from the facts.
func TestRebuildFindsWhatWasDerived(t *testing.T) {
	for seed := range uint64(6) {
		c := newChat(t)
		l := live(c, seed)
		l.enough()
		got := c.rebuild(true)
		if got.Left() != 0 {
			t.Errorf("seed %d:\n%s", seed, got.Text())
		}
		for _, k := range got.Kinds {
			if k.Checked == 0 {
				t.Errorf("seed %d: no %s were checked", seed, k.What)
			}
		}
	}
}

// A challenge that went out only after a later date was answered was not
// missed then, so a rebuild must not say that it was.
func TestRebuildKnowsWhatWasThereToAnswer(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 00:05 Mon,Tue,Wed,Fri,Sat,Sun")
	c.types("admin", "h", "setup 20:00 zone=Pacific/Honolulu")
	at := func(day, hour int) time.Time { return time.Date(2026, 1, day, hour, 0, 0, 0, time.UTC) }
	c.until(at(8, 5)) // Thursday; Wednesday's of both servers are out
	for n, d := range c.posts.sent {
		c.press("ann", d.To.Server, &d.Message, engine.Ref(fmt.Sprint("m", n+1)), "A")
	}
	c.until(at(8, 7))
	c.press("ann", "h", c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent))), "A")
	c.until(at(9, 1)) // Friday's of g
	friday, ref := c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	c.posts.fail = []error{&engine.PostError{Kind: engine.Later, After: 3 * time.Hour}}
	c.until(at(9, 7)) // Thursday's of h was due at six
	c.press("ann", "g", friday, ref, "A")
	before := c.types("ann", "g", "streak").Whisper
	c.until(at(9, 10))
	if d := c.posts.sent[len(c.posts.sent)-1]; d.To.Server != "h" {
		t.Fatalf("the last post went to %s", d.To.Server)
	}
	c.same(before, c.types("ann", "g", "streak").Whisper)
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("%s", got.Text())
	}
}

// A message that turns up after the next one is out was never open: it ends no
// streak, for a rebuild neither.
func TestRebuildPassesOverWhatWasNeverOpen(t *testing.T) {
	c := newChat(t)
	first := c.daily("g")
	c.press("ann", "g", first, "m1", "A")
	for range 60 {
		c.posts.fail = append(c.posts.fail, errors.New("line cut"))
	}
	c.until(monday.Add(32 * time.Hour)) // Tuesday's is given up
	lost, ref := c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	c.posts.fail = nil
	c.until(monday.Add(50 * time.Hour))
	c.press("ann", "g", c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent))), "A")
	c.wants(c.press("ann", "g", lost, ref, "A").Whisper, "closed")
	c.wants(c.types("ann", "g", "streak").Whisper, "2 days in a row", "This server: 2 days")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("%s", got.Text())
	}
}

// What was spoilt is found, and repaired to what it was; a check alone writes
// nothing.
func TestRebuildRepairs(t *testing.T) {
	stores(t, func(t *testing.T, s engine.Store) {
		c := newChatOn(t, s)
		live(c, 1)
		good := c.dump("")
		people := c.ids("p/")
		if err := c.e.Spoil(t.Context(), people, c.ids("s/")[0]); err != nil {
			t.Fatal(err)
		}
		spoilt := c.dump("")
		seen := c.rebuild(true)
		if c.dump("") != spoilt {
			t.Error("a check has changed the store")
		}
		want := []int{1, 1, 2, 2, 1, 2, 1, 1, 1, 1} // in the order of Report.Kinds
		for n, k := range seen.Kinds {
			if k.Different != want[n] || k.Repaired != 0 {
				t.Errorf("of what was spoilt a check finds %+v, want %d different", k, want[n])
			}
		}
		fixed := c.rebuild(false)
		if fixed.Left() != 0 || !slices.Equal(fixed.Examples, seen.Examples) {
			t.Errorf("a repair leaves %d and says %q; a check said %q", fixed.Left(), fixed.Examples, seen.Examples)
		}
		if again := c.rebuild(true); again.Left() != 0 {
			t.Errorf("after a repair:\n%s", again.Text())
		}
		person3 := "p/" + string(people[2]) + "/skill" // differed by less than counts
		if diff := lineDiff(good, c.dump("")); diff != person3 {
			t.Errorf("repaired, it differs from what it was in %q", diff)
		}
	})
}

// Answers given while a rebuild runs are no differences, and are not lost.
func TestRebuildWhilePeopleAnswer(t *testing.T) {
	store := &busyStore{Store: storetest.Memory()}
	c := newChatOn(t, store)
	l := live(c, 2)
	store.before = func() {
		if store.times++; store.times%3 == 0 && store.times < 90 {
			l.step()
		}
	}
	got := c.rebuild(false)
	store.before = nil
	if got.Left() != 0 || len(got.Examples) > 0 {
		t.Errorf("while people answer:\n%s", got.Text())
	}
	if after := c.rebuild(true); after.Left() != 0 {
		t.Errorf("afterwards:\n%s", after.Text())
	}
}

// busyStore lets something happen before every transaction of a rebuild.
type busyStore struct {
	engine.Store
	before func()
	times  int
}

func (s *busyStore) tell() {
	if before := s.before; before != nil {
		s.before = nil
		before()
		s.before = before
	}
}

func (s *busyStore) View(ctx context.Context, fn func(engine.Tx) error) error {
	s.tell()
	return s.Store.View(ctx, fn)
}

func (s *busyStore) Update(ctx context.Context, fn func(engine.Tx) error) error {
	s.tell()
	return s.Store.Update(ctx, fn)
}

// When the only one who answered is erased, the server's streak stays, also
// after a rebuild, and nothing names the person.
func TestEraseKeepsTheServersStreak(t *testing.T) {
	stores(t, func(t *testing.T, s engine.Store) {
		c := newChatOn(t, s)
		m := c.daily("g")
		c.press("zoe-4711", "g", m, "m1", "A")
		c.press("zoe-4711", "", c.types("zoe-4711", "", "daily").Whisper, "w1", "B")
		c.types("zoe-4711", "", "settings share=yes")
		c.takeTest("zoe-4711", "tokenization", rand.New(rand.NewPCG(1, 1)))
		people := c.ids("p/")
		if len(people) != 1 || !strings.Contains(c.dump(""), "ZOE-4711") {
			t.Fatalf("%d people: the name is looked for in vain", len(people))
		}
		streak := c.types("admin", "g", "streak").Whisper
		c.wants(streak, "This server: 1 day")
		if err := c.e.ErasePerson(t.Context(), engine.User{Platform: "test", ID: "zoe-4711"}); err != nil {
			t.Fatal(err)
		}
		if got := c.rebuild(false); len(got.Examples) > 0 {
			t.Errorf("after the erasure:\n%s", got.Text())
		}
		for _, name := range []string{string(people[0]), "zoe-4711", "ZOE-4711"} {
			if all := c.dump(""); strings.Contains(all, name) {
				t.Errorf("%q is still in the store:\n%s", name, all)
			}
		}
		c.wants(c.types("admin", "g", "streak").Whisper, "This server: 1 day")
		c.until(monday.Add(25 * time.Hour))
		reveal := c.posts.edits["m1"]
		c.wants(&reveal, "Server streak: 1 day")
		c.wants(c.types("zoe-4711", "g", "stats").Whisper, "Nothing to show")
	})
}

// A rebuild says which facts it cannot do with.
func TestRebuildNeedsEveryEpoch(t *testing.T) {
	c := newChat(t)
	live(c, 3)
	err := c.store.Update(t.Context(), func(tx engine.Tx) error { return tx.Delete([]byte("epoch/00000001")) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.e.Rebuild(t.Context(), true); err == nil || !strings.Contains(err.Error(), "number 2 follows 0") {
		t.Errorf("without the first epoch: %v", err)
	}
}

// same fails unless two messages say the same.
func (c *chat) same(a, b *engine.Message) {
	c.Helper()
	if a.Title != b.Title || a.Text.String() != b.Text.String() {
		c.Errorf("%q is now %q", a.Title+"\n"+a.Text.String(), b.Title+"\n"+b.Text.String())
	}
}

func (c *chat) rebuild(verifyOnly bool) engine.Report {
	c.Helper()
	r, err := c.e.Rebuild(c.Context(), verifyOnly)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

// dump is every record below prefix, a line each.
func (c *chat) dump(prefix string) string {
	c.Helper()
	var b strings.Builder
	err := c.store.View(c.Context(), func(tx engine.Tx) error {
		b.Reset()
		for from := []byte(prefix + "\x00"); ; {
			recs, err := tx.Scan(from, []byte(prefix+"\xff"), 1000)
			for _, r := range recs {
				fmt.Fprintf(&b, "%s %q\n", r.Key, r.Value)
				from = append(bytes.Clone(r.Key), 0)
			}
			if err != nil || len(recs) < 1000 {
				return err
			}
		}
	})
	if err != nil {
		c.Fatal(err)
	}
	return b.String()
}

// ids lists those that have records below prefix.
func (c *chat) ids(prefix string) (all []engine.ID) {
	for line := range strings.Lines(c.dump(prefix)) {
		id := engine.ID(strings.Split(line, "/")[1])
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// lineDiff names the records in which two dumps differ.
func lineDiff(a, b string) string {
	var diff []string
	in := map[string]bool{}
	for line := range strings.Lines(a) {
		in[line] = true
	}
	for line := range strings.Lines(b) {
		if !in[line] {
			key, _, _ := strings.Cut(line, " ")
			diff = append(diff, key)
		}
	}
	if strings.Count(a, "\n") != strings.Count(b, "\n") {
		diff = append(diff, "the number of records")
	}
	return strings.Join(diff, " ")
}

// life is some weeks in which people of three servers answer dailies, their
// own and the servers', take tests, fall silent, and join late; posts fail, and
// the items are calibrated.
type life struct {
	*chat
	rng    *rand.Rand
	people []string
}

func live(c *chat, seed uint64) *life {
	l := &life{chat: c, rng: rand.New(rand.NewPCG(seed, 1)), people: []string{"ann", "ben", "cem", "dora", "eva"}}
	for _, p := range l.people[:3] {
		l.types(p, "", "settings share=yes")
	}
	l.types("admin", "g", "setup 09:00 quorum=2")
	l.types("admin", "h", "setup 21:00 zone=Asia/Tokyo Mon-Fri")
	for day := range 45 {
		if day == 12 {
			l.types("admin", "i", "setup 15:00 zone=America/New_York")
		}
		if day%9 == 4 {
			c.posts.fail = append(c.posts.fail, errors.New("line cut"))
		}
		if day == 20 {
			c.now = c.now.Add(35 * 24 * time.Hour) // the bot is away
		}
		for range 1 + l.rng.IntN(4) {
			c.until(c.now.Add(time.Duration(1+l.rng.IntN(300)) * time.Minute))
			for range l.rng.IntN(5) {
				l.step()
			}
		}
		if day%6 == 5 {
			if _, err := c.e.Calibrate(c.Context(), c.now, true); err != nil {
				c.Fatal(err)
			}
		}
	}
	return l
}

// step is one thing that one person does.
func (l *life) step() {
	l.Helper()
	who := l.people[l.rng.IntN(len(l.people))]
	switch n := l.rng.IntN(10); {
	case n < 7 && len(l.posts.sent) > 0:
		l.vote(who)
	case n == 7:
		l.now = l.now.Add(time.Minute)
		l.takeTest(who, []string{"tokenization", "quantization", ""}[l.rng.IntN(3)], l.rng)
	case n == 9:
		l.types(who, "", []string{"settings rest=Sat,Sun", "settings rest=none", "settings vacation=3", "settings vacation=0"}[l.rng.IntN(4)])
	case n == 8:
		if m := l.types(who, "", "daily").Whisper; len(m.Buttons[0]) > 2 {
			l.press(who, "", m, "w1", letter(l.rng))
		}
	}
}

// vote answers one of the last challenges, sometimes one that was given before
// what came in last.
func (l *life) vote(who string) {
	back := l.rng.IntN(min(4, len(l.posts.sent)))
	d := l.posts.sent[len(l.posts.sent)-1-back]
	if slices.Index(l.people, who)%3 == 0 && d.To.Server == "h" && l.now.Before(monday.Add(20*24*time.Hour)) {
		return // joins late
	}
	if l.rng.IntN(8) == 0 {
		l.now = l.now.Add(-2 * time.Minute)
	}
	l.press(who, d.To.Server, &d.Message, engine.Ref(fmt.Sprint("m", len(l.posts.sent)-back)), letter(l.rng))
}

func letter(rng *rand.Rand) string { return string(rune('A' + rng.IntN(3))) }

// takeTest answers a whole test.
func (c *chat) takeTest(who, scope string, rng *rand.Rand) {
	c.Helper()
	m := c.types(who, "", "test "+scope).Whisper
	for range 2 * 5 {
		if m == nil || len(m.Buttons) == 0 {
			return
		}
		label := m.Buttons[0][0].Label
		if len(m.Buttons) > 1 {
			label = letter(rng)
		}
		m = c.press(who, "", m, "t1", label).Replace
	}
}

// enough fails unless this life had in it what a rebuild may get wrong.
func (l *life) enough() {
	l.Helper()
	if n := strings.Count(l.dump("epoch/"), "\n"); n < 5 {
		l.Errorf("%d epochs", n)
	}
	if n := strings.Count(l.dump("p/"), "/answer/"); n < 150 {
		l.Errorf("%d answers", n)
	}
}
