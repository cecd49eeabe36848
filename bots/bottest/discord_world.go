package bottest

import (
	"fmt"
	"slices"
	"time"
)

// must returns what a test names, or panics: a wrong id is a mistake in the test.
func must[T any](m map[string]T, kind, id string) T {
	v, found := m[id]
	if !found {
		panic(fmt.Sprintf("bottest: there is no %s %q", kind, id))
	}
	return v
}

// AddPerson adds an account and returns its id; an empty ID gets a new one and an
// empty Locale "en-US".
func (d *Discord) AddPerson(p Person) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.ID == "" {
		p.ID = d.newID()
	}
	if p.Locale == "" {
		p.Locale = "en-US"
	}
	d.world.people[p.ID] = &p
	return p.ID
}

// ChangePerson changes an account.
func (d *Discord) ChangePerson(id string, change func(*Person)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(must(d.world.people, "person", id))
}

// AddGuild adds a server and, unless BotAbsent, lets the bot join it; it returns
// the server's id.
func (d *Discord) AddGuild(g Guild) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g.ID == "" {
		g.ID = d.newID()
	}
	if g.Locale == "" {
		g.Locale = "en-US"
	}
	x := &guild{Guild: g, members: map[string]*Member{}, roles: map[string]string{g.ID: "@everyone"}}
	d.world.guilds[g.ID] = x
	if !g.BotAbsent {
		x.members[d.BotID] = &Member{User: d.BotID, Joined: d.now()}
		d.dispatchGuild(g.ID, IntentGuilds, "GUILD_CREATE", d.wireGuildCreate(x))
	}
	return g.ID
}

// RemoveGuild kicks the bot out of a server; its data stay for ReturnToGuild.
func (d *Discord) RemoveGuild(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := must(d.world.guilds, "guild", id)
	g.BotAbsent = true
	delete(g.members, d.BotID)
	d.dispatchGuild(id, IntentGuilds, "GUILD_DELETE", map[string]any{"id": id})
}

// ReturnToGuild invites the bot back.
func (d *Discord) ReturnToGuild(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := must(d.world.guilds, "guild", id)
	g.BotAbsent = false
	g.members[d.BotID] = &Member{User: d.BotID, Joined: d.now()}
	d.dispatchGuild(id, IntentGuilds, "GUILD_CREATE", d.wireGuildCreate(g))
}

// SetOutage makes a server unavailable or available again.
func (d *Discord) SetOutage(id string, out bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := must(d.world.guilds, "guild", id)
	g.Outage = out
	if out {
		d.dispatchGuild(id, IntentGuilds, "GUILD_DELETE", map[string]any{"id": id, "unavailable": true})
	} else {
		d.dispatchGuild(id, IntentGuilds, "GUILD_CREATE", d.wireGuildCreate(g))
	}
}

// ExpectPing lets allowed_mentions list a role from now on.
func (d *Discord) ExpectPing(role string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opts.RolePings = append(d.opts.RolePings, role)
}

// AddRole adds a role to a server and returns its id.
func (d *Discord) AddRole(guildID, name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := d.newID()
	must(d.world.guilds, "guild", guildID).roles[id] = name
	return id
}

// AddMember lets a person join a server; Permissions of 0 becomes PermsMember.
func (d *Discord) AddMember(guildID string, m Member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	must(d.world.people, "person", m.User)
	if m.Permissions == 0 {
		m.Permissions = PermsMember
	}
	if m.Joined.IsZero() {
		m.Joined = d.now()
	}
	g := must(d.world.guilds, "guild", guildID)
	g.members[m.User] = &m
	wire := d.wireMember(&m)
	wire["guild_id"] = guildID
	d.dispatchGuild(guildID, IntentGuildMembers, "GUILD_MEMBER_ADD", wire)
}

// RemoveMember lets a person leave a server.
func (d *Discord) RemoveMember(guildID, userID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(must(d.world.guilds, "guild", guildID).members, userID)
	d.dispatchGuild(guildID, IntentGuildMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": guildID, "user": d.wireUser(userID)})
}

// AddChannel adds a channel or a thread to a server and returns its id.
func (d *Discord) AddChannel(guildID string, c Channel) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	must(d.world.guilds, "guild", guildID)
	c.GuildID = guildID
	return d.addChannel(c).ID
}

