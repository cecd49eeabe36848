package discord

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

const (
	inServer = `"id":"1150000000000000000","application_id":"9","token":"tok","channel_id":"30","guild_id":"20","context":0,"locale":"en-US",
		"member":{"user":{"id":"40","username":"ann","global_name":"Ann"},"nick":"Annie","permissions":"2048"}`
	inPrivate = `"id":"1150000000000000000","application_id":"9","token":"tok","channel_id":"31","context":1,"locale":"de","user":{"id":"40","username":"ann","global_name":null}`
	message   = `"message":{"id":"50","channel_id":"30","flags":0,"components":[{"type":1,"components":[{"type":2,"custom_id":"ask:my zone","label":"Write it"}]}]}`
)

// inputs are interactions and what they mean.
func inputs() map[string]struct {
	raw  string
	want engine.Input
} {
	at := time.UnixMilli(1150000000000000000>>22 + epoch)
	server := engine.Input{
		ID: "1150000000000000000", At: at, From: engine.User{Platform: platform, ID: "40", Name: "Annie"},
		In: engine.Place{Platform: platform, Server: "20", Chat: "30"}, Locale: "en-US",
	}
	private := server
	private.From.Name, private.In, private.Locale = "ann", engine.Place{Platform: platform, Chat: "31"}, "de"
	with := func(in engine.Input, on engine.Ref, verb string, args ...string) engine.Input {
		in.On, in.Verb, in.Args = on, verb, args
		return in
	}
	admin := server
	admin.Admin = true
	return map[string]struct {
		raw  string
		want engine.Input
	}{
		"a command": {`{` + inServer + `,"type":2,"data":{"name":"help","type":1}}`, with(server, "", "help")},
		"a command with options": {`{` + inServer + `,"type":2,"data":{"name":"setup","options":[
			{"name":"time","type":3,"value":"08:30"},{"name":"quorum","type":4,"value":3},{"name":"note","type":3,"value":"two words = 3"}]}}`,
			with(server, "", "setup", "time=08:30", "quorum=3", "note=two words = 3")},
		"a channel of this server": {`{` + inServer + `,"type":2,"data":{"name":"setup","options":[{"name":"channel","type":7,"value":"33"}],
			"resolved":{"channels":{"33":{"id":"33"}}}}}`, with(server, "", "setup", "channel=33")},
		"a channel of nowhere": {`{` + inServer + `,"type":2,"data":{"name":"setup","options":[{"name":"channel","type":7,"value":"33"}]}}`,
			with(server, "", "setup")},
		"a command in private":   {`{` + inPrivate + `,"type":2,"data":{"name":"start","type":1}}`, with(private, "", "start")},
		"who manages the server": {`{` + strings.Replace(inServer, `"2048"`, `"32"`, 1) + `,"type":2,"data":{"name":"setup"}}`, with(admin, "", "setup")},
		"an administrator":       {`{` + strings.Replace(inServer, `"2048"`, `"8"`, 1) + `,"type":2,"data":{"name":"setup"}}`, with(admin, "", "setup")},
		"rights beyond 32 bits":  {`{` + strings.Replace(inServer, `"2048"`, `"1125899906842624"`, 1) + `,"type":2,"data":{"name":"setup"}}`, with(server, "", "setup")},
		"a press":                {`{` + inServer + `,"type":3,` + message + `,"data":{"custom_id":"vote ABC a","component_type":2}}`, with(server, "30/50", "vote", "ABC", "a")},
		"a press of a twin":      {`{` + inServer + `,"type":3,` + message + `,"data":{"custom_id":"vote ABC a #2"}}`, with(server, "30/50", "vote", "ABC", "a")},
		"a form from a button": {`{` + inServer + `,"type":5,` + message + `,"data":{"custom_id":"my zone","components":[
			{"type":1,"components":[{"type":4,"custom_id":"line","value":" Asia/Tokyo "}]}]}}`, with(server, "30/50", "my", "zone", "Asia/Tokyo")},
		"a form with labels": {`{` + inServer + `,"type":5,"data":{"custom_id":"my zone","components":[
			{"type":18,"component":{"type":4,"custom_id":"line","value":"x y"}}]}}`, with(server, "", "my", "zone", "x y")},
		"fields of later versions": {`{` + inServer + `,"type":2,"entitlements":7,"app_permissions":{},"guild":[],"data":{"name":"help","id":5}}`, with(server, "", "help")},
	}
}

