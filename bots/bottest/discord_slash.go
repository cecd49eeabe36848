package bottest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrNotOffered says that the person's client would not offer the command there.
var ErrNotOffered = errors.New("the command is not offered here")

// Opt is one option as a person fills it in. Value is a string for text, channels,
// roles and people (ids), an int or float64 for numbers, a bool for booleans.
type Opt struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// Slash lets a person use a chat command; name may go on with a subcommand, as
// "guide show". It fails where a client would not let the person send it: an
// unknown command or option, a place or a person it is not meant for, a value out
// of bounds.
func (d *Discord) Slash(userID, channelID, name string, opts ...Opt) (*Interaction, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.use(userID, channelID, name, opts, nil)
}

// Autocomplete lets a person type into the option focused, with the others
// already filled in.
func (d *Discord) Autocomplete(userID, channelID, name string, focused Opt, others ...Opt) (*Interaction, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.use(userID, channelID, name, others, &focused)
}

// use sends a command or, with focused, an autocomplete interaction.
func (d *Discord) use(userID, channelID, line string, opts []Opt, focused *Opt) (*Interaction, error) {
	kind := kindCommand
	if focused != nil {
		kind = kindAutocomplete
	}
	it, payload, err := d.interaction(userID, channelID, kind)
	if err != nil {
		return nil, fmt.Errorf("use /%s: %w", line, err)
	}
	path := strings.Fields(line)
	if len(path) == 0 {
		return nil, errors.New("use a command: no name")
	}
	cmd, err := d.offered(it, path[0])
	if err != nil {
		return nil, fmt.Errorf("use /%s: %w", line, err)
	}
	data := map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type}
	if cmd.GuildID != "" {
		data["guild_id"] = cmd.GuildID
	}
	resolved := map[string]map[string]any{}
	list, err := d.fill(cmd.Options, path[1:], opts, focused, resolved, it)
	if err != nil {
		return nil, fmt.Errorf("use /%s: %w", line, err)
	}
	data["options"] = list
	if len(resolved) > 0 {
		data["resolved"] = resolved
	}
	payload["data"] = data
	return it, d.deliver(it, payload)
}

// offered finds the command that the person's client would show: the guild's own
// before the global one.
func (d *Discord) offered(it *Interaction, name string) (*command, error) {
	var cmd *command
	scopes := []string{""}
	if it.Guild != "" {
		scopes = []string{it.Guild, ""}
	}
	for _, scope := range scopes {
		for _, x := range d.world.commands[scope] {
			if cmd == nil && x.Name == name && x.Type == 1 {
				cmd = x
			}
		}
	}
	if cmd == nil {
		return nil, fmt.Errorf("%w: no such command is registered", ErrNotOffered)
	}
	context := 0
	if it.Guild == "" {
		context = 1
	}
	if cmd.Contexts != nil && !slices.Contains(cmd.Contexts, context) || cmd.Contexts == nil && context == 1 && cmd.DM != nil && !*cmd.DM {
		return nil, fmt.Errorf("%w: not for context %d", ErrNotOffered, context)
	}
	if it.Guild == "" {
		if !d.reachable(it.User) {
			return nil, fmt.Errorf("%w: no server in common and not installed", ErrNotOffered)
		}
		return cmd, nil
	}
	if _, here := it.owners["0"]; !here && !slices.Contains(cmd.Installs, 1) {
		return nil, fmt.Errorf("%w: not for those who installed the app themselves", ErrNotOffered)
	}
	have := d.world.guilds[it.Guild].members[it.User].Permissions
	if cmd.Permissions != nil && have&PermAdministrator == 0 {
		need, err := strconv.ParseInt(*cmd.Permissions, 10, 64)
		if err != nil || need == 0 || have&need != need {
			return nil, fmt.Errorf("%w: needs permissions %s", ErrNotOffered, *cmd.Permissions)
		}
	}
	return cmd, nil
}

// reachable reports whether global commands work in the bot's private chat with a
// person.
func (d *Discord) reachable(userID string) bool {
	for _, g := range d.world.guilds {
		if !g.BotAbsent && g.members[userID] != nil {
			return true
		}
	}
	return d.world.people[userID].Installed
}

