package bottest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// ActionKind is what the gateway does where it would go on normally.
type ActionKind int

// What a gateway hook may ask for.
const (
	// Proceed goes on as if there were no hook.
	Proceed ActionKind = iota
	// CloseWith closes the connection with Action.Code; 0 cuts it without a word.
	CloseWith
	// Invalidate sends opcode 9; Action.Resumable is its d.
	Invalidate
	// AskReconnect sends opcode 7.
	AskReconnect
	// StaySilent sends nothing and keeps the connection open.
	StaySilent
	// ReadyTwice answers an Identify with READY two times.
	ReadyTwice
	// SendText sends Action.Text as it is, instead of the answer.
	SendText
)

// Action is a gateway hook's decision.
type Action struct {
	Do        ActionKind
	Code      int
	Resumable bool
	Text      string
}

// OnConnect decides what happens to the nth connection (from 1) before Hello.
func (d *Discord) OnConnect(hook func(c *Conn, n int) Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate.onConnect = hook
}

// OnIdentify decides what happens to the nth Identify (from 1); c.Identify is set.
func (d *Discord) OnIdentify(hook func(c *Conn, n int) Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate.onIdentify = hook
}

// OnResume decides what happens to the nth Resume (from 1).
func (d *Discord) OnResume(hook func(c *Conn, n int) Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate.onResume = hook
}

// perform carries out an action other than Proceed and ReadyTwice.
func (d *Discord) perform(c *Conn, a Action) {
	switch a.Do {
	case CloseWith:
		c.close(a.Code)
	case Invalidate:
		if !a.Resumable {
			d.forget(c.session)
		} else if c.session != nil {
			c.session.conn = nil
		}
		c.session = nil // the client may identify anew, here or elsewhere
		c.op(opInvalidSession, a.Resumable)
	case AskReconnect:
		c.op(opReconnect, nil)
	case SendText:
		c.push(func() error { return c.ws.WriteMessage(1, []byte(a.Text)) })
	}
}

// knownIntents are all bits that Discord defines.
const knownIntents = 1<<26 - 1

// privilegedIntents need the portal's leave: members, presences, message content.
const privilegedIntents = IntentGuildMembers | IntentGuildPresences | IntentMessageContent

