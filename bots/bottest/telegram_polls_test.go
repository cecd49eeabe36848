package bottest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

// answers returns the poll answers told so far, as "user:options".
func answers(t *testing.T, tg *bottest.Telegram) []models.PollAnswer {
	t.Helper()
	var out []models.PollAnswer
	for _, raw := range tg.Updates() {
		var u models.Update
		must(t, json.Unmarshal(raw, &u))
		if u.PollAnswer != nil {
			out = append(out, *u.PollAnswer)
		}
	}
	return out
}

func TestTelegramQuizWithTheRealLibrary(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	ctx := within(t)
	b := client(t, tg)
	must(t, tg.Join(ben, super))
	open := false
	sent := got[*models.Message](t)(b.SendPoll(ctx, &bot.SendPollParams{ChatID: super, Question: "Which loss?", IsAnonymous: &open,
		Options: []models.InputPollOption{{Text: "MSE"}, {Text: "Cross-entropy"}, {Text: "Hinge"}}, Type: "quiz", CorrectOptionIDs: []int{1},
		Explanation: "Because.", Description: "code 7",
		ReplyMarkup: models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "I don't know", CallbackData: "skip"}}}}}))
	m := last(tg, super)
	if sent.Poll.ID != m.Poll.ID || sent.Poll.Description != "code 7" {
		t.Errorf("poll %+v", sent.Poll)
	}
	got[int64](t)(tg.Vote(ann, m, 1))
	got[int64](t)(tg.Vote(ben, m, 0))
	if _, err := tg.Vote(ben, m, 1); err == nil {
		t.Error("a quiz took a second answer")
	}
	if _, err := tg.Vote(ben, m); err == nil {
		t.Error("a quiz gave a vote back")
	}
	list := answers(t, tg)
	if len(list) != 2 || list[0].User.ID != ann || list[1].OptionIDs[0] != 0 || list[1].PollID != m.Poll.ID {
		t.Errorf("answers %+v", list)
	}
	poll := got[*models.Poll](t)(b.StopPoll(ctx, &bot.StopPollParams{ChatID: super, MessageID: sent.ID}))
	if !poll.IsClosed || poll.TotalVoterCount != 2 || poll.Options[1].VoterCount != 1 || poll.Description != "" {
		t.Errorf("stopped poll %+v", poll)
	}
	if now := last(tg, super); !now.Poll.Closed || now.Keyboard != nil {
		t.Errorf("message %+v", now)
	}
	if _, err := tg.Vote(ann, m, 1); err == nil {
		t.Error("a closed poll took a vote")
	}
	if r := call(t, tg, "stopPoll", args{"chat_id": super, "message_id": sent.ID}); r.Description != "Bad Request: poll has already been closed" {
		t.Errorf("answer %+v", r)
	}
	last := tg.Updates()[len(tg.Updates())-1]
	if !strings.Contains(string(last), `"is_closed":true`) || strings.Contains(string(last), "description") {
		t.Errorf("last update %s", last)
	}
}

func TestTelegramKeyboardOfAPollCanBeEditedAndTheVotesStay(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ok(t, tg, "sendPoll", quiz(args{"is_anonymous": false, "reply_markup": keyboard(button("Skip", "s"))}))
	m := last(tg, ann)
	ok(t, tg, "editMessageReplyMarkup", args{"chat_id": ann, "message_id": m.ID, "reply_markup": keyboard(button("Flag", "f"))})
	got[int64](t)(tg.Vote(ann, m, 0))
	if now := last(tg, ann); now.Poll.Voters != 1 || now.Buttons()[0].Text != "Flag" {
		t.Errorf("message %+v", now)
	}
	if r := call(t, tg, "editMessageText", args{"chat_id": ann, "message_id": m.ID, "text": "x"}); r.Description != "Bad Request: there is no text in the message to edit" {
		t.Errorf("answer %+v", r)
	}
}

