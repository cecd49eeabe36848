package bottest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (d *Discord) getGateway(*call) reply { return ok(map[string]any{"url": d.gatewayURL()}) }

func (d *Discord) getGatewayBot(*call) reply {
	return ok(map[string]any{
		"url": d.gatewayURL(), "shards": max(1, d.opts.Shards),
		"session_start_limit": map[string]any{
			"total": d.opts.MaxIdentifies, "remaining": max(0, d.opts.MaxIdentifies-d.gate.identifies), "reset_after": 86400000, "max_concurrency": max(1, d.opts.Concurrency),
		},
	})
}

// gatewayURL is where WebSocket connections go.
func (d *Discord) gatewayURL() string {
	return "ws" + strings.TrimPrefix(d.url, "http") + "/gateway"
}

func (d *Discord) getMe(*call) reply { return ok(d.wireUser(d.BotID)) }

func (d *Discord) getUser(c *call) reply {
	id := c.r.PathValue("user_id")
	if d.world.people[id] == nil {
		return denied(http.StatusNotFound, 10013, "Unknown User")
	}
	return ok(d.wireUser(id))
}

func (d *Discord) getApplication(*call) reply {
	return ok(map[string]any{
		"id": d.AppID, "name": "aiprep", "description": "", "icon": nil, "bot": d.wireUser(d.BotID), "flags": 0, "verify_key": d.PublicKey(),
		"bot_public": true, "bot_require_code_grant": false, "owner": map[string]any{"id": "1", "username": "owner", "discriminator": "0"},
		"approximate_guild_count": len(d.world.guilds),
	})
}

