package discord

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// TestMain runs many tests side by side, for most of their time they wait for the
// library to sleep. The one thing that may be left behind is a session of the
// library that is stuck in its own lock.
func TestMain(m *testing.M) {
	if os.Getenv(fakeAlone) != "" {
		if err := beFake(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "6") // a number
	}
	code := m.Run()
	if err := leaked(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// leaked finds goroutines that are left over, but for the two of such a session:
// the one that holds its lock, and its listener that waits for it. A listener
// that reads, or anything of ours that waits for a lock, is a leak.
func leaked() error {
	err := goleak.Find(goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).CloseWithCode"))
	if err == nil {
		return nil
	}
	for stack := range strings.SplitSeq(err.Error(), "[Goroutine ") {
		if !strings.Contains(stack, " in state ") {
			continue // the heading
		}
		if !strings.Contains(stack, "sync.(*RWMutex).RLock") || !strings.Contains(stack, "discordgo.(*Session).listen(") {
			return err
		}
	}
	return nil
}

// patienceOf is how long a test waits for anything before it fails.
const patienceOf = 20 * time.Second

// spec is Discord's official description, read once for all tests.
var spec = sync.OnceValue(func() *bottest.Spec {
	s, err := bottest.FindSpec()
	if err != nil {
		return nil // the fake goes without it
	}
	return s
})

// world is a bot over a real engine, a store in memory and a fake Discord with a
// server in which Admin, Alice and Bob are.
type world struct {
	*testing.T
	bottest.Sample
	d      *bottest.Discord
	engine *engine.Engine
	log    *logBuffer
	counts *counter
	cfg    Config
	bot    *Bot
	stop   func() error // ends Run and returns what it returned
}

// newWorld makes a world whose bot does not run yet. change, if not nil, changes
// the bot's configuration. Discord's clock stands, unless a test needs it, for how
// fast this machine is must not decide who is answered in time.
func newWorld(t *testing.T, opts bottest.DiscordOptions, change func(*Config)) *world {
	t.Helper()
	t.Parallel() // the library sleeps a second at every end
	opts.Spec = spec()
	if now := time.Now(); opts.Now == nil && opts.RoutePer == 0 {
		opts.Now = func() time.Time { return now }
	}
	w := &world{T: t, d: bottest.StartDiscord(t, opts), log: &logBuffer{}, counts: &counter{}}
	w.Sample = w.d.Populate()
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	w.engine, err = engine.New(t.Context(), engine.Config{
		Store: storetest.Memory(), Bank: testBank(), Log: log, Secret: bytes.Repeat([]byte{7}, 32),
	})
	w.must(err)
	w.cfg = Config{Engine: w.engine, Token: bots.Secret(w.d.Token), Log: log, Count: w.counts.add, BaseURL: w.d.URL()}
	if change != nil {
		change(&w.cfg)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the bot's log:\n%s", w.log.String())
		}
	})
	return w
}

// make makes the bot without running it, for what goes out unasked.
func (w *world) make() *Bot {
	w.Helper()
	var err error
	w.bot, err = New(w.cfg)
	w.must(err)
	w.bot.me = self{w.d.AppID, w.d.BotID, w.d.PublicKey()}
	w.Cleanup(func() {
		w.bot.end()
		w.bot.http.CloseIdleConnections()
	})
	return w.bot
}

// run starts the bot, and the engine's schedule over it, and waits until it is
// ready and its commands can be used. change, if not nil, changes it before.
func (w *world) run(change func(*Bot)) {
	w.Helper()
	w.launch(change)
	select {
	case <-w.bot.Ready():
	case <-w.soon().Done():
		w.Fatal("the bot is not ready")
	}
	w.must(w.d.WaitCommands(w.soon(), "", "help"))
}

// launch starts the bot without waiting.
func (w *world) launch(change func(*Bot)) {
	w.Helper()
	w.make()
	w.bot.timing.first, w.bot.timing.long = 5*time.Millisecond, 50*time.Millisecond
	w.bot.timing.identify = time.Millisecond
	w.bot.wordWithin = patienceOf
	if change != nil {
		change(w.bot)
	}
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan error, 1)
	var schedule sync.WaitGroup
	go func() { done <- w.bot.Run(ctx) }()
	schedule.Go(func() { _ = w.engine.RunSchedule(ctx, map[string]engine.Poster{platform: w.bot}) })
	w.stop = sync.OnceValue(func() error {
		cancel()
		schedule.Wait()
		return <-done
	})
	w.Cleanup(func() {
		if err := w.stop(); err != nil {
			w.Errorf("Run() = %v", err)
		}
	})
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// soon is a context that ends when a test has waited long enough.
func (w *world) soon() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patienceOf)
	w.Cleanup(cancel)
	return ctx
}

