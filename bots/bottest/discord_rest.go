package bottest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

// maxRequest is the size over which Discord refuses a request
// (reference, "Uploading Files").
const maxRequest = 25 << 20

// call is one request on its way through the fake.
type call struct {
	r       *http.Request
	raw     []byte   // the body as it came
	body    []byte   // its JSON, out of payload_json if it was a form
	files   []upload // by files[n]
	problem []string // what the client did wrong, for Problems
}

// upload is one file of a multipart request.
type upload struct {
	index, name, contentType string
	data                     []byte
}

// reply is an answer before it is written.
type reply struct {
	status int
	body   any // nil for none; []byte and string as they are, else JSON
	header http.Header
}

// handler does the work of one route; the state is locked while it runs.
type handler func(*call) reply

// ok answers 200 with a body.
func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

// none answers 204.
func none() reply { return reply{status: http.StatusNoContent} }

// refuse answers with one of Discord's numbered errors.
func denied(status, code int, message string) reply {
	return reply{status: status, body: map[string]any{"code": code, "message": message}}
}

// ServeHTTP implements http.Handler.
func (d *Discord) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	select {
	case <-d.quit:
		d.mu.Unlock()
		panic(http.ErrAbortHandler) // cuts the connection
	default:
	}
	d.wg.Add(1) // Close waits for every request
	d.mu.Unlock()
	defer d.wg.Done()
	if strings.HasPrefix(r.URL.Path, "/gateway") && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		d.serveGateway(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/_control/") {
		d.remote(w, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/attachments/") {
		d.serveAttachment(w, r)
		return
	}
	for _, prefix := range []string{"/api/v9", "/api/v10"} {
		if rest, found := strings.CutPrefix(r.URL.Path, prefix); found {
			r.URL.Path, r.URL.RawPath = rest, ""
			d.serveAPI(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// serveAPI takes one REST request through faults, limits, checks and its handler.
func (d *Discord) serveAPI(w http.ResponseWriter, r *http.Request) {
	c := &call{r: r}
	rec := Recorded{Time: d.now(), Method: r.Method, Path: r.URL.Path, Header: keptHeaders(r.Header)}
	if r.URL.RawQuery != "" {
		rec.Path += "?" + r.URL.RawQuery
	}
	var err error
	c.raw, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	rec.Body = c.raw
	kind := d.faults.Take(r.Method + " " + r.URL.Path)
	var out reply
	switch {
	case err != nil:
		out = denied(http.StatusRequestEntityTooLarge, 40005, "Request entity too large")
	default:
		var silent bool
		if out, silent = d.faulted(kind, c); silent {
			d.record(rec, c)
			d.vanish(r, kind)
		}
	}
	rec.Status = out.status
	d.record(rec, c)
	write(w, out)
}

// record keeps a request with what was wrong with it.
func (d *Discord) record(rec Recorded, c *call) {
	rec.Problem = strings.Join(c.problem, "; ")
	d.rec.Add(rec)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.touch()
}

// faulted answers a request, or says that it is to get no answer.
func (d *Discord) faulted(kind FaultKind, c *call) (out reply, silent bool) {
	switch k := kind.(type) {
	case RateLimited:
		return limited(k.RetryAfter, k.Global, "user"), false
	case BadGateway:
		return reply{status: http.StatusBadGateway, body: "<html><head><title>502 Bad Gateway</title></head></html>",
			header: http.Header{"Content-Type": {"text/html"}}}, false
	case Forbidden:
		return denied(http.StatusForbidden, k.Code, k.Message), false
	case Status:
		h := k.Header.Clone()
		if h == nil {
			h = http.Header{}
		}
		if k.ContentType != "" {
			h.Set("Content-Type", k.ContentType)
		}
		return reply{status: k.Code, body: k.Body, header: h}, false
	case Dropped:
		return reply{}, true
	case AcceptThenTimeout:
		d.handle(c)
		return reply{}, true
	case Held:
		select {
		case <-k.Until:
		case <-c.r.Context().Done():
			return reply{}, true
		case <-d.quit:
			return reply{}, true
		}
	}
	return d.handle(c), false
}

// vanish ends a request without an answer; it does not return.
func (d *Discord) vanish(r *http.Request, kind FaultKind) {
	hang := false
	switch k := kind.(type) {
	case AcceptThenTimeout:
		hang = k.Hang
	case Dropped:
		hang = k.Hang
	}
	if hang {
		select {
		case <-r.Context().Done():
		case <-d.quit:
		}
	}
	panic(http.ErrAbortHandler) // net/http closes the connection and writes nothing
}

// handle authorises, limits, reads and routes a request.
func (d *Discord) handle(c *call) reply {
	d.mux.ServeHTTP(discard{}, c.r) // only for Pattern and the path values
	pattern := c.r.Pattern
	route, known := d.routes[pattern]
	if !known {
		c.problem = append(c.problem, "the fake knows no such route")
		return denied(http.StatusNotFound, 0, "404: Not Found")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !route.open && (c.r.Header.Get("Authorization") != "Bot "+d.Token || d.gate.tokenReset) {
		return denied(http.StatusUnauthorized, 0, "401: Unauthorized")
	}
	header, over := d.limits.take(d, route, pattern, c.r)
	if over != nil {
		return *over
	}
	out, fine := reply{}, true
	if len(c.raw) > 0 {
		out, fine = d.readBody(c, pattern)
	}
	if fine {
		out = route.do(c)
	}
	if out.header == nil {
		out.header = http.Header{}
	}
	for k, v := range header {
		out.header[k] = v
	}
	return out
}

// readBody finds the JSON and the files of a request and holds them against the
// official description.
func (d *Discord) readBody(c *call, pattern string) (reply, bool) {
	if err := c.parse(); err != nil {
		c.problem = append(c.problem, err.Error())
		return denied(http.StatusBadRequest, 50109, "The request body contains invalid JSON."), false
	}
	if d.spec == nil || c.body == nil {
		return reply{}, true
	}
	bad, odd, err := d.spec.Check(pattern, c.body)
	if err != nil {
		c.problem = append(c.problem, err.Error())
	}
	c.problem = append(c.problem, odd...)
	if len(bad) == 0 {
		return reply{}, true
	}
	var form form
	for _, v := range bad {
		form.add(v.Path, "BASE_TYPE_BAD", v.Message)
	}
	return c.invalid(&form), false
}

// parse splits the body into JSON and files.
func (c *call) parse() error {
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("read content type: %w", err)
	}
	switch kind {
	case "application/json":
		c.body = c.raw
	case "multipart/form-data":
		if err := c.parseForm(params["boundary"]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("content type %q is not one that Discord reads", kind)
	}
	if c.body != nil && !json.Valid(c.body) {
		return errors.New("the body is not JSON")
	}
	return nil
}

// parseForm reads payload_json and files[n].
func (c *call) parseForm(boundary string) error {
	parts := multipart.NewReader(bytes.NewReader(c.raw), boundary)
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read form: %w", err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return fmt.Errorf("read form: %w", err)
		}
		name := p.FormName()
		if name == "payload_json" {
			c.body = data
			continue
		}
		index, isFile := strings.CutPrefix(name, "files[")
		if !isFile || p.FileName() == "" {
			return fmt.Errorf("form part %q is neither payload_json nor a file", name)
		}
		c.files = append(c.files, upload{strings.TrimSuffix(index, "]"), p.FileName(), p.Header.Get("Content-Type"), data})
	}
}

// decode reads the JSON body into v; an absent body leaves v alone.
func (c *call) decode(v any) error {
	if c.body == nil {
		return nil
	}
	return json.Unmarshal(c.body, v)
}

// invalid answers 400 with Discord's nested form errors, and keeps the problem.
func (c *call) invalid(f *form) reply {
	c.problem = append(c.problem, f.lines...)
	return reply{status: http.StatusBadRequest, body: map[string]any{"code": 50035, "message": "Invalid Form Body", "errors": f.tree}}
}

// write sends a reply.
func write(w http.ResponseWriter, out reply) {
	var data []byte
	switch b := out.body.(type) {
	case nil:
	case []byte:
		data = b
	case string:
		data = []byte(b)
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			panic(err) // a mistake in the fake itself
		}
		w.Header().Set("Content-Type", "application/json")
	}
	for k, v := range out.header {
		w.Header()[k] = v
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(data) // a client that went away is its own affair
}

// limited is a 429 as Discord sends it (topics, "Rate Limits").
func limited(after time.Duration, global bool, scope string) reply {
	seconds := after.Seconds()
	h := http.Header{"Retry-After": {fmt.Sprintf("%.0f", math.Ceil(seconds))}, "X-Ratelimit-Scope": {scope}}
	if global {
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Scope", "global")
	} else {
		h.Set("X-RateLimit-Reset-After", fmt.Sprintf("%.3f", seconds))
	}
	return reply{status: http.StatusTooManyRequests, header: h,
		body: map[string]any{"message": "You are being rate limited.", "retry_after": seconds, "global": global}}
}
