package telegram

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

func TestAReplyTooLongForOneMessageGoesOnInTheNext(t *testing.T) {
	w, m := meddle(t)
	long := strings.TrimSpace(strings.Repeat("All of it must be read. ", 400))
	m.handle = func(context.Context, engine.Input) (engine.Reply, error) {
		return engine.Reply{Whisper: &engine.Message{Title: "Long", Text: content.Plain(long),
			Buttons: [][]engine.Button{{{Label: "Help", Action: "help"}}}}}, nil
	}
	w.run()
	first := w.next(ann, w.text(ann, ann, "/start"))
	second := w.next(ann, first)
	third := w.next(ann, second)
	if got := strings.TrimPrefix(first.Text, "Long\n\n") + " " + second.Text + " " + third.Text; got != long {
		t.Errorf("read together: %d characters, want %d", len(got), len(long))
	}
	if len(first.Buttons())+len(second.Buttons()) != 0 || len(third.Buttons()) != 1 {
		t.Errorf("the buttons are not below the last message")
	}
	w.clean()
}

func TestAMessageThatIsGoneIsSentAnew(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	greeting := w.start(ann)
	w.must(w.tg.Erase(ann, greeting))
	p, err := w.tg.PressStale(ann, greeting, "help")
	w.must(err)
	w.answered(p)
	if m := w.next(ann, greeting); !strings.Contains(m.Words(), "/test") {
		t.Errorf("in its place: %q", m.Words())
	}
	w.clean()
}

func TestAReplyFollowsAGroupThatMoved(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	w.must(w.tg.Acknowledged(w.soon()))
	said := w.text(ann, group, "/help") // answered in private, and with a signpost in the group
	w.next(group, said)
	moved, err := w.tg.Migrate(ann, group)
	w.must(err)
	w.bot.say(address{Chat: group}, []part{{Text: "late"}}, nil, nil)
	if _, err := w.tg.WaitMessage(w.soon(), moved, func(m bottest.TelegramMessage) bool { return m.Text == "late" }); err != nil {
		t.Error(err)
	}
	w.lawful()
}

func TestACommandInAGroupShowsTheGroupNoWordOfTheAnswer(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	typed := w.text(cleo, group, "/help")
	post := w.next(group, typed)
	if post.Text != hintTapToRead || len(post.Buttons()) != 1 {
		t.Fatalf("the group reads %q with %v", post.Text, post.Buttons())
	}
	link, ok := strings.CutPrefix(post.Buttons()[0].URL, "https://t.me/"+w.tg.Username+"?start=")
	if !ok {
		t.Fatalf("the button leads to %s", post.Buttons()[0].URL)
	}
	m, err := w.tg.Start(cleo, link)
	w.must(err)
	if got := w.next(cleo, m); !strings.Contains(got.Text, "/streak") {
		t.Errorf("the link leads to %q", got.Text)
	}
	// A stranger who was given the link learns nothing of the group.
	w.must(w.tg.AddUser(bottest.TelegramUser{ID: 1009, FirstName: "Dora"}))
	if m, err = w.tg.Start(1009, link); err != nil {
		t.Fatal(err)
	}
	if got := w.next(1009, m); !strings.Contains(got.Text, "interview") {
		t.Errorf("a stranger gets %q", got.Text)
	}
	w.clean()
}

func TestATopicOfAForumIsAnsweredAndPostedIn(t *testing.T) {
	const forum = int64(-1005)
	w, _ := meddle(t)
	w.run()
	w.must(w.tg.AddChat(bottest.TelegramChat{ID: forum, Type: "supergroup", Title: "Forum", IsForum: true}, ann, bob))
	w.must(w.tg.AddBot(ann, forum, false))
	topic, err := w.tg.AddTopic(ann, forum, "Daily")
	w.must(err)
	last := w.start(ann)
	w.text(ann, forum, "/setup", bottest.TelegramThread(topic))
	form := w.next(ann, last)
	w.press(ann, form, "set "+tokenOf(form)+" now")
	daily, err := w.tg.WaitMessage(w.soon(), forum, func(m bottest.TelegramMessage) bool {
		return m.Bot() && len(m.Buttons()) > 1
	})
	w.must(err)
	for _, m := range w.tg.FromBot(forum) {
		if m.Thread != topic {
			t.Errorf("%q stands in topic %d, want %d", m.Text, m.Thread, topic)
		}
	}
	if a := w.answered(w.press(bob, daily, "A")); !strings.Contains(a.Text, "right") {
		t.Errorf("a vote in a topic is answered with %+v", a)
	}
	w.clean()
}

