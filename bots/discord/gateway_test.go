package discord

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/engine"
)

// ended waits until Run has returned by itself.
func (w *world) ended(cfg Config, change func(*Bot)) error {
	w.Helper()
	b, err := New(cfg)
	w.must(err)
	if change != nil {
		change(b)
	}
	done := make(chan error, 1)
	go func() { done <- b.Run(w.Context()) }()
	select {
	case err := <-done:
		return err
	case <-w.soon().Done():
		w.Fatal("Run does not end")
	}
	return nil
}

func TestAWrongTokenEndsRunAndSaysWhatToDo(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.cfg.Token = bots.Secret("MTA.wrong.token")
	err := w.ended(w.cfg, nil)
	if err == nil || !strings.Contains(err.Error(), "discord.token") || strings.Contains(err.Error(), "MTA.wrong") {
		t.Errorf("Run() = %v", err)
	}
	if _, identifies, _ := w.d.GatewayCounts(); identifies != 0 {
		t.Errorf("a token that REST refused was tried %d times at the gateway", identifies)
	}
}

func TestFatalCloseCodesEndRun(t *testing.T) {
	for code, word := range map[int]string{
		4004: "discord.token", 4010: "discord.shards", 4011: "discord.shards", 4012: "newer version", 4013: "newer version", 4014: "developer portal",
	} {
		t.Run(strings.ReplaceAll(word, " ", "-"), func(t *testing.T) {
			w := newWorld(t, bottest.DiscordOptions{}, nil)
			w.d.OnIdentify(func(*bottest.Conn, int) bottest.Action {
				return bottest.Action{Do: bottest.CloseWith, Code: code}
			})
			w.cfg.Shards = 1
			err := w.ended(w.cfg, nil)
			if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
				t.Errorf("code %d: Run() = %v", code, err)
			}
			if connects, _, _ := w.d.GatewayCounts(); connects != 1 {
				t.Errorf("code %d: %d connections", code, connects)
			}
		})
	}
}

func TestABrokenConnectionIsReplaced(t *testing.T) {
	for name, breaks := range map[string]func(*world){
		"cut":                  func(w *world) { w.d.CloseAll(0) },
		"closed with 4000":     func(w *world) { w.d.CloseAll(4000) },
		"asked to reconnect":   func(w *world) { w.d.Reconnect() },
		"session invalidated":  func(w *world) { w.d.InvalidSession(false) },
		"broken JSON, and cut": func(w *world) { w.d.SendText("{"); w.d.CloseAll(0) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, bottest.DiscordOptions{}, nil)
			w.run(nil)
			_, before, _ := w.d.GatewayCounts()
			breaks(w)
			w.until("it identified again", func() bool { _, n, _ := w.d.GatewayCounts(); return n > before })
			w.must(w.d.WaitConnected(w.soon(), 1))
			if r := w.shown(w.slash(w.Alice, w.General, "help")); !strings.Contains(r.Message.Content, "/test") {
				t.Errorf("afterwards help reads %q", r.Message.Content)
			}
			w.clean()
		})
	}
}

func TestASilentGatewayIsLeft(t *testing.T) {
	t.Run("before the first word", func(t *testing.T) {
		w := newWorld(t, bottest.DiscordOptions{}, nil)
		w.d.OnConnect(func(_ *bottest.Conn, n int) bottest.Action {
			if n == 1 {
				return bottest.Action{Do: bottest.StaySilent}
			}
			return bottest.Action{}
		})
		w.run(func(b *Bot) { b.timing.open = 200 * time.Millisecond })
		if connects, _, _ := w.d.GatewayCounts(); connects < 2 {
			t.Errorf("%d connections", connects)
		}
	})
	t.Run("instead of READY", func(t *testing.T) {
		w := newWorld(t, bottest.DiscordOptions{}, nil)
		w.d.OnIdentify(func(_ *bottest.Conn, n int) bottest.Action {
			if n == 1 {
				return bottest.Action{Do: bottest.StaySilent}
			}
			return bottest.Action{}
		})
		w.run(func(b *Bot) { b.timing.open = 200 * time.Millisecond })
		w.must(w.d.WaitConnected(w.soon(), 1))
	})
	t.Run("later", func(t *testing.T) {
		w := newWorld(t, bottest.DiscordOptions{HeartbeatInterval: 200 * time.Millisecond}, nil)
		w.run(func(b *Bot) { b.timing.answer = 100 * time.Millisecond })
		connects, _, _ := w.d.GatewayCounts()
		w.d.Silence(true)
		w.until("it connected again", func() bool { n, _, _ := w.d.GatewayCounts(); return n > connects })
		w.d.Silence(false)
		w.d.CloseAll(0)
		w.until("help is answered", func() bool {
			it, err := w.d.Slash(w.Alice, w.General, "help")
			if err != nil {
				return false
			}
			ctx, cancel := context.WithTimeout(w.Context(), time.Second)
			defer cancel()
			_, err = it.WaitShown(ctx)
			return err == nil
		})
	})
}

