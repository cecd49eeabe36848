package telegram

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// The people and the group of every test.
const (
	ann   = int64(1001) // manages the group
	bob   = int64(1002)
	cleo  = int64(1003) // never opens the private chat
	group = int64(-4001)
)

// patienceOf is how long a test waits for anything before it fails.
const patienceOf = 15 * time.Second

// world is a bot over a real engine, a store in memory and a fake Telegram.
type world struct {
	*testing.T
	tg     *bottest.Telegram
	engine *engine.Engine
	store  engine.Store
	log    *logBuffer
	counts *counter
	cfg    Config
	stop   func() error // ends Run and returns what it returned
	bot    *Bot
}

// newWorld makes a world whose bot does not run yet. change, if not nil, changes
// the bot's configuration.
func newWorld(t *testing.T, opts bottest.TelegramOptions, change func(*Config)) *world {
	t.Helper()
	tg, err := bottest.ListenTelegram(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tg.Close)
	w := &world{T: t, tg: tg, store: storetest.Memory(), log: &logBuffer{}, counts: &counter{}}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.engine, err = engine.New(t.Context(), engine.Config{Store: w.store, Bank: testBank(), Log: log, Secret: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg = Config{Engine: w.engine, Token: bots.Secret(tg.Token), Log: log, Count: w.counts.add, BaseURL: tg.URL()}
	if change != nil {
		change(&w.cfg)
	}
	w.addPeople()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the bot's log:\n%s", w.log.String())
		}
	})
	return w
}

func (w *world) addPeople() {
	w.Helper()
	tg := w.tg
	w.must(tg.AddUser(bottest.TelegramUser{ID: ann, FirstName: "Ann", LanguageCode: "en"}))
	w.must(tg.AddUser(bottest.TelegramUser{ID: bob, FirstName: "Bob"}))
	w.must(tg.AddUser(bottest.TelegramUser{ID: cleo, FirstName: "Cleo"}))
	w.must(tg.AddChat(bottest.TelegramChat{ID: group, Type: "group", Title: "Study group"}, ann, bob, cleo))
}

// run starts the bot, and the engine's schedule over it, and waits until it is
// ready.
func (w *world) run() {
	w.Helper()
	w.launch(nil)
	select {
	case <-w.bot.Ready():
	case <-time.After(patienceOf):
		w.Fatal("the bot is not ready")
	}
}

// launch starts the bot without waiting. change, if not nil, changes it before.
func (w *world) launch(change func(*Bot)) {
	w.Helper()
	var err error
	if w.bot, err = New(w.cfg); err != nil {
		w.Fatal(err)
	}
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
	ctx, cancel := context.WithTimeout(w.Context(), patienceOf)
	w.Cleanup(cancel)
	return ctx
}

func (w *world) start(user int64) bottest.TelegramMessage {
	w.Helper()
	m, err := w.tg.Start(user, "")
	w.must(err)
	return w.next(user, m)
}

// next waits for the bot's next message in a chat.
func (w *world) next(chat int64, after bottest.TelegramMessage) bottest.TelegramMessage {
	w.Helper()
	m, err := w.tg.WaitBot(w.soon(), chat, after)
	w.must(err)
	return m
}

func (w *world) text(user, chat int64, text string, opts ...bottest.TelegramTextOption) bottest.TelegramMessage {
	w.Helper()
	m, err := w.tg.Text(user, chat, text, opts...)
	w.must(err)
	return m
}

// press presses the first button whose label or action begins with what.
func (w *world) press(user int64, m bottest.TelegramMessage, what string) *bottest.TelegramPress {
	w.Helper()
	now, ok := w.tg.Message(m.Chat.ID, m.ID)
	if !ok {
		w.Fatalf("message %d is gone", m.ID)
	}
	for _, b := range now.Buttons() {
		if b.Data != "" && (strings.HasPrefix(b.Text, what) || strings.HasPrefix(b.Data, what)) {
			p, err := w.tg.Press(user, now, b.Data)
			w.must(err)
			return p
		}
	}
	w.Fatalf("no button %q below %q: %v", what, now.Words(), now.Buttons())
	return nil
}

func (w *world) edited(p *bottest.TelegramPress) bottest.TelegramMessage {
	w.Helper()
	m, err := p.Edited(w.soon())
	w.must(err)
	return m
}

func (w *world) answered(p *bottest.TelegramPress) bottest.TelegramAnswer {
	w.Helper()
	a, err := p.Answer(w.soon())
	w.must(err)
	return a
}

// until waits for something that the fake Telegram does not see.
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

// clean fails unless the bot kept to Telegram's rules and answered all presses.
func (w *world) clean() {
	w.Helper()
	w.must(w.tg.Acknowledged(w.soon()))
	w.must(w.tg.Wait(w.soon(), "an answer to every press", func() bool { return len(w.tg.Unanswered()) == 0 }))
	w.lawful()
}

// lawful fails unless the bot kept to Telegram's rules.
func (w *world) lawful() {
	w.Helper()
	if problems := w.tg.Problems(); len(problems) > 0 {
		w.Errorf("against Telegram's rules:\n%s", strings.Join(problems, "\n"))
	}
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
	aside  func() error                                              // nil: always well

	mu     sync.Mutex
	inputs []engine.Input // handled, in order of their beginning
	kept   []string       // ids set aside
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

func (m *meddler) SetAside(ctx context.Context, platform, id string, at time.Time, raw []byte, reason string) error {
	if m.aside != nil {
		if err := m.aside(); err != nil {
			return err
		}
	}
	m.mu.Lock()
	m.kept = append(m.kept, id)
	m.mu.Unlock()
	return m.Engine.SetAside(ctx, platform, id, at, raw, reason)
}

// seen returns what was handled so far.
func (m *meddler) seen() []engine.Input {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]engine.Input(nil), m.inputs...)
}

// setAside returns what was set aside so far.
func (m *meddler) setAside() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.kept...)
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

func (c *counter) add(what, platform, outcome string) {
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
