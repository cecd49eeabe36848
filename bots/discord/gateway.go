package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// timing is how long the gateway is waited for, and how to go on after a
// connection that failed. A token survives 1000 Identifies a day
// (https://discord.com/developers/docs/events/gateway#session-start-limit), so a
// pause of two minutes could go on for ever.
type timing struct {
	open   time.Duration // until READY
	answer time.Duration // to anything written, as a heartbeat
	first  time.Duration // the shortest pause
	long   time.Duration // the longest
	proven time.Duration // a connection that lasted so long was good
	close  time.Duration // for the library to end a connection

	identify time.Duration // between introductions in one lane
}

func defaultTiming() timing {
	return timing{
		open: 30 * time.Second, answer: 20 * time.Second, first: time.Second, long: 2 * time.Minute,
		proven: 10 * time.Minute, close: 3 * time.Second, identify: identifyEvery,
	}
}

// keep holds the connection open until ctx ends, or until only a person can put
// right what is wrong.
func (s *shard) keep(ctx context.Context) error {
	b := s.bot
	pause := time.Duration(0)
	for ctx.Err() == nil {
		began := time.Now()
		err := s.mayIdentify(ctx)
		if err == nil {
			err = b.connect(ctx, s)
		}
		if ctx.Err() != nil {
			break
		}
		if fatal := fatalClose(err); fatal != nil {
			b.count("gateway", platform, "refused")
			return fatal
		}
		if time.Since(began) > b.timing.proven {
			pause = 0
		}
		pause = min(max(2*pause, b.timing.first), b.timing.long)
		wait := pause/2 + rand.N(pause/2+1) // two that were cut off together do not come back together
		b.count("gateway", platform, "down")
		b.log.Warn("discord's gateway lost", "shard", s.id, "err", b.redact(err.Error()), "retry", wait)
		if sleep(ctx, wait) != nil {
			break
		}
	}
	return nil
}

// fatalClose reads a refused token, and the codes with which Discord closes a
// connection for good
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway).
func fatalClose(err error) error {
	var refused *apiError
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && !refused.Plain {
		return errBadToken()
	}
	var closed *websocket.CloseError
	if !errors.As(err, &closed) {
		return nil
	}
	switch closed.Code {
	case 4004:
		return errBadToken()
	case 4010:
		return errors.New("discord does not take this number of connections (gateway code 4010): set discord.shards to auto")
	case 4011:
		return fmt.Errorf("%w (gateway code 4011): set discord.shards to auto, or to a larger number", errMoreShards)
	case 4012, 4013:
		return fmt.Errorf("discord no longer speaks this version's language (gateway code %d): run a newer version", closed.Code)
	case 4014:
		return errors.New("discord refuses an intent (gateway code 4014): switch it on for the bot in the developer portal, under Bot")
	}
	return nil
}

func errBadToken() error {
	return errors.New("discord refuses the bot's token: reset it in the developer portal, under Bot, and put the new one into discord.token")
}

// connect holds one connection until it breaks or ctx ends, and says why it
// broke.
func (b *Bot) connect(ctx context.Context, sh *shard) error {
	c, err := b.newConnection(sh)
	if err != nil {
		return err
	}
	opened := make(chan error, 1)
	go func() { opened <- c.session.Open() }()
	open := false
	defer func() { c.end(opened, open) }()
	late := time.NewTimer(b.timing.open)
	defer late.Stop()
	var ready <-chan struct{} = c.ready
	for {
		select {
		case err := <-opened:
			if opened, open = nil, true; err != nil {
				open = false
				return err
			}
		case <-ready:
			ready = nil
			late.Stop()
			b.count("gateway", platform, "up")
			b.log.Info("discord's gateway ready", "shard", sh.id, "of", sh.count)
			sh.ready()
		case <-c.gone:
			return errors.New("the connection broke")
		case <-late.C:
			return fmt.Errorf("not ready after %v", b.timing.open)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connection is one life of a session of the library. The library can reconnect
// by itself, but not without getting stuck; so every connection gets a session of
// its own, and when it breaks both are left.
type connection struct {
	bot     *Bot
	session *discordgo.Session
	ready   chan struct{} // closed when READY came
	gone    chan struct{} // closed when the library gave the connection up

	mu      sync.Mutex
	over    bool // nothing more is taken in
	conns   []net.Conn
	isReady bool
	isGone  bool
	servers map[string]serverState
}

// serverState is what is known of a server in this connection.
type serverState uint8

const (
	expected serverState = iota + 1 // READY named it
	here
	outage
)

func (b *Bot) newConnection(sh *shard) (*connection, error) {
	s, err := discordgo.New("Bot " + b.client.token)
	if err != nil {
		return nil, fmt.Errorf("make session: %w", err)
	}
	c := &connection{
		bot: b, session: s, ready: make(chan struct{}), gone: make(chan struct{}), servers: map[string]serverState{},
	}
	base, err := url.Parse(b.client.base)
	if err != nil {
		return nil, errors.New("read the server's address")
	}
	s.Client = &http.Client{Transport: &toServer{base, b.client.http.Transport}, Timeout: askWithin}
	s.Dialer = &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: askWithin, NetDialContext: c.dial}
	s.Identify.Intents = discordgo.IntentsGuilds
	s.ShardID, s.ShardCount = sh.id, sh.count
	s.Identify.Shard = &[2]int{sh.id, sh.count}
	s.Compress, s.Identify.Compress = false, false
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	s.LogLevel = discordgo.LogError - 1 // its lines bypass slog and the scrubber; the supervisor says what matters
	s.SyncEvents = true                 // in the order of arrival; what takes long goes elsewhere
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) { c.event(e.Type, e.RawData) })
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { c.lost() })
	return c, nil
}

