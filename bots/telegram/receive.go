package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"aiprep/engine"
)

const platform = "telegram"

// update is the part of an Update that is used
// (https://core.telegram.org/bots/api#update). All else is left undecoded: a
// kind of message that came after this was written must not cost a person the
// press of a button under it.
type update struct {
	ID       int64         `json:"update_id"`
	Message  *message      `json:"message"`
	Callback *callback     `json:"callback_query"`
	Member   *memberChange `json:"my_chat_member"`
	Posted   *message      `json:"channel_post"`
	Vote     *vote         `json:"poll_answer"`
	Checkout *checkout     `json:"pre_checkout_query"`
}

// allowedUpdates are the kinds in update, no more and no fewer.
func allowedUpdates() []string {
	return []string{"message", "callback_query", "my_chat_member", "channel_post", "poll_answer", "pre_checkout_query"}
}

// vote is an answer to a quiz poll. It does not say where the poll is.
type vote struct {
	Poll    string  `json:"poll_id"`
	User    *sender `json:"user"` // nil for a channel or an anonymous administrator
	Options []int   `json:"option_ids"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// shared reports whether others read the chat: a group or a channel.
func (c chat) shared() bool { return c.group() || c.Type == "channel" }

func (c chat) group() bool { return c.Type == "group" || c.Type == "supergroup" }

type sender struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Locale    string `json:"language_code"`
}

type message struct {
	ID          int             `json:"message_id"`
	Thread      int             `json:"message_thread_id"`
	InTopic     bool            `json:"is_topic_message"`
	From        *sender         `json:"from"`
	SenderChat  *chat           `json:"sender_chat"`
	Date        int64           `json:"date"`
	Chat        chat            `json:"chat"`
	Text        string          `json:"text"`
	Entities    []mark          `json:"entities"`
	Forward     json.RawMessage `json:"forward_origin"`
	AutoForward bool            `json:"is_automatic_forward"`
	MigrateTo   int64           `json:"migrate_to_chat_id"`
	MigrateFrom int64           `json:"migrate_from_chat_id"`
	Paid        *payment        `json:"successful_payment"`
	Refunded    *payment        `json:"refunded_payment"`
}

type mark struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"` // UTF-16 units
	Length int    `json:"length"`
}

type callback struct {
	ID      string    `json:"id"`
	From    sender    `json:"from"`
	Message *struct { // date is 0 when it is no longer accessible
		ID      int   `json:"message_id"`
		Thread  int   `json:"message_thread_id"`
		InTopic bool  `json:"is_topic_message"`
		Date    int64 `json:"date"`
		Chat    chat  `json:"chat"`
		Poll    *struct {
			ID string `json:"id"`
		} `json:"poll"`
	} `json:"message"`
	Data string `json:"data"`
}

type memberChange struct {
	Chat chat   `json:"chat"`
	From sender `json:"from"`
	Date int64  `json:"date"`
	New  struct {
		Status   string `json:"status"`
		IsMember bool   `json:"is_member"`
		MaySend  *bool  `json:"can_send_messages"`
	} `json:"new_chat_member"`
}

// event is what an update means.
type event struct {
	in    engine.Input
	here  address // where the person is; answers go here
	query string  // the press that must be answered, or ""
	typed int     // the message with the command, or 0
	alias bool    // From stands for a group: a person whom we cannot write to
	gone  bool    // the pressed message can no longer be edited
}

// errNoChat says that an update lacks what every update of its kind has.
var errNoChat = errors.New("read update: no chat or no sender")

// self is what receive must know of the bot.
type self struct {
	id       int64
	username string
	known    func(verb string) bool // a command that people may type
}

