package bottest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// command registers one command globally and returns it.
func (b *bot) command(c *discordgo.ApplicationCommand) (*discordgo.ApplicationCommand, error) {
	return b.ApplicationCommandCreate(b.d.AppID, "", c)
}

func TestCommandsAreKeptListedChangedAndDeleted(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	names := map[discordgo.Locale]string{discordgo.German: "prüfung"}
	made, err := b.command(&discordgo.ApplicationCommand{Name: "test", Description: "d", NameLocalizations: &names})
	if err != nil {
		t.Fatal(err)
	}
	list, err := b.ApplicationCommands(b.d.AppID, "")
	if err != nil || len(list) != 1 || list[0].ID != made.ID {
		t.Fatalf("listed %v, %v", list, err)
	}
	if (*list[0].NameLocalizations)[discordgo.German] != "prüfung" { // discordgo asks for them
		t.Errorf("translations %v", list[0].NameLocalizations)
	}
	if bare, err := b.Request("GET", discordgo.EndpointApplicationGlobalCommands(b.d.AppID), nil); err != nil || strings.Contains(string(bare), "prüfung") {
		t.Errorf("the list shows translations without being asked: %s, %v", bare, err)
	}
	if _, err := b.ApplicationCommandEdit(b.d.AppID, "", made.ID, &discordgo.ApplicationCommand{Name: "exam", Description: "e"}); err != nil {
		t.Fatal(err)
	}
	again, err := b.command(&discordgo.ApplicationCommand{Name: "exam", Description: "newer"})
	if err != nil || again.ID != made.ID {
		t.Errorf("the same name made %v, %v; want %s again", again, err, made.ID)
	}
	guild, err := b.ApplicationCommandBulkOverwrite(b.d.AppID, b.s.Guild, []*discordgo.ApplicationCommand{{Name: "here", Description: "d"}})
	if err != nil || len(guild) != 1 || guild[0].GuildID != b.s.Guild {
		t.Errorf("guild commands %v, %v", guild, err)
	}
	if err := b.d.WaitCommands(ctx(t), b.s.Guild, "here"); err != nil {
		t.Error(err)
	}
	if err := b.ApplicationCommandDelete(b.d.AppID, "", made.ID); err != nil {
		t.Error(err)
	}
	wantCode(t, b.ApplicationCommandDelete(b.d.AppID, "", made.ID), 10063)
	_, err = b.ApplicationCommands("123", "")
	wantCode(t, err, 10002)
	b.good(t)
}

func TestOnlyNewCommandsCountAgainstTheDay(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	for i := range 2 * maxCreates {
		// The same hundred names over and over: two hundred calls, a hundred creates.
		_, err := b.command(&discordgo.ApplicationCommand{Name: fmt.Sprint("c", i%100), Description: "d"})
		if err != nil {
			t.Fatal(err)
		}
	}
	fresh := func(prefix string) error {
		var list []*discordgo.ApplicationCommand
		for i := range 100 {
			list = append(list, &discordgo.ApplicationCommand{Name: fmt.Sprint(prefix, i), Description: "d"})
		}
		_, err := b.ApplicationCommandBulkOverwrite(b.d.AppID, "", list)
		return err
	}
	if err := fresh("d"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, fresh("e"), 30034)
	b.d.Advance(24 * time.Hour)
	if err := fresh("e"); err != nil {
		t.Errorf("the next day: %v", err)
	}
}

