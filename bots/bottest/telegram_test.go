package bottest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"aiprep/bots/bottest"
)

const (
	ann   = int64(1001)
	ben   = int64(1002)
	group = int64(-5005)
	super = int64(-1002000000001)
	forum = int64(-1002000000002)
	news  = int64(-1002000000003)
)

// botAPI is the specification, read once for all tests.
var botAPI = sync.OnceValues(bottest.FindBotAPI)

// telegram starts a fake with two people, who have not opened a chat yet, and a
// group, a supergroup, a forum and a channel, all owned by Ann and without Ben's
// being there. The test fails if requests left problems.
func telegram(t *testing.T, opts bottest.TelegramOptions) *bottest.Telegram {
	t.Helper()
	tg := untidy(t, opts)
	t.Cleanup(func() {
		if p := tg.Problems(); len(p) > 0 {
			t.Errorf("problems: %s", strings.Join(p, "\n"))
		}
	})
	return tg
}

// untidy is telegram for tests that provoke problems.
func untidy(t *testing.T, opts bottest.TelegramOptions) *bottest.Telegram {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, leaks)
	})
	opts.API, _ = botAPI() // nil without the file
	tg := bottest.NewTelegram(opts)
	t.Cleanup(func() {
		checkUpdates(t, tg)
		tg.Close()
	})
	must(t, tg.AddUser(bottest.TelegramUser{ID: ann, FirstName: "Ann", Username: "ann", LanguageCode: "en"}))
	must(t, tg.AddUser(bottest.TelegramUser{ID: ben, FirstName: "Ben"}))
	for _, c := range []bottest.TelegramChat{
		{ID: group, Type: "group", Title: "Team"},
		{ID: super, Type: "supergroup", Title: "Class", Username: "classroom"},
		{ID: forum, Type: "supergroup", Title: "Forum", IsForum: true},
		{ID: news, Type: "channel", Title: "News"},
	} {
		must(t, tg.AddChat(c, ann))
		must(t, tg.AddBot(ann, c.ID, c.Type == "channel"))
	}
	return tg
}

// checkUpdates holds all that the fake told the bot against the specification.
func checkUpdates(t *testing.T, tg *bottest.Telegram) {
	t.Helper()
	api, err := botAPI()
	if err != nil {
		t.Logf("updates are not checked: %v", err)
		return
	}
	for _, raw := range tg.Updates() {
		if strings.Contains(string(raw), "poison") {
			continue
		}
		if p := api.CheckObject("Update", raw); len(p) > 0 {
			t.Errorf("the fake sent %s\nwhich breaks the specification: %s", raw, strings.Join(p, "; "))
		}
	}
}