func TestReceive(t *testing.T) {
	for name, c := range inputs() {
		ev, err := receive([]byte(c.raw))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, ev.in); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if ev.kind != handling || ev.token != "tok" || ev.app != "9" || ev.open != (c.want.In.Server != "") || ev.pressed != (c.want.On != "") {
			t.Errorf("%s: %+v", name, ev)
		}
	}
}

func TestReceiveWhatIsNotForTheEngine(t *testing.T) {
	ev, err := receive([]byte(`{` + inServer + `,"type":4,"data":{"name":"setup","options":[{"name":"time","type":3,"value":"08:30"},{"name":"zone","type":3,"value":"ber","focused":true}]}}`))
	if err != nil || ev.kind != completing || ev.in.Verb != "setup" || ev.option != "zone" || ev.prefix != "ber" {
		t.Errorf("an option being filled in: %+v, %v", ev, err)
	}
	ev, err = receive([]byte(`{` + inServer + `,"type":3,` + message + `,"data":{"custom_id":"ask:my zone"}}`))
	want := &engine.Prompt{Action: "my zone", Title: "Write it", Label: "Write it"}
	if err != nil || ev.kind != opening || !cmp.Equal(ev.prompt, want) {
		t.Errorf("the door to a form: %+v, %v", ev.prompt, err)
	}
	ev, err = receive([]byte(`{` + strings.Replace(inPrivate, `"context":1`, `"context":2`, 1) + `,"type":2,"data":{"name":"help"}}`))
	if err != nil || !ev.open {
		t.Errorf("a chat between people counts as private: %+v, %v", ev, err)
	}
	ev, err = receive([]byte(`{` + inServer + `,"type":3,"message":{"id":"50","flags":64},"data":{"custom_id":"next X"}}`))
	if err != nil || !ev.hidden {
		t.Errorf("a press of a hidden message: %+v, %v", ev, err)
	}
}

func TestReceiveWhatCannotBe(t *testing.T) {
	for name, raw := range map[string]string{
		"no JSON":           `{`,
		"another type":      `{"id":5}`,
		"no person":         `{"id":"1150000000000000000","token":"tok","channel_id":"3","type":2,"data":{"name":"help"}}`,
		"no token":          `{"id":"1150000000000000000","channel_id":"3","user":{"id":"4"},"type":2,"data":{"name":"help"}}`,
		"an id from a joke": `{"id":"x","token":"tok","channel_id":"3","user":{"id":"4"},"type":2,"data":{"name":"help"}}`,
		"no command":        `{` + inServer + `,"type":2,"data":{}}`,
		"an unknown type":   `{` + inServer + `,"type":1}`,
		"an empty address":  `{` + inServer + `,"type":3,"data":{"custom_id":""}}`,
		"a planted word":    `{` + inServer + `,"type":"planted"}`,
	} {
		ev, err := receive([]byte(raw))
		if err == nil {
			t.Errorf("%s: read as %+v", name, ev)
		} else if strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: the error shows what was sent: %v", name, err)
		}
	}
}

func FuzzReceive(f *testing.F) {
	for _, c := range inputs() {
		f.Add([]byte(c.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ev, err := receive(raw)
		if err != nil {
			return
		}
		if ev.kind == handling && (ev.in.Verb == "" || ev.in.From.ID == "" || ev.in.At.IsZero()) {
			t.Errorf("read as %+v", ev.in)
		}
		if _, err := json.Marshal(ev.in); err != nil {
			t.Errorf("cannot be replayed: %v", err)
		}
	})
}

func TestIDsTellTheTime(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	got, ok := timeOf(idAt(at))
	if !ok || !got.Equal(at) {
		t.Errorf("timeOf(idAt(%v)) = %v, %v", at, got, ok)
	}
	if idAt(time.Time{}) != "0" {
		t.Errorf("idAt(zero) = %s", idAt(time.Time{}))
	}
}
