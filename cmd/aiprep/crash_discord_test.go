package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/bots/discord"
	"aiprep/engine"
)

// discordStage is the fake Discord of the crash test.
type discordStage struct {
	*bottest.Discord
	persons []string
	home    engine.Place // where people ask for their statistics
}

func newDiscordStage(t testing.TB) *discordStage {
	s := &discordStage{Discord: bottest.StartDiscord(t, bottest.DiscordOptions{})}
	for who := range crashPeople {
		s.persons = append(s.persons, s.AddPerson(bottest.Person{Name: fmt.Sprint("person", who)}))
	}
	s.home = s.open(t)
	return s
}

func (s *discordStage) name() string       { return "discord" }
func (s *discordStage) address() string    { return s.URL() }
func (s *discordStage) people() int        { return crashPeople }
func (s *discordStage) awake() bool        { return false }
func (s *discordStage) problems() []string { return s.Problems() }

func (s *discordStage) env(server string) []string {
	return []string{"AIPREP_DISCORD_SERVER=" + server, "AIPREP_DISCORD_TOKEN=" + s.Token}
}

func (s *discordStage) age(d time.Duration) { s.Advance(d) }

func (s *discordStage) bot(t testing.TB, e *engine.Engine, now func() time.Time) bot {
	b, err := discord.New(discord.Config{Engine: e, Token: bots.Secret(s.Token), BaseURL: s.URL(), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (s *discordStage) open(testing.TB) engine.Place {
	guild := s.AddGuild(bottest.Guild{Name: "Guild"})
	channel := s.AddChannel(guild, bottest.Channel{Name: "daily", Type: bottest.TextChannel})
	for _, id := range s.persons {
		s.AddMember(guild, bottest.Member{User: id})
	}
	return engine.Place{Platform: "discord", Server: guild, Chat: channel}
}

func (s *discordStage) isPost(r *http.Request, body []byte) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") &&
		strings.Contains(r.URL.Path, "/channels/") && strings.Contains(string(body), `"custom_id":"vote `)
}

func (s *discordStage) isWake(r *http.Request, _ []byte) bool {
	return strings.Contains(r.URL.Path, "/gateway") || strings.HasSuffix(r.URL.Path, "/users/@me")
}

// isTold recognises any verdict: nothing is delivered twice here, so it is the
// one on the press just made.
func (s *discordStage) isTold(*press) func(*http.Request, []byte) bool {
	return func(r *http.Request, body []byte) bool {
		return (strings.Contains(r.URL.Path, "/callback") || strings.Contains(r.URL.Path, "/webhooks/")) && verdictTitle.Match(body)
	}
}

// lookups counts how often the bot read a channel's history.
func (s *discordStage) lookups() (n int) {
	for _, r := range s.Requests() {
		if r.Method == http.MethodGet && strings.HasPrefix(r.Path, "/channels/") && strings.Contains(r.Path, "/messages?") {
			n++
		}
	}
	return n
}

func (s *discordStage) said(p engine.Place) (list []bottest.Message) {
	for _, m := range s.Visible(p.Chat, s.persons[0]) {
		if m.AuthorID == s.BotID && !m.Ephemeral() {
			list = append(list, m)
		}
	}
	return list
}

func (s *discordStage) challenges(p engine.Place) (found []challenge) {
	for _, m := range s.said(p) {
		var actions []string
		for _, c := range m.Pressable() {
			actions = append(actions, c.CustomID)
		}
		if c := challengeOf(p, m.ID, m.Text(), actions); c.about != "" {
			found = append(found, c)
		}
	}
	return found
}

func (s *discordStage) texts(p engine.Place) (texts []string) {
	for _, m := range s.said(p) {
		texts = append(texts, m.Text())
	}
	return texts
}

// words is all that one interaction showed.
func words(r bottest.Response) string {
	var text []string
	if r.Message != nil && r.Ephemeral {
		text = append(text, r.Message.Text())
	}
	for _, m := range r.FollowUps {
		text = append(text, m.Text())
	}
	return strings.Join(text, "\n")
}

func (s *discordStage) vote(who int, c challenge, letter string) (*press, error) {
	it, err := s.Click(s.persons[who], c.message, c.about+" "+letter)
	if err != nil {
		return nil, err
	}
	p := &press{question: question{s.name(), who, c.about}, letter: letter, id: it.ID}
	p.heard = func() (string, bool) {
		text := words(it.Response())
		return text, text != ""
	}
	p.wait = func(ctx context.Context) (string, error) {
		r, err := it.WaitFor(ctx, func(r bottest.Response) bool { return words(r) != "" })
		return words(r), err
	}
	return p, nil
}

func (s *discordStage) stats(ctx context.Context, who int) (string, error) {
	it, err := s.Slash(s.persons[who], s.home.Chat, "stats")
	if err != nil {
		return "", err
	}
	r, err := it.WaitShown(ctx)
	if err != nil {
		return "", err
	}
	if r.Message == nil {
		return "", errors.New("stats: nothing shown")
	}
	return r.Message.Text(), nil
}
