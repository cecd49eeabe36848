package discord

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"aiprep/engine"
)

const platform = "discord"

// Types of interactions
// (https://discord.com/developers/docs/interactions/receiving-and-responding).
const (
	typedInteraction    = 2
	pressedInteraction  = 3
	completeInteraction = 4
	writtenInteraction  = 5
)

// privateChannel is the context of a chat between people, in which the bot is a
// guest.
const privateChannel = 2

// The rights that make a person one who manages a server
// (https://discord.com/developers/docs/topics/permissions).
const (
	administrator = 1 << 3
	manageGuild   = 1 << 5
)

// hiddenFlag marks a message that only one person sees.
const hiddenFlag = 1 << 6

// interaction is the part of an Interaction that is used. All else is left
// undecoded: the library decodes more, and one field that it does not know the
// type of would cost a person their answer.
type interaction struct {
	ID      string `json:"id"`
	App     string `json:"application_id"`
	Token   string `json:"token"`
	Type    int    `json:"type"`
	Guild   string `json:"guild_id"`
	Channel string `json:"channel_id"`
	Context int    `json:"context"`
	Locale  string `json:"locale"`
	// Owners says for whom the app is installed: "0" a server or the bot's own
	// private chats, "1" the person.
	Owners map[string]json.RawMessage `json:"authorizing_integration_owners"`
	Member *struct {
		User   account `json:"user"`
		Nick   string  `json:"nick"`
		Rights string  `json:"permissions"`
	} `json:"member"`
	User *account `json:"user"`
	// Entitlements are what the person, or the server, has bought of the app.
	Entitlements json.RawMessage `json:"entitlements"`
	Message      *struct {
		ID         string      `json:"id"`
		Channel    string      `json:"channel_id"`
		Flags      int         `json:"flags"`
		Components []component `json:"components"`
	} `json:"message"`
	Data struct {
		Name       string      `json:"name"`
		Options    []option    `json:"options"`
		CustomID   string      `json:"custom_id"`
		Components []component `json:"components"`
		Resolved   struct {
			Channels map[string]json.RawMessage `json:"channels"`
		} `json:"resolved"`
	} `json:"data"`
}

