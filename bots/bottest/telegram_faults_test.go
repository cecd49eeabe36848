package bottest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

func TestTelegramFaultsWithTheRealLibrary(t *testing.T) {
	for _, c := range []struct {
		name string
		kind bottest.FaultKind
		sent int // messages that arrived all the same
		is   func(error) bool
	}{
		{"429", bottest.RateLimited{RetryAfter: 7 * time.Second}, 0, func(err error) bool {
			var e *bot.TooManyRequestsError
			return errors.As(err, &e) && e.RetryAfter == 7
		}},
		{"502", bottest.BadGateway{}, 0, func(err error) bool { return strings.Contains(err.Error(), "502 Bad Gateway") }},
		{"500", bottest.TelegramServerError(), 0, func(err error) bool { return strings.Contains(err.Error(), "500 Internal Server Error") }},
		{"403", bottest.Forbidden{Message: "bot was blocked by the user"}, 0, func(err error) bool {
			return errors.Is(err, bot.ErrorForbidden) && strings.Contains(err.Error(), "Forbidden: bot was blocked by the user")
		}},
		{"400", bottest.TelegramBadRequest("chat not found"), 0, func(err error) bool { return errors.Is(err, bot.ErrorBadRequest) }},
		{"409", bottest.TelegramConflict(), 0, func(err error) bool { return errors.Is(err, bot.ErrorConflict) }},
		{"migrated", bottest.TelegramMigrated(-1005), 0, func(err error) bool {
			var e *bot.MigrateError
			return errors.As(err, &e) && e.MigrateToChatID == -1005
		}},
		{"lost answer", bottest.AcceptThenTimeout{}, 1, func(err error) bool { return strings.Contains(err.Error(), "EOF") }},
		{"lost request", bottest.Dropped{}, 0, func(err error) bool { return strings.Contains(err.Error(), "EOF") }},
		{"no answer", bottest.AcceptThenTimeout{Hang: true}, 1, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := telegram(t, bottest.TelegramOptions{})
			say(t, tg, 1)
			b := client(t, tg)
			ctx, cancel := within(t), context.CancelFunc(func() {})
			if c.name == "no answer" {
				ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
			}
			defer cancel()
			tg.Inject(bottest.Fault{Match: "send*", Kind: c.kind})
			_, err := b.SendMessage(ctx, &bot.SendMessageParams{ChatID: ann, Text: "one"})
			if err == nil || !c.is(err) {
				t.Errorf("error %v", err)
			}
			if n := len(tg.FromBot(ann)); n != c.sent {
				t.Errorf("%d messages arrived, want %d", n, c.sent)
			}
			// Other methods and the next call are as ever.
			if _, err := b.SendMessage(within(t), &bot.SendMessageParams{ChatID: ann, Text: "two"}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTelegramHeldRequestsWait(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	until := make(chan struct{})
	tg.Inject(bottest.Fault{Match: "sendMessage", Kind: bottest.Held{Until: until}})
	done := make(chan reply, 1)
	go func() { done <- call(t, tg, "sendMessage", text("held", nil)) }()
	must(t, tg.Wait(within(t), "the request to be held", func() bool { return tg.Holding() == 1 }))
	ok(t, tg, "sendMessage", args{"chat_id": ann, "text": "overtakes"})
	close(until)
	if r := <-done; !r.OK {
		t.Errorf("answer %+v", r)
	}
	if list := tg.FromBot(ann); list[0].Text != "overtakes" || list[1].Text != "held" {
		t.Errorf("messages %q and %q", list[0].Text, list[1].Text)
	}
}

func TestTelegramPaceRefusesThatWhichIsTooFast(t *testing.T) {
	clock := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	tg := telegram(t, bottest.TelegramOptions{Pace: &bottest.TelegramPace{PerSecond: 5, ChatBurst: 2, GroupMinute: 4}, Now: func() time.Time { return clock }})
	say(t, tg, 1)
	send := func(chat int64) int {
		t.Helper()
		return call(t, tg, "sendMessage", args{"chat_id": chat, "text": "x"}).Parameters.RetryAfter
	}
	var waits []int
	for _, chat := range []int64{ann, ann, ann, super, super, forum, forum} {
		waits = append(waits, send(chat))
	}
	if diff := cmp.Diff([]int{0, 0, 1, 0, 0, 0, 1}, waits); diff != "" {
		t.Error(diff)
	}
	tg.Advance(time.Second)
	if w := send(ann); w != 0 {
		t.Errorf("after a second still %d s to wait", w)
	}
	tg.Advance(10 * time.Second)
	if a, b, c := send(super), send(super), send(super); a != 0 || b != 0 || c < 45 || c > 60 {
		t.Errorf("the fifth message of a minute to a group: %d, %d, %d", a, b, c)
	}
	want := bottest.TelegramRate{Sent: 8, Refused: 3, Second: 5, ChatSecond: 2, GroupMinute: 4}
	if diff := cmp.Diff(want, tg.Rate()); diff != "" {
		t.Error(diff)
	}
}

// hook is a webhook that records what it gets.
type hook struct {
	mu    sync.Mutex
	texts []string
	bad   int // deliveries to refuse
	reply string
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var u struct {
		Message struct{ Text string }
	}
	if r.Header.Get("X-Telegram-Bot-Api-Secret-Token") != "s3cret" || json.NewDecoder(r.Body).Decode(&u) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	h.texts = append(h.texts, u.Message.Text)
	if h.bad > 0 {
		h.bad--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if h.reply != "" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(h.reply))
		h.reply = ""
	}
}

func (h *hook) got() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.texts...)
}

func TestTelegramWebhookDeliversInOrderAndAgainAfterFailures(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{RetryWebhook: func(int) time.Duration { return time.Millisecond }})
	drain(t, tg)
	ctx := within(t)
	h := &hook{bad: 2, reply: `{"method":"sendMessage","chat_id":1001,"text":"in the answer"}`}
	server := httptest.NewServer(h)
	defer server.Close()
	ok(t, tg, "setWebhook", args{"url": server.URL + "/hook", "secret_token": "s3cret", "allowed_updates": []string{"message"}})
	say(t, tg, 4)
	must(t, tg.Acknowledged(ctx))
	if diff := cmp.Diff([]string{"/start", "/start", "/start", "word 1", "word 2", "word 3"}, h.got()); diff != "" {
		t.Error(diff)
	}
	m := got[bottest.TelegramMessage](t)(tg.WaitBot(ctx, ann, bottest.TelegramMessage{}))
	if m.Text != "in the answer" {
		t.Errorf("message %+v", m)
	}
	info := string(ok(t, tg, "getWebhookInfo", args{}))
	if !strings.Contains(info, `"last_error_message":"wrong response from the webhook: 503 Service Unavailable"`) || !strings.Contains(info, server.URL) {
		t.Errorf("info %s", info)
	}
	ok(t, tg, "deleteWebhook", args{"drop_pending_updates": true})
	say(t, tg, 1)
	if n := len(h.got()); n != 6 {
		t.Errorf("%d deliveries after the webhook was deleted", n)
	}
	if n := len(ids(t, tg, args{})); n != 1 {
		t.Errorf("%d updates wait", n)
	}
}

