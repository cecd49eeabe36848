package bottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxTelegramBody is the largest request: an upload of 50 MB and its envelope
// (https://core.telegram.org/bots/faq#how-do-i-upload-a-large-file).
const maxTelegramBody = 50<<20 + 1<<20

// tgError is a refusal by the Bot API. problem is set when the request itself was
// wrong, not only late or at odds with the state of the world.
type tgError struct {
	code    int
	desc    string
	params  *tgParams
	problem string
}

type tgParams struct {
	RetryAfter int   `json:"retry_after,omitempty"`
	MigrateTo  int64 `json:"migrate_to_chat_id,omitempty"`
}

type tgReply struct {
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Code   int             `json:"error_code,omitempty"`
	Desc   string          `json:"description,omitempty"`
	Params *tgParams       `json:"parameters,omitempty"`
}

// refuse is an honest 400: the request was well formed.
func refuse(format string, args ...any) *tgError {
	return &tgError{code: http.StatusBadRequest, desc: "Bad Request: " + fmt.Sprintf(format, args...)}
}

func forbid(format string, args ...any) *tgError {
	return &tgError{code: http.StatusForbidden, desc: "Forbidden: " + fmt.Sprintf(format, args...)}
}

// violation is a 400 for a request that a correct client never sends.
func violation(format string, args ...any) *tgError {
	e := refuse(format, args...)
	e.problem = strings.TrimPrefix(e.desc, "Bad Request: ")
	return e
}

// because replaces the problem's text with one that says more than Telegram does.
func (e *tgError) because(format string, args ...any) *tgError {
	e.problem = fmt.Sprintf(format, args...)
	return e
}

// tgUpload is one file of a multipart request.
type tgUpload struct {
	name string
	mime string
	data []byte
}

// tgCall is one request, whatever its encoding was: every parameter is the text
// that a form would carry.
type tgCall struct {
	method string
	args   map[string]string
	kinds  map[string]byte // first byte of the JSON value, in JSON bodies only
	files  map[string]tgUpload
	used   map[string]bool // names of files that a parameter referred to
	req    *http.Request
}

// ServeHTTP serves the Bot API and, under /_control/, the remote control.
func (t *Telegram) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.enter() {
		panic(http.ErrAbortHandler)
	}
	defer t.busy.Done()
	if strings.HasPrefix(r.URL.Path, "/_control/") {
		t.control(w, r)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.Path, "/bot")
	token, method, found := strings.Cut(rest, "/")
	rec := Recorded{Time: t.Now(), Method: r.Method, Path: "/" + method, Header: keptHeaders(r.Header)}
	if !ok || !found || strings.Contains(method, "/") || (r.Method != http.MethodPost && r.Method != http.MethodGet) {
		t.answer(w, rec, nil, &tgError{code: 404, desc: "Not Found", problem: "no such path"})
		return
	}
	if token != t.Token {
		t.answer(w, rec, nil, &tgError{code: 401, desc: "Unauthorized", problem: "wrong token"})
		return
	}
	handler, name := t.lookup(method)
	if name == "" {
		t.answer(w, rec, nil, &tgError{code: 404, desc: "Not Found: method not found", problem: "no such method"})
		return
	}
	rec.Path = "/" + name
	call, fail := readTelegramCall(w, r, name)
	if fail != nil {
		t.answer(w, rec, nil, fail)
		return
	}
	rec.Body = call.record()
	finish, stop := t.fault(w, call, &rec)
	if stop {
		return
	}
	result, fail := t.perform(handler, call)
	if finish != nil {
		t.keep(rec, fail)
		finish()
	}
	t.answer(w, rec, result, fail)
}

// perform checks the request and does what it asks.
func (t *Telegram) perform(handler tgHandler, call *tgCall) (any, *tgError) {
	if t.api != nil {
		if problems := t.api.checkCall(call); len(problems) > 0 {
			return nil, refuse("%s", problems[0]).because("against Bot API %s: %s", t.api.Version, strings.Join(problems, "; "))
		}
	}
	if handler == nil {
		return nil, violation("method not implemented by the fake")
	}
	return handler(t, call)
}

// answer writes the reply and keeps the request.
func (t *Telegram) answer(w http.ResponseWriter, rec Recorded, result any, fail *tgError) {
	reply := tgReply{OK: true}
	rec.Status = http.StatusOK
	if fail != nil {
		reply = tgReply{Code: fail.code, Desc: fail.desc, Params: fail.params}
		rec.Status, rec.Problem = fail.code, fail.problem
	} else {
		reply.Result = mustJSON(result)
	}
	body := mustJSON(reply)
	t.rec.Add(rec)
	w.Header().Set("Content-Type", "application/json")
	if reply.Params != nil && reply.Params.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(reply.Params.RetryAfter))
	}
	w.WriteHeader(rec.Status)
	_, _ = w.Write(body) // the client may be gone, which is its right
	t.mu.Lock()
	t.touch()
	t.mu.Unlock()
}

// keep records a request that gets no ordinary answer.
func (t *Telegram) keep(rec Recorded, fail *tgError) {
	if fail != nil {
		rec.Problem = fail.problem
	}
	t.rec.Add(rec)
	t.mu.Lock()
	t.touch()
	t.mu.Unlock()
}

