package bottest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Limits of answers to button presses
// (https://core.telegram.org/bots/api#answercallbackquery).
const maxCallbackText = 200

// TelegramAnswer is what answerCallbackQuery showed to the presser.
type TelegramAnswer struct {
	QueryID   string `json:"query_id"`
	User      int64  `json:"user"`
	Data      string `json:"data"`
	Text      string `json:"text"`
	Alert     bool   `json:"alert"`
	URL       string `json:"url,omitempty"`
	CacheTime int    `json:"cache_time,omitempty"`
}

type tgQuery struct {
	id      string
	user    int64
	data    string
	chat    int64
	message int
	edits   int // of the message, when the button was pressed
	at      time.Time
	answer  *TelegramAnswer
	done    chan struct{} // closed when there is an answer
}

// TelegramPress is one press of a button, to wait for what becomes of it.
type TelegramPress struct {
	// QueryID is the callback query's id, UpdateID its update's (0 when the bot
	// does not get callback queries).
	QueryID  string
	UpdateID int64
	t        *Telegram
}

// Press lets a person press the button that carries data. It fails unless the
// message's inline keyboard has such a button now and the person is there to
// press it.
func (t *Telegram) Press(user int64, m TelegramMessage, data string) (*TelegramPress, error) {
	return t.press(user, m, false, func(b TelegramButton) bool { return b.Data == data && data != "" }, fmt.Sprintf("callback data %q", data))
}

// PressLabel is Press by the button's label.
func (t *Telegram) PressLabel(user int64, m TelegramMessage, label string) (*TelegramPress, error) {
	return t.press(user, m, false, func(b TelegramButton) bool { return b.Text == label && b.Data != "" }, fmt.Sprintf("label %q", label))
}

// PressStale is Press by a person whose screen is behind: a button that the
// message carried once is enough, and the message may be deleted. A second tap
// before the first one's edit arrived looks so.
func (t *Telegram) PressStale(user int64, m TelegramMessage, data string) (*TelegramPress, error) {
	return t.press(user, m, true, func(b TelegramButton) bool { return b.Data == data && data != "" }, fmt.Sprintf("callback data %q", data))
}

func (t *Telegram) press(user int64, m TelegramMessage, stale bool, match func(TelegramButton) bool, what string) (*TelegramPress, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, person, err := t.visitor(user, m.Chat.ID)
	if err != nil {
		return nil, fmt.Errorf("press a button: %w", err)
	}
	own := r.messages[m.ID]
	if own == nil && !stale {
		return nil, fmt.Errorf("press a button: chat %d has no message %d", m.Chat.ID, m.ID)
	}
	boards := []*TelegramKeyboard{}
	if own != nil {
		boards = append(boards, own.Keyboard)
	}
	if stale {
		boards = append(boards, m.Keyboard)
		for i := range m.before {
			boards = append(boards, &m.before[i])
		}
		if own != nil {
			for i := range own.before {
				boards = append(boards, &own.before[i])
			}
		}
	}
	button, ok := findButton(boards, match)
	if !ok {
		return nil, fmt.Errorf("press a button: message %d of chat %d has none with %s, only %s", m.ID, m.Chat.ID, what, labels(boards))
	}
	q := &tgQuery{id: strconv.FormatInt(t.number(), 10) + strconv.FormatInt(user, 10), user: user, data: button.Data,
		chat: r.ID, message: m.ID, at: t.now(), done: make(chan struct{})}
	query := map[string]any{"id": q.id, "from": person.TelegramUser, "data": button.Data,
		"chat_instance": strconv.FormatInt(r.ID*7919, 10),
		"message":       map[string]any{"chat": r.TelegramChat, "message_id": m.ID, "date": 0}}
	if own != nil {
		q.edits = own.Edits
		query["message"] = own.view()
	}
	t.queries[q.id] = q
	p := &TelegramPress{QueryID: q.id, t: t}
	p.UpdateID = t.push("callback_query", "user "+strconv.FormatInt(user, 10), callbackLife, query)
	t.touch()
	return p, nil
}

func findButton(boards []*TelegramKeyboard, match func(TelegramButton) bool) (TelegramButton, bool) {
	for _, k := range boards {
		if k == nil {
			continue
		}
		for _, row := range k.Rows {
			if i := slices.IndexFunc(row, match); i >= 0 {
				return row[i], true
			}
		}
	}
	return TelegramButton{}, false
}

