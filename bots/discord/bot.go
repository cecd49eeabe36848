package discord

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"aiprep/bots"
	"aiprep/engine"
)

// Config is what a Bot needs. Engine and Token are required.
type Config struct {
	Engine bots.Engine
	Token  bots.Secret // from Discord's developer portal, without "Bot "
	Log    *slog.Logger
	// Now is the clock that dates what Discord does not date; nil means
	// time.Now. It does not move timers.
	Now func() time.Time
	// Count is told of every outcome worth a metric; nil counts nothing.
	Count func(what, platform, outcome string)
	// BaseURL is the server, for a test's; "" means https://discord.com.
	BaseURL string
}

// Bot is one bot account on Discord. It implements engine.Poster and
// engine.Finder.
type Bot struct {
	ready chan struct{}
}

// New returns a Bot. It makes no request.
func New(cfg Config) (*Bot, error) {
	return &Bot{ready: make(chan struct{})}, nil
}

// Ready is closed when events are being taken in.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Run takes events in until ctx ends.
func (b *Bot) Run(ctx context.Context) error {
	return errors.New("run discord bot: not built yet")
}

// Post implements engine.Poster.
func (b *Bot) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	return engine.Receipt{}, &engine.PostError{Kind: engine.Later, After: time.Minute}
}

// Edit implements engine.Poster.
func (b *Bot) Edit(ctx context.Context, to engine.Place, ref engine.Ref, m engine.Message) error {
	return &engine.PostError{Kind: engine.Later, After: time.Minute}
}

// Find implements engine.Finder.
func (b *Bot) Find(ctx context.Context, d engine.Delivery) (engine.Receipt, engine.Finding, error) {
	return engine.Receipt{}, engine.CannotTell, nil
}