// fault applies the next fault for this request. With stop the request is over;
// finish, when not nil, is called instead of an answer once the work is done.
func (t *Telegram) fault(w http.ResponseWriter, call *tgCall, rec *Recorded) (finish func(), stop bool) {
	gone := call.req.Context().Done()
	breakOff := func(hang bool) {
		if hang {
			select {
			case <-gone:
			case <-t.done:
			}
		}
		panic(http.ErrAbortHandler) // net/http closes the connection without an answer
	}
	switch k := t.faults.Take(call.method).(type) {
	case RateLimited:
		secs := max(1, int((k.RetryAfter+999_999_999)/1_000_000_000))
		t.answer(w, *rec, nil, &tgError{code: 429, desc: fmt.Sprintf("Too Many Requests: retry after %d", secs),
			params: &tgParams{RetryAfter: secs}})
		return nil, true
	case Forbidden:
		t.answer(w, *rec, nil, forbid("%s", strings.TrimPrefix(k.Message, "Forbidden: ")))
		return nil, true
	case BadGateway:
		t.plain(w, rec, Status{Code: 502, ContentType: "text/html", Body: "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"})
		return nil, true
	case Status:
		t.plain(w, rec, k)
		return nil, true
	case Dropped:
		t.keep(*rec, nil)
		breakOff(k.Hang)
	case AcceptThenTimeout:
		return func() { breakOff(k.Hang) }, false
	case Held:
		t.hold(1)
		select {
		case <-k.Until:
		case <-gone:
		case <-t.done:
		}
		t.hold(-1)
	}
	return nil, false
}

func (t *Telegram) hold(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held += n
	t.touch()
}

// Holding is the number of requests that a Held fault keeps waiting now.
func (t *Telegram) Holding() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

// plain answers with exactly this.
func (t *Telegram) plain(w http.ResponseWriter, rec *Recorded, s Status) {
	for name, values := range s.Header {
		w.Header()[name] = values
	}
	if s.ContentType != "" {
		w.Header().Set("Content-Type", s.ContentType)
	}
	w.WriteHeader(s.Code)
	_, _ = io.WriteString(w, s.Body)
	rec.Status = s.Code
	t.keep(*rec, nil)
}

// readTelegramCall reads parameters from the query and from a JSON, urlencoded
// or multipart body (https://core.telegram.org/bots/api#making-requests).
func readTelegramCall(w http.ResponseWriter, r *http.Request, method string) (*tgCall, *tgError) {
	c := &tgCall{method: method, args: map[string]string{}, kinds: map[string]byte{},
		files: map[string]tgUpload{}, used: map[string]bool{}, req: r}
	if fail := c.addForm(r.URL.Query()); fail != nil {
		return nil, fail
	}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Header.Get("Content-Type") != "" {
		return nil, violation("can't read the content type %q", r.Header.Get("Content-Type"))
	}
	body := http.MaxBytesReader(w, r.Body, maxTelegramBody)
	if kind == "multipart/form-data" {
		return c, c.readMultipart(multipart.NewReader(body, params["boundary"]))
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, bodyError(err)
	}
	switch {
	case len(raw) == 0:
		return c, nil
	case kind == "application/json":
		return c, c.readJSON(raw)
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(raw))
		if err != nil {
			return nil, violation("can't parse the urlencoded body: %v", err)
		}
		return c, c.addForm(form)
	}
	return nil, violation("unsupported content type %q", kind)
}

func bodyError(err error) *tgError {
	var tooBig *http.MaxBytesError
	if errors.As(err, &tooBig) {
		return &tgError{code: 413, desc: "Request Entity Too Large", problem: "body over 50 MB"}
	}
	return refuse("can't read the body: %v", err)
}

func (c *tgCall) addForm(form url.Values) *tgError {
	for name, values := range form {
		if _, twice := c.args[name]; twice || len(values) != 1 {
			return violation("parameter %q is given twice", name)
		}
		c.args[name] = values[0]
	}
	return nil
}

func (c *tgCall) readJSON(raw []byte) *tgError {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return violation("can't parse the body as a JSON object: %v", err)
	}
	for name, v := range all {
		text := string(v)
		if text == "null" {
			continue // as if absent, which is what the server does
		}
		if text[0] == '"' {
			var s string
			if err := json.Unmarshal(v, &s); err != nil {
				return violation("can't parse parameter %q: %v", name, err)
			}
			text = s
		}
		c.args[name], c.kinds[name] = text, v[0]
	}
	return nil
}

func (c *tgCall) readMultipart(form *multipart.Reader) *tgError {
	for first := true; ; first = false {
		part, err := form.NextPart()
		// go-telegram/bot sends calls without parameters as multipart with an empty
		// body, closing boundary missing, and the real server takes them.
		if err == io.EOF || first && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return bodyError(err)
		}
		raw, err := io.ReadAll(part)
		if err != nil {
			return bodyError(err)
		}
		name := part.FormName()
		_, arg := c.args[name]
		_, file := c.files[name]
		if name == "" || arg || file {
			return violation("parameter %q is given twice or has no name", name)
		}
		if part.FileName() != "" {
			c.files[name] = tgUpload{name: part.FileName(), mime: part.Header.Get("Content-Type"), data: raw}
		} else {
			c.args[name] = string(raw)
		}
	}
}

// record renders the parameters as one JSON object for Recorded.Body.
func (c *tgCall) record() []byte {
	all := map[string]any{}
	for name, text := range c.args {
		all[name] = text
		if v := json.RawMessage(text); len(text) > 0 && strings.ContainsRune("{[-0123456789tf", rune(text[0])) &&
			json.Valid(v) && c.kinds[name] != '"' && !isTextParam(name) {
			all[name] = v
		}
	}
	for name, f := range c.files {
		all[name] = map[string]any{"file_name": f.name, "size": len(f.data)}
	}
	return mustJSON(all) // valid by construction
}

// isTextParam lists parameters whose value is text even when it looks like JSON.
func isTextParam(name string) bool {
	switch name {
	case "text", "caption", "question", "explanation", "description", "name", "title", "payload",
		"short_description", "callback_query_id", "pre_checkout_query_id", "secret_token":
		return true
	}
	return false
}
