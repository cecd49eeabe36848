package bots

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsNeverShown(t *testing.T) {
	const planted = "7000000001:planted"
	s := struct{ Token Secret }{planted}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", s.Token, "all", s)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", s.Token, "all", s)
	js, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	shown := log.String() + string(js)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%T%v"} {
		shown += fmt.Sprintf(verb, s.Token) + fmt.Sprintf(verb, s) + fmt.Sprintf(verb, &s)
	}
	if strings.Contains(shown, "planted") || strings.Contains(shown, fmt.Sprintf("%x", "planted")) {
		t.Errorf("the secret is shown in %s", shown)
	}
	if s.Token.Reveal() != planted {
		t.Errorf("Reveal() = %q", s.Token.Reveal())
	}
}