func TestTelegramWebhookSlowLaneHoldsUpNoOther(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	ctx := within(t)
	release := make(chan struct{})
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var u struct {
			Message struct{ Text string }
			Press   *struct{ Data string } `json:"callback_query"`
		}
		if err := json.NewDecoder(r.Body).Decode(&u); err != nil {
			t.Error(err)
		}
		if u.Message.Text == "/start" {
			<-release
		}
		mu.Lock()
		defer mu.Unlock()
		if u.Press != nil {
			u.Message.Text = u.Press.Data
			close(release)
		}
		seen = append(seen, u.Message.Text)
	}))
	defer server.Close()
	ok(t, tg, "setWebhook", args{"url": server.URL})
	say(t, tg, 2)
	ok(t, tg, "sendMessage", text("q", args{"reply_markup": keyboard(button("a", "press"))}))
	// A person's press overtakes their own messages: it is another queue.
	got[*bottest.TelegramPress](t)(tg.Press(ann, last(tg, ann), "press"))
	must(t, tg.Acknowledged(ctx))
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"press", "/start", "word 1"}, seen); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramOwnLoopTakesEverything(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	ctx := within(t)
	var mu sync.Mutex
	n := 0
	poller(t, tg, func(json.RawMessage) {
		mu.Lock()
		defer mu.Unlock()
		n++
	})
	list := say(t, tg, 250)
	must(t, tg.Polled(ctx, list[100]))
	must(t, tg.Acknowledged(ctx))
	mu.Lock()
	defer mu.Unlock()
	if n != 250 {
		t.Errorf("handled %d of 250", n)
	}
}

func TestTelegramWorksWithoutTheSpecification(t *testing.T) {
	t.Setenv("AIPREP_SHARED", t.TempDir())
	tg := bottest.NewTelegram(bottest.TelegramOptions{})
	defer tg.Close()
	if tg.Checked() {
		t.Fatal("there is no file to check against")
	}
	must(t, tg.AddUser(bottest.TelegramUser{ID: ann, FirstName: "Ann"}))
	say(t, tg, 1)
	if r := call(t, tg, "sendMessage", text("x", nil)); !r.OK {
		t.Errorf("answer %+v", r)
	}
	for _, bad := range []args{text(strings.Repeat("x", 4097), nil), text("x", args{"reply_markup": keyboard(button("a", strings.Repeat("d", 65)))}), text("x", args{"entities": "no list"})} {
		if r := call(t, tg, "sendMessage", bad); r.Code != 400 {
			t.Errorf("answer %+v", r)
		}
	}
	if len(tg.Problems()) != 3 {
		t.Errorf("problems %q", tg.Problems())
	}
	http.DefaultClient.CloseIdleConnections()
}
