package bottest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// remote is the control API under /_control/, for tests in other processes and for
// hands at a terminal. Bodies and answers are JSON; an action that a person could
// not do answers 409 with {"error": …}.
//
//	POST slash         user channel name options[{name value}] wait
//	POST autocomplete  the same, and focused{name value}
//	POST click         user message custom_id wait
//	POST select        user message custom_id values wait
//	POST submit        interaction inputs{custom_id: text} wait
//	POST say, dm       user channel text; user
//	POST person        name locale, or id; guild admin to join a guild
//	POST guild         do (add, remove, return, outage, recover) id name locale
//	POST channel       do (add, change, remove) id guild name type parent permissions archived locked
//	POST fault         kind (rate_limited, bad_gateway, accept_then_timeout, dropped, forbidden,
//	                   status, clear) match times retry_after global hang code text body content_type
//	POST gateway       do (reconnect, invalidate, resume, close, silence, talk) code
//	POST clock         advance
//	GET  messages      channel user
//	GET  response      interaction wait
//	GET  requests, problems, channels (guild), world
//
// wait, as "3s", waits so long for something to be shown, and for a command to be
// offered.
func (d *Discord) remote(w http.ResponseWriter, r *http.Request) {
	posts := map[string]func(*http.Request, *order) (any, error){
		"slash": d.remoteSlash, "autocomplete": d.remoteSlash, "click": d.remotePress, "select": d.remotePress, "submit": d.remoteSubmit,
		"fault": d.remoteFault, "guild": d.remoteGuild, "channel": d.remoteChannel, "person": d.remotePerson, "clock": d.remoteClock, "gateway": d.remoteGateway,
		"say": func(_ *http.Request, o *order) (any, error) {
			return map[string]string{"message": d.Say(o.User, o.Channel, o.Text)}, nil
		},
		"dm": func(_ *http.Request, o *order) (any, error) { return map[string]string{"channel": d.DM(o.User)}, nil },
	}
	q := r.URL.Query()
	gets := map[string]func() (any, error){
		"messages": func() (any, error) { return slices.Clip(d.Visible(q.Get("channel"), q.Get("user"))), nil },
		"requests": func() (any, error) { return d.Requests(), nil },
		"problems": func() (any, error) { return append([]string{}, d.Problems()...), nil },
		"channels": func() (any, error) { return d.Channels(q.Get("guild")), nil },
		"response": func() (any, error) { return d.remoteResponse(r.Context(), q.Get("interaction"), q.Get("wait")) },
		"world": func() (any, error) {
			return map[string]any{"url": d.url, "token": d.Token, "app": d.AppID, "now": d.now(), "connected": d.Connected()}, nil
		},
	}
	name := r.URL.Path[len("/_control/"):]
	var out any
	err := errors.New("there is no such control")
	status := http.StatusNotFound
	switch {
	case r.Method == http.MethodPost && posts[name] != nil:
		o := &order{}
		status = http.StatusBadRequest
		if err = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(o); err == nil {
			status = http.StatusConflict
			out, err = attempt(func() (any, error) { return posts[name](r, o) })
		}
	case r.Method == http.MethodGet && gets[name] != nil:
		status = http.StatusConflict
		out, err = attempt(gets[name])
	}
	if err != nil {
		write(w, reply{status: status, body: map[string]string{"error": err.Error()}})
		return
	}
	write(w, ok(out))
}

// attempt turns the panic over a wrong id, right in a test, into an error.
func attempt(do func() (any, error)) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return do()
}

// order is the body of every POST; each control reads its part.
type order struct {
	User     string            `json:"user"`
	Channel  string            `json:"channel"`
	Message  string            `json:"message"`
	CustomID string            `json:"custom_id"`
	Values   []string          `json:"values"`
	Name     string            `json:"name"`
	Options  []Opt             `json:"options"`
	Focused  *Opt              `json:"focused"`
	Opened   string            `json:"interaction"`
	Inputs   map[string]string `json:"inputs"`
	Text     string            `json:"text"`
	Wait     string            `json:"wait"` // a duration: wait so long for the response

	ID       string `json:"id"`
	Guild    string `json:"guild"`
	Type     int    `json:"type"`
	Parent   string `json:"parent"`
	Locale   string `json:"locale"`
	Admin    bool   `json:"admin"`
	Do       string `json:"do"`
	Mask     *int64 `json:"permissions"`
	Archived *bool  `json:"archived"`
	Locked   *bool  `json:"locked"`

	Advance string `json:"advance"`

	Match       string  `json:"match"`
	Times       int     `json:"times"`
	Kind        string  `json:"kind"`
	RetryAfter  float64 `json:"retry_after"`
	Global      bool    `json:"global"`
	Hang        bool    `json:"hang"`
	Code        int     `json:"code"`
	Body        string  `json:"body"`
	ContentType string  `json:"content_type"`
}

// answerOf reports an interaction, waiting for its response if the order says so.
func (d *Discord) answerOf(r *http.Request, it *Interaction, err error, wait string) (any, error) {
	if err != nil {
		return nil, err
	}
	return d.remoteResponse(r.Context(), it.ID, wait)
}

func (d *Discord) remoteResponse(c context.Context, id, wait string) (any, error) {
	d.mu.Lock()
	it := d.world.interactions[id]
	d.mu.Unlock()
	if it == nil {
		return nil, fmt.Errorf("there is no interaction %q", id)
	}
	if wait == "" {
		return map[string]any{"interaction": id, "response": it.Response()}, nil
	}
	long, err := time.ParseDuration(wait)
	if err != nil {
		return nil, err
	}
	c, cancel := context.WithTimeout(c, long)
	defer cancel()
	resp, err := it.WaitShown(c)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return map[string]any{"interaction": id, "response": resp}, nil
}

