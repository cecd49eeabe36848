package bottest

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of the bot's profile (https://core.telegram.org/bots/api#setmycommands
// and the neighbouring methods).
const (
	maxCommands       = 100
	maxCommandSummary = 256
	maxName           = 64
	maxProfile        = 512
	maxProfileShort   = 120
)

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

// TelegramCommand is one entry of the bot's menu.
type TelegramCommand struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// tgProfile is what a bot says of itself, by language ("" for all others).
type tgProfile struct {
	name, about, short map[string]string
	menus              map[string][]TelegramCommand // by scope and language
}

func (p *tgProfile) init() {
	p.name, p.about, p.short = map[string]string{}, map[string]string{}, map[string]string{}
	p.menus = map[string][]TelegramCommand{}
}

func (t *Telegram) getMe(*tgCall) (any, *tgError) {
	return struct {
		TelegramUser
		JoinsGroups bool `json:"can_join_groups"`
		ReadsAll    bool `json:"can_read_all_group_messages"`
		Inline      bool `json:"supports_inline_queries"`
	}{t.me, true, t.opts.SeesAll, false}, nil
}

// scope names the menu that a request is about.
func (t *Telegram) scope(c *tgCall) (string, *tgError) {
	s := struct {
		Type string
		Chat json.RawMessage `json:"chat_id"`
		User int64           `json:"user_id"`
	}{Type: "default"}
	if _, fail := c.object("scope", &s); fail != nil {
		return "", fail
	}
	lang := c.text("language_code")
	if lang != "" && (len(lang) != 2 || strings.ToLower(lang) != lang) {
		return "", violation("invalid language code specified")
	}
	switch s.Type {
	case "default", "all_private_chats", "all_group_chats", "all_chat_administrators":
		return s.Type + "|" + lang, nil
	case "chat", "chat_administrators", "chat_member":
		r, fail := t.reach(strings.Trim(string(s.Chat), `"`))
		if fail != nil {
			return "", fail
		}
		return menuKey(s.Type, r.ID, s.User, lang), nil
	}
	return "", violation("unsupported type specified").because("scope: unknown type %q", s.Type)
}

func menuKey(kind string, chat, user int64, lang string) string {
	key := kind + " " + strconv.FormatInt(chat, 10)
	if kind == "chat_member" {
		key += " " + strconv.FormatInt(user, 10)
	}
	return key + "|" + lang
}

func (t *Telegram) setMyCommands(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []TelegramCommand
	if _, fail := c.object("commands", &list); fail != nil {
		return nil, fail
	}
	if len(list) > maxCommands {
		return nil, violation("BOT_COMMANDS_TOO_MUCH").because("commands: %d, at most %d", len(list), maxCommands)
	}
	seen := map[string]bool{}
	for _, cmd := range list {
		n := units(cmd.Description)
		switch {
		case !commandName.MatchString(cmd.Command):
			return nil, violation("BOT_COMMAND_INVALID").because("command %q: want 1-32 of a-z, 0-9 and _", cmd.Command)
		case n < 1 || n > maxCommandSummary:
			return nil, violation("BOT_COMMAND_DESCRIPTION_INVALID").because("description of %q: %d characters, want 1-%d", cmd.Command, n, maxCommandSummary)
		case seen[cmd.Command]:
			return nil, violation("BOT_COMMAND_INVALID").because("command %q twice", cmd.Command)
		}
		seen[cmd.Command] = true
	}
	key, fail := t.scope(c)
	if fail != nil {
		return nil, fail
	}
	t.profile.menus[key] = list
	t.touch()
	return true, nil
}

func (t *Telegram) getMyCommands(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key, fail := t.scope(c)
	return append([]TelegramCommand{}, t.profile.menus[key]...), fail
}

func (t *Telegram) deleteMyCommands(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key, fail := t.scope(c)
	if fail == nil {
		delete(t.profile.menus, key)
		t.touch()
	}
	return true, fail
}