func TestCommandsOverALimitAreRefused(t *testing.T) {
	option := func(o discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
		if o.Description == "" {
			o.Description = "d"
		}
		return &discordgo.ApplicationCommand{Name: "a", Description: "b", Options: []*discordgo.ApplicationCommandOption{&o}}
	}
	choices := func(n int, value any) (out []*discordgo.ApplicationCommandOptionChoice) {
		for i := range n {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: fmt.Sprint(i), Value: value})
		}
		return out
	}
	text := discordgo.ApplicationCommandOptionString
	var wide []*discordgo.ApplicationCommandOption
	for i := range 20 {
		var list []*discordgo.ApplicationCommandOptionChoice
		for j := range 5 {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{Name: fmt.Sprint(j, x(50)), Value: x(50)})
		}
		wide = append(wide, &discordgo.ApplicationCommandOption{Type: text, Name: fmt.Sprint("o", i), Description: "d", Choices: list})
	}
	for name, c := range map[string]*discordgo.ApplicationCommand{
		"capital":                  {Name: "Test", Description: "d"},
		"space":                    {Name: "a b", Description: "d"},
		"long name":                {Name: x(33), Description: "d"},
		"no description":           {Name: "a"},
		"long description":         {Name: "a", Description: x(101)},
		"too many choices":         option(discordgo.ApplicationCommandOption{Type: text, Name: "o", Choices: choices(26, "v")}),
		"long choice value":        option(discordgo.ApplicationCommandOption{Type: text, Name: "o", Choices: choices(1, x(101))}),
		"number for a text":        option(discordgo.ApplicationCommandOption{Type: text, Name: "o", Choices: choices(1, 5)}),
		"autocomplete and choices": option(discordgo.ApplicationCommandOption{Type: text, Name: "o", Choices: choices(1, "v"), Autocomplete: true}),
		"autocomplete of a role":   option(discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionRole, Name: "o", Autocomplete: true}),
		"required after optional": {Name: "a", Description: "b", Options: []*discordgo.ApplicationCommandOption{
			{Type: text, Name: "o", Description: "d"}, {Type: text, Name: "p", Description: "d", Required: true}}},
		"the same option twice": {Name: "a", Description: "b", Options: []*discordgo.ApplicationCommandOption{
			{Type: text, Name: "o", Description: "d"}, {Type: text, Name: "o", Description: "d"}}},
		"8000 characters in all": {Name: "a", Description: "b", Options: wide},
		"a subcommand beside an option": {Name: "a", Description: "b", Options: []*discordgo.ApplicationCommandOption{
			{Type: text, Name: "o", Description: "d"}, {Type: discordgo.ApplicationCommandOptionSubCommand, Name: "p", Description: "d"}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			_, err := b.command(c)
			wantCode(t, err, 50035)
			if len(b.d.Problems()) == 0 {
				t.Error("the mistake was not kept")
			}
		})
	}
}

func TestCommandNamesFollowDiscordsAlphabet(t *testing.T) {
	for name, want := range map[string]bool{
		"test": true, "test-1_x": true, "prüfung": true, "परीक्षा": true, "ทดสอบ": true, "試験": true, "o'clock": true,
		"Test": false, "ÄRGER": false, "a b": false, "a/b": false, "": false, x(32): true, x(33): false, "🎯": false,
	} {
		if got := named(name); got != want {
			t.Errorf("named(%q) = %v", name, got)
		}
	}
}

