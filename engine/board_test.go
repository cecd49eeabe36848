package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// key is the letter that is right on the last post, found by asking with a
// stranger in private.
func (c *chat) key(m *engine.Message, ref engine.Ref) string {
	c.Helper()
	r := c.press("oracle", "g", m, ref, "I don't know")
	_, letter, ok := strings.Cut(r.Whisper.Title, "it is ")
	if !ok {
		_, letter, ok = strings.Cut(r.Whisper.Title, "It is ")
	}
	if !ok {
		c.Fatalf("no letter in %q", r.Whisper.Title)
	}
	return letter
}

// answers lets people answer the newest challenge: right, wrong or not.
func (c *chat) answers(how map[string]string) {
	c.Helper()
	ref := engine.Ref(fmt.Sprint("m", len(c.posts.sent)))
	m := c.last()
	key := c.key(m, ref)
	wrong := "A"
	if key == "A" {
		wrong = "B"
	}
	for _, who := range []string{"ann", "ben", "cat", "dan"} {
		if h := how[who]; h != "" {
			c.press(who, "g", m, ref, map[string]string{"right": key, "wrong": wrong, "dk": "I don't know"}[h])
		}
	}
}

func (c *chat) boardOf(line string) string {
	c.Helper()
	return c.types("ann", "g", line).Whisper.Text.String()
}

// Right counts one, not knowing nothing, wrong a third of a point off; equal
// points share a place, and a new week begins at zero.
func TestBoardRanksFairly(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("ann", "g", "board").Whisper, "This week", "Nobody has points")
	c.daily("g")
	c.answers(map[string]string{"ann": "right", "ben": "right", "cat": "wrong", "dan": "dk"})
	c.until(monday.Add(25 * time.Hour)) // it has closed
	got := c.boardOf("board")
	for _, want := range []string{"1. ANN (you): 1.0", "1. BEN: 1.0", "3. DAN: 0.0", "5. CAT: -0.3"} {
		if !strings.Contains(got, want) {
			t.Errorf("the board does not say %q:\n%s", want, got)
		}
	}
	c.until(monday.Add((7*24 + 1) * time.Hour)) // the next Monday's post
	c.answers(map[string]string{"dan": "right"})
	c.until(monday.Add((8*24 + 1) * time.Hour))
	if got := c.boardOf("board week"); !strings.Contains(got, "1. DAN: 1.0") || strings.Contains(got, "BEN") {
		t.Errorf("in the new week:\n%s", got)
	}
	if got := c.boardOf("board all"); !strings.Contains(got, "BEN: 1.0") || !strings.Contains(got, "DAN: 1.0 · 2 answered") {
		t.Errorf("of all time:\n%s", got)
	}
	c.sound()
}

// The last challenge's board is of one that is closed: an open one would tell
// what others answered.
func TestBoardOfTheDayWaitsForTheReveal(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.answers(map[string]string{"ann": "wrong", "ben": "right"})
	c.wants(c.types("ann", "g", "board day").Whisper, "No challenge has closed yet")
	c.until(monday.Add((24 + 2) * time.Hour))
	r := c.types("ann", "g", "board day").Whisper
	c.wants(r, "Mon 5 Jan", "BEN: 1.0", "ANN (you): -0.3")
}

// No board tells how somebody answered a challenge that is still open.
func TestBoardsKeepAnOpenChallengeToThemselves(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.answers(map[string]string{"ann": "right", "ben": "wrong"})
	for _, period := range []string{"week", "month", "all"} {
		c.wants(c.types("ann", "g", "board "+period).Whisper, "Nobody has points")
	}
	c.until(monday.Add(25 * time.Hour)) // Tuesday's is out, Monday's is closed
	c.answers(map[string]string{"ann": "wrong", "ben": "right"})
	for _, period := range []string{"week", "month", "all"} {
		got := c.boardOf("board " + period)
		if !strings.Contains(got, "1. ANN (you): 1.0 · 1 answered") || !strings.Contains(got, "BEN: -0.3 · 1 answered") {
			t.Errorf("the board of %s shows more than Monday:\n%s", period, got)
		}
	}
	c.sound()
}

// A name can neither break the board's lines nor turn them round.
func TestBoardShowsAnyNamePlainly(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	for _, name := range []string{"a\n1. EVE: 99.0", "\u202eevil\u2066", strings.Repeat("x", 100), " \t\u200b "} {
		in := c.input(name, "g")
		in.From.Name = name
		words := strings.Fields(m.Buttons[1][0].Action)
		in.On, in.Verb, in.Args = "m1", words[0], words[1:]
		c.do(in)
	}
	c.until(monday.Add(25 * time.Hour)) // it has closed
	got := c.boardOf("board")
	for _, bad := range []string{"\n1. EVE", "\u202e", "\u2066", strings.Repeat("x", 40)} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is on the board:\n%s", bad, got)
		}
	}
	if n := strings.Count(got, "0.0"); n != 4 || !strings.Contains(got, "?: 0.0") {
		t.Errorf("%d of four people are on the board:\n%s", n, got)
	}
}

// Who does not want to be shown is not, and who is erased is gone.
func TestBoardLeavesOut(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.answers(map[string]string{"ann": "right", "ben": "right", "cat": "right"})
	c.types("ben", "g", "settings board=hide")
	c.press("cat", "", c.types("cat", "", "erase").Whisper, "w", "Erase everything")
	c.until(monday.Add(25 * time.Hour)) // it has closed
	got := c.boardOf("board")
	if strings.Contains(got, "BEN") || strings.Contains(got, "CAT") || !strings.Contains(got, "ANN") {
		t.Errorf("the board says:\n%s", got)
	}
	if left := c.dump("board/"); strings.Count(left, "\n") != 3 { // ann, ben and the oracle
		t.Errorf("standings are left of whom was erased:\n%s", left)
	}
	c.wants(c.types("ann", "", "board").Whisper, "server or group")
	c.wants(c.types("ann", "g", "board why").Whisper, "How points work", "third of a point")
	c.wants(c.types("ann", "g", "board year").Whisper, "week, day, month, all, why")
}

// Who has left the server is not shown to others, and the next one moves up;
// their points stay for the day they are back.
func TestWhoLeftIsNotShown(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.answers(map[string]string{"ann": "wrong", "ben": "right", "cat": "dk"})
	c.until(monday.Add(25 * time.Hour))
	in := c.input("ann", "g")
	in.Verb = "board"
	r := c.do(in)
	if r.Look == nil || len(r.Look.Members) != 3 { // ben, cat and the oracle
		t.Fatalf("it asks about %+v", r.Look)
	}
	for left, want := range map[string]string{"": "1. BEN: 1.0", "ben": "2. CAT: 0.0"} {
		in.Sight = &engine.Sight{Left: []string{left, "stranger"}}
		got := c.do(in).Whisper.Text.String()
		if !strings.Contains(got, want) || strings.Contains(got, "BEN") != (left == "") || !strings.Contains(got, "ANN (you)") {
			t.Errorf("when %q has left:\n%s", left, got)
		}
	}
}