// fill spells the options of an interaction, subcommands first.
func (d *Discord) fill(declared []commandOption, path []string, opts []Opt, focused *Opt, resolved map[string]map[string]any, it *Interaction) ([]any, error) {
	if len(path) > 0 {
		i := slices.IndexFunc(declared, func(o commandOption) bool { return o.Name == path[0] && o.Type <= 2 })
		if i < 0 {
			return nil, fmt.Errorf("there is no subcommand %q", path[0])
		}
		inner, err := d.fill(declared[i].Options, path[1:], opts, focused, resolved, it)
		if err != nil {
			return nil, err
		}
		return []any{map[string]any{"type": declared[i].Type, "name": path[0], "options": inner}}, nil
	}
	out := []any{}
	all := opts
	if focused != nil {
		all = append(opts[:len(opts):len(opts)], *focused)
	}
	given := map[string]bool{}
	for n, o := range all {
		i := slices.IndexFunc(declared, func(x commandOption) bool { return x.Name == o.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no option %q", o.Name)
		}
		given[o.Name] = true
		one := map[string]any{"type": declared[i].Type, "name": o.Name, "value": o.Value}
		if focused != nil && n == len(opts) {
			if !declared[i].Autocomplete {
				return nil, fmt.Errorf("option %q does not autocomplete", o.Name)
			}
			one["focused"] = true
		} else if err := d.fits(&declared[i], o.Value, resolved, it); err != nil {
			return nil, fmt.Errorf("option %q: %w", o.Name, err)
		}
		out = append(out, one)
	}
	for _, x := range declared {
		if focused == nil && (x.Required && !given[x.Name] || x.Type <= 2) {
			return nil, fmt.Errorf("option %q is required", x.Name)
		}
	}
	return out, nil
}

// fits says why a value cannot be entered, and resolves ids.
func (d *Discord) fits(o *commandOption, value any, resolved map[string]map[string]any, it *Interaction) error {
	s, isText := value.(string)
	switch o.Type {
	case 3:
		if !isText {
			return fmt.Errorf("%v is no text", value)
		}
		if o.MinLength != nil && runes(s) < *o.MinLength || o.MaxLength != nil && runes(s) > *o.MaxLength || runes(s) > 6000 {
			return errors.New("the text is too short or too long")
		}
	case 4, 10:
		n, err := number(value)
		if err != nil || o.Type == 4 && n != math.Trunc(n) {
			return fmt.Errorf("%v is no such number", value)
		}
		if o.MinValue != nil && n < *o.MinValue || o.MaxValue != nil && n > *o.MaxValue {
			return errors.New("the number is out of bounds")
		}
	case 5:
		if _, isBool := value.(bool); !isBool {
			return fmt.Errorf("%v is no boolean", value)
		}
	default:
		return d.resolve(o, s, resolved, it)
	}
	if len(o.Choices) == 0 {
		return nil
	}
	for _, c := range o.Choices {
		if fmt.Sprint(c.Value) == fmt.Sprint(value) {
			return nil
		}
	}
	return fmt.Errorf("%v is not among the choices", value)
}

// number reads any Go number.
func number(value any) (float64, error) { return strconv.ParseFloat(fmt.Sprint(value), 64) }

// resolve enters what an id stands for.
func (d *Discord) resolve(o *commandOption, id string, resolved map[string]map[string]any, it *Interaction) error {
	enter := func(kind string, v any) {
		if resolved[kind] == nil {
			resolved[kind] = map[string]any{}
		}
		resolved[kind][id] = v
	}
	g := d.world.guilds[it.Guild]
	switch {
	case (o.Type == 6 || o.Type == 9) && d.world.people[id] != nil:
		enter("users", d.wireUser(id))
		if g != nil && g.members[id] != nil {
			m := d.wireMember(g.members[id])
			delete(m, "user")
			m["permissions"] = strconv.FormatInt(g.members[id].Permissions, 10)
			enter("members", m)
		}
	case o.Type == 7 && d.world.channels[id] != nil && d.world.channels[id].GuildID == it.Guild:
		ch := d.world.channels[id]
		if len(o.ChannelTypes) > 0 && !slices.Contains(o.ChannelTypes, ch.Type) {
			return fmt.Errorf("channel type %d is not among those asked for", ch.Type)
		}
		wire := d.wireChannel(ch)
		wire["permissions"] = strconv.FormatInt(PermsMember, 10)
		enter("channels", wire)
	case (o.Type == 8 || o.Type == 9) && g != nil && g.roles[id] != "":
		for _, r := range d.wireRoles(g) {
			if r["id"] == id {
				enter("roles", r)
			}
		}
	default:
		return fmt.Errorf("%q is nothing that can be chosen", id)
	}
	return nil
}

// Submit lets the person whose interaction opened a modal send it. values holds
// what is written by custom_id; inputs without an entry keep the value they were
// filled with. It fails where a client would not let the person send it.
func (d *Discord) Submit(opened *Interaction, values map[string]string) (*Interaction, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if opened.modal == nil {
		return nil, errors.New("submit: the interaction opened no modal")
	}
	it, payload, err := d.interaction(opened.User, opened.Channel, kindModal)
	if err != nil {
		return nil, fmt.Errorf("submit %q: %w", opened.modal.CustomID, err)
	}
	left := map[string]bool{}
	for id := range values {
		left[id] = true
	}
	list, err := answers(opened.modal.Components, values, left)
	if err != nil {
		return nil, fmt.Errorf("submit %q: %w", opened.modal.CustomID, err)
	}
	for id := range left {
		return nil, fmt.Errorf("submit %q: the modal has no input %q", opened.modal.CustomID, id)
	}
	payload["data"] = map[string]any{"custom_id": opened.modal.CustomID, "components": list}
	if opened.source != nil {
		it.source = opened.source
		payload["message"] = d.wireMessage(it.source)
	}
	return it, d.deliver(it, payload)
}

// answers spells the components of a modal as they come back.
func answers(list []Component, values map[string]string, left map[string]bool) ([]any, error) {
	out := []any{}
	for i := range list {
		c := &list[i]
		switch {
		case c.Type == compRow:
			inner, err := answers(c.Components, values, left)
			if err != nil {
				return nil, err
			}
			out = append(out, map[string]any{"type": c.Type, "id": c.ID, "components": inner})
		case c.Type == compLabel:
			inner, err := answers([]Component{*c.Component}, values, left)
			if err != nil {
				return nil, err
			}
			out = append(out, map[string]any{"type": c.Type, "id": c.ID, "component": inner[0]})
		case c.CustomID != "":
			delete(left, c.CustomID)
			one, err := answer(c, values)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		default:
			out = append(out, map[string]any{"type": c.Type, "id": c.ID})
		}
	}
	return out, nil
}

// pick enters what is chosen, separated by commas, from a list.
func pick(c *Component, v string, required bool, out map[string]any) error {
	picked := []string{}
	if v != "" {
		picked = strings.Split(v, ",")
	}
	if required && len(picked) == 0 {
		return fmt.Errorf("input %q is required", c.CustomID)
	}
	for _, p := range picked {
		if len(c.Options) > 0 && !slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == p }) {
			return fmt.Errorf("input %q does not offer %q", c.CustomID, p)
		}
	}
	out["values"] = picked
	if c.Type == compRadioGroup {
		delete(out, "values")
		out["value"] = v
		if v == "" {
			out["value"] = nil
		}
	}
	return nil
}

// answer spells one filled input; a checkbox is "true" or anything else.
func answer(c *Component, values map[string]string) (map[string]any, error) {
	v, given := values[c.CustomID]
	if !given {
		v = c.Value
	}
	required := c.Required == nil || *c.Required
	out := map[string]any{"type": c.Type, "id": c.ID, "custom_id": c.CustomID}
	switch c.Type {
	case compTextInput:
	case compCheckbox:
		out["value"] = v == "true"
		return out, nil
	default:
		return out, pick(c, v, required, out)
	}
	n := runes(v)
	switch {
	case required && n == 0:
		return nil, fmt.Errorf("input %q is required", c.CustomID)
	case n > 0 && c.MinLength != nil && n < *c.MinLength, c.MaxLength != nil && n > *c.MaxLength, n > 4000:
		return nil, fmt.Errorf("input %q is too short or too long", c.CustomID)
	}
	out["value"] = v
	return out, nil
}