// addChannel enters a channel and tells the bot.
func (d *Discord) addChannel(c Channel) *Channel {
	if c.ID == "" {
		c.ID = d.newID()
	}
	for i := range c.Tags {
		if c.Tags[i].ID == "" {
			c.Tags[i].ID = d.newID()
		}
	}
	c.masked = c.BotPermissions != 0
	x := &c
	d.world.channels[c.ID] = x
	if g := d.world.guilds[c.GuildID]; g != nil {
		g.order = append(g.order, c.ID)
		d.dispatchGuild(c.GuildID, IntentGuilds, event(x, "CREATE"), d.wireChannel(x))
	}
	d.touch()
	return x
}

// event names the gateway event of a channel or thread.
func event(c *Channel, what string) string {
	if c.isThread() {
		return "THREAD_" + what
	}
	return "CHANNEL_" + what
}

// ChangeChannel changes a channel: archived, locked, name, tags and so on.
func (d *Discord) ChangeChannel(id string, change func(*Channel)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := must(d.world.channels, "channel", id)
	change(c)
	d.dispatchGuild(c.GuildID, IntentGuilds, event(c, "UPDATE"), d.wireChannel(c))
}

// SetBotPermissions sets what the bot may do in a channel, 0 included.
func (d *Discord) SetBotPermissions(channelID string, mask int64) {
	d.ChangeChannel(channelID, func(c *Channel) { c.BotPermissions, c.masked = mask, true })
}

// RemoveChannel deletes a channel with its messages.
func (d *Discord) RemoveChannel(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := must(d.world.channels, "channel", id)
	for _, m := range d.world.feed[id] {
		m.Deleted = true
	}
	delete(d.world.channels, id)
	delete(d.world.feed, id)
	if g := d.world.guilds[c.GuildID]; g != nil {
		g.order = slices.DeleteFunc(g.order, func(x string) bool { return x == id })
		d.dispatchGuild(c.GuildID, IntentGuilds, event(c, "DELETE"), d.wireChannel(c))
	}
	d.touch()
}

// DM returns the id of the bot's private channel with a person, opening it if need
// be.
func (d *Discord) DM(userID string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	must(d.world.people, "person", userID)
	return d.dm(userID).ID
}

// dm finds or opens a private channel.
func (d *Discord) dm(userID string) *Channel {
	for _, c := range d.world.channels {
		if c.Type == DMChannel && c.Recipient == userID {
			return c
		}
	}
	return d.addChannel(Channel{Type: DMChannel, Recipient: userID})
}

// Say lets a person write a message and returns its id.
func (d *Discord) Say(userID, channelID, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	must(d.world.people, "person", userID)
	c := must(d.world.channels, "channel", channelID)
	m := &Message{ID: d.newID(), ChannelID: channelID, AuthorID: userID, Content: text, At: d.now()}
	d.enter(c, m)
	return m.ID
}

// EraseMessage lets a moderator (or the author) delete a message.
func (d *Discord) EraseMessage(messageID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.erase(must(d.world.messages, "message", messageID))
}

// Entitlement is a purchase.
type Entitlement struct {
	ID       string
	SKU      string
	User     string
	Guild    string
	Type     int // 0 becomes 8, which an app's own SKU has
	Deleted  bool
	Consumed bool
	Starts   time.Time
	Ends     time.Time
}

// Grant records a purchase and tells the bot; it returns the entitlement's id.
func (d *Discord) Grant(e Entitlement) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.grant(e).ID
}

// grant enters an entitlement.
func (d *Discord) grant(e Entitlement) *Entitlement {
	e.ID = d.newID()
	if e.Type == 0 {
		e.Type = 8
	}
	d.world.entitlements = append(d.world.entitlements, &e)
	d.dispatchShard0("ENTITLEMENT_CREATE", d.wireEntitlement(&e))
	return &e
}

// Revoke takes a purchase back and tells the bot.
func (d *Discord) Revoke(entitlementID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revoke(entitlementID)
}

// revoke reports whether there was such an entitlement.
func (d *Discord) revoke(id string) bool {
	for _, e := range d.world.entitlements {
		if e.ID == id && !e.Deleted {
			e.Deleted = true
			d.dispatchShard0("ENTITLEMENT_DELETE", d.wireEntitlement(e))
			return true
		}
	}
	return false
}