// toServer sends the library's requests to the bot's server, and to the version
// of the API that the bot speaks.
type toServer struct {
	base *url.URL
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *toServer) RoundTrip(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host, out.Host = t.base.Scheme, t.base.Host, t.base.Host
	out.URL.Path = strings.Replace(out.URL.Path, "/api/v"+discordgo.APIVersion+"/", apiPath+"/", 1)
	return t.next.RoundTrip(out)
}

// dial connects to the gateway, unless the connection is over.
func (c *connection) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: askWithin, KeepAlive: 15 * time.Second}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		_ = conn.Close() // it was given up meanwhile
		return nil, net.ErrClosed
	}
	c.conns = append(c.conns, conn)
	return &watched{Conn: conn, patience: c.bot.timing.answer}, nil
}

// lost notes that the library gave the connection up.
func (c *connection) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isGone {
		c.isGone = true
		close(c.gone)
	}
}

// end makes sure that nothing more comes from the connection. It is closed in
// order when it was open. When it was not, it is cut: the library may be stuck
// with its lock held, and then that one goroutine is left behind.
func (c *connection) end(opened <-chan error, open bool) {
	c.mu.Lock()
	c.over = true
	conns := c.conns
	c.mu.Unlock()
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // the library may have closed it
		}
	}()
	late := time.NewTimer(c.bot.timing.close)
	defer late.Stop()
	closed := make(chan struct{})
	switch {
	case opened != nil: // still opening
		for _, conn := range conns {
			_ = conn.Close() // what it waits for fails now
		}
		select {
		case <-opened:
			return
		case <-late.C:
		}
	case open:
		go func() {
			defer close(closed)
			_ = c.session.Close() // the connection may be broken already
		}()
		select {
		case <-closed:
			return
		case <-late.C:
		}
	default:
		return
	}
	c.bot.count("gateway", platform, "stuck")
	c.bot.log.Warn("discord's gateway connection left behind: the library does not end it")
}

// event takes in what the gateway sends, in the order of arrival.
func (c *connection) event(name string, raw json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	defer c.bot.survive()
	switch name {
	case "READY":
		c.start(raw)
	case "INTERACTION_CREATE":
		c.bot.accept(raw, nil)
	case "ENTITLEMENT_CREATE", "ENTITLEMENT_UPDATE":
		c.bot.bought(raw, false)
	case "ENTITLEMENT_DELETE":
		c.bot.bought(raw, true)
	case "GUILD_CREATE":
		c.serverCame(raw)
	case "GUILD_DELETE":
		c.serverWent(raw)
	}
}

// start notes the servers that we are in. Discord tells more about each of them
// in a moment.
func (c *connection) start(raw []byte) {
	var r struct {
		Guilds []serverEvent `json:"guilds"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		c.bot.log.Warn("greeting of discord's gateway not understood")
	}
	for _, g := range r.Guilds {
		c.servers[g.ID] = expected
	}
	if !c.isReady {
		c.isReady = true
		close(c.ready)
	}
}

// serverEvent is the part of GUILD_CREATE and GUILD_DELETE that is used.
type serverEvent struct {
	ID          string    `json:"id"`
	Unavailable bool      `json:"unavailable"`
	Joined      time.Time `json:"joined_at"`
}

// newHere is how long a server counts as joined just now: who was thrown out and
// taken back while the bot was down is only known by the date.
const newHere = 7 * 24 * time.Hour

// serverCame tells the engine of a server that we joined. That one is back after
// an outage, or one of those that READY named, is no news.
func (c *connection) serverCame(raw []byte) {
	var g serverEvent
	if json.Unmarshal(raw, &g) != nil || !isID(g.ID) {
		c.bot.count("update", platform, "error")
		return
	}
	before := c.servers[g.ID]
	if g.Unavailable {
		if before != 0 {
			c.servers[g.ID] = outage
		}
		return
	}
	c.servers[g.ID] = here
	if before == 0 || before == expected && c.bot.now().Sub(g.Joined) < newHere {
		c.bot.happen("joined", g.ID, raw)
	}
}

// serverWent tells the engine of a server that we were removed from. An outage is
// not that.
func (c *connection) serverWent(raw []byte) {
	var g serverEvent
	switch {
	case json.Unmarshal(raw, &g) != nil || !isID(g.ID):
		c.bot.count("update", platform, "error")
	case g.Unavailable:
		c.servers[g.ID] = outage
	default:
		delete(c.servers, g.ID)
		c.bot.happen("left", g.ID, raw)
	}
}