// openDM opens a private channel; Discord refuses later, when a message is sent.
func (d *Discord) openDM(c *call) reply {
	var in struct {
		Recipient string `json:"recipient_id"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	if p := d.world.people[in.Recipient]; p == nil || p.Bot {
		return denied(http.StatusBadRequest, 50033, "Invalid Recipient(s)")
	}
	return ok(d.wireChannel(d.dm(in.Recipient)))
}

// guild finds the server that a request names, if the bot is in it.
func (d *Discord) guild(c *call) (*guild, *reply) {
	g := d.world.guilds[c.r.PathValue("guild_id")]
	var out reply
	switch {
	case g == nil:
		out = denied(http.StatusNotFound, 10004, "Unknown Guild")
	case g.BotAbsent:
		out = denied(http.StatusForbidden, 50001, "Missing Access")
	case g.Outage:
		out = denied(http.StatusServiceUnavailable, 0, "503: Service Unavailable")
	default:
		return g, nil
	}
	return nil, &out
}

func (d *Discord) getGuild(c *call) reply {
	g, no := d.guild(c)
	if no != nil {
		return *no
	}
	return ok(d.wireGuild(g))
}

func (d *Discord) getGuildRoles(c *call) reply {
	g, no := d.guild(c)
	if no != nil {
		return *no
	}
	return ok(d.wireRoles(g))
}

func (d *Discord) getGuildChannels(c *call) reply {
	return d.listChannels(c, func(ch *Channel) bool { return !ch.isThread() }, func(list []any) any { return list })
}

func (d *Discord) getActiveThreads(c *call) reply {
	return d.listChannels(c, func(ch *Channel) bool { return ch.isThread() && !ch.Archived },
		func(list []any) any { return map[string]any{"threads": list, "members": []any{}} })
}

// listChannels lists a server's channels of one sort.
func (d *Discord) listChannels(c *call, want func(*Channel) bool, wrap func([]any) any) reply {
	g, no := d.guild(c)
	if no != nil {
		return *no
	}
	out := []any{}
	for _, id := range g.order {
		if ch := d.world.channels[id]; want(ch) {
			out = append(out, d.wireChannel(ch))
		}
	}
	return ok(wrap(out))
}

func (d *Discord) getMember(c *call) reply {
	g, no := d.guild(c)
	if no != nil {
		return *no
	}
	id := c.r.PathValue("user_id")
	m := g.members[id]
	switch {
	case d.world.people[id] == nil:
		return denied(http.StatusNotFound, 10013, "Unknown User")
	case m == nil:
		return denied(http.StatusNotFound, 10007, "Unknown Member")
	}
	return ok(d.wireMember(m))
}

func (d *Discord) getChannel(c *call) reply {
	ch, no := d.channel(c)
	if no != nil {
		return *no
	}
	return ok(d.wireChannel(ch))
}

// patchChannel changes a thread's name, archived and locked.
func (d *Discord) patchChannel(c *call) reply {
	var in struct {
		Name     *string `json:"name"`
		Archived *bool   `json:"archived"`
		Locked   *bool   `json:"locked"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	ch, no := d.channel(c)
	if no == nil && !ch.isThread() {
		no = d.lacks(ch, 1<<4) // MANAGE_CHANNELS
	}
	if no == nil && in.Locked != nil {
		no = d.lacks(ch, PermManageThreads)
	}
	if no != nil {
		return *no
	}
	if in.Name != nil {
		ch.Name = *in.Name
	}
	if in.Archived != nil {
		ch.Archived = *in.Archived
	}
	if in.Locked != nil {
		ch.Locked = *in.Locked
	}
	d.dispatchGuild(ch.GuildID, IntentGuilds, event(ch, "UPDATE"), d.wireChannel(ch))
	d.touch()
	return ok(d.wireChannel(ch))
}

func (d *Discord) typing(c *call) reply {
	ch, no := d.channel(c)
	if no == nil {
		no = d.maySend(ch)
	}
	if no != nil {
		return *no
	}
	return none()
}

// startThread makes a forum post: a thread with its first message.
func (d *Discord) startThread(c *call) reply {
	var in struct {
		Name string   `json:"name"`
		Tags []string `json:"applied_tags"`
		Body *rawBody `json:"message"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	ch, no := d.channel(c)
	if no != nil {
		return *no
	}
	if ch.Type != ForumChannel {
		return denied(http.StatusBadRequest, 50024, "Cannot execute action on this channel type")
	}
	var f form
	top := spot{f: &f}
	top.in("name").between(runes(in.Name), 1, 100)
	if in.Body == nil {
		top.in("message").fail("BASE_TYPE_REQUIRED", "This field is required")
		return c.invalid(&f)
	}
	if len(in.Tags) > 5 {
		top.in("applied_tags").fail("BASE_TYPE_MAX_LENGTH", "Must be 5 or fewer in length.")
	}
	for i, id := range in.Tags {
		if !slices.ContainsFunc(ch.Tags, func(t Tag) bool { return t.ID == id }) {
			top.in("applied_tags").in(i).fail("BASE_TYPE_CHOICES", "Unknown tag "+strconv.Quote(id)+".")
		}
	}
	m := d.merge(c, top.in("message"), Message{AuthorID: d.BotID}, in.Body.body, false)
	if f.bad() {
		return c.invalid(&f)
	}
	if no = d.lacks(ch, PermSendMessages); no == nil {
		no = d.mayCarry(ch, &m)
	}
	if no != nil {
		return *no
	}
	if ch.RequireTag && len(in.Tags) == 0 {
		return denied(http.StatusBadRequest, 40067, "A tag is required to create a forum post in this channel")
	}
	thread := d.addChannel(Channel{GuildID: ch.GuildID, ParentID: ch.ID, Name: in.Name, Type: PublicThread, AppliedTags: in.Tags})
	m.ID, m.ChannelID, m.At = thread.ID, thread.ID, d.now() // a post's first message has its thread's id
	d.enter(thread, &m)
	out := d.wireChannel(thread)
	out["message"] = d.wireMessage(&m)
	return reply{status: http.StatusCreated, body: out}
}

// rawBody is a body inside another that keeps which keys were said.
type rawBody struct{ *body }

// UnmarshalJSON implements json.Unmarshaler.
func (r *rawBody) UnmarshalJSON(data []byte) error {
	b, err := readMessage(data)
	r.body = b
	return err
}

func (d *Discord) getEntitlements(c *call) reply {
	q := c.r.URL.Query()
	skus := strings.FieldsFunc(q.Get("sku_ids"), func(r rune) bool { return r == ',' })
	out := []any{}
	for _, e := range d.world.entitlements {
		ended := !e.Ends.IsZero() && !d.now().Before(e.Ends)
		switch {
		case e.Deleted, ended && q.Get("exclude_ended") == "true":
		case q.Get("user_id") != "" && e.User != q.Get("user_id"):
		case q.Get("guild_id") != "" && e.Guild != q.Get("guild_id"):
		case len(skus) > 0 && !slices.Contains(skus, e.SKU):
		default:
			out = append(out, d.wireEntitlement(e))
		}
	}
	return ok(out)
}

// postEntitlement makes a test entitlement.
func (d *Discord) postEntitlement(c *call) reply {
	var in struct {
		SKU   string `json:"sku_id"`
		Owner string `json:"owner_id"`
		Type  int    `json:"owner_type"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	e := Entitlement{SKU: in.SKU, User: in.Owner}
	if in.Type == 1 {
		e.User, e.Guild = "", in.Owner
	}
	return ok(d.wireEntitlement(d.grant(e)))
}

func (d *Discord) deleteEntitlement(c *call) reply {
	if !d.revoke(c.r.PathValue("entitlement_id")) {
		return denied(http.StatusNotFound, 10074, "Unknown entitlement")
	}
	return none()
}

// consumeEntitlement uses up a consumable, so that it can be bought again.
func (d *Discord) consumeEntitlement(c *call) reply {
	for _, e := range d.world.entitlements {
		if e.ID == c.r.PathValue("entitlement_id") && !e.Deleted {
			e.Consumed = true
			d.touch()
			return none()
		}
	}
	return denied(http.StatusNotFound, 10074, "Unknown entitlement")
}

// serveAttachment is the CDN: the bytes of an uploaded file.
func (d *Discord) serveAttachment(w http.ResponseWriter, r *http.Request) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/")
	d.mu.Lock()
	var found *Attachment
	for _, m := range d.world.messages {
		if i := slices.IndexFunc(m.Attachments, func(a Attachment) bool { return a.ID == id }); i >= 0 && !m.Deleted {
			found = &m.Attachments[i]
		}
	}
	var out reply
	if found != nil {
		out = reply{status: http.StatusOK, body: found.Data, header: http.Header{"Content-Type": {found.ContentType}}}
	}
	d.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	write(w, out)
}
