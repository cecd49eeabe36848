package engine_test

import (
	"strings"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// newShop is a chat of a bot on which one test a day is free.
func newShop(t *testing.T) *chat {
	t.Helper()
	store := storetest.Twice(storetest.Memory())
	t.Cleanup(func() { store.Close() })
	c := &chat{T: t, store: store, now: monday, posts: &platform{edits: map[engine.Ref]engine.Message{}}}
	c.openShop()
	return c
}

func (c *chat) openShop() {
	c.Helper()
	e, err := engine.New(c.Context(), engine.Config{
		Store: c.store, Bank: contenttest.Bank(), Secret: make([]byte, 32), Unlock: &engine.Unlocking{TestsPerDay: 1},
	})
	if err != nil {
		c.Fatal(err)
	}
	c.e = e
}

// One test a day is free, in the person's own day; what is under way goes on, and
// nothing else is ever behind it.
func TestTheFreeTestsOfADay(t *testing.T) {
	c := newShop(t)
	q := c.types("ann", "", "test quantization").Whisper
	c.wants(q, "Question 1 of 5")
	c.wants(c.types("ann", "", "test tokenization").Whisper, "in the middle of this test") // resumed, not limited
	c.miss("ann", q)
	c.types("ann", "", "cancel")
	m := c.types("ann", "", "test").Whisper
	c.wants(m, "Today's free test is done", "midnight", "always free")
	for _, line := range []string{"daily", "review", "streak", "stats", "export", "privacy"} {
		if got := c.types("ann", "", line).Whisper; strings.Contains(got.Title, "free test") {
			t.Errorf("/%s is limited", line)
		}
		c.now = c.now.Add(time.Minute)
	}
	c.wants(c.types("ben", "", "test").Whisper, "Question 1 of 5")
	c.now = monday.Add(24 * time.Hour)
	c.wants(c.types("ann", "", "test").Whisper, "Question 1 of 5")
}

// A code unlocks one person for good, once, however it is written.
func TestACodeUnlocksOnce(t *testing.T) {
	c := newShop(t)
	codes, err := c.e.UnlockCodes(t.Context(), 2, c.now)
	if err != nil || len(codes) != 2 || codes[0] == codes[1] {
		t.Fatalf("codes %q, %v", codes, err)
	}
	if strings.Contains(c.dump("code/"), strings.ReplaceAll(codes[0], "-", "")) {
		t.Error("the store keeps a code")
	}
	c.types("ann", "", "test")
	c.types("ann", "", "cancel")
	limit := c.types("ann", "", "test").Whisper
	ask := c.press("ann", "", limit, "w", "I have a code").Ask
	if ask == nil || ask.Action != "unlock" {
		t.Fatalf("asked for %+v", ask)
	}
	c.wants(c.types("ann", "", "unlock nonsense").Whisper, "unknown, or somebody has used it")
	c.now = c.now.Add(time.Minute)
	c.wants(c.types("ann", "", "unlock "+strings.ToLower(strings.ReplaceAll(codes[0], "-", " "))).Whisper, "Everything is unlocked")
	for range 3 {
		c.now = c.now.Add(time.Minute)
		c.wants(c.types("ann", "", "test").Whisper, "Question 1 of 5")
		c.types("ann", "", "cancel")
	}
	c.wants(c.types("ben", "", "unlock "+codes[0]).Whisper, "unknown, or somebody has used it")
	c.wants(c.types("ann", "", "unlock").Whisper, "Since Mon 5 Jan")
	list, open, err := c.e.Unlocks(t.Context())
	if err != nil || len(list) != 1 || open != 1 || list[0].Origin != engine.UnlockByCode || list[0].Accounts[0] != "test:ann" {
		t.Errorf("unlocks: %+v, %d codes, %v", list, open, err)
	}
	c.openShop() // a new process, and a rebuild, lose nothing
	if got := c.rebuild(false); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	c.wants(c.types("ann", "", "unlock").Whisper, "Everything is unlocked")
}

// The operator grants and revokes; a join keeps the right; erase ends it.
func TestGrantAndRevoke(t *testing.T) {
	c := newShop(t)
	ann := engine.User{Platform: "test", ID: "ann"}
	if err := c.e.GrantUnlock(t.Context(), ann, engine.UnlockByOperator, "x", c.now); err == nil {
		t.Error("granted to nobody")
	}
	c.types("ann", "", "test")
	for range 2 {
		if err := c.e.GrantUnlock(t.Context(), ann, engine.UnlockByOperator, "x", c.now); err != nil {
			t.Fatal(err)
		}
	}
	c.missTest("ben")
	c.joins("ben", "ann")
	c.now = c.now.Add(time.Minute)
	c.wants(c.types("ben", "", "unlock").Whisper, "Everything is unlocked")
	if err := c.e.RevokeUnlock(t.Context(), ann); err != nil {
		t.Fatal(err)
	}
	c.wants(c.types("ben", "", "unlock").Whisper, "Unlock everything")
	if err := c.e.GrantUnlock(t.Context(), ann, engine.UnlockByOperator, "", c.now); err != nil {
		t.Fatal(err)
	}
	c.now = c.now.Add(time.Minute)
	c.press("ben", "", c.types("ben", "", "erase").Whisper, "w", "Erase everything")
	if list, _, err := c.e.Unlocks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after erase: %+v, %v", list, err)
	}
}

// Where everything is free there is no such command.
func TestWithoutSellingNothingIsLimited(t *testing.T) {
	c := newChat(t)
	for range 3 {
		c.wants(c.types("ann", "", "test").Whisper, "Question 1 of 5")
		c.types("ann", "", "cancel")
		c.now = c.now.Add(time.Minute)
	}
	c.wants(c.types("ann", "", "unlock").Whisper, "don't know that command")
}
