package telegram

import (
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// What the bot lacks in the group is told to who sets it up.
func TestTheCheckKnowsTheGroupsRights(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.start(ann)
	w.next(ann, w.text(ann, group, "/setup 09:00"))
	check := func(want string) {
		t.Helper()
		if got := w.next(ann, w.text(ann, group, "/setup check")).Words(); !strings.Contains(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	check("All is well")
	w.must(w.tg.Mute(ann, group, true))
	check("Give me the right to send messages")
	w.must(w.tg.Mute(ann, group, false))
	check("I may post there")
	w.clean()
}

func TestSightOfAMembership(t *testing.T) {
	yes, no := true, false
	for name, k := range map[string]struct {
		m    membership
		want engine.Sight
	}{
		"an administrator":       {membership{Status: "administrator"}, engine.Sight{}},
		"may post in a channel":  {membership{Status: "administrator", Post: &yes}, engine.Sight{}},
		"may not post":           {membership{Status: "administrator", Post: &no}, engine.Sight{Lacks: []engine.Right{engine.ToSend}}},
		"removed":                {membership{Status: "kicked"}, engine.Sight{Gone: true}},
		"restricted, and left":   {membership{Status: "restricted"}, engine.Sight{Gone: true}},
		"restricted to words":    {membership{Status: "restricted", IsMember: true, Send: true}, engine.Sight{Lacks: []engine.Right{engine.ToFile}}},
		"restricted to nothing":  {membership{Status: "restricted", IsMember: true}, engine.Sight{Lacks: []engine.Right{engine.ToSend, engine.ToFile}}},
		"restricted in no thing": {membership{Status: "restricted", IsMember: true, Send: true, Photos: true, Files: true}, engine.Sight{}},
	} {
		got := k.m.sight()
		if got.Gone != k.want.Gone || len(got.Lacks) != len(k.want.Lacks) {
			t.Errorf("%s: %+v, want %+v", name, got, k.want)
			continue
		}
		for n := range got.Lacks {
			if got.Lacks[n] != k.want.Lacks[n] {
				t.Errorf("%s: %+v, want %+v", name, got, k.want)
			}
		}
	}
}