func (d *Discord) remoteSlash(r *http.Request, o *order) (any, error) {
	if o.Focused != nil {
		it, err := d.Autocomplete(o.User, o.Channel, o.Name, *o.Focused, o.Options...)
		return d.answerOf(r, it, err, o.Wait)
	}
	if err := d.awaitOffer(r.Context(), o); err != nil {
		return nil, err
	}
	it, err := d.Slash(o.User, o.Channel, o.Name, o.Options...)
	return d.answerOf(r, it, err, o.Wait)
}

// awaitOffer waits, if the order says so, until the command is registered: a bot that
// has just started goes on to do that when it is connected.
func (d *Discord) awaitOffer(c context.Context, o *order) error {
	if o.Wait == "" {
		return nil
	}
	long, err := time.ParseDuration(o.Wait)
	if err != nil {
		return err
	}
	c, cancel := context.WithTimeout(c, long)
	defer cancel()
	return d.await(c, func() bool {
		guild := ""
		if ch := d.world.channels[o.Channel]; ch != nil {
			guild = ch.GuildID
		}
		return slices.ContainsFunc(append(slices.Clone(d.world.commands[""]), d.world.commands[guild]...), func(c *command) bool { return c.Name == o.Name })
	})
}

func (d *Discord) remotePress(r *http.Request, o *order) (any, error) {
	it, err := d.press(o.User, o.Message, o.CustomID, o.Values)
	return d.answerOf(r, it, err, o.Wait)
}

func (d *Discord) remoteSubmit(r *http.Request, o *order) (any, error) {
	d.mu.Lock()
	opened := d.world.interactions[o.Opened]
	d.mu.Unlock()
	if opened == nil {
		return nil, fmt.Errorf("there is no interaction %q", o.Opened)
	}
	it, err := d.Submit(opened, o.Inputs)
	return d.answerOf(r, it, err, o.Wait)
}

func (d *Discord) remoteFault(_ *http.Request, o *order) (any, error) {
	kinds := map[string]FaultKind{
		"rate_limited": RateLimited{RetryAfter: time.Duration(o.RetryAfter * float64(time.Second)), Global: o.Global},
		"bad_gateway":  BadGateway{}, "accept_then_timeout": AcceptThenTimeout{Hang: o.Hang}, "dropped": Dropped{Hang: o.Hang},
		"forbidden": Forbidden{Code: o.Code, Message: o.Text}, "status": Status{Code: o.Code, Body: o.Body, ContentType: o.ContentType},
	}
	if o.Kind == "clear" {
		d.ClearFaults()
		return map[string]any{}, nil
	}
	kind, known := kinds[o.Kind]
	if !known {
		return nil, fmt.Errorf("there is no fault %q", o.Kind)
	}
	d.Inject(Fault{Match: o.Match, Times: o.Times, Kind: kind})
	return map[string]any{}, nil
}

func (d *Discord) remoteGuild(_ *http.Request, o *order) (any, error) {
	switch o.Do {
	case "", "add":
		return map[string]string{"id": d.AddGuild(Guild{Name: o.Name, Locale: o.Locale})}, nil
	case "remove":
		d.RemoveGuild(o.ID)
	case "return":
		d.ReturnToGuild(o.ID)
	case "outage":
		d.SetOutage(o.ID, true)
	case "recover":
		d.SetOutage(o.ID, false)
	default:
		return nil, fmt.Errorf("a guild cannot %q", o.Do)
	}
	return map[string]string{"id": o.ID}, nil
}

func (d *Discord) remoteChannel(_ *http.Request, o *order) (any, error) {
	switch o.Do {
	case "", "add":
		o.ID = d.AddChannel(o.Guild, Channel{Name: o.Name, Type: o.Type, ParentID: o.Parent})
	case "remove":
		d.RemoveChannel(o.ID)
		return map[string]string{"id": o.ID}, nil
	case "change":
	default:
		return nil, fmt.Errorf("a channel cannot %q", o.Do)
	}
	d.ChangeChannel(o.ID, func(c *Channel) {
		if o.Mask != nil {
			c.BotPermissions, c.masked = *o.Mask, true
		}
		if o.Archived != nil {
			c.Archived = *o.Archived
		}
		if o.Locked != nil {
			c.Locked = *o.Locked
		}
	})
	return map[string]string{"id": o.ID}, nil
}

func (d *Discord) remotePerson(_ *http.Request, o *order) (any, error) {
	id := o.ID
	if id == "" {
		id = d.AddPerson(Person{Name: o.Name, Locale: o.Locale})
	}
	if o.Guild != "" {
		m := Member{User: id}
		if o.Admin {
			m.Permissions = PermsMember | PermAdministrator | PermManageGuild
		}
		d.AddMember(o.Guild, m)
	}
	return map[string]string{"id": id}, nil
}

func (d *Discord) remoteClock(_ *http.Request, o *order) (any, error) {
	by, err := time.ParseDuration(o.Advance)
	if err != nil {
		return nil, err
	}
	d.Advance(by)
	return map[string]any{"now": d.now()}, nil
}

func (d *Discord) remoteGateway(_ *http.Request, o *order) (any, error) {
	switch o.Do {
	case "reconnect":
		d.Reconnect()
	case "invalidate":
		d.InvalidSession(false)
	case "resume":
		d.InvalidSession(true)
	case "close":
		d.CloseAll(o.Code)
	case "silence":
		d.Silence(true)
	case "talk":
		d.Silence(false)
	default:
		return nil, fmt.Errorf("the gateway cannot %q", o.Do)
	}
	return map[string]any{}, nil
}