func TestPicturesAndFilesArrive(t *testing.T) {
	w, m := meddle(t)
	var picture bytes.Buffer
	w.must(png.Encode(&picture, image.NewGray(image.Rect(0, 0, 20, 10))))
	m.handle = func(_ context.Context, in engine.Input) (engine.Reply, error) {
		one := &engine.Message{Title: "Your week", Image: &engine.Image{PNG: picture.Bytes(), Alt: "A chart."},
			Buttons: [][]engine.Button{{{Label: "Data", Action: "stats"}}}}
		if in.On != "" {
			one = &engine.Message{Text: content.Plain("All of it."), File: &engine.File{Name: "a/b\".json", Data: []byte("{}")}}
			return engine.Reply{Replace: one}, nil
		}
		return engine.Reply{Whisper: one}, nil
	}
	w.run()
	first := w.next(ann, w.text(ann, ann, "/start"))
	if first.Caption != "Your week\n\nA chart." || len(first.Photo) != 1 {
		t.Fatalf("got %q with %d pictures", first.Caption, len(first.Photo))
	}
	if data, err := w.tg.File(first.Photo[0].FileID); err != nil || !bytes.Equal(data, picture.Bytes()) {
		t.Errorf("the picture differs: %v", err)
	}
	w.answered(w.press(ann, first, "stats"))
	second := w.next(ann, first) // a picture cannot become a file: it is sent
	if second.Caption != "All of it." || second.Document == nil || second.Document.Name != "a_b_.json" {
		t.Errorf("got %q, %+v", second.Caption, second.Document)
	}
	// Nor can a picture become a text.
	m.handle = func(context.Context, engine.Input) (engine.Reply, error) {
		return engine.Reply{Replace: &engine.Message{Title: "Text"}}, nil
	}
	w.answered(w.press(ann, first, "stats"))
	if third := w.next(ann, second); third.Text != "Text" {
		t.Errorf("got %q", third.Text)
	}
	w.clean()
}

func TestAPanicOfWhatIsShownCostsNoProcess(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	w.bot.say(address{Chat: ann}, []part{{Text: "x"}}, nil, func(error) { panic("in a callback") })
	w.until("the panic is counted", func() bool { return w.counts.get("update panic") == 1 })
	w.start(bob)
}

func TestWhenAWholeGroupVotesTheAlertsComeFirst(t *testing.T) {
	w, _ := meddle(t)
	w.run()
	daily := publicDaily(w)
	last := w.start(bob)
	hold := make(chan struct{})
	for chat := range int64(maxCopies) { // all these wait to be told something
		w.bot.outbox.put(-chat-1, func() { <-hold })
	}
	if a := w.answered(w.press(bob, daily, "A")); !a.Alert {
		t.Errorf("a vote is answered with %+v", a)
	}
	again := w.answered(w.press(bob, daily, "A"))
	link, ok := strings.CutPrefix(again.URL, "https://t.me/"+w.tg.Username+"?start=")
	if !ok {
		t.Fatalf("the second press is answered with %+v", again)
	}
	close(hold)
	_, err := w.tg.Start(bob, link)
	w.must(err)
	if got := w.next(bob, last); !strings.Contains(got.Text, "The right one is right.") {
		t.Errorf("the link leads to %q", got.Text)
	}
	w.clean()
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	w, _ := meddle(t)
	for name, cfg := range map[string]Config{
		"no engine":  {Token: "1:x"},
		"no token":   {Engine: w.engine, Token: "  "},
		"no address": {Engine: w.engine, Token: "1:x", BaseURL: "api.telegram.org"},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := New(w.cfg); err != nil || len(w.tg.Requests()) != 0 {
		t.Errorf("New() = %v, after %d requests; want none", err, len(w.tg.Requests()))
	}
}
