package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// onTelegram is the fake Telegram. Everybody is in all of its groups and answers
// their challenges: Telegram limits how many messages a bot may send, and only
// the answer to a press is free of that.
type onTelegram struct {
	*bottest.Telegram
	groups []int64
	posts  []screen // the challenge of each group
	done   map[string]int
	mu     sync.Mutex
}

// spare is how many more challenges there are than are needed.
const spare = 1.3

func openTelegram(p plan) (stage, []string, error) {
	tg, err := bottest.ListenTelegram(bottest.TelegramOptions{})
	if err != nil {
		return nil, nil, err
	}
	s := &onTelegram{Telegram: tg, done: map[string]int{}}
	var ids []string
	var members []int64
	for n := range p.people / 2 {
		id := int64(p.seed%1000+1)*1_000_000 + int64(n)
		err = errors.Join(err, tg.AddUser(bottest.TelegramUser{ID: id, FirstName: fmt.Sprint("Person ", n), LanguageCode: "en"}))
		members, ids = append(members, id), append(ids, strconv.FormatInt(id, 10))
	}
	each := p.rate * p.length.Seconds() / float64(p.people)
	for n := range 1 + int(math.Ceil(each*spare)) {
		id := -1_000_000_000_000 - int64(p.seed%1000+1)*1_000_000 - int64(n)
		err = errors.Join(err, tg.AddChat(bottest.TelegramChat{ID: id, Type: "supergroup", Title: fmt.Sprint("Group ", n)}, members[0], members[1:]...),
			tg.AddBot(members[0], id, false))
		s.groups = append(s.groups, id)
	}
	if err != nil {
		tg.Close()
		return nil, nil, err
	}
	return s, ids, nil
}

func (s *onTelegram) name() string       { return "telegram" }
func (s *onTelegram) problems() []string { return s.Problems() }
func (s *onTelegram) close()             { s.Close() }

func (s *onTelegram) env() []string {
	return []string{"AIPREP_TELEGRAM_SERVER=" + s.URL(), "AIPREP_TELEGRAM_TOKEN=" + s.Token}
}

func (s *onTelegram) calls() []string {
	return []string{"answerCallbackQuery", "answerCallbackQuery", "editMessageText", "getUpdates", "sendMessage", "*"}
}

func (s *onTelegram) servers() (all []engine.Place) {
	for _, id := range s.groups {
		chat := strconv.FormatInt(id, 10)
		all = append(all, engine.Place{Platform: "telegram", Server: chat, Chat: chat})
	}
	return all
}

func (s *onTelegram) ready(ctx context.Context) error {
	for _, id := range s.groups {
		m, err := s.WaitMessage(ctx, id, func(m bottest.TelegramMessage) bool { return m.Bot() && len(m.Buttons()) > 0 })
		if err != nil {
			return err
		}
		s.posts = append(s.posts, s.look(m))
	}
	return nil
}

func (s *onTelegram) look(m bottest.TelegramMessage) screen {
	out := screen{text: m.Words(), ref: m}
	for _, b := range m.Buttons() {
		out.actions = append(out.actions, b.Data)
	}
	return out
}

func (s *onTelegram) fresh(p *person) (screen, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.done[p.id]
	if n == len(s.posts) {
		return screen{}, false
	}
	s.done[p.id]++
	return s.posts[n], true
}

var errAllAnswered = errors.New("this person has answered everything: more people would be needed")

func (s *onTelegram) act(ctx context.Context, p *person, action string) (screen, error) {
	shown, ok := p.screen.ref.(bottest.TelegramMessage)
	if !ok {
		return screen{}, errAllAnswered
	}
	user, err := strconv.ParseInt(p.id, 10, 64)
	if err != nil {
		return screen{}, err
	}
	tap, err := s.Press(user, shown, action)
	if err != nil {
		return screen{}, err
	}
	told, err := tap.Answer(ctx)
	return screen{text: told.Text}, err
}
