package bottest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNewerEntriesMustBeNewAndSourced(t *testing.T) {
	fresh := func() *BotAPI {
		return &BotAPI{
			methods: map[string]apiEntry{"sendMessage": {Name: "sendMessage", Fields: []apiField{{Name: "text", Types: []string{"String"}, Required: true}}}},
			types:   map[string]apiEntry{"Thing": {Name: "Thing", Fields: []apiField{{Name: "id", Required: true}}}},
		}
	}
	for _, c := range []struct{ name, yaml, want string }{
		{"a new field", "fields: [{owners: [Thing], name: color, types: [String], version: '99', page: p}]", ""},
		{"a new type", "types: [{name: Other, version: '99', page: p, fields: [{name: x, types: [Integer]}]}]", ""},
		{"a new method", "methods: [{name: paint, version: '99', page: p, fields: []}]", ""},
		{"an optional field", "widen: [{owner: sendMessage, field: text, version: '99', page: p}]", ""},
		{"a known field", "fields: [{owners: [Thing], name: id, types: [String], version: '99', page: p}]", "in the file already"},
		{"a known type", "types: [{name: Thing, version: '99', page: p}]", "in the file already"},
		{"a known method", "methods: [{name: sendMessage, version: '99', page: p}]", "in the file already"},
		{"no page", "fields: [{owners: [Thing], name: color, types: [String], version: '99'}]", "no page"},
		{"no version", "types: [{name: Other, page: p}]", "no version"},
		{"nobody's field", "fields: [{owners: [Nobody], name: color, types: [String], version: '99', page: p}]", "neither a method nor a type"},
		{"nothing to widen", "widen: [{owner: Thing, field: color, version: '99', page: p}]", "no required field"},
		{"a misspelt key", "fieldz: []", "fieldz"},
	} {
		err := fresh().widen([]byte(c.yaml))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestLoadBotAPISaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if _, err := LoadBotAPI(filepath.Join(dir, "absent.json")); !errors.Is(err, ErrNoSpec) {
		t.Errorf("absent file: %v", err)
	}
	for name, text := range map[string]string{"broken.json": "{", "empty.json": "{}"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBotAPI(path); err == nil || errors.Is(err, ErrNoSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("AIPREP_SHARED", dir)
	if _, err := FindBotAPI(); !errors.Is(err, ErrNoSpec) {
		t.Errorf("absent folder: %v", err)
	}
}

func TestWebhookPauseDoublesToAMinute(t *testing.T) {
	want := []time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute}
	for fails, pause := range want {
		if got := webhookPause(fails); got != pause {
			t.Errorf("after %d failures %v, want %v", fails, got, pause)
		}
	}
	if got := webhookPause(1000); got != time.Minute {
		t.Errorf("after 1000 failures %v", got)
	}
}
