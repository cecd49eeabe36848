package engine_test

import (
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// look is what the platform says, handed in as an adapter does.
func (c *chat) look(who, server, line string, s engine.Sight) engine.Reply {
	c.Helper()
	in := c.input(who, server)
	words := strings.Fields(line)
	in.Verb, in.Args = words[0], words[1:]
	r := c.do(in)
	if r.Look == nil || r.Look.Place.Chat != server {
		c.Fatalf("%s does not look where the challenge is posted: %+v", line, r.Look)
	}
	in.Sight = &s
	return c.do(in)
}

// The check says what would stop the next post and what to do about it.
func TestSetupCheckSaysWhatIsWrong(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00")
	cases := []struct {
		see  engine.Sight
		want []string
	}{
		{engine.Sight{}, []string{"All is well", "I may post there", "Next posts"}},
		{engine.Sight{Gone: true}, []string{"needs you", "The channel is gone"}},
		{engine.Sight{Unclear: true}, []string{"needs you", "Check again"}},
		{engine.Sight{Lacks: []engine.Right{engine.ToSend, engine.ToRead}}, []string{"needs you", "right to send messages", "never post twice"}},
		{engine.Sight{Lacks: []engine.Right{engine.ToReply, engine.ToFile}}, []string{"needs you", "messages in threads", "send files"}},
	}
	for _, k := range cases {
		c.wants(c.look("admin", "g", "setup check", k.see).Whisper, k.want...)
	}
	c.posts.fail = []error{&engine.PostError{Kind: engine.Refused}}
	c.until(monday.Add(time.Hour))
	c.wants(c.look("admin", "g", "setup check", engine.Sight{}).Whisper, "needs you", "A post failed Mon 5 Jan 09:00", "refused its content")
	c.until(monday.Add(25 * time.Hour))
	c.wants(c.look("admin", "g", "setup check", engine.Sight{}).Whisper, "All is well", "Last post: Tue 6 Jan")
	c.posts.fail = []error{&engine.PostError{Kind: engine.Forbidden}}
	c.until(monday.Add(49 * time.Hour))
	c.wants(c.look("admin", "g", "setup check", engine.Sight{Lacks: []engine.Right{engine.ToSend}}).Whisper, "Nothing is posted", "Give me the right to send messages")
	c.wants(c.types("ann", "g", "setup check").Whisper, "people who manage this server")
}

// A preview is the challenge that then comes; whoever saw it gets no points,
// also when the settings were changed and changed back in between.
func TestWhoPreviewsGetsNoPoints(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00 level=mid")
	seen := c.types("admin", "g", "setup preview").Whisper
	c.wants(seen, "Next challenge, Mon 5 Jan 09:00", "Only you see this", "Right: ")
	c.types("admin", "g", "setup level=junior")
	c.types("admin", "g", "setup level=mid")
	c.until(monday.Add(time.Hour))
	m := c.last()
	stem, _, _ := strings.Cut(m.Text.String(), "\n")
	if !strings.Contains(seen.Text.String(), stem) {
		t.Fatalf("previewed %q, posted %q", seen.Text.String(), stem)
	}
	c.wants(c.press("admin", "g", m, "m1", c.key(m, "m1")).Whisper, "Right", "previewed", "a streak begins")
	c.press("ann", "g", m, "m1", c.key(m, "m1"))
	c.until(monday.Add(25 * time.Hour))
	board := c.boardOf("board all")
	for _, want := range []string{"1. ANN (you): 1.0", "ADMIN: 0.0"} {
		if !strings.Contains(board, want) {
			t.Errorf("the board does not say %q:\n%s", want, board)
		}
	}
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	c.types("admin", "g", "pause")
	c.wants(c.types("admin", "g", "setup preview").Whisper, "No daily challenge runs here")
}

// An excused day breaks nobody's streak, neither the server's nor that of a
// member who has answered since.
func TestAnExcusedDayBreaksNoStreak(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	c.press("ann", "g", m, "m1", "A")
	c.until(monday.Add(49 * time.Hour)) // Wednesday; nobody answered on Tuesday
	c.press("ann", "g", c.last(), "m3", "A")
	c.wants(c.types("ann", "g", "streak").Whisper, "1 day in a row", "This server: 1 day ")
	form := c.types("admin", "g", "setup excuse").Whisper
	c.wants(c.press("admin", "g", form, "w", "Tue 6 Jan").Replace, "breaks nobody's streak", "2 days")
	c.until(c.now.Add(time.Minute))
	c.wants(c.types("ann", "g", "streak").Whisper, "2 days in a row", "This server: 2 days")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Errorf("by the facts:\n%s", got.Text())
	}
	if again := c.types("admin", "g", "setup excuse").Whisper; strings.Contains(again.Text.String()+again.Buttons[0][0].Label, "Tue") {
		t.Error("the day can be excused again")
	}
}

// The role is mentioned with every post until an admin says otherwise; a press
// can only end that.
func TestARoleIsMentioned(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00 role=4242").Whisper
	c.wants(form, "mentions the role")
	for _, bad := range []string{"role=@everyone", "role=<@&1>", "role=g"} {
		c.wants(c.types("admin", "g", "setup "+bad).Whisper, "one of this server's roles")
	}
	in := c.input("admin", "g")
	in.On, in.Verb = "w", "set"
	in.Args = append(strings.Fields(form.Buttons[0][0].Action)[1:2], "role", "666")
	c.wants(c.do(in).Whisper, "belong to another")
	c.until(monday.Add(time.Hour))
	if p := c.last().Ping; p == nil || p.ID != "4242" {
		t.Errorf("the post mentions %+v", p)
	}
	c.press("admin", "g", form, "w", "Mention nobody")
	c.until(monday.Add(25 * time.Hour))
	if p := c.last().Ping; p != nil {
		t.Errorf("the next post mentions %+v", p)
	}
}
