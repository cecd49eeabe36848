package telegram

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// meddle makes a world with a meddler before its engine.
func meddle(t *testing.T) (*world, *meddler) {
	t.Helper()
	t.Parallel()
	m := &meddler{}
	w := newWorld(t, bottest.TelegramOptions{}, func(c *Config) {
		m.Engine, c.Engine = c.Engine, m
		c.Drain = 5 * time.Second
	})
	return w, m
}

// poison is what no decoder of messages can take.
const poison = `{"message":{"message_id":"x","date":[],"chat":7}}`

func TestAPoisonousUpdateIsSetAsideWhileOthersGoOn(t *testing.T) {
	w, m := meddle(t)
	before := w.text(ann, ann, "/start")
	id, err := w.tg.Poison(poison)
	w.must(err)
	after := w.text(bob, bob, "/start")
	w.run()
	w.next(ann, before)
	w.next(bob, after)
	w.must(w.tg.Acknowledged(w.soon()))
	if kept := m.setAside(); len(kept) != 1 || kept[0] != strconv.FormatInt(id, 10) {
		t.Errorf("set aside: %v, want only %d", kept, id)
	}
	w.clean()
}

func TestUnknownMediaStopsNoButton(t *testing.T) {
	w, m := meddle(t)
	w.run()
	greeting := w.start(ann)
	press := w.press(ann, greeting, "help")
	w.answered(press)
	raw, ok := w.tg.Update(int64(press.UpdateID))
	if !ok {
		t.Fatal("no such update")
	}
	strange := strings.Replace(string(raw), `"text":`,
		`"paid_media":{"star_count":1,"paid_media":[{"type":"invented_tomorrow"}]},"text":`, 1)
	strange = strings.Replace(strange, `"id":"`, `"id":"9`, 1)
	_, err := w.tg.Poison(strange)
	w.must(err)
	w.until("the second press is handled", func() bool {
		inputs := m.seen()
		return len(inputs) == 3 && inputs[2].Verb == "help"
	})
	if kept := m.setAside(); len(kept) != 0 {
		t.Errorf("set aside: %v", kept)
	}
}

func TestTheOffsetWaitsForTheCommit(t *testing.T) {
	w, m := meddle(t)
	begun, free := make(chan struct{}), make(chan struct{})
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.From.ID != strconv.FormatInt(ann, 10) {
			return m.Engine.Handle(ctx, in)
		}
		close(begun)
		select { // a store that does not come to an end
		case <-free:
			return m.Engine.Handle(ctx, in)
		case <-ctx.Done():
			return engine.Reply{}, ctx.Err()
		}
	}
	defer close(free)
	lost := w.text(ann, ann, "/start")
	fine := w.text(bob, bob, "/start")
	w.cfg.Drain = time.Millisecond // as good as a kill
	w.launch(nil)
	<-begun
	w.next(bob, fine)
	w.must(w.stop())
	if n := w.tg.Pending(); n == 0 {
		t.Fatal("an update was acknowledged that was not handled")
	}
	if kept := m.setAside(); len(kept) != 0 {
		t.Errorf("set aside at a stop: %v", kept)
	}
	m.handle = nil
	w.run()
	if got := w.next(ann, lost); !strings.Contains(got.Words(), "interview") {
		t.Errorf("after the restart: %q", got.Words())
	}
	w.clean()
}

func TestAnUpdateThatIsNeitherHandledNorSetAsideKeepsTheOffset(t *testing.T) {
	w, m := meddle(t)
	down := errors.New("the disk is away")
	broken := make(chan struct{})
	fails := func() error {
		select {
		case <-broken:
			return nil
		default:
			return down
		}
	}
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.From.ID == strconv.FormatInt(ann, 10) && fails() != nil {
			return engine.Reply{}, down
		}
		return m.Engine.Handle(ctx, in)
	}
	m.aside = fails
	first := w.text(bob, bob, "/start")
	second := w.text(ann, ann, "/start")
	w.launch(nil)
	w.next(bob, first)
	w.until("the store was tried twice", func() bool { return w.counts.get("update error") >= 2 })
	if n := w.tg.Pending(); n != 1 {
		t.Errorf("%d updates wait, want the one that failed", n)
	}
	close(broken)
	w.next(ann, second)
	w.clean()
	bobs := 0
	for _, in := range m.seen() {
		if in.From.ID == strconv.FormatInt(bob, 10) {
			bobs++
		}
	}
	if bobs != 1 {
		t.Errorf("the good update was handled %d times", bobs)
	}
}

func TestAFailedPressIsAnsweredOnceAndSetAside(t *testing.T) {
	for name, fail := range map[string]func(context.Context) (engine.Reply, error){
		"error": func(context.Context) (engine.Reply, error) { return engine.Reply{}, errors.New("no luck") },
		"panic": func(context.Context) (engine.Reply, error) { panic("what a person wrote") },
		"hang":  func(context.Context) (engine.Reply, error) { select {} },
	} {
		t.Run(name, func(t *testing.T) {
			w, m := meddle(t)
			m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
				if in.Verb == "help" {
					return fail(ctx)
				}
				return m.Engine.Handle(ctx, in)
			}
			w.launch(func(b *Bot) { b.within = 100 * time.Millisecond })
			greeting := w.start(ann)
			press := w.press(ann, greeting, "help")
			if a := w.answered(press); a.Text != hintFailed || !a.Alert {
				t.Errorf("the press is answered with %+v", a)
			}
			w.must(w.tg.Acknowledged(w.soon()))
			if kept := m.setAside(); len(kept) != 1 || kept[0] != strconv.FormatInt(press.UpdateID, 10) {
				t.Errorf("set aside: %v", kept)
			}
			w.edited(w.press(ann, greeting, "topics")) // life goes on
			if strings.Contains(w.log.String(), "what a person wrote") {
				t.Error("the log shows a panic's value")
			}
			w.clean()
		})
	}
}

