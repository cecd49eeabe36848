package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"aiprep/bots"
)

// maxAnswer bounds the answer to one request; getUpdates sends about 4 MiB at
// most.
const maxAnswer = 32 << 20

// client is the library's way to Telegram: it turns every answer that is no
// success into an *apiError or a *wireError, none of which ever holds the
// token.
type client struct {
	http  *http.Client
	base  string // the server's root, without a slash at the end
	token bots.Secret
}

// apiError is Telegram's answer to a request that it refused.
type apiError struct {
	Status int           // of HTTP; Telegram repeats it in the body
	Plain  bool          // the body was not Telegram's JSON: a proxy answered
	What   string        // Telegram's description
	After  time.Duration // 429: how long to wait
	MoveTo int64         // the group became this supergroup
}

func (e *apiError) Error() string {
	if e.Plain {
		return fmt.Sprintf("telegram answered %d without a reason", e.Status)
	}
	return fmt.Sprintf("telegram answered %d: %s", e.Status, e.What)
}

// wireError is a request without an answer.
type wireError struct {
	Sent bool // a connection was there, so the request may have arrived
	Err  error
}

func (e *wireError) Error() string { return e.Err.Error() }
func (e *wireError) Unwrap() error { return e.Err }

// exchange is what became of one request. It travels in the request's context,
// as net/http/httptrace does, because the library has no other way to hand it
// through.
type exchange struct {
	asked, got atomic.Bool // for a connection
	ok         bool
	result     json.RawMessage
}

type exchangeKey struct{}

// reply is the envelope of every answer
// (https://core.telegram.org/bots/api#making-requests).
type reply struct {
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result"`
	What   string          `json:"description"`
	Params struct {
		RetryAfter int   `json:"retry_after"`
		MoveTo     int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`
}

// call makes one request, within a time, through a method of the library and
// returns the result as Telegram sent it. Whether the library could decode that
// result is of no interest: the request was done.
func (c *client) call(ctx context.Context, within time.Duration, method func(context.Context) error) (json.RawMessage, error) {
	x := &exchange{}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, exchangeKey{}, x), within)
	defer cancel()
	err := method(ctx)
	if x.ok {
		return x.result, nil
	}
	return nil, c.edge(err)
}

// get is call for getUpdates, which the library keeps to itself.
func (c *client) get(ctx context.Context, within time.Duration, name string, params any) (json.RawMessage, error) {
	body, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return c.call(ctx, within, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/bot"+c.token.Reveal()+"/"+name, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		_, err = c.Do(req)
		return err
	})
}

// edge lets only errors out that cannot hold the token.
func (c *client) edge(err error) error {
	var refused *apiError
	var lost *wireError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &lost):
		return lost
	case err == nil:
		return &wireError{Sent: true, Err: errors.New("telegram gave no answer")}
	}
	return &wireError{Err: errors.New("build request: " + c.hide(err.Error()))}
}

// hide takes the token out of a text.
func (c *client) hide(s string) string { return strings.ReplaceAll(s, c.token.Reveal(), "***") }

// Do implements the library's HttpClient.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		x = &exchange{}
	}
	// The library streams the body. Whole, it can be sent again by net/http when
	// a kept connection turns out to be dead before anything was written.
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, &wireError{Err: fmt.Errorf("build request: %w", err)}
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, &wireError{Err: err}
	}
	trace := &httptrace.ClientTrace{
		GetConn: func(string) { x.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { x.got.Store(true) },
	}
	out := req.Clone(httptrace.WithClientTrace(req.Context(), trace))
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.ContentLength = int64(len(body))
	resp, err := c.http.Do(out)
	if err != nil {
		return nil, x.lost(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, x.lost(err)
	}
	if err := x.read(resp.StatusCode, answer); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	return resp, nil
}

// lost is the error of a request without an answer. Without a connection, TLS
// included, Telegram cannot have seen it.
func (x *exchange) lost(err error) error {
	var where *url.Error
	if errors.As(err, &where) { // its text holds the address, and so the token
		err = where.Err
	}
	return &wireError{Sent: x.got.Load() || !x.asked.Load(), Err: err}
}

// read takes the answer's envelope off.
func (x *exchange) read(status int, answer []byte) error {
	var r reply
	if err := json.Unmarshal(answer, &r); err != nil || !r.OK && r.What == "" {
		return &apiError{Status: status, Plain: true}
	}
	if !r.OK {
		return &apiError{Status: status, What: r.What, MoveTo: r.Params.MoveTo,
			After: time.Duration(r.Params.RetryAfter) * time.Second}
	}
	x.ok, x.result = true, r.Result
	return nil
}

// idleConns is how many connections are kept for the next rush: as many as there
// are answers on their way in one. A new one costs more than the answer.
const idleConns = 256

// newHTTP makes the HTTP client: many calls at once to one host, and no
// redirects, for the address of one could carry the token away.
func newHTTP(transport http.RoundTripper) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConns, own.MaxIdleConnsPerHost = idleConns, idleConns
		own.ResponseHeaderTimeout = 0 // long polls
		transport = own
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
