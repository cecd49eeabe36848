package bottest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

// ids polls once without waiting and returns the ids of the updates.
func ids(t *testing.T, tg *bottest.Telegram, params args) []int64 {
	t.Helper()
	return updateIDs(t, ok(t, tg, "getUpdates", params))
}

func updateIDs(t *testing.T, raw json.RawMessage) []int64 {
	t.Helper()
	var list []struct {
		ID int64 `json:"update_id"`
	}
	must(t, json.Unmarshal(raw, &list))
	out := []int64{}
	for _, u := range list {
		out = append(out, u.ID)
	}
	return out
}

// say lets Ann open her chat and write n messages; their update ids come back.
func say(t *testing.T, tg *bottest.Telegram, n int) []int64 {
	t.Helper()
	var out []int64
	for i := range n {
		text := "/start"
		if i > 0 {
			text = fmt.Sprintf("word %d", i)
		}
		out = append(out, got[bottest.TelegramMessage](t)(tg.Text(ann, ann, text)).UpdateID)
	}
	return out
}

// drain acknowledges whatever waits.
func drain(t *testing.T, tg *bottest.Telegram) {
	t.Helper()
	ids(t, tg, args{"offset": -1})
	for _, id := range ids(t, tg, args{}) {
		ids(t, tg, args{"offset": id + 1})
	}
}

func TestTelegramOffsetAcknowledgesWhatIsBelowIt(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	sent := say(t, tg, 5)
	steps := []struct {
		params args
		want   []int64
	}{
		{args{}, sent},
		{args{"limit": 2}, sent[:2]},
		{args{}, sent},
		{args{"offset": sent[2]}, sent[2:]},
		{args{}, sent[2:]}, // what was acknowledged does not come back
		{args{"offset": sent[4] + 1000}, sent[2:]},
		{args{"offset": -2}, sent[3:]},
		{args{}, sent[3:]},
		{args{"offset": sent[4] + 1}, []int64{}},
		{args{}, []int64{}},
	}
	for i, s := range steps {
		if diff := cmp.Diff(s.want, ids(t, tg, s.params)); diff != "" {
			t.Fatalf("step %d %v: %s", i, s.params, diff)
		}
	}
}

func TestTelegramLongPollReturnsAtOnceWhenAnUpdateArrives(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	ctx := within(t)
	answer := make(chan []int64, 1)
	go func() {
		// The server cuts a longer timeout to 50 seconds; this test ends far earlier.
		answer <- updateIDs(t, call(t, tg, "getUpdates", args{"timeout": 3600}).Result)
	}()
	must(t, tg.Wait(ctx, "the poll to begin", tg.Polling))
	sent := say(t, tg, 1)
	select {
	case list := <-answer:
		if diff := cmp.Diff(sent, list); diff != "" {
			t.Error(diff)
		}
	case <-ctx.Done():
		t.Fatal("the poll did not return")
	}
}

func TestTelegramSecondPollerThrowsOutTheFirst(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	ctx := within(t)
	first := make(chan reply, 1)
	go func() { first <- call(t, tg, "getUpdates", args{"timeout": 50}) }()
	must(t, tg.Wait(ctx, "the poll to begin", tg.Polling))
	ids(t, tg, args{})
	r := <-first
	if r.Code != 409 || !strings.HasPrefix(r.Description, "Conflict: terminated by other getUpdates request") {
		t.Errorf("answer %+v", r)
	}
	go func() { first <- call(t, tg, "getUpdates", args{"timeout": 50}) }()
	must(t, tg.Wait(ctx, "the poll to begin", tg.Polling))
	ok(t, tg, "setWebhook", args{"url": "https://bot.example.org/hook"})
	if r := <-first; r.Code != 409 || r.Description != "Conflict: terminated by setWebhook request" {
		t.Errorf("answer %+v", r)
	}
	if r := call(t, tg, "getUpdates", args{}); r.Code != 409 || !strings.Contains(r.Description, "while webhook is active") {
		t.Errorf("answer %+v", r)
	}
	ok(t, tg, "deleteWebhook", args{})
	ids(t, tg, args{})
}

