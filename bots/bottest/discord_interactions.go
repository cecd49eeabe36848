package bottest

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Deadlines of an interaction (interactions, "Receiving and Responding").
const (
	firstResponse = 3 * time.Second
	tokenLife     = 15 * time.Minute
)

// Interaction types.
const (
	kindCommand      = 2
	kindComponent    = 3
	kindAutocomplete = 4
	kindModal        = 5
)

// Callback types.
const (
	CallbackMessage       = 4
	CallbackDefer         = 5
	CallbackDeferUpdate   = 6
	CallbackUpdate        = 7
	CallbackAutocomplete  = 8
	CallbackModal         = 9
	callbackLaunch        = 12
	maxUserInstallFollows = 5
)

// Choice is one suggestion of autocomplete.
type Choice struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Modal is a form that the bot opened.
type Modal struct {
	Title      string      `json:"title"`
	CustomID   string      `json:"custom_id"`
	Components []Component `json:"components"`
}

// callback is POST /interactions/{id}/{token}/callback.
func (d *Discord) callback(c *call) reply {
	var in struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err := c.decode(&in); err != nil {
		return c.unreadable(err)
	}
	it := d.world.tokens[c.r.PathValue("interaction_token")]
	known := it != nil && it.ID == c.r.PathValue("interaction_id")
	if !known {
		return denied(http.StatusNotFound, 10062, "Unknown interaction")
	}
	if no := d.acknowledge(c, it, in.Type, in.Data); no != nil {
		return *no
	}
	if c.r.URL.Query().Get("with_response") != "true" {
		return none()
	}
	resource := map[string]any{"type": in.Type}
	if it.original != nil {
		resource["message"] = d.wireMessage(it.original)
	}
	return ok(map[string]any{"resource": resource, "interaction": map[string]any{"id": it.ID, "type": it.kind,
		"response_message_ephemeral": it.original != nil && it.original.Ephemeral(), "response_message_loading": it.original != nil && it.original.Loading()}})
}

