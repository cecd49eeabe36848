package bottest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

// refusal is a place and what writing to it answers.
type refusal struct {
	name string
	make func(t *testing.T, tg *bottest.Telegram) (chat any, thread int)
	want result
}

type result struct {
	code int
	desc string
}

// gone are places that the bot can't reach.
func gone() []refusal {
	return []refusal{
		{"a person who did not press Start", func(*testing.T, *bottest.Telegram) (any, int) { return ben, 0 },
			result{403, "Forbidden: bot can't initiate conversation with a user"}},
		{"nobody", func(*testing.T, *bottest.Telegram) (any, int) { return 999, 0 }, result{400, "Bad Request: chat not found"}},
		{"no such name", func(*testing.T, *bottest.Telegram) (any, int) { return "@nowhere", 0 }, result{400, "Bad Request: chat not found"}},
		{"blocked", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			say(t, tg, 1)
			must(t, tg.Block(ann))
			return ann, 0
		}, result{403, "Forbidden: bot was blocked by the user"}},
		{"deactivated", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			say(t, tg, 1)
			must(t, tg.Deactivate(ann))
			return ann, 0
		}, result{403, "Forbidden: user is deactivated"}},
		{"kicked from a group", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			must(t, tg.KickBot(ann, group))
			return group, 0
		}, result{403, "Forbidden: bot was kicked from the group chat"}},
		{"kicked from a supergroup", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			must(t, tg.KickBot(ann, super))
			return super, 0
		}, result{403, "Forbidden: bot was kicked from the supergroup chat"}},
		{"left", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			ok(t, tg, "leaveChat", args{"chat_id": news})
			return news, 0
		}, result{403, "Forbidden: bot is not a member of the channel chat"}},
		{"deleted", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			must(t, tg.DeleteChat(ann, group))
			return group, 0
		}, result{403, "Forbidden: the group chat was deleted"}},
	}
}

// closed are places that the bot reaches and may not write to.
func closed() []refusal {
	return []refusal{
		{"muted", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			must(t, tg.Mute(ann, super, true))
			return "@classroom", 0
		}, result{400, "Bad Request: not enough rights to send text messages to the chat"}},
		{"no administrator of the channel", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			must(t, tg.Demote(ann, news, botID(t, tg)))
			return news, 0
		}, result{400, "Bad Request: need administrator rights in the channel chat"}},
		{"a topic that is deleted", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			thread := got[int](t)(tg.AddTopic(ann, forum, "Daily"))
			must(t, tg.DeleteTopic(ann, forum, thread))
			return forum, thread
		}, result{400, "Bad Request: message thread not found"}},
		{"a topic that is closed", func(t *testing.T, tg *bottest.Telegram) (any, int) {
			thread := got[int](t)(tg.AddTopic(ann, forum, "Daily"))
			must(t, tg.CloseTopic(ann, forum, thread))
			return forum, thread
		}, result{400, "Bad Request: TOPIC_CLOSED"}},
		{"General by number", func(*testing.T, *bottest.Telegram) (any, int) { return forum, 1 }, result{400, "Bad Request: message thread not found"}},
		{"a topic where there are none", func(*testing.T, *bottest.Telegram) (any, int) { return super, 5 }, result{400, "Bad Request: message thread not found"}},
	}
}