func (w *world) slash(user, channel, name string, opts ...bottest.Opt) *bottest.Interaction {
	w.Helper()
	it, err := w.d.Slash(user, channel, name, opts...)
	w.must(err)
	return it
}

// click presses the first button of a message whose label or address begins with
// what.
func (w *world) click(user, message, what string) *bottest.Interaction {
	w.Helper()
	m, ok := w.d.Message(message)
	if !ok {
		w.Fatalf("there is no message %s", message)
	}
	for _, c := range m.Pressable() {
		if strings.HasPrefix(c.Label, what) || strings.HasPrefix(c.CustomID, what) {
			it, err := w.d.Click(user, message, c.CustomID)
			w.must(err)
			return it
		}
	}
	w.Fatalf("no button %q below %q: %v", what, m.Text(), m.Pressable())
	return nil
}

// shown waits for the words of an answer.
func (w *world) shown(it *bottest.Interaction) bottest.Response {
	w.Helper()
	r, err := it.WaitShown(w.soon())
	w.must(err)
	return r
}

// until waits for something that the fake Discord does not see.
func (w *world) until(what string, ok func() bool) {
	w.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patienceOf); !ok(); <-tick.C {
		if time.Now().After(end) {
			w.Fatalf("in vain waited until %s", what)
		}
	}
}

// clean fails unless the bot kept to Discord's rules.
func (w *world) clean() {
	w.Helper()
	if problems := w.d.Problems(); len(problems) > 0 {
		w.Errorf("against Discord's rules:\n%s", strings.Join(problems, "\n"))
	}
}

// posts counts the requests of one kind.
func (w *world) requests(method, end string) int {
	n := 0
	for _, r := range w.d.Requests() {
		path, _, _ := strings.Cut(r.Path, "?")
		if r.Method == method && strings.HasSuffix(path, end) {
			n++
		}
	}
	return n
}

// testBank is one topic with twelve questions whose right answer says so.
func testBank() *content.Bank {
	topic := &content.Topic{ID: "caching", Title: "Caching", Levels: []content.Level{content.Mid}}
	for n := range 12 {
		topic.Items = append(topic.Items, &content.Item{
			ID: fmt.Sprintf("caching.%03d", n+1), Rev: 1, Level: content.Mid, Cognitive: "recall", Status: content.Live,
			Stem: fmt.Sprintf("Which of these is **right** about `cache[%d]`?", n),
			Code: &content.Code{Lang: "python", Text: "x = 1"},
			Options: []content.Option{
				{Key: "a", Text: "the right one", Correct: true, Why: "It is."},
				{Key: "b", Text: "a wrong one", Why: "It is not."},
				{Key: "c", Text: "another wrong one", Why: "Nor is this."},
			},
			Short: "The right one is right.", Full: strings.Repeat("The whole reason, at length. ", 10),
		})
	}
	return content.NewBank([]*content.Category{{ID: "serving", Title: "Serving", Topics: []*content.Topic{topic}}})
}

// meddler stands between a bot and its engine.
type meddler struct {
	bots.Engine
	handle func(context.Context, engine.Input) (engine.Reply, error) // nil: the engine's

	mu     sync.Mutex
	inputs []engine.Input // handled, in order of their beginning
	kept   []string       // what was set aside
}

func (m *meddler) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	m.mu.Lock()
	m.inputs = append(m.inputs, in)
	m.mu.Unlock()
	if m.handle != nil {
		return m.handle(ctx, in)
	}
	return m.Engine.Handle(ctx, in)
}

func (m *meddler) SetAside(_ context.Context, platform, id string, _ time.Time, raw []byte, reason string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = append(m.kept, strings.Join([]string{platform, id, reason, string(raw)}, " "))
	return nil
}

// seen returns what was handled so far, but for the coming and going of servers.
func (m *meddler) seen() []engine.Input {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []engine.Input
	for _, in := range m.inputs {
		if !in.Event {
			out = append(out, in)
		}
	}
	return out
}

// events returns what became of servers so far.
func (m *meddler) events() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, in := range m.inputs {
		if in.Event {
			out = append(out, in.Verb+" "+in.In.Server)
		}
	}
	return out
}

// setAside returns what was set aside so far.
func (m *meddler) setAside() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.kept...)
}

// meddle puts a meddler between the bot and the engine.
func meddle(into **meddler, handle func(context.Context, engine.Input) (engine.Reply, error)) func(*Config) {
	return func(cfg *Config) {
		*into = &meddler{Engine: cfg.Engine, handle: handle}
		cfg.Engine = *into
	}
}

// logBuffer is a buffer that several goroutines may write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*logBuffer)(nil)

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// counter counts outcomes.
type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) add(what, _, outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what+" "+outcome]++
}

func (c *counter) get(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[what]
}
