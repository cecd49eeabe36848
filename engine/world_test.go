package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// chat is an engine over a strict store, with a clock and a scripted platform.
type chat struct {
	*testing.T
	e     *engine.Engine
	store engine.Store
	now   time.Time
	posts *platform
	n     int
}

// platform is a Poster that does what a test tells it, and remembers.
type platform struct {
	fail  []error // the outcome of the next posts; nil ones succeed
	sent  []engine.Delivery
	edits map[engine.Ref]engine.Message
	lost  error // the outcome of every edit
}

func (p *platform) Post(_ context.Context, d engine.Delivery) (engine.Receipt, error) {
	p.sent = append(p.sent, d)
	if len(p.fail) > 0 {
		err := p.fail[0]
		p.fail = p.fail[1:]
		if err != nil {
			return engine.Receipt{}, err
		}
	}
	return engine.Receipt{Ref: engine.Ref(fmt.Sprint("m", len(p.sent)))}, nil
}

func (p *platform) Edit(_ context.Context, _ engine.Place, ref engine.Ref, m engine.Message) error {
	if p.lost != nil {
		return p.lost
	}
	p.edits[ref] = m
	return nil
}

// posted reports whether a ref is that of a message everybody sees.
func (p *platform) posted(ref engine.Ref) bool {
	_, err := fmt.Sscanf(string(ref), "m%d", new(int))
	return err == nil
}

// finder is a platform that can be asked what became of a post.
type finder struct {
	*platform
	says    []engine.Finding
	receipt engine.Receipt
	asked   int
}

func (f *finder) Find(context.Context, engine.Delivery) (engine.Receipt, engine.Finding, error) {
	f.asked++
	says := f.says[0]
	if len(f.says) > 1 {
		f.says = f.says[1:]
	}
	return f.receipt, says, nil
}

// monday is 2026-01-05 08:00 UTC.
var monday = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

func newChat(t *testing.T) *chat {
	t.Helper()
	return newChatOn(t, storetest.Twice(storetest.Memory()))
}

func newChatOn(t *testing.T, store engine.Store) *chat {
	t.Helper()
	t.Cleanup(func() { store.Close() })
	e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: contenttest.Bank(), Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return &chat{T: t, e: e, store: store, now: monday, posts: &platform{edits: map[engine.Ref]engine.Message{}}}
}

// do gives the engine one Input, ten seconds after the last.
func (c *chat) do(in engine.Input) engine.Reply {
	c.Helper()
	c.n++
	c.now = c.now.Add(10 * time.Second)
	in.ID, in.At = fmt.Sprint("in-", c.n), c.now
	r, err := c.e.Handle(c.Context(), in)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

// types is a person typing a line in a server, or in private for server "".
func (c *chat) types(who, server, line string) engine.Reply {
	c.Helper()
	in := c.input(who, server)
	words := strings.Fields(line)
	in.Verb, in.Args = words[0], words[1:]
	r := c.do(in)
	if r.Look != nil { // all is well there
		in.Sight = &engine.Sight{}
		r = c.do(in)
	}
	return r
}

// press is a person pressing the button with this label on a message.
func (c *chat) press(who, server string, m *engine.Message, on engine.Ref, label string) engine.Reply {
	c.Helper()
	for _, row := range m.Buttons {
		for _, b := range row {
			if b.Label != label {
				continue
			}
			in := c.input(who, server)
			words := strings.Fields(b.Action)
			in.On, in.Verb, in.Args = on, words[0], words[1:]
			in.Own = !c.posts.posted(on)
			return c.do(in)
		}
	}
	c.Fatalf("no button %q on %q", label, m.Title)
	return engine.Reply{}
}

func (c *chat) input(who, server string) engine.Input {
	place := engine.Place{Platform: "test", Server: server, Chat: server}
	if server == "" {
		place.Chat = who
	}
	return engine.Input{
		From: engine.User{Platform: "test", ID: who, Name: strings.ToUpper(who)}, In: place,
		Admin: who == "admin",
	}
}

// until lets time pass.
func (c *chat) until(at time.Time) {
	c.Helper()
	c.untilWith(c.posts, at)
}

func (c *chat) untilWith(p engine.Poster, at time.Time) {
	c.Helper()
	if err := c.e.Advance(c.Context(), map[string]engine.Poster{"test": p}, at); err != nil {
		c.Fatal(err)
	}
	c.now = at
}

// daily sets a server up for 09:00 UTC and lets the first challenge go out.
func (c *chat) daily(server string, args ...string) *engine.Message {
	c.Helper()
	c.types("admin", server, strings.Join(append([]string{"setup 09:00"}, args...), " "))
	c.until(monday.Add(time.Hour))
	return c.last()
}

// last is the newest post.
func (c *chat) last() *engine.Message {
	c.Helper()
	if len(c.posts.sent) == 0 {
		c.Fatal("nothing was posted")
	}
	return &c.posts.sent[len(c.posts.sent)-1].Message
}

// wants fails unless the text or title of m holds all the words.
func (c *chat) wants(m *engine.Message, words ...string) {
	c.Helper()
	if m == nil {
		c.Fatalf("no message, want %q", words)
	}
	all := m.Title + "\n" + m.Text.String()
	for _, w := range words {
		if !strings.Contains(all, w) {
			c.Errorf("%q does not say %q", all, w)
		}
	}
}
