package telegram

import (
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// pollDay sets a group up for polls and returns its first one.
func pollDay(t *testing.T) (d *talkDriver, group int64, poll bottest.TelegramMessage) {
	t.Helper()
	d = newTalkDriver(t)
	if err := d.Type(t.Context(), "ann", "g", "/setup 09:00 answers=poll"); err != nil {
		t.Fatal(err)
	}
	group = d.groups["g"]
	d.must(d.Until(t.Context(), bottest.TalkStart.Add(24*time.Hour+time.Minute)))
	for _, m := range d.tg.FromBot(group) {
		if m.Poll != nil {
			poll = m
		}
	}
	if poll.Poll == nil {
		t.Fatalf("no poll in the group: %+v", d.tg.FromBot(group))
	}
	return d, group, poll
}

// votes has a person vote, and waits until the engine has heard of it.
func (d *talkDriver) votes(who string, poll bottest.TelegramMessage, option int) {
	d.Helper()
	id, err := d.person(d.Context(), who)
	d.must(err)
	_ = d.tg.Join(id, poll.Chat.ID)
	d.rec.Take()
	_, err = d.tg.Vote(id, poll, option)
	d.must(err)
	d.must(d.rec.Wait(d.soon()))
}

// saw is what a person reads in private after a command.
func (d *talkDriver) saw(who, line string) string {
	d.Helper()
	d.must(d.Type(d.Context(), who, "", line))
	id := d.people[who]
	m, err := d.tg.WaitMessage(d.soon(), id, func(m bottest.TelegramMessage) bool { return strings.Contains(m.Words(), "answer") })
	d.must(err)
	return m.Words()
}

// A challenge as a quiz poll: its votes count once each, "I don't know" is a
// button below, and when it closes the solution answers it.
func TestTheDailyAsAQuizPoll(t *testing.T) {
	t.Parallel()
	d, group, poll := pollDay(t)
	p := poll.Poll
	if p.Type != "quiz" || p.Anonymous || len(p.Options) != 4 || !strings.Contains(p.Question, "question") || p.Explanation == "" {
		t.Errorf("the poll is %+v", p)
	}
	if b := poll.Buttons(); len(b) != 1 {
		t.Errorf("below it stand %v", b)
	}
	d.votes("bob", poll, 1)
	if got := d.saw("bob", "/stats"); !strings.Contains(got, "1 answer") {
		t.Errorf("after his vote bob reads %q", got)
	}
	cleo, err := d.person(t.Context(), "cleo")
	d.must(err)
	_ = d.tg.Join(cleo, group)
	press, err := d.tg.PressLabel(cleo, poll, "I don't know")
	d.must(err)
	if a := d.answered(press); !strings.Contains(a.Text, "It is") {
		t.Errorf("who does not know reads %q", a.Text)
	}
	before := len(d.tg.FromBot(group))
	d.must(d.Until(t.Context(), bottest.TalkStart.Add(48*time.Hour+time.Minute)))
	now, ok := d.tg.Message(group, poll.ID)
	if !ok || !now.Poll.Closed {
		t.Errorf("the poll is %+v", now.Poll)
	}
	after := d.tg.FromBot(group)[before:]
	if len(after) != 2 || !strings.Contains(after[0].Words(), "It was") || after[0].ReplyTo == nil || after[0].ReplyTo.ID != poll.ID || !strings.Contains(after[0].Words(), "2 answers") {
		t.Errorf("after it closed the group reads %+v", after)
	}
	d.clean()
}

// A vote that comes before the poll is known waits for it, and counts once.
func TestAVoteBeforeTheReceipt(t *testing.T) {
	t.Parallel()
	d := newTalkDriver(t)
	d.must(d.Type(t.Context(), "ann", "g", "/setup 09:00 answers=poll"))
	group := d.groups["g"]
	// The answer to sendPoll is lost; the poll is there and somebody votes.
	d.tg.Inject(bottest.Fault{Match: "sendPoll", Times: 1, Kind: bottest.AcceptThenTimeout{}})
	d.must(d.Until(t.Context(), bottest.TalkStart.Add(24*time.Hour+time.Minute)))
	poll, err := d.tg.WaitMessage(d.soon(), group, func(m bottest.TelegramMessage) bool { return m.Poll != nil })
	d.must(err)
	d.votes("bob", poll, 0)
	// A press below it tells the engine that it is there.
	cleo, err := d.person(t.Context(), "cleo")
	d.must(err)
	_ = d.tg.Join(cleo, group)
	press, err := d.tg.PressLabel(cleo, poll, "I don't know")
	d.must(err)
	d.answered(press)
	d.must(d.Until(t.Context(), bottest.TalkStart.Add(25*time.Hour)))
	polls := 0
	for _, m := range d.tg.FromBot(group) {
		if m.Poll != nil {
			polls++
		}
	}
	if polls != 1 {
		t.Errorf("%d polls: the press adopts the first", polls)
	}
	if got := d.saw("bob", "/stats"); !strings.Contains(got, "1 answer") {
		t.Errorf("bob's vote waited in vain: %q", got)
	}
}

// What does not fit a poll, or a chat without polls, gets buttons.
func TestWhereAPollDoesNotFit(t *testing.T) {
	t.Parallel()
	quiz := func(change func(*engine.Quiz)) engine.Message {
		q := &engine.Quiz{Native: true, Question: "Why?", Options: []string{"a", "b", "c"}, Key: 1, Explain: "So."}
		change(q)
		return engine.Message{Title: "T", Quiz: q, Buttons: [][]engine.Button{{{Label: "A", Action: "vote x a"}}, {{Label: "?", Action: "vote x dk"}}}}
	}
	for name, c := range map[string]struct {
		change func(*engine.Quiz)
		ok     bool
	}{
		"fits":                   {func(*engine.Quiz) {}, true},
		"not wanted":             {func(q *engine.Quiz) { q.Native = false }, false},
		"takes code":             {func(q *engine.Quiz) { q.Question = "" }, false},
		"a long question":        {func(q *engine.Quiz) { q.Question = strings.Repeat("x", 301) }, false},
		"a question in emoji":    {func(q *engine.Quiz) { q.Question = strings.Repeat("👋", 151) }, false},
		"a long option":          {func(q *engine.Quiz) { q.Options[2] = strings.Repeat("x", 101) }, false},
		"an empty option":        {func(q *engine.Quiz) { q.Options[2] = " " }, false},
		"too many options":       {func(q *engine.Quiz) { q.Options = make([]string, 13) }, false},
		"a long reason":          {func(q *engine.Quiz) { q.Explain = strings.Repeat("x", 201) }, true},
		"a reason of 4 lines":    {func(q *engine.Quiz) { q.Explain = "a\nb\nc\nd" }, true},
		"bytes that are no text": {func(q *engine.Quiz) { q.Question = "a\xffb" }, true},
	} {
		p, ok := quizPoll(quiz(c.change))
		if ok != c.ok {
			t.Errorf("%s: a poll is %v", name, ok)
		}
		if strings.HasSuffix(name, "reason") && p.Explain != "" || strings.HasSuffix(name, "lines") && p.Explain != "" {
			t.Errorf("%s: the reason is %q", name, p.Explain)
		}
	}
	d := newTalkDriver(t)
	d.must(d.Type(t.Context(), "ann", "g", "/setup 09:00 answers=poll"))
	d.tg.Inject(bottest.Fault{Match: "sendPoll", Kind: bottest.Status{Code: 400, Body: `{"ok":false,"error_code":400,"description":"Bad Request: Non-anonymous polls can't be sent to channel chats"}`}})
	d.must(d.Until(t.Context(), bottest.TalkStart.Add(24*time.Hour+time.Minute)))
	m, err := d.tg.WaitMessage(d.soon(), d.groups["g"], func(m bottest.TelegramMessage) bool { return strings.Contains(m.Words(), "Daily challenge ·") })
	d.must(err)
	if len(m.Buttons()) != 5 {
		t.Errorf("below it stand %v", m.Buttons())
	}
}
