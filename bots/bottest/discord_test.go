package bottest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// toFake sends every request of a client to the fake.
type toFake struct {
	base *url.URL
	next *http.Transport
}

func (r toFake) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host = r.base.Scheme, r.base.Host, r.base.Host
	return r.next.RoundTrip(req)
}

// bot is the real discordgo against a fake.
type bot struct {
	*discordgo.Session
	d *Discord
	s Sample
}

// ctx ends before the test's patience does.
func ctx(t *testing.T) context.Context {
	t.Helper()
	c, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return c
}

// newBot starts a fake with a sample world and points discordgo at it, unopened.
func newBot(t *testing.T, opts DiscordOptions) *bot {
	t.Helper()
	if spec, err := loadedSpec(); err == nil && opts.Spec == nil {
		opts.Spec = spec
	}
	d := StartDiscord(t, opts)
	s, err := discordgo.New("Bot " + d.Token)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	next := &http.Transport{}
	t.Cleanup(next.CloseIdleConnections)
	s.Client = &http.Client{Transport: toFake{base, next}, Timeout: 10 * time.Second}
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.MaxRestRetries = 0
	s.LogLevel = -1 // the tests provoke errors; discordgo prints each
	s.Identify.Intents = discordgo.IntentsGuilds
	return &bot{s, d, d.Populate()}
}

// open connects discordgo to the gateway until the test ends.
func (b *bot) open(t *testing.T) {
	t.Helper()
	t.Parallel() // discordgo's Close sleeps a second
	if err := b.Open(); err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = b.Close() }) // the server may have cut it already
	if err := b.d.WaitConnected(ctx(t), 1); err != nil {
		t.Fatal(err)
	}
}

// handle answers interactions; the test ends only after the handlers that began.
func (b *bot) handle(t *testing.T, do func(*discordgo.Session, *discordgo.InteractionCreate)) {
	t.Helper()
	var busy sync.WaitGroup
	b.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		busy.Add(1)
		defer busy.Done()
		do(s, i)
	})
	t.Cleanup(busy.Wait)
}

// quiet is allowed_mentions as the house wants it.
func quiet() *discordgo.MessageAllowedMentions {
	return &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}}
}

// register registers commands globally.
func (b *bot) register(t *testing.T, list ...*discordgo.ApplicationCommand) {
	t.Helper()
	if _, err := b.ApplicationCommandBulkOverwrite(b.d.AppID, "", list); err != nil {
		t.Fatalf("register commands: %v", err)
	}
}

// good fails the test when the fake saw a mistake.
func (b *bot) good(t *testing.T) {
	t.Helper()
	for _, p := range b.d.Problems() {
		t.Error(p)
	}
}

// code is Discord's number of an error, 0 if it has none.
func code(err error) int {
	var rest *discordgo.RESTError
	if errors.As(err, &rest) && rest.Message != nil {
		return rest.Message.Code
	}
	return 0
}

// wantCode fails the test unless err carries Discord's number.
func wantCode(t *testing.T, err error, want int) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("error code %d (%v), want %d", got, err, want)
	}
}

func row(buttons ...discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.ActionsRow{Components: buttons}
}

