package bottest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// AddUser brings a person into the world, whose private chat is not opened yet,
// or renames one that is there. It fails for ids that no person can have.
func (t *Telegram) AddUser(u TelegramUser) error {
	if u.ID <= 0 || u.ID >= 1<<52 || u.IsBot || u.FirstName == "" {
		return fmt.Errorf("add a person: want a positive id below 2^52, a first name and no bot: %+v", u)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.users[u.ID]; p != nil {
		p.TelegramUser = u
	} else {
		t.users[u.ID] = &tgPerson{TelegramUser: u}
	}
	r := t.rooms[u.ID]
	if r == nil {
		r = newRoom(TelegramChat{ID: u.ID, Type: "private"})
		t.rooms[u.ID] = r
	}
	r.FirstName, r.LastName, r.Username = u.FirstName, u.LastName, u.Username
	return nil
}

func newRoom(c TelegramChat) *tgRoom {
	return &tgRoom{TelegramChat: c, members: map[int64]*tgMember{}, topics: map[int]*tgTopic{}, messages: map[int]*TelegramMessage{}}
}

// AddChat makes a group, supergroup or channel with its owner and other members.
// The bot is not in it until AddBot.
func (t *Telegram) AddChat(c TelegramChat, owner int64, members ...int64) error {
	long := strings.HasPrefix(strconv.FormatInt(c.ID, 10), "-100")
	switch {
	case c.Type != "group" && c.Type != "supergroup" && c.Type != "channel":
		return fmt.Errorf("add a chat: unknown type %q", c.Type)
	case c.ID >= 0 || long != (c.Type != "group"):
		return fmt.Errorf("add a chat: %d is no id of a %s", c.ID, c.Type)
	case c.IsForum && c.Type != "supergroup":
		return errors.New("add a chat: only supergroups are forums")
	case c.Title == "":
		return errors.New("add a chat: no title")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rooms[c.ID] != nil {
		return fmt.Errorf("add a chat: %d is there already", c.ID)
	}
	r := newRoom(c)
	for _, id := range append([]int64{owner}, members...) {
		if t.users[id] == nil {
			return fmt.Errorf("add a chat: there is no person %d", id)
		}
		r.members[id] = &tgMember{user: id, status: statusMember}
	}
	r.members[owner].status = statusOwner
	t.rooms[c.ID] = r
	return nil
}

// change sets a member's status and tells the bot: my_chat_member about itself,
// chat_member about others where it is an administrator. It needs t.mu.
func (t *Telegram) change(r *tgRoom, user, by int64, status string) {
	old := r.status(user)
	before := t.chatMember(r, user, old)
	r.members[user] = &tgMember{user: user, status: status}
	kind := "chat_member"
	if user == t.me.ID {
		kind = "my_chat_member"
	} else if !r.isAdmin(t.me.ID) {
		return
	}
	t.push(kind, r.lane(), messageLife, map[string]any{"chat": r.TelegramChat, "from": t.userOf(by), "date": t.now().Unix(),
		"old_chat_member": before, "new_chat_member": t.chatMember(r, user, status)})
}

// service stores a service message and tells the bot, which gets all of them.
func (t *Telegram) service(r *tgRoom, by int64, m TelegramMessage) {
	from := t.userOf(by)
	m.From = &from
	own := t.store(r, &m)
	if r.Type == "private" || r.present(t.me.ID) {
		own.UpdateID = t.push("message", r.lane(), messageLife, own.view())
	}
}

// AddBot adds the bot to a group or channel, there only as administrator.
func (t *Telegram) AddBot(by, chat int64, admin bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, _, err := t.visitor(by, chat)
	switch {
	case err != nil:
		return fmt.Errorf("add the bot: %w", err)
	case r.Type == "private" || r.Type == "channel" && !admin:
		return fmt.Errorf("add the bot: it can't join a %s so", r.Type)
	case r.present(t.me.ID):
		return errors.New("add the bot: it is there already")
	}
	status := statusMember
	if admin {
		status = statusAdmin
	}
	t.change(r, t.me.ID, by, status)
	if r.group() {
		t.service(r, by, TelegramMessage{Joined: []TelegramUser{t.me}})
	}
	return nil
}

// KickBot throws the bot out of a group or channel.
func (t *Telegram) KickBot(by, chat int64) error {
	return t.act(by, chat, "throw the bot out", func(r *tgRoom) error {
		if !r.present(t.me.ID) {
			return errors.New("it is not there")
		}
		t.change(r, t.me.ID, by, statusKicked)
		if r.group() {
			t.service(r, by, TelegramMessage{Left: &t.me})
		}
		return nil
	})
}

// Promote makes a member, or with the bot's id the bot, an administrator; Demote
// takes it back. Anonymous hides an administrator behind the group.
func (t *Telegram) Promote(by, chat, user int64) error {
	return t.rank(by, chat, user, statusAdmin)
}

// Demote makes an administrator a simple member.
func (t *Telegram) Demote(by, chat, user int64) error { return t.rank(by, chat, user, statusMember) }

func (t *Telegram) rank(by, chat, user int64, status string) error {
	return t.act(by, chat, "change a rank", func(r *tgRoom) error {
		if !r.present(user) || r.status(user) == statusOwner {
			return fmt.Errorf("%d is no member or the owner", user)
		}
		t.change(r, user, by, status)
		return nil
	})
}

// Anonymous lets an administrator post as the group from now on, or stop it.
func (t *Telegram) Anonymous(chat, user int64, on bool) error {
	return t.act(user, chat, "become anonymous", func(r *tgRoom) error {
		if !r.isAdmin(user) {
			return errors.New("only administrators are anonymous")
		}
		r.members[user].anonymous = on
		return nil
	})
}

// act runs something that a person does in a chat.
func (t *Telegram) act(by, chat int64, what string, do func(r *tgRoom) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, _, err := t.visitor(by, chat)
	if err == nil {
		err = do(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	t.touch()
	return nil
}

// Join lets a person join a group or channel; Leave lets them go.
func (t *Telegram) Join(user, chat int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rooms[chat]
	if r == nil || t.users[user] == nil || r.Type == "private" || r.present(user) {
		return fmt.Errorf("join chat %d: no such chat or person, or there already", chat)
	}
	t.change(r, user, user, statusMember)
	if r.group() {
		t.service(r, user, TelegramMessage{Joined: []TelegramUser{t.userOf(user)}})
	}
	return nil
}

// Leave lets a person leave a group or channel.
func (t *Telegram) Leave(user, chat int64) error {
	return t.act(user, chat, "leave", func(r *tgRoom) error {
		if r.Type == "private" {
			return errors.New("nobody leaves a private chat")
		}
		t.change(r, user, user, statusLeft)
		if r.group() {
			gone := t.userOf(user)
			t.service(r, user, TelegramMessage{Left: &gone})
		}
		return nil
	})
}

// Block lets a person block the bot, Unblock press Restart: the bot gets
// my_chat_member, and /start is a message of its own.
func (t *Telegram) Block(user int64) error { return t.block(user, true) }

// Unblock ends Block.
func (t *Telegram) Unblock(user int64) error { return t.block(user, false) }

func (t *Telegram) block(user int64, on bool) error {
	return t.act(user, user, "block or unblock", func(r *tgRoom) error {
		if r.blocked == on {
			return errors.New("it is so already")
		}
		status := map[bool]string{true: statusKicked, false: statusMember}
		r.members[t.me.ID] = &tgMember{user: t.me.ID, status: status[!on]}
		r.blocked, r.opened = on, true
		t.change(r, t.me.ID, user, status[on])
		return nil
	})
}

// Deactivate deletes a person's account. Their chat with the bot stays, and every
// message to it fails.
func (t *Telegram) Deactivate(user int64) error {
	return t.act(user, user, "delete an account", func(r *tgRoom) error {
		t.users[user].gone = true
		r.opened = true
		return nil
	})
}

// Mute takes from the bot the right to write in a group, or gives it back.
func (t *Telegram) Mute(by, chat int64, on bool) error {
	return t.act(by, chat, "mute the bot", func(r *tgRoom) error {
		r.muted = on
		return nil
	})
}

// DeleteChat deletes a group for everybody.
func (t *Telegram) DeleteChat(by, chat int64) error {
	return t.act(by, chat, "delete a group", func(r *tgRoom) error {
		if !r.group() {
			return errors.New("it is no group")
		}
		r.deleted = true
		return nil
	})
}
