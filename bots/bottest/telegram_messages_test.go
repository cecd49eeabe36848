package bottest_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

// chart is a PNG of the given size.
func chart(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func last(tg *bottest.Telegram, chat int64) bottest.TelegramMessage {
	list := tg.FromBot(chat)
	return list[len(list)-1]
}

func TestTelegramEdits(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	board := keyboard(button("a", "x"))
	ok(t, tg, "sendMessage", text("one", args{"reply_markup": board}))
	m := last(tg, ann)
	edit := func(method string, more args) reply {
		t.Helper()
		p := args{"chat_id": ann, "message_id": m.ID}
		for k, v := range more {
			p[k] = v
		}
		return call(t, tg, method, p)
	}
	for _, c := range []struct {
		name, method string
		params       args
		want         string // description, "" for success
		text         string
		buttons      int
	}{
		{"same", "editMessageText", args{"text": " one ", "reply_markup": board}, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message", "one", 1},
		{"other text keeps no keyboard", "editMessageText", args{"text": "two"}, "", "two", 0},
		{"only the keyboard", "editMessageReplyMarkup", args{"reply_markup": board}, "", "two", 1},
		{"the same keyboard", "editMessageReplyMarkup", args{"reply_markup": board}, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message", "two", 1},
		{"keyboard away", "editMessageReplyMarkup", args{}, "", "two", 0},
		{"and again", "editMessageText", args{"text": "two", "reply_markup": board}, "", "two", 1},
		{"an empty keyboard", "editMessageReplyMarkup", args{"reply_markup": args{"inline_keyboard": []any{}}}, "", "two", 0},
		{"only entities", "editMessageText", args{"text": "<b>two</b>", "parse_mode": "HTML"}, "", "two", 0},
		{"another message", "editMessageText", args{"message_id": 9999, "text": "x"}, "Bad Request: message to edit not found", "two", 0},
		{"a message of theirs", "editMessageText", args{"message_id": tg.Visible(ann)[0].ID, "text": "x"}, "Bad Request: message can't be edited", "two", 0},
		{"a caption that is not there", "editMessageCaption", args{"caption": "x"}, "Bad Request: there is no caption in the message to edit", "two", 0},
	} {
		r := edit(c.method, c.params)
		if r.OK != (c.want == "") || r.Description != c.want {
			t.Errorf("%s: %+v", c.name, r)
		}
		if now := last(tg, ann); now.Text != c.text || len(now.Buttons()) != c.buttons {
			t.Errorf("%s: %q with %d buttons", c.name, now.Text, len(now.Buttons()))
		}
	}
	if now := last(tg, ann); now.Edits != 6 || now.EditDate == 0 {
		t.Errorf("%d edits at %d", now.Edits, now.EditDate)
	}
}

func TestTelegramPhotosAndDocumentsWithTheRealLibrary(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	b := client(t, tg)
	data := chart(t, 40, 30)
	m := got[*models.Message](t)(b.SendPhoto(ctx, &bot.SendPhotoParams{ChatID: ann, Caption: "Your week",
		Photo:       &models.InputFileUpload{Filename: "week.png", Data: bytes.NewReader(data)},
		ReplyMarkup: &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "More", CallbackData: "more"}}}}}))
	if size := m.Photo[0]; size.Width != 40 || size.Height != 30 {
		t.Errorf("size %+v", size)
	}
	if raw := got[[]byte](t)(tg.File(m.Photo[0].FileID)); !bytes.Equal(raw, data) {
		t.Error("the photo's bytes changed")
	}
	got[*models.Message](t)(b.EditMessageCaption(ctx, &bot.EditMessageCaptionParams{ChatID: ann, MessageID: m.ID, Caption: "Your month"}))
	other := chart(t, 20, 20)
	e := got[*models.Message](t)(b.EditMessageMedia(ctx, &bot.EditMessageMediaParams{ChatID: ann, MessageID: m.ID,
		Media: &models.InputMediaPhoto{Media: "attach://new.png", MediaAttachment: bytes.NewReader(other), Caption: "Your year"}}))
	if raw := got[[]byte](t)(tg.File(e.Photo[0].FileID)); !bytes.Equal(raw, other) || last(tg, ann).Words() != "Your year" {
		t.Errorf("edited media %+v", last(tg, ann))
	}
	d := got[*models.Message](t)(b.SendDocument(ctx, &bot.SendDocumentParams{ChatID: ann,
		Document: &models.InputFileUpload{Filename: "export.json", Data: strings.NewReader("{}")}}))
	again := got[*models.Message](t)(b.SendDocument(ctx, &bot.SendDocumentParams{ChatID: ann, Document: &models.InputFileString{Data: d.Document.FileID}}))
	if again.Document.FileName != "export.json" || again.Document.FileSize != 2 {
		t.Errorf("sent again %+v", again.Document)
	}
	if _, err := b.DeleteMessage(ctx, &bot.DeleteMessageParams{ChatID: ann, MessageID: d.ID}); err != nil {
		t.Error(err)
	}
	if _, found := tg.Message(ann, d.ID); found {
		t.Error("the message is still there")
	}
	if r := call(t, tg, "deleteMessage", args{"chat_id": ann, "message_id": d.ID}); r.Description != "Bad Request: message to delete not found" {
		t.Errorf("answer %+v", r)
	}
	tg.Advance(49 * time.Hour)
	if r := call(t, tg, "deleteMessage", args{"chat_id": ann, "message_id": m.ID}); r.Description != "Bad Request: message can't be deleted" {
		t.Errorf("answer %+v", r)
	}
}

