package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/bwmarrin/discordgo"

	"aiprep/engine"
)

// Limits of commands
// (https://discord.com/developers/docs/interactions/application-commands).
const (
	maxCommands    = 100
	maxOptions     = 25
	maxChoices     = 25
	maxChoice      = 100
	maxDescription = 100
)

const channelOption = int(discordgo.ApplicationCommandOptionChannel)

// locales are Discord's names for the languages beside English
// (https://discord.com/developers/docs/reference#locales).
func locales(lang string) []discordgo.Locale {
	switch lang {
	case "es":
		return []discordgo.Locale{discordgo.SpanishES, "es-419"}
	default:
		return []discordgo.Locale{discordgo.Locale(lang)}
	}
}

// spoken is a table in the words of one language.
type spoken struct {
	lang  string
	table []engine.Command
}

// tables are the engine's commands in every language but the first, which is
// the one that Discord shows where it has no other.
func (b *Bot) tables() (list []spoken) {
	for _, lang := range b.engine.Languages()[1:] {
		list = append(list, spoken{lang, b.engine.CommandsIn(lang)})
	}
	return list
}

// slashCommands are the commands of a table that people may type, with their
// descriptions in other languages.
func slashCommands(table []engine.Command, others []spoken) []*discordgo.ApplicationCommand {
	list := []*discordgo.ApplicationCommand{}
	for n, c := range table {
		if c.Hidden || len(list) == maxCommands {
			continue
		}
		out := slashCommand(c)
		if len(others) > 0 {
			out.DescriptionLocalizations = &map[discordgo.Locale]string{}
		}
		for _, o := range others {
			for _, l := range locales(o.lang) {
				out.localise(l, o.table[n])
			}
		}
		list = append(list, out.ApplicationCommand)
	}
	return list
}

// slash is a command being made.
type slash struct{ *discordgo.ApplicationCommand }

// localise adds the words of one language.
func (s slash) localise(l discordgo.Locale, c engine.Command) {
	(*s.DescriptionLocalizations)[l] = orEmpty(oneLine(c.Summary, maxDescription))
	for _, o := range c.Options {
		at := slices.IndexFunc(s.Options, func(have *discordgo.ApplicationCommandOption) bool { return have.Name == o.Name })
		if at < 0 {
			continue
		}
		have := s.Options[at]
		if have.DescriptionLocalizations == nil {
			have.DescriptionLocalizations = map[discordgo.Locale]string{}
		}
		have.DescriptionLocalizations[l] = orEmpty(oneLine(o.Summary, maxDescription))
		for k, choice := range have.Choices {
			if choice.NameLocalizations == nil {
				choice.NameLocalizations = map[discordgo.Locale]string{}
			}
			choice.NameLocalizations[l] = oneLine(o.Choices[k].Label, maxChoice)
		}
	}
}

func slashCommand(c engine.Command) slash {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM, discordgo.InteractionContextPrivateChannel}
	installs := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall, discordgo.ApplicationIntegrationUserInstall}
	switch c.Where {
	case engine.ServerOnly:
		contexts, installs = contexts[:1], installs[:1]
	case engine.PrivateOnly:
		contexts = contexts[1:]
	}
	out := &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: c.Name, Description: orEmpty(oneLine(c.Summary, maxDescription)),
		Contexts: &contexts, IntegrationTypes: &installs,
		Options: []*discordgo.ApplicationCommandOption{},
	}
	if c.Who == engine.Admins {
		rights := int64(manageGuild)
		out.DefaultMemberPermissions = &rights
	}
	for _, o := range c.Options {
		if len(out.Options) < maxOptions {
			out.Options = append(out.Options, slashOption(o))
		}
	}
	slices.SortStableFunc(out.Options, func(a, b *discordgo.ApplicationCommandOption) int { // as Discord wants it
		return cmp.Compare(rank(a), rank(b))
	})
	return slash{out}
}

func rank(o *discordgo.ApplicationCommandOption) int {
	if o.Required {
		return 0
	}
	return 1
}