func TestTelegramRegularPollsTakeVotesBack(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	must(t, tg.Join(ben, super))
	ok(t, tg, "sendPoll", poll(args{"chat_id": super, "is_anonymous": false, "allows_multiple_answers": true}))
	m := last(tg, super)
	got[int64](t)(tg.Vote(ben, m, 0, 1))
	got[int64](t)(tg.Vote(ben, m))
	must(t, tg.Promote(ann, super, ben))
	must(t, tg.Anonymous(super, ben, true))
	got[int64](t)(tg.VoteAsChat(ben, m, 1))
	var seen [][]int
	list := answers(t, tg)
	for _, a := range list {
		seen = append(seen, a.OptionIDs)
	}
	if diff := cmp.Diff([][]int{{0, 1}, {}, {1}}, seen); diff != "" {
		t.Error(diff)
	}
	if a := list[2]; a.User != nil || a.VoterChat == nil || a.VoterChat.ID != super {
		t.Errorf("anonymous answer %+v", a)
	}
	if _, err := tg.Vote(ben, m, 2); err == nil {
		t.Error("voted for an option that is not there")
	}
}

func TestTelegramAnonymousPollsNameNobody(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	ok(t, tg, "sendPoll", poll(args{"chat_id": news}))
	m := last(tg, news)
	if id := got[int64](t)(tg.Vote(ann, m, 0)); id != 0 {
		t.Errorf("an anonymous vote made the poll_answer %d", id)
	}
	if len(answers(t, tg)) != 0 || last(tg, news).Poll.Voters != 1 {
		t.Errorf("poll %+v", last(tg, news).Poll)
	}
}

func TestTelegramPollsCloseInTime(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ok(t, tg, "sendPoll", poll(args{"is_anonymous": false, "open_period": 60}))
	m := last(tg, ann)
	tg.Advance(59 * time.Second)
	got[int64](t)(tg.Vote(ann, m, 0))
	tg.Advance(2 * time.Second)
	if _, err := tg.Vote(ann, m, 1); err == nil || !last(tg, ann).Poll.Closed {
		t.Errorf("voted after the time: %v", err)
	}
	if raw := tg.Updates()[len(tg.Updates())-1]; !strings.Contains(string(raw), `"is_closed":true`) {
		t.Errorf("last update %s", raw)
	}
}

func TestTelegramPayments(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ctx := within(t)
	b := client(t, tg)
	got[*models.Message](t)(b.SendInvoice(ctx, &bot.SendInvoiceParams{ChatID: ann, Title: "Support", Description: "Thank you", Payload: "p1",
		Currency: "XTR", Prices: []models.LabeledPrice{{Label: "Support", Amount: 50}}}))
	m := last(tg, ann)
	p := got[*bottest.TelegramPayment](t)(tg.Pay(ann, m))
	if _, err := b.AnswerPreCheckoutQuery(ctx, &bot.AnswerPreCheckoutQueryParams{PreCheckoutQueryID: p.QueryID, OK: true}); err != nil {
		t.Fatal(err)
	}
	must(t, p.Done(ctx))
	list := tg.Visible(ann)
	if pay := list[len(list)-1].Payment; pay == nil || pay.Payload != "p1" || pay.Total != 50 || pay.ChargeID == "" {
		t.Errorf("receipt %+v", pay)
	}
	no := got[*bottest.TelegramPayment](t)(tg.Pay(ann, m))
	ok(t, tg, "answerPreCheckoutQuery", args{"pre_checkout_query_id": no.QueryID, "ok": false, "error_message": "sold out"})
	if err := no.Done(ctx); err == nil || !strings.Contains(err.Error(), "sold out") {
		t.Errorf("refused payment: %v", err)
	}
	late := got[*bottest.TelegramPayment](t)(tg.Pay(ann, m))
	tg.Advance(11 * time.Second)
	if r := call(t, tg, "answerPreCheckoutQuery", args{"pre_checkout_query_id": late.QueryID, "ok": true}); r.Code != 400 {
		t.Errorf("answer %+v", r)
	}
}