// client is the real library on the fake.
func client(t *testing.T, tg *bottest.Telegram, opts ...bot.Option) *bot.Bot {
	t.Helper()
	b, err := bot.New(tg.Token, append([]bot.Option{bot.WithServerURL(tg.URL()), bot.WithHTTPClient(5*time.Second, http.DefaultClient)}, opts...)...)
	must(t, err)
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func got[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// reply is a raw answer of the Bot API.
type reply struct {
	OK          bool
	Result      json.RawMessage
	Code        int `json:"error_code"`
	Description string
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	}
}

// call posts JSON to a method and checks that status and error_code agree.
func call(t *testing.T, tg *bottest.Telegram, method string, params any) reply {
	t.Helper()
	raw, err := json.Marshal(params)
	must(t, err)
	return post(t, tg.URL()+"/bot"+tg.Token+"/"+method, "application/json", string(raw))
}

func post(t *testing.T, url, contentType, body string) reply {
	t.Helper()
	resp, err := http.Post(url, contentType, strings.NewReader(body))
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	var r reply
	must(t, json.NewDecoder(resp.Body).Decode(&r))
	if r.OK != (resp.StatusCode == 200) || !r.OK && r.Code != resp.StatusCode {
		t.Fatalf("status %d with %+v", resp.StatusCode, r)
	}
	return r
}

func ok(t *testing.T, tg *bottest.Telegram, method string, params any) json.RawMessage {
	t.Helper()
	r := call(t, tg, method, params)
	if !r.OK {
		t.Fatalf("%s: %d %s", method, r.Code, r.Description)
	}
	if api, err := botAPI(); err == nil && !strings.Contains(string(r.Result), "poison") {
		if p := api.CheckResult(method, r.Result); len(p) > 0 {
			t.Errorf("the fake answered %s\nwhich breaks the specification: %s", r.Result, strings.Join(p, "; "))
		}
	}
	return r.Result
}

type args = map[string]any

// poller runs a getUpdates loop of the simplest kind until the test ends and
// hands each update to handle.
func poller(t *testing.T, tg *bottest.Telegram, handle func(raw json.RawMessage)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		offset := int64(0)
		for ctx.Err() == nil {
			body, err := json.Marshal(args{"offset": offset, "timeout": 50})
			if err != nil {
				return
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, tg.URL()+"/bot"+tg.Token+"/getUpdates", strings.NewReader(string(body)))
			if err != nil {
				return
			}
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			var r struct{ Result []json.RawMessage }
			err = json.NewDecoder(resp.Body).Decode(&r)
			_ = resp.Body.Close()
			if err != nil {
				return
			}
			for _, raw := range r.Result {
				var u struct {
					ID int64 `json:"update_id"`
				}
				if json.Unmarshal(raw, &u) == nil {
					offset = u.ID + 1
				}
				handle(raw)
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func TestTelegramConversationWithTheRealLibrary(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	ctx := within(t)
	fail := func(err error) { t.Log(err) }
	handled := make(chan struct{})
	b := client(t, tg, bot.WithNotAsyncHandlers(), bot.WithErrorsHandler(fail),
		bot.WithDefaultHandler(func(ctx context.Context, b *bot.Bot, u *models.Update) {
			switch {
			case u.Message != nil && u.Message.Text == "/start":
				if _, err := b.SendMessage(ctx, &bot.SendMessageParams{ChatID: u.Message.Chat.ID, Text: "What is dropout?",
					Entities: []models.MessageEntity{{Type: models.MessageEntityTypeBold, Offset: 8, Length: 7}},
					ReplyMarkup: models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{
						{Text: "A regularizer", CallbackData: "answer a"}, {Text: "An optimizer", CallbackData: "answer b"}}}}}); err != nil {
					t.Error(err)
				}
			case u.CallbackQuery != nil:
				m := u.CallbackQuery.Message.Message
				if _, err := b.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: u.CallbackQuery.ID, Text: "Right", ShowAlert: true}); err != nil {
					t.Error(err)
				}
				// The library acknowledges before it handles, so the test can't tell from the
				// queue that this is over.
				defer close(handled)
				if _, err := b.EditMessageText(ctx, &bot.EditMessageTextParams{ChatID: m.Chat.ID, MessageID: m.ID, Text: m.Text + "\nA regularizer."}); err != nil {
					t.Error(err)
				}
			}
		}))
	runCtx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); b.Start(runCtx) }()
	defer func() { stop(); <-done }()

	got[bottest.TelegramMessage](t)(tg.Start(ann, ""))
	question := got[bottest.TelegramMessage](t)(tg.WaitBot(ctx, ann, bottest.TelegramMessage{}))
	if diff := cmp.Diff([]bottest.TelegramEntity{{Type: "bold", Offset: 8, Length: 7}}, question.Entities); diff != "" {
		t.Error(diff)
	}
	if _, err := tg.Press(ann, question, "answer c"); err == nil {
		t.Error("pressed a button that is not there")
	}
	press := got[*bottest.TelegramPress](t)(tg.Press(ann, question, "answer a"))
	answer := got[bottest.TelegramAnswer](t)(press.Answer(ctx))
	if !answer.Alert || answer.Text != "Right" || answer.User != ann {
		t.Errorf("answer %+v", answer)
	}
	edited := got[bottest.TelegramMessage](t)(press.Edited(ctx))
	if edited.Text != "What is dropout?\nA regularizer." || edited.Keyboard != nil || edited.EditDate == 0 {
		t.Errorf("edited message %+v", edited)
	}
	if _, err := tg.Press(ann, edited, "answer a"); err == nil {
		t.Error("pressed a button that the edit took away")
	}
	must(t, tg.Acknowledged(ctx))
	<-handled
}
