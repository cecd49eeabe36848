package telegram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Updates sent by Telegram (https://core.telegram.org/bots/api#setwebhook). What
// is not confirmed with 200 comes again.
const (
	hookConnections = 40
	maxUpdate       = 4 << 20
	hookReadWithin  = 10 * time.Second
	secretHeader    = "X-Telegram-Bot-Api-Secret-Token"
)

// hookSecret is what Telegram shows with every update. It follows from the
// token, so it is the same after a restart and nobody else can compute it.
func (b *Bot) hookSecret() string {
	h := hmac.New(sha256.New, []byte(b.token.Reveal()))
	h.Write([]byte("webhook"))
	return hex.EncodeToString(h.Sum(nil))
}

// takeWebhook takes in the updates that Telegram sends, until ctx ends.
func (b *Bot) takeWebhook(ctx context.Context) error {
	srv := &http.Server{
		Handler: b.hookHandler(), ReadHeaderTimeout: hookReadWithin, ReadTimeout: hookReadWithin,
		WriteTimeout: b.within + 2*setAsideFor, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(b.hook) }()
	trouble := troubles{bot: b}
	for {
		err := b.setWebhook(ctx)
		if err == nil || ctx.Err() != nil {
			break
		}
		var refused *apiError
		if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
			_ = srv.Close() // nothing came in yet
			return fmt.Errorf("telegram does not take telegram.webhook_url: %w", err)
		}
		pause, fatal := trouble.with(err)
		if fatal != nil {
			_ = srv.Close()
			return fatal
		}
		sleep(ctx, pause)
	}
	if ctx.Err() == nil {
		b.log.Info("telegram's updates are awaited", "address", b.hook.Addr().String())
		close(b.ready)
	}
	select {
	case err := <-ended:
		return fmt.Errorf("take in telegram's updates: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.drain)
	defer cancel()
	_ = srv.Shutdown(end) // what was not confirmed comes again
	return nil
}

// setWebhook tells Telegram where updates go. It is said at every start: nobody
// can ask with which secret an earlier one was set.
func (b *Bot) setWebhook(ctx context.Context) error {
	_, err := b.get(ctx, sendWithin, "setWebhook", map[string]any{
		"url": b.hookURL, "secret_token": b.hookSecret(), "max_connections": hookConnections, "allowed_updates": allowedUpdates(),
	})
	if err == nil {
		b.count("webhook", platform, "set")
	}
	return err
}

// dropWebhook makes sure that updates can be asked for.
func (b *Bot) dropWebhook(ctx context.Context) error {
	result, err := b.get(ctx, sendWithin, "getWebhookInfo", struct{}{})
	if err != nil {
		return err
	}
	var now struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(result, &now); err == nil && now.URL == "" {
		return nil
	}
	_, err = b.get(ctx, sendWithin, "deleteWebhook", map[string]any{"drop_pending_updates": false})
	if err == nil {
		b.log.Info("telegram's webhook removed: updates are asked for")
	}
	return err
}

// hookHandler confirms an update once it is handled, and what it did committed,
// or once it is set aside.
func (b *Bot) hookHandler() http.Handler {
	secret := []byte(b.hookSecret())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer b.survive()
		if !hmac.Equal([]byte(r.Header.Get(secretHeader)), secret) {
			b.count("webhook", platform, "unknown")
			http.Error(w, "not from Telegram", http.StatusUnauthorized)
			return
		}
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpdate))
		if err != nil {
			http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			return
		}
		b.checkouts([]json.RawMessage{raw})
		b.outbox.room(r.Context())
		var known struct {
			ID int64 `json:"update_id"`
		}
		_ = json.Unmarshal(raw, &known) // without an id it is dropped and logged, and must not come again
		if _, done := b.handle([]json.RawMessage{raw}, 0); !done && known.ID != 0 {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		b.count("webhook", platform, "ok")
	})
}