func labels(boards []*TelegramKeyboard) string {
	out := []string{}
	for _, k := range boards {
		if k == nil {
			continue
		}
		for _, row := range k.Rows {
			for _, b := range row {
				out = append(out, fmt.Sprintf("%q (%s)", b.Text, b.Data))
			}
		}
	}
	return fmt.Sprint(out)
}

// Answer waits for the bot's answerCallbackQuery.
func (p *TelegramPress) Answer(ctx context.Context) (TelegramAnswer, error) {
	p.t.mu.Lock()
	q := p.t.queries[p.QueryID]
	p.t.mu.Unlock()
	select { // by a channel of its own, so that a crowd of waiters costs nothing
	case <-q.done:
		return *q.answer, nil
	case <-p.t.done:
		return TelegramAnswer{}, fmt.Errorf("wait for an answer to callback query %s: the fake telegram was closed", p.QueryID)
	case <-ctx.Done():
		return TelegramAnswer{}, fmt.Errorf("wait for an answer to callback query %s: %w", p.QueryID, context.Cause(ctx))
	}
}

// Edited waits until the bot has edited the message since the press and returns
// it as it stands then.
func (p *TelegramPress) Edited(ctx context.Context) (TelegramMessage, error) {
	var out TelegramMessage
	err := p.t.Wait(ctx, "an edit after callback query "+p.QueryID, func() bool {
		p.t.mu.Lock()
		defer p.t.mu.Unlock()
		q := p.t.queries[p.QueryID]
		r := p.t.rooms[q.chat]
		if r == nil || r.messages[q.message] == nil || r.messages[q.message].Edits <= q.edits {
			return false
		}
		out = r.messages[q.message].view()
		return true
	})
	return out, err
}

// Answers returns every answer to a button press so far, oldest press first.
func (t *Telegram) Answers() []TelegramAnswer {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*tgQuery
	for _, q := range t.queries {
		if q.answer != nil {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, func(a, b *tgQuery) int { return a.at.Compare(b.at) })
	out := []TelegramAnswer{}
	for _, q := range list {
		out = append(out, *q.answer)
	}
	return out
}

// Unanswered returns the data of presses whose progress bar still turns.
func (t *Telegram) Unanswered() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, q := range t.queries {
		if q.answer == nil {
			out = append(out, q.data)
		}
	}
	slices.Sort(out)
	return out
}

func (t *Telegram) answerCallbackQuery(c *tgCall) (any, *tgError) {
	if n := units(c.text("text")); n > maxCallbackText {
		return nil, violation("MESSAGE_TOO_LONG").because("text of a callback answer: %d characters, at most %d", n, maxCallbackText)
	}
	cache, fail := c.small("cache_time")
	if fail != nil {
		return nil, fail
	}
	if link := c.text("url"); link != "" {
		if u, err := url.Parse(link); err != nil || u.Scheme == "" {
			return nil, violation("URL_INVALID")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queries[c.text("callback_query_id")]
	// The server forgets a query once it is answered or too old.
	if q == nil || q.answer != nil || t.now().Sub(q.at) > t.opts.AnswerWithin {
		return nil, refuse("query is too old and response timeout expired or query ID is invalid")
	}
	q.answer = &TelegramAnswer{QueryID: q.id, User: q.user, Data: q.data, Text: c.text("text"),
		Alert: c.flag("show_alert", false), URL: c.text("url"), CacheTime: cache}
	close(q.done)
	t.touch()
	return true, nil
}

// errStranger says that a person is not where they act.
var errStranger = errors.New("the person is not in that chat")

// visitor finds a chat and a person who may act in it; it needs t.mu.
func (t *Telegram) visitor(user, chat int64) (*tgRoom, *tgPerson, error) {
	p := t.users[user]
	if p == nil || p.gone {
		return nil, nil, fmt.Errorf("there is no person %d", user)
	}
	r := t.rooms[chat]
	switch {
	case r == nil:
		return nil, nil, fmt.Errorf("there is no chat %d", chat)
	case r.deleted || r.movedTo != 0:
		return nil, nil, fmt.Errorf("chat %d is no more", chat)
	case r.Type == "private" && r.ID != user, r.Type != "private" && !r.present(user):
		return nil, nil, fmt.Errorf("%w: %d in %d", errStranger, user, chat)
	}
	return r, p, nil
}
