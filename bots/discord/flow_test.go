package discord

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

func TestATestFromTheFirstQuestionToTheSummary(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	r := w.shown(w.slash(w.Alice, w.General, "test", bottest.Opt{Name: "scope", Value: "caching"}))
	id := r.Message.ID
	for n := range 5 {
		if !r.Ephemeral || r.Message.ID != id || !strings.Contains(r.Message.Content, "Which of these is **right** about `cache[") {
			t.Fatalf("question %d: %+v", n+1, r.Message)
		}
		r = w.shown(w.click(w.Alice, id, "A"))
		if r.Type != bottest.CallbackUpdate || !strings.Contains(r.Message.Content, "The right one is right.") {
			t.Fatalf("verdict %d: %+v", n+1, r.Message)
		}
		r = w.shown(w.click(w.Alice, id, "next "))
	}
	if !strings.Contains(r.Message.Content, "of 5 right") {
		t.Errorf("the summary reads %q", r.Message.Content)
	}
	if seen := w.d.Visible(w.General, w.Bob); len(seen) != 0 {
		t.Errorf("bob sees %d messages of alice's test", len(seen))
	}
	w.clean()
}

// publicDaily sets the daily up in the server and posts it now.
func publicDaily(w *world, opts ...bottest.Opt) bottest.Message {
	w.Helper()
	form := w.shown(w.slash(w.Admin, w.General, "setup", opts...))
	if !form.Ephemeral {
		w.Error("the form is there for everybody to see")
	}
	w.shown(w.click(w.Admin, form.Message.ID, "Post"))
	return *w.daily(w.General)
}

// daily waits for the daily in a channel.
func (w *world) daily(channel string) *bottest.Message {
	w.Helper()
	var daily *bottest.Message
	_, err := w.d.WaitVisible(w.soon(), channel, w.Bob, func(list []bottest.Message) bool {
		for _, m := range list {
			if strings.HasPrefix(m.Button("A"), "vote ") {
				daily = &m
			}
		}
		return daily != nil
	})
	w.must(err)
	return daily
}

func TestThePublicDailyIsAnsweredInPrivateAndOnce(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	daily := publicDaily(w)
	first := w.shown(w.click(w.Alice, daily.ID, "A"))
	other := w.shown(w.click(w.Bob, daily.ID, "B"))
	for who, r := range map[string]bottest.Response{w.Alice: first, w.Bob: other} {
		if !r.Ephemeral || r.Message.For != who || !strings.Contains(r.Message.Content, "The right one is right.") {
			t.Errorf("the verdict: %+v", r.Message)
		}
	}
	again := w.shown(w.click(w.Alice, daily.ID, "C"))
	verdict, _, _ := strings.Cut(first.Message.Content, "\n")
	if !strings.HasPrefix(again.Message.Content, verdict) {
		t.Errorf("a second press says %q, the first said %q", again.Message.Content, first.Message.Content)
	}
	if m, _ := w.d.Message(daily.ID); m.Edits != 0 {
		t.Error("the daily changed for everybody")
	}
	if n := w.requests("POST", "/channels/"+w.General+"/messages"); n != 1 {
		t.Errorf("the daily was posted %d times", n)
	}
	w.clean()
}

func TestTheFirstVerdictSurvivesARestart(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	daily := publicDaily(w)
	first := w.shown(w.click(w.Alice, daily.ID, "A"))
	w.must(w.stop())
	w.run(nil)
	again := w.shown(w.click(w.Alice, daily.ID, "B"))
	verdict, _, _ := strings.Cut(first.Message.Content, "\n")
	if !strings.HasPrefix(again.Message.Content, verdict) {
		t.Errorf("after a restart %q, before %q", again.Message.Content, first.Message.Content)
	}
	if n := w.requests("PUT", "/commands"); n != 1 {
		t.Errorf("the same commands were registered %d times", n)
	}
	w.clean()
}

