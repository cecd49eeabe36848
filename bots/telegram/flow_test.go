package telegram

import (
	"strings"
	"testing"

	"aiprep/bots/bottest"
)

func TestAWholeTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{SlowRepeats: true, Pace: bottest.PublishedPace()}, nil)
	w.run()
	w.start(ann)
	m := w.next(ann, w.text(ann, ann, "/test caching"))
	for n := range 5 {
		if !strings.Contains(m.Words(), "Which of these is right") {
			t.Fatalf("question %d reads %q", n+1, m.Words())
		}
		verdict := w.edited(w.press(ann, m, "A"))
		if !strings.Contains(verdict.Words(), "The right one is right.") {
			t.Fatalf("the verdict reads %q", verdict.Words())
		}
		m = w.edited(w.press(ann, verdict, "next"))
	}
	if !strings.Contains(m.Words(), "of 5") && !strings.Contains(m.Words(), "/5") {
		t.Errorf("the summary reads %q", m.Words())
	}
	if n := len(w.tg.FromBot(ann)); n != 2 {
		t.Errorf("the bot wrote %d messages, want the greeting and the test, which is edited", n)
	}
	if r := w.tg.Rate(); r.Refused != 0 {
		t.Errorf("too fast for Telegram: %v", r)
	}
	w.clean()
}

// publicDaily sets the daily up in the group and posts it.
func publicDaily(w *world) bottest.TelegramMessage {
	w.Helper()
	w.must(w.tg.AddBot(ann, group, false))
	w.start(ann)
	form := w.next(ann, w.text(ann, group, "/setup"))
	w.press(ann, form, "set "+tokenOf(form)+" now")
	daily, err := w.tg.WaitMessage(w.soon(), group, func(m bottest.TelegramMessage) bool {
		return m.Bot() && len(m.Buttons()) > 0 && strings.HasPrefix(m.Buttons()[0].Data, "vote ")
	})
	w.must(err)
	return daily
}

// tokenOf is the token in the buttons of a form.
func tokenOf(m bottest.TelegramMessage) string {
	return strings.Fields(m.Buttons()[0].Data)[1]
}

func TestAPublicVoteIsAnsweredInPrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	daily := publicDaily(w)
	last := w.start(bob)
	before := len(w.tg.FromBot(group))

	a := w.answered(w.press(bob, daily, "A"))
	if !a.Alert || a.Text == "" || units(a.Text) > maxAlert || !strings.Contains(a.Text, "right") {
		t.Errorf("the alert is %+v", a)
	}
	whisper := w.next(bob, last)
	if !strings.Contains(whisper.Words(), "The right one is right.") || len(whisper.Buttons()) == 0 {
		t.Errorf("the private message is %q with %v", whisper.Words(), whisper.Buttons())
	}
	full := w.edited(w.press(bob, whisper, "why"))
	if !strings.Contains(full.Words(), "The whole reason") {
		t.Errorf("the explanation reads %q", full.Words())
	}
	if again := w.answered(w.press(bob, daily, "B")); !strings.Contains(again.Text, "A") {
		t.Errorf("a second vote is answered with %q", again.Text)
	}
	if n := len(w.tg.FromBot(group)); n != before {
		t.Errorf("the group got %d more messages", n-before)
	}
	w.clean()
}

func TestWhoHasNotOpenedThePrivateChatIsLedThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	daily := publicDaily(w)
	first := w.answered(w.press(cleo, daily, "A"))
	if !first.Alert || !strings.Contains(first.Text, hintMore+w.tg.Username) {
		t.Errorf("the first press is answered with %+v", first)
	}
	w.until("the refusal is known", func() bool { return w.counts.get("send forbidden") == 1 })
	second := w.answered(w.press(cleo, daily, "A"))
	link, ok := strings.CutPrefix(second.URL, "https://t.me/"+w.tg.Username+"?start=")
	if !ok {
		t.Fatalf("the second press is answered with %+v", second)
	}
	m, err := w.tg.Start(cleo, link)
	w.must(err)
	if whisper := w.next(cleo, m); !strings.Contains(whisper.Words(), "The right one is right.") {
		t.Errorf("the link leads to %q", whisper.Words())
	}
	if third := w.answered(w.press(cleo, daily, "A")); !third.Alert {
		t.Errorf("the third press is answered with %+v", third)
	}
	w.clean()
}