func TestTelegramRefusesPhotosThatAreNone(t *testing.T) {
	tg := untidy(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	b := client(t, tg)
	for want, data := range map[string][]byte{
		"IMAGE_PROCESS_FAILED":     []byte("no picture"),
		"PHOTO_INVALID_DIMENSIONS": chart(t, 420, 20),
		"file must be non-empty":   {},
	} {
		_, err := b.SendPhoto(ctx, &bot.SendPhotoParams{ChatID: ann, Photo: &models.InputFileUpload{Filename: "x.png", Data: bytes.NewReader(data)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
	_, err := b.SendPhoto(ctx, &bot.SendPhotoParams{ChatID: ann, Photo: &models.InputFileString{Data: "unknown"}})
	if err == nil || !strings.Contains(err.Error(), "wrong file identifier") {
		t.Errorf("unknown file: %v", err)
	}
}

func TestTelegramPressesRace(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	ok(t, tg, "sendMessage", text("q", args{"reply_markup": keyboard(button("Alpha", "a"), button("Beta", "b"))}))
	m := last(tg, ann)
	if _, err := tg.Press(ben, m, "a"); err == nil {
		t.Error("a stranger pressed a button in a private chat")
	}
	first := got[*bottest.TelegramPress](t)(tg.PressLabel(ann, m, "Alpha"))
	ok(t, tg, "editMessageText", text("done", args{"message_id": m.ID}))
	got[bottest.TelegramMessage](t)(first.Edited(ctx))
	if _, err := tg.Press(ann, m, "b"); err == nil {
		t.Error("pressed a button that is gone")
	}
	second := got[*bottest.TelegramPress](t)(tg.PressStale(ann, m, "b"))
	ok(t, tg, "deleteMessage", args{"chat_id": ann, "message_id": m.ID})
	third := got[*bottest.TelegramPress](t)(tg.PressStale(ann, m, "b"))
	raw, _ := tg.Update(third.UpdateID)
	if !strings.Contains(string(raw), `"date":0`) {
		t.Errorf("a press on a deleted message shows it as inaccessible, got %s", raw)
	}
	for _, p := range []*bottest.TelegramPress{first, third} {
		ok(t, tg, "answerCallbackQuery", args{"callback_query_id": p.QueryID, "text": p.QueryID})
		if a := got[bottest.TelegramAnswer](t)(p.Answer(ctx)); a.Text != p.QueryID || a.Alert {
			t.Errorf("answer %+v", a)
		}
	}
	if diff := cmp.Diff([]string{"b"}, tg.Unanswered()); diff != "" || second.UpdateID == 0 {
		t.Error(diff)
	}
	// A callback's TTL is the server's; the answer's the fake's clock.
	tg.Advance(3 * time.Minute)
	if r := call(t, tg, "answerCallbackQuery", args{"callback_query_id": second.QueryID}); r.Description != "Bad Request: query is too old and response timeout expired or query ID is invalid" {
		t.Errorf("answer %+v", r)
	}
}

func TestTelegramForcedReply(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	ok(t, tg, "sendMessage", args{"chat_id": super, "text": "Your zone?", "reply_markup": args{"force_reply": true, "selective": true}})
	prompt := last(tg, super)
	if prompt.Keyboard != nil || !strings.Contains(string(prompt.Markup), "force_reply") {
		t.Errorf("prompt %+v", prompt)
	}
	m := got[bottest.TelegramMessage](t)(tg.Reply(ann, prompt, "Europe/Berlin"))
	raw, found := tg.Update(m.UpdateID)
	if !found || !strings.Contains(string(raw), `"reply_to_message":{"message_id"`) {
		t.Errorf("reply %s", raw)
	}
	r := call(t, tg, "sendMessage", args{"chat_id": super, "text": "x", "reply_parameters": args{"message_id": 12345}})
	if r.Description != "Bad Request: message to be replied not found" {
		t.Errorf("answer %+v", r)
	}
	ok(t, tg, "sendMessage", args{"chat_id": super, "text": "x", "reply_parameters": args{"message_id": 12345, "allow_sending_without_reply": true}})
}

func TestTelegramPeopleEditAndDelete(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	m := got[bottest.TelegramMessage](t)(tg.Start(ann, "deep-link"))
	if m.Text != "/start deep-link" {
		t.Errorf("start %q", m.Text)
	}
	e := got[bottest.TelegramMessage](t)(tg.Rewrite(ann, m, "/help"))
	if raw, _ := tg.Update(e.UpdateID); !strings.Contains(string(raw), `"edited_message"`) {
		t.Errorf("update %s", raw)
	}
	must(t, tg.Erase(ann, m))
	if len(tg.Visible(ann)) != 0 {
		t.Error("the message is still there")
	}
}

func TestTelegramRichMessagesAreRecorded(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ok(t, tg, "sendRichMessage", args{"chat_id": ann, "rich_message": args{"html": "<h1>Guide</h1>"}})
	m := last(tg, ann)
	if string(m.RichSent) != `{"html":"<h1>Guide</h1>"}` && !strings.Contains(string(m.RichSent), "Guide") {
		t.Errorf("recorded %s", m.RichSent)
	}
	ok(t, tg, "editMessageText", args{"chat_id": ann, "message_id": m.ID, "rich_message": args{"markdown": "# Guide"}})
	ok(t, tg, "editMessageText", args{"chat_id": ann, "message_id": m.ID, "text": "plain"})
	if m := last(tg, ann); m.Rich != nil || m.Text != "plain" {
		t.Errorf("message %+v", m)
	}
}

func TestTelegramMenusAndProfileWithTheRealLibrary(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	b := client(t, tg)
	set := func(name, lang string, scope models.BotCommandScope) {
		t.Helper()
		if _, err := b.SetMyCommands(ctx, &bot.SetMyCommandsParams{Commands: []models.BotCommand{{Command: name, Description: "d"}}, Scope: scope, LanguageCode: lang}); err != nil {
			t.Fatal(err)
		}
	}
	set("all", "", nil)
	set("private", "", &models.BotCommandScopeAllPrivateChats{})
	set("privat", "de", &models.BotCommandScopeAllPrivateChats{})
	set("admin", "", &models.BotCommandScopeAllChatAdministrators{})
	set("here", "", &models.BotCommandScopeChat{ChatID: forum})
	must(t, tg.Join(ben, super))
	must(t, tg.Join(ben, forum))
	for _, c := range []struct {
		user, chat int64
		lang, want string
	}{
		{ann, ann, "en", "private"}, {ann, ann, "de", "privat"}, {ann, super, "en", "admin"}, {ben, super, "en", "all"}, {ben, forum, "de", "here"},
	} {
		if menu := tg.Menu(c.user, c.chat, c.lang); len(menu) != 1 || menu[0].Command != c.want {
			t.Errorf("%+v: %+v", c, menu)
		}
	}
	list := got[[]models.BotCommand](t)(b.GetMyCommands(ctx, &bot.GetMyCommandsParams{Scope: &models.BotCommandScopeChat{ChatID: forum}}))
	if len(list) != 1 || list[0].Command != "here" {
		t.Errorf("commands %+v", list)
	}
	if _, err := b.DeleteMyCommands(ctx, &bot.DeleteMyCommandsParams{Scope: &models.BotCommandScopeChat{ChatID: forum}}); err != nil {
		t.Fatal(err)
	}
	if menu := tg.Menu(ben, forum, "de"); menu[0].Command != "all" {
		t.Errorf("after the deletion %+v", menu)
	}
	ok(t, tg, "setMyDescription", args{"description": "Interview practice", "language_code": "en"})
	ok(t, tg, "setMyShortDescription", args{"short_description": "Practice"})
	ok(t, tg, "setMyName", args{"name": "Prep"})
	if _, about, _ := tg.Profile("en"); about != "Interview practice" {
		t.Errorf("description %q", about)
	}
	if name, _, short := tg.Profile(""); name != "Prep" || short != "Practice" {
		t.Errorf("name %q, short description %q", name, short)
	}
	me := got[*models.User](t)(b.GetMe(ctx))
	if me.Username != tg.Username || !me.IsBot || me.CanReadAllGroupMessages {
		t.Errorf("me %+v", me)
	}
}

func TestTelegramWaitsSayWhatTheyWaitedFor(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		call(t, tg, "sendMessage", text("one", nil))
		call(t, tg, "sendMessage", text("two", nil))
	}()
	calls := got[[]map[string]any](t)(tg.WaitCalls(ctx, "sendMessage", 2))
	if calls[0]["text"] != "one" || calls[1]["text"] != "two" {
		t.Errorf("calls %v", calls)
	}
	m := got[bottest.TelegramMessage](t)(tg.WaitMessage(ctx, ann, func(m bottest.TelegramMessage) bool { return m.Text == "one" }))
	if next := got[bottest.TelegramMessage](t)(tg.WaitBot(ctx, ann, m)); next.Text != "two" {
		t.Errorf("next message %+v", next)
	}
	<-sent
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := tg.WaitBot(short, ben, bottest.TelegramMessage{})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "a message of the bot in chat 1002") {
		t.Errorf("error %v", err)
	}
	tg.Close()
	if err := tg.Wait(ctx, "nothing", func() bool { return false }); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("error %v", err)
	}
}