func TestAConnectionWithNothingToSayStays(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{HeartbeatInterval: 100 * time.Millisecond}, nil)
	w.run(func(b *Bot) { b.timing.answer = 300 * time.Millisecond })
	connects, _, _ := w.d.GatewayCounts()
	quiet := time.NewTimer(900 * time.Millisecond) // several heartbeats
	defer quiet.Stop()
	<-quiet.C
	if n, _, _ := w.d.GatewayCounts(); n != connects {
		t.Errorf("%d connections, want %d", n, connects)
	}
}

func TestARequestToReconnectInsteadOfReadyDoesNotHangUp(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.d.OnIdentify(func(_ *bottest.Conn, n int) bottest.Action {
		if n == 1 {
			return bottest.Action{Do: bottest.AskReconnect}
		}
		return bottest.Action{}
	})
	w.run(func(b *Bot) { b.timing.open, b.timing.close = 2*time.Second, 50*time.Millisecond })
	if r := w.shown(w.slash(w.Alice, w.General, "help")); !strings.Contains(r.Message.Content, "/test") {
		t.Errorf("help reads %q", r.Message.Content)
	}
	if w.counts.get("gateway stuck") == 0 {
		t.Error("the library was not stuck: the guard against it can go")
	}
	w.clean()
}

func TestNothingComesBackAfterRun(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	w.run(nil)
	w.d.CloseAll(0) // it is about to come back
	w.must(w.stop())
	connects, _, _ := w.d.GatewayCounts()
	quiet := time.NewTimer(300 * time.Millisecond) // many pauses of this test's bot
	defer quiet.Stop()
	<-quiet.C
	if n, _, _ := w.d.GatewayCounts(); n != connects || w.d.Connected() != 0 {
		t.Errorf("after Run: %d connections more, %d open", n-connects, w.d.Connected())
	}
}

