package bottest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"
)

// webhookTimeout is how long one delivery may take.
const webhookTimeout = 60 * time.Second

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// tgHook delivers the queue to the bot's webhook
// (tdlib/telegram-bot-api, WebhookActor.cpp).
type tgHook struct {
	url      string
	secret   string
	most     int
	client   *http.Client
	cancel   context.CancelFunc
	ctx      context.Context
	group    sync.WaitGroup
	lastErr  string
	lastTime time.Time
}

// webhookPause is the wait before another delivery: none after the first
// failure, then one second doubling to a minute.
func webhookPause(fails int) time.Duration {
	if fails <= 1 {
		return 0
	}
	return min(time.Second<<min(fails-2, 6), time.Minute)
}

func (t *Telegram) setWebhook(c *tgCall) (any, *tgError) {
	link := c.text("url")
	if link == "" {
		return t.deleteWebhook(c)
	}
	most, fail := c.small("max_connections")
	if fail == nil {
		fail = checkWebhook(c, link, most)
	}
	if fail != nil {
		return nil, fail
	}
	if most == 0 {
		most = 40
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return nil, &tgError{code: http.StatusInternalServerError, desc: "Internal Server Error: restart"}
	}
	if fail := t.setAllowed(c); fail != nil {
		t.mu.Unlock()
		return nil, fail
	}
	old := t.hook
	if c.flag("drop_pending_updates", false) {
		t.queue.list = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &tgHook{url: link, secret: c.text("secret_token"), most: most, ctx: ctx, cancel: cancel,
		client: &http.Client{Timeout: webhookTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: most}}}
	t.hook = h
	t.queue.throwOut("terminated by setWebhook request")
	h.group.Add(1)
	go t.deliver(h)
	t.touch()
	t.mu.Unlock()
	old.stop()
	return true, nil
}