// Menu is the list of commands that a person with the given language sees in a
// chat: the narrowest scope wins, then the language
// (https://core.telegram.org/bots/api#determining-list-of-commands).
func (t *Telegram) Menu(user, chat int64, language string) []TelegramCommand {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.rooms[chat]
	if r == nil {
		return nil
	}
	var scopes []func(lang string) string
	named := func(kind string) {
		scopes = append(scopes, func(lang string) string { return menuKey(kind, chat, user, lang) })
	}
	wide := func(kind string) {
		scopes = append(scopes, func(lang string) string { return kind + "|" + lang })
	}
	if r.Type == "private" {
		named("chat")
		wide("all_private_chats")
	} else {
		named("chat_member")
		if r.isAdmin(user) {
			named("chat_administrators")
		}
		named("chat")
		if r.isAdmin(user) {
			wide("all_chat_administrators")
		}
		wide("all_group_chats")
	}
	wide("default")
	for _, key := range scopes {
		for _, lang := range slices.Compact([]string{language, ""}) {
			if list := t.profile.menus[key(lang)]; len(list) > 0 {
				return slices.Clone(list)
			}
		}
	}
	return nil
}

// profileText is one of the three texts about the bot.
type profileText struct {
	param string
	most  int
	pick  func(*tgProfile) map[string]string
}

func (t *Telegram) setProfile(c *tgCall, x profileText) (any, *tgError) {
	if n := units(c.text(x.param)); n > x.most {
		return nil, violation("BOT_PROFILE_TEXT_TOO_LONG").because("%s: %d characters, at most %d", x.param, n, x.most)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	x.pick(&t.profile)[c.text("language_code")] = c.text(x.param)
	t.touch()
	return true, nil
}

// Profile returns the bot's name, description and short description as set for
// a language, "" for the default one.
func (t *Telegram) Profile(language string) (name, about, short string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.profile.name[language], t.profile.about[language], t.profile.short[language]
}

func (t *Telegram) getChat(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, fail
	}
	full := map[string]any{"id": r.ID, "type": r.Type, "accent_color_id": 0, "max_reaction_count": 11,
		"accepted_gift_types": map[string]bool{"unlimited_gifts": false, "limited_gifts": false, "unique_gifts": false,
			"premium_subscription": false, "gifts_from_channels": false}}
	for name, v := range map[string]string{"title": r.Title, "username": r.Username, "first_name": r.FirstName, "last_name": r.LastName} {
		if v != "" {
			full[name] = v
		}
	}
	if r.IsForum {
		full["is_forum"] = true
	}
	if r.Type == "group" || r.Type == "supergroup" {
		full["permissions"] = map[string]bool{"can_send_messages": !r.muted, "can_send_photos": !r.muted, "can_send_documents": !r.muted}
	}
	return full, nil
}

func (t *Telegram) getChatMember(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, fail
	}
	user, fail := c.integer("user_id")
	if fail != nil {
		return nil, fail
	}
	if t.users[user] == nil && user != t.me.ID {
		return nil, refuse("user not found")
	}
	status := r.status(user)
	if r.Type == "private" && (user == r.ID || user == t.me.ID) {
		status = statusMember
	}
	return t.chatMember(r, user, status), nil
}

func (t *Telegram) getChatAdministrators(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, fail
	}
	if r.Type == "private" {
		return nil, refuse("there are no administrators in the private chat")
	}
	out := []any{}
	for _, id := range slices.Sorted(maps.Keys(r.members)) {
		if r.isAdmin(id) && (id != t.me.ID || c.flag("return_bots", false)) {
			out = append(out, t.chatMember(r, id, r.status(id)))
		}
	}
	return out, nil
}

func (t *Telegram) leaveChat(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, fail
	}
	if r.Type == "private" {
		return nil, refuse("chat is not a group or a channel")
	}
	t.change(r, t.me.ID, t.me.ID, statusLeft)
	t.touch()
	return true, nil
}
