package bottest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Interaction is something a person did, and what has come of it.
type Interaction struct {
	ID, Token            string
	User, Channel, Guild string

	d         *Discord
	kind      int
	at        time.Time
	owners    map[string]string // authorizing_integration_owners
	source    *Message          // the message pressed, also behind a modal
	callback  int               // type of the first response, 0 before it
	deferred  bool              // a deferred update has not been followed up
	original  *Message
	followUps []*Message
	modal     *Modal
	choices   []Choice
	first     chan struct{} // closed by the first response
}

// Acknowledged is closed when the first response has come.
func (it *Interaction) Acknowledged() <-chan struct{} { return it.first }

// Response is what has come of an interaction so far.
type Response struct {
	// Type is the callback's type (4 message, 5 deferred message, 6 deferred
	// update, 7 update, 8 autocomplete, 9 modal), 0 before it came.
	Type int `json:"type"`
	// Deferred is true while the person still waits for the words.
	Deferred bool `json:"deferred"`
	// Ephemeral says that only this person sees the answer.
	Ephemeral bool `json:"ephemeral"`
	// Message is the answer as it is now, with Edits counted; after types 6 and 7
	// the message that was pressed. It is nil for modals and autocomplete.
	Message   *Message  `json:"message,omitempty"`
	FollowUps []Message `json:"follow_ups,omitempty"`
	Modal     *Modal    `json:"modal,omitempty"`
	Choices   []Choice  `json:"choices,omitempty"`
}

// Response returns what has come so far without waiting.
func (it *Interaction) Response() Response {
	it.d.mu.Lock()
	defer it.d.mu.Unlock()
	return it.response()
}

func (it *Interaction) response() Response {
	r := Response{Type: it.callback, Modal: it.modal, Choices: it.choices}
	if it.original != nil {
		m := it.original.copy()
		r.Message = &m
		r.Ephemeral = m.Ephemeral()
		r.Deferred = m.Loading() || it.deferred
	}
	for _, m := range it.followUps {
		r.FollowUps = append(r.FollowUps, m.copy())
	}
	return r
}

// Wait waits for the first response, deferrals included.
func (it *Interaction) Wait(ctx context.Context) (Response, error) {
	return it.WaitFor(ctx, func(r Response) bool { return r.Type != 0 })
}

// WaitShown waits until there is something to see: a response that is not, or no
// longer, a deferral.
func (it *Interaction) WaitShown(ctx context.Context) (Response, error) {
	return it.WaitFor(ctx, func(r Response) bool { return r.Type != 0 && !r.Deferred })
}

// WaitFor waits until the response satisfies a condition.
func (it *Interaction) WaitFor(ctx context.Context, done func(Response) bool) (Response, error) {
	var r Response
	err := it.d.await(ctx, func() bool {
		r = it.response()
		return done(r)
	})
	return r, err
}

// Click lets a person press a button. It fails unless the person sees the message
// and the message carries that button, enabled.
func (d *Discord) Click(userID, messageID, customID string) (*Interaction, error) {
	return d.press(userID, messageID, customID, nil)
}

// Select lets a person choose from a select menu.
func (d *Discord) Select(userID, messageID, customID string, values ...string) (*Interaction, error) {
	return d.press(userID, messageID, customID, append([]string{}, values...))
}

// press sends a component interaction; values is nil for a button.
func (d *Discord) press(userID, messageID, customID string, values []string) (*Interaction, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.world.messages[messageID]
	if m == nil || m.Deleted || (m.Ephemeral() && m.For != userID) {
		return nil, fmt.Errorf("press %q: person %s sees no message %q", customID, userID, messageID)
	}
	var found *Component
	for _, c := range m.Pressable() {
		if c.CustomID == customID && customID != "" {
			found = &c
			break
		}
	}
	switch {
	case found == nil:
		return nil, fmt.Errorf("press %q: message %s carries no such component", customID, messageID)
	case found.Disabled:
		return nil, fmt.Errorf("press %q: the component is disabled", customID)
	case (values == nil) != (found.Type == compButton):
		return nil, fmt.Errorf("press %q: component type %d is not worked like this", customID, found.Type)
	}
	data := map[string]any{"custom_id": customID, "component_type": found.Type, "id": found.ID}
	if values != nil {
		if err := selectable(found, values); err != nil {
			return nil, fmt.Errorf("press %q: %w", customID, err)
		}
		data["values"] = values
	}
	it, payload, err := d.interaction(userID, m.ChannelID, kindComponent)
	if err != nil {
		return nil, fmt.Errorf("press %q: %w", customID, err)
	}
	it.source = m
	payload["data"], payload["message"] = data, d.wireMessage(m)
	return it, d.deliver(it, payload)
}

