package bottest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// TelegramOptions are the choices of a fake Telegram; the zero value is a good
// default for tests.
type TelegramOptions struct {
	// Addr is where to listen, "127.0.0.1:0" when empty. Only loopback addresses
	// are accepted.
	Addr string
	// Token is the bot's token, "<bot id>:<secret>".
	Token string
	// Username is the bot's user name without "@".
	Username string
	// Now is the clock of message dates, lifetimes and rates; time.Now when nil.
	Now func() time.Time
	// API is what requests are checked against. When nil, the file is looked for
	// as FindBotAPI does, and without it only the hand-written limits apply.
	API *BotAPI
	// Unchecked goes without API even where it is: for benchmarks, which measure
	// the bot and not the checks.
	Unchecked bool
	// SeesAll switches the bot's privacy mode off: it gets every group message.
	SeesAll bool
	// Pace, when not nil, makes the fake answer 429 to a bot that sends too fast.
	Pace *TelegramPace
	// SlowRepeats imitates what the official server does to pollers that repeat an
	// offset: within half a second one update at most, within three seconds a wait
	// of at least three. Off by default, for it makes tests slow.
	SlowRepeats bool
	// AnswerWithin is how long a callback query may be answered, by the fake's
	// clock; 150 seconds when zero.
	AnswerWithin time.Duration
	// RetryWebhook is how long to wait before delivery number fails+1 of an update
	// to the webhook. When nil: at once, then 1 s doubling to 60 s.
	RetryWebhook func(fails int) time.Duration
}

// Telegram is a fake Bot API server with the people, chats and messages of a
// small Telegram. All methods may be called from any goroutine.
type Telegram struct {
	// Token and Username are the bot's; they never change.
	Token    string
	Username string

	opts    TelegramOptions
	api     *BotAPI
	me      TelegramUser
	methods map[string]tgHandler
	faults  Faults
	rec     Recorder
	server  *http.Server
	addr    string
	done    chan struct{}
	served  chan struct{}
	busy    sync.WaitGroup // requests being served

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	closed  bool
	ahead   time.Duration

	users   map[int64]*tgPerson
	rooms   map[int64]*tgRoom
	nextID  int   // message ids of private chats and basic groups are one series
	serial  int64 // queries, polls, files, charges
	polls   map[string]*tgPoll
	queries map[string]*tgQuery
	carts   map[string]*tgCart
	sales   []*tgCart // paid, oldest first
	files   map[string]tgFile
	profile tgProfile
	sends   []tgSend
	hits    int // sends refused by Pace
	held    int // requests that a fault keeps waiting

	queue tgQueue
	hook  *tgHook
}

// NewTelegram starts a fake Telegram on loopback. It panics when it cannot
// listen, as net/http/httptest does; see ListenTelegram.
func NewTelegram(opts TelegramOptions) *Telegram {
	t, err := ListenTelegram(opts)
	if err != nil {
		panic(err)
	}
	return t
}

// ListenTelegram starts a fake Telegram. The caller closes it.
func ListenTelegram(opts TelegramOptions) (*Telegram, error) {
	t, err := newTelegram(opts)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", t.opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the fake telegram: %w", err)
	}
	t.addr = ln.Addr().String()
	t.server = &http.Server{Handler: t, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(t.served)
		_ = t.server.Serve(ln) // always an error: the listener was closed
	}()
	return t, nil
}