func TestWhatIsInFlightIsFinishedBeforeRunEnds(t *testing.T) {
	var m *meddler
	began, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Verb == "help" {
			close(began)
			<-release
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(nil)
	it := w.slash(w.Alice, w.General, "help")
	<-began
	ended := make(chan error, 1)
	go func() { ended <- w.stop() }()
	w.until("it has gone offline", func() bool { return w.d.Connected() == 0 })
	close(release)
	w.must(<-ended)
	if r := it.Response(); r.Message == nil || !strings.Contains(r.Message.Content, "/test") {
		t.Errorf("what was in flight: %+v", r)
	}
}

func TestOnlyRealArrivalsAndDeparturesAreTold(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	w.run(func(b *Bot) { b.now = func() time.Time { return time.Now().Add(30 * 24 * time.Hour) } }) // the server is an old one
	told := func(want ...string) {
		t.Helper()
		w.until("the engine was told "+strings.Join(want, ", "), func() bool { return len(m.events()) >= len(want) })
		if got := m.events(); !slices.Equal(got, want) {
			t.Fatalf("told %v, want %v", got, want)
		}
	}
	w.d.SetOutage(w.Guild, true)
	w.d.SetOutage(w.Guild, false)
	other := w.d.AddGuild(bottest.Guild{Name: "other"})
	told("joined " + other)
	w.d.RemoveGuild(w.Guild)
	told("joined "+other, "left "+w.Guild)
	w.d.ReturnToGuild(w.Guild)
	told("joined "+other, "left "+w.Guild, "joined "+w.Guild)
	w.clean()
}

func TestAServerThatTookUsBackWhileWeWereDownIsTold(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	w.run(nil) // the server is new
	w.until("the engine was told", func() bool { return len(m.events()) == 1 })
	if got := m.events()[0]; got != "joined "+w.Guild {
		t.Errorf("told %q", got)
	}
}

func TestARemovedServersDailyIsTakenUpAgain(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	publicDaily(w)
	w.d.RemoveGuild(w.Guild)
	w.until("it is known", func() bool { return w.counts.get("update ok") >= 4 })
	w.d.ReturnToGuild(w.Guild)
	w.until("its return is known", func() bool { return w.counts.get("update ok") >= 5 })
	form := w.shown(w.slash(w.Admin, w.General, "setup"))
	if form.Message.Button("Pause") == "" {
		t.Errorf("after its return the daily is not on: %q", form.Message.Content)
	}
	w.clean()
}

func TestAnInteractionIsHandledOnce(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	w.run(nil)
	it := w.slash(w.Alice, w.General, "help")
	w.shown(it)
	raw, err := json.Marshal(map[string]any{
		"id": it.ID, "application_id": w.d.AppID, "type": 2, "token": it.Token, "channel_id": w.General, "guild_id": w.Guild,
		"member": map[string]any{"user": map[string]any{"id": w.Alice, "username": "alice"}, "permissions": "0"},
		"data":   map[string]any{"name": "help", "type": 1},
	})
	w.must(err)
	w.d.SendRaw("INTERACTION_CREATE", raw)
	w.until("it came again", func() bool { return w.counts.get("update again") == 1 })
	if n := len(m.seen()); n != 1 {
		t.Errorf("handled %d times", n)
	}
	w.clean()
}

func TestAnInteractionThatNobodyWaitsForIsNoTrouble(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	w.d.Inject(bottest.Fault{Match: "POST /interactions/*/*/callback", Kind: bottest.Status{
		Code: 404, Body: `{"message":"Unknown interaction","code":10062}`, ContentType: "application/json"}})
	w.slash(w.Alice, w.General, "help")
	w.until("it was too late", func() bool { return w.counts.get("answer late") == 1 })
	if n := w.requests("POST", "/callback"); n != 1 {
		t.Errorf("an interaction that nobody waits for was answered %d times", n)
	}
	if strings.Contains(w.log.String(), "level=WARN") {
		t.Error("it is worth a warning")
	}
}

func TestACallbackThatWasNotConfirmedIsRepeated(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	for _, fault := range []bottest.FaultKind{bottest.AcceptThenTimeout{}, bottest.Dropped{}, bottest.BadGateway{}, bottest.RateLimited{RetryAfter: 50 * time.Millisecond}} {
		w.d.Inject(bottest.Fault{Match: "POST /interactions/*/*/callback", Kind: fault})
		r := w.shown(w.slash(w.Alice, w.General, "help"))
		if !strings.Contains(r.Message.Content, "/test") || len(r.FollowUps) != 0 {
			t.Errorf("after %T: %+v", fault, r)
		}
	}
	w.until("all are told", func() bool { return w.counts.get("answer ok") == 4 })
}

func TestWhatCannotBeReadIsSetAsideAndStopsNothing(t *testing.T) {
	var m *meddler
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	w.run(nil)
	for _, raw := range []string{
		`{"id":"1","token":"planted-token","type":"2","application_id":"9"}`,
		`{"id":"2","token":"planted-token","type":77,"channel_id":"3","user":{"id":"4"}}`,
		`{"id":"3","token":"planted-token","type":3,"channel_id":"3","user":{"id":"4"},"data":{"custom_id":"  "}}`,
		`{"id":"4","token":"planted-token","type":2,"data":null}`,
		`[]`,
	} {
		w.d.SendRaw("INTERACTION_CREATE", json.RawMessage(raw))
	}
	w.until("all were set aside", func() bool { return len(m.setAside()) == 5 })
	if r := w.shown(w.slash(w.Alice, w.General, "help")); !strings.Contains(r.Message.Content, "/test") {
		t.Errorf("afterwards help reads %q", r.Message.Content)
	}
	if all := strings.Join(m.setAside(), "\n") + w.log.String(); strings.Contains(all, "planted-token") {
		t.Errorf("the token was kept: %s", all)
	}
}

func TestADiscordThatIsDownAtTheStartIsWaitedFor(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.d.Inject(bottest.Fault{Match: "GET /applications/@me", Times: 2, Kind: bottest.BadGateway{}})
	w.d.Inject(bottest.Fault{Match: "GET /gateway", Times: 2, Kind: bottest.Status{Code: 503, Body: "{}", ContentType: "application/json"}})
	w.run(nil)
	w.clean()
}