func TestTelegramAllowedUpdatesAreRemembered(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	m := func(text string) int64 {
		t.Helper()
		return got[bottest.TelegramMessage](t)(tg.Text(ann, ann, text)).UpdateID
	}
	if m("/start") == 0 {
		t.Error("messages are in the default")
	}
	ids(t, tg, args{"allowed_updates": []string{"callback_query"}})
	if m("one") != 0 {
		t.Error("a message was queued though not allowed")
	}
	ids(t, tg, args{}) // leaving it out keeps the setting
	if m("two") != 0 {
		t.Error("the setting was forgotten")
	}
	ids(t, tg, args{"allowed_updates": []string{}})
	if m("three") == 0 {
		t.Error("an empty list is the default again")
	}
	// chat_member is for those who ask, even for an administrator.
	must(t, tg.Join(ben, news))
	for _, raw := range tg.Updates() {
		if strings.Contains(string(raw), `"chat_member"`) {
			t.Errorf("unasked %s", raw)
		}
	}
	ids(t, tg, args{"allowed_updates": []string{"chat_member"}})
	must(t, tg.Leave(ben, news))
	if all := tg.Updates(); !strings.Contains(string(all[len(all)-1]), `"chat_member"`) {
		t.Errorf("want chat_member, got %s", all[len(all)-1])
	}
}

func TestTelegramUpdatesLiveTheirTime(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	start := say(t, tg, 1)[0]
	board := args{"inline_keyboard": [][]args{{{"text": "Go", "callback_data": "go"}}}}
	ok(t, tg, "sendMessage", args{"chat_id": ann, "text": "Ready?", "reply_markup": board})
	ok(t, tg, "sendPoll", args{"chat_id": ann, "question": "Which?", "options": []args{{"text": "A"}, {"text": "B"}},
		"type": "quiz", "correct_option_ids": []int{0}, "is_anonymous": false})
	sent := tg.FromBot(ann)
	press := got[*bottest.TelegramPress](t)(tg.Press(ann, sent[0], "go"))
	vote := got[int64](t)(tg.Vote(ann, sent[1], 1))
	want := []int64{start, press.UpdateID, vote - 1, vote}
	if diff := cmp.Diff(want, ids(t, tg, args{})); diff != "" {
		t.Fatal(diff)
	}
	tg.Advance(149 * time.Second)
	if diff := cmp.Diff(want, ids(t, tg, args{})); diff != "" {
		t.Error(diff)
	}
	tg.Advance(2 * time.Second)
	if diff := cmp.Diff([]int64{start, vote - 1, vote}, ids(t, tg, args{})); diff != "" {
		t.Error(diff)
	}
	if r := call(t, tg, "answerCallbackQuery", args{"callback_query_id": press.QueryID}); r.Code != 400 || !strings.Contains(r.Description, "query is too old") {
		t.Errorf("late answer %+v", r)
	}
	tg.Advance(24 * time.Hour)
	if list := ids(t, tg, args{}); len(list) != 0 {
		t.Errorf("still there: %v", list)
	}
	if tg.Lost() < 4 {
		t.Errorf("lost %d", tg.Lost())
	}
}