func TestSetupInAGroupGoesThroughThePrivateChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.start(ann)
	typed := w.text(ann, group, "/setup@"+w.tg.Username+" time=18:30 zone=Europe/Berlin")
	form := w.next(ann, typed)
	if !strings.Contains(form.Words(), "18:30") || !strings.Contains(form.Words(), "Europe/Berlin") {
		t.Fatalf("the form reads %q", form.Words())
	}
	post := w.next(group, typed)
	if post.Words() != hintWroteYou || post.ReplyTo == nil || post.ReplyTo.ID != typed.ID {
		t.Errorf("the group reads %q", post.Words())
	}

	// A press in the private chat works on the group, and rights are checked anew.
	w.edited(w.press(ann, form, "set "+tokenOf(form)+" pick level"))
	level := w.edited(w.press(ann, form, "set "+tokenOf(form)+" level senior"))
	if !strings.Contains(level.Words(), "senior") {
		t.Errorf("the form reads %q", level.Words())
	}
	// A line that is asked for.
	w.edited(w.press(ann, form, "set "+tokenOf(form)+" pick time"))
	w.answered(w.press(ann, form, "set "+tokenOf(form)+" ask time"))
	asked := w.next(ann, form)
	if !strings.Contains(string(asked.Markup), `"force_reply":true`) {
		t.Errorf("asked with %s", asked.Markup)
	}
	done := w.next(ann, w.text(ann, ann, "7:15"))
	if !strings.Contains(done.Words(), "07:15") {
		t.Errorf("after the answer: %q", done.Words())
	}
	w.clean()
}

func TestSetupIsForThoseWhoManageTheGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.start(ann)
	form := w.next(ann, w.text(ann, group, "/setup"))
	w.start(bob)
	refusal := w.next(bob, w.text(bob, group, "/setup"))
	if !strings.Contains(refusal.Words(), "manage") || len(refusal.Buttons()) != 0 {
		t.Errorf("a member gets %q", refusal.Words())
	}
	// Somebody promoted opens the form, and is demoted while it is open.
	w.must(w.tg.Promote(ann, group, bob))
	own := w.next(bob, w.text(bob, group, "/setup"))
	w.must(w.tg.Demote(ann, group, bob))
	w.answered(w.press(bob, own, "set "+tokenOf(own)+" on"))
	denied := w.next(bob, own)
	if !strings.Contains(denied.Words(), "manage") {
		t.Errorf("a press after the demotion gets %q", denied.Words())
	}
	if tokenOf(form) != tokenOf(own) {
		t.Errorf("two forms of one group have the tokens %s and %s", tokenOf(form), tokenOf(own))
	}
	w.clean()
}

func TestAnAnonymousAdministratorIsLedToThePrivateChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.must(w.tg.Anonymous(group, ann, true))
	typed := w.text(ann, group, "/setup", bottest.TelegramAnonymous())
	post := w.next(group, typed)
	link, ok := strings.CutPrefix(post.Buttons()[0].URL, "https://t.me/"+w.tg.Username+"?start=")
	if !ok || post.Words() != hintTapToRead {
		t.Fatalf("the group reads %q with %v", post.Words(), post.Buttons())
	}
	m, err := w.tg.Start(bob, link) // not an administrator
	w.must(err)
	if got := w.next(bob, m); !strings.Contains(got.Words(), "manage") {
		t.Errorf("a member who follows the link gets %q", got.Words())
	}
	if m, err = w.tg.Start(ann, link); err != nil {
		t.Fatal(err)
	}
	if got := w.next(ann, m); len(got.Buttons()) < 5 {
		t.Errorf("the administrator gets %q", got.Words())
	}
	w.clean()
}