func TestAnUpdateIsHandledOnce(t *testing.T) {
	w, m := meddle(t)
	w.run()
	said := w.text(ann, ann, "/start")
	w.next(ann, said)
	_, err := w.tg.Double(said.UpdateID, false)
	w.must(err)
	w.start(bob)
	w.until("the copy is known", func() bool { return w.counts.get("update again") == 1 })
	if n := len(m.seen()); n != 2 {
		t.Errorf("%d updates were handled, want 2", n)
	}
}

func TestPressesComeFirstAndEachChatKeepsItsOrder(t *testing.T) {
	w, m := meddle(t)
	w.run()
	greeting := w.start(ann)
	w.start(bob)
	w.must(w.stop())
	handled := len(m.seen())
	for n := range 4 {
		w.text(ann, ann, "/learn "+strconv.Itoa(n))
		w.text(bob, bob, "/learn "+strconv.Itoa(n))
	}
	w.press(ann, greeting, "help")
	w.run()
	next := map[string]int{}
	inputs := m.seen()[handled:]
	if len(inputs) != 9 || inputs[0].Verb != "help" {
		t.Fatalf("%d updates handled, the first of them %q", len(inputs), inputs[0].Verb)
	}
	for _, in := range inputs[1:] {
		if got := in.Args[0]; got != strconv.Itoa(next[in.From.ID]) {
			t.Errorf("%s: %s comes where %d should", in.From.Name, got, next[in.From.ID])
		}
		next[in.From.ID]++
	}
	w.must(w.tg.Wait(w.soon(), "an answer to every press", func() bool { return len(w.tg.Unanswered()) == 0 }))
}

func TestAStopFinishesWhatIsInFlight(t *testing.T) {
	w, m := meddle(t)
	begun, free := make(chan struct{}), make(chan struct{})
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		close(begun)
		<-free
		return m.Engine.Handle(ctx, in)
	}
	said := w.text(ann, ann, "/start")
	w.launch(nil)
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- w.stop() }()
	w.must(w.tg.Wait(w.soon(), "the poll to end", func() bool { return !w.tg.Polling() }))
	close(free)
	w.must(<-stopped)
	if n := w.tg.Pending(); n != 0 {
		t.Errorf("%d updates would come again", n)
	}
	if len(w.tg.FromBot(ann)) != 1 {
		t.Errorf("no answer to %q", said.Text)
	}
}

func TestAConflictIsSaidOnceAndWaitedOut(t *testing.T) {
	w, _ := meddle(t)
	w.tg.Inject(bottest.Fault{Match: "getUpdates", Times: 3, Kind: bottest.TelegramConflict()})
	w.run()
	w.start(ann)
	if n := strings.Count(w.log.String(), "another program"); n != 1 {
		t.Errorf("the conflict is logged %d times", n)
	}
	if n := w.counts.get("poll conflict"); n != 3 {
		t.Errorf("%d conflicts were counted", n)
	}
}

func TestPollingGoesOnAfterTrouble(t *testing.T) {
	for name, kind := range map[string]bottest.FaultKind{
		"rate limit":   bottest.RateLimited{RetryAfter: time.Second},
		"bad gateway":  bottest.BadGateway{},
		"server error": bottest.TelegramServerError(),
		"broken line":  bottest.Dropped{},
		"401 once":     bottest.Status{Code: 401, Body: `{"ok":false,"error_code":401,"description":"Unauthorized"}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := meddle(t)
			w.tg.Inject(bottest.Fault{Match: "getUpdates", Times: 2, Kind: kind})
			w.run()
			w.start(ann)
			w.clean()
		})
	}
}

func TestAWrongTokenEndsRunWithAdvice(t *testing.T) {
	w, _ := meddle(t)
	w.cfg.Token = "7000000001:planted"
	b, err := New(w.cfg)
	w.must(err)
	err = b.Run(w.soon())
	if err == nil || !strings.Contains(err.Error(), "@BotFather") || strings.Contains(err.Error(), "planted") {
		t.Errorf("Run() = %v", err)
	}
}

func TestARevokedTokenEndsRun(t *testing.T) {
	w, _ := meddle(t)
	w.tg.Inject(bottest.Fault{Match: "getUpdates", Times: -1,
		Kind: bottest.Status{Code: 401, Body: `{"ok":false,"error_code":401,"description":"Unauthorized"}`}})
	b, err := New(w.cfg)
	w.must(err)
	if err := b.Run(w.soon()); err == nil || !strings.Contains(err.Error(), "@BotFather") {
		t.Errorf("Run() = %v", err)
	}
}

func TestAskedForIsWhatIsUsed(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	for _, call := range w.tg.Calls("getUpdates") {
		got, _ := call["allowed_updates"].([]any)
		if want := []any{"message", "callback_query", "my_chat_member", "channel_post", "poll_answer", "pre_checkout_query"}; !slices.Equal(got, want) {
			t.Errorf("allowed_updates is %v", call["allowed_updates"])
		}
	}
}
