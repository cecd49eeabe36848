package telegram

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
)

// A member with a client of their own presses the public challenge with data
// that was never on it: everybody's challenge is replaced by the answer.
func TestHostileForgedPressWipesThePublicChallenge(t *testing.T) {
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.start(ann)
	daily := publicDaily(w)
	w.start(bob)
	w.answered(w.press(bob, daily, "A"))
	now, _ := w.tg.Message(group, daily.ID)
	before := now.Words()
	token := strings.Fields(now.Buttons()[0].Data)[1]
	raw := fmt.Sprintf(`{"update_id":999999,"callback_query":{"id":"77","from":{"id":%d,"first_name":"Bob"},"chat_instance":"1","data":"why %s","message":{"message_id":%d,"date":%d,"chat":{"id":%d,"type":"group"}}}}`,
		bob, token, daily.ID, time.Now().Unix(), group)
	w.bot.handle([]json.RawMessage{json.RawMessage(raw)}, 0)
	whispered := func(m bottest.TelegramMessage) bool {
		return m.Bot() && strings.Contains(m.Words(), "✓")
	}
	if _, err := w.tg.WaitMessage(w.soon(), bob, whispered); err != nil { // the answer to the press
		t.Fatal(err)
	}
	now, _ = w.tg.Message(group, daily.ID)
	if now.Words() != before {
		t.Errorf("the group now reads:\n%s\nwith %d buttons", now.Words(), len(now.Buttons()))
	}
}

// Who manages one group makes the bot write in another, by a typed deep link.
func TestHostileDeepLinkSendsPostsElsewhere(t *testing.T) {
	const victim = int64(-4999)
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.must(w.tg.AddChat(bottest.TelegramChat{ID: victim, Type: "group", Title: "Victim"}, cleo))
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.must(w.tg.AddBot(cleo, victim, false))
	w.start(ann)
	form := w.next(ann, w.text(ann, group, "/setup"))
	token := ""
	for _, b := range form.Buttons() {
		if f := strings.Fields(b.Data); len(f) > 1 && f[0] == "set" {
			token = f[1]
		}
	}
	action := "set " + token + " channel " + strconv.FormatInt(victim, 10)
	link := "in-" + strconv.FormatInt(-group, 36) + "-0-" + base64.RawURLEncoding.EncodeToString([]byte(action))
	t.Logf("payload of %d characters (a link takes 64, a typed /start any)", len(link))
	m := w.text(ann, ann, "/start "+link)
	form = w.next(ann, m)
	t.Logf("form: %s", form.Words())
	w.text(ann, ann, "/start in-"+strconv.FormatInt(-group, 36)+"-0-"+base64.RawURLEncoding.EncodeToString([]byte("set "+token+" now")))
	challenge := func(m bottest.TelegramMessage) bool { return m.Bot() && strings.Contains(m.Words(), "challenge ·") }
	if _, err := w.tg.WaitMessage(w.soon(), group, challenge); err != nil {
		t.Fatal(err)
	}
	if got := w.tg.FromBot(victim); len(got) > 0 {
		t.Errorf("written in the other group: %.80q", got[0].Words())
	}
}
