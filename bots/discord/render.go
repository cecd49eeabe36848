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
//
// Plain content is what reads best on a phone: it has the whole width and the
// bigger letters, and nobody can have switched it off. Only what is too long for
// it goes on a card, which holds twice as much.
func render(m engine.Message) []payload {
	title := oneLine(m.Title, maxTitle/2) // escaped it is at most twice as long
	var pages []payload
	if p, ok := bare(title, m); ok {
		pages = []payload{p}
	} else {
		for i, piece := range split(m.Text, maxEmbed) {
			if i > 0 {
				title = ""
			}
			pages = append(pages, card(title, piece))
		}
	}
	last := &pages[len(pages)-1]
	last.Components = keyboard(m)
	last.attach(m)
	pages[0].ping(m.Ping)
	return pages
}

// renderOne makes the one message that shows m where there can be only one: a
// text too long for it is cut.
func renderOne(m engine.Message) payload {
	title := oneLine(m.Title, maxTitle/2)
	p, ok := bare(title, m)
	if !ok {
		p = card(title, fit(m.Text, maxEmbed))
	}
	p.Components = keyboard(m)
	p.attach(m)
	p.ping(m.Ping)
	return p
}

// blankPayload is a message with nothing in it that mentions nobody.
func blankPayload() payload {
	return payload{
		Embeds: []discordgo.MessageEmbed{}, Components: []discordgo.ActionsRow{}, Attachments: []attachment{},
		Mentions: discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
	}
}

// bare shows m as plain content; ok is false when it is too long for that.
func bare(title string, m engine.Message) (p payload, ok bool) {
	p = blankPayload()
	p.Content = markdown(m.Text)
	if title != "" {
		p.Content = strings.TrimSuffix("## "+escape(title, false)+"\n"+p.Content, "\n")
	}
	if strings.TrimSpace(p.Content) == "" && m.Image == nil && m.File == nil {
		p.Content = hintEmpty
	}
	room := maxContent
	if m.Ping != nil {
		room -= len(mention(m.Ping))
	}
	return p, units(p.Content) <= room
}

// card shows a title and a description as an embed.
func card(title, description string) payload {
	p := blankPayload()
	if title = escape(title, false); title == "" && description == "" {
		description = hintEmpty
	}
	p.Embeds = append(p.Embeds, discordgo.MessageEmbed{Title: title, Description: description, Color: cardColor})
	return p
}

// mention is what pings a role; "" if it is none.
func mention(r *engine.Role) string {
	if r == nil || !isID(r.ID) {
		return ""
	}
	return "<@&" + r.ID + ">\n"
}

// ping makes the message notify one role, which is the only mention there is.
func (p *payload) ping(r *engine.Role) {
	if m := mention(r); m != "" {
		p.Content = strings.TrimSuffix(m+p.Content, "\n")
		p.Mentions.Roles = []string{r.ID}
	}
}

// attach adds the picture and the file.
func (p *payload) attach(m engine.Message) {
	add := func(f file, alt string) {
		p.Attachments = append(p.Attachments, attachment{
			ID: strconv.Itoa(len(p.files)), Filename: f.Name, Description: content.Plain(valid(alt)).Cut(maxAlt).String(),
		})
		p.files = append(p.files, f)
	}
	if m.Image != nil {
		add(file{"picture.png", "image/png", m.Image.PNG}, m.Image.Alt)
	}
	if m.File != nil {
		add(file{fileName(m.File.Name), "application/octet-stream", m.File.Data}, "")
	}
}

// fileName keeps a name from being read as a path or breaking the form.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("/\\\"", r) {
			return '_'
		}
		return r
	}, valid(s))
	if s == "" {
		return "file"
	}
	return s
}

// fit is the Markdown of t in at most n units: of as much of it as that takes.
func fit(t content.Text, n int) string {
	for room := n; room > 0; {
		s := markdown(t.Cut(room))
		over := units(s) - n
		if over <= 0 {
			return s
		}
		room = min(room, t.Len()) - over // a character less is at least a unit less
	}
	return ""
}

