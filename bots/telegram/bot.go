package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	tg "github.com/go-telegram/bot"

	"aiprep/bots"
)

// Config is what a Bot needs. Engine and Token are required.
type Config struct {
	Engine bots.Engine
	Token  bots.Secret // from @BotFather
	Log    *slog.Logger
	// Now is the clock that dates what Telegram does not date; nil means
	// time.Now. It does not move timers.
	Now func() time.Time
	// Count is told of every outcome worth a metric; nil counts nothing.
	Count func(what, platform, outcome string)
	// Webhook, if not nil, is where Telegram's updates arrive, instead of being
	// asked for; WebhookURL is how Telegram reaches it.
	Webhook    net.Listener
	WebhookURL string
	// BaseURL is the Bot API server, for one of one's own or a test's;
	// "" means https://api.telegram.org.
	BaseURL string
	// Transport carries the requests; nil means one of net/http.
	Transport http.RoundTripper
	// Drain is how long Run goes on, after its context ended, to finish what is
	// in flight; 0 means 8 seconds. What is then unfinished stays unacknowledged
	// and comes again at the next start.
	Drain time.Duration
}

// Bot is one bot account on Telegram. It implements engine.Poster.
type Bot struct {
	*client
	engine bots.Engine
	log    *slog.Logger
	now    func() time.Time
	count  func(what, platform, outcome string)
	drain  time.Duration
	within time.Duration // what the engine has for one event
	peek   time.Duration // how often checkouts are looked for while a batch takes long

	lib      *tg.Bot
	hook     net.Listener
	hookURL  string
	revealed *recent[string] // polls whose solution was sent
	pace     *pace
	outbox   *outbox
	seen     *recent[int64]  // updates that this process has done with
	closed   *recent[string] // presses whose answer did not reach the private chat
	me       self
	members  bots.Members
	ready    chan struct{}
	life     context.Context // ends when Run gives up what is in flight
	end      context.CancelFunc
}

// Bounds of what a Bot remembers.
const (
	seenUpdates   = 50_000
	closedPresses = 10_000
	revealedPolls = 10_000
	drainWithin   = 8 * time.Second
)

// New returns a Bot. It makes no request: whether the token is right is found
// out by Run.
func New(cfg Config) (*Bot, error) {
	if cfg.Engine == nil {
		return nil, errors.New("make telegram bot: no engine")
	}
	token := strings.TrimSpace(cfg.Token.Reveal())
	if token == "" {
		return nil, errors.New("make telegram bot: no token: get one from @BotFather")
	}
	base := strings.TrimRight(cfg.BaseURL, "/")
	if base == "" {
		base = "https://api.telegram.org"
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("make telegram bot: the server's address must begin with https://")
	}
	b := &Bot{
		client: &client{http: newHTTP(cfg.Transport), base: base, token: bots.Secret(token)},
		hook:   cfg.Webhook, hookURL: cfg.WebhookURL, revealed: newRecent[string](revealedPolls),
		engine: cfg.Engine, log: cfg.Log, now: cfg.Now, count: cfg.Count, drain: cfg.Drain,
		pace: newPace(), outbox: newOutbox(), ready: make(chan struct{}),
		seen: newRecent[int64](seenUpdates), closed: newRecent[string](closedPresses),
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
	b.within, b.peek = bots.HandleWithin, peekEvery
	if b.drain <= 0 {
		b.drain = drainWithin
	}
	b.life, b.end = context.WithCancel(context.Background())
	b.me.known = b.typeable
	var err error
	b.lib, err = tg.New(token, tg.WithSkipGetMe(), tg.WithServerURL(base), tg.WithHTTPClient(pollFor, b.client),
		tg.WithErrorsHandler(func(err error) { b.log.Debug("telegram client", "err", b.edge(err)) }))
	if err != nil {
		return nil, fmt.Errorf("make telegram bot: %w", b.edge(err))
	}
	return b, nil
}

// typeable reports whether people may type a verb.
func (b *Bot) typeable(verb string) bool {
	c, ok := b.engine.Command(verb)
	return ok && !c.Hidden
}

// Ready is closed when updates are being taken in and those that had piled up
// before have been handled.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Run takes updates in until ctx ends, then finishes what is in flight and
// returns nil. It returns an error when it cannot go on, which a person has to
// put right, such as a wrong token. It is called once.
func (b *Bot) Run(ctx context.Context) error {
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
		defer done()
		b.outbox.work.Go(func() { b.register(menu) })
		take := b.intake
		if b.hook != nil {
			take = b.takeWebhook
		}
		err = take(ctx)
		done()
	}
	finished := make(chan struct{})
	go func() {
		b.outbox.work.Wait()
		close(finished)
	}()
	if err != nil { // there is no more token to send with
		b.end()
	}
	select {
	case <-finished:
	case <-b.life.Done():
		<-finished
	}
	return err
}

// introduce asks Telegram who we are, again and again while it cannot be
// reached.
func (b *Bot) introduce(ctx context.Context) error {
	trouble := troubles{bot: b}
	for {
		result, err := b.call(ctx, sendWithin, func(ctx context.Context) error {
			_, err := b.lib.GetMe(ctx)
			return err
		})
		var me struct {
			ID       int64  `json:"id"`
			Username string `json:"username"`
		}
		if err == nil {
			if err = json.Unmarshal(result, &me); err == nil && me.Username != "" {
				b.me.id, b.me.username = me.ID, me.Username
				b.log.Info("telegram bot signed in", "username", me.Username)
				return nil
			}
			err = &wireError{Err: errors.New("telegram did not say who we are")}
		}
		if ctx.Err() != nil {
			return nil
		}
		wait, fatal := trouble.with(err)
		if fatal != nil {
			return fatal
		}
		if !sleep(ctx, wait) {
			return nil
		}
	}
}
