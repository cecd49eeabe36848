package bottest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestControlAPIWorksTheBot(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	order := func(what string, body obj) (out struct {
		Interaction string
		Response    Response
	}) {
		t.Helper()
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := b.Client.Post(b.d.URL()+"/_control/"+what, "application/json", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", what, resp.StatusCode, err)
		}
		return out
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for range 2 {
			i := <-got
			data := text("hello")
			data["components"] = rows(1)
			kind := 4
			if i.Type == discordgo.InteractionMessageComponent {
				kind, data["components"] = 7, arr{}
			}
			if _, err := b.answer(i, "", obj{"type": kind, "data": data}); err != nil {
				t.Errorf("answer: %v", err)
			}
		}
	}()
	shown := order("slash", obj{"user": b.s.Alice, "channel": b.s.General, "name": "go", "wait": "10s"}).Response.Message
	if shown == nil || shown.Content != "hello" {
		t.Fatalf("the slash command showed %+v", shown)
	}
	pressed := order("click", obj{"user": b.s.Bob, "message": shown.ID, "custom_id": "r0-0", "wait": "10s"}).Response
	if pressed.Type != CallbackUpdate || pressed.Message.ID != shown.ID || len(pressed.Message.Components) != 0 {
		t.Errorf("the press showed %+v", pressed)
	}
	<-answered // the press is shown before its answer has returned
	b.good(t)
}

func TestControlAPIChangesTheWorld(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.heard(t)
	var last string
	for _, c := range []struct {
		what, body string
		status     int
	}{
		{"guild", `{"name":"New"}`, 200},
		{"guild", `{"do":"outage","id":"LAST"}`, 200}, {"guild", `{"do":"recover","id":"LAST"}`, 200},
		{"guild", `{"do":"remove","id":"LAST"}`, 200}, {"guild", `{"do":"return","id":"LAST"}`, 200},
		{"guild", `{"do":"fly","id":"LAST"}`, 409},
		{"channel", `{"name":"talk","guild":"LAST","permissions":0}`, 200},
		{"channel", `{"do":"change","id":"LAST","archived":true,"locked":true,"permissions":1024}`, 200},
		{"channel", `{"do":"fly","id":"LAST"}`, 409}, {"channel", `{"do":"remove","id":"LAST"}`, 200},
		{"person", `{"name":"eve","guild":"GUILD","admin":true}`, 200},
		{"dm", `{"user":"LAST"}`, 200},
		{"fault", `{"kind":"rate_limited","retry_after":1.5,"match":"x","times":2}`, 200}, {"fault", `{"kind":"clear"}`, 200}, {"fault", `{"kind":"fire"}`, 409},
		{"clock", `{"advance":"1h"}`, 200}, {"clock", `{"advance":"soon"}`, 409},
		{"gateway", `{"do":"silence"}`, 200}, {"gateway", `{"do":"talk"}`, 200}, {"gateway", `{"do":"fly"}`, 409},
		{"submit", `{"interaction":"1"}`, 409}, {"autocomplete", `{"user":"1","channel":"2","name":"x","focused":{"name":"y"}}`, 409},
		{"gateway", `{"do":"close","code":4000}`, 200},
	} {
		body := strings.NewReplacer("LAST", last, "GUILD", b.s.Guild).Replace(c.body)
		resp, err := b.Client.Post(b.d.URL()+"/_control/"+c.what, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var out struct{ ID string }
		err = json.NewDecoder(resp.Body).Decode(&out)
		_ = resp.Body.Close() // read to its end
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s: %d, %v; want %d", c.what, body, resp.StatusCode, err, c.status)
		}
		if out.ID != "" {
			last = out.ID
		}
	}
	if err := b.d.WaitConnected(ctx(t), 0); err != nil {
		t.Error(err)
	}
	g := b.d.world.guilds[b.s.Guild]
	if m := g.members[last]; m == nil || m.Permissions&PermAdministrator == 0 {
		t.Errorf("eve is %+v", m)
	}
}

func TestControlAPIRefusesWhatCannotBe(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	for path, want := range map[string]int{"messages?channel=1&user=2": 409, "problems": 200, "nothing": 404} {
		resp, err := b.Client.Get(b.d.URL() + "/_control/" + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the status is read
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
	resp, err := b.Client.Post(b.d.URL()+"/_control/slash", "application/json", strings.NewReader("{"))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // only the status is read
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("broken JSON: %d", resp.StatusCode)
	}
}
