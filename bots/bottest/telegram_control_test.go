package bottest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

func ask(t *testing.T, tg *bottest.Telegram, question string, into any) {
	t.Helper()
	resp, err := http.Get(tg.URL() + "/_control/" + question)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	must(t, json.NewDecoder(resp.Body).Decode(into))
	if resp.StatusCode != 200 {
		t.Fatalf("%s: %v", question, into)
	}
}

func order(t *testing.T, tg *bottest.Telegram, name, body string) map[string]any {
	t.Helper()
	resp, err := http.Post(tg.URL()+"/_control/"+name, "application/json", strings.NewReader(body))
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	var out map[string]any
	must(t, json.NewDecoder(resp.Body).Decode(&out))
	if _, failed := out["error"]; failed != (resp.StatusCode == 400) {
		t.Fatalf("%s: status %d with %v", name, resp.StatusCode, out)
	}
	return out
}

func TestTelegramControlRunsAConversation(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	do := func(name, body string) map[string]any {
		t.Helper()
		out := order(t, tg, name, body)
		if out["error"] != nil {
			t.Fatalf("%s %s: %v", name, body, out)
		}
		return out
	}
	do("user", `{"id":7,"first_name":"Cy","language_code":"de"}`)
	do("chat", `{"id":-1009,"type":"supergroup","title":"Lab","is_forum":true,"owner":7,"members":[1001],"bot":"member"}`)
	thread := do("topic", `{"do":"add","by":7,"chat":-1009,"title":"Daily"}`)["thread"]
	do("text", `{"user":7,"chat":7,"text":"/start"}`)
	seen := do("text", fmt.Sprintf(`{"user":1001,"chat":-1009,"text":"/test@prep_test_bot","thread":%v}`, thread))
	if seen["update_id"] == 0.0 {
		t.Error("the bot did not get its command")
	}
	ok(t, tg, "sendMessage", args{"chat_id": 7, "text": "Q", "reply_markup": args{"inline_keyboard": [][]args{{{"text": "A", "callback_data": "a"}}}}})
	var list []map[string]any
	ask(t, tg, "messages?chat=7&after=0&timeout=5s", &list)
	id := list[len(list)-1]["message_id"]
	query := do("press", fmt.Sprintf(`{"user":7,"chat":7,"message":%v,"label":"A"}`, id))["query_id"]
	ok(t, tg, "answerCallbackQuery", args{"callback_query_id": query, "text": "yes"})
	var answers []bottest.TelegramAnswer
	ask(t, tg, "answers", &answers)
	if len(answers) != 1 || answers[0].Text != "yes" || answers[0].User != 7 {
		t.Errorf("answers %+v", answers)
	}
	do("fault", `{"match":"sendMessage","kind":"rate_limited","retry_after":7}`)
	if r := call(t, tg, "sendMessage", args{"chat_id": 7, "text": "again"}); r.Parameters.RetryAfter != 7 {
		t.Errorf("answer %+v", r)
	}
	do("clock", `{"advance":"25h"}`)
	var queue struct{ Next, Pending, Lost int64 }
	ask(t, tg, "acknowledged?timeout=1s", &map[string]any{})
	ask(t, tg, "offset", &queue)
	if queue.Pending != 0 || queue.Lost == 0 {
		t.Errorf("queue %+v", queue)
	}
	do("offset", `{"next":999999999999}`)
	if got := do("poison", `{"update":{"poison":1}}`)["update_id"]; got != 999999999999.0 {
		t.Errorf("update id %v", got)
	}
	var requests []map[string]any
	ask(t, tg, "requests?method=sendMessage", &requests)
	if len(requests) != 2 || requests[1]["status"] != 429.0 {
		t.Errorf("requests %v", requests)
	}
	var problems []string
	ask(t, tg, "problems", &problems)
	if diff := cmp.Diff([]string{}, problems); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramControlRefusesNonsense(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	for _, c := range [][2]string{
		{"text", `{"user":1001,"chat":1001,"text":"hello"}`},
		{"text", `{"user":1001,"chat":1001,"txt":"/start"}`},
		{"press", `{"user":1001,"chat":1001,"message":5,"data":"x"}`},
		{"nothing", `{}`},
		{"member", `{"do":"dance"}`},
		{"fault", `{"kind":"locusts"}`},
		{"chat", `{"id":-5,"type":"supergroup","title":"x","owner":1001}`},
		{"clock", `{"advance":"soon"}`},
	} {
		if out := order(t, tg, c[0], c[1]); out["error"] == nil {
			t.Errorf("%s %s was accepted: %v", c[0], c[1], out)
		}
	}
}

func TestTelegramControlMovesPeople(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	status := func(chat, user int64) string {
		t.Helper()
		var m struct{ Status string }
		must(t, json.Unmarshal(ok(t, tg, "getChatMember", args{"chat_id": chat, "user_id": user}), &m))
		return m.Status
	}
	for _, c := range []struct {
		order      string
		chat, user int64
		want       string // of user in chat afterwards; "" when the bot can't ask
	}{
		{`{"do":"join","user":1002,"chat":-1002000000001}`, super, ben, "member"},
		{`{"do":"promote","by":1001,"user":1002,"chat":-1002000000001}`, super, ben, "administrator"},
		{`{"do":"anonymous","user":1002,"chat":-1002000000001,"on":true}`, super, ben, "administrator"},
		{`{"do":"demote","by":1001,"user":1002,"chat":-1002000000001}`, super, ben, "member"},
		{`{"do":"promote","by":1001,"chat":-1002000000001}`, super, botID(t, tg), "administrator"},
		{`{"do":"leave","user":1002,"chat":-1002000000001}`, super, ben, "left"},
		{`{"do":"mute_bot","by":1001,"chat":-5005,"on":true}`, group, ann, "creator"},
		{`{"do":"kick_bot","by":1001,"chat":-5005}`, group, ann, ""},
		{`{"do":"add_bot","by":1001,"chat":-5005,"on":true}`, group, botID(t, tg), "administrator"},
		{`{"do":"migrate","by":1001,"chat":-5005}`, group, ann, ""},
		{`{"do":"block","user":1002}`, ben, ben, ""},
		{`{"do":"unblock","user":1002}`, ben, ben, "member"},
		{`{"do":"deactivate","user":1002}`, ben, ben, ""},
		{`{"do":"delete_chat","by":1001,"chat":-1002000000002}`, forum, ann, ""},
	} {
		if out := order(t, tg, "member", c.order); out["error"] != nil {
			t.Fatalf("%s: %v", c.order, out)
		}
		if c.want == "" {
			if r := call(t, tg, "getChatMember", args{"chat_id": c.chat, "user_id": c.user}); r.OK {
				t.Errorf("%s: the bot still reaches the chat", c.order)
			}
		} else if s := status(c.chat, c.user); s != c.want {
			t.Errorf("%s: status %s, want %s", c.order, s, c.want)
		}
	}
}

func TestTelegramControlFaults(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	for _, c := range []struct {
		order string
		code  int
		desc  string
	}{
		{`{"kind":"forbidden","text":"user is deactivated"}`, 403, "Forbidden: user is deactivated"},
		{`{"kind":"bad_request","text":"chat not found"}`, 400, "Bad Request: chat not found"},
		{`{"kind":"migrated","to":-1005}`, 400, "Bad Request: group chat was upgraded to a supergroup chat"},
		{`{"kind":"server_error"}`, 500, "Internal Server Error"},
		{`{"kind":"conflict"}`, 409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"},
		{`{"kind":"status","code":418,"text":"{\"error_code\":418,\"description\":\"teapot\"}"}`, 418, "teapot"},
	} {
		if out := order(t, tg, "fault", c.order); out["error"] != nil {
			t.Fatal(out)
		}
		if r := call(t, tg, "sendMessage", text("x", nil)); r.Code != c.code || r.Description != c.desc {
			t.Errorf("%s: %+v", c.order, r)
		}
	}
	order(t, tg, "fault", `{"kind":"dropped","times":-1}`)
	order(t, tg, "forget", `{}`)
	ok(t, tg, "sendMessage", text("x", nil))
	if n := len(tg.Requests()); n != 1 {
		t.Errorf("%d requests after forget", n)
	}
}
