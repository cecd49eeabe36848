package bottest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Statuses of chat members (https://core.telegram.org/bots/api#chatmember).
const (
	statusOwner  = "creator"
	statusAdmin  = "administrator"
	statusMember = "member"
	statusLeft   = "left"
	statusKicked = "kicked"
)

// anonymousAdmin is the account that stands in for administrators who post as
// the group (https://core.telegram.org/bots/api#message, field from).
func anonymousAdmin() TelegramUser {
	return TelegramUser{ID: 1087968824, IsBot: true, FirstName: "Group", Username: "GroupAnonymousBot"}
}

type tgPerson struct {
	TelegramUser
	gone bool // the account was deleted
}

type tgMember struct {
	user      int64
	status    string
	anonymous bool
}

type tgTopic struct {
	name   string
	closed bool
}

// tgRoom is one chat and all that happened in it; t.mu guards it.
type tgRoom struct {
	TelegramChat
	members  map[int64]*tgMember
	topics   map[int]*tgTopic
	messages map[int]*TelegramMessage
	order    []int
	lastID   int // in supergroups and channels, which count for themselves

	opened  bool  // private: the person pressed Start once
	blocked bool  // private: the person blocked the bot
	deleted bool  // group: it is no more
	movedTo int64 // group: the supergroup it became
	muted   bool  // the bot may not write
	rival   bool  // another bot wrote last, so general commands are its
}

func (r *tgRoom) status(user int64) string {
	if m := r.members[user]; m != nil {
		return m.status
	}
	return statusLeft
}

func (r *tgRoom) isAdmin(user int64) bool {
	s := r.status(user)
	return s == statusOwner || s == statusAdmin
}

func (r *tgRoom) present(user int64) bool {
	s := r.status(user)
	return s == statusMember || s == statusOwner || s == statusAdmin
}

func (r *tgRoom) group() bool { return r.Type == "group" || r.Type == "supergroup" }

// ownCount reports whether message ids count inside this chat alone.
func (r *tgRoom) ownCount() bool { return r.Type == "supergroup" || r.Type == "channel" }

// chatMember renders a ChatMember object.
func (t *Telegram) chatMember(r *tgRoom, user int64, status string) map[string]any {
	out := map[string]any{"status": status, "user": t.userOf(user)}
	anonymous := r.members[user] != nil && r.members[user].anonymous
	switch status {
	case statusOwner:
		out["is_anonymous"] = anonymous
	case statusAdmin:
		out["is_anonymous"] = anonymous
		for _, right := range []string{"can_manage_chat", "can_delete_messages", "can_manage_video_chats",
			"can_restrict_members", "can_change_info", "can_invite_users"} {
			out[right] = true
		}
		for _, right := range []string{"can_be_edited", "can_promote_members", "can_post_stories",
			"can_edit_stories", "can_delete_stories"} {
			out[right] = false
		}
		if r.Type == "channel" {
			out["can_post_messages"], out["can_edit_messages"] = true, true
		} else {
			out["can_pin_messages"] = true
		}
	case statusKicked:
		out["until_date"] = 0
	}
	return out
}

func (t *Telegram) userOf(id int64) TelegramUser {
	if id == t.me.ID {
		return t.me
	}
	if p := t.users[id]; p != nil {
		return p.TelegramUser
	}
	return TelegramUser{ID: id, FirstName: "Unknown"}
}

// find looks a chat up by the chat_id of a request: a number or @username.
func (t *Telegram) find(chat string) (*tgRoom, *tgError) {
	if name, ok := strings.CutPrefix(chat, "@"); ok {
		for _, r := range t.rooms {
			// Only public groups and channels can be named; people can't.
			if r.Type != "private" && strings.EqualFold(r.Username, name) {
				return r, nil
			}
		}
		return nil, refuse("chat not found")
	}
	if chat == "" {
		return nil, violation("chat_id is empty")
	}
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil || id == 0 {
		return nil, violation("chat not found").because("chat_id: %q is no id", chat)
	}
	if r := t.rooms[id]; r != nil {
		return r, nil
	}
	return nil, refuse("chat not found")
}

// reach is find for requests that act in the chat: it also refuses what a bot
// may no longer do there (tdlib/telegram-bot-api, Client::check_chat).
func (t *Telegram) reach(chat string) (*tgRoom, *tgError) {
	r, fail := t.find(chat)
	if fail != nil {
		return nil, fail
	}
	if r.Type == "private" {
		switch p := t.users[r.ID]; {
		case p != nil && p.gone:
			return nil, forbid("user is deactivated")
		case r.blocked:
			return nil, forbid("bot was blocked by the user")
		case !r.opened:
			return nil, forbid("bot can't initiate conversation with a user")
		}
		return r, nil
	}
	switch {
	case r.movedTo != 0:
		fail := refuse("group chat was upgraded to a supergroup chat")
		fail.params = &tgParams{MigrateTo: r.movedTo}
		return nil, fail
	case r.deleted:
		return nil, forbid("the group chat was deleted")
	case r.status(t.me.ID) == statusKicked:
		return nil, forbid("bot was kicked from the %s chat", r.Type)
	case !r.present(t.me.ID):
		return nil, forbid("bot is not a member of the %s chat", r.Type)
	}
	return r, nil
}

// topic checks message_thread_id. The General topic has none, and its own
// number 1 is refused as the real server does.
func (r *tgRoom) topic(thread int, admin bool) *tgError {
	if thread == 0 {
		return nil
	}
	topic := r.topics[thread]
	if !r.IsForum || topic == nil {
		return refuse("message thread not found")
	}
	if topic.closed && !admin {
		return refuse("TOPIC_CLOSED")
	}
	return nil
}

// store gives a message its id and date and puts it into the chat. The returned
// pointer is the chat's own; copies are made on the way out.
func (t *Telegram) store(r *tgRoom, m *TelegramMessage) *TelegramMessage {
	if r.ownCount() {
		r.lastID++
		m.ID = r.lastID
	} else {
		t.nextID++
		m.ID = t.nextID
	}
	m.Chat = r.TelegramChat
	m.Date = t.now().Unix()
	m.InTopic = m.Thread != 0
	r.messages[m.ID] = m
	r.order = append(r.order, m.ID)
	t.touch()
	return m
}

// view copies a message so that nobody outside sees it change.
func (m *TelegramMessage) view() TelegramMessage {
	c := *m
	c.Entities = slices.Clone(m.Entities)
	c.CaptionEntities = slices.Clone(m.CaptionEntities)
	c.Keyboard = m.Keyboard.clone()
	c.before = slices.Clone(m.before)
	if m.Poll != nil {
		p := *m.Poll
		p.Options = slices.Clone(p.Options)
		c.Poll = &p
	}
	if m.ReplyTo != nil {
		// As the API: a message inside a reply carries no reply of its own.
		inner := m.ReplyTo.view()
		inner.ReplyTo = nil
		c.ReplyTo = &inner
	}
	return c
}

func (k *TelegramKeyboard) clone() *TelegramKeyboard {
	if k == nil {
		return nil
	}
	c := &TelegramKeyboard{}
	for _, row := range k.Rows {
		c.Rows = append(c.Rows, slices.Clone(row))
	}
	return c
}

// Visible returns what a person sees in a chat now, oldest first: messages of
// all, service messages too, edited as they are and without the deleted ones.
func (t *Telegram) Visible(chat int64) []TelegramMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rooms[chat]
	if r == nil {
		return nil
	}
	var out []TelegramMessage
	for _, id := range r.order {
		if m := r.messages[id]; m != nil {
			out = append(out, m.view())
		}
	}
	return out
}

// FromBot is Visible without what people and Telegram itself wrote.
func (t *Telegram) FromBot(chat int64) []TelegramMessage {
	return slices.DeleteFunc(t.Visible(chat), func(m TelegramMessage) bool { return !m.Bot() })
}

// Message returns one message as it stands now.
func (t *Telegram) Message(chat int64, id int) (TelegramMessage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rooms[chat]
	if r == nil || r.messages[id] == nil {
		return TelegramMessage{}, false
	}
	return r.messages[id].view(), true
}

// File returns the bytes of an uploaded photo or document.
func (t *Telegram) File(fileID string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.files[fileID]
	if !ok {
		return nil, fmt.Errorf("read a file: no file has the id %q", fileID)
	}
	return slices.Clone(f.data), nil
}