// receive reads what an update means, at being the time of receipt. An event
// without a verb and without a query is none of our business.
func (s self) receive(u update, at time.Time) (event, error) {
	var ev event
	var err error
	switch {
	case u.Callback != nil:
		ev, err = s.pressed(*u.Callback, at)
	case u.Message != nil:
		ev, err = s.said(*u.Message)
	case u.Member != nil:
		ev, err = s.changed(*u.Member)
	case u.Posted != nil:
		ev, err = s.said(*u.Posted)
	case u.Vote != nil:
		ev = voted(*u.Vote, at)
	}
	ev.in.ID = strconv.FormatInt(u.ID, 10)
	return ev, err
}

// pressed reads the press of a button. Telegram does not say when that was.
func (s self) pressed(c callback, at time.Time) (event, error) {
	ev := event{query: c.ID}
	if c.Message == nil || c.Data == "" {
		return ev, nil // of an inline message or a game, which we do not send
	}
	m := c.Message
	if m.Chat.ID == 0 || m.ID == 0 || c.From.ID == 0 {
		return ev, errNoChat
	}
	ev.place(m.Chat, m.Thread, m.InTopic)
	ev.gone = m.Date == 0
	action := strings.Fields(valid(c.Data))
	if len(action) == 0 {
		return ev, nil
	}
	ev.in.From, ev.in.Locale = c.From.user(), c.From.Locale
	ev.in.At, ev.in.Late = at, true
	ev.in.On, ev.in.Own = refOf(m.Chat.ID, m.ID), m.Chat.ID > 0
	if m.Poll != nil {
		ev.in.On, ev.in.Poll = pollRef(m.Chat.ID, m.ID), m.Poll.ID
	}
	ev.in.Verb, ev.in.Args = action[0], action[1:]
	return ev, nil
}

// voted reads an answer to a quiz poll, of which nobody can take a second one. One
// that was taken back has no option, and ours cannot be.
func voted(v vote, at time.Time) event {
	var ev event
	if v.User == nil || v.User.ID == 0 || v.Poll == "" || len(v.Options) != 1 {
		return ev
	}
	ev.in.From, ev.in.Locale = v.User.user(), v.User.Locale
	ev.in.In = engine.Place{Platform: platform, Chat: ev.in.From.ID}
	ev.in.At, ev.in.Late, ev.in.Event = at, true, true
	ev.in.Verb, ev.in.Args = engine.VerbBallot, []string{v.Poll, strconv.Itoa(v.Options[0])}
	return ev
}

// said reads a message: a command, a line of text in a private chat, or the
// move of a group.
func (s self) said(m message) (event, error) {
	var ev event
	if m.Chat.ID == 0 || m.ID == 0 {
		return ev, errNoChat
	}
	ev.place(m.Chat, m.Thread, m.InTopic)
	ev.in.At = time.Unix(m.Date, 0)
	switch {
	case m.MigrateTo != 0:
		ev.moved(m.Chat.ID, m.MigrateTo)
		return ev, nil
	case m.MigrateFrom != 0:
		ev.moved(m.MigrateFrom, m.Chat.ID)
		return ev, nil
	case m.Paid != nil, m.Refunded != nil:
		return ev, ev.paid(m)
	case m.AutoForward || len(m.Forward) > 0 || m.Text == "" || !m.Chat.shared() && m.Chat.Type != "private":
		return ev, nil
	}
	if !ev.from(m) {
		return ev, nil
	}
	verb, rest, mine, ok := command(m.Text, m.Entities, s.username)
	switch {
	case ok && (verb != "" && s.known(verb)):
		ev.in.Verb, ev.in.Args = verb, strings.Fields(valid(rest))
	case ok && m.Chat.shared() && !mine:
		return ev, nil // another bot's command
	case ok:
		ev.in.Verb = "/" + verb // no verb has a slash: the engine says that it is unknown
	case m.Chat.shared():
		return ev, nil
	default:
		ev.in.Args = []string{strings.TrimSpace(valid(m.Text))}
		ev.line()
	}
	ev.typed = m.ID
	return ev, nil
}

// lineVerb stands for a line of text, whose verb the engine knows.
const lineVerb = "\n"

