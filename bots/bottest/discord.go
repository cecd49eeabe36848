package bottest

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// DiscordOptions shapes a fake Discord; the zero value is good for most tests.
type DiscordOptions struct {
	// Addr is where to listen; "" is a free port on loopback.
	Addr string
	// Token is the bot's token without "Bot "; "" makes a fixed one.
	Token string
	// Now is the server's clock: nonce memory, deadlines of interactions, rate
	// limits and ids. nil is time.Now.
	Now func() time.Time
	// HeartbeatInterval is what Hello asks for; 0 is 41.25 s. A client that stays
	// silent for two intervals of real time is cut off.
	HeartbeatInterval time.Duration
	// Shards is how many connections GET /gateway/bot recommends, and Concurrency
	// how many may identify at once; 0 is 1.
	Shards, Concurrency int
	// MaxIdentifies is how many Identify a token survives; 0 is 1000.
	MaxIdentifies int
	// Privileged are the privileged intents granted to the app.
	Privileged int
	// RouteLimit and RoutePer are the limit of every route bucket; 0 is 1000 in 1 s.
	RouteLimit int
	RoutePer   time.Duration
	// GlobalLimit is the bot's limit in requests a second over all routes but
	// interaction ones; 0 is none.
	GlobalLimit int
	// MentionsUnchecked turns off the house rule that every message sent or edited
	// says allowed_mentions with an empty parse list.
	MentionsUnchecked bool
	// RolePings are the roles that allowed_mentions may list all the same.
	RolePings []string
	// ForumCode answers a plain message to a forum channel; 0 is 50008, which the
	// live service sends. Older documentation says 40058.
	ForumCode int
	// Spec is the official API description to check bodies against; nil looks for
	// it (see FindSpec) and goes without it when it is not there.
	Spec *Spec
	// Unchecked goes without the description even where it is: for benchmarks,
	// which measure the bot and not the checks.
	Unchecked bool
}

// Discord is a fake Discord: REST and gateway on one address.
type Discord struct {
	// Token is what the bot must present, without "Bot ".
	Token string
	// AppID is the application's id, BotID the bot user's.
	AppID, BotID string

	faults Faults
	rec    Recorder
	opts   DiscordOptions
	spec   *Spec
	mux    *http.ServeMux
	routes map[string]route // by the mux's pattern
	server *http.Server
	url    string
	quit   chan struct{} // closed by Close
	wg     sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever the state changes
	lastID  uint64
	ahead   Clock // only its shift is used
	world   world
	gate    gateway

	endpoint string             // of HTTP delivery, "" for the gateway
	key      ed25519.PrivateKey // signs HTTP deliveries
	limits   limits
}

// world is the state that a platform keeps.
type world struct {
	people       map[string]*Person
	guilds       map[string]*guild
	channels     map[string]*Channel
	messages     map[string]*Message
	feed         map[string][]*Message // by channel, oldest first, deleted and ephemeral ones included
	nonces       map[string]*Message   // the bot's latest message by nonce
	commands     map[string][]*command // by guild, "" for global ones
	created      map[string]int        // commands created by guild and day
	interactions map[string]*Interaction
	tokens       map[string]*Interaction
	entitlements []*Entitlement
}

// guild is a Guild with what belongs to it.
type guild struct {
	Guild
	members map[string]*Member
	roles   map[string]string // id -> name
	order   []string          // channel ids as they were added
}