// identify starts a session.
func (d *Discord) identify(c *Conn, data json.RawMessage) {
	var in Identify
	bad := json.Unmarshal(data, &in) != nil
	d.mu.Lock()
	again := c.session != nil
	c.Identify = in
	d.gate.identifies++
	n, hook := d.gate.identifies, d.gate.onIdentify
	if n > d.opts.MaxIdentifies {
		d.gate.tokenReset = true // as Discord does, with a mail to the owner
		d.rec.AddProblem("gateway: more than " + strconv.Itoa(d.opts.MaxIdentifies) + " identifies")
	}
	d.mu.Unlock()
	act := Action{}
	if hook != nil {
		act = hook(c, n)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.touch()
	if code := d.refusal(in, bad, again); code != 0 {
		d.forget(c.session)
		c.close(code)
		return
	}
	if act.Do != Proceed && act.Do != ReadyTwice {
		d.perform(c, act)
		return
	}
	s := &session{id: d.newID(), intents: in.Intents, shard: [2]int{0, 1}, conn: c}
	if in.Shard != nil {
		s.shard = *in.Shard
	}
	c.session = s
	d.gate.sessions = slices.DeleteFunc(d.gate.sessions, func(old *session) bool { return old.conn == nil && old.shard == s.shard })
	d.gate.sessions = append(d.gate.sessions, s)
	d.ready(s)
	if act.Do == ReadyTwice {
		d.ready(s)
	}
}

// refusal is the close code for an Identify that cannot be taken, or 0.
func (d *Discord) refusal(in Identify, bad, again bool) int {
	switch {
	case bad:
		return 4002
	case again:
		return 4005
	case in.Token != "Bot "+d.Token && in.Token != d.Token, d.gate.tokenReset:
		return 4004
	case in.Shard != nil && (in.Shard[1] < 1 || in.Shard[0] < 0 || in.Shard[0] >= in.Shard[1]):
		return 4010
	case in.Intents&^knownIntents != 0:
		return 4013
	case in.Intents&privilegedIntents&^d.opts.Privileged != 0:
		return 4014
	}
	return 0
}

// ready sends READY and the guilds that come after it.
func (d *Discord) ready(s *session) {
	guilds := []any{}
	var mine []*guild
	for _, id := range slices.Sorted(maps.Keys(d.world.guilds)) {
		if g := d.world.guilds[id]; !g.BotAbsent && s.has(id) {
			mine = append(mine, g)
			guilds = append(guilds, map[string]any{"id": g.ID, "unavailable": true})
		}
	}
	d.event(s, "READY", map[string]any{
		"v": 10, "user": d.wireUser(d.BotID), "session_type": "normal", "private_channels": []any{}, "guilds": guilds,
		"session_id": s.id, "resume_gateway_url": d.gatewayURL(), "shard": s.shard, "application": map[string]any{"id": d.AppID, "flags": 0},
	})
	if s.intents&IntentGuilds != 0 {
		for _, g := range mine {
			d.event(s, "GUILD_CREATE", d.wireGuildCreate(g))
		}
	}
}

// resume continues a session and replays what its client missed.
func (d *Discord) resume(c *Conn, data json.RawMessage) {
	var in struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	bad := json.Unmarshal(data, &in) != nil
	d.mu.Lock()
	d.gate.resumes++
	n, hook := d.gate.resumes, d.gate.onResume
	d.mu.Unlock()
	act := Action{}
	if hook != nil {
		act = hook(c, n)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.touch()
	var s *session
	for _, x := range d.gate.sessions {
		if x.id == in.Session {
			s = x
		}
	}
	switch {
	case bad:
		c.close(4002)
	case in.Token != "Bot "+d.Token && in.Token != d.Token:
		c.close(4004)
	case act.Do != Proceed:
		d.perform(c, act)
	case s == nil:
		c.op(opInvalidSession, false)
	case in.Seq > s.seq:
		d.forget(s)
		c.close(4007)
	default:
		s.conn, c.session = c, s
		for _, f := range s.sent {
			if *f.Seq > in.Seq {
				c.send(f)
			}
		}
		d.event(s, "RESUMED", map[string]any{"_trace": []string{}})
	}
}

// event sends one dispatch to a session, or keeps it until the client resumes.
func (d *Discord) event(s *session, name string, data any) {
	s.seq++
	seq := s.seq
	f := frame{Op: opDispatch, Data: raw(data), Seq: &seq, Type: &name}
	s.sent = append(s.sent, f)
	if s.conn != nil && !d.gate.silent {
		s.conn.send(f)
	}
}

// has reports whether a guild's events belong to the session's shard; direct
// messages ("") go to shard 0 (events, "Sharding").
func (s *session) has(guildID string) bool {
	if guildID == "" {
		return s.shard[0] == 0
	}
	id, _ := strconv.ParseUint(guildID, 10, 64)
	return int(id>>22%uint64(s.shard[1])) == s.shard[0]
}

// dispatchGuild sends an event of a guild ("" for none) to the sessions that asked
// for one of the intents; intents of 0 are those of no event: everybody gets it.
// It reports whether a session took it.
func (d *Discord) dispatchGuild(guildID string, intents int, name string, data any) bool {
	taken := false
	for _, s := range d.gate.sessions {
		if s.has(guildID) && (intents == 0 || s.intents&intents != 0) {
			d.event(s, name, data)
			taken = true
		}
	}
	return taken
}

// dispatchShard0 sends an event that no intent governs to shard 0.
func (d *Discord) dispatchShard0(name string, data any) { d.dispatchGuild("", 0, name, data) }

// messageIntent is the intent that governs a channel's messages.
func messageIntent(ch *Channel) int {
	if ch.Type == DMChannel {
		return IntentDirectMessages
	}
	return IntentGuildMessages
}

// dispatchMessage tells of a message. What others write in a guild comes without
// its words to a client that has not the intent for them.
func (d *Discord) dispatchMessage(ch *Channel, name string, m *Message) {
	for _, s := range d.gate.sessions {
		if !s.has(ch.GuildID) || s.intents&messageIntent(ch) == 0 {
			continue
		}
		wire := d.wireMessage(m)
		if ch.GuildID != "" {
			wire["guild_id"] = ch.GuildID
			if m.AuthorID != d.BotID && s.intents&IntentMessageContent == 0 {
				wire["content"], wire["embeds"], wire["attachments"], wire["components"] = "", []any{}, []any{}, []any{}
			}
		}
		d.event(s, name, wire)
	}
}

// dispatchDeletion tells that a message is gone.
func (d *Discord) dispatchDeletion(ch *Channel, m *Message) {
	data := map[string]any{"id": m.ID, "channel_id": ch.ID}
	if ch.GuildID != "" {
		data["guild_id"] = ch.GuildID
	}
	d.dispatchGuild(ch.GuildID, messageIntent(ch), "MESSAGE_DELETE", data)
}
