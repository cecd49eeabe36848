package telegram

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

var _ engine.Poster = (*Bot)(nil)

func TestOneChatsRateLimitStopsNoOther(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	w.start(ann)
	w.tg.Inject(bottest.Fault{Match: "sendMessage", Kind: bottest.RateLimited{RetryAfter: 2 * time.Second}})
	slow := w.text(bob, bob, "/start")
	w.must(w.tg.Wait(w.soon(), "the refusal", func() bool {
		for _, r := range w.tg.Requests() {
			if r.Status == 429 {
				return true
			}
		}
		return false
	}))
	refused := time.Now()
	w.next(ann, w.text(ann, ann, "/start"))
	if n := len(w.tg.FromBot(bob)); n != 0 {
		t.Errorf("the chat that must keep silent got %d messages", n)
	}
	w.next(bob, slow)
	if waited := time.Since(refused); waited < 1900*time.Millisecond {
		t.Errorf("tried again after %v, told to wait 2 s", waited)
	}
	w.clean()
}

func TestAGroupThatBecomesASupergroupKeepsItsDaily(t *testing.T) {
	w, m := meddle(t)
	w.run()
	daily := publicDaily(w)
	w.start(bob)
	moved, err := w.tg.Migrate(ann, group)
	w.must(err)
	w.must(w.tg.Acknowledged(w.soon()))
	old, to := strconv.FormatInt(group, 10), strconv.FormatInt(moved, 10)
	n := 0
	for _, in := range m.seen() {
		if in.Verb != "moved" {
			continue
		}
		n++
		if !in.Event || in.In.Server != to || in.In.Chat != to || in.Args[0] != old {
			t.Errorf("told of the move with %+v", in)
		}
	}
	if n != 2 {
		t.Errorf("told of the move %d times, want once by each group", n)
	}
	said := w.tg.FromBot(ann)
	w.text(ann, moved, "/setup")
	form := w.next(ann, said[len(said)-1])
	if first := form.Buttons()[0].Data; !strings.HasSuffix(first, " pause") {
		t.Errorf("the new group's daily is not on: %q, %q", form.Words(), first)
	}
	if _, err := w.bot.Post(t.Context(), deliveryTo(group, "x")); kindOf(err) != engine.Moved {
		t.Errorf("Post to the old group: %v", err)
	}
	if daily.Chat.ID != group {
		t.Errorf("the daily was in %d", daily.Chat.ID)
	}
	w.clean()
}

func TestLeavingAndJoiningAreTold(t *testing.T) {
	w, m := meddle(t)
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Event { // nobody asked, so there is nobody to whisper to
			return engine.Reply{Whisper: &engine.Message{Title: "unheard"}}, nil
		}
		return m.Engine.Handle(ctx, in)
	}
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.must(w.tg.KickBot(ann, group))
	w.start(bob)
	w.must(w.tg.Block(bob))
	w.must(w.tg.Unblock(bob))
	w.must(w.tg.Acknowledged(w.soon()))
	var got []string
	for _, in := range m.seen() {
		if in.Event {
			got = append(got, in.Verb+" "+in.In.Chat)
		}
	}
	for _, want := range []string{"joined -4001", "left -4001", "left 1002", "joined 1002"} {
		if !strings.Contains(strings.Join(got, ","), want) {
			t.Errorf("told of %v, not of %q", got, want)
		}
	}
	w.next(ann, w.text(ann, ann, "/start"))
	for _, chat := range []int64{ann, bob, group} {
		for _, m := range w.tg.FromBot(chat) {
			if m.Text == "unheard" {
				t.Errorf("an event was answered in %d", chat)
			}
		}
	}
}

func deliveryTo(chat int64, text string) engine.Delivery {
	id := strconv.FormatInt(chat, 10)
	return engine.Delivery{
		Key:     "KEY",
		To:      engine.Place{Platform: platform, Server: id, Chat: id},
		Message: engine.Message{Text: content.Plain(text)},
	}
}

func kindOf(err error) engine.PostKind {
	var pe *engine.PostError
	if !errors.As(err, &pe) {
		return engine.Unknown
	}
	return pe.Kind
}

