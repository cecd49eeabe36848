package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
)

// flagAs has a person miss a question and say that its solution is wrong, and
// returns the item's id.
func (c *chat) flagAs(who, kind string) string {
	c.Helper()
	m := c.miss(who, c.types(who, "", "test quantization").Whisper)
	m = c.press(who, "", m, "w", "Explain more").Replace
	m = c.press(who, "", m, "w", "Something wrong?").Replace
	action := m.Buttons[0][0].Action
	c.press(who, "", m, "w", kind)
	c.types(who, "", "cancel")
	return strings.Fields(action)[1]
}

// state is what the operator sees of an item.
func (c *chat) state(item string) string {
	c.Helper()
	list, err := c.e.Flags(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	for _, f := range list {
		if f.Item == item {
			return f.State
		}
	}
	return "unknown"
}

// Three people who say that the solution is wrong pause a question. Released,
// it is asked again and the same flags do not pause it a second time.
func TestFlagsPauseAQuestion(t *testing.T) {
	c := newChat(t)
	said := map[string]int{}
	item := ""
	for n := 0; item == ""; n++ {
		if n == 60 {
			t.Fatalf("nobody agreed: %v", said)
		}
		id := c.flagAs(fmt.Sprint("p", n), "The solution")
		if said[id]++; said[id] == 3 {
			item = id
		} else if got := c.state(id); got != "" {
			t.Fatalf("%s is %q after %d flags", id, got, said[id])
		}
	}
	if got := c.state(item); got != "paused" {
		t.Fatalf("%s is %q after three flags", item, got)
	}
	for n := range 25 {
		if got := c.flagAs(fmt.Sprint("q", n), "A typo"); got == item {
			t.Fatal("a paused question is asked")
		}
	}
	if err := c.e.ReleaseItem(t.Context(), item, c.now); err != nil {
		t.Fatal(err)
	}
	c.reopen()
	if got := c.state(item); got != "" {
		t.Errorf("released, it is %q", got)
	}
	again := false
	for n := 0; n < 60; n++ {
		again = c.flagAs(fmt.Sprint("r", n), "The solution") == item || again
	}
	if !again || c.state(item) != "" {
		t.Errorf("released: asked again %v, state %q", again, c.state(item))
	}
}

// reopen is a new process on the same store.
func (c *chat) reopen() {
	c.Helper()
	e, err := engine.New(c.Context(), engine.Config{Store: c.store, Bank: contenttest.Bank()})
	if err != nil {
		c.Fatal(err)
	}
	c.e = e
}

// A question that data shows to be wrong is paused by the batch that shows it.
func TestDataPausesAQuestion(t *testing.T) {
	c := newClass(t, contenttest.Bank())
	c.answers(400, "tokenization", true)
	if got := c.state(badKey); got != "paused" {
		t.Errorf("the question with the wrong key is %q", got)
	}
	if got := c.state(mislabel); got == "paused" {
		t.Error("a question that is only hard is paused")
	}
}

// A withdrawn question counts for nobody: scores, points and marks are as if
// it had moved nothing, days stay kept, and each person is told once.
func TestAWithdrawnQuestionCountsForNobody(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	item := c.usedItem()
	for _, who := range []string{"ann", "ben"} {
		c.press(who, "g", m, "m1", "A")
	}
	before := c.dump("p/")
	if err := c.e.WithdrawItem(t.Context(), item, "two right answers", c.now); err != nil {
		t.Fatal(err)
	}
	n, err := c.e.Rescore(t.Context())
	if err != nil || n != 2 {
		t.Fatalf("scored again %d people, %v", n, err)
	}
	if n, err = c.e.Rescore(t.Context()); n != 0 || err != nil {
		t.Errorf("a second time %d people, %v", n, err)
	}
	if c.dump("p/") == before {
		t.Error("nothing was scored again")
	}
	// The challenge is still open: a late answer keeps the day and moves nothing.
	c.wants(c.press("cat", "g", m, "m1", "B").Whisper, "counts for nobody", "a streak begins")
	c.until(c.now.Add(25 * time.Hour))
	c.wants(c.types("ann", "g", "board all").Whisper, "0.0")
	c.wants(c.types("ann", "", "settings").Whisper, "scores were computed again")
	if got := c.types("ann", "", "settings").Whisper; strings.Contains(got.Text.String(), "computed again") {
		t.Error("it is said twice")
	}
	c.wants(c.types("ann", "", "streak").Whisper, "1 day in a row")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("after rescoring the facts say:\n%s", got.Text())
	}
	if err := c.e.ReleaseItem(t.Context(), item, c.now); err == nil {
		t.Error("a withdrawn question is released")
	}
}

// usedItem is the item of the only challenge so far.
func (c *chat) usedItem() string {
	c.Helper()
	for line := range strings.Lines(c.dump("s/")) {
		if _, item, ok := strings.Cut(strings.Fields(line)[0], "/used/"); ok {
			return item
		}
	}
	c.Fatal("no challenge was posted")
	return ""
}
