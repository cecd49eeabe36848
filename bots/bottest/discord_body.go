package bottest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// body is what a request says about a message. Keys that were absent leave the
// message alone; null empties.
type body struct {
	Content     string          `json:"content"`
	Embeds      []Embed         `json:"embeds"`
	Components  []Component     `json:"components"`
	Mentions    *mentions       `json:"allowed_mentions"`
	Flags       int             `json:"flags"`
	Attachments []Attachment    `json:"attachments"`
	Nonce       json.RawMessage `json:"nonce"`
	Enforce     bool            `json:"enforce_nonce"`
	Poll        json.RawMessage `json:"poll"`
	Stickers    []string        `json:"sticker_ids"`

	has map[string]json.RawMessage
}

// mentions is allowed_mentions.
type mentions struct {
	Parse []string `json:"parse"`
	Users []string `json:"users"`
	Roles []string `json:"roles"`
}

// readMessage decodes a message's part of a body.
func readMessage(data []byte) (*body, error) {
	b := &body{}
	if len(data) == 0 || bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return b, nil
	}
	if err := json.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	if err := json.Unmarshal(data, &b.has); err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	return b, nil
}

// nonce is the nonce as text; a number counts by its digits.
func (b *body) nonce() string {
	var s string
	if json.Unmarshal(b.Nonce, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(b.Nonce))
}

// merge returns m as it would be after the request, and notes in the form what
// Discord would not take.
func (d *Discord) merge(c *call, a spot, m Message, b *body, editing bool) Message {
	if _, said := b.has["content"]; said {
		m.Content = strings.TrimSpace(b.Content)
	}
	if _, said := b.has["embeds"]; said {
		m.Embeds = b.Embeds
	}
	if _, said := b.has["components"]; said {
		m.Components = b.Components
	}
	if _, said := b.has["poll"]; said && !editing {
		m.Poll = b.Poll
	}
	if _, said := b.has["flags"]; said {
		// The flag cannot be taken off a message again.
		m.Flags |= b.Flags & FlagComponentsV2
	}
	a.in("nonce").most(runes(b.nonce()), 25)
	m.Attachments = d.files(c, a, m.Attachments, b)
	d.checkMentions(c, a, b)
	checkMessage(a, &m)
	d.checkPictures(c, &m)
	m.Pings = pings(&m, b.Mentions)
	return m
}

// checkMentions applies Discord's rule that a kind is parsed or listed but not
// both, and the house rule that nothing is parsed.
func (d *Discord) checkMentions(c *call, a spot, b *body) {
	if b.Mentions != nil {
		for kind, list := range map[string][]string{"users": b.Mentions.Users, "roles": b.Mentions.Roles} {
			if len(list) > 0 && slices.Contains(b.Mentions.Parse, kind) {
				a.in("allowed_mentions").fail("MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", fmt.Sprintf("parse:[%q] and %s: [ids...] are mutually exclusive.", kind, kind))
			}
		}
	}
	if d.opts.MentionsUnchecked {
		return
	}
	complain := func(s string) { c.problem = append(c.problem, "house rule: "+s) }
	switch m := b.Mentions; {
	case m == nil:
		complain("allowed_mentions is missing")
	case m.Parse == nil:
		complain("allowed_mentions has no parse list")
	case len(m.Parse) > 0:
		complain(fmt.Sprintf("allowed_mentions parses %v", m.Parse))
	case len(m.Users) > 0:
		complain(fmt.Sprintf("allowed_mentions lists users %v", m.Users))
	default:
		for _, role := range m.Roles {
			if !slices.Contains(d.opts.RolePings, role) {
				complain("allowed_mentions lists role " + role + ", which nobody asked for")
			}
		}
	}
}

// files returns the attachments after a request: those kept, then the uploaded.
func (d *Discord) files(c *call, a spot, old []Attachment, b *body) []Attachment {
	var out []Attachment
	_, said := b.has["attachments"]
	if !said {
		out = append(out, old...)
	}
	note := map[string]Attachment{}
	for i, x := range b.Attachments {
		if k := slices.IndexFunc(old, func(o Attachment) bool { return o.ID == x.ID }); k >= 0 {
			out = append(out, old[k])
		} else if !slices.ContainsFunc(c.files, func(u upload) bool { return u.index == x.ID }) {
			a.in("attachments").in(i).in("id").fail("ATTACHMENT_NOT_FOUND", "No file files["+x.ID+"] was uploaded.")
		}
		note[x.ID] = x
	}
	for _, u := range c.files {
		n := note[u.index]
		name := u.name
		if n.Filename != "" {
			name = n.Filename
		}
		x := Attachment{ID: d.newID(), Filename: name, Description: n.Description, ContentType: u.contentType, Size: len(u.data), Data: u.data}
		x.URL = d.url + "/attachments/" + x.ID + "/" + x.Filename
		out = append(out, x)
	}
	if len(out) > 10 {
		a.in("attachments").fail("BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	return out
}

// checkPictures complains of attachment:// links to files the message lacks:
// Discord shows an empty frame and says nothing.
func (d *Discord) checkPictures(c *call, m *Message) {
	check := func(x *Media) {
		if x == nil {
			return
		}
		name, local := strings.CutPrefix(x.URL, "attachment://")
		if local && !slices.ContainsFunc(m.Attachments, func(a Attachment) bool { return a.Filename == name }) {
			c.problem = append(c.problem, "no attachment is called "+strconv.Quote(name))
		}
	}
	for _, e := range m.Embeds {
		check(e.Image)
		check(e.Thumbnail)
	}
	walk(m.Components, func(x *Component) {
		check(x.Media)
		check(x.File)
		for i := range x.Items {
			check(&x.Items[i].Media)
		}
	})
}

// empty reports whether nothing of the message could be shown.
func (m *Message) empty() bool {
	return m.Content == "" && len(m.Embeds) == 0 && len(m.Components) == 0 && len(m.Attachments) == 0 && m.Poll == nil
}

// pings lists whom the text notifies: content and text displays resolve mentions,
// embeds never do. Permissions are not looked at, so that a forgotten
// allowed_mentions shows even where the bot could not ping.
func pings(m *Message, allow *mentions) []string {
	text := m.Content
	walk(m.Components, func(c *Component) { text += "\n" + c.Content })
	may := func(kind, id string) bool {
		if allow == nil || slices.Contains(allow.Parse, kind) {
			return true
		}
		return slices.Contains(allow.Users, id) && kind == "users" || slices.Contains(allow.Roles, id) && kind == "roles"
	}
	var out []string
	for _, word := range []string{"everyone", "here"} {
		if strings.Contains(text, "@"+word) && may("everyone", "") {
			out = append(out, word)
		}
	}
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "<@")
		if !found {
			return out
		}
		rest = after
		id, _, closed := strings.Cut(after, ">")
		kind := "users"
		if role, isRole := strings.CutPrefix(id, "&"); isRole {
			kind, id = "roles", role
		}
		id = strings.TrimPrefix(id, "!")
		if _, err := strconv.ParseUint(id, 10, 64); closed && err == nil && may(kind, id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
}