func TestOnlyWhatMayHaveArrivedIsUnknown(t *testing.T) {
	status := func(code int, what string) bottest.FaultKind {
		return bottest.Status{Code: code, ContentType: "application/json",
			Body: `{"ok":false,"error_code":` + strconv.Itoa(code) + `,"description":"` + what + `"}`}
	}
	for name, tt := range map[string]struct {
		kind bottest.FaultKind
		want engine.PostKind
	}{
		"accepted, line broken":   {bottest.AcceptThenTimeout{}, engine.Unknown},
		"accepted, no answer":     {bottest.AcceptThenTimeout{Hang: true}, engine.Unknown},
		"dropped":                 {bottest.Dropped{}, engine.Unknown},
		"a proxy's 502":           {bottest.BadGateway{}, engine.Unknown},
		"telegram's own 500":      {bottest.TelegramServerError(), engine.Later},
		"rate limit":              {bottest.RateLimited{RetryAfter: 7 * time.Second}, engine.Later},
		"blocked":                 {bottest.Forbidden{Message: "bot was blocked by the user"}, engine.Forbidden},
		"kicked":                  {bottest.Forbidden{Message: "bot was kicked from the group chat"}, engine.Forbidden},
		"group deleted":           {bottest.Forbidden{Message: "the group chat was deleted"}, engine.Gone},
		"chat not found":          {bottest.TelegramBadRequest("chat not found"), engine.Gone},
		"topic not found":         {bottest.TelegramBadRequest("message thread not found"), engine.Gone},
		"topic closed":            {bottest.TelegramBadRequest("TOPIC_CLOSED"), engine.Forbidden},
		"no right to write":       {bottest.TelegramBadRequest("not enough rights to send text messages to the chat"), engine.Forbidden},
		"write forbidden":         {bottest.TelegramBadRequest("CHAT_WRITE_FORBIDDEN"), engine.Forbidden},
		"moved":                   {bottest.TelegramMigrated(-1009), engine.Moved},
		"content refused":         {bottest.TelegramBadRequest("message is too long"), engine.Refused},
		"a proxy's 413":           {bottest.Status{Code: 413, Body: "<html>"}, engine.Refused},
		"an answer without sense": {bottest.Status{Code: 200, Body: "<html>"}, engine.Unknown},
		"unauthorized":            {status(401, "Unauthorized"), engine.Later},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := meddle(t)
			w.openOnly()
			w.tg.Inject(bottest.Fault{Match: "sendMessage", Kind: tt.kind})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := w.bot.Post(ctx, deliveryTo(ann, "hello"))
			if kindOf(err) != tt.want {
				t.Fatalf("Post() = %v, want %v", err, tt.want)
			}
			var pe *engine.PostError
			errors.As(err, &pe)
			if name == "rate limit" && pe.After != 7*time.Second {
				t.Errorf("After = %v", pe.After)
			}
			if tt.want == engine.Moved && (pe.To.Chat != "-1009" || pe.To.Server != "-1009") {
				t.Errorf("To = %+v", pe.To)
			}
		})
	}
}

func TestAPostToAChatThatMustKeepSilentIsPutOffWithoutARequest(t *testing.T) {
	w, _ := meddle(t)
	w.openOnly()
	_, err := w.tg.Start(bob, "")
	w.must(err)
	w.tg.Inject(bottest.Fault{Match: "sendMessage", Kind: bottest.RateLimited{RetryAfter: 20 * time.Second}})
	if _, err := w.bot.Post(t.Context(), deliveryTo(ann, "one")); kindOf(err) != engine.Later {
		t.Fatalf("Post() = %v", err)
	}
	made := len(w.tg.Requests())
	var pe *engine.PostError
	if _, err := w.bot.Post(t.Context(), deliveryTo(ann, "two")); !errors.As(err, &pe) || pe.Kind != engine.Later || pe.After < 15*time.Second {
		t.Errorf("Post() = %v, want to be told to come back in 20 s", err)
	}
	if n := len(w.tg.Requests()) - made; n != 0 {
		t.Errorf("%d requests to a chat that must keep silent", n)
	}
	if _, err := w.bot.Post(t.Context(), deliveryTo(bob, "three")); err != nil {
		t.Errorf("Post to another chat: %v", err)
	}
}

// openOnly makes a bot that does not run, and opens Ann's private chat.
func (w *world) openOnly() {
	w.Helper()
	var err error
	if w.bot, err = New(w.cfg); err != nil {
		w.Fatal(err)
	}
	_, err = w.tg.Start(ann, "")
	w.must(err)
}