func TestSlashIsAnsweredOverTheRealClient(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "test", Description: "Asks a question", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "topic", Description: "What about"},
	}})
	b.handle(t, func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		topic := i.ApplicationCommandData().Options[0].StringValue()
		err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "About " + topic + " for " + i.Member.User.Username, Flags: discordgo.MessageFlagsEphemeral, AllowedMentions: quiet(),
				Components: []discordgo.MessageComponent{row(discordgo.Button{Label: "A", CustomID: "a", Style: discordgo.PrimaryButton})}}})
		if err != nil {
			t.Errorf("respond: %v", err)
		}
	})
	b.open(t)
	it, err := b.d.Slash(b.s.Alice, b.s.General, "test", Opt{"topic", "caching"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := it.Wait(ctx(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Type != CallbackMessage || !r.Ephemeral || r.Message.Content != "About caching for alice" {
		t.Errorf("response %+v", r)
	}
	if n := len(b.d.Visible(b.s.General, b.s.Alice)); n != 1 {
		t.Errorf("alice sees %d messages, want the ephemeral one", n)
	}
	if n := len(b.d.Visible(b.s.General, b.s.Bob)); n != 0 {
		t.Errorf("bob sees %d messages of alice's", n)
	}
	if _, err := b.d.Click(b.s.Bob, r.Message.ID, "a"); err == nil {
		t.Error("bob pressed a button that he does not see")
	}
	b.good(t)
}

func TestClickUpdatesTheMessagePressed(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	var ids []string
	seen := make(chan string, 8)
	b.handle(t, func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		seen <- i.ID
		err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseUpdateMessage,
			Data: &discordgo.InteractionResponseData{Content: "pressed " + i.MessageComponentData().CustomID, AllowedMentions: quiet()}})
		if err != nil {
			t.Errorf("respond: %v", err)
		}
	})
	b.open(t)
	m, err := b.ChannelMessageSendComplex(b.s.General, &discordgo.MessageSend{Content: "?", AllowedMentions: quiet(), Components: []discordgo.MessageComponent{
		row(discordgo.Button{Label: "A", CustomID: "a", Style: discordgo.PrimaryButton}, discordgo.Button{Label: "B", CustomID: "b", Style: discordgo.PrimaryButton, Disabled: true}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"b", "c", ""} {
		if _, err := b.d.Click(b.s.Alice, m.ID, no); err == nil {
			t.Errorf("button %q could be pressed", no)
		}
	}
	first, err := b.d.Click(b.s.Alice, m.ID, "a")
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.d.Click(b.s.Alice, m.ID, "a") // before the bot has answered the first
	if err == nil {
		ids = append(ids, again.ID)
	}
	r, err := first.Wait(ctx(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Type != CallbackUpdate || r.Message.ID != m.ID || r.Message.Content != "pressed a" || len(r.Message.Components) != 0 {
		t.Errorf("response %+v", r.Message)
	}
	if again != nil {
		if _, err := again.Wait(ctx(t)); err != nil {
			t.Error(err)
		}
	}
	ids = append(ids, first.ID)
	for range ids {
		if id := <-seen; !slices.Contains(ids, id) {
			t.Errorf("interaction %s was never made", id)
		}
	}
	if _, err := b.d.Click(b.s.Alice, m.ID, "a"); err == nil {
		t.Error("a button could be pressed after it was taken away")
	}
	b.good(t)
}

func TestDeferredAnswerIsEditedAndFollowedUp(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "slow", Description: "Takes its time"})
	edit := make(chan struct{})
	b.handle(t, func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		deferred := &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Flags: discordgo.MessageFlagsEphemeral}}
		if err := s.InteractionRespond(i.Interaction, deferred); err != nil {
			t.Errorf("defer: %v", err)
		}
		wantCode(t, s.InteractionRespond(i.Interaction, deferred), 40060)
		<-edit
		text := "done"
		if _, err := s.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &text, AllowedMentions: quiet()}); err != nil {
			t.Errorf("edit: %v", err)
		}
		if _, err := s.FollowupMessageCreate(i.Interaction, true, &discordgo.WebhookParams{Content: "more", AllowedMentions: quiet()}); err != nil {
			t.Errorf("follow up: %v", err)
		}
	})
	b.open(t)
	it, err := b.d.Slash(b.s.Bob, b.s.General, "slow")
	if err != nil {
		t.Fatal(err)
	}
	r, err := it.Wait(ctx(t))
	if err != nil || !r.Deferred || !r.Ephemeral {
		t.Fatalf("first response %+v, %v", r, err)
	}
	close(edit)
	r, err = it.WaitFor(ctx(t), func(r Response) bool { return len(r.FollowUps) > 0 })
	if err != nil {
		t.Fatal(err)
	}
	if r.Deferred || r.Message.Content != "done" || !r.Message.Ephemeral() || r.FollowUps[0].Content != "more" || r.FollowUps[0].Ephemeral() {
		t.Errorf("response %+v, follow-ups %+v", r.Message, r.FollowUps)
	}
	b.good(t)
}
