package bottest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
)

func entity(kind string, offset, length int, more ...any) args {
	e := args{"type": kind, "offset": offset, "length": length}
	for i := 0; i < len(more); i += 2 {
		e[more[i].(string)] = more[i+1]
	}
	return e
}

// keyboard is one row of buttons.
func keyboard(buttons ...args) args { return args{"inline_keyboard": [][]args{buttons}} }

func button(text, data string) args { return args{"text": text, "callback_data": data} }

func poll(more args) args {
	p := args{"chat_id": ann, "question": "Which?", "options": []args{{"text": "A"}, {"text": "B"}}}
	maps.Copy(p, more)
	return p
}

func quiz(more args) args {
	p := poll(args{"type": "quiz", "correct_option_ids": []int{1}})
	maps.Copy(p, more)
	return p
}

func text(s string, more args) args {
	p := args{"chat_id": ann, "text": s}
	maps.Copy(p, more)
	return p
}

func repeat[T any](n int, v T) []T { return slices.Repeat([]T{v}, n) }

// limit is a request at a limit, which is taken, and one beyond it.
type limit struct {
	name, method string
	good, bad    args
}

func long(s string, n int) string { return strings.Repeat(s, n) }

func textLimits() []limit {
	marks := func(list ...args) args { return text("code x 𝛽 end", args{"entities": list}) }
	return []limit{
		{"text length", "sendMessage", text(long("x", 4096), nil), text(long("x", 4097), nil)},
		{"text in UTF-16 units", "sendMessage", text(long("𝛽", 2048), nil), text(long("𝛽", 2049), nil)},
		{"text after parsing", "sendMessage", text("<b>"+long("x", 4096)+"</b>", args{"parse_mode": "HTML"}), text("<b> </b>", args{"parse_mode": "HTML"})},
		{"empty text", "sendMessage", text("x", nil), text(" \n ", nil)},
		{"unknown parameter", "sendMessage", text("x", nil), text("x", args{"disable_web_page_preview": true})},
		{"missing parameter", "sendMessage", text("x", nil), args{"chat_id": ann}},
		{"wrong type", "sendMessage", text("x", args{"disable_notification": true}), text("x", args{"disable_notification": "maybe"})},
		{"nested field", "sendMessage", text("x", args{"link_preview_options": args{"is_disabled": true}}), text("x", args{"link_preview_options": args{"disabled": true}})},
		{"nested type", "sendMessage", text("x", args{"link_preview_options": args{"is_disabled": true}}), text("x", args{"link_preview_options": args{"is_disabled": 1}})},
		{"parse mode", "sendMessage", text("x", args{"parse_mode": "HTML"}), text("x", args{"parse_mode": "MarkdownV2"})},
		{"entity inside", "sendMessage", marks(entity("bold", 9, 4)), marks(entity("bold", 9, 5))},
		{"entity start", "sendMessage", marks(entity("bold", 7, 2)), marks(entity("bold", 8, 2))},
		{"entity end", "sendMessage", marks(entity("bold", 5, 4)), marks(entity("bold", 5, 3))},
		{"entity length", "sendMessage", marks(entity("bold", 0, 1)), marks(entity("bold", 0, 0))},
		{"entity type", "sendMessage", marks(entity("bold", 0, 1)), marks(entity("heading", 0, 1))},
		{"entity nesting", "sendMessage", marks(entity("bold", 0, 6), entity("italic", 2, 2)), marks(entity("bold", 0, 4), entity("italic", 2, 4))},
		{"code alone", "sendMessage", marks(entity("blockquote", 0, 6), entity("code", 0, 4)), marks(entity("bold", 0, 6), entity("code", 0, 4))},
		{"quotes don't nest", "sendMessage", marks(entity("blockquote", 0, 6)), marks(entity("blockquote", 0, 6), entity("expandable_blockquote", 0, 4))},
		{"language", "sendMessage", marks(entity("pre", 0, 4, "language", "go")), marks(entity("code", 0, 4, "language", "go"))},
		{"link", "sendMessage", marks(entity("text_link", 0, 4, "url", "https://example.org/a")), marks(entity("text_link", 0, 4, "url", "exampleorg"))},
	}
}

