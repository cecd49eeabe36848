package engine_test

import (
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// joins lets two accounts become one person, a's chat having shown the code.
func (c *chat) joins(a, b string) {
	c.Helper()
	code := c.code(a)
	m := c.types(b, "", "link "+code).Whisper
	c.wants(m, "Are you also "+strings.ToUpper(a)+" on Test?", "cannot be undone")
	c.wants(c.press(b, "", m, "w", "Yes, that is me").Replace, "One step left")
	m = c.types(a, "", "link "+code).Whisper
	c.wants(m, "Are you also "+strings.ToUpper(b))
	c.wants(c.press(a, "", m, "w", "Yes, that is me").Replace, "Your accounts are one")
}

func (c *chat) code(who string) string {
	c.Helper()
	_, code, ok := strings.Cut(c.types(who, "", "link").Whisper.Title, "code: ")
	if !ok {
		c.Fatal("no code is shown")
	}
	return code
}

// Two accounts of one server become one: of two answers to one challenge the
// first counts, the board shows one line, and every figure follows from the facts.
func TestTwoAccountsBecomeOne(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ann", "g", m, "m1", "A")
	c.press("ben", "g", m, "m1", "B")
	c.missTest("ben")
	c.press("ben", "g", m, "m1", "B") // his verdict
	c.until(monday.Add(25 * time.Hour))
	c.press("ben", "g", c.last(), "m2", "A")
	c.types("ben", "", "settings vacation=2")
	c.joins("ann", "ben")
	for _, who := range []string{"ann", "ben"} {
		c.wants(c.types(who, "", "stats").Whisper, "7 answers") // two challenges and a test of five
		c.wants(c.types(who, "", "streak").Whisper, "2 days in a row")
	}
	c.until(monday.Add(49 * time.Hour))
	board := c.boardOf("board all")
	if strings.Contains(board, "2.") || !strings.Contains(board, "2 answered") {
		t.Errorf("the board:\n%s", board)
	}
	if n := len(c.ids("p/")); n != 1 {
		t.Errorf("%d people are left", n)
	}
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	c.wants(c.types("ben", "", "settings").Whisper, "Away until")
	// Who is erased is erased with both accounts.
	c.press("ben", "", c.types("ben", "", "erase").Whisper, "w", "Erase everything")
	c.wants(c.types("ann", "", "erase").Whisper, "I keep nothing about you")
}

// The longer of two streaks is not ended by what the other account missed.
func TestTheLongerStreakSurvivesTheJoin(t *testing.T) {
	c := newChat(t)
	c.types("admin", "h", "setup 08:30")
	c.daily("g")
	at := func(server string, n int) (*engine.Message, engine.Ref) {
		c.Helper()
		seen := 0
		for k := range c.posts.sent {
			if d := &c.posts.sent[k]; d.To.Server == server {
				if seen++; seen == n {
					return &d.Message, engine.Ref("m" + string(rune('0'+k+1)))
				}
			}
		}
		t.Fatalf("no challenge %d in %s", n, server)
		return nil, ""
	}
	m, ref := at("h", 1)
	c.press("ben", "h", m, ref, "A") // once, and then no more
	for day := 1; day <= 4; day++ {
		m, ref = at("g", day)
		c.press("ann", "g", m, ref, "A")
		c.until(monday.Add(time.Hour + time.Duration(day)*24*time.Hour))
	}
	c.wants(c.types("ann", "", "streak").Whisper, "4 days in a row")
	c.joins("ann", "ben")
	c.wants(c.types("ann", "", "streak").Whisper, "4 days in a row", "Longest so far: 4")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
}

// A code is good for ten minutes, for one other account, and only with a word
// from both.
func TestACodeIsNoRight(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	code := c.code("ann")
	c.wants(c.types("eve", "", "link NOSUCHCD").Whisper, "unknown or too old")
	// A stranger who saw it is named before anything is joined.
	c.press("eve", "", c.types("eve", "", "link "+code).Whisper, "w", "Yes, that is me")
	c.wants(c.types("ann", "", "link "+code).Whisper, "Are you also EVE")
	c.wants(c.types("ben", "", "link "+code).Whisper, "unknown or too old")
	c.wants(c.types("eve", "", "link "+code+" join").Whisper, "One step left")
	c.wants(c.types("eve", "", "stats").Whisper, "Nothing to show yet")
	c.now = c.now.Add(10 * time.Minute)
	c.wants(c.types("ann", "", "link "+code+" join").Whisper, "unknown or too old")
	c.wants(c.types("ann", "", "stats").Whisper, "5 answers")
}

// What ann has under way, and has said, is not lost in a join, whoever of the
// two has been here for longer.
func TestAJoinKeepsWhatIsUnderWay(t *testing.T) {
	c := newChat(t)
	c.missTest("ben")
	q := c.types("ann", "", "test quantization").Whisper
	v := c.miss("ann", q)
	f := c.press("ann", "", c.press("ann", "", v, "w", "Explain more").Replace, "w", "Something wrong?").Replace
	c.press("ann", "", f, "w", "A typo")
	c.joins("ann", "ben")
	next := c.press("ann", "", v, "w", "Next ▶").Replace
	c.wants(next, "Question 2 of 5")
	if got := strings.Count(c.dump("flag/"), "\n"); got != 1 {
		t.Errorf("%d flags are left", got)
	}
	c.press("ben", "", c.types("ben", "", "erase").Whisper, "w", "Erase everything")
	if got := c.dump("flag/"); got != "" {
		t.Errorf("after erase: %s", got)
	}
}