func TestSettingsOnlyForThoseWhoManageTheServer(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	if _, err := w.d.Slash(w.Alice, w.General, "setup"); !errors.Is(err, bottest.ErrNotOffered) {
		t.Errorf("setup is offered to a member: %v", err)
	}
	if _, err := w.d.Slash(w.Admin, w.d.DM(w.Admin), "setup"); !errors.Is(err, bottest.ErrNotOffered) {
		t.Errorf("setup is offered in a private chat: %v", err)
	}
	r := w.shown(w.slash(w.Admin, w.General, "setup",
		bottest.Opt{Name: "time", Value: "08:30"}, bottest.Opt{Name: "zone", Value: "Europe/Berlin"},
		bottest.Opt{Name: "quorum", Value: 3}, bottest.Opt{Name: "channel", Value: w.News}, bottest.Opt{Name: "level", Value: "mid"}))
	for _, word := range []string{"08:30", "Europe/Berlin", "mid", w.News} {
		if !strings.Contains(r.Message.Content, word) {
			t.Errorf("the form lacks %q: %q", word, r.Message.Content)
		}
	}
	w.clean()
}

func TestAFormAsksForALineOfText(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	settings := w.shown(w.slash(w.Alice, w.General, "settings"))
	ask := w.click(w.Alice, settings.Message.ID, "my ask zone")
	r := w.shown(ask)
	if r.Type != bottest.CallbackModal || r.Modal.CustomID != "my zone" {
		t.Fatalf("a press that asks: %+v", r)
	}
	wrote, err := w.d.Submit(ask, map[string]string{lineInput: " Asia/Tokyo "})
	w.must(err)
	r = w.shown(wrote)
	if r.Type != bottest.CallbackUpdate || r.Message.ID != settings.Message.ID || !strings.Contains(r.Message.Content, "Asia/Tokyo") {
		t.Errorf("the settings afterwards: %d, %q", r.Type, r.Message.Content)
	}
	wrote, err = w.d.Submit(ask, map[string]string{lineInput: "Nowhere"})
	w.must(err)
	if r = w.shown(wrote); r.Type != bottest.CallbackMessage || !r.Ephemeral {
		t.Errorf("the answer to nonsense: %+v", r)
	}
	w.clean()
}