func boardLimits() []limit {
	board := func(b args) args { return text("t", args{"reply_markup": b}) }
	return []limit{
		{"callback data", "sendMessage", board(keyboard(button("a", long("d", 64)))), board(keyboard(button("a", long("d", 65))))},
		{"callback data in bytes", "sendMessage", board(keyboard(button("a", long("é", 32)))), board(keyboard(button("a", long("é", 33))))},
		{"one action", "sendMessage", board(keyboard(args{"text": "a", "url": "https://example.org"})), board(keyboard(args{"text": "a", "url": "https://example.org", "callback_data": "x"}))},
		{"no action", "sendMessage", board(keyboard(args{"text": "a", "disabled": args{}})), board(keyboard(args{"text": "a"}))},
		{"empty copy_text", "sendMessage", board(keyboard(args{"text": "a", "copy_text": args{"text": "x"}})), board(keyboard(args{"text": "a", "callback_data": "x", "copy_text": args{"text": ""}}))},
		{"button text", "sendMessage", board(keyboard(button("a", "x"))), board(keyboard(button("", "x")))},
		{"button link", "sendMessage", board(keyboard(args{"text": "a", "url": "https://t.me/x?start=y"})), board(keyboard(args{"text": "a", "url": "nowhere"}))},
		{"row", "sendMessage", board(args{"inline_keyboard": [][]args{repeat(8, button("a", "x"))}}), board(args{"inline_keyboard": [][]args{repeat(9, button("a", "x"))}})},
		{"keyboard", "sendMessage", board(args{"inline_keyboard": repeat(100, []args{button("a", "x")})}), board(args{"inline_keyboard": repeat(101, []args{button("a", "x")})})},
		{"keyboard null", "sendMessage", board(args{"inline_keyboard": []any{}}), board(args{"inline_keyboard": nil})},
		{"reply keyboard", "sendMessage", board(args{"keyboard": [][]args{{{"text": "a"}}}}), board(args{"keyboard": [][]args{{}}})},
		{"web app", "sendMessage", board(keyboard(args{"text": "a", "web_app": args{"url": "https://example.org"}})), board(keyboard(args{"text": "a", "web_app": args{"url": "http://example.org"}}))},
		{"web app in a group", "sendMessage", board(keyboard(args{"text": "a", "web_app": args{"url": "https://example.org"}})), args{"chat_id": super, "text": "t", "reply_markup": keyboard(args{"text": "a", "web_app": args{"url": "https://example.org"}})}},
		{"kinds of keyboards", "sendMessage", board(args{"remove_keyboard": true}), board(args{"remove_keyboard": false})},
		{"keyboards in channels", "sendMessage", args{"chat_id": news, "text": "t", "reply_markup": keyboard(button("a", "b"))}, args{"chat_id": news, "text": "t", "reply_markup": args{"force_reply": true}}},
		{"size", "sendMessage", board(args{"inline_keyboard": repeat(80, []args{button("a", long("d", 64))})}), board(args{"inline_keyboard": repeat(100, []args{button(long("a", 30), long("d", 64))})})},
		{"force reply", "sendMessage", board(args{"force_reply": true, "input_field_placeholder": long("p", 64)}), board(args{"force_reply": true, "input_field_placeholder": long("p", 65)})},
	}
}

