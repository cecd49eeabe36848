package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/bots/telegram"
	"aiprep/engine"
)

// telegramStage is the fake Telegram of the crash test.
type telegramStage struct {
	*bottest.Telegram
	groups int64
}

// crashPeople is how many people play on each platform.
const crashPeople = 8

func newTelegramStage(t testing.TB) *telegramStage {
	tg, err := bottest.ListenTelegram(bottest.TelegramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tg.Close)
	s := &telegramStage{Telegram: tg}
	for who := range crashPeople {
		if err := tg.AddUser(bottest.TelegramUser{ID: s.user(who), FirstName: fmt.Sprint("Person ", who)}); err != nil {
			t.Fatal(err)
		}
		if _, err := tg.Start(s.user(who), ""); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *telegramStage) user(who int) int64 { return 1001 + int64(who) }
func (s *telegramStage) name() string       { return "telegram" }
func (s *telegramStage) address() string    { return s.URL() }
func (s *telegramStage) people() int        { return crashPeople }
func (s *telegramStage) awake() bool        { return true }
func (s *telegramStage) problems() []string { return s.Problems() }

func (s *telegramStage) env(server string) []string {
	return []string{"AIPREP_TELEGRAM_SERVER=" + server, "AIPREP_TELEGRAM_TOKEN=" + s.Token}
}

func (s *telegramStage) bot(t testing.TB, e *engine.Engine, now func() time.Time) bot {
	b, err := telegram.New(telegram.Config{Engine: e, Token: bots.Secret(s.Token), BaseURL: s.URL(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// age does nothing: presses must be answered within minutes.
func (s *telegramStage) age(time.Duration) {}

func (s *telegramStage) open(t testing.TB) engine.Place {
	s.groups++
	id := -4000 - s.groups
	var members []int64
	for who := 1; who < crashPeople; who++ {
		members = append(members, s.user(who))
	}
	err := s.AddChat(bottest.TelegramChat{ID: id, Type: "group", Title: fmt.Sprint("Group ", s.groups)}, s.user(0), members...)
	if err == nil {
		err = s.AddBot(s.user(0), id, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	chat := strconv.FormatInt(id, 10)
	return engine.Place{Platform: "telegram", Server: chat, Chat: chat}
}

func called(r *http.Request, method string) bool { return strings.HasSuffix(r.URL.Path, "/"+method) }

func (s *telegramStage) isPost(r *http.Request, body []byte) bool {
	return called(r, "sendMessage") && bytes.Contains(body, []byte(`"callback_data":"vote `))
}

func (s *telegramStage) isWake(r *http.Request, _ []byte) bool { return called(r, "getMe") }

func (s *telegramStage) isTold(p *press) func(*http.Request, []byte) bool {
	return func(r *http.Request, body []byte) bool {
		if strings.HasPrefix(p.about, "pick") {
			chat := []byte(strconv.FormatInt(s.user(p.who), 10))
			return called(r, "editMessageText") && bytes.Contains(body, chat) && verdictTitle.Match(body)
		}
		return called(r, "answerCallbackQuery") && bytes.Contains(body, []byte(p.id))
	}
}

func (s *telegramStage) chat(p engine.Place) int64 {
	id, err := strconv.ParseInt(p.Chat, 10, 64)
	if err != nil {
		panic(err) // a place of open
	}
	return id
}

func (s *telegramStage) challenges(p engine.Place) (found []challenge) {
	for _, m := range s.FromBot(s.chat(p)) {
		if c := challengeOf(p, strconv.Itoa(m.ID), m.Words(), s.actions(m)); c.about != "" {
			found = append(found, c)
		}
	}
	return found
}

func (s *telegramStage) actions(m bottest.TelegramMessage) (actions []string) {
	for _, b := range m.Buttons() {
		actions = append(actions, b.Data)
	}
	return actions
}

// challengeOf reads the buttons of a message.
func challengeOf(p engine.Place, message, text string, actions []string) challenge {
	c := challenge{place: p, message: message, text: text}
	for _, a := range actions {
		f := strings.Fields(a)
		if len(f) < 3 || f[0] != "vote" || f[2] == "dk" {
			continue
		}
		c.about = f[0] + " " + f[1]
		c.letters = append(c.letters, f[2])
	}
	return c
}

func (s *telegramStage) vote(who int, c challenge, letter string) (*press, error) {
	id, err := strconv.Atoi(c.message)
	if err != nil {
		return nil, err
	}
	m, ok := s.Message(s.chat(c.place), id)
	if !ok {
		return nil, fmt.Errorf("vote: %+v is gone", c)
	}
	tap, err := s.Press(s.user(who), m, c.about+" "+letter)
	if err != nil {
		return nil, err
	}
	p := &press{question: question{s.name(), who, c.about}, letter: letter, id: tap.QueryID, update: tap.UpdateID}
	p.heard = func() (string, bool) {
		for _, a := range s.Answers() {
			if a.QueryID == p.id {
				return a.Text, true
			}
		}
		return "", false
	}
	p.wait = func(ctx context.Context) (string, error) {
		a, err := tap.Answer(ctx)
		return a.Text, err
	}
	return p, nil
}

// step lets a person do the next thing of a test in their private chat: begin,
// answer or go on. It returns the press if it was an answer. The same letter is
// pressed whenever the same question is answered again.
func (s *telegramStage) step(who int) (*press, error) {
	user := s.user(who)
	list := s.FromBot(user)
	for i := len(list) - 1; i >= 0; i-- {
		m := list[i]
		for _, a := range s.actions(m) {
			f := strings.Fields(a)
			switch {
			case f[0] == "next":
				_, err := s.Press(user, m, a)
				return nil, err
			case f[0] == "pick" && len(f) == 3 && strings.HasSuffix(f[2], "b"):
				tap, err := s.Press(user, m, a)
				if err != nil {
					return nil, err
				}
				p := &press{question: question{s.name(), who, strings.TrimSuffix(a, "b")}, letter: "b", id: tap.QueryID}
				p.heard = func() (string, bool) {
					now, _ := s.Message(user, m.ID)
					return now.Words(), verdictTitle.MatchString(now.Words())
				}
				p.wait = func(ctx context.Context) (string, error) {
					now, err := tap.Edited(ctx)
					return now.Words(), err
				}
				return p, nil
			}
		}
	}
	_, err := s.Text(user, user, "/test")
	return nil, err
}

func (s *telegramStage) stats(ctx context.Context, who int) (string, error) {
	user := s.user(who)
	asked, err := s.Text(user, user, "/stats")
	if err != nil {
		return "", err
	}
	m, err := s.WaitMessage(ctx, user, func(m bottest.TelegramMessage) bool {
		return m.ID > asked.ID && m.Bot() && strings.Contains(m.Words(), "📊")
	})
	return m.Words(), err
}

func (s *telegramStage) texts(p engine.Place) (texts []string) {
	for _, m := range s.FromBot(s.chat(p)) {
		texts = append(texts, m.Words())
	}
	return texts
}