func TestTelegramPlacesThatCannotBeWrittenTo(t *testing.T) {
	for _, c := range slices.Concat(gone(), closed()) {
		t.Run(c.name, func(t *testing.T) {
			tg := telegram(t, bottest.TelegramOptions{})
			chat, thread := c.make(t, tg)
			params := args{"chat_id": chat, "text": "hello"}
			if thread != 0 {
				params["message_thread_id"] = thread
			}
			r := call(t, tg, "sendMessage", params)
			if diff := cmp.Diff(c.want, result{r.Code, r.Description}, cmp.AllowUnexported(result{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func botID(t *testing.T, tg *bottest.Telegram) int64 {
	t.Helper()
	var me struct{ ID int64 }
	ask(t, tg, "bot", &me)
	return me.ID
}

func TestTelegramMigrationKeepsTheMembersAndNamesTheNewChat(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	drain(t, tg)
	must(t, tg.Join(ben, group))
	id := got[int64](t)(tg.Migrate(ann, group))
	r := call(t, tg, "sendMessage", args{"chat_id": group, "text": "hello"})
	if r.Code != 400 || r.Parameters.MigrateTo != id || r.Description != "Bad Request: group chat was upgraded to a supergroup chat" {
		t.Errorf("answer %+v, new id %d", r, id)
	}
	ok(t, tg, "sendMessage", args{"chat_id": id, "text": "hello"})
	if _, err := tg.Text(ben, id, "/board@prep_test_bot"); err != nil {
		t.Error(err)
	}
	if _, err := tg.Text(ben, group, "still here?"); err == nil {
		t.Error("wrote to a group that is no more")
	}
	last := tg.Visible(group)[len(tg.Visible(group))-1]
	first := tg.Visible(id)[0]
	if last.MigrateTo != id || first.MigrateFrom != group || last.UpdateID == 0 || first.UpdateID == 0 {
		t.Errorf("service messages %+v and %+v", last, first)
	}
}

func TestTelegramPrivacyMode(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  string
		opts  bottest.TelegramOptions
		setup func(t *testing.T, tg *bottest.Telegram) []bottest.TelegramTextOption
		sees  bool
	}{
		{name: "talk", text: "hello"},
		{name: "a general command", text: "/test", sees: true},
		{name: "a command for us", text: "/test@Prep_Test_Bot now", sees: true},
		{name: "a command for another bot", text: "/test@rival_bot"},
		{name: "a command in the middle", text: "please /test"},
		{name: "a general command after another bot spoke", text: "/test", setup: func(t *testing.T, tg *bottest.Telegram) []bottest.TelegramTextOption {
			must(t, tg.Rival(super, "I am here too"))
			return nil
		}},
		{name: "a command for us after another bot spoke", text: "/test@prep_test_bot", sees: true, setup: func(t *testing.T, tg *bottest.Telegram) []bottest.TelegramTextOption {
			must(t, tg.Rival(super, "I am here too"))
			return nil
		}},
		{name: "an answer to us", text: "forty-two", sees: true, setup: func(t *testing.T, tg *bottest.Telegram) []bottest.TelegramTextOption {
			ok(t, tg, "sendMessage", args{"chat_id": super, "text": "How many?"})
			return []bottest.TelegramTextOption{bottest.TelegramReply(tg.FromBot(super)[0].ID)}
		}},
		{name: "talk with privacy off", text: "hello", opts: bottest.TelegramOptions{SeesAll: true}, sees: true},
		{name: "talk to an administrator", text: "hello", sees: true, setup: func(t *testing.T, tg *bottest.Telegram) []bottest.TelegramTextOption {
			must(t, tg.Promote(ann, super, botID(t, tg)))
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := telegram(t, c.opts)
			var opts []bottest.TelegramTextOption
			if c.setup != nil {
				opts = c.setup(t, tg)
			}
			m := got[bottest.TelegramMessage](t)(tg.Text(ann, super, c.text, opts...))
			if (m.UpdateID != 0) != c.sees {
				t.Errorf("update %d, want one: %v", m.UpdateID, c.sees)
			}
		})
	}
}

func TestTelegramMarksCommandsAndMentionsInUTF16(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{SeesAll: true})
	for text, want := range map[string][]bottest.TelegramEntity{
		"/start abc":            {{Type: "bot_command", Offset: 0, Length: 6}},
		"привет 𝛽 /test@ai_bot": {{Type: "bot_command", Offset: 10, Length: 12}},
		"hi @prep_test_bot!":    {{Type: "mention", Offset: 3, Length: 14}},
		"a/b /x/y <br/> //z":    nil,
		"/test@x 1/2":           nil,
		"mail@example.org":      nil,
		"(/a) /b.":              {{Type: "bot_command", Offset: 1, Length: 2}, {Type: "bot_command", Offset: 5, Length: 2}},
		"/команда":              nil,
	} {
		m := got[bottest.TelegramMessage](t)(tg.Text(ann, super, text))
		if diff := cmp.Diff(want, m.Entities); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestTelegramTopicsKeepTheirThread(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	thread := got[int](t)(tg.AddTopic(ann, forum, "Daily"))
	inTopic := got[bottest.TelegramMessage](t)(tg.Text(ann, forum, "/test@prep_test_bot", bottest.TelegramThread(thread)))
	general := got[bottest.TelegramMessage](t)(tg.Text(ann, forum, "/test@prep_test_bot"))
	if inTopic.Thread != thread || !inTopic.InTopic || general.Thread != 0 || general.InTopic {
		t.Errorf("threads %+v and %+v", inTopic, general)
	}
	ok(t, tg, "sendMessage", args{"chat_id": forum, "text": "in", "message_thread_id": thread})
	ok(t, tg, "sendMessage", args{"chat_id": forum, "text": "answer", "reply_parameters": args{"message_id": inTopic.ID}})
	ok(t, tg, "sendMessage", args{"chat_id": forum, "text": "out"})
	var threads []int
	for _, m := range tg.FromBot(forum) {
		threads = append(threads, m.Thread)
	}
	if diff := cmp.Diff([]int{thread, thread, 0}, threads); diff != "" {
		t.Error(diff)
	}
	must(t, tg.CloseTopic(ann, forum, thread))
	must(t, tg.Promote(ann, forum, botID(t, tg)))
	ok(t, tg, "sendMessage", args{"chat_id": forum, "text": "administrators may", "message_thread_id": thread})
	must(t, tg.ReopenTopic(ann, forum, thread))
	if _, err := tg.Text(ann, forum, "hello", bottest.TelegramThread(99)); err == nil {
		t.Error("wrote into a topic that is not there")
	}
}

func TestTelegramMembersAndTheirRights(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	must(t, tg.Join(ben, super))
	status := func(user int64) string {
		t.Helper()
		raw := string(ok(t, tg, "getChatMember", args{"chat_id": super, "user_id": user}))
		_, rest, _ := strings.Cut(raw, `"status":"`)
		s, _, _ := strings.Cut(rest, `"`)
		return s
	}
	if a, b := status(ann), status(ben); a != "creator" || b != "member" {
		t.Errorf("status %s and %s", a, b)
	}
	must(t, tg.Promote(ann, super, ben))
	must(t, tg.Anonymous(super, ben, true))
	admins := string(ok(t, tg, "getChatAdministrators", args{"chat_id": super}))
	if strings.Count(admins, `"status"`) != 2 || !strings.Contains(admins, `"is_anonymous":true`) {
		t.Errorf("administrators %s", admins)
	}
	m := got[bottest.TelegramMessage](t)(tg.Text(ben, super, "/settings@prep_test_bot", bottest.TelegramAnonymous()))
	if m.From.Username != "GroupAnonymousBot" || m.SenderChat == nil || m.SenderChat.ID != super || m.UpdateID == 0 {
		t.Errorf("anonymous message %+v", m)
	}
	if _, err := tg.Text(ann, super, "x", bottest.TelegramAnonymous()); err == nil {
		t.Error("wrote as an anonymous administrator without being one")
	}
	must(t, tg.Leave(ben, super))
	if s := status(ben); s != "left" {
		t.Errorf("status %s", s)
	}
	if _, err := tg.Text(ben, super, "x"); err == nil {
		t.Error("wrote in a group that they left")
	}
	if r := call(t, tg, "getChatMember", args{"chat_id": super, "user_id": 404}); r.Code != 400 || r.Description != "Bad Request: user not found" {
		t.Errorf("answer %+v", r)
	}
	ok(t, tg, "getChat", args{"chat_id": "@classroom"})
	ok(t, tg, "getChat", args{"chat_id": forum})
}

func TestTelegramTellsTheBotWhereItStands(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	must(t, tg.Block(ann))
	if _, err := tg.Text(ann, ann, "hello"); err == nil {
		t.Error("wrote to a bot that they blocked")
	}
	must(t, tg.Unblock(ann))
	must(t, tg.KickBot(ann, group))
	must(t, tg.AddBot(ann, group, true))
	var moves []string
	for _, raw := range tg.Updates() {
		s := string(raw)
		if !strings.Contains(s, `"my_chat_member"`) || !strings.Contains(s, `"id":1001,"type":"private"`) && !strings.Contains(s, `"id":-5005`) {
			continue
		}
		var parts []string
		for _, piece := range strings.Split(s, `"status":"`)[1:] {
			status, _, _ := strings.Cut(piece, `"`)
			parts = append(parts, status)
		}
		moves = append(moves, strings.Join(parts, ">"))
	}
	// JSON sorts new_chat_member before old_chat_member.
	if diff := cmp.Diff([]string{"member>left", "kicked>member", "member>kicked", "kicked>member", "administrator>kicked"}, moves); diff != "" {
		t.Error(diff)
	}
}

func TestTelegramChannelPostsReachAnAdministrator(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	m := got[bottest.TelegramMessage](t)(tg.Text(ann, news, "hello"))
	raw, found := tg.Update(m.UpdateID)
	if !found || !strings.Contains(string(raw), `"channel_post"`) || m.From != nil {
		t.Errorf("post %+v in %s", m, raw)
	}
	ok(t, tg, "sendMessage", args{"chat_id": news, "text": "from the bot"})
	if p := tg.FromBot(news)[0]; p.From != nil || p.SenderChat == nil {
		t.Errorf("post %+v", p)
	}
}

func TestTelegramMessageIDsCountAsTheRealOnesDo(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	send := func(chat int64) int {
		t.Helper()
		ok(t, tg, "sendMessage", args{"chat_id": chat, "text": "x"})
		list := tg.FromBot(chat)
		return list[len(list)-1].ID
	}
	a, b, c, d := send(ann), send(group), send(super), send(forum)
	if b != a+1 {
		t.Errorf("private chats and groups share a count: %d, %d", a, b)
	}
	if c != d {
		t.Errorf("supergroups count for themselves: %d, %d", c, d)
	}
}

func TestTelegramRefusesAnImpossibleWorld(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	for name, err := range map[string]error{
		"a person with a negative id":  tg.AddUser(bottest.TelegramUser{ID: -1, FirstName: "x"}),
		"a person without a name":      tg.AddUser(bottest.TelegramUser{ID: 5}),
		"a supergroup with a short id": tg.AddChat(bottest.TelegramChat{ID: -5, Type: "supergroup", Title: "x"}, ann),
		"a group with a long id":       tg.AddChat(bottest.TelegramChat{ID: -1005, Type: "group", Title: "x"}, ann),
		"a forum that is a group":      tg.AddChat(bottest.TelegramChat{ID: -5, Type: "group", Title: "x", IsForum: true}, ann),
		"a second chat of one id":      tg.AddChat(bottest.TelegramChat{ID: group, Type: "group", Title: "x"}, ann),
		"the bot twice":                tg.AddBot(ann, group, false),
		"a stranger's invitation":      tg.AddBot(ben, group, false),
		"unblocking without blocking":  tg.Unblock(ann),
		"a topic in no forum":          func() error { _, err := tg.AddTopic(ann, super, "x"); return err }(),
		"migrating a supergroup":       func() error { _, err := tg.Migrate(ann, super); return err }(),
		"talk before Start":            func() error { _, err := tg.Text(ann, ann, "hello"); return err }(),
	} {
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := bottest.ListenTelegram(bottest.TelegramOptions{Addr: "0.0.0.0:0"}); err == nil {
		t.Error("listened to the outside")
	}
	if _, err := bottest.ListenTelegram(bottest.TelegramOptions{Token: "x"}); err == nil {
		t.Error("took a token without a bot id")
	}
}