func (ev *event) line()        { ev.in.Verb = lineVerb }
func (ev *event) isLine() bool { return ev.in.Verb == lineVerb }

// from reads who wrote. An administrator who hides behind the group, or writes
// in a channel, is that chat; other bots, and channels, are nobody.
func (ev *event) from(m message) bool {
	switch {
	case m.SenderChat != nil && m.SenderChat.ID == m.Chat.ID && m.Chat.shared():
		ev.alias = true
		ev.in.From = engine.User{Platform: platform, ID: strconv.FormatInt(m.Chat.ID, 10)}
		return true
	case m.SenderChat != nil, m.From == nil, m.From.IsBot, m.From.ID == 0, m.Chat.Type == "channel":
		return false
	}
	ev.in.From, ev.in.Locale = m.From.user(), m.From.Locale
	return true
}

// changed reads that the bot was added or removed, or in a private chat blocked
// or let in again.
func (s self) changed(c memberChange) (event, error) {
	var ev event
	if c.Chat.ID == 0 {
		return ev, errNoChat
	}
	ev.place(c.Chat, 0, false)
	ev.in.From, ev.in.At, ev.in.Event = c.From.user(), time.Unix(c.Date, 0), true
	switch may := c.New.MaySend == nil || *c.New.MaySend; c.New.Status {
	case "member", "administrator":
		ev.in.Verb = "joined"
	case "restricted":
		ev.in.Verb = map[bool]string{true: "joined", false: "left"}[c.New.IsMember && may]
	case "left", "kicked":
		ev.in.Verb = "left"
	default:
		return ev, fmt.Errorf("read update: unknown status of a member")
	}
	return ev, nil
}

// moved makes the event of a group that became a supergroup. Both groups say
// so, in either order.
func (ev *event) moved(from, to int64) {
	ev.place(chat{ID: to, Type: "supergroup"}, 0, false)
	ev.in.Event, ev.in.Verb, ev.in.Args = true, "moved", []string{strconv.FormatInt(from, 10)}
}

// place sets where an event was. Only a forum's topics are places; a private
// chat's are merely answered in.
func (ev *event) place(c chat, thread int, inTopic bool) {
	if !inTopic {
		thread = 0 // the number of a thread of answers, which is no place to write to
	}
	ev.here = address{Chat: c.ID, Thread: thread}
	ev.in.In = engine.Place{Platform: platform, Chat: strconv.FormatInt(c.ID, 10)}
	if c.Type == "private" {
		return
	}
	ev.in.In.Server = ev.in.In.Chat
	if thread != 0 {
		ev.in.In.Thread = strconv.Itoa(thread)
	}
}

func (s sender) user() engine.User {
	name := strings.TrimSpace(valid(s.FirstName + " " + s.LastName))
	return engine.User{Platform: platform, ID: strconv.FormatInt(s.ID, 10), Name: name}
}

// command reads a command at the beginning of a text. ok is false when there is
// none, or it names another bot; mine is true when it names this one.
func command(text string, marks []mark, username string) (verb, rest string, mine, ok bool) {
	length := 0
	for _, m := range marks {
		if m.Type == "bot_command" && m.Offset == 0 {
			length = m.Length
		}
	}
	end, found := byteIndex(text, length)
	if !found || end < 2 || text[0] != '/' {
		return "", "", false, false
	}
	verb, to, named := strings.Cut(text[1:end], "@")
	if mine = named && strings.EqualFold(to, username); named && !mine {
		return "", "", false, false
	}
	return strings.ToLower(verb), text[end:], mine, true
}

// byteIndex is where the first n UTF-16 units of s end; ok is false when that is
// inside a character or beyond the end.
func byteIndex(s string, n int) (at int, ok bool) {
	for at, r := range s {
		if n <= 0 {
			return at, n == 0
		}
		n -= utf16.RuneLen(r)
	}
	return len(s), n == 0
}
