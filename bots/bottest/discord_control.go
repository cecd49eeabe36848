package bottest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrOffline says that no client is connected and none can resume.
var ErrOffline = errors.New("the bot is offline")

// Reconnect asks every client to reconnect (opcode 7).
func (d *Discord) Reconnect() { d.toAll(Action{Do: AskReconnect}) }

// InvalidSession ends every session (opcode 9), or with resumable only says that
// the connection should be resumed.
func (d *Discord) InvalidSession(resumable bool) {
	d.toAll(Action{Do: Invalidate, Resumable: resumable})
}

// CloseAll closes every gateway connection with a code; 0 cuts them without one.
func (d *Discord) CloseAll(code int) { d.toAll(Action{Do: CloseWith, Code: code}) }

// SendText sends every client a text frame as it is, for example broken JSON.
func (d *Discord) SendText(text string) { d.toAll(Action{Do: SendText, Text: text}) }

// toAll performs an action on every connection.
func (d *Discord) toAll(a Action) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.gate.conns {
		d.perform(c, a)
	}
}

// Silence makes the gateway send nothing at all, heartbeat ACKs and Hello
// included, or talk again; events in between come only to clients that resume.
func (d *Discord) Silence(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate.silent = on
}

// SendRaw dispatches an event with any data to every session, whatever its
// intents; data need not fit the event, but must be JSON.
func (d *Discord) SendRaw(name string, data json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.gate.sessions {
		d.event(s, name, data)
	}
}

// Connected counts the clients that have identified or resumed and are connected.
func (d *Discord) Connected() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.connected()
}

func (d *Discord) connected() int {
	n := 0
	for _, s := range d.gate.sessions {
		if s.conn != nil {
			n++
		}
	}
	return n
}

// WaitConnected waits until n clients are connected.
func (d *Discord) WaitConnected(ctx context.Context, n int) error {
	return d.await(ctx, func() bool { return d.connected() == n })
}

// GatewayCounts says how often a client connected, identified and resumed.
func (d *Discord) GatewayCounts() (connects, identifies, resumes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gate.connects, d.gate.identifies, d.gate.resumes
}

// Intents returns the intents of the newest session, or 0.
func (d *Discord) Intents() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.gate.sessions); n > 0 {
		return d.gate.sessions[n-1].intents
	}
	return 0
}

// Visible lists what a person sees in a channel, oldest first: its messages and
// the ephemeral ones meant for that person.
func (d *Discord) Visible(channelID, userID string) []Message {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.visible(channelID, userID)
}

func (d *Discord) visible(channelID, userID string) []Message {
	ch := must(d.world.channels, "channel", channelID)
	if d.sees(ch, userID) != nil {
		return nil
	}
	var out []Message
	for _, m := range d.world.feed[channelID] {
		if !m.Deleted && (!m.Ephemeral() || m.For == userID) {
			out = append(out, m.copy())
		}
	}
	return out
}

// sees says why a person does not see a channel.
func (d *Discord) sees(ch *Channel, userID string) error {
	switch g := d.world.guilds[ch.GuildID]; {
	case ch.Type == DMChannel && ch.Recipient != userID:
		return fmt.Errorf("person %s is not in this private chat", userID)
	case g != nil && g.members[userID] == nil:
		return fmt.Errorf("person %s is not a member of guild %s", userID, g.ID)
	}
	return nil
}

// copy returns the message with its own lists.
func (m *Message) copy() Message {
	out := *m
	out.Embeds = append([]Embed(nil), m.Embeds...)
	out.Components = append([]Component(nil), m.Components...)
	out.Attachments = append([]Attachment(nil), m.Attachments...)
	out.Pings = append([]string(nil), m.Pings...)
	return out
}

// Message returns a message as it is now, deleted ones and ephemeral ones too.
func (d *Discord) Message(id string) (Message, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.world.messages[id]
	if m == nil {
		return Message{}, false
	}
	return m.copy(), true
}

// WaitVisible waits until what a person sees in a channel satisfies a condition
// and returns it.
func (d *Discord) WaitVisible(ctx context.Context, channelID, userID string, done func([]Message) bool) ([]Message, error) {
	var list []Message
	err := d.await(ctx, func() bool {
		list = d.visible(channelID, userID)
		return done(list)
	})
	return list, err
}

// WaitRequests waits until n requests that match a pattern, as in Fault.Match, have
// been served (or dropped) since the last ForgetRequests.
func (d *Discord) WaitRequests(ctx context.Context, match string, n int) error {
	return d.await(ctx, func() bool {
		seen := 0
		for _, r := range d.rec.Requests() {
			path, _, _ := strings.Cut(r.Path, "?")
			if match == "" || glob(match, r.Method+" "+path) {
				seen++
			}
		}
		return seen >= n
	})
}

// Channels lists a guild's channels and threads in the order of their making.
func (d *Discord) Channels(guildID string) []Channel {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Channel
	for _, id := range must(d.world.guilds, "guild", guildID).order {
		out = append(out, *d.world.channels[id])
	}
	return out
}

// WaitCommands waits until a command of this name is registered for a guild, or
// globally with "".
func (d *Discord) WaitCommands(ctx context.Context, guildID, name string) error {
	return d.await(ctx, func() bool {
		for _, c := range d.world.commands[guildID] {
			if c.Name == name {
				return true
			}
		}
		return false
	})
}
