package discord

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Interactions as signed requests
// (https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint).
// Nothing is kept between two of them, so any number of proxies may stand in
// front.
const (
	maxRequest   = 1 << 20
	maxAge       = 5 * time.Minute // of a signature, so that an old one opens nothing
	waitForWord  = 2800 * time.Millisecond
	pingType     = 1
	webReadLimit = 5 * time.Second
)

// serveWeb takes in what people do as signed requests, until ctx ends.
func (b *Bot) serveWeb(ctx context.Context) error {
	key, err := hex.DecodeString(b.me.key)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return errors.New("discord did not say with which key it signs requests: run a newer version")
	}
	srv := &http.Server{
		Handler: b.endpoint(key), ReadTimeout: webReadLimit, ReadHeaderTimeout: webReadLimit,
		WriteTimeout: 2 * webReadLimit, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(b.web) }()
	b.log.Info("discord's requests are awaited", "address", b.web.Addr().String())
	b.readyOnce.Do(func() { close(b.ready) })
	select {
	case err := <-ended:
		return fmt.Errorf("take in discord's requests: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.drain)
	defer cancel()
	_ = srv.Shutdown(end) // what did not end in time is cut off with the process
	return nil
}

// endpoint answers Discord's requests.
func (b *Bot) endpoint(key ed25519.PublicKey) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer b.survive()
		if r.Method != http.MethodPost {
			http.Error(w, "Discord sends its interactions here.", http.StatusMethodNotAllowed)
			return
		}
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			http.Error(w, "too long", http.StatusRequestEntityTooLarge)
			return
		}
		if !b.signed(r, raw, key) {
			b.count("request", platform, "unsigned")
			http.Error(w, "bad signature", http.StatusUnauthorized)
			return
		}
		b.count("request", platform, "ok")
		b.answerWeb(w, r, raw)
	})
}

// signed checks that Discord sent this, and lately.
func (b *Bot) signed(r *http.Request, raw []byte, key ed25519.PublicKey) bool {
	signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	stamp := r.Header.Get("X-Signature-Timestamp")
	if err != nil || len(signature) != ed25519.SignatureSize || !ed25519.Verify(key, append([]byte(stamp), raw...), signature) {
		return false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	age := b.now().Sub(time.Unix(seconds, 0))
	return err == nil && age < maxAge && age > -maxAge
}

// answerWeb serves one interaction and writes the first word on it.
func (b *Bot) answerWeb(w http.ResponseWriter, r *http.Request, raw []byte) {
	var kind struct {
		Type int `json:"type"`
	}
	if json.Unmarshal(raw, &kind) == nil && kind.Type == pingType {
		writeWord(w, map[string]int{"type": pingType})
		return
	}
	word := newFirstWord()
	if !b.accept(raw, word) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	late := time.NewTimer(waitForWord)
	defer late.Stop()
	select {
	case body := <-word.said:
		writeWord(w, body)
	case <-late.C:
		word.close()
		http.Error(w, "too slow", http.StatusServiceUnavailable)
	case <-r.Context().Done():
		word.close()
	}
}

func writeWord(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // who is gone reads nothing
}

// firstWord takes the first word on an interaction, once.
type firstWord struct {
	said chan any

	mu   sync.Mutex
	over bool
}

func newFirstWord() *firstWord { return &firstWord{said: make(chan any, 1)} }

// give hands the word over. When somebody did already, or nobody waits any more,
// the error is the one that Discord would answer.
func (f *firstWord) give(_ context.Context, body any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return &apiError{Status: http.StatusBadRequest, Code: codeAcknowledged, What: "the first word was spoken"}
	}
	f.over = true
	f.said <- body
	return nil
}

// close ends the waiting.
func (f *firstWord) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
}
