package bottest

import (
	"encoding/json"
	"time"
)

// Channel types, as Discord numbers them.
const (
	TextChannel         = 0
	DMChannel           = 1
	VoiceChannel        = 2
	CategoryChannel     = 4
	AnnouncementChannel = 5
	AnnouncementThread  = 10
	PublicThread        = 11
	PrivateThread       = 12
	ForumChannel        = 15
)

// Permission bits that the fake looks at.
const (
	PermAdministrator  int64 = 1 << 3
	PermManageGuild    int64 = 1 << 5
	PermViewChannel    int64 = 1 << 10
	PermSendMessages   int64 = 1 << 11
	PermManageMessages int64 = 1 << 13
	PermEmbedLinks     int64 = 1 << 14
	PermAttachFiles    int64 = 1 << 15
	PermReadHistory    int64 = 1 << 16
	PermMentionAll     int64 = 1 << 17
	PermManageThreads  int64 = 1 << 34
	PermSendInThreads  int64 = 1 << 38

	// PermsBot is what the bot has in a channel unless a test says otherwise: all
	// that such a bot asks for when it is invited.
	PermsBot = PermViewChannel | PermSendMessages | PermSendInThreads | PermEmbedLinks | PermAttachFiles | PermReadHistory
	// PermsMember is what a person has in a server unless a test says otherwise.
	PermsMember = PermViewChannel | PermSendMessages | PermSendInThreads | PermEmbedLinks | PermAttachFiles | PermReadHistory
)

// Message flags that the fake looks at.
const (
	FlagCrossposted  = 1 << 0
	FlagEphemeral    = 1 << 6
	FlagLoading      = 1 << 7
	FlagComponentsV2 = 1 << 15
)

// Gateway intents that decide which events are sent.
const (
	IntentGuilds         = 1 << 0
	IntentGuildMembers   = 1 << 1
	IntentGuildPresences = 1 << 8
	IntentGuildMessages  = 1 << 9
	IntentDirectMessages = 1 << 12
	IntentMessageContent = 1 << 15
)

// Person is an account.
type Person struct {
	ID     string
	Name   string
	Bot    bool
	Locale string // of the client program, as "en-US"; sent with interactions
	// RefusesDMs makes messages to the person fail with 50007.
	RefusesDMs bool
	// Installed says that the person installed the app for themselves.
	Installed bool
}

// Guild is a server.
type Guild struct {
	ID     string
	Name   string
	Locale string
	// BotAbsent says that the app may be used here by people who installed it
	// themselves, but the bot is not a member.
	BotAbsent bool
	// Outage makes the guild unavailable: 503 over REST, no events.
	Outage bool
}

// Tag is a forum's tag.
type Tag struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Channel is a channel or a thread.
type Channel struct {
	ID       string `json:"id"`
	GuildID  string `json:"guild_id,omitempty"`  // "" for a DM
	ParentID string `json:"parent_id,omitempty"` // a thread's channel
	Name     string `json:"name,omitempty"`
	Type     int    `json:"type"`
	// BotPermissions is the mask the bot has here; a thread with 0 takes its
	// parent's, any other channel with 0 gets PermsBot when it is added. Use
	// SetBotPermissions to take everything away.
	BotPermissions int64    `json:"bot_permissions,omitempty"`
	RequireTag     bool     `json:"require_tag,omitempty"`
	Tags           []Tag    `json:"tags,omitempty"`
	AppliedTags    []string `json:"applied_tags,omitempty"`
	Archived       bool     `json:"archived,omitempty"`
	Locked         bool     `json:"locked,omitempty"`
	Recipient      string   `json:"recipient,omitempty"` // a DM's person

	masked bool // BotPermissions was set, even to 0
}

// isThread reports whether the channel is a thread of any kind.
func (c *Channel) isThread() bool { return c.Type >= AnnouncementThread && c.Type <= PrivateThread }

// Member is a person in a guild.
type Member struct {
	User        string
	Nick        string
	Roles       []string
	Permissions int64
	Joined      time.Time
}

// Emoji is a custom or Unicode emoji on a component.
type Emoji struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Animated bool   `json:"animated,omitempty"`
}

// SelectOption is one line of a select menu, radio group or checkbox group.
type SelectOption struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
}

// Media names a picture or file inside a component.
type Media struct {
	URL string `json:"url"`
}

// GalleryItem is one picture of a media gallery.
type GalleryItem struct {
	Media       Media  `json:"media"`
	Description string `json:"description,omitempty"`
}

// Component is any component of a message or modal, with the fields of all kinds.
type Component struct {
	Type        int            `json:"type"`
	ID          int            `json:"id,omitempty"`
	CustomID    string         `json:"custom_id,omitempty"`
	Label       string         `json:"label,omitempty"`
	Style       int            `json:"style,omitempty"`
	Disabled    bool           `json:"disabled,omitempty"`
	URL         string         `json:"url,omitempty"`
	SKUID       string         `json:"sku_id,omitempty"`
	Emoji       *Emoji         `json:"emoji,omitempty"`
	Placeholder string         `json:"placeholder,omitempty"`
	Options     []SelectOption `json:"options,omitempty"`
	MinValues   *int           `json:"min_values,omitempty"`
	MaxValues   *int           `json:"max_values,omitempty"`
	MinLength   *int           `json:"min_length,omitempty"`
	MaxLength   *int           `json:"max_length,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	Value       string         `json:"value,omitempty"`
	Content     string         `json:"content,omitempty"`
	Description string         `json:"description,omitempty"`
	Components  []Component    `json:"components,omitempty"`
	Accessory   *Component     `json:"accessory,omitempty"`
	Component   *Component     `json:"component,omitempty"`
	Media       *Media         `json:"media,omitempty"`
	File        *Media         `json:"file,omitempty"`
	Items       []GalleryItem  `json:"items,omitempty"`
}

// EmbedField is a field of an embed.
type EmbedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline,omitempty"`
}

