package telegram

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// BenchmarkPress measures presses a second from end to end: the fake delivers a
// press, the bot answers it. "aiprep" is an answer to a challenge, on disk before
// it is told; "hello" is the bare library with a handler that says hello.
//
//	go test ./bots/telegram -run '^$' -bench Press -benchtime 20000x
func BenchmarkPress(b *testing.B) {
	b.Run("aiprep", func(b *testing.B) {
		c := newBenchCrowd(b)
		c.startAiprep(b)
		c.press(b)
	})
	b.Run("hello", func(b *testing.B) {
		c := newBenchCrowd(b)
		c.startHello(b)
		c.press(b)
	})
}

// What a bench has.
const (
	benchPeople   = 1000
	benchPressers = 256 // presses that are under way
)

// benchCrowd is people in groups, each with a message that has buttons.
type benchCrowd struct {
	tg     *bottest.Telegram
	groups []int64
	posts  []bottest.TelegramMessage
}

func newBenchCrowd(b *testing.B) *benchCrowd {
	b.Helper()
	t, err := bottest.ListenTelegram(bottest.TelegramOptions{Unchecked: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(t.Close)
	c := &benchCrowd{tg: t}
	var members []int64
	for n := range benchPeople {
		members = append(members, int64(1000+n))
		if err := t.AddUser(bottest.TelegramUser{ID: members[n], FirstName: fmt.Sprint("Person ", n)}); err != nil {
			b.Fatal(err)
		}
	}
	for n := range b.N/benchPeople + 1 {
		id := -int64(1_000_004_000_000 + n)
		if err := t.AddChat(bottest.TelegramChat{ID: id, Type: "supergroup", Title: fmt.Sprint("Group ", n)}, members[0], members[1:]...); err != nil {
			b.Fatal(err)
		}
		if err := t.AddBot(members[0], id, false); err != nil {
			b.Fatal(err)
		}
		c.groups = append(c.groups, id)
	}
	return c
}

// startAiprep runs the bot over a store on disk and waits for its challenges.
func (c *benchCrowd) startAiprep(b *testing.B) {
	b.Helper()
	store, err := boltstore.Open(filepath.Join(b.TempDir(), "bench.db"), boltstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	e, err := engine.New(b.Context(), engine.Config{Store: store, Bank: testBank(), Log: log})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Minute)
	for _, id := range c.groups {
		chat := strconv.FormatInt(id, 10)
		_, err := e.Handle(b.Context(), engine.Input{
			ID: "setup", At: now.Add(-time.Second), Admin: true, Verb: "setup", Args: []string{"time=" + now.Format("15:04"), "zone=UTC", "days=" + now.Format("Mon")},
			From: engine.User{Platform: platform, ID: "admin" + chat}, In: engine.Place{Platform: platform, Server: chat, Chat: chat},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	bot, err := New(Config{Engine: &leisurely{Engine: e, start: now}, Token: bots.Secret(c.tg.Token), Log: log, BaseURL: c.tg.URL()})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { _ = bot.Run(ctx) })
	work.Go(func() { _ = e.RunSchedule(ctx, map[string]engine.Poster{platform: bot}) })
	b.Cleanup(func() {
		cancel()
		work.Wait()
		_ = store.Close()
	})
	c.wait(b)
}

// leisurely gives each person time between two presses, however fast they come.
type leisurely struct {
	bots.Engine
	n     atomic.Int64
	start time.Time
}

func (s *leisurely) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	in.At = s.start.Add(time.Duration(s.n.Add(1)) * 10 * time.Millisecond)
	return s.Engine.Handle(ctx, in)
}

// startHello runs the bare library, and posts something to press.
func (c *benchCrowd) startHello(b *testing.B) {
	b.Helper()
	lib, err := tg.New(c.tg.Token, tg.WithServerURL(c.tg.URL()), tg.WithDefaultHandler(func(ctx context.Context, t *tg.Bot, u *models.Update) {
		if u.CallbackQuery != nil {
			_, _ = t.AnswerCallbackQuery(ctx, &tg.AnswerCallbackQueryParams{CallbackQueryID: u.CallbackQuery.ID, Text: "hello"})
		}
	}))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { lib.Start(ctx) })
	b.Cleanup(func() {
		cancel()
		work.Wait()
	})
	for _, id := range c.groups {
		board := &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{{{Text: "A", CallbackData: "vote x a"}}}}
		if _, err := lib.SendMessage(b.Context(), &tg.SendMessageParams{ChatID: id, Text: "Which one?", ReplyMarkup: board}); err != nil {
			b.Fatal(err)
		}
	}
	c.wait(b)
}

// wait waits until every group has its message.
func (c *benchCrowd) wait(b *testing.B) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for _, id := range c.groups {
		m, err := c.tg.WaitMessage(ctx, id, func(m bottest.TelegramMessage) bool { return len(m.Buttons()) > 0 })
		if err != nil {
			b.Fatal(err)
		}
		c.posts = append(c.posts, m)
	}
}

// press has everybody press in every group, b.N times in all.
func (c *benchCrowd) press(b *testing.B) {
	b.Helper()
	b.ResetTimer()
	var next atomic.Int64
	var work sync.WaitGroup
	for range benchPressers {
		work.Go(func() {
			for n := int(next.Add(1)) - 1; n < b.N && !b.Failed(); n = int(next.Add(1)) - 1 {
				m := c.posts[n/benchPeople]
				tap, err := c.tg.Press(int64(1000+n%benchPeople), m, m.Buttons()[0].Data)
				if err != nil {
					b.Error(err)
					return
				}
				told, err := tap.Answer(b.Context())
				if err != nil || told.Text == "" {
					b.Errorf("press %d: told %q, %v", n, told.Text, err)
				}
			}
		})
	}
	work.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "presses/s")
}
