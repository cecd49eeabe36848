package discord

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
)

// overHTTP makes a world whose people's doings come as signed requests.
func overHTTP(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.cfg.Interactions = l
	w.d.DeliverTo("http://" + l.Addr().String() + "/")
	return w
}

// The other way in: the same conversation without a gateway, each first word
// inside the response.
func TestInteractionsComeAsRequests(t *testing.T) {
	w := overHTTP(t)
	w.run(nil)
	w.must(w.d.Probe(w.soon(), "http://"+w.cfg.Interactions.Addr().String()))
	daily := publicDaily(w)
	first := w.shown(w.click(w.Alice, daily.ID, "A"))
	if !first.Ephemeral || !strings.Contains(first.Message.Content, "The right one is right.") {
		t.Errorf("the verdict: %+v", first.Message)
	}
	w.shown(w.slash(w.Alice, w.General, "test", bottest.Opt{Name: "scope", Value: "caching"}))
	stats := w.shown(w.slash(w.Alice, w.General, "stats"))
	w.until("the picture is there", func() bool {
		m, ok := w.d.Message(stats.Message.ID)
		return ok && len(m.Attachments) == 1
	})
	if connects, _, _ := w.d.GatewayCounts(); connects != 0 {
		t.Errorf("%d gateway connections", connects)
	}
	if n := w.requests("POST", "/interactions/"); n != 0 {
		t.Errorf("%d first words were sent as requests of our own", n)
	}
	w.clean()
}

// Nothing comes in that Discord did not sign, and lately.
func TestOnlySignedRequestsComeIn(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	public, private, err := ed25519.GenerateKey(nil)
	w.must(err)
	b := w.make()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	srv := &http.Server{Handler: b.endpoint(public), ReadHeaderTimeout: time.Second}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	send := func(method string, body []byte, stamp string, signature []byte) int {
		t.Helper()
		req, err := http.NewRequestWithContext(w.soon(), method, "http://"+l.Addr().String(), bytes.NewReader(body))
		w.must(err)
		req.Header.Set("X-Signature-Timestamp", stamp)
		req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signature))
		resp, err := http.DefaultClient.Do(req)
		w.must(err)
		w.must(resp.Body.Close())
		return resp.StatusCode
	}
	ping := []byte(`{"type":1}`)
	sign := func(stamp string, body []byte) []byte { return ed25519.Sign(private, append([]byte(stamp), body...)) }
	at := func(d time.Duration) string { return strconv.FormatInt(b.now().Add(d).Unix(), 10) }
	now := at(0)
	huge := bytes.Repeat([]byte("x"), maxRequest+1)
	for name, c := range map[string]struct {
		method    string
		body      []byte
		stamp     string
		signature []byte
		want      int
	}{
		"signed":              {"POST", ping, now, sign(now, ping), 200},
		"unsigned":            {"POST", ping, now, nil, 401},
		"another body":        {"POST", []byte(`{"type":2}`), now, sign(now, ping), 401},
		"another time":        {"POST", ping, at(time.Second), sign(now, ping), 401},
		"an hour old":         {"POST", ping, at(-time.Hour), sign(at(-time.Hour), ping), 401},
		"from tomorrow":       {"POST", ping, at(24 * time.Hour), sign(at(24*time.Hour), ping), 401},
		"no time at all":      {"POST", ping, "soon", sign("soon", ping), 401},
		"a look":              {"GET", nil, now, nil, 405},
		"far too long":        {"POST", huge, now, sign(now, huge), 413},
		"no interaction":      {"POST", []byte(`[]`), now, sign(now, []byte(`[]`)), 503},
		"signature too short": {"POST", ping, now, sign(now, ping)[:20], 401},
	} {
		if got := send(c.method, c.body, c.stamp, c.signature); got != c.want {
			t.Errorf("%s: answered with %d, want %d", name, got, c.want)
		}
	}
}