// NewDiscord starts a fake Discord. Close must be called in the end.
func NewDiscord(opts DiscordOptions) (*Discord, error) {
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	if opts.Token == "" {
		opts.Token = "MTA.fake.discord-token-for-tests"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.HeartbeatInterval == 0 {
		opts.HeartbeatInterval = 41250 * time.Millisecond
	}
	if opts.MaxIdentifies == 0 {
		opts.MaxIdentifies = 1000
	}
	if opts.ForumCode == 0 {
		opts.ForumCode = 50008
	}
	if opts.Spec == nil && !opts.Unchecked {
		spec, err := FindSpec()
		if err != nil && !errors.Is(err, ErrNoDiscordSpec) {
			return nil, err
		}
		opts.Spec = spec
	}
	ln, err := net.Listen("tcp", opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the fake Discord: %w", err)
	}
	d := &Discord{Token: opts.Token, opts: opts, spec: opts.Spec, quit: make(chan struct{}), changed: make(chan struct{})}
	d.url = "http://" + ln.Addr().String()
	d.world = world{
		people: map[string]*Person{}, guilds: map[string]*guild{}, channels: map[string]*Channel{},
		messages: map[string]*Message{}, feed: map[string][]*Message{}, nonces: map[string]*Message{}, commands: map[string][]*command{},
		created: map[string]int{}, interactions: map[string]*Interaction{}, tokens: map[string]*Interaction{},
	}
	d.limits.windows = map[string]*window{}
	if _, d.key, err = ed25519.GenerateKey(nil); err != nil {
		return nil, fmt.Errorf("make the fake Discord's key: %w", err)
	}
	d.AppID = d.newID()
	d.BotID = d.AppID
	d.world.people[d.BotID] = &Person{ID: d.BotID, Name: "aiprep", Bot: true}
	d.addRoutes()
	d.server = &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second}
	d.wg.Go(func() { _ = d.server.Serve(ln) }) // ends with ErrServerClosed when Close is called
	return d, nil
}

// TB is the part of *testing.T that StartDiscord uses.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// StartDiscord is NewDiscord for a test: it fails the test when the server cannot
// start and closes it when the test ends.
func StartDiscord(t TB, opts DiscordOptions) *Discord {
	t.Helper()
	d, err := NewDiscord(opts)
	if err != nil {
		t.Fatalf("start the fake Discord: %v", err)
	}
	t.Cleanup(d.Close)
	return d
}

// URL is the base URL without a trailing slash, as http://127.0.0.1:40001; the
// REST API is under /api/v9 and /api/v10.
func (d *Discord) URL() string { return d.url }

// Close ends every connection and waits for the server's goroutines.
func (d *Discord) Close() {
	d.mu.Lock()
	select {
	case <-d.quit:
		d.mu.Unlock()
		return
	default:
	}
	close(d.quit)
	for _, c := range d.gate.conns {
		_ = c.ws.Close() // nothing is to be told to a client of a dying server
		c.shut()
	}
	d.gate.closed = true
	d.mu.Unlock()
	_ = d.server.Close() // closes the listener and idle connections; errors change nothing
	d.wg.Wait()
}

// Advance moves the server's clock ahead; the real time does not pass.
func (d *Discord) Advance(by time.Duration) { d.ahead.Advance(by) }

// now is the server's clock.
func (d *Discord) now() time.Time { return d.opts.Now().Add(d.ahead.shift()) }

// discordEpoch is the first millisecond of 2015, where snowflakes begin
// (reference, "Snowflakes").
const discordEpoch = 1420070400000

// Inject adds a fault; see Fault.
func (d *Discord) Inject(f Fault) { d.faults.Inject(f) }

// ClearFaults forgets every fault still waiting.
func (d *Discord) ClearFaults() { d.faults.Clear() }

// Requests returns the REST requests so far, oldest first.
func (d *Discord) Requests() []Recorded { return d.rec.Requests() }

// Problems returns what the client did wrong: requests over a limit, keys that
// Discord does not know, breaches of the house rule on mentions, mistakes on the
// gateway. A test of a well-behaved bot asserts that it is empty.
func (d *Discord) Problems() []string { return d.rec.Problems() }

// ForgetRequests forgets requests and problems.
func (d *Discord) ForgetRequests() { d.rec.Reset() }

// newID makes the next snowflake: unique, rising, and telling the server's time.
func (d *Discord) newID() string {
	id := uint64(d.now().UnixMilli()-discordEpoch) << 22
	if id <= d.lastID {
		id = d.lastID + 1
	}
	d.lastID = id
	return strconv.FormatUint(id, 10)
}

// touch wakes everybody who waits for a change of state.
func (d *Discord) touch() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// await calls ready under the lock after every change of state until it says true.
func (d *Discord) await(ctx context.Context, ready func() bool) error {
	for {
		d.mu.Lock()
		if ready() {
			d.mu.Unlock()
			return nil
		}
		changed := d.changed
		d.mu.Unlock()
		select {
		case <-changed:
		case <-d.quit:
			return errors.New("wait for the client: the fake Discord was closed")
		case <-ctx.Done():
			return fmt.Errorf("wait for the client: %w", ctx.Err())
		}
	}
}
