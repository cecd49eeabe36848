package discord

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"aiprep/bots"
	"aiprep/engine"
)

// Config is what a Bot needs. Engine and Token are required.
type Config struct {
	Engine bots.Engine
	Token  bots.Secret // from the developer portal, with or without "Bot " before it
	Log    *slog.Logger
	// Now is the clock that dates what Discord does not date; nil means
	// time.Now. It does not move timers.
	Now func() time.Time
	// Count is told of every outcome worth a metric; nil counts nothing.
	Count func(what, platform, outcome string)
	// Shards is over how many connections the bot's servers are spread; 0 lets
	// Discord say.
	Shards int
	// Interactions, if not nil, is where what people do comes in as signed
	// requests, instead of over a connection of our own.
	Interactions net.Listener
	// Crosspost lets posts in announcement channels go on to the servers that
	// follow them.
	Crosspost bool
	// SKU is Discord's id of what is sold, a durable one-time SKU; "" sells nothing.
	SKU string
	// BaseURL is Discord's address, or that of a test's server; "" means
	// https://discord.com.
	BaseURL string
	// Drain is how long Run goes on, after its context ended, to finish what is
	// in flight; 0 means 8 seconds.
	Drain time.Duration
}

// Bot is one bot account on Discord. It implements engine.Poster and
// engine.Finder.
type Bot struct {
	*client
	engine bots.Engine
	log    *slog.Logger
	now    func() time.Time
	count  func(what, platform, outcome string)
	drain  time.Duration
	sku    string

	ackWithin  time.Duration // until a first word is due
	wordWithin time.Duration // for one try at it
	within     time.Duration // what the engine has for one event
	timing     timing
	shards     int
	web        net.Listener
	crosspost  bool

	me        self
	seen      *recent
	members   bots.Members
	lanes     *lanes
	slots     chan struct{} // one for each event being served
	work      sync.WaitGroup
	ready     chan struct{}
	readyOnce sync.Once
	life      context.Context // ends when Run gives up what is in flight
	end       context.CancelFunc
}

// self is who we are on Discord.
type self struct {
	app, user string
	key       string // with which Discord signs requests, in hexadecimal
}

var (
	_ engine.Poster = (*Bot)(nil)
	_ engine.Finder = (*Bot)(nil)
)

const drainWithin = 8 * time.Second

// New returns a Bot. It makes no request: whether the token is right is found
// out by Run.
func New(cfg Config) (*Bot, error) {
	if cfg.Engine == nil {
		return nil, errors.New("make discord bot: no engine")
	}
	token := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(cfg.Token.Reveal())+" ", "Bot "))
	if token == "" {
		return nil, errors.New("make discord bot: no token: get one from the developer portal, under Bot")
	}
	base := strings.TrimRight(cfg.BaseURL, "/")
	if base == "" {
		base = "https://discord.com"
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Path != "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("make discord bot: the server's address must begin with https:// and have no path")
	}
	b := &Bot{
		client: &client{http: newHTTP(), base: base, token: token, pace: newPace()},
		shards: cfg.Shards, web: cfg.Interactions, crosspost: cfg.Crosspost,
		engine: cfg.Engine, log: cfg.Log, now: cfg.Now, count: cfg.Count, drain: cfg.Drain, sku: cfg.SKU,
		ackWithin: ackWithin, wordWithin: wordWithin, within: bots.HandleWithin, timing: defaultTiming(),
		seen: newRecent(seenEvents), lanes: newLanes(), slots: make(chan struct{}, mostServed), ready: make(chan struct{}),
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.count == nil {
		b.count = func(string, string, string) {}
	}
	if b.drain <= 0 {
		b.drain = drainWithin
	}
	b.life, b.end = context.WithCancel(context.Background())
	return b, nil
}

// Ready is closed when what people do is being taken in. Discord keeps nothing
// for a bot that is away, so nothing can have piled up.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Run takes in what people do until ctx ends, then finishes what is in flight
// and returns nil. It returns an error when it cannot go on, which a person has
// to put right, such as a wrong token. It is called once.
func (b *Bot) Run(ctx context.Context) error {
	defer b.http.CloseIdleConnections()
	defer b.end()
	stop := context.AfterFunc(ctx, func() {
		select { // not before what is in flight had its time
		case <-time.After(b.drain):
			b.end()
		case <-b.life.Done():
		}
	})
	defer stop()
	err := b.introduce(ctx)
	if err == nil && ctx.Err() == nil {
		menu, done := context.WithCancel(ctx)
		b.work.Go(func() { b.register(menu) })
		take := b.supervise
		if b.web != nil {
			take = b.serveWeb
		}
		err = take(ctx)
		done()
	}
	if err != nil { // there is no more token to answer with
		b.end()
	}
	b.work.Wait()
	return err
}

// introduce asks Discord who we are, again and again while it cannot be reached.
func (b *Bot) introduce(ctx context.Context) error {
	for pause := b.timing.first; ; pause = min(2*pause, b.timing.long) {
		answer, err := b.call(ctx, request{method: http.MethodGet, path: "/applications/@me", route: "GET /applications/@me"})
		var app struct {
			ID  string `json:"id"`
			Key string `json:"verify_key"`
			Bot struct {
				ID   string `json:"id"`
				Name string `json:"username"`
			} `json:"bot"`
		}
		if err == nil {
			if err = json.Unmarshal(answer, &app); err == nil && isID(app.ID) && isID(app.Bot.ID) {
				b.me = self{app.ID, app.Bot.ID, app.Key}
				b.log.Info("discord bot signed in", "username", app.Bot.Name)
				return nil
			}
			err = errors.New("discord did not say who we are")
		}
		if ctx.Err() != nil {
			return nil
		}
		var refused *apiError
		if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && !refused.Plain {
			b.count("gateway", platform, "refused")
			return errBadToken()
		}
		b.count("gateway", platform, "unreachable")
		b.log.Warn("discord cannot be reached", "err", err, "retry", pause)
		if sleep(ctx, max(pause, classify(err).After)) != nil {
			return nil
		}
	}
}

// redact takes the bot's token out of a text from elsewhere.
func (b *Bot) redact(s string) string { return strings.ReplaceAll(s, b.token, "***") }