// EmbedText is an embed's footer (Text) or author (Name).
type EmbedText struct {
	Text string `json:"text,omitempty"`
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Embed is an embed of a message.
type Embed struct {
	Title       string       `json:"title,omitempty"`
	Type        string       `json:"type,omitempty"`
	Description string       `json:"description,omitempty"`
	URL         string       `json:"url,omitempty"`
	Color       int          `json:"color,omitempty"`
	Timestamp   string       `json:"timestamp,omitempty"`
	Footer      *EmbedText   `json:"footer,omitempty"`
	Author      *EmbedText   `json:"author,omitempty"`
	Image       *Media       `json:"image,omitempty"`
	Thumbnail   *Media       `json:"thumbnail,omitempty"`
	Fields      []EmbedField `json:"fields,omitempty"`
}

// Attachment is a file of a message.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	Data        []byte `json:"-"`
}

// Message is a message as it is now; what the exported methods return is a copy.
type Message struct {
	ID          string       `json:"id"`
	ChannelID   string       `json:"channel_id"`
	AuthorID    string       `json:"author_id"`
	Content     string       `json:"content,omitempty"`
	Embeds      []Embed      `json:"embeds,omitempty"`
	Components  []Component  `json:"components,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Flags       int          `json:"flags,omitempty"`
	Nonce       string       `json:"nonce,omitempty"`
	At          time.Time    `json:"at"`
	EditedAt    time.Time    `json:"edited_at,omitzero"`
	// Edits counts the changes since the message appeared.
	Edits int `json:"edits,omitempty"`
	// For is the only person who sees an ephemeral message.
	For string `json:"for,omitempty"`
	// InteractionID is the interaction that the message answers.
	InteractionID string `json:"interaction_id,omitempty"`
	// Pings is whom the text notified, after allowed_mentions: "everyone",
	// "here", user and role ids.
	Pings   []string        `json:"pings,omitempty"`
	Deleted bool            `json:"deleted,omitempty"`
	Poll    json.RawMessage `json:"poll,omitempty"`
}

// Ephemeral reports whether only one person sees the message.
func (m Message) Ephemeral() bool { return m.Flags&FlagEphemeral != 0 }

// Loading reports whether the message still says that the bot is thinking.
func (m Message) Loading() bool { return m.Flags&FlagLoading != 0 }

// Text is all that a reader reads: content, text displays and embeds, in order,
// one a line; without labels of buttons.
func (m Message) Text() string {
	var out []byte
	add := func(s string) {
		if s != "" {
			if len(out) > 0 {
				out = append(out, '\n')
			}
			out = append(out, s...)
		}
	}
	add(m.Content)
	walk(m.Components, func(c *Component) { add(c.Content) })
	for _, e := range m.Embeds {
		if e.Author != nil {
			add(e.Author.Name)
		}
		add(e.Title)
		add(e.Description)
		for _, f := range e.Fields {
			add(f.Name)
			add(f.Value)
		}
		if e.Footer != nil {
			add(e.Footer.Text)
		}
	}
	return string(out)
}

// Pressable returns every button and select menu of the message in reading
// order, links and disabled ones included.
func (m Message) Pressable() []Component {
	var out []Component
	walk(m.Components, func(c *Component) {
		if c.Type == compButton || isSelect(c.Type) {
			out = append(out, *c)
		}
	})
	return out
}

// Button returns the custom_id of the first button with exactly this label, or ""
// if there is none.
func (m Message) Button(label string) string {
	for _, c := range m.Pressable() {
		if c.Type == compButton && c.Label == label {
			return c.CustomID
		}
	}
	return ""
}

// Component types.
const (
	compRow           = 1
	compButton        = 2
	compStringSelect  = 3
	compTextInput     = 4
	compUserSelect    = 5
	compChannelSelect = 8
	compSection       = 9
	compTextDisplay   = 10
	compContainer     = 17
	compLabel         = 18
	compFileUpload    = 19
	compRadioGroup    = 21
	compCheckboxGroup = 22
	compCheckbox      = 23
)

// isSelect reports whether t is one of the five kinds of select menu.
func isSelect(t int) bool {
	return t == compStringSelect || (t >= compUserSelect && t <= compChannelSelect)
}

// walk visits every component, parents before children, in reading order.
func walk(list []Component, visit func(*Component)) {
	for i := range list {
		c := &list[i]
		visit(c)
		walk(c.Components, visit)
		for _, one := range []*Component{c.Accessory, c.Component} {
			if one != nil {
				visit(one)
				walk(one.Components, visit)
			}
		}
	}
}
