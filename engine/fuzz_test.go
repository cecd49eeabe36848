package engine_test

import (
	"slices"
	"strings"
	"testing"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// Whatever is typed or pressed, by whomever and on whatever, is answered; what
// only an admin may do is not done for others. The verbs are those of the menu and
// of buttons, the arguments anything at all.
func FuzzHandle(f *testing.F) {
	e, err := engine.New(f.Context(), engine.Config{Store: storetest.Memory(), Bank: contenttest.Bank()})
	if err != nil {
		f.Fatal(err)
	}
	for _, cmd := range e.Commands() {
		f.Add(cmd.Name, "", "m1", true, false)
		f.Add(cmd.Name, "a 1 dk", "", false, true)
	}
	for _, verb := range []string{"vote", "pick", "next", "stop", "quiz", "link", "unlink", "flag", "", "line", "ballot", "joined"} {
		f.Add(verb, "AAAAAAAAAAAAAAAAAAAAAAAAAA 0a", "m1", true, true)
		f.Add(verb, "\x00 \xff "+strings.Repeat("x ", 100), "m1", false, false)
	}
	f.Fuzz(func(t *testing.T, verb, args, on string, server, admin bool) {
		c := newChat(t)
		c.types("boss", "g", "setup 09:00")
		c.types("ann", "", "test")
		place := "ann"
		in := c.input("ann", "")
		if server {
			in = c.input(place, "g")
		}
		in.Verb, in.Args, in.On, in.Admin = verb, strings.Fields(args), engine.Ref(on), admin
		before := settingsRead(c)
		r := c.do(in)
		if r.Whisper == nil && r.Replace == nil && r.Post == nil && r.Ask == nil && r.Look == nil {
			t.Errorf("%q %q: no answer", verb, args)
		}
		if after := settingsRead(c); server && !admin && !slices.Equal(before, after) {
			t.Errorf("%q %q by a member changed the server's settings", verb, args)
		}
	})
}

// settingsRead is what an admin reads of the server's settings.
func settingsRead(c *chat) []string {
	in := c.input("boss", "g")
	in.Verb, in.Admin = "setup", true
	r := c.do(in)
	if r.Look != nil {
		in.Sight = &engine.Sight{}
		r = c.do(in)
	}
	return []string{r.Whisper.Title, r.Whisper.Text.String()}
}