// checkWebhook wants HTTPS on one of the four ports. Loopback is the exception,
// for tests: any scheme and port, and the only hosts the fake ever calls.
func checkWebhook(c *tgCall, link string, most int) *tgError {
	u, err := url.Parse(link)
	switch {
	case err != nil || u.Host == "":
		return violation("bad webhook: invalid URL")
	case c.has("max_connections") && (most < 1 || most > 100):
		return violation("max_connections must be 1-100")
	case c.has("secret_token") && !secretToken.MatchString(c.text("secret_token")):
		return violation("secret token contains unallowed characters")
	case c.has("certificate"):
		return violation("webhook certificates are not implemented by the fake")
	case loopback(u.Hostname()):
		return nil
	case u.Scheme != "https":
		return violation("bad webhook: An HTTPS URL must be provided for webhook")
	case u.Port() != "" && !slices.Contains([]string{"443", "80", "88", "8443"}, u.Port()):
		return violation("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (t *Telegram) deleteWebhook(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	old := t.hook
	t.hook = nil
	if c.flag("drop_pending_updates", false) {
		t.queue.list = nil
	}
	t.touch()
	t.mu.Unlock()
	old.stop()
	return true, nil
}

// stop ends all deliveries and waits for them; a nil hook has none.
func (h *tgHook) stop() {
	if h == nil {
		return
	}
	h.cancel()
	h.group.Wait()
	h.client.CloseIdleConnections()
}

func (t *Telegram) getWebhookInfo(*tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue.expire(t.now())
	info := map[string]any{"url": "", "has_custom_certificate": false, "pending_update_count": len(t.queue.list)}
	if len(t.queue.allowed) > 0 {
		info["allowed_updates"] = t.queue.allowed
	}
	if h := t.hook; h != nil {
		info["url"], info["max_connections"] = h.url, h.most
		if h.lastErr != "" {
			info["last_error_date"], info["last_error_message"] = h.lastTime.Unix(), h.lastErr
		}
	}
	return info, nil
}

// deliver sends what is due until the hook is stopped.
func (t *Telegram) deliver(h *tgHook) {
	defer h.group.Done()
	if u, err := url.Parse(h.url); err != nil || !loopback(u.Hostname()) {
		return // never to the outside
	}
	for h.ctx.Err() == nil {
		t.mu.Lock()
		changed := t.changed
		batch, next := t.due(h)
		h.group.Add(len(batch))
		t.mu.Unlock()
		for _, u := range batch {
			go t.deliverOne(h, u)
		}
		timer := time.NewTimer(next)
		select {
		case <-changed:
		case <-timer.C:
		case <-h.ctx.Done():
		}
		timer.Stop()
	}
}

// due picks the head of each lane that is not in flight, and says how long until
// another one may go. It needs t.mu.
func (t *Telegram) due(h *tgHook) (batch []*tgUpdate, next time.Duration) {
	t.queue.expire(t.now())
	next = time.Hour
	busy := map[string]bool{}
	flying := 0
	for _, u := range t.queue.list {
		if u.flying {
			busy[u.lane] = true
			flying++
		}
	}
	now := time.Now() // pauses are real ones
	for _, u := range t.queue.list {
		if busy[u.lane] || flying+len(batch) >= h.most {
			continue
		}
		busy[u.lane] = true
		if wait := u.after.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		u.flying = true
		batch = append(batch, u)
	}
	return batch, next
}

func (t *Telegram) deliverOne(h *tgHook, u *tgUpdate) {
	defer h.group.Done()
	answer, retry, err := h.post(u.body)
	t.mu.Lock()
	u.flying = false
	if err == nil {
		t.queue.list = slices.DeleteFunc(t.queue.list, func(x *tgUpdate) bool { return x == u })
	} else {
		u.fails++
		u.after = time.Now().Add(max(t.opts.RetryWebhook(u.fails), retry))
		h.lastErr, h.lastTime = err.Error(), t.now()
	}
	t.touch()
	t.mu.Unlock()
	if err == nil && len(answer) > 0 {
		t.inline(answer)
	}
}

// post delivers once. Any 2xx acknowledges; retry is what Retry-After asks.
func (h *tgHook) post(body []byte) (answer []byte, retry time.Duration, err error) {
	req, err := http.NewRequestWithContext(h.ctx, http.MethodPost, h.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("build a webhook request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if h.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return nil, 0, errors.New("connection failed")
	}
	defer func() { _ = resp.Body.Close() }() // read or not, it is done with
	if answer, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20)); err != nil {
		return nil, 0, errors.New("read error")
	}
	if resp.StatusCode/100 != 2 {
		if secs, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			retry = time.Duration(min(max(secs, 0), 3600)) * time.Second
		}
		return nil, retry, fmt.Errorf("wrong response from the webhook: %s", resp.Status)
	}
	return answer, 0, nil
}

// inline performs the method call that a webhook's answer may carry; its result
// is never seen (https://core.telegram.org/bots/api#making-requests-when-getting-updates).
func (t *Telegram) inline(answer []byte) {
	var call struct{ Method string }
	if json.Unmarshal(answer, &call) != nil || call.Method == "" {
		return
	}
	req, err := http.NewRequest(http.MethodPost, "/", nil)
	if err != nil {
		panic(err) // constant arguments
	}
	c := &tgCall{args: map[string]string{}, kinds: map[string]byte{}, files: map[string]tgUpload{}, used: map[string]bool{}, req: req}
	rec := Recorded{Time: t.Now(), Method: "WEBHOOK", Path: "/" + call.Method}
	fail := c.readJSON(answer)
	delete(c.args, "method")
	if fail == nil {
		handler, name := t.lookup(call.Method)
		switch c.method = name; name {
		case "", "getUpdates", "setWebhook", "deleteWebhook":
			fail = violation("method %q can't be called in a webhook's answer", call.Method)
		default:
			_, fail = t.perform(handler, c)
		}
	}
	rec.Body = c.record()
	if rec.Status = http.StatusOK; fail != nil {
		rec.Status = fail.code
	}
	t.keep(rec, fail)
}