func TestWithoutAConnectionNothingIsUnknown(t *testing.T) {
	w, _ := meddle(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	shut := ln.Addr().String()
	w.must(ln.Close())
	for name, base := range map[string]string{
		"nobody listens": "http://" + shut,
		"no such host":   "http://nowhere.invalid",
		"no TLS there":   "https://" + strings.TrimPrefix(w.tg.URL(), "http://"),
	} {
		b, err := New(Config{Engine: w.engine, Token: bots.Secret(w.tg.Token), BaseURL: base})
		w.must(err)
		if _, err := b.Post(w.soon(), deliveryTo(ann, "hello")); kindOf(err) != engine.Later {
			t.Errorf("%s: Post() = %v", name, err)
		}
	}
	w.openOnly()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.bot.Post(ended, deliveryTo(ann, "hello")); kindOf(err) != engine.Later {
		t.Errorf("Post with an ended context: %v", err)
	}
}

func TestPostsAndEdits(t *testing.T) {
	w, _ := meddle(t)
	w.openOnly()
	d := deliveryTo(ann, "one")
	receipt, err := w.bot.Post(t.Context(), d)
	w.must(err)
	chat, id, err := readRef(receipt.Ref)
	w.must(err)
	if m, ok := w.tg.Message(chat, id); !ok || m.Text != "one" {
		t.Fatalf("%s is %q", receipt.Ref, m.Text)
	}
	same := d.Message
	other := engine.Message{Text: content.Plain("two")}
	for _, m := range []engine.Message{same, other, other} {
		if err := w.bot.Edit(t.Context(), d.To, receipt.Ref, m); err != nil {
			t.Errorf("Edit() = %v", err)
		}
	}
	if m, _ := w.tg.Message(chat, id); m.Text != "two" || m.Edits != 1 {
		t.Errorf("after the edits: %q, changed %d times", m.Text, m.Edits)
	}
	for _, ref := range []engine.Ref{refOf(ann, 999_999), "", "7", "a:b", ":", "7:-1"} {
		if err := w.bot.Edit(t.Context(), d.To, ref, other); kindOf(err) != engine.Lost {
			t.Errorf("Edit(%q) = %v, want lost", ref, err)
		}
	}
	for _, chat := range []string{"", "x", "@somebody"} {
		d.To.Chat = chat
		if _, err := w.bot.Post(t.Context(), d); kindOf(err) != engine.Gone {
			t.Errorf("Post to %q: %v, want gone", chat, err)
		}
	}
	w.lawful()
}

func TestTheTokenIsNeverShown(t *testing.T) {
	const secret = "AAplantedSecretOfTheToken"
	w, _ := meddle(t)
	shut := Config{Engine: w.engine, Token: "7000000001:" + secret, Log: w.cfg.Log, BaseURL: "http://127.0.0.1:1"}
	bad, err := New(shut)
	w.must(err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_ = bad.Run(ctx) // it logs that Telegram cannot be reached
	_, e1 := bad.Post(t.Context(), deliveryTo(ann, "x"))
	e2 := bad.Edit(t.Context(), deliveryTo(ann, "x").To, "1:1", engine.Message{})
	shut.BaseURL = w.tg.URL()
	wrong, err := New(shut)
	w.must(err)
	e3 := wrong.Run(t.Context())
	_, e4 := wrong.Post(t.Context(), deliveryTo(ann, "x"))
	_, e5 := New(Config{Engine: w.engine, Token: shut.Token, BaseURL: "\x7f"})
	e6 := wrong.edge(errors.New("library: " + w.tg.URL() + "/bot" + string(shut.Token)))
	w.cfg.Log.Info("configuration", "config", shut)
	for n, err := range []error{e1, e2, e3, e4, e5, e6} {
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("error %d shows the token: %v", n+1, err)
			}
		}
	}
	log := w.log.String()
	if !strings.Contains(log, "cannot be reached") {
		t.Error("the log does not say that Telegram cannot be reached")
	}
	if strings.Contains(log, secret) {
		t.Errorf("the log shows the token:\n%s", log)
	}
}

func TestMenusAreSetOnceAndByScope(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	calls, err := w.tg.WaitCalls(w.soon(), "setMyCommands", 9)
	w.must(err)
	has := func(scope, name string) bool {
		for _, c := range calls {
			if c["scope"].(map[string]any)["type"] != scope || c["language_code"] != nil {
				continue
			}
			for _, cmd := range c["commands"].([]any) {
				if cmd.(map[string]any)["command"] == name {
					return true
				}
			}
		}
		return false
	}
	for _, tt := range []struct {
		scope, name string
		want        bool
	}{
		{"all_private_chats", "test", true}, {"all_private_chats", "setup", false}, {"all_private_chats", "vote", false},
		{"all_group_chats", "daily", true}, {"all_group_chats", "setup", false},
		{"all_chat_administrators", "daily", true}, {"all_chat_administrators", "setup", true},
	} {
		if got := has(tt.scope, tt.name); got != tt.want {
			t.Errorf("%s lists %s: %v, want %v", tt.scope, tt.name, got, tt.want)
		}
	}
	spoken := map[any]int{}
	for _, c := range calls {
		for _, cmd := range c["commands"].([]any) {
			if text := cmd.(map[string]any)["description"].(string); strings.Contains(text, "Frage") || strings.Contains(text, "pregunta") {
				spoken[c["language_code"]]++
			}
		}
	}
	if spoken[nil] != 0 || spoken["de"] == 0 || spoken["es"] == 0 {
		t.Errorf("menus speak of questions in German and Spanish: %v", spoken)
	}
	w.must(w.stop())
	w.run()
	w.until("the menus are compared", func() bool { return w.counts.get("menu same") == 9 })
	if n := len(w.tg.Calls("setMyCommands")); n != 9 {
		t.Errorf("menus were set %d times", n)
	}
	w.clean()
}