func TestCommandsAreOfferedOnlyWhereTheyBelong(t *testing.T) {
	admin, nobody := int64(PermManageGuild), int64(0)
	private, server := []discordgo.InteractionContextType{discordgo.InteractionContextBotDM}, []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	b := newBot(t, DiscordOptions{})
	b.register(t,
		&discordgo.ApplicationCommand{Name: "any", Description: "d"},
		&discordgo.ApplicationCommand{Name: "manage", Description: "d", DefaultMemberPermissions: &admin},
		&discordgo.ApplicationCommand{Name: "closed", Description: "d", DefaultMemberPermissions: &nobody},
		&discordgo.ApplicationCommand{Name: "private", Description: "d", Contexts: &private},
		&discordgo.ApplicationCommand{Name: "server", Description: "d", Contexts: &server},
	)
	if _, err := b.ApplicationCommandCreate(b.d.AppID, b.s.Guild, &discordgo.ApplicationCommand{Name: "local", Description: "d"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "any"); !errors.Is(err, ErrOffline) {
		t.Errorf("without a client: %v", err)
	}
	b.heard(t)
	dm := b.d.DM(b.s.Alice)
	stranger := b.d.AddPerson(Person{Name: "stranger"})
	for _, c := range []struct {
		user, place, name string
		want              bool
	}{
		{b.s.Alice, b.s.General, "any", true}, {b.s.Alice, dm, "any", true}, {b.s.Alice, b.s.General, "nothing", false},
		{b.s.Alice, b.s.General, "manage", false}, {b.s.Admin, b.s.General, "manage", true},
		{b.s.Alice, b.s.General, "closed", false}, {b.s.Admin, b.s.General, "closed", true},
		{b.s.Alice, b.s.General, "private", false}, {b.s.Alice, dm, "private", true},
		{b.s.Alice, b.s.General, "server", true}, {b.s.Alice, dm, "server", false},
		{b.s.Alice, b.s.General, "local", true}, {b.s.Alice, dm, "local", false},
		{stranger, b.d.DM(stranger), "any", false},
	} {
		_, err := b.d.Slash(c.user, c.place, c.name)
		if c.want != (err == nil) || (err != nil && !errors.Is(err, ErrNotOffered)) {
			t.Errorf("/%s by %s in %s: %v", c.name, c.user, c.place, err)
		}
	}
	if _, err := b.d.Slash(stranger, b.s.General, "any"); err == nil {
		t.Error("somebody who is not a member used a command")
	}
	if _, err := b.d.Slash(b.s.Bob, dm, "any"); err == nil {
		t.Error("bob used a command in alice's private chat")
	}
	thread := b.d.AddChannel(b.s.Guild, Channel{Type: PublicThread, ParentID: b.s.General, Archived: true})
	if _, err := b.d.Slash(b.s.Alice, thread, "any"); err == nil {
		t.Error("a command worked in an archived thread")
	}
}

func TestOptionsAreFilledAsAClientWould(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	low := 1.0
	b.register(t, &discordgo.ApplicationCommand{Name: "set", Description: "d", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "all", Description: "d", Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionChannel, Name: "where", Description: "d", Required: true, ChannelTypes: []discordgo.ChannelType{discordgo.ChannelTypeGuildText}},
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "count", Description: "d", MinValue: &low, MaxValue: 9},
			{Type: discordgo.ApplicationCommandOptionString, Name: "kind", Description: "d", Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "A", Value: "a"}}},
			{Type: discordgo.ApplicationCommandOptionRole, Name: "role", Description: "d"},
			{Type: discordgo.ApplicationCommandOptionUser, Name: "who", Description: "d"},
			{Type: discordgo.ApplicationCommandOptionBoolean, Name: "on", Description: "d"},
		}},
	}})
	got := b.heard(t)
	role := b.d.AddRole(b.s.Guild, "learners")
	where := Opt{"where", b.s.General}
	for name, opts := range map[string][]Opt{
		"required":     {},
		"unknown":      {where, {"x", 1}},
		"channel type": {{"where", b.s.News}},
		"too small":    {where, {"count", 0}},
		"too big":      {where, {"count", 10}},
		"a fraction":   {where, {"count", 1.5}},
		"no choice":    {where, {"kind", "b"}},
		"no role":      {where, {"role", "5"}},
		"no boolean":   {where, {"on", "yes"}},
	} {
		if _, err := b.d.Slash(b.s.Alice, b.s.General, "set all", opts...); err == nil {
			t.Errorf("%s was sent", name)
		}
	}
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "set"); err == nil {
		t.Error("a command was sent without its subcommand")
	}
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "set all", where, Opt{"count", 3}, Opt{"kind", "a"}, Opt{"role", role}, Opt{"who", b.s.Bob}, Opt{"on", true}); err != nil {
		t.Fatal(err)
	}
	i := <-got
	data := i.ApplicationCommandData()
	sub := data.Options[0]
	if sub.Name != "all" || sub.Options[1].IntValue() != 3 || !sub.Options[5].BoolValue() {
		t.Errorf("options %+v", sub)
	}
	if data.Resolved.Roles[role].Name != "learners" || data.Resolved.Channels[b.s.General].Name != "general" || data.Resolved.Users[b.s.Bob].Username != "bob" {
		t.Errorf("resolved %+v", data.Resolved)
	}
	if i.GuildID != b.s.Guild || i.Context != discordgo.InteractionContextGuild || i.Member.Permissions != PermsMember || i.AppPermissions != PermsBot || *i.GuildLocale != "en-US" {
		t.Errorf("payload %+v", i)
	}
	if !strings.HasPrefix(i.Token, "token-") || i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationGuildInstall] != b.s.Guild {
		t.Errorf("token %q, owners %v", i.Token, i.AuthorizingIntegrationOwners)
	}
	b.good(t)
}
