package bottest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// nonceMemory is how long a nonce is remembered. The documentation says "in the
// past few minutes" (resources, "Create Message"); this is the cautious reading.
const nonceMemory = 120 * time.Second

// mask is what the bot may do in a channel.
func (d *Discord) mask(c *Channel) int64 {
	switch {
	case c.masked:
		return c.BotPermissions
	case c.isThread():
		if parent := d.world.channels[c.ParentID]; parent != nil {
			return d.mask(parent)
		}
	}
	return PermsBot
}

// lacks answers 50013 when the bot has not all of the permissions.
func (d *Discord) lacks(c *Channel, need int64) *reply {
	if c.Type == DMChannel {
		return nil
	}
	have := d.mask(c)
	if have&PermAdministrator != 0 || have&need == need {
		return nil
	}
	out := denied(http.StatusForbidden, 50013, "Missing Permissions")
	return &out
}

// channel finds the channel that a request names, if the bot may see it.
func (d *Discord) channel(c *call) (*Channel, *reply) {
	ch := d.world.channels[c.r.PathValue("channel_id")]
	if ch == nil {
		out := denied(http.StatusNotFound, 10003, "Unknown Channel")
		return nil, &out
	}
	if g := d.world.guilds[ch.GuildID]; g != nil {
		if g.BotAbsent {
			out := denied(http.StatusForbidden, 50001, "Missing Access")
			return nil, &out
		}
		if g.Outage {
			out := denied(http.StatusServiceUnavailable, 0, "503: Service Unavailable")
			return nil, &out
		}
	}
	if d.lacks(ch, PermViewChannel) != nil {
		out := denied(http.StatusForbidden, 50001, "Missing Access")
		return nil, &out
	}
	return ch, nil
}

// message finds the channel and message that a request names.
func (d *Discord) message(c *call) (*Channel, *Message, *reply) {
	ch, no := d.channel(c)
	if no != nil {
		return nil, nil, no
	}
	m := d.world.messages[c.r.PathValue("message_id")]
	if m == nil || m.Deleted || m.ChannelID != ch.ID || m.Ephemeral() {
		out := denied(http.StatusNotFound, 10008, "Unknown Message")
		return nil, nil, &out
	}
	return ch, m, nil
}

// maySend says why the bot cannot write into a channel.
func (d *Discord) maySend(ch *Channel) *reply {
	var out reply
	switch {
	case ch.Type == ForumChannel:
		message := "Cannot send messages in a non-text channel"
		if d.opts.ForumCode == 40058 {
			message = "Cannot send a message in a forum channel"
		}
		out = denied(http.StatusBadRequest, d.opts.ForumCode, message)
	case ch.Type == CategoryChannel:
		out = denied(http.StatusBadRequest, 50008, "Cannot send messages in a non-text channel")
	case ch.Type == DMChannel && d.world.people[ch.Recipient].RefusesDMs:
		out = denied(http.StatusForbidden, 50007, "Cannot send messages to this user")
	case ch.isThread() && ch.Archived && ch.Locked:
		out = denied(http.StatusBadRequest, 50083, "Thread is archived")
	case ch.isThread():
		return d.lacks(ch, PermSendInThreads)
	default:
		return d.lacks(ch, PermSendMessages)
	}
	return &out
}

// mayCarry says why the bot cannot send what a message carries.
func (d *Discord) mayCarry(ch *Channel, m *Message) *reply {
	if m.empty() {
		out := denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
		return &out
	}
	var need int64
	if len(m.Embeds) > 0 {
		need |= PermEmbedLinks
	}
	if len(m.Attachments) > 0 {
		need |= PermAttachFiles
	}
	return d.lacks(ch, need)
}

func (d *Discord) postMessage(c *call) reply {
	b, err := readMessage(c.body)
	if err != nil {
		return c.unreadable(err)
	}
	var f form
	m := d.merge(c, spot{f: &f}, Message{ChannelID: c.r.PathValue("channel_id"), AuthorID: d.BotID, Nonce: b.nonce()}, b, false)
	if f.bad() {
		return c.invalid(&f)
	}
	ch, no := d.channel(c)
	if no == nil {
		no = d.maySend(ch)
	}
	if no == nil {
		no = d.mayCarry(ch, &m)
	}
	if no != nil {
		return *no
	}
	if b.Enforce && m.Nonce != "" {
		if first := d.world.nonces[m.Nonce]; first != nil && d.now().Sub(first.At) <= nonceMemory {
			// Deleted or not: what was made the first time comes back, and nothing new
			// is made.
			return ok(d.wireMessage(first))
		}
	}
	ch.Archived = false // a message wakes an archived thread
	m.ID, m.At = d.newID(), d.now()
	if m.Nonce != "" {
		d.world.nonces[m.Nonce] = &m
	}
	d.enter(ch, &m)
	return ok(d.wireMessage(&m))
}

