package bottest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// maxCreates is how many commands may be created in a guild (or globally) a day
// (interactions, "Application Commands").
const maxCreates = 200

// command is a registered application command.
type command struct {
	ID          string            `json:"id"`
	Type        int               `json:"type"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Names       map[string]string `json:"name_localizations"`
	Texts       map[string]string `json:"description_localizations"`
	Options     []commandOption   `json:"options"`
	Permissions *string           `json:"default_member_permissions"`
	DM          *bool             `json:"dm_permission"`
	Contexts    []int             `json:"contexts"`
	Installs    []int             `json:"integration_types"`
	NSFW        bool              `json:"nsfw"`
	AppID       string            `json:"application_id"`
	GuildID     string            `json:"guild_id,omitempty"`
	Version     string            `json:"version"`
}

// commandOption is an option, subcommand or subcommand group.
type commandOption struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Names        map[string]string `json:"name_localizations,omitempty"`
	Texts        map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	Choices      []commandChoice   `json:"choices,omitempty"`
	Options      []commandOption   `json:"options,omitempty"`
	ChannelTypes []int             `json:"channel_types,omitempty"`
	MinValue     *float64          `json:"min_value,omitempty"`
	MaxValue     *float64          `json:"max_value,omitempty"`
	MinLength    *int              `json:"min_length,omitempty"`
	MaxLength    *int              `json:"max_length,omitempty"`
	Autocomplete bool              `json:"autocomplete,omitempty"`
}

// commandChoice is a fixed choice.
type commandChoice struct {
	Name  string            `json:"name"`
	Names map[string]string `json:"name_localizations,omitempty"`
	Value any               `json:"value"`
}

// scope checks the application and guild of a command path.
func (d *Discord) scope(c *call) (string, *reply) {
	id := c.r.PathValue("guild_id")
	var out reply
	switch {
	case c.r.PathValue("application_id") != d.AppID:
		out = denied(http.StatusNotFound, 10002, "Unknown Application")
	case id != "" && d.world.guilds[id] == nil:
		out = denied(http.StatusNotFound, 10004, "Unknown Guild")
	case id != "" && d.world.guilds[id].BotAbsent:
		out = denied(http.StatusForbidden, 50001, "Missing Access")
	default:
		return id, nil
	}
	return "", &out
}

func (d *Discord) getCommands(c *call) reply {
	scope, no := d.scope(c)
	if no != nil {
		return *no
	}
	full := c.r.URL.Query().Get("with_localizations") == "true"
	out := []command{}
	for _, x := range d.world.commands[scope] {
		shown := *x
		if !full {
			shown.Names, shown.Texts = nil, nil
		}
		out = append(out, shown)
	}
	return ok(out)
}

// find returns the index of the command that a path names.
func (d *Discord) find(c *call) (scope string, i int, no *reply) {
	scope, no = d.scope(c)
	if no != nil {
		return "", 0, no
	}
	i = slices.IndexFunc(d.world.commands[scope], func(x *command) bool { return x.ID == c.r.PathValue("command_id") })
	if i < 0 {
		out := denied(http.StatusNotFound, 10063, "Unknown application command")
		return "", 0, &out
	}
	return scope, i, nil
}

func (d *Discord) getCommand(c *call) reply {
	scope, i, no := d.find(c)
	if no != nil {
		return *no
	}
	return ok(d.world.commands[scope][i])
}

func (d *Discord) deleteCommand(c *call) reply {
	scope, i, no := d.find(c)
	if no != nil {
		return *no
	}
	d.world.commands[scope] = slices.Delete(d.world.commands[scope], i, i+1)
	d.touch()
	return none()
}

func (d *Discord) patchCommand(c *call) reply {
	scope, i, no := d.find(c)
	if no != nil {
		return *no
	}
	x := *d.world.commands[scope][i]
	var said map[string]json.RawMessage
	if err := c.decode(&said); err != nil {
		return c.unreadable(err)
	}
	if _, new := said["options"]; new {
		x.Options = nil
	}
	if err := c.decode(&x); err != nil {
		return c.unreadable(err)
	}
	var f form
	checkCommand(spot{f: &f}, &x, scope)
	if f.bad() {
		return c.invalid(&f)
	}
	x.Version = d.newID()
	d.world.commands[scope][i] = &x
	d.touch()
	return ok(x)
}

// postCommand creates a command, or overwrites the one of the same name and type.
func (d *Discord) postCommand(c *call) reply {
	scope, no := d.scope(c)
	if no != nil {
		return *no
	}
	x := &command{}
	if err := c.decode(x); err != nil {
		return c.unreadable(err)
	}
	var f form
	checkCommand(spot{f: &f}, x, scope)
	list := d.world.commands[scope]
	old := d.adopt(x, scope)
	if old == nil {
		checkCounts(spot{f: &f}, append(list[:len(list):len(list)], x))
	}
	if f.bad() {
		return c.invalid(&f)
	}
	if old != nil {
		*old = *x
		d.touch()
		return ok(x)
	}
	if no := d.countCreates(scope, 1); no != nil {
		return *no
	}
	d.world.commands[scope] = append(list, x)
	d.touch()
	return reply{status: http.StatusCreated, body: x}
}

// putCommands overwrites the whole list; only new names count as created.
func (d *Discord) putCommands(c *call) reply {
	scope, no := d.scope(c)
	if no != nil {
		return *no
	}
	var list []*command
	if err := c.decode(&list); err != nil {
		return c.unreadable(err)
	}
	var f form
	created := 0
	names := map[string]bool{}
	for i, x := range list {
		here := spot{f: &f}.in(i)
		checkCommand(here, x, scope)
		if d.adopt(x, scope) == nil {
			created++
		}
		key := x.Name + string(rune('0'+x.Type))
		if names[key] {
			here.fail("APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		names[key] = true
	}
	checkCounts(spot{f: &f}, list)
	if f.bad() {
		return c.invalid(&f)
	}
	if no := d.countCreates(scope, created); no != nil {
		return *no
	}
	d.world.commands[scope] = list
	d.touch()
	return ok(append([]*command{}, list...))
}

// adopt gives a command its ids and returns the one it takes the place of.
func (d *Discord) adopt(x *command, scope string) *command {
	x.AppID, x.GuildID, x.Version = d.AppID, scope, d.newID()
	for _, old := range d.world.commands[scope] {
		if old.Name == x.Name && old.Type == x.Type {
			x.ID = old.ID
			return old
		}
	}
	x.ID = d.newID()
	return nil
}

// countCreates counts new commands of a scope and day.
func (d *Discord) countCreates(scope string, n int) *reply {
	key := scope + d.now().UTC().Format(" 2006-01-02")
	if d.world.created[key]+n > maxCreates {
		out := denied(http.StatusBadRequest, 30034, "Maximum number of daily application command creates has been reached (200)")
		return &out
	}
	d.world.created[key] += n
	return nil
}

// checkCounts checks how many commands of each type there are.
func checkCounts(a spot, list []*command) {
	count := map[int]int{}
	for _, x := range list {
		count[x.Type]++
	}
	for kind, most := range map[int]int{1: 100, 2: 15, 3: 15} {
		if count[kind] > most {
			a.fail("APPLICATION_COMMANDS_LIMIT_EXCEEDED", "Too many application commands of one type.")
		}
	}
}

// named reports whether s is a command or option name: 1..32 of letters, digits,
// "-", "_" and "'", Devanagari and Thai signs, and lower case where a letter has
// one ("Application Command Naming").
func named(s string) bool {
	for _, r := range s {
		fits := strings.ContainsRune("-_'", r) || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.In(r, unicode.Devanagari, unicode.Thai)
		if !fits || unicode.ToLower(r) != r {
			return false
		}
	}
	return runes(s) >= 1 && runes(s) <= 32
}

// checkCommand checks one command against "Application Commands".
func checkCommand(a spot, x *command, scope string) {
	if x.Type == 0 {
		x.Type = 1
	}
	if x.Type == 1 {
		checkName(a.in("name"), x.Name)
		a.in("description").between(runes(x.Description), 1, 100)
	} else {
		a.in("name").between(runes(x.Name), 1, 32)
		if x.Description != "" || len(x.Options) > 0 {
			a.fail("APPLICATION_COMMAND_CONTEXT_MENU", "Context menu commands have neither description nor options.")
		}
	}
	if scope != "" && (x.Contexts != nil || x.Installs != nil) {
		a.in("contexts").fail("APPLICATION_COMMAND_GUILD_CONTEXTS", "contexts and integration_types belong to global commands.")
	}
	if x.Permissions != nil && strings.Trim(*x.Permissions, "0123456789") != "" {
		a.in("default_member_permissions").fail("NUMBER_TYPE_COERCE", "Must be a bit set in digits.")
	}
	for _, s := range x.Names {
		checkName(a.in("name_localizations"), s)
	}
	for _, s := range x.Texts {
		a.in("description_localizations").between(runes(s), 1, 100)
	}
	total := longest(x.Name, x.Names) + longest(x.Description, x.Texts) + checkOptionList(a.in("options"), x.Options, 0)
	if total > 8000 {
		a.fail("APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
	}
}

// checkName notes a name that Discord does not take.
func checkName(a spot, s string) {
	if !named(s) {
		a.fail("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
}

// longest is the length of a text or of its longest translation.
func longest(s string, others map[string]string) int {
	n := runes(s)
	for _, o := range others {
		n = max(n, runes(o))
	}
	return n
}

// checkOptionList checks options and returns how many characters they count.
func checkOptionList(a spot, list []commandOption, depth int) int {
	if len(list) > 25 {
		a.fail("BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	total, optional, names := 0, false, map[string]bool{}
	for i := range list {
		o, here := &list[i], a.in(i)
		checkName(here.in("name"), o.Name)
		here.in("description").between(runes(o.Description), 1, 100)
		if names[o.Name] {
			here.in("name").fail("APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		names[o.Name] = true
		if o.Required && optional {
			here.in("required").fail("APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !o.Required
		sub := o.Type == 1 || o.Type == 2
		if (sub != (list[0].Type == 1 || list[0].Type == 2)) || (o.Type == 2 && depth > 0) || (sub && depth > 1) || o.Type < 1 || o.Type > 11 {
			here.in("type").fail("APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-commands and options cannot stand like this.")
		}
		total += longest(o.Name, o.Names) + longest(o.Description, o.Texts) + checkChoices(here, o) + checkOptionList(here.in("options"), o.Options, depth+1)
	}
	return total
}

// checkChoices checks an option's fixed choices and returns their characters.
func checkChoices(a spot, o *commandOption) int {
	if len(o.Choices) > 25 {
		a.in("choices").fail("BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	if o.Autocomplete && len(o.Choices) > 0 {
		a.in("autocomplete").fail("APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES", "Autocomplete cannot be true when choices are present.")
	}
	if o.Autocomplete && o.Type != 3 && o.Type != 4 && o.Type != 10 {
		a.in("autocomplete").fail("APPLICATION_COMMAND_AUTOCOMPLETE_TYPE", "Only string, integer and number options autocomplete.")
	}
	total, names := 0, map[string]bool{}
	for i, x := range o.Choices {
		here := a.in("choices").in(i)
		here.in("name").between(runes(x.Name), 1, 100)
		if names[x.Name] {
			here.in("name").fail("APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", "Choice name already exists")
		}
		names[x.Name] = true
		total += longest(x.Name, x.Names)
		s, isText := x.Value.(string)
		if isText != (o.Type == 3) {
			here.in("value").fail("APPLICATION_COMMAND_OPTIONS_CHOICE_TYPE", "The value does not fit the option's type.")
		}
		here.in("value").most(runes(s), 100)
		total += runes(s)
	}
	return total
}
