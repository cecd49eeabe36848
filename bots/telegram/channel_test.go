package telegram

import (
	"strings"
	"testing"

	"aiprep/bots/bottest"
)

// In a channel only administrators write: the form waits for them in private,
// the challenge has buttons that anybody may press, and nobody else sets it up.
func TestAChannel(t *testing.T) {
	t.Parallel()
	const channel = int64(-1009)
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddChat(bottest.TelegramChat{ID: channel, Type: "channel", Title: "news"}, ann, bob))
	w.must(w.tg.AddBot(ann, channel, true))
	post, err := w.tg.Text(ann, channel, "/setup@"+w.tg.Username+" answers=poll")
	w.must(err)
	sign := w.next(channel, post)
	if sign.Words() != hintTapToRead || len(sign.Buttons()) != 1 {
		t.Fatalf("the channel reads %q with %v", sign.Words(), sign.Buttons())
	}
	link := strings.TrimPrefix(sign.Keyboard.Rows[0][0].URL, "https://t.me/"+w.tg.Username+"?start=")
	refused, err := w.tg.Start(bob, link)
	w.must(err)
	if got := w.next(bob, refused); !strings.Contains(got.Words(), "manage") {
		t.Errorf("a subscriber who follows the link reads %q", got.Words())
	}
	m, err := w.tg.Start(ann, link)
	w.must(err)
	form := w.next(ann, m)
	w.edited(w.press(ann, form, "set "+tokenOf(form)+" now"))
	daily, err := w.tg.WaitMessage(w.soon(), channel, func(m bottest.TelegramMessage) bool { return len(m.Buttons()) >= 4 })
	w.must(err)
	if daily.Poll != nil {
		t.Error("a channel got a poll that names its voters")
	}
	a := w.answered(w.press(bob, daily, "A"))
	if !a.Alert || !strings.Contains(a.Text, "right") {
		t.Errorf("a subscriber's press is answered with %+v", a)
	}
	w.clean()
}