// split is the Markdown of t in pieces of at most n units, at least one.
func split(t content.Text, n int) []string {
	const least = 40 // content.Text makes no smaller pieces
	for room := n; ; {
		var pieces []string
		longest := 0
		for _, piece := range t.Split(room) {
			s := markdown(piece)
			longest = max(longest, units(s))
			if room <= least {
				s = fit(piece, n)
			}
			pieces = append(pieces, s)
		}
		switch {
		case len(pieces) == 0:
			return []string{""}
		case longest <= n || room <= least:
			return pieces
		}
		room = max(least, min(room-1, room*n/longest))
	}
}

// buttons lays a keyboard out within Discord's limits; what cannot be a button is
// left out. The first row is what is to be done here, so it stands out.
func buttons(rows [][]engine.Button) []discordgo.ActionsRow {
	var all []discordgo.ActionsRow
	seen := map[string]bool{}
	for n, row := range rows {
		style := discordgo.SecondaryButton
		if n == 0 {
			style = discordgo.PrimaryButton
		}
		var line discordgo.ActionsRow
		for _, b := range row {
			one, ok := button(b, style, seen)
			if !ok {
				continue
			}
			if line.Components = append(line.Components, one); len(line.Components) == maxRow {
				all, line = append(all, line), discordgo.ActionsRow{}
			}
		}
		if len(line.Components) > 0 {
			all = append(all, line)
		}
	}
	if len(all) > maxRows {
		all = tight(all)
	}
	if all == nil {
		all = []discordgo.ActionsRow{}
	}
	return all
}

// tight fills the rows up; what finds no place in them is left out.
func tight(rows []discordgo.ActionsRow) []discordgo.ActionsRow {
	out := make([]discordgo.ActionsRow, 1, maxRows)
	for _, row := range rows {
		for _, b := range row.Components {
			if len(out[len(out)-1].Components) == maxRow {
				if len(out) == maxRows {
					return out
				}
				out = append(out, discordgo.ActionsRow{})
			}
			last := &out[len(out)-1]
			last.Components = append(last.Components, b)
		}
	}
	return out
}

// button makes one button. Discord wants every address in a message to be
// another, so a twin gets a mark, which is taken off when it is pressed.
func button(b engine.Button, style discordgo.ButtonStyle, seen map[string]bool) (discordgo.Button, bool) {
	label := oneLine(b.Label, maxLabel)
	if label == "" {
		return discordgo.Button{}, false
	}
	if b.Action == "" {
		return discordgo.Button{Label: label, Style: discordgo.LinkButton, URL: b.URL}, webLink(b.URL)
	}
	id := b.Action
	for n := 2; seen[id]; n++ {
		id = b.Action + " " + twinMark + strconv.Itoa(n)
	}
	seen[id] = true
	return discordgo.Button{Label: label, Style: style, CustomID: id}, units(id) <= maxCustomID
}

// renderForm makes the modal that asks for a line of text.
func renderForm(p engine.Prompt) form {
	return form{
		CustomID: p.Action, Title: orEmpty(oneLine(p.Title, maxFormName)),
		Components: []discordgo.ActionsRow{{Components: []discordgo.MessageComponent{discordgo.TextInput{
			CustomID: lineInput, Label: orEmpty(oneLine(p.Label, maxFormName)), Style: discordgo.TextInputShort,
			Placeholder: oneLine(p.Hint, maxHint), Required: true,
		}}}},
	}
}

func orEmpty(s string) string {
	if s == "" {
		return hintEmpty
	}
	return s
}

// formDoor makes the message whose button opens the form, for when Discord does
// not allow to open it at once: after a deferral, or after another form.
func formDoor(p engine.Prompt) payload {
	text := content.Plain(p.Hint)
	for i := range text {
		text[i].Spans[0].Style = content.Mono
	}
	return renderOne(engine.Message{Title: p.Title, Text: text, Buttons: [][]engine.Button{{
		{Label: p.Label, Action: askPrefix + p.Action},
	}}})
}