// acknowledge takes the first response to an interaction, or says why not.
func (d *Discord) acknowledge(c *call, it *Interaction, kind int, data json.RawMessage) *reply {
	var out reply
	switch {
	case it.callback != 0:
		out = denied(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
		return &out
	case d.now().Sub(it.at) > firstResponse:
		out = denied(http.StatusNotFound, 10062, "Unknown interaction")
		return &out
	}
	var f form
	top := spot{f: &f}
	if !slices.Contains(it.allows(), kind) {
		top.in("type").fail("BASE_TYPE_CHOICES", "This callback type does not answer this interaction.")
	} else if no := d.respond(c, top.in("data"), it, kind, data); no != nil {
		return no
	}
	if f.bad() {
		out = c.invalid(&f)
		return &out
	}
	it.callback = kind
	close(it.first)
	d.touch()
	return nil
}

// allows lists the callback types that may answer an interaction.
func (it *Interaction) allows() []int {
	switch it.kind {
	case kindAutocomplete:
		return []int{CallbackAutocomplete}
	case kindComponent:
		return []int{CallbackMessage, CallbackDefer, CallbackDeferUpdate, CallbackUpdate, CallbackModal, callbackLaunch}
	case kindModal:
		if it.source != nil {
			return []int{CallbackMessage, CallbackDefer, CallbackDeferUpdate, CallbackUpdate}
		}
		return []int{CallbackMessage, CallbackDefer}
	}
	return []int{CallbackMessage, CallbackDefer, CallbackModal, callbackLaunch}
}

// respond does what a callback says; it notes refusals in the form.
func (d *Discord) respond(c *call, a spot, it *Interaction, kind int, data json.RawMessage) *reply {
	b, err := readMessage(data)
	if err != nil {
		a.fail("BASE_TYPE_BAD", err.Error())
		return nil
	}
	switch kind {
	case CallbackMessage:
		m := d.merge(c, a, it.blank(d, b.Flags&FlagEphemeral), b, false)
		if a.f.bad() {
			return nil
		}
		if m.empty() {
			out := denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
			return &out
		}
		it.original = &m
		d.enter(it.place(d), &m)
	case CallbackDefer:
		if b.Flags&^FlagEphemeral != 0 {
			c.problem = append(c.problem, "a deferred message takes no flag but EPHEMERAL")
		}
		m := it.blank(d, b.Flags&FlagEphemeral|FlagLoading)
		it.original = &m
		d.enter(it.place(d), &m)
	case CallbackDeferUpdate:
		it.original, it.deferred = it.source, true
	case CallbackUpdate:
		m := d.merge(c, a, *it.source, b, true)
		if a.f.bad() {
			return nil
		}
		if it.source.Deleted || m.empty() {
			out := denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
			return &out
		}
		it.original = it.source
		d.replace(it.source, m)
	case CallbackAutocomplete:
		return suggest(a, it, data)
	case CallbackModal:
		m := &Modal{}
		if err := json.Unmarshal(data, m); err != nil {
			a.fail("BASE_TYPE_BAD", err.Error())
			return nil
		}
		checkModal(a, m.Title, m.CustomID, m.Components)
		it.modal = m
	}
	return nil
}

// suggest reads the choices of an autocomplete callback.
func suggest(a spot, it *Interaction, data json.RawMessage) *reply {
	var in struct {
		Choices []Choice `json:"choices"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		a.fail("BASE_TYPE_BAD", err.Error())
		return nil
	}
	if len(in.Choices) > 25 {
		a.in("choices").fail("BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	for i, x := range in.Choices {
		a.in("choices").in(i).in("name").between(runes(x.Name), 1, 100)
		if s, isText := x.Value.(string); isText {
			a.in("choices").in(i).in("value").most(runes(s), 100)
		}
	}
	it.choices = in.Choices
	return nil
}

// blank is a message of the bot that answers the interaction.
func (it *Interaction) blank(d *Discord, flags int) Message {
	m := Message{ID: d.newID(), ChannelID: it.Channel, AuthorID: d.BotID, InteractionID: it.ID, Flags: flags, At: d.now()}
	if flags&FlagEphemeral != 0 {
		m.For = it.User
	}
	return m
}

// place is the interaction's channel; one deleted meanwhile is stood in for.
func (it *Interaction) place(d *Discord) *Channel {
	if ch := d.world.channels[it.Channel]; ch != nil {
		return ch
	}
	return &Channel{ID: it.Channel, GuildID: it.Guild}
}

// hook finds the interaction behind a webhook path.
func (d *Discord) hook(c *call) (*Interaction, *reply) {
	it := d.world.tokens[c.r.PathValue("webhook_token")]
	var out reply
	switch {
	case it == nil, c.r.PathValue("webhook_id") != d.AppID, it.callback == 0:
		out = denied(http.StatusNotFound, 10015, "Unknown Webhook")
	case d.now().Sub(it.at) > tokenLife:
		out = denied(http.StatusUnauthorized, 50027, "Invalid Webhook Token")
	default:
		return it, nil
	}
	return nil, &out
}

// hooked finds the message behind a webhook path.
func (d *Discord) hooked(c *call) (*Interaction, *Message, *reply) {
	it, no := d.hook(c)
	if no != nil {
		return nil, nil, no
	}
	m := it.original
	if id := c.r.PathValue("message_id"); id != "" {
		m = d.world.messages[id]
		if m != nil && m.InteractionID != it.ID && m != it.original {
			m = nil
		}
	}
	if m == nil || m.Deleted {
		out := denied(http.StatusNotFound, 10008, "Unknown Message")
		return nil, nil, &out
	}
	return it, m, nil
}

// postFollowUp is POST /webhooks/{app}/{token}. Straight after a deferral it edits
// the waiting message instead ("Create Followup Message").
func (d *Discord) postFollowUp(c *call) reply {
	b, err := readMessage(c.body)
	if err != nil {
		return c.unreadable(err)
	}
	it, no := d.hook(c)
	var f form
	base := Message{AuthorID: d.BotID}
	waiting := no == nil && it.callback == CallbackDefer && it.original != nil && it.original.Loading() && !it.original.Deleted
	switch {
	case waiting:
		base = *it.original
	case no == nil:
		base = it.blank(d, b.Flags&FlagEphemeral)
	}
	m := d.merge(c, spot{f: &f}, base, b, false)
	switch {
	case f.bad():
		return c.invalid(&f)
	case no != nil:
		return *no
	case m.empty():
		return denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
	case waiting:
		m.Flags &^= FlagLoading
		d.replace(it.original, m)
		return ok(d.wireMessage(it.original))
	}
	if _, guild := it.owners["0"]; !guild && len(it.followUps) >= maxUserInstallFollows {
		return denied(http.StatusBadRequest, 40094, "Maximum number of follow-up messages for this interaction reached")
	}
	it.followUps, it.deferred = append(it.followUps, &m), false
	d.enter(it.place(d), &m)
	return ok(d.wireMessage(&m))
}

func (d *Discord) patchFollowUp(c *call) reply {
	b, err := readMessage(c.body)
	if err != nil {
		return c.unreadable(err)
	}
	it, old, no := d.hooked(c)
	var f form
	base := Message{}
	if old != nil {
		base = *old
	}
	m := d.merge(c, spot{f: &f}, base, b, true)
	switch {
	case f.bad():
		return c.invalid(&f)
	case no != nil:
		return *no
	case m.empty():
		return denied(http.StatusBadRequest, 50006, "Cannot send an empty message")
	}
	m.Flags &^= FlagLoading
	if old == it.original {
		it.deferred = false
	}
	d.replace(old, m)
	return ok(d.wireMessage(old))
}

func (d *Discord) getFollowUp(c *call) reply {
	_, m, no := d.hooked(c)
	if no != nil {
		return *no
	}
	return ok(d.wireMessage(m))
}

func (d *Discord) deleteFollowUp(c *call) reply {
	_, m, no := d.hooked(c)
	if no != nil {
		return *no
	}
	d.erase(m)
	return none()
}