// selectable says why values cannot be chosen.
func selectable(c *Component, values []string) error {
	least, most := 1, 1
	if c.MinValues != nil {
		least = *c.MinValues
	}
	if c.MaxValues != nil {
		most = *c.MaxValues
	}
	if len(values) < least || len(values) > most {
		return fmt.Errorf("%d values where %d to %d are wanted", len(values), least, most)
	}
	if c.Type != compStringSelect {
		return nil
	}
	offered := map[string]bool{}
	for _, o := range c.Options {
		offered[o.Value] = true
	}
	for _, v := range values {
		if !offered[v] {
			return fmt.Errorf("value %q is not offered", v)
		}
	}
	return nil
}

// interaction makes an interaction and the part of its payload that all kinds
// share (interactions, "Interaction Object").
func (d *Discord) interaction(userID, channelID string, kind int) (*Interaction, map[string]any, error) {
	ch, p := d.world.channels[channelID], d.world.people[userID]
	switch {
	case p == nil:
		return nil, nil, fmt.Errorf("there is no person %q", userID)
	case ch == nil:
		return nil, nil, fmt.Errorf("there is no channel %q", channelID)
	case ch.isThread() && ch.Archived:
		return nil, nil, errors.New("nothing works in an archived thread")
	}
	if err := d.sees(ch, userID); err != nil {
		return nil, nil, err
	}
	it := &Interaction{d: d, ID: d.newID(), User: userID, Channel: channelID, Guild: ch.GuildID, kind: kind, at: d.now(), owners: map[string]string{}, first: make(chan struct{})}
	it.Token = "token-" + it.ID
	payload := map[string]any{
		"id": it.ID, "application_id": d.AppID, "type": kind, "token": it.Token, "version": 1, "locale": p.Locale,
		"channel_id": channelID, "channel": d.wireChannel(ch), "attachment_size_limit": 10 << 20, "authorizing_integration_owners": it.owners,
	}
	var ents []any
	for _, e := range d.world.entitlements {
		if !e.Deleted && (e.User == userID || (e.Guild != "" && e.Guild == ch.GuildID)) {
			ents = append(ents, d.wireEntitlement(e))
		}
	}
	payload["entitlements"] = append([]any{}, ents...)
	g := d.world.guilds[ch.GuildID]
	if g == nil {
		it.owners["0"] = "0"
		payload["context"], payload["user"] = 1, d.wireUser(userID)
		payload["app_permissions"] = strconv.FormatInt(PermsBot, 10)
		return it, payload, nil
	}
	m := g.members[userID]
	member := d.wireMember(m)
	member["permissions"] = strconv.FormatInt(m.Permissions, 10)
	payload["channel"].(map[string]any)["permissions"] = member["permissions"]
	payload["context"], payload["member"], payload["guild_id"], payload["guild_locale"] = 0, member, g.ID, g.Locale
	payload["guild"] = map[string]any{"id": g.ID, "locale": g.Locale, "features": []string{}}
	payload["app_permissions"] = strconv.FormatInt(d.mask(ch), 10)
	if !g.BotAbsent {
		it.owners["0"] = g.ID
	}
	if p.Installed {
		it.owners["1"] = userID
	}
	if len(it.owners) == 0 {
		return nil, nil, fmt.Errorf("the app is not installed in guild %s, nor for person %s", g.ID, userID)
	}
	return it, payload, nil
}

// deliver sends an interaction to the bot: to its HTTP endpoint if it has one, else
// over the gateway, where no intent governs it.
func (d *Discord) deliver(it *Interaction, payload map[string]any) error {
	d.world.interactions[it.ID], d.world.tokens[it.Token] = it, it
	if url := d.endpoint; url != "" {
		body := raw(payload)
		d.wg.Go(func() { d.push(url, it, body) })
		return nil
	}
	if !d.dispatchGuild(it.Guild, 0, "INTERACTION_CREATE", payload) {
		return ErrOffline
	}
	return nil
}