func slashOption(o engine.Option) *discordgo.ApplicationCommandOption {
	out := &discordgo.ApplicationCommandOption{
		Type: discordgo.ApplicationCommandOptionString, Name: o.Name, Required: o.Required,
		Description: orEmpty(oneLine(o.Summary, maxDescription)),
	}
	switch o.Kind {
	case engine.ZoneOption, engine.TimeOption, engine.TopicOption, engine.DaysOption:
		out.Autocomplete = true
	case engine.ChoiceOption:
		if len(o.Choices) > maxChoices {
			out.Autocomplete = true
			break
		}
		for _, c := range o.Choices {
			out.Choices = append(out.Choices, &discordgo.ApplicationCommandOptionChoice{Name: oneLine(c.Label, maxChoice), Value: c.Value})
		}
	case engine.PlaceOption:
		out.Type = discordgo.ApplicationCommandOptionChannel
		out.ChannelTypes = []discordgo.ChannelType{textChannel, announcementChannel, announcementThread, publicThread, privateThread, forumChannel}
	case engine.RoleOption:
		out.Type = discordgo.ApplicationCommandOptionRole
	case engine.NumberOption:
		out.Type = discordgo.ApplicationCommandOptionInteger
	}
	return out
}

// register sets the bot's commands if they are not as they should be: Discord
// counts every new one. A failure costs nobody an answer, so it is logged and
// left for the next start.
func (b *Bot) register(ctx context.Context) {
	outcome, err := b.registerNow(ctx)
	if ctx.Err() != nil {
		return
	}
	b.count("menu", platform, outcome)
	if err != nil {
		b.log.Warn("commands not registered", "err", err)
	}
}

func (b *Bot) registerNow(ctx context.Context) (outcome string, err error) {
	path := "/applications/" + b.me.app + "/commands"
	get := request{method: http.MethodGet, path: path + "?with_localizations=true", route: "GET " + path, most: answerWithin}
	answer, err := b.insist(ctx, get)
	if err != nil {
		return "error", fmt.Errorf("read commands: %w", err)
	}
	want := slashCommands(b.engine.Commands(), b.tables())
	if sameCommands(want, answer) {
		return "same", nil
	}
	put := request{method: http.MethodPut, path: path, route: "PUT " + path, body: want, most: answerWithin}
	if _, err = b.insist(ctx, put); err != nil {
		return "error", fmt.Errorf("write commands: %w", err)
	}
	return "set", nil
}

// insist makes a request that may be repeated until it is answered, a few times.
func (b *Bot) insist(ctx context.Context, r request) (json.RawMessage, error) {
	for try := 1; ; try++ {
		answer, err := b.call(ctx, r)
		pe := classify(err)
		if err == nil || try == answerTries || pe.Kind != engine.Later && pe.Kind != engine.Unknown {
			return answer, err
		}
		if sleep(ctx, max(pe.After, tryPause)) != nil {
			return nil, err
		}
	}
}

// sameCommands reports whether Discord has these commands, whatever it added and
// in whatever order.
func sameCommands(want []*discordgo.ApplicationCommand, answer []byte) bool {
	var have []*discordgo.ApplicationCommand
	if json.Unmarshal(answer, &have) != nil || len(have) != len(want) {
		return false
	}
	return reflect.DeepEqual(bareCommands(want), bareCommands(have))
}

// bareCommands are commands by name as they would be if we had just made them.
func bareCommands(list []*discordgo.ApplicationCommand) map[string]discordgo.ApplicationCommand {
	out := map[string]discordgo.ApplicationCommand{}
	for _, c := range list {
		bare := discordgo.ApplicationCommand{
			Type: c.Type, Name: c.Name, Description: c.Description, DefaultMemberPermissions: c.DefaultMemberPermissions,
			Contexts: c.Contexts, IntegrationTypes: c.IntegrationTypes, DescriptionLocalizations: c.DescriptionLocalizations,
		}
		for _, o := range c.Options {
			one := *o
			one.NameLocalizations = nil
			if len(one.Options) == 0 {
				one.Options = nil
			}
			if len(one.Choices) == 0 {
				one.Choices = nil
			}
			if len(one.ChannelTypes) == 0 {
				one.ChannelTypes = nil
			}
			one.Choices = slices.Clone(one.Choices)
			for i, choice := range one.Choices {
				one.Choices[i] = &discordgo.ApplicationCommandOptionChoice{
					Name: choice.Name, Value: choice.Value, NameLocalizations: choice.NameLocalizations,
				}
			}
			bare.Options = append(bare.Options, &one)
		}
		out[c.Name] = bare
	}
	return out
}
