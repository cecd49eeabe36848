package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// What a request may cost.
const (
	apiPath    = "/api/v10"
	userAgent  = "DiscordBot (aiprep, 1)" // https://discord.com/developers/docs/reference#user-agent
	maxAnswer  = 8 << 20
	askWithin  = 10 * time.Second
	fileWithin = time.Minute
)

// client is the way to Discord's REST API. None of its errors holds an address,
// in which an interaction's token would stand, or the bot's token.
type client struct {
	http  *http.Client
	base  string // the server's root, without a slash at the end
	token string
	pace  *pace
}

// request is one request.
type request struct {
	method, path string
	route        string        // what Discord limits together
	body         any           // JSON, or nil for none
	files        []file        // with these the request is a form
	most         time.Duration // to wait for a turn
	within       time.Duration // for an answer; 0 is a default
	hook         bool          // an interaction's own path: it carries its right and has its own limits
}

// file is an upload.
type file struct {
	Name string
	Type string
	Data []byte
}

// apiError is Discord's answer to a request that it refused.
type apiError struct {
	Status int
	Code   int           // Discord's own number, or 0
	What   string        // Discord's description
	Plain  bool          // the body was not Discord's JSON: a proxy answered
	After  time.Duration // 429: how long to wait
	Global bool          // 429: the whole bot
}

func (e *apiError) Error() string {
	if e.Plain {
		return fmt.Sprintf("discord answered %d without a reason", e.Status)
	}
	return fmt.Sprintf("discord answered %d: %s (%d)", e.Status, e.What, e.Code)
}

// wireError is a request without an answer.
type wireError struct {
	Sent bool // a connection was there, so the request may have arrived
	Err  error
}

func (e *wireError) Error() string { return e.Err.Error() }
func (e *wireError) Unwrap() error { return e.Err }

// call makes one request and returns the answer's body. Its error is an
// *apiError, a *wireError, a *tooLong, or ctx's own while waiting for a turn.
func (c *client) call(ctx context.Context, r request) (json.RawMessage, error) {
	within := r.within
	if within == 0 {
		within = askWithin
	}
	if len(r.files) > 0 {
		within = fileWithin
	}
	if !r.hook {
		leave, err := c.pace.enter(ctx, r.route, max(r.most, time.Second))
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var asked, got atomic.Bool // for a connection
	trace := &httptrace.ClientTrace{
		GetConn: func(string) { asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	}
	req, err := c.build(httptrace.WithClientTrace(ctx, trace), r)
	if err != nil {
		return nil, &wireError{Err: err}
	}
	lost := func(err error) error {
		var where *url.Error
		if errors.As(err, &where) { // its text holds the address
			err = where.Err
		}
		// Without a connection, TLS included, Discord cannot have seen it.
		return &wireError{Sent: got.Load() || !asked.Load(), Err: fmt.Errorf("%s: %w", r.route, err)}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, lost(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, lost(err)
	}
	return answer, c.read(r, resp, answer)
}

// build makes the HTTP request.
func (c *client) build(ctx context.Context, r request) (*http.Request, error) {
	var body []byte
	kind := "application/json"
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	if len(r.files) > 0 {
		var err error
		if body, kind, err = multipartForm(body, r.files); err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+apiPath+r.path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("build request: bad address") // err holds it
	}
	req.Header.Set("User-Agent", userAgent)
	if len(body) > 0 {
		req.Header.Set("Content-Type", kind)
	}
	if !r.hook {
		req.Header.Set("Authorization", "Bot "+c.token)
	}
	return req, nil
}

// multipartForm makes the body of a request with files
// (https://discord.com/developers/docs/reference#uploading-files).
func multipartForm(payload []byte, files []file) (body []byte, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part := func(head textproto.MIMEHeader, data []byte) {
		var p io.Writer
		if err != nil {
			return
		}
		if p, err = w.CreatePart(head); err == nil {
			_, err = p.Write(data)
		}
	}
	part(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="payload_json"`},
		"Content-Type":        {"application/json"},
	}, payload)
	for i, f := range files {
		part(textproto.MIMEHeader{
			"Content-Disposition": {fmt.Sprintf(`form-data; name="files[%d]"; filename=%q`, i, f.Name)},
			"Content-Type":        {f.Type},
		}, f.Data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), w.FormDataContentType(), err
}

// read turns every answer that is no success into an *apiError, and obeys what
// it says about limits.
func (c *client) read(r request, resp *http.Response, answer []byte) error {
	if !r.hook {
		c.pace.learn(r.route, resp.Header)
	}
	if resp.StatusCode/100 == 2 {
		return nil
	}
	var said struct {
		Code   int     `json:"code"`
		What   string  `json:"message"`
		After  float64 `json:"retry_after"`
		Global bool    `json:"global"`
	}
	e := &apiError{Status: resp.StatusCode}
	if json.Unmarshal(answer, &said) != nil {
		e.Plain = true
	}
	e.Code, e.What, e.Global, e.After = said.Code, said.What, said.Global, seconds(said.After)
	if s, err := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); err == nil {
		e.After = max(e.After, seconds(s))
	}
	if e.Status == http.StatusTooManyRequests {
		e.Global = e.Global || e.Plain || resp.Header.Get("X-RateLimit-Global") == "true" // a plain one is the proxy's: all of us
		e.After = max(e.After, time.Second/10)
		if !r.hook {
			c.pace.hold(r.route, e.Global, e.After)
		}
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		if resp.Header.Get("X-RateLimit-Scope") != "shared" {
			c.pace.refused()
		}
	}
	return e
}

// idleConns is how many connections are kept for the next rush: as many as there
// are answers on their way in one. A new one costs more than the answer.
const idleConns = 256

// newHTTP makes the HTTP client: many calls at once to one host, and no
// redirects, for the address of one could carry a token away.
func newHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = idleConns, idleConns
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