func TestAFormThatComesTooLateIsBehindAButton(t *testing.T) {
	var m *meddler
	release := make(chan struct{})
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Verb == "my" && in.Args[0] == "ask" {
			<-release
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(func(b *Bot) { b.ackWithin = 30 * time.Millisecond })
	settings := w.shown(w.slash(w.Alice, w.General, "settings"))
	slow := w.click(w.Alice, settings.Message.ID, "my ask zone")
	if r, err := slow.Wait(w.soon()); err != nil || r.Type != bottest.CallbackDeferUpdate {
		t.Fatalf("the promise: %+v, %v", r, err)
	}
	close(release)
	r, err := slow.WaitFor(w.soon(), func(r bottest.Response) bool { return len(r.FollowUps) == 1 })
	w.must(err)
	door := r.FollowUps[0]
	if !door.Ephemeral() || !strings.Contains(door.Content, "Europe/Berlin") {
		t.Errorf("the door: %+v", door)
	}
	handled := len(m.seen())
	ask := w.click(w.Alice, door.ID, askPrefix)
	if r := w.shown(ask); r.Type != bottest.CallbackModal || r.Modal.CustomID != "my zone" {
		t.Fatalf("behind the door: %+v", r)
	}
	if len(m.seen()) != handled {
		t.Error("the engine was asked again for the same form")
	}
	wrote, err := w.d.Submit(ask, map[string]string{lineInput: "Asia/Tokyo"})
	w.must(err)
	if r := w.shown(wrote); !strings.Contains(r.Message.Content, "Asia/Tokyo") {
		t.Errorf("the settings afterwards: %q", r.Message.Content)
	}
	w.clean()
}

func TestAutocompleteComesFromTheEngine(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	for _, c := range []struct{ command, option, typed, want string }{
		{"settings", "zone", "berl", "Europe/Berlin"},
		{"test", "scope", "cach", "caching"},
	} {
		it, err := w.d.Autocomplete(w.Alice, w.General, c.command, bottest.Opt{Name: c.option, Value: c.typed})
		w.must(err)
		r := w.shown(it)
		if len(r.Choices) == 0 || r.Choices[0].Value != c.want {
			t.Errorf("/%s %s: %q suggests %v, want %s first", c.command, c.option, c.typed, r.Choices, c.want)
		}
	}
	it, err := w.d.Autocomplete(w.Admin, w.General, "setup", bottest.Opt{Name: "days", Value: "zzz"})
	w.must(err)
	if r := w.shown(it); r.Type != bottest.CallbackAutocomplete || len(r.Choices) != 0 {
		t.Errorf("nonsense suggests %v", r.Choices)
	}
	w.clean()
}

func TestASlowEngineIsCoveredByAPromise(t *testing.T) {
	slow := map[string]chan struct{}{"help": make(chan struct{}), "topics": make(chan struct{}), "vote": make(chan struct{}), "stats": make(chan struct{})}
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if gate := slow[in.Verb]; gate != nil && !(in.Verb == "help" && in.On != "") {
			<-gate
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(func(b *Bot) { b.ackWithin = 30 * time.Millisecond })

	typed := w.slash(w.Alice, w.General, "help")
	if r, err := typed.Wait(w.soon()); err != nil || r.Type != bottest.CallbackDefer || !r.Ephemeral || !r.Deferred {
		t.Fatalf("the promise to a command: %+v, %v", r, err)
	}
	close(slow["help"])
	r := w.shown(typed)
	if !r.Ephemeral || !strings.Contains(r.Message.Content, "/test") || len(r.FollowUps) != 0 {
		t.Errorf("the promise kept: %+v", r)
	}

	daily := publicDaily(w)
	vote := w.click(w.Bob, daily.ID, "A")
	if r, err := vote.Wait(w.soon()); err != nil || r.Type != bottest.CallbackDefer || !r.Ephemeral {
		t.Fatalf("the promise to a vote: %+v, %v", r, err)
	}
	close(slow["vote"])
	if r := w.shown(vote); !strings.Contains(r.Message.Content, "The right one is right.") {
		t.Errorf("the verdict: %q", r.Message.Content)
	}

	private := w.slash(w.Alice, w.d.DM(w.Alice), "topics")
	if r, err := private.Wait(w.soon()); err != nil || r.Type != bottest.CallbackDefer || r.Ephemeral {
		t.Fatalf("the promise in private: %+v, %v", r, err)
	}
	close(slow["topics"])
	if r := w.shown(private); r.Ephemeral || !strings.Contains(r.Message.Content, "Serving") {
		t.Errorf("topics in private: %+v", r.Message)
	}
	w.clean()
}

func TestAnEngineThatFailsIsApologisedFor(t *testing.T) {
	var m *meddler
	stuck := make(chan struct{})
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		switch in.Verb {
		case "help":
			return engine.Reply{}, errors.New("the disk is full")
		case "stats":
			panic("what alice wrote")
		case "streak":
			<-stuck // heeds no context
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(func(b *Bot) { b.ackWithin, b.within = 20*time.Millisecond, 500*time.Millisecond })
	defer close(stuck)
	for _, verb := range []string{"help", "stats", "streak"} {
		it := w.slash(w.Alice, w.General, verb)
		r := w.shown(it)
		if !r.Ephemeral || r.Message.Content != "Something went wrong. Please try again." {
			t.Errorf("after %s failed: %+v", verb, r.Message)
		}
	}
	w.until("all was set aside", func() bool { return len(m.setAside()) == 3 })
	for _, kept := range m.setAside() {
		if strings.Contains(kept, "token-") {
			t.Errorf("set aside with the token: %s", kept)
		}
	}
	if strings.Contains(w.log.String(), "alice wrote") {
		t.Error("the log shows what a panic carried")
	}
	if r := w.shown(w.slash(w.Alice, w.General, "topics")); !strings.Contains(r.Message.Content, "Serving") {
		t.Errorf("afterwards topics reads %q", r.Message.Content)
	}
	w.clean()
}

func TestOnePersonsDoingsKeepTheirOrder(t *testing.T) {
	var m *meddler
	gate := make(chan struct{})
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Verb == "help" {
			<-gate
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(func(b *Bot) { b.ackWithin = 30 * time.Millisecond })
	first := w.slash(w.Alice, w.General, "help")
	second := w.slash(w.Alice, w.General, "topics")
	other := w.shown(w.slash(w.Bob, w.General, "topics"))
	if !strings.Contains(other.Message.Content, "Serving") {
		t.Errorf("bob reads %q", other.Message.Content)
	}
	if r, err := second.Wait(w.soon()); err != nil || !r.Deferred {
		t.Errorf("who waits for a turn has no promise: %+v, %v", r, err)
	}
	close(gate)
	w.shown(first)
	w.shown(second)
	var verbs []string
	for _, in := range m.seen() {
		if in.From.ID == w.Alice {
			verbs = append(verbs, in.Verb)
		}
	}
	if got := strings.Join(verbs, " "); got != "help topics" {
		t.Errorf("handled in the order %s", got)
	}
	w.clean()
}

func TestAllPartsOfAReplyAreShown(t *testing.T) {
	say := func(s string) *engine.Message { return &engine.Message{Text: content.Plain(s)} }
	long := strings.Repeat("many words ", 1000)
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(_ context.Context, in engine.Input) (engine.Reply, error) {
		switch {
		case in.Verb == "stats":
			return engine.Reply{Post: &engine.Message{Text: content.Plain("for all"), Image: &engine.Image{PNG: []byte("png"), Alt: "a picture"}, Buttons: [][]engine.Button{{{Label: "more", Action: "topics"}}}}}, nil
		case in.On != "":
			return engine.Reply{Replace: say("instead"), Whisper: say("for you"), Post: say("for all again")}, nil
		}
		return engine.Reply{Whisper: say(long)}, nil
	}
	w.run(nil)
	it := w.slash(w.Alice, w.General, "help")
	r, err := it.WaitFor(w.soon(), func(r bottest.Response) bool { return len(r.FollowUps) == 2 })
	w.must(err)
	whole := r.Message.Text() + r.FollowUps[0].Text() + r.FollowUps[1].Text()
	if n := strings.Count(whole, "many"); n != 1000 || !r.Ephemeral || !r.FollowUps[1].Ephemeral() {
		t.Errorf("%d of 1000 words arrived, hidden %v", n, r.Ephemeral)
	}
	posted := w.shown(w.slash(w.Alice, w.General, "stats"))
	if posted.Ephemeral || len(posted.Message.Attachments) != 1 || string(posted.Message.Attachments[0].Data) != "png" {
		t.Errorf("what all shall see: %+v", posted.Message)
	}
	it = w.click(w.Bob, posted.Message.ID, "more")
	r, err = it.WaitFor(w.soon(), func(r bottest.Response) bool { return len(r.FollowUps) == 2 })
	w.must(err)
	if r.Message.ID != posted.Message.ID || len(r.Message.Attachments) != 0 || r.Message.Content != "instead" || !r.FollowUps[0].Ephemeral() ||
		r.FollowUps[0].Content != "for you" || r.FollowUps[1].Ephemeral() || r.FollowUps[1].Content != "for all again" {
		t.Errorf("the parts: %+v, %+v", r.Message, r.FollowUps)
	}
	w.clean()
}

func TestAReplacementForAnErasedMessageIsSentAnew(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	var daily string
	m.handle = func(_ context.Context, in engine.Input) (engine.Reply, error) {
		if in.On == "" {
			return engine.Reply{Post: &engine.Message{Text: content.Plain("press"), Buttons: [][]engine.Button{{{Label: "more", Action: "topics"}}}}}, nil
		}
		w.d.EraseMessage(daily) // by somebody else, just now
		return engine.Reply{Replace: &engine.Message{Text: content.Plain("instead")}}, nil
	}
	w.run(nil)
	daily = w.shown(w.slash(w.Alice, w.General, "stats")).Message.ID
	r := w.shown(w.click(w.Bob, daily, "more"))
	if r.Type != bottest.CallbackMessage || !r.Ephemeral || r.Message.Content != "instead" {
		t.Errorf("in place of an erased message: %+v", r.Message)
	}
	w.clean()
}
