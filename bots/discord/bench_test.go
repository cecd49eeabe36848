package discord

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// BenchmarkPress measures presses a second from end to end: the fake delivers a
// press through the gateway, the bot answers it. "aiprep" is an answer to a
// challenge, on disk before it is told; "hello" is the bare library with a handler
// that says hello.
//
//	go test ./bots/discord -run '^$' -bench Press -benchtime 20000x
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

// benchCrowd is people in servers, each with a message that has buttons.
type benchCrowd struct {
	d        *bottest.Discord
	people   []string
	channels map[string]string // by server
	posts    []bottest.Message
}

func newBenchCrowd(b *testing.B) *benchCrowd {
	b.Helper()
	d, err := bottest.NewDiscord(bottest.DiscordOptions{Unchecked: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Close)
	c := &benchCrowd{d: d, channels: map[string]string{}}
	for n := range benchPeople {
		c.people = append(c.people, d.AddPerson(bottest.Person{Name: fmt.Sprint("person ", n)}))
	}
	for n := range b.N/benchPeople + 1 {
		guild := d.AddGuild(bottest.Guild{Name: fmt.Sprint("Guild ", n)})
		c.channels[guild] = d.AddChannel(guild, bottest.Channel{Name: "daily", Type: bottest.TextChannel})
		for _, id := range c.people {
			d.AddMember(guild, bottest.Member{User: id})
		}
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
	for guild, channel := range c.channels {
		_, err := e.Handle(b.Context(), engine.Input{
			ID: "setup", At: now.Add(-time.Second), Admin: true, Verb: "setup", Args: []string{"time=" + now.Format("15:04"), "zone=UTC", "days=" + now.Format("Mon")},
			From: engine.User{Platform: platform, ID: "admin" + guild}, In: engine.Place{Platform: platform, Server: guild, Chat: channel},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	bot, err := New(Config{Engine: &slowly{Engine: e, start: now}, Token: bots.Secret(c.d.Token), Log: log, BaseURL: c.d.URL()})
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

// startHello runs the bare library, and posts something to press.
func (c *benchCrowd) startHello(b *testing.B) {
	b.Helper()
	bare, err := discordgo.New("Bot " + c.d.Token)
	if err != nil {
		b.Fatal(err)
	}
	base, err := url.Parse(c.d.URL())
	if err != nil {
		b.Fatal(err)
	}
	bare.Client = &http.Client{Transport: &toServer{base, newHTTP().Transport}, Timeout: askWithin}
	bare.StateEnabled, bare.Identify.Intents = false, discordgo.IntentsGuilds
	bare.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		_ = s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "hello", Flags: discordgo.MessageFlagsEphemeral, AllowedMentions: &discordgo.MessageAllowedMentions{}},
		})
	})
	if err := bare.Open(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = bare.Close() })
	for _, channel := range c.channels {
		_, err := bare.ChannelMessageSendComplex(channel, &discordgo.MessageSend{
			Content: "Which one?", AllowedMentions: &discordgo.MessageAllowedMentions{},
			Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Label: "A", CustomID: "vote x a", Style: discordgo.SecondaryButton},
			}}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	c.wait(b)
}

// wait waits until every server has its message.
func (c *benchCrowd) wait(b *testing.B) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	if err := c.d.WaitConnected(ctx, 1); err != nil {
		b.Fatal(err)
	}
	for _, channel := range c.channels {
		list, err := c.d.WaitVisible(ctx, channel, c.people[0], func(l []bottest.Message) bool { return len(l) > 0 && len(l[len(l)-1].Pressable()) > 0 })
		if err != nil {
			b.Fatal(err)
		}
		c.posts = append(c.posts, list[len(list)-1])
	}
}

// press has everybody press in every server, b.N times in all.
func (c *benchCrowd) press(b *testing.B) {
	b.Helper()
	b.ResetTimer()
	var next atomic.Int64
	var work sync.WaitGroup
	for range benchPressers {
		work.Go(func() {
			for n := int(next.Add(1)) - 1; n < b.N && !b.Failed(); n = int(next.Add(1)) - 1 {
				m := c.posts[n/benchPeople]
				it, err := c.d.Click(c.people[n%benchPeople], m.ID, m.Pressable()[0].CustomID)
				if err != nil {
					b.Error(err)
					return
				}
				select {
				case <-it.Acknowledged():
				case <-time.After(patienceOf):
					b.Errorf("press %d was not answered", n)
				}
			}
		})
	}
	work.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "presses/s")
}
