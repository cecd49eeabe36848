package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

func TestAServersButtonInAPrivateChatChecksRightsAnew(t *testing.T) {
	var m *meddler
	var token string
	w := newWorld(t, bottest.DiscordOptions{}, meddle(&m, nil))
	m.handle = func(ctx context.Context, in engine.Input) (engine.Reply, error) {
		if in.Verb == "start" { // stands for a word to an admin
			return engine.Reply{Whisper: &engine.Message{Buttons: [][]engine.Button{{{Label: "Form", Action: "set " + token + " form"}}}}}, nil
		}
		return w.engine.Handle(ctx, in)
	}
	w.run(nil)
	form := w.shown(w.slash(w.Admin, w.General, "setup"))
	token = strings.Fields(form.Message.Pressable()[0].CustomID)[1]
	answers := func(owner, roles string) (bottest.Response, engine.Input) {
		t.Helper()
		status := func(body string) bottest.FaultKind {
			return bottest.Status{Code: 200, Body: body, ContentType: "application/json"}
		}
		w.d.Inject(bottest.Fault{Match: "GET /guilds/*", Kind: status(`{"owner_id":"` + owner + `","roles":[
			{"id":"` + w.Guild + `","permissions":"2048"},{"id":"71","permissions":"32"},{"id":"72","permissions":"1024"}]}`)})
		w.d.Inject(bottest.Fault{Match: "GET /guilds/*/members/*", Kind: status(`{"roles":[` + roles + `]}`)})
		door := w.shown(w.slash(w.Bob, w.d.DM(w.Bob), "start"))
		r := w.shown(w.click(w.Bob, door.Message.ID, "Form"))
		w.d.ClearFaults()
		all := m.seen()
		return r, all[len(all)-1]
	}
	for _, c := range []struct {
		name, owner, roles string
		want               bool
	}{
		{"a member", "1", `"72"`, false},
		{"who manages the server", "1", `"72","71"`, true},
		{"its owner", w.Bob, ``, true},
	} {
		r, in := answers(c.owner, c.roles)
		if in.Admin != c.want || in.In.Server != w.Guild {
			t.Errorf("%s: admin %v of %q", c.name, in.Admin, in.In.Server)
		}
		if c.want == strings.Contains(r.Message.Content, "die diesen Server verwalten") { // he reads German
			t.Errorf("%s reads %q", c.name, r.Message.Content)
		}
	}
	w.d.RemoveMember(w.Guild, w.Bob)
	if yes, err := w.bot.manages(w.soon(), w.Guild, w.Bob); yes || err != nil {
		t.Errorf("who left manages the server: %v, %v", yes, err)
	}
	w.d.Inject(bottest.Fault{Match: "GET /guilds/*", Kind: bottest.BadGateway{}})
	if _, err := w.bot.manages(w.soon(), w.Guild, w.Alice); err == nil {
		t.Error("rights that cannot be checked are no rights, but no refusal either")
	}
	w.clean()
}

func TestAForgedFormNamesNoChannel(t *testing.T) {
	cmd := engine.Command{Options: []engine.Option{{Name: "channel", Kind: engine.PlaceOption}, {Name: "time"}}}
	raw := `{` + inServer + `,"type":%d,"data":{"name":"setup","custom_id":"setup channel=33 channel=here time=8","components":[],
		"options":[{"name":"channel","type":7,"value":"33"}],"resolved":{"channels":{"33":{}}}}}`
	for kind, want := range map[int]string{typedInteraction: "channel=33", writtenInteraction: "channel=here time=8 "} {
		ev, err := receive(fmt.Appendf(nil, raw, kind))
		ev.keepAtHome(cmd)
		if got := strings.Join(ev.in.Args, " "); got != want || err != nil {
			t.Errorf("type %d: %q, %v, want %q", kind, got, err, want)
		}
	}
}

func TestNoTokenLeaks(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{Token: "MTA.planted.secret"}, nil)
	w.run(nil)
	for _, match := range []string{"POST /interactions/*/*/callback", "POST /webhooks/*/*", "POST /channels/*/messages"} {
		w.d.Inject(bottest.Fault{Match: match, Times: 3, Kind: bottest.Dropped{}})
	}
	w.slash(w.Alice, w.General, "help")
	w.until("the answer failed", func() bool { return w.counts.get("answer unknown") == 1 })
	w.d.ClearFaults()
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.Dropped{}})
	_, err := w.bot.Post(w.soon(), w.delivery(w.General))
	said := []string{err.Error()}
	w.must(w.stop())

	// An address that nothing listens at, for the library's own errors.
	b, err := New(Config{Engine: w.engine, Token: w.cfg.Token, Log: w.cfg.Log, BaseURL: "http://127.0.0.1:1"})
	w.must(err)
	err = b.connect(w.soon(), &shard{bot: b, count: 1, ready: func() {}})
	said = append(said, err.Error())
	_, err = b.Post(w.soon(), w.delivery(w.General))
	said = append(said, err.Error())
	ev := event{token: "token-1", app: "9", in: engine.Input{ID: "1"}}
	for _, h := range []how{byFollowUp, byOriginal, byCallback} {
		_, err := b.call(w.soon(), b.request(ev, step{how: h, msg: &payload{}}))
		var lost *wireError
		if !errors.As(err, &lost) || lost.Sent {
			t.Errorf("a request to nobody: %v", err)
		}
		said = append(said, err.Error())
	}
	b.end()
	all := strings.Join(append(said, w.log.String()), "\n")
	for _, secret := range []string{"planted", "token-"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q leaks:\n%s", secret, all)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no engine":       {Token: "x"},
		"no token":        {Engine: &meddler{}, Token: " Bot "},
		"no address":      {Engine: &meddler{}, Token: "planted", BaseURL: "discord"},
		"another scheme":  {Engine: &meddler{}, Token: "planted", BaseURL: "ftp://discord.com"},
		"an address with": {Engine: &meddler{}, Token: "planted", BaseURL: "https://discord.com/api"},
	} {
		if _, err := New(cfg); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
