package telegram

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

// receipt is when the updates of these tests were received.
func receipt() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

func testSelf() self {
	return self{username: "Prep_Bot", known: func(verb string) bool {
		return strings.Contains(" test start setup learn ", " "+verb+" ")
	}}
}

const (
	fromAnn   = `"from":{"id":1001,"first_name":"Ann","last_name":"Lee","language_code":"pt-br"}`
	inPrivate = `"chat":{"id":1001,"type":"private"}`
	inGroup   = `"chat":{"id":-100777,"type":"supergroup"}`
)

// said makes a message whose text begins with a command of n UTF-16 units.
func said(where, text string, n string, more ...string) string {
	raw, _ := json.Marshal(text)
	fields := append([]string{`"message_id":9`, `"date":1700000000`, where, `"text":` + string(raw)}, more...)
	if n != "" {
		fields = append(fields, `"entities":[{"type":"bot_command","offset":0,"length":`+n+`}]`)
	}
	return `{"update_id":5,"message":{` + strings.Join(fields, ",") + `}}`
}

func TestReceive(t *testing.T) {
	user := engine.User{Platform: platform, ID: "1001", Name: "Ann Lee"}
	private := engine.Place{Platform: platform, Chat: "1001"}
	super := engine.Place{Platform: platform, Server: "-100777", Chat: "-100777"}
	sent := time.Unix(1700000000, 0)
	base := engine.Input{ID: "5", At: sent, From: user, Locale: "pt-br"}
	input := func(in engine.Place, verb string, args ...string) engine.Input {
		i := base
		i.In, i.Verb, i.Args = in, verb, args
		return i
	}
	press := func(in engine.Place, on engine.Ref, verb string, args ...string) engine.Input {
		i := input(in, verb, args...)
		i.At, i.Late, i.On = receipt(), true, on
		return i
	}
	event := func(in engine.Place, verb string, args ...string) engine.Input {
		i := input(in, verb, args...)
		i.Event, i.Locale = true, ""
		return i
	}
	nobody := func(i engine.Input) engine.Input { i.From = engine.User{}; return i }
	anonymous := func(i engine.Input) engine.Input {
		i.From, i.Locale = engine.User{Platform: platform, ID: "-100777"}, ""
		return i
	}
	channel := engine.Place{Platform: platform, Server: "-1008", Chat: "-1008"}
	publisher := func(i engine.Input) engine.Input {
		i.From, i.Locale = engine.User{Platform: platform, ID: "-1008"}, ""
		return i
	}
	ballot := func(args ...string) engine.Input {
		i := press(private, "", engine.VerbBallot, args...)
		i.On, i.Own, i.Event = "", false, true
		return i
	}
	ofPoll := func(i engine.Input, id string) engine.Input { i.Poll = id; return i }
	inTopic := super
	inTopic.Thread = "12"
	button := func(data, message string) string {
		return `{"update_id":5,"callback_query":{"id":"q",` + fromAnn + `,"message":{` + message + `},"data":` + data + `}}`
	}
	change := func(where, member string) string {
		return `{"update_id":5,"my_chat_member":{` + where + `,` + fromAnn + `,"date":1700000000,"new_chat_member":{` + member + `}}}`
	}

	tests := []struct {
		name, update string
		want         engine.Input // a zero Verb: none of our business
	}{
		{"a command in private", said(inPrivate, "/test caching x=1", "5", fromAnn), input(private, "test", "caching", "x=1")},
		{"a command in capitals", said(inPrivate, "/TEST", "5", fromAnn), input(private, "test")},
		{"a command to us by name", said(inGroup, "/test@prep_bot caching", "14", fromAnn), input(super, "test", "caching")},
		{"a command to another bot", said(inGroup, "/test@other_bot", "15", fromAnn), engine.Input{}},
		{"a command of another bot", said(inGroup, "/ban you", "4", fromAnn), engine.Input{}},
		{"an unknown command to us", said(inGroup, "/ban@prep_bot", "13", fromAnn), input(super, "/ban")},
		{"a verb that only buttons have", said(inPrivate, "/vote X a", "5", fromAnn), input(private, "/vote")},
		{"an unknown command in private", said(inPrivate, "/nope", "5", fromAnn), input(private, "/nope")},
		{"text behind an emoji", said(inPrivate, "/learn 🙂 caché", "6", fromAnn), input(private, "learn", "🙂", "caché")},
		{"a deep link", said(inPrivate, "/start test_caching", "6", fromAnn), input(private, "start", "test_caching")},
		{"a command with line feeds", said(inPrivate, "/learn\ncaching\n", "6", fromAnn), input(private, "learn", "caching")},
		{"a slash that is no command", said(inPrivate, "/ tmp", "", fromAnn), input(private, lineVerb, "/ tmp")},
		{"a command in the middle", said(inPrivate, "привет /test", "", fromAnn), input(private, lineVerb, "привет /test")},
		{"an entity beyond the text", said(inPrivate, "/test", "50", fromAnn), input(private, lineVerb, "/test")},
		{"an entity inside a character", said(inPrivate, "/🙂", "2", fromAnn), input(private, lineVerb, "/🙂")},
		{"a line in private", said(inPrivate, " 09:30 ", "", fromAnn), input(private, lineVerb, "09:30")},
		{"a line in a group", said(inGroup, "hello", "", fromAnn), engine.Input{}},
		{"a forwarded command", said(inPrivate, "/test", "5", fromAnn, `"forward_origin":{"type":"x"}`), engine.Input{}},
		{"a post of a linked channel", said(inGroup, "/test", "5", fromAnn, `"is_automatic_forward":true`), engine.Input{}},
		{"another bot", said(inGroup, "/test", "5", `"from":{"id":3,"is_bot":true}`), engine.Input{}},
		{"a channel that speaks in a group", said(inGroup, "/test", "5", `"from":{"id":136817688,"is_bot":true}`,
			`"sender_chat":{"id":-1008,"type":"channel"}`), engine.Input{}},
		{"an anonymous administrator", said(inGroup, "/setup", "6", `"from":{"id":1087968824,"is_bot":true}`,
			`"sender_chat":{"id":-100777,"type":"supergroup"}`), anonymous(input(super, "setup"))},
		{"a channel's post", said(`"chat":{"id":-1008,"type":"channel"}`, "/test", "5", fromAnn), engine.Input{}},
		{"a picture", `{"update_id":5,"message":{"message_id":9,"date":1,` + inPrivate + `,` + fromAnn + `,"photo":[]}}`, engine.Input{}},
		{"a topic of a forum", said(inGroup, "/test", "5", fromAnn, `"message_thread_id":12`, `"is_topic_message":true`), input(inTopic, "test")},
		{"a thread of answers", said(inGroup, "/test", "5", fromAnn, `"message_thread_id":12`), input(super, "test")},
		{"a topic of a private chat", said(inPrivate, "/test", "5", fromAnn, `"message_thread_id":12`, `"is_topic_message":true`), input(private, "test")},
		{"an edited message", strings.Replace(said(inPrivate, "/test", "5", fromAnn), `"message"`, `"edited_message"`, 1), engine.Input{}},

		{"a press", button(`"vote TOKEN a"`, `"message_id":9,"date":1,`+inGroup), press(super, "-100777:9", "vote", "TOKEN", "a")},
		{"a press in a topic", button(`"help"`, `"message_id":9,"date":1,"message_thread_id":12,"is_topic_message":true,`+inGroup), press(inTopic, "-100777:9", "help")},
		{"a press on a lost message", button(`"help"`, `"message_id":9,"date":0,`+inGroup), press(super, "-100777:9", "help")},
		{"a press without data", button(`"  "`, `"message_id":9,"date":1,`+inGroup), engine.Input{}},
		{"a press of an inline message", `{"update_id":5,"callback_query":{"id":"q",` + fromAnn + `,"inline_message_id":"i","data":"help"}}`, engine.Input{}},

		{"added", change(inGroup, `"status":"member"`), event(super, "joined")},
		{"made an administrator", change(inGroup, `"status":"administrator"`), event(super, "joined")},
		{"thrown out", change(inGroup, `"status":"kicked"`), event(super, "left")},
		{"gone", change(inGroup, `"status":"left"`), event(super, "left")},
		{"muted", change(inGroup, `"status":"restricted","is_member":true,"can_send_messages":false`), event(super, "left")},
		{"unmuted", change(inGroup, `"status":"restricted","is_member":true,"can_send_messages":true`), event(super, "joined")},
		{"blocked", change(inPrivate, `"status":"kicked"`), event(private, "left")},
		{"added to a channel", change(`"chat":{"id":-1008,"type":"channel"}`, `"status":"administrator"`), event(channel, "joined")},
		{"a command posted in a channel", strings.Replace(said(`"chat":{"id":-1008,"type":"channel"}`, "/setup", "6", `"sender_chat":{"id":-1008,"type":"channel"}`), `"message"`, `"channel_post"`, 1), publisher(input(channel, "setup"))},
		{"another channel's post", strings.Replace(said(`"chat":{"id":-1008,"type":"channel"}`, "/setup", "6", `"sender_chat":{"id":-1009,"type":"channel"}`), `"message"`, `"channel_post"`, 1), engine.Input{}},
		{"a press below a poll", button(`"help"`, `"message_id":9,"date":1,"poll":{"id":"7"},`+inGroup), ofPoll(press(super, "-100777:9:poll", "help"), "7")},
		{"a vote", `{"update_id":5,"poll_answer":{"poll_id":"77","user":{"id":1001,"first_name":"Ann","last_name":"Lee","language_code":"pt-br"},"option_ids":[2]}}`, ballot("77", "2")},
		{"a vote taken back", `{"update_id":5,"poll_answer":{"poll_id":"77","user":{"id":1001,"first_name":"Ann"},"option_ids":[]}}`, engine.Input{}},
		{"a vote of a channel", `{"update_id":5,"poll_answer":{"poll_id":"77","voter_chat":{"id":-1008,"type":"channel"},"option_ids":[1]}}`, engine.Input{}},
		{"moved, said by the old group", `{"update_id":5,"message":{"message_id":9,"date":1700000000,"chat":{"id":-4,"type":"group"},"migrate_to_chat_id":-100777}}`,
			nobody(event(super, "moved", "-4"))},
		{"moved, said by the new one", `{"update_id":5,"message":{"message_id":9,"date":1700000000,` + inGroup + `,"migrate_from_chat_id":-4}}`,
			nobody(event(super, "moved", "-4"))},
		{"a kind from the future", `{"update_id":5,"invented":{}}`, engine.Input{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var u update
			if err := json.Unmarshal([]byte(tt.update), &u); err != nil {
				t.Fatal(err)
			}
			ev, err := testSelf().receive(u, receipt())
			if err != nil {
				t.Fatal(err)
			}
			if tt.want.Verb == "" && ev.in.Verb == "" {
				return
			}
			if diff := cmp.Diff(tt.want, ev.in, cmp.Comparer(func(a, b []string) bool { return strings.Join(a, "\x00") == strings.Join(b, "\x00") })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReceiveSetsBadUpdatesAside(t *testing.T) {
	for name, raw := range map[string]string{
		"a message without a chat": `{"update_id":5,"message":{"message_id":9}}`,
		"a press without a chat":   `{"update_id":5,"callback_query":{"id":"q","data":"help","message":{"message_id":9}}}`,
		"a change without a chat":  `{"update_id":5,"my_chat_member":{}}`,
		"an unknown status":        `{"update_id":5,"my_chat_member":{` + inGroup + `,"new_chat_member":{"status":"emperor"}}}`,
	} {
		var u update
		if err := json.Unmarshal([]byte(raw), &u); err != nil {
			t.Fatal(err)
		}
		if _, err := testSelf().receive(u, receipt()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestWhereAnEventIsAnswered(t *testing.T) {
	for raw, want := range map[string]address{
		said(inPrivate, "/test", "5", fromAnn):                                                      {Chat: 1001},
		said(inPrivate, "/test", "5", fromAnn, `"message_thread_id":12`, `"is_topic_message":true`): {Chat: 1001, Thread: 12},
		said(inGroup, "/test", "5", fromAnn, `"message_thread_id":12`, `"is_topic_message":true`):   {Chat: -100777, Thread: 12},
		said(inGroup, "/test", "5", fromAnn, `"message_thread_id":12`):                              {Chat: -100777},
	} {
		var u update
		if err := json.Unmarshal([]byte(raw), &u); err != nil {
			t.Fatal(err)
		}
		if ev, err := testSelf().receive(u, receipt()); err != nil || ev.here != want {
			t.Errorf("%s is answered in %+v, %v", raw, ev.here, err)
		}
	}
}

func TestNoOtherGroupCanBeNamed(t *testing.T) {
	cmd := engine.Command{Options: []engine.Option{{Name: "time", Kind: engine.TimeOption}, {Name: "channel", Kind: engine.PlaceOption}}}
	ev := event{in: engine.Input{In: engine.Place{Server: "-7", Chat: "-7"},
		Args: []string{"time=09:00", "channel=-8", "channel=here", "channel=-7/3", "channel=-7", "channel=-8/-7", "channel="}}}
	ev.keepAtHome(cmd)
	if diff := cmp.Diff([]string{"time=09:00", "channel=here", "channel=-7/3", "channel=-7"}, ev.in.Args); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDeepLinks(t *testing.T) {
	payload, ok := deepLink(-1001234567890, 17, []string{"vote", "ABCDEFGHIJKLM", "a"})
	if !ok || strings.Trim(payload, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		t.Fatalf("deepLink() = %q, %v", payload, ok)
	}
	group, thread, action, ok := readLink(payload)
	if !ok || group != -1001234567890 || thread != 17 || strings.Join(action, " ") != "vote ABCDEFGHIJKLM a" {
		t.Errorf("readLink(%q) = %d, %d, %q, %v", payload, group, thread, action, ok)
	}
	if p, ok := deepLink(-1001234567890, 0, []string{"learn", strings.Repeat("x", 40)}); ok {
		t.Errorf("a link of %d characters is taken", len(p))
	}
	for _, bad := range []string{"", "in-", "in-1", "in-1-0-", "in--1-0-aGVscA", "in-1--1-aGVscA", "in-1-0-*", "test_caching", "in-0-0-aGVscA"} {
		if _, _, _, ok := readLink(bad); ok {
			t.Errorf("readLink takes %q", bad)
		}
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte(said(inPrivate, "/test caching", "5", fromAnn)))
	f.Add([]byte(said(inGroup, "/te🙂st", "4", fromAnn)))
	f.Add([]byte(`{"update_id":5,"callback_query":{"id":"q",` + fromAnn + `,"message":{"message_id":9,"date":1,` + inGroup + `},"data":"vote x a"}}`))
	f.Add([]byte(poison))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var u update
		if json.Unmarshal(raw, &u) != nil {
			return
		}
		ev, err := testSelf().receive(u, receipt())
		if err != nil || ev.in.Verb == "" {
			return
		}
		if ev.in.In.Chat == "" || ev.here.Chat == 0 || ev.in.In.Platform != platform {
			t.Errorf("an event nowhere: %+v", ev)
		}
		for _, s := range append([]string{ev.in.Verb, ev.in.From.Name}, ev.in.Args...) {
			if !utf8.ValidString(s) {
				t.Errorf("%q is no UTF-8", s)
			}
		}
	})
}
