package discord

import (
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"aiprep/content"
	"aiprep/engine"
)

// Limits of what is sent
// (https://discord.com/developers/docs/resources/message and
// https://discord.com/developers/docs/components/reference).
const (
	maxContent  = 2000
	maxEmbed    = 4096
	maxTitle    = 256
	maxRows     = 5
	maxRow      = 5
	maxLabel    = 80
	maxCustomID = 100
	maxAlt      = 1024
	maxFormName = 45
	maxHint     = 100
)

const (
	lineInput = "line" // the one input of a form
	askPrefix = "ask:" // of a button that opens a form: no verb has a colon
	twinMark  = "#"    // of what makes an address differ from its twin's
	cardColor = 0x5865F2
)

// payload is one message as Discord takes it. An edit replaces all of it, so
// every list is there even when it is empty.
type payload struct {
	Content     string                           `json:"content"`
	Embeds      []discordgo.MessageEmbed         `json:"embeds"`
	Components  []discordgo.ActionsRow           `json:"components"`
	Attachments []attachment                     `json:"attachments"`
	Mentions    discordgo.MessageAllowedMentions `json:"allowed_mentions"`
	Flags       int                              `json:"flags,omitempty"`
	Nonce       string                           `json:"nonce,omitempty"`
	Enforce     bool                             `json:"enforce_nonce,omitempty"`

	files []file
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
}

// form is a modal.
type form struct {
	CustomID   string                 `json:"custom_id"`
	Title      string                 `json:"title"`
	Components []discordgo.ActionsRow `json:"components"`
}

// render makes the Discord messages that show m, at least one. A text too long
// for one goes on in the next; the buttons are below the last.
func render(m engine.Message) []payload {
	title := heading1(m.Title)
	var pages []payload
	if body := titled(title, m.Text); units(body) <= maxContent {
		pages = []payload{message(body)}
	} else {
		for i, piece := range split(m.Text, maxEmbed) {
			if i > 0 {
				title = ""
			}
			pages = append(pages, card(title, piece))
		}
	}
	m.dress(pages)
	return pages
}

// renderOne makes the one message that shows m where there can be only one: a
// text too long for it is cut.
func renderOne(m engine.Message) payload {
	title := heading1(m.Title)
	p := message(titled(title, m.Text))
	if units(p.Content) > maxContent {
		p = card(title, cut(m.Text, maxEmbed))
	}
	pages := []payload{p}
	dress(m, pages)
	return pages[0]
}