func pollLimits() []limit {
	return []limit{
		{"question", "sendPoll", poll(args{"question": long("q", 300)}), poll(args{"question": long("q", 301)})},
		{"question entities", "sendPoll", poll(nil), poll(args{"question_entities": []args{entity("bold", 0, 1)}})},
		{"options", "sendPoll", poll(args{"options": repeat(12, args{"text": "o"})}), poll(args{"options": repeat(13, args{"text": "o"})})},
		{"no options", "sendPoll", poll(args{"options": repeat(1, args{"text": "o"})}), poll(args{"options": []args{}})},
		{"option", "sendPoll", poll(args{"options": []args{{"text": long("o", 100)}}}), poll(args{"options": []args{{"text": long("o", 101)}}})},
		{"old options", "sendPoll", poll(nil), poll(args{"options": []string{"A", "B"}})},
		{"explanation", "sendPoll", quiz(args{"explanation": long("e", 200)}), quiz(args{"explanation": long("e", 201)})},
		{"explanation lines", "sendPoll", quiz(args{"explanation": "a\nb\nc"}), quiz(args{"explanation": "a\nb\nc\nd"})},
		{"explanation of a quiz", "sendPoll", quiz(args{"explanation": "e"}), poll(args{"explanation": "e"})},
		{"correct option", "sendPoll", quiz(nil), quiz(args{"correct_option_ids": []int{}})},
		{"correct option there", "sendPoll", quiz(nil), quiz(args{"correct_option_ids": []int{2}})},
		{"correct options increase", "sendPoll", quiz(args{"correct_option_ids": []int{0, 1}, "allows_multiple_answers": true}), quiz(args{"correct_option_ids": []int{1, 0}, "allows_multiple_answers": true})},
		{"one correct option", "sendPoll", quiz(nil), quiz(args{"correct_option_ids": []int{0, 1}})},
		{"correct_option_id is gone", "sendPoll", quiz(nil), quiz(args{"correct_option_id": 1})},
		{"description", "sendPoll", poll(args{"description": long("d", 1024)}), poll(args{"description": long("d", 1025)})},
		{"open period", "sendPoll", poll(args{"open_period": 2628000}), poll(args{"open_period": 2628001})},
		{"least open period", "sendPoll", poll(args{"open_period": 5}), poll(args{"open_period": 4})},
		{"open period and close date", "sendPoll", poll(args{"open_period": 60}), poll(args{"open_period": 60, "close_date": 4102444800})},
		{"close date", "sendPoll", poll(args{"close_date": time.Now().Unix() + 60}), poll(args{"close_date": time.Now().Unix() - 60})},
		{"poll in a channel", "sendPoll", poll(args{"chat_id": news, "is_anonymous": true}), poll(args{"chat_id": news, "is_anonymous": false})},
	}
}

func otherLimits() []limit {
	commands := func(n int) args {
		var list []args
		for i := range n {
			list = append(list, args{"command": "c" + strconv.Itoa(i), "description": "d"})
		}
		return args{"commands": list}
	}
	invoice := func(more args) args {
		p := args{"chat_id": ann, "title": "T", "description": "D", "payload": "p", "currency": "XTR", "prices": []args{{"label": "l", "amount": 5}}}
		maps.Copy(p, more)
		return p
	}
	return []limit{
		{"commands", "setMyCommands", commands(100), commands(101)},
		{"command name", "setMyCommands", args{"commands": []args{{"command": long("c", 32), "description": "d"}}}, args{"commands": []args{{"command": "Test", "description": "d"}}}},
		{"command summary", "setMyCommands", args{"commands": []args{{"command": "c", "description": long("d", 256)}}}, args{"commands": []args{{"command": "c", "description": long("d", 257)}}}},
		{"scope", "setMyCommands", args{"commands": []args{}, "scope": args{"type": "all_private_chats"}}, args{"commands": []args{}, "scope": args{"type": "all_channels"}}},
		{"scope member", "setMyCommands", args{"commands": []args{}, "scope": args{"type": "chat_member", "chat_id": super, "user_id": ann}}, args{"commands": []args{}, "scope": args{"type": "chat_member", "chat_id": super}}},
		{"name", "setMyName", args{"name": long("n", 64)}, args{"name": long("n", 65)}},
		{"about", "setMyDescription", args{"description": long("n", 512)}, args{"description": long("n", 513)}},
		{"short about", "setMyShortDescription", args{"short_description": long("n", 120)}, args{"short_description": long("n", 121)}},
		{"invoice title", "sendInvoice", invoice(args{"title": long("t", 32)}), invoice(args{"title": long("t", 33)})},
		{"invoice text", "sendInvoice", invoice(args{"description": long("t", 255)}), invoice(args{"description": long("t", 256)})},
		{"invoice payload", "sendInvoice", invoice(args{"payload": long("t", 128)}), invoice(args{"payload": long("é", 65)})},
		{"invoice currency", "sendInvoice", invoice(nil), invoice(args{"currency": "EUR"})},
		{"invoice price", "sendInvoice", invoice(nil), invoice(args{"prices": repeat(2, args{"label": "l", "amount": 1})})},
		{"pay button", "sendInvoice", invoice(args{"reply_markup": keyboard(args{"text": "Pay", "pay": true})}), invoice(args{"reply_markup": keyboard(button("a", "b"))})},
		{"pay button elsewhere", "sendInvoice", invoice(nil), invoice(args{"reply_markup": keyboard(button("a", "b"), args{"text": "Pay", "pay": true})})},
		{"chat action", "sendChatAction", args{"chat_id": ann, "action": "typing"}, args{"chat_id": ann, "action": "thinking"}},
		{"limit of updates", "getUpdates", args{"limit": 100}, args{"limit": 101}},
		{"kinds of updates", "getUpdates", args{"allowed_updates": []string{"message"}}, args{"allowed_updates": []string{"messages"}}},
		{"webhook", "setWebhook", args{"url": "https://example.org:8443/x", "secret_token": long("s", 256)}, args{"url": "https://example.org:8443/x", "secret_token": long("s", 257)}},
		{"webhook port", "setWebhook", args{"url": "https://example.org/x"}, args{"url": "https://example.org:9000/x"}},
		{"webhook scheme", "setWebhook", args{"url": "https://example.org:88/x"}, args{"url": "http://example.org:88/x"}},
		{"webhook connections", "setWebhook", args{"url": "https://example.org/x", "max_connections": 100}, args{"url": "https://example.org/x", "max_connections": 101}},
		{"rich message", "sendRichMessage", args{"chat_id": ann, "rich_message": args{"html": long("h", 32768)}}, args{"chat_id": ann, "rich_message": args{"html": long("h", 32769)}}},
	}
}

