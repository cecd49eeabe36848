package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"aiprep/bots/discord"
	"aiprep/bots/telegram"
	"aiprep/content"
	"aiprep/engine"
)

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Run the bot on Discord, Telegram or both",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
}

// errNoToken is what someone reads who starts serve for the first time.
var errNoToken = errors.New(`no bot token is set, so there is nobody to talk to. Do one of these:
  Telegram: write /newbot to @BotFather, then set telegram.token in config.yaml (or AIPREP_TELEGRAM_TOKEN)
  Discord:  discord.com/developers/applications > New Application > Bot > Reset Token, then set discord.token (or AIPREP_DISCORD_TOKEN)
  neither:  "aiprep play" runs everything in this terminal, without any account`)

// bot is an adapter as serve runs it.
type bot interface {
	engine.Poster
	Run(context.Context) error
	Ready() <-chan struct{}
}

// serve wires everything and runs until ctx ends. On the way down intake stops
// first, then what is in flight is finished, then the store is closed.
func (p *program) serve(ctx context.Context) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if cfg.Discord.Token == "" && cfg.Telegram.Token == "" {
		return errNoToken
	}
	log := newLog(p.stderr, cfg.Log, cfg.Discord.Token, cfg.Telegram.Token)
	bank, err := loadContent("", cfg.Content.Extra)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, cfg.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	m := newMetrics(store.file)
	fonts, err := cfg.Pictures.fonts()
	if err != nil {
		return err
	}
	eng, err := engine.New(ctx, engine.Config{
		Store: store, Bank: bank, Log: log, Count: m.count, CatchUp: cfg.Daily.CatchUp, Keep: cfg.Privacy.keep(), Fonts: fonts,
		Unlock: cfg.Unlock.engine(),
	})
	if err != nil {
		return err
	}
	all, err := newBots(cfg, eng, log, m)
	if err != nil {
		return err
	}
	ops, err := listen(cfg, site{store.file, func(context.Context) (*engine.Engine, error) { return eng, nil }}, m, log)
	if err != nil {
		return err
	}
	defer ops.close()
	backups, stop := context.WithCancel(ctx)
	var backing sync.WaitGroup
	backing.Go(func() {
		backUpDaily(backups, cfg.Store, store.file, time.Now, log, func(outcome string) { m.count("backup", "store", outcome) })
	})
	defer func() { stop(); backing.Wait() }()
	log.Info("aiprep runs", "version", version(), "store", cfg.Store.File, "items", live(bank))
	return runAll(ctx, eng, all, ops, log)
}

// live counts the questions that may be asked.
func live(bank *content.Bank) int {
	n := 0
	for _, c := range bank.Categories {
		for _, tp := range c.Topics {
			n += len(tp.Live())
		}
	}
	return n
}

// newBots makes an adapter for every platform that has a token.
func newBots(cfg Config, eng *engine.Engine, log *slog.Logger, m *metrics) (map[string]bot, error) {
	all := map[string]bot{}
	if cfg.Telegram.Token != "" {
		b, err := newTelegram(cfg.Telegram, eng, log, m)
		if err != nil {
			return nil, err
		}
		all["telegram"] = b
	}
	if cfg.Discord.Token != "" {
		b, err := newDiscord(cfg.Discord, cfg.Unlock, eng, log, m)
		if err != nil {
			return nil, err
		}
		all["discord"] = b
	}
	return all, nil
}

func newTelegram(cfg TelegramConfig, eng *engine.Engine, log *slog.Logger, m *metrics) (*telegram.Bot, error) {
	how := telegram.Config{Engine: eng, Token: cfg.Token, Log: log, Count: m.count, BaseURL: cfg.Server}
	if cfg.Updates == byWebhook {
		l, err := net.Listen("tcp", cfg.Listen)
		if err != nil {
			return nil, fmt.Errorf("take in telegram's updates: %w", err)
		}
		how.Webhook, how.WebhookURL = l, cfg.WebhookURL
	}
	return telegram.New(how)
}

func newDiscord(cfg DiscordConfig, sold UnlockConfig, eng *engine.Engine, log *slog.Logger, m *metrics) (*discord.Bot, error) {
	shards, err := cfg.shards()
	if err != nil {
		return nil, err
	}
	var requests net.Listener
	if cfg.Interactions == byHTTP {
		if requests, err = net.Listen("tcp", cfg.Listen); err != nil {
			return nil, fmt.Errorf("take in discord's requests: %w", err)
		}
	}
	return discord.New(discord.Config{
		Engine: eng, Token: cfg.Token, Log: log, Count: m.count, BaseURL: cfg.Server,
		Shards: shards, Interactions: requests, Crosspost: cfg.Crosspost, SKU: sold.sku(),
	})
}

// drainWithin is how long the schedule waits for what people pressed while the
// bot was away, so that nothing closes before their answers are in.
const drainWithin = 30 * time.Second

// runAll runs adapters and schedule until ctx ends or one of them fails.
func runAll(ctx context.Context, eng *engine.Engine, all map[string]bot, ops *operations, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, len(all)+2)
	posters := map[string]engine.Poster{}
	for name, b := range all {
		posters[name] = b
		go func() {
			err := b.Run(ctx)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			ended <- err
		}()
	}
	go func() {
		waitReady(ctx, all, log)
		ops.ready()
		ended <- eng.RunSchedule(ctx, posters)
	}()
	go func() {
		<-ctx.Done()
		log.Info("stopping: finishing what is in flight")
		ended <- nil
	}()
	var errs []error
	for range cap(ended) {
		if err := <-ended; err != nil {
			errs = append(errs, err)
		}
		stop() // one ended, by fault or by signal: so do the others
	}
	return errors.Join(errs...)
}

// waitReady waits until every adapter has handled what had piled up.
func waitReady(ctx context.Context, all map[string]bot, log *slog.Logger) {
	late := time.After(drainWithin)
	for name, b := range all {
		select {
		case <-b.Ready():
		case <-late:
			log.Warn("platform is not ready yet, the schedule starts without it", "platform", name)
			return
		case <-ctx.Done():
			return
		}
	}
}
