package discord

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

func TestAPrivateChatIsAnsweredInTheOpen(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	dm := w.d.DM(w.Alice)
	r := w.shown(w.slash(w.Alice, dm, "start"))
	if r.Ephemeral {
		t.Error("a message in a private chat would be gone after a restart of the app")
	}
	r = w.shown(w.click(w.Alice, r.Message.ID, "test"))
	if r.Type != bottest.CallbackUpdate || !strings.Contains(r.Message.Content, "Which of these") {
		t.Errorf("a test in private: %+v", r.Message)
	}
	w.clean()
}

func TestManyPeopleAtOnceAreAllAnsweredAndCountedOnce(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	daily := publicDaily(w)
	var presses []*bottest.Interaction
	for n := range 20 {
		who := w.d.AddPerson(bottest.Person{Name: fmt.Sprint("person ", n)})
		w.d.AddMember(w.Guild, bottest.Member{User: who, Permissions: bottest.PermsMember})
		for _, letter := range []string{"A", "B"} { // the second changes its mind
			presses = append(presses, w.click(who, daily.ID, letter))
		}
	}
	for n := 0; n < len(presses); n += 2 {
		first, second := w.shown(presses[n]), w.shown(presses[n+1])
		verdict, _, _ := strings.Cut(first.Message.Content, "\n")
		if !first.Ephemeral || !strings.HasPrefix(second.Message.Content, verdict) {
			t.Fatalf("first %q, then %q", first.Message.Content, second.Message.Content)
		}
	}
	w.clean()
}

func TestTooManyAtOnceAreTurnedAwayAndForgotten(t *testing.T) {
	var m *meddler
	gate := make(chan struct{})
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Verb == "help" {
			<-gate
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(func(b *Bot) { b.slots = make(chan struct{}, 2) })
	w.until("the start is over", func() bool { return len(m.events()) == 1 && len(w.bot.slots) == 0 })
	held := []*bottest.Interaction{w.slash(w.Alice, w.General, "help"), w.slash(w.Alice, w.General, "help")}
	w.until("both are served", func() bool { return len(w.bot.slots) == 2 })
	lost := w.slash(w.Alice, w.General, "topics")
	w.until("one is turned away", func() bool { return w.counts.get("update crowded") == 1 })
	close(gate)
	for _, it := range held {
		w.shown(it)
	}
	w.until("there is room", func() bool { return len(w.bot.slots) == 0 })
	w.shown(w.slash(w.Alice, w.General, "topics")) // the lane is free
	if r := lost.Response(); r.Type != 0 {
		t.Errorf("who was turned away got %+v", r)
	}
	w.clean()
}