type account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"global_name"`
}

type option struct {
	Name    string          `json:"name"`
	Type    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Focused bool            `json:"focused"`
}

// component is one of a message, a modal, or what came back from a modal.
type component struct {
	CustomID   string      `json:"custom_id"`
	Label      string      `json:"label"`
	Value      string      `json:"value"`
	Component  *component  `json:"component"`
	Components []component `json:"components"`
}

// kind is what is wanted of us.
type kind uint8

const (
	handling   kind = iota // the engine answers
	completing             // suggestions for an option being filled in
	opening                // the form that a message offered
)

// event is what an interaction means.
type event struct {
	kind  kind
	in    engine.Input
	token string // of the interaction: it lets anybody answer
	app   string
	// open says that others may be reading: what is whispered must be hidden.
	open    bool
	written bool // it came from a form, which cannot be followed by a form
	// addressed says that verb and arguments come from a button's or a form's
	// address, not from what was typed.
	addressed bool

	pressed bool // there is a message to replace
	hidden  bool // that message is seen by one person only

	owned json.RawMessage // what the person has bought, and the server
	word  *firstWord      // takes the first word, or nil for a request of our own

	option, prefix string         // completing
	prompt         *engine.Prompt // opening
}

// errNoInteraction says that an interaction lacks what every one has.
var errNoInteraction = errors.New("read interaction: no id, token, channel or person")

// receive reads what an interaction means. An error comes with as much of the
// event as could be read.
func receive(raw []byte) (event, error) {
	var it interaction
	bad := json.Unmarshal(raw, &it)
	ev := event{token: it.Token, app: it.App, open: it.Guild != "" || it.Context == privateChannel}
	ev.in.ID = it.ID
	at, ok := timeOf(it.ID)
	if bad != nil {
		return ev, errors.New("read interaction: a field has another type") // bad may hold what a person wrote
	}
	ev.in.At, ev.in.Locale = at, it.Locale
	ev.in.In = engine.Place{Platform: platform, Server: it.Guild, Chat: it.Channel}
	ev.from(it)
	ev.owned = it.Entitlements
	if it.carried() {
		ev.in.In, ev.in.Admin = engine.Place{Platform: platform, Chat: ownChat + ev.in.From.ID}, false
	}
	if !ok || it.Token == "" || it.Channel == "" || ev.in.From.ID == "" {
		return ev, errNoInteraction
	}
	if it.Message != nil {
		ev.pressed, ev.hidden = true, it.Message.Flags&hiddenFlag != 0
		ev.in.On, ev.in.Own = refOf(it.Channel, it.Message.ID), ev.hidden || !ev.open
	}
	switch it.Type {
	case typedInteraction, completeInteraction:
		ev.typed(it)
	case pressedInteraction:
		ev.press(it)
	case writtenInteraction:
		ev.wrote(it)
	default:
		return ev, errors.New("read interaction: unknown type " + strconv.Itoa(it.Type))
	}
	if ev.in.Verb == "" && ev.kind != opening {
		return ev, errors.New("read interaction: no command")
	}
	return ev, nil
}

// ownChat begins the address of the private chat with a person whose id follows,
// where it is not known by its own.
const ownChat = "@"

// botChat is the context of the bot's own private chats.
const botChat = 1

// carried reports whether somebody brought the bot along to where it is not
// installed itself. Nothing there is ours, so it is a private chat with them.
func (it interaction) carried() bool {
	_, ours := it.Owners["0"]
	return len(it.Owners) > 0 && !ours && it.Context != botChat
}

// from reads who did it and what they may do here.
func (ev *event) from(it interaction) {
	who, nick := it.User, ""
	if it.Member != nil {
		who, nick = &it.Member.User, it.Member.Nick
		rights, err := strconv.ParseUint(it.Member.Rights, 10, 64)
		ev.in.Admin = err == nil && it.Guild != "" && rights&(administrator|manageGuild) != 0
	}
	if who == nil {
		return
	}
	ev.in.From = engine.User{Platform: platform, ID: who.ID, Name: who.Username}
	for _, name := range []string{nick, who.Name} {
		if name != "" {
			ev.in.From.Name = name
			break
		}
	}
}

// typed reads a command, or one that is being typed.
func (ev *event) typed(it interaction) {
	ev.in.Verb = it.Data.Name
	if it.Type == completeInteraction {
		ev.kind = completing
	}
	for _, o := range it.Data.Options {
		value := o.text()
		if o.Focused {
			ev.option, ev.prefix = o.Name, value
			continue
		}
		// Discord itself resolves only what belongs to this server.
		if _, ours := it.Data.Resolved.Channels[value]; o.Type == channelOption && !ours {
			continue
		}
		ev.in.Args = append(ev.in.Args, o.Name+"="+value)
	}
}

// text is an option's value in writing.
func (o option) text() string {
	var s string
	if json.Unmarshal(o.Value, &s) == nil {
		return s
	}
	return string(o.Value) // a number, true or false
}

// press reads the press of a button.
func (ev *event) press(it interaction) {
	if action, asks := strings.CutPrefix(it.Data.CustomID, askPrefix); asks {
		var buttons []component
		if it.Message != nil {
			buttons = it.Message.Components
		}
		label := labelOf(buttons, it.Data.CustomID)
		ev.kind, ev.prompt = opening, &engine.Prompt{Action: action, Title: label, Label: label}
		return
	}
	ev.action(it.Data.CustomID)
}

// wrote reads what came back from a form. If a button opened the form, this is
// the end of that press.
func (ev *event) wrote(it interaction) {
	ev.written = true
	ev.action(it.Data.CustomID)
	ev.in.Args = append(ev.in.Args, strings.TrimSpace(written(it.Data.Components)))
}

// action reads a button's or a form's address.
func (ev *event) action(customID string) {
	ev.addressed = true
	fields := strings.Fields(customID)
	if n := len(fields); n > 1 && strings.HasPrefix(fields[n-1], twinMark) {
		fields = fields[:n-1]
	}
	if len(fields) > 0 {
		ev.in.Verb, ev.in.Args = fields[0], fields[1:]
	}
}

// labelOf finds the button with that address and returns what stands on it.
func labelOf(list []component, customID string) string {
	for _, c := range list {
		if c.CustomID == customID {
			return c.Label
		}
		if label := labelOf(c.Components, customID); label != "" {
			return label
		}
	}
	return ""
}

// written finds the line of text in what came back from a form.
func written(list []component) string {
	for _, c := range list {
		if c.Component != nil {
			c.Components = append(c.Components, *c.Component)
		}
		if c.CustomID == lineInput {
			return c.Value
		}
		if line := written(c.Components); line != "" {
			return line
		}
	}
	return ""
}

// epoch is where Discord's ids begin to count
// (https://discord.com/developers/docs/reference#snowflakes).
const epoch = 1420070400000

// timeOf reads when something with that id was made.
func timeOf(id string) (time.Time, bool) {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil || n == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(n>>22) + epoch), true
}

// idAt is the smallest id of that time.
func idAt(t time.Time) string {
	ms := max(0, t.UnixMilli()-epoch)
	return strconv.FormatUint(uint64(ms)<<22, 10)
}

// refOf spells a message as "<channel>/<message>"; readRef is its inverse.
func refOf(channel, message string) engine.Ref { return engine.Ref(channel + "/" + message) }

func readRef(r engine.Ref) (channel, message string, err error) {
	channel, message, ok := strings.Cut(string(r), "/")
	if !ok || !isID(channel) || !isID(message) {
		return "", "", errors.New("read message reference: want channel/message")
	}
	return channel, message, nil
}

// isID reports whether s can be an id: it goes into the path of a request.
func isID(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}
