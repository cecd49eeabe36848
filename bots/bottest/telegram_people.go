package bottest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// TelegramTextOption changes how a person writes.
type TelegramTextOption func(*tgWriting)

type tgWriting struct {
	thread, reply int
	anonymous     bool
	marks         []TelegramEntity
}

// TelegramThread writes into a forum topic; without it a forum's General.
func TelegramThread(id int) TelegramTextOption { return func(w *tgWriting) { w.thread = id } }

// TelegramReply writes in answer to a message of the same chat.
func TelegramReply(id int) TelegramTextOption { return func(w *tgWriting) { w.reply = id } }

// TelegramAnonymous writes as the group; the person must be an anonymous
// administrator.
func TelegramAnonymous() TelegramTextOption { return func(w *tgWriting) { w.anonymous = true } }

// TelegramMarks adds entities to those the server finds by itself.
func TelegramMarks(marks ...TelegramEntity) TelegramTextOption {
	return func(w *tgWriting) { w.marks = append(w.marks, marks...) }
}

// Text lets a person write. In a private chat the first message must be /start,
// as clients see to, and opens the chat. UpdateID of the returned message is 0
// when the bot does not get to see it (privacy mode, https://core.telegram.org/bots/features#privacy-mode).
func (t *Telegram) Text(user, chat int64, text string, opts ...TelegramTextOption) (TelegramMessage, error) {
	var w tgWriting
	for _, o := range opts {
		o(&w)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r, p, err := t.visitor(user, chat)
	if err != nil {
		return TelegramMessage{}, fmt.Errorf("write: %w", err)
	}
	if err := t.mayText(r, text); err != nil {
		return TelegramMessage{}, fmt.Errorf("write: %w", err)
	}
	m, err := t.written(r, p, text, w)
	if err != nil {
		return TelegramMessage{}, fmt.Errorf("write: %w", err)
	}
	t.store(r, m)
	if r.Type == "channel" {
		m.UpdateID = t.push("channel_post", r.lane(), messageLife, m.view())
	} else if t.sees(r, m) {
		m.UpdateID = t.push("message", r.lane(), messageLife, m.view())
	}
	return m.view(), nil
}

func (t *Telegram) mayText(r *tgRoom, text string) error {
	if n := units(strings.TrimSpace(text)); n < 1 || n > maxText {
		return fmt.Errorf("a text of %d UTF-16 units", n)
	}
	if r.Type != "private" {
		return nil
	}
	switch {
	case r.blocked:
		return errors.New("the person blocked the bot: Unblock first")
	case !r.opened && !strings.HasPrefix(text, "/start"):
		return errors.New("the chat is not opened: clients offer nothing but /start")
	}
	r.opened = true
	return nil
}

// written builds a person's message.
func (t *Telegram) written(r *tgRoom, p *tgPerson, text string, w tgWriting) (*TelegramMessage, error) {
	m := &TelegramMessage{Text: text, Entities: append(detect(text), w.marks...), Thread: w.thread}
	slices.SortStableFunc(m.Entities, func(a, b TelegramEntity) int { return a.Offset - b.Offset })
	if w.reply != 0 {
		if m.ReplyTo = r.messages[w.reply]; m.ReplyTo == nil {
			return nil, fmt.Errorf("there is no message %d to answer", w.reply)
		}
		if w.thread == 0 {
			m.Thread = m.ReplyTo.Thread
		}
	}
	if m.Thread != 0 && (r.topics[m.Thread] == nil || r.topics[m.Thread].closed) {
		return nil, fmt.Errorf("there is no open topic %d", m.Thread)
	}
	person := p.TelegramUser
	chat := r.TelegramChat
	switch {
	case r.Type == "channel":
		if !r.isAdmin(p.ID) {
			return nil, errors.New("only administrators write in a channel")
		}
		m.SenderChat, m.Signature = &chat, person.FirstName
	case w.anonymous:
		if !r.isAdmin(p.ID) || !r.members[p.ID].anonymous {
			return nil, fmt.Errorf("%d is no anonymous administrator", p.ID)
		}
		stand := anonymousAdmin()
		m.From, m.SenderChat = &stand, &chat
	default:
		m.From = &person
	}
	return m, nil
}

func (r *tgRoom) lane() string { return "chat " + strconv.FormatInt(r.ID, 10) }

// sees applies privacy mode (https://core.telegram.org/bots/faq#what-messages-will-my-bot-get).
func (t *Telegram) sees(r *tgRoom, m *TelegramMessage) bool {
	switch {
	case r.Type == "private":
		return true
	case !r.present(t.me.ID):
		return false
	case t.opts.SeesAll || r.isAdmin(t.me.ID):
		return true
	case m.ReplyTo != nil && m.ReplyTo.own:
		return true
	case len(m.Entities) == 0 || m.Entities[0].Type != "bot_command" || m.Entities[0].Offset != 0:
		return false
	}
	_, to, addressed := strings.Cut(string(utf16.Decode(utf16.Encode([]rune(m.Text))[:m.Entities[0].Length])), "@")
	if addressed {
		return strings.EqualFold(to, t.Username)
	}
	return !r.rival
}

// Reply lets a person answer a message.
func (t *Telegram) Reply(user int64, to TelegramMessage, text string, opts ...TelegramTextOption) (TelegramMessage, error) {
	return t.Text(user, to.Chat.ID, text, append(opts, TelegramReply(to.ID))...)
}

// Start lets a person press Start, with the payload of a deep link or none.
func (t *Telegram) Start(user int64, payload string) (TelegramMessage, error) {
	return t.Text(user, user, strings.TrimSpace("/start "+payload))
}

// Rewrite lets a person edit a message of theirs; the bot gets edited_message.
func (t *Telegram) Rewrite(user int64, m TelegramMessage, text string) (TelegramMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, _, err := t.visitor(user, m.Chat.ID)
	if err != nil {
		return TelegramMessage{}, fmt.Errorf("edit: %w", err)
	}
	own := r.messages[m.ID]
	if own == nil || own.From == nil || own.From.ID != user {
		return TelegramMessage{}, fmt.Errorf("edit: message %d is not theirs", m.ID)
	}
	own.Text, own.Entities, own.EditDate = text, detect(text), t.now().Unix()
	if t.sees(r, own) {
		own.UpdateID = t.push("edited_message", r.lane(), messageLife, own.view())
	}
	t.touch()
	return own.view(), nil
}

// Erase lets a person delete a message for everybody; the bot is not told.
func (t *Telegram) Erase(user int64, m TelegramMessage) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, _, err := t.visitor(user, m.Chat.ID)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	own := r.messages[m.ID]
	if own == nil || r.Type != "private" && !r.isAdmin(user) && (own.From == nil || own.From.ID != user) {
		return fmt.Errorf("delete: message %d is not there or not theirs", m.ID)
	}
	t.remove(r, m.ID)
	return nil
}

// Rival lets another bot write in a group: it is then the one that general
// commands go to. Bots never see each other's messages.
func (t *Telegram) Rival(chat int64, text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rooms[chat]
	if r == nil || !r.group() {
		return fmt.Errorf("write as another bot: %d is no group", chat)
	}
	r.rival = true
	t.store(r, &TelegramMessage{Text: text, From: &TelegramUser{ID: 42, IsBot: true, FirstName: "Rival", Username: "rival_bot"}})
	return nil
}
