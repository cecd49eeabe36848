package telegram

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// byWebhook lets the fake send updates.
func (w *world) byWebhook() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.cfg.Webhook, w.cfg.WebhookURL = l, "http://"+l.Addr().String()+"/"
}

// Changing from one way in to the other takes nobody's hand, and loses nothing
// that came in between.
func TestTheWayInChangesByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.byWebhook()
	w.run()
	w.start(bob)
	w.next(bob, w.text(bob, bob, "/help"))
	w.must(w.stop())
	waiting := w.text(bob, bob, "/streak") // while nobody listens
	w.cfg.Webhook, w.cfg.WebhookURL = nil, ""
	w.run()
	if got := w.next(bob, waiting).Words(); !strings.Contains(got, "streak") {
		t.Errorf("after the change bob reads %q", got)
	}
	w.must(w.stop())
	w.byWebhook()
	w.run()
	w.next(bob, w.text(bob, bob, "/help"))
	w.clean()
}

// failing is an engine whose store is in trouble.
type failing struct {
	*engine.Engine
	fail bool
}

func (f *failing) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	if f.fail {
		return engine.Reply{}, errors.New("no room")
	}
	return f.Engine.Handle(ctx, in)
}

func (f *failing) SetAside(ctx context.Context, platform, id string, at time.Time, raw []byte, reason string) error {
	if f.fail {
		return errors.New("no room")
	}
	return f.Engine.SetAside(ctx, platform, id, at, raw, reason)
}

// An update is confirmed only when it is handled or set aside, and nothing comes
// in without the secret.
func TestWhatTheWebhookConfirms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	e := &failing{Engine: w.engine}
	w.cfg.Engine = e
	w.byWebhook()
	w.run()
	send := func(secret, body string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(w.soon(), http.MethodPost, w.cfg.WebhookURL, bytes.NewReader([]byte(body)))
		w.must(err)
		req.Header.Set(secretHeader, secret)
		resp, err := http.DefaultClient.Do(req)
		w.must(err)
		w.must(resp.Body.Close())
		return resp.StatusCode
	}
	good := w.bot.hookSecret()
	command := `{"update_id":900,"message":{"message_id":9,"date":1,"chat":{"id":1002,"type":"private"},"from":{"id":1002,"first_name":"B"},"text":"/settings","entities":[{"type":"bot_command","offset":0,"length":9}]}}`
	for name, c := range map[string]struct {
		secret, body string
		want         int
	}{
		"no secret":       {"", command, 401},
		"another secret":  {good + "x", command, 401},
		"the wrong token": {strings.Repeat("0", 64), command, 401},
		"no update":       {good, `[]`, 200}, // it would come again for ever
		"too long":        {good, strings.Repeat(" ", maxUpdate+1), 413},
		"poison":          {good, `{"update_id":901,"message":"x"}`, 200}, // it is set aside
	} {
		if got := send(c.secret, c.body); got != c.want {
			t.Errorf("%s: answered with %d, want %d", name, got, c.want)
		}
	}
	e.fail = true
	if got := send(good, command); got != 503 {
		t.Errorf("while the store is in trouble: %d", got)
	}
	e.fail = false
	if got := send(good, command); got != 200 {
		t.Errorf("afterwards: %d", got)
	}
	if got := send(good, command); got != 200 || w.counts.get("update again") != 1 {
		t.Errorf("a second time: %d, %d known", got, w.counts.get("update again"))
	}
}