// Each first request is taken, each second one is refused with 400 and kept as a
// problem.
func TestTelegramLimits(t *testing.T) {
	for _, c := range slices.Concat(textLimits(), boardLimits(), pollLimits(), otherLimits()) {
		t.Run(c.name, func(t *testing.T) {
			tg := untidy(t, bottest.TelegramOptions{})
			if !tg.Checked() {
				t.Skip("some of these need the specification: put it at ../shared/specs or set AIPREP_SHARED")
			}
			say(t, tg, 1)
			ok(t, tg, c.method, c.good)
			if p := tg.Problems(); len(p) > 0 {
				t.Fatalf("problems of the good one: %v", p)
			}
			before := len(tg.FromBot(ann)) + len(tg.FromBot(news))
			r := call(t, tg, c.method, c.bad)
			if r.Code != 400 || !strings.HasPrefix(r.Description, "Bad Request: ") {
				t.Errorf("the bad one: %+v", r)
			}
			if p := tg.Problems(); len(p) != 1 || !strings.Contains(p[0], "/"+c.method) {
				t.Errorf("problems %q", p)
			}
			if len(tg.FromBot(ann))+len(tg.FromBot(news)) != before {
				t.Error("it was sent all the same")
			}
		})
	}
}

func TestTelegramCallbackAnswerHasAtMost200Characters(t *testing.T) {
	tg := untidy(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	ok(t, tg, "sendMessage", text("q", args{"reply_markup": keyboard(button("a", "x"))}))
	press := got[*bottest.TelegramPress](t)(tg.Press(ann, tg.FromBot(ann)[0], "x"))
	answer := func(n int) reply {
		return call(t, tg, "answerCallbackQuery", args{"callback_query_id": press.QueryID, "text": strings.Repeat("x", n)})
	}
	if r := answer(201); r.Code != 400 || len(tg.Problems()) != 1 {
		t.Errorf("201 characters: %+v, %v", r, tg.Problems())
	}
	if r := answer(200); !r.OK {
		t.Errorf("200 characters: %+v", r)
	}
	if r := answer(1); r.Code != 400 || len(tg.Problems()) != 1 {
		t.Errorf("a second answer is late but no problem: %+v, %v", r, tg.Problems())
	}
}

// The hand-written limits agree with the specification's prose, and stay in
// force without the file.
func TestTelegramLimitsAgreeWithTheProse(t *testing.T) {
	api, err := botAPI()
	if err != nil {
		t.Skipf("no specification to compare with: %v", err)
	}
	span := regexp.MustCompile(`(\d+)-(\d+) (characters|bytes|answer options)`)
	for _, c := range []struct {
		owner, field string
		send         func(n int) (string, args)
	}{
		{"sendMessage", "text", func(n int) (string, args) { return "sendMessage", text(strings.Repeat("x", n), nil) }},
		{"sendPoll", "question", func(n int) (string, args) { return "sendPoll", poll(args{"question": strings.Repeat("x", n)}) }},
		{"sendPoll", "options", func(n int) (string, args) { return "sendPoll", poll(args{"options": repeat(n, args{"text": "o"})}) }},
		{"sendPoll", "explanation", func(n int) (string, args) { return "sendPoll", quiz(args{"explanation": strings.Repeat("x", n)}) }},
		{"InputPollOption", "text", func(n int) (string, args) {
			return "sendPoll", poll(args{"options": []args{{"text": strings.Repeat("x", n)}}})
		}},
		{"InlineKeyboardButton", "callback_data", func(n int) (string, args) {
			return "sendMessage", text("t", args{"reply_markup": keyboard(button("a", strings.Repeat("x", n)))})
		}},
		{"BotCommand", "command", func(n int) (string, args) {
			return "setMyCommands", args{"commands": []args{{"command": strings.Repeat("x", n), "description": "d"}}}
		}},
		{"BotCommand", "description", func(n int) (string, args) {
			return "setMyCommands", args{"commands": []args{{"command": "c", "description": strings.Repeat("x", n)}}}
		}},
		{"setMyName", "name", func(n int) (string, args) { return "setMyName", args{"name": strings.Repeat("x", n)} }},
		{"setMyDescription", "description", func(n int) (string, args) { return "setMyDescription", args{"description": strings.Repeat("x", n)} }},
	} {
		m := span.FindStringSubmatch(api.Description(c.owner, c.field))
		if m == nil {
			t.Errorf("%s.%s names no limit: %q", c.owner, c.field, api.Description(c.owner, c.field))
			continue
		}
		least, most := number(t, m[1]), number(t, m[2])
		tg := untidy(t, bottest.TelegramOptions{})
		say(t, tg, 1)
		for n, want := range map[int]bool{least: true, most: true, most + 1: false} {
			method, params := c.send(n)
			if r := call(t, tg, method, params); r.OK != want {
				t.Errorf("%s.%s with %d: %+v", c.owner, c.field, n, r)
			}
		}
		if least > 0 {
			method, params := c.send(least - 1)
			if r := call(t, tg, method, params); r.OK {
				t.Errorf("%s.%s with %d was taken", c.owner, c.field, least-1)
			}
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}

func TestTelegramSpecificationChecks(t *testing.T) {
	api, err := botAPI()
	if err != nil {
		t.Skipf("no specification: %v", err)
	}
	raw := func(v any) json.RawMessage {
		b, err := json.Marshal(v)
		must(t, err)
		return b
	}
	for _, c := range []struct {
		typ  string
		v    any
		want string // part of the complaint, "" for none
	}{
		{"InlineKeyboardMarkup", keyboard(button("a", "b")), ""},
		{"InlineKeyboardMarkup", args{"inline_keyboard": []args{button("a", "b")}}, "want Array of"},
		{"ChatMember", args{"status": "left", "user": args{"id": 1, "is_bot": false, "first_name": "x"}}, ""},
		{"ChatMember", args{"status": "gone", "user": args{"id": 1, "is_bot": false, "first_name": "x"}}, "is not"},
		{"ChatMember", args{"status": "left", "user": args{"id": "1", "is_bot": false, "first_name": "x"}}, ".user.id: want Integer"},
		{"InputMedia", args{"type": "photo", "media": "attach://x", "captoin": "y"}, `no field "captoin"`},
		{"RichText", []any{"a", args{"type": "bold", "text": "b"}}, ""},
		{"Array of MessageEntity", []args{entity("bold", 0, 1), {"type": "bold"}}, `[1]: MessageEntity is another type: it lacks "offset"`},
		{"Nothing", 1, "no type Nothing"},
	} {
		p := api.CheckObject(c.typ, raw(c.v))
		if (len(p) == 0) != (c.want == "") || !strings.Contains(strings.Join(p, "; "), c.want) {
			t.Errorf("%s %v: %q, want %q", c.typ, c.v, p, c.want)
		}
	}
	p := api.CheckCall("sendMessage", map[string]json.RawMessage{"chat_id": raw("5"), "entities": raw(`[{"type":"bold","offset":0,"length":1}]`), "txt": raw("x")})
	if diff := fmt.Sprint(p); !strings.Contains(diff, `"text" is required`) || !strings.Contains(diff, `"txt" is unknown`) || len(p) != 2 {
		t.Errorf("complaints %v", p)
	}
}
