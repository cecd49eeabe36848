// Package bottest runs a fake Discord and a fake Telegram on loopback, speaking
// real HTTP (and, for Discord, a real gateway over WebSocket) to the real client
// libraries. Both keep the state a platform would keep, check every request
// against the platform's published limits, and break on demand.
//
// Nothing here needs a *testing.T, so the same servers run inside tests and as a
// program (cmd/fakes).
package bottest

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// Fault makes the requests that match it fail in one chosen way.
type Fault struct {
	// Match is a pattern. For Discord it is held against "METHOD /path" without
	// the /api/vN prefix, for Telegram against the method's name. "*" stands for
	// any run of characters but "/", "**" for any run at all, and an empty
	// pattern matches every request. Case counts.
	Match string
	// Times is how many matching requests fail; 0 means one, a negative number
	// every one until Clear.
	Times int
	// Kind is what happens.
	Kind FaultKind
}

// FaultKind is one of RateLimited, BadGateway, AcceptThenTimeout, Dropped,
// Forbidden, Status and Held.
type FaultKind interface{ faultKind() }

type (
	// RateLimited answers 429 and does nothing; Global marks the limit of the
	// whole bot rather than of one route or chat.
	RateLimited struct {
		RetryAfter time.Duration
		Global     bool
	}
	// BadGateway answers 502 with an HTML page, as the proxy in front of the
	// platform does, and does nothing.
	BadGateway struct{}
	// AcceptThenTimeout does the work and never answers: the connection is closed
	// at once, or with Hang kept open until the client gives up or the fake is
	// closed.
	AcceptThenTimeout struct{ Hang bool }
	// Dropped is AcceptThenTimeout without the work: to the client they look the
	// same.
	Dropped struct{ Hang bool }
	// Forbidden answers 403 with the platform's error body and does nothing. Code
	// is the platform's own number (Telegram has none and repeats 403).
	Forbidden struct {
		Code    int
		Message string
	}
	// Status answers with exactly this and does nothing.
	Status struct {
		Code        int
		Body        string
		ContentType string
		Header      http.Header
	}
	// Held lets the request go on normally, but only once Until is closed (or the
	// client gave up).
	Held struct{ Until <-chan struct{} }
)

func (RateLimited) faultKind()       {}
func (BadGateway) faultKind()        {}
func (AcceptThenTimeout) faultKind() {}
func (Dropped) faultKind()           {}
func (Forbidden) faultKind()         {}
func (Status) faultKind()            {}
func (Held) faultKind()              {}

// Faults is a list of faults waiting for their requests. The zero value is ready,
// and it is safe for use by several goroutines.
type Faults struct {
	mu   sync.Mutex
	list []Fault
}

// Inject adds a fault behind those already waiting; the first match wins.
func (f *Faults) Inject(x Fault) {
	if x.Times == 0 {
		x.Times = 1
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, x)
}

// Clear forgets every fault still waiting.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// Take uses up one occurrence of the first fault that matches target and returns
// its kind, or nil when the request is to succeed.
func (f *Faults) Take(target string) FaultKind {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		x := &f.list[i]
		if x.Match != "" && !glob(x.Match, target) {
			continue
		}
		kind := x.Kind
		if x.Times > 0 {
			if x.Times--; x.Times == 0 {
				f.list = append(f.list[:i], f.list[i+1:]...)
			}
		}
		return kind
	}
	return nil
}

// glob reports whether all of s matches the pattern of Fault.Match.
func glob(pattern, s string) bool {
	star := strings.IndexByte(pattern, '*')
	if star < 0 {
		return pattern == s
	}
	if !strings.HasPrefix(s, pattern[:star]) {
		return false
	}
	s, pattern = s[star:], pattern[star+1:]
	rest, deep := strings.CutPrefix(pattern, "*")
	for i := 0; i <= len(s); i++ {
		if glob(rest, s[i:]) {
			return true
		}
		if i < len(s) && s[i] == '/' && !deep {
			return false
		}
	}
	return false
}

// Recorded is one request as a fake saw it.
type Recorded struct {
	Time   time.Time `json:"time"`
	Method string    `json:"method"`
	// Path is the path without the API prefix and without the bot's token, with
	// the query if there was one.
	Path string `json:"path"`
	// Header keeps Content-Type, User-Agent and X-Audit-Log-Reason only.
	Header http.Header `json:"header,omitempty"`
	Body   []byte      `json:"body,omitempty"`
	// Status is what the fake answered; 0 means it never answered.
	Status int `json:"status"`
	// Problem is why the platform would have refused the request, or why the fake
	// holds it to be a mistake; empty for a good one.
	Problem string `json:"problem,omitempty"`
}

// Recorder keeps requests in the order in which they were answered. The zero
// value is ready, and it is safe for use by several goroutines.
type Recorder struct {
	mu   sync.Mutex
	list []Recorded
	// extra are problems that belong to no request.
	extra []string
}

// Add keeps one request.
func (r *Recorder) Add(x Recorded) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, x)
}

// AddProblem keeps a problem that belongs to no single request.
func (r *Recorder) AddProblem(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.extra = append(r.extra, text)
}

// Requests returns a copy of what was recorded, oldest first.
func (r *Recorder) Requests() []Recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Recorded(nil), r.list...)
}

// Problems returns every problem found, each with its request's method and path.
// A test of a well-behaved client asserts that it is empty.
func (r *Recorder) Problems() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, x := range r.list {
		if x.Problem != "" {
			out = append(out, x.Method+" "+x.Path+": "+x.Problem)
		}
	}
	return append(out, r.extra...)
}

// Reset forgets requests and problems.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list, r.extra = nil, nil
}

// keptHeaders returns the part of a request's header that Recorded keeps.
func keptHeaders(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "User-Agent", "X-Audit-Log-Reason"} {
		if v := h.Values(name); len(v) > 0 {
			kept[name] = append([]string(nil), v...)
		}
	}
	return kept
}

// Clock is a clock that runs with the computer's but can be moved ahead. Its Now
// method is what the fakes' options take.
type Clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

// Now is the computer's time plus all that was added by Advance.
func (c *Clock) Now() time.Time {
	return time.Now().Add(c.shift())
}

// shift is all that was added by Advance.
func (c *Clock) shift() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

// Advance moves the clock ahead by d; the real time does not pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