// enter puts a message into its channel's history and tells the bot.
func (d *Discord) enter(ch *Channel, m *Message) {
	d.world.messages[m.ID] = m
	d.world.feed[ch.ID] = append(d.world.feed[ch.ID], m)
	if !m.Ephemeral() {
		d.dispatchMessage(ch, "MESSAGE_CREATE", m)
	}
	d.touch()
}

// replace puts a changed message in the place of the old.
func (d *Discord) replace(old *Message, m Message) {
	m.EditedAt = d.now()
	m.Edits++
	*old = m
	if ch := d.world.channels[m.ChannelID]; ch != nil && !m.Ephemeral() {
		d.dispatchMessage(ch, "MESSAGE_UPDATE", old)
	}
	d.touch()
}

// erase deletes a message.
func (d *Discord) erase(m *Message) {
	m.Deleted = true
	if ch := d.world.channels[m.ChannelID]; ch != nil && !m.Ephemeral() {
		d.dispatchDeletion(ch, m)
	}
	d.touch()
}

// unreadable answers a body whose types are wrong.
func (c *call) unreadable(err error) reply {
	var f form
	f.add(nil, "BASE_TYPE_BAD", err.Error())
	return c.invalid(&f)
}

func (d *Discord) patchMessage(c *call) reply {
	b, err := readMessage(c.body)
	if err != nil {
		return c.unreadable(err)
	}
	ch, old, no := d.message(c)
	var f form
	base := Message{ChannelID: c.r.PathValue("channel_id")}
	if old != nil {
		base = *old
	}
	m := d.merge(c, spot{f: &f}, base, b, true)
	if f.bad() {
		return c.invalid(&f)
	}
	if no != nil {
		return *no
	}
	if old.AuthorID != d.BotID {
		return denied(http.StatusForbidden, 50005, "Cannot edit a message authored by another user")
	}
	if ch.isThread() && ch.Archived {
		return denied(http.StatusBadRequest, 50083, "Thread is archived")
	}
	if m.empty() {
		return denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
	}
	d.replace(old, m)
	return ok(d.wireMessage(old))
}

func (d *Discord) deleteMessage(c *call) reply {
	ch, m, no := d.message(c)
	if no != nil {
		return *no
	}
	if ch.isThread() && ch.Archived {
		return denied(http.StatusBadRequest, 50083, "Thread is archived")
	}
	if m.AuthorID != d.BotID {
		if no := d.lacks(ch, PermManageMessages); no != nil {
			return *no
		}
	}
	d.erase(m)
	return none()
}

func (d *Discord) getMessage(c *call) reply {
	ch, m, no := d.message(c)
	if no != nil {
		return *no
	}
	if no := d.lacks(ch, PermReadHistory); no != nil {
		return *no
	}
	return ok(d.wireMessage(m))
}

// getMessages lists newest first. Without the right to read history the list is
// empty, and that is no error (resources, "Get Channel Messages").
func (d *Discord) getMessages(c *call) reply {
	ch, no := d.channel(c)
	if no != nil {
		return *no
	}
	q := c.r.URL.Query()
	limit := 50
	if s := q.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 100 {
			var f form
			f.add([]string{"limit"}, "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
			return c.invalid(&f)
		}
		limit = n
	}
	if d.lacks(ch, PermReadHistory) != nil {
		return ok([]any{})
	}
	var list []*Message
	for _, m := range d.world.feed[ch.ID] {
		if !m.Deleted && !m.Ephemeral() {
			list = append(list, m)
		}
	}
	out := []any{}
	for _, m := range page(list, limit, q.Get("before"), q.Get("after"), q.Get("around")) {
		out = append(out, d.wireMessage(m))
	}
	return ok(out)
}

// page cuts limit messages, newest first, out of a list that is oldest first.
func page(list []*Message, limit int, before, after, around string) []*Message {
	num := func(s string) uint64 { n, _ := strconv.ParseUint(s, 10, 64); return n }
	first := func(id string) int { // the first message not older than id
		return slices.IndexFunc(append(slices.Clone(list), &Message{ID: "18446744073709551615"}), func(m *Message) bool { return num(m.ID) >= num(id) })
	}
	from, to := max(0, len(list)-limit), len(list)
	switch {
	case before != "":
		to = first(before)
		from = max(0, to-limit)
	case after != "":
		from = first(strconv.FormatUint(num(after)+1, 10))
		to = min(len(list), from+limit)
	case around != "":
		from = max(0, first(around)-limit/2)
		to = min(len(list), from+limit)
	}
	out := slices.Clone(list[from:to])
	slices.Reverse(out)
	return out
}

func (d *Discord) crosspost(c *call) reply {
	ch, m, no := d.message(c)
	switch {
	case no != nil:
		return *no
	case ch.Type != AnnouncementChannel:
		return denied(http.StatusBadRequest, 50024, "Cannot execute action on this channel type")
	case m.Flags&FlagCrossposted != 0:
		return denied(http.StatusBadRequest, 40033, "This message has already been crossposted")
	}
	m.Flags |= FlagCrossposted
	d.touch()
	return ok(d.wireMessage(m))
}