func newTelegram(opts TelegramOptions) (*Telegram, error) {
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("read the fake telegram's address: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("listen for the fake telegram: %q is not a loopback address", host)
	}
	if opts.Token == "" {
		opts.Token = "7000000001:AAfakeTokenOfTheFakeTelegramServer00"
	}
	if opts.Username == "" {
		opts.Username = "prep_test_bot"
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.AnswerWithin == 0 {
		opts.AnswerWithin = callbackLife
	}
	if opts.RetryWebhook == nil {
		opts.RetryWebhook = webhookPause
	}
	head, _, ok := strings.Cut(opts.Token, ":")
	id, err := strconv.ParseInt(head, 10, 64)
	if !ok || err != nil || id <= 0 {
		return nil, errors.New("read the fake telegram's token: want <bot id>:<secret>")
	}
	t := &Telegram{
		Token: opts.Token, Username: opts.Username, opts: opts, api: opts.API, methods: methods(),
		me:   TelegramUser{ID: id, IsBot: true, FirstName: "Prep", Username: opts.Username},
		done: make(chan struct{}), served: make(chan struct{}), changed: make(chan struct{}),
		users: map[int64]*tgPerson{}, rooms: map[int64]*tgRoom{},
		polls: map[string]*tgPoll{}, queries: map[string]*tgQuery{},
		carts: map[string]*tgCart{}, files: map[string]tgFile{},
		serial: 5_000_000_000, nextID: 100,
	}
	// Ids start high and anywhere, as the real ones do.
	t.queue.next = 500_000_000 + rand.Int64N(100_000_000)
	t.profile.init()
	if t.api == nil && !opts.Unchecked {
		if t.api, err = FindBotAPI(); err != nil && !errors.Is(err, ErrNoSpec) {
			return nil, err
		}
	}
	return t, nil
}

// enter counts a request in, unless the server is closed.
func (t *Telegram) enter() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.busy.Add(1)
	}
	return !t.closed
}

// URL is the server's root for bot.WithServerURL: methods are at
// URL()/bot<token>/<method>.
func (t *Telegram) URL() string { return "http://" + t.addr }

// Checked reports whether requests are checked against the published
// specification too, or only against the hand-written limits.
func (t *Telegram) Checked() bool { return t.api != nil }

// Close ends every poll and webhook delivery and stops the server.
func (t *Telegram) Close() {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.closed = true
	close(t.done)
	hook := t.hook
	t.hook = nil
	t.mu.Unlock()
	hook.stop()
	if t.server != nil {
		_ = t.server.Close() // the listener and connections only
		<-t.served
	}
	t.busy.Wait()
}

// Inject makes requests fail; Fault.Match is held against the method's name.
func (t *Telegram) Inject(f Fault) { t.faults.Inject(f) }

// ClearFaults forgets every fault still waiting.
func (t *Telegram) ClearFaults() { t.faults.Clear() }

// Requests returns every request, oldest first. Recorded.Path is "/" and the
// method, and Recorded.Body is a JSON object of the parameters, however they were
// sent; an uploaded file stands in it as {"file_name","size"}.
func (t *Telegram) Requests() []Recorded { return t.rec.Requests() }

// Calls returns the parameters of every request of one method that was answered
// with status 200, oldest first.
func (t *Telegram) Calls(method string) []map[string]any {
	var out []map[string]any
	for _, r := range t.rec.Requests() {
		if r.Path != "/"+method || r.Status != http.StatusOK {
			continue
		}
		var args map[string]any
		if json.Unmarshal(r.Body, &args) == nil {
			out = append(out, args)
		}
	}
	return out
}

// Problems returns every request that breaks the specification or a limit. A
// test of a well-behaved client asserts that it is empty.
func (t *Telegram) Problems() []string { return t.rec.Problems() }

// ForgetRequests empties Requests and Problems.
func (t *Telegram) ForgetRequests() { t.rec.Reset() }

// Now is the fake's clock.
func (t *Telegram) Now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now()
}

// Advance moves the fake's clock ahead by d, on top of TelegramOptions.Now, and
// closes the polls whose time is over.
func (t *Telegram) Advance(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ahead += d
	t.closePolls()
	t.touch()
}

// now needs t.mu.
func (t *Telegram) now() time.Time { return t.opts.Now().Add(t.ahead) }

// touch wakes everybody who waits for a change; it needs t.mu.
func (t *Telegram) touch() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// number gives out the next unused number; it needs t.mu.
func (t *Telegram) number() int64 {
	t.serial += 1 + rand.Int64N(1000)
	return t.serial
}

// Wait returns when ok does, which is asked again after every change. The error
// says what was waited for. It is the only way to wait: nothing sleeps.
func (t *Telegram) Wait(ctx context.Context, what string, ok func() bool) error {
	for {
		t.mu.Lock()
		changed := t.changed
		t.mu.Unlock()
		if ok() {
			return nil
		}
		select {
		case <-changed:
		case <-t.done:
			return fmt.Errorf("wait for %s: the fake telegram was closed", what)
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		}
	}
}
