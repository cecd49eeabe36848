package main

import (
	"context"
	"fmt"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// onDiscord is the fake Discord; everybody is in one server, and takes tests that
// only they see.
type onDiscord struct {
	*bottest.Discord
	channel string
}

func openDiscord(p plan) (stage, []string, error) {
	d, err := bottest.NewDiscord(bottest.DiscordOptions{MaxIdentifies: 1000 + 2*p.kills})
	if err != nil {
		return nil, nil, err
	}
	s := &onDiscord{Discord: d}
	guild := d.AddGuild(bottest.Guild{Name: "Guild"})
	s.channel = d.AddChannel(guild, bottest.Channel{Name: "prep", Type: bottest.TextChannel})
	var ids []string
	for n := range p.people - p.people/2 {
		id := d.AddPerson(bottest.Person{Name: fmt.Sprint("person ", n)})
		d.AddMember(guild, bottest.Member{User: id})
		ids = append(ids, id)
	}
	return s, ids, nil
}

func (s *onDiscord) name() string       { return "discord" }
func (s *onDiscord) problems() []string { return s.Problems() }
func (s *onDiscord) close()             { s.Close() }

func (s *onDiscord) env() []string {
	return []string{"AIPREP_DISCORD_SERVER=" + s.URL(), "AIPREP_DISCORD_TOKEN=" + s.Token}
}

func (s *onDiscord) servers() []engine.Place      { return nil }
func (s *onDiscord) fresh(*person) (screen, bool) { return screen{}, false }

// ready waits until the command is on offer, which a bot sees to when it is there.
func (s *onDiscord) ready(ctx context.Context) error { return s.WaitCommands(ctx, "", "test") }

func (s *onDiscord) calls() []string {
	return []string{"POST /interactions/**", "POST /interactions/**", "* /webhooks/**", "GET /gateway/bot", "**"}
}

func (s *onDiscord) act(ctx context.Context, p *person, action string) (screen, error) {
	var it *bottest.Interaction
	var err error
	if shown, ok := p.screen.ref.(string); ok && action != "test" {
		it, err = s.Click(p.id, shown, action)
	} else {
		it, err = s.Slash(p.id, s.channel, action)
	}
	if err != nil {
		return screen{}, err
	}
	r, err := it.WaitShown(ctx)
	if err != nil {
		return screen{}, err
	}
	if r.Message == nil {
		return screen{}, fmt.Errorf("%s was answered without a message", action)
	}
	out := screen{text: r.Message.Text(), ref: r.Message.ID}
	for _, c := range r.Message.Pressable() {
		out.actions = append(out.actions, c.CustomID)
	}
	return out, nil
}
