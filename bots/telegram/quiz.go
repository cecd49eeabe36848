package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"

	"aiprep/engine"
)

// Limits of quiz polls (https://core.telegram.org/bots/api#sendpoll).
const (
	maxQuestion    = 300
	maxOption      = 100
	minOptions     = 2
	maxOptions     = 12
	maxExplain     = 200
	maxExplainRows = 3
	maxAbout       = 1024
)

// pollParams are those of sendPoll that are used. The library's would always say
// what the poll may not have.
type quizParams struct {
	Chat      int64     `json:"chat_id"`
	Thread    int       `json:"message_thread_id,omitempty"`
	Type      string    `json:"type"`
	Question  string    `json:"question"`
	Options   []choice  `json:"options"`
	Right     []int     `json:"correct_option_ids"`
	Anonymous bool      `json:"is_anonymous"`
	Explain   string    `json:"explanation,omitempty"`
	About     string    `json:"description,omitempty"`
	Keyboard  *keyboard `json:"reply_markup,omitempty"`
}

type choice struct {
	Text string `json:"text"`
}

// quizPoll makes a poll of a challenge that wants to be one and fits. Its options
// stand in the order of the challenge, and its buttons are what follows those of
// the options.
func quizPoll(m engine.Message) (quizParams, bool) {
	q := m.Quiz
	if q == nil || !q.Native || len(q.Options) < minOptions || len(q.Options) > maxOptions {
		return quizParams{}, false
	}
	p := quizParams{Type: "quiz", Question: strings.TrimSpace(valid(q.Question)), Right: []int{q.Key}, About: plainLine(m.Title, maxAbout)}
	if n := units(p.Question); n == 0 || n > maxQuestion {
		return quizParams{}, false
	}
	for _, o := range q.Options {
		text := strings.TrimSpace(valid(o))
		if n := units(text); n == 0 || n > maxOption {
			return quizParams{}, false
		}
		p.Options = append(p.Options, choice{text})
	}
	if why := strings.TrimSpace(valid(q.Explain)); units(why) <= maxExplain && strings.Count(why, "\n") < maxExplainRows {
		p.Explain = why
	}
	if len(m.Buttons) > 1 {
		p.Keyboard = buttons(m.Buttons[1:])
	}
	return p, true
}

// sendPoll sends a poll when its chat's turn comes.
func (b *Bot) sendPoll(ctx context.Context, to address, p quizParams) (engine.Receipt, error) {
	if err := b.pace.wait(ctx, to.Chat, false, postWaits); err != nil {
		return engine.Receipt{}, err
	}
	p.Chat, p.Thread = to.Chat, to.Thread
	result, err := b.get(ctx, sendWithin, "sendPoll", p)
	if err != nil {
		b.slowDown(to.Chat, err)
		return engine.Receipt{}, err
	}
	var sent struct {
		ID   int `json:"message_id"`
		Poll struct {
			ID string `json:"id"`
		} `json:"poll"`
	}
	if err := json.Unmarshal(result, &sent); err != nil || sent.ID == 0 || sent.Poll.ID == "" {
		return engine.Receipt{}, &wireError{Sent: true, Err: errors.New("telegram sent no poll id")}
	}
	return engine.Receipt{Ref: pollRef(to.Chat, sent.ID), Poll: sent.Poll.ID}, nil
}

// noPolls reports whether a chat takes no such poll, so that buttons must do: a
// channel, or a group that forbids polls.
func noPolls(err error) bool {
	return is(err, "poll") || is(err, "not enough rights")
}

// revealPoll closes a poll and answers it with the solution. The answer is sent
// once by this process, however often the closing has to be tried.
func (b *Bot) revealPoll(ctx context.Context, place engine.Place, chat int64, message int, m engine.Message) error {
	ref := string(pollRef(chat, message))
	if err := b.pace.wait(ctx, chat, true, postWaits); err != nil {
		return err
	}
	_, err := b.get(ctx, sendWithin, "stopPoll", map[string]any{"chat_id": chat, "message_id": message})
	if err != nil && !is(err, "already been closed") {
		b.slowDown(chat, err)
		return err
	}
	if b.revealed.has(ref) {
		return nil
	}
	to, err := addressOf(place)
	if err != nil || to.Chat != chat {
		to = address{Chat: chat}
	}
	if _, err := b.send(ctx, to, renderOne(m), &models.ReplyParameters{MessageID: message, AllowSendingWithoutReply: true}, postWaits); err != nil {
		return err
	}
	b.revealed.add(ref)
	b.log.Debug("poll revealed", "message", strconv.Itoa(message))
	return nil
}
