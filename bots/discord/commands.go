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

// slashCommands are the commands of a table that people may type.
func slashCommands(table []engine.Command) []*discordgo.ApplicationCommand {
	list := []*discordgo.ApplicationCommand{}
	for _, c := range table {
		if !c.Hidden && len(list) < maxCommands {
			list = append(list, slashCommand(c))
		}
	}
	return list
}

func slashCommand(c engine.Command) *discordgo.ApplicationCommand {
	contexts := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	switch c.Where {
	case engine.ServerOnly:
		contexts = contexts[:1]
	case engine.PrivateOnly:
		contexts = contexts[1:]
	}
	out := &discordgo.ApplicationCommand{
		Type: discordgo.ChatApplicationCommand, Name: c.Name, Description: orEmpty(oneLine(c.Summary, maxDescription)),
		Contexts: &contexts, IntegrationTypes: &[]discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall},
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
	return out
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
	get := request{method: http.MethodGet, path: path, route: "GET " + path, most: answerWithin}
	answer, err := b.insist(ctx, get)
	if err != nil {
		return "error", fmt.Errorf("read commands: %w", err)
	}
	want := slashCommands(b.engine.Commands())
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
			Contexts: c.Contexts, IntegrationTypes: c.IntegrationTypes,
		}
		for _, o := range c.Options {
			one := *o
			one.NameLocalizations, one.DescriptionLocalizations = nil, nil
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
				one.Choices[i] = &discordgo.ApplicationCommandOptionChoice{Name: choice.Name, Value: choice.Value}
			}
			bare.Options = append(bare.Options, &one)
		}
		out[c.Name] = bare
	}
	return out
}