func TestTelegramDoublesPoisonsAndJumps(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	id := say(t, tg, 1)[0]
	ids(t, tg, args{"offset": id + 1})
	if twin := got[int64](t)(tg.Double(id, false)); twin != id {
		t.Errorf("twin %d of %d", twin, id)
	}
	// An old id comes once more although the offset is past it.
	if diff := cmp.Diff([]int64{id}, ids(t, tg, args{"offset": id + 1})); diff != "" {
		t.Error(diff)
	}
	fresh := got[int64](t)(tg.Double(id, true))
	bad := got[int64](t)(tg.Poison(bottest.TelegramPoison))
	raw, _ := tg.Update(bad)
	if err := json.Unmarshal(raw, &models.Update{}); err == nil {
		t.Errorf("the library decodes %s", raw)
	}
	if diff := cmp.Diff([]int64{fresh, bad}, ids(t, tg, args{"offset": id + 1})); diff != "" {
		t.Error(diff)
	}
	a, _ := tg.Update(id)
	b, _ := tg.Update(fresh)
	if strings.Replace(string(a), fmt.Sprint(id), "N", 1) == "" || len(a) != len(b) {
		t.Errorf("the copy differs: %s and %s", a, b)
	}
	if err := tg.JumpUpdates(1); err == nil {
		t.Error("jumped below waiting updates")
	}
	ids(t, tg, args{"offset": bad + 1})
	must(t, tg.JumpUpdates(77))
	if next := say(t, tg, 1)[0]; next != 77 {
		t.Errorf("id %d after the jump", next)
	}
	// The poller still asks from its old offset, far above: it gets everything.
	if diff := cmp.Diff([]int64{77}, ids(t, tg, args{"offset": bad + 1})); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramSlowRepeatsPunishBusyPollers(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	tg := telegram(t, bottest.TelegramOptions{SlowRepeats: true, Now: func() time.Time { return now }})
	all := ids(t, tg, args{"offset": 1})
	if len(all) < 2 {
		t.Fatalf("want the joins of the bot, got %v", all)
	}
	if diff := cmp.Diff(all[:1], ids(t, tg, args{"offset": 1})); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramTokenAndMethodAreChecked(t *testing.T) {
	tg := untidy(t, bottest.TelegramOptions{})
	for _, c := range []struct {
		path string
		code int
		desc string
	}{
		{"/bot" + tg.Token + "/getme", 200, ""},
		{"/bot" + tg.Token + "x/getMe", 401, "Unauthorized"},
		{"/bot1:x/getMe", 401, "Unauthorized"},
		{"/bot" + tg.Token + "/getNothing", 404, "Not Found: method not found"},
		{"/elsewhere", 404, "Not Found"},
		{"/bot" + tg.Token + "/a/b", 404, "Not Found"},
	} {
		r := post(t, tg.URL()+c.path, "", "")
		if r.Code != c.code && !(c.code == 200 && r.OK) || r.Description != c.desc {
			t.Errorf("%s: %+v", c.path, r)
		}
	}
	for _, r := range tg.Requests() {
		if strings.Contains(r.Path, tg.Token) || strings.Contains(string(r.Body), tg.Token) {
			t.Errorf("the token stands in the record %+v", r)
		}
	}
	if tg.Checked() {
		if r := call(t, tg, "sendDice", args{"chat_id": ann}); r.Code != 400 || !strings.Contains(r.Description, "not implemented by the fake") {
			t.Errorf("answer %+v", r)
		}
	}
}

func TestTelegramReadsEveryEncoding(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	url := tg.URL() + "/bot" + tg.Token + "/sendMessage"
	multipart := "--B\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n1001\r\n" +
		"--B\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nthree\r\n" +
		"--B\r\nContent-Disposition: form-data; name=\"entities\"\r\n\r\n[{\"type\":\"bold\",\"offset\":0,\"length\":5}]\r\n--B--\r\n"
	for _, r := range []reply{
		post(t, url, "application/json", `{"chat_id":1001,"text":"one","entities":[{"type":"bold","offset":0,"length":3}]}`),
		post(t, url, "application/x-www-form-urlencoded", `chat_id=1001&text=two&entities=%5B%7B%22type%22%3A%22bold%22%2C%22offset%22%3A0%2C%22length%22%3A3%7D%5D`),
		post(t, url, "multipart/form-data; boundary=B", multipart),
	} {
		if !r.OK {
			t.Errorf("answer %+v", r)
		}
	}
	resp, err := http.Get(url + "?chat_id=1001&text=four")
	must(t, err)
	must(t, resp.Body.Close())
	var texts []string
	for _, m := range tg.FromBot(ann) {
		texts = append(texts, m.Text)
	}
	if diff := cmp.Diff([]string{"one", "two", "three", "four"}, texts); diff != "" {
		t.Error(diff)
	}
	calls := tg.Calls("sendMessage")
	kinds := []string{}
	for _, c := range calls {
		kinds = append(kinds, fmt.Sprintf("%T", c["entities"]))
	}
	if !slices.Equal(kinds, []string{"[]interface {}", "[]interface {}", "[]interface {}", "<nil>"}) {
		t.Errorf("recorded entities are %v", kinds)
	}
}
