package telegram

import (
	"context"
	"encoding/json"
	"slices"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/engine"
)

// A menu lists at most so many commands
// (https://core.telegram.org/bots/api#setmycommands).
const (
	maxCommands    = 100
	maxDescription = 256
)

// menu is what one kind of reader sees when they type a slash.
type menu struct {
	scope    models.BotCommandScope
	commands []models.BotCommand
	lang     string // "" for those whose language has no menu of its own
}

// menus makes the menus of a command table: what works in a private chat, what
// everybody can use in a group, and there for administrators all of it.
func menus(table []engine.Command) []menu {
	list := func(ok func(engine.Command) bool) []models.BotCommand {
		var commands []models.BotCommand
		for _, c := range table {
			if !c.Hidden && ok(c) && len(commands) < maxCommands {
				commands = append(commands, models.BotCommand{Command: c.Name, Description: plainLine(c.Summary, maxDescription)})
			}
		}
		return commands
	}
	return []menu{
		{scope: &models.BotCommandScopeAllPrivateChats{}, commands: list(func(c engine.Command) bool { return c.Where != engine.ServerOnly })},
		{scope: &models.BotCommandScopeAllGroupChats{}, commands: list(func(c engine.Command) bool {
			return c.Where != engine.PrivateOnly && c.Who == engine.Everyone
		})},
		{scope: &models.BotCommandScopeAllChatAdministrators{}, commands: list(func(c engine.Command) bool { return c.Where != engine.PrivateOnly })},
	}
}

// register sets the menus that are not as they should be. A failure costs
// nobody an answer, so it is logged and left for the next start.
func (b *Bot) register(ctx context.Context) {
	var all []menu
	for n, lang := range b.engine.Languages() {
		for _, m := range menus(b.engine.CommandsIn(lang)) {
			if n > 0 { // the first is for everybody else
				m.lang = lang
			}
			all = append(all, m)
		}
	}
	for _, m := range all {
		err := b.retry(ctx, true, func() error { return b.registerOne(ctx, m) })
		if err != nil && ctx.Err() == nil {
			b.count("menu", platform, "error")
			b.log.Warn("command menu not set", "err", err)
		}
	}
}

func (b *Bot) registerOne(ctx context.Context, m menu) error {
	result, err := b.call(ctx, sendWithin, func(ctx context.Context) error {
		_, err := b.lib.GetMyCommands(ctx, &tg.GetMyCommandsParams{Scope: m.scope, LanguageCode: m.lang})
		return err
	})
	if err != nil {
		return err
	}
	var now []models.BotCommand
	if err := json.Unmarshal(result, &now); err == nil && slices.Equal(now, m.commands) {
		b.count("menu", platform, "same")
		return nil
	}
	_, err = b.call(ctx, sendWithin, func(ctx context.Context) error {
		_, err := b.lib.SetMyCommands(ctx, &tg.SetMyCommandsParams{Commands: m.commands, Scope: m.scope, LanguageCode: m.lang})
		return err
	})
	if err == nil {
		b.count("menu", platform, "set")
	}
	return err
}
