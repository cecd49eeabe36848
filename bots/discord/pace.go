package discord

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How fast we ask. Discord takes 50 requests a second from a bot, all but
// interaction callbacks counted, and cuts an address off after 10,000 invalid
// ones in ten minutes (https://discord.com/developers/docs/topics/rate-limits).
// A bucket lets its burst and what flows in through any window, so the pair adds
// up to a little more than 50, of which a whole number is less; the rate is most of
// it, since a rush of daily posts takes as long as the rate says.
const (
	perSecond, secondBurst = 49.4, 1
	atOnce                 = 32 // requests in flight
	invalidWindow          = 10 * time.Minute
	mostInvalid            = 2000 // in a window; then all is quiet until it ends
	sweepEvery             = time.Minute
)

// pace spreads requests and keeps the silences that Discord asks for. It lives
// by the machine's clock, as the limits do.
type pace struct {
	all   *rate.Limiter
	slots chan struct{}

	mu      sync.Mutex
	until   time.Time            // nothing at all is asked before
	routes  map[string]time.Time // nothing of this route before
	swept   time.Time
	invalid int // since
	since   time.Time
}

func newPace() *pace {
	return &pace{
		all:    rate.NewLimiter(perSecond, secondBurst),
		slots:  make(chan struct{}, atOnce),
		routes: map[string]time.Time{},
	}
}

// tooLong says that a request would have to wait longer than its sender can.
type tooLong struct{ Wait time.Duration }

func (e *tooLong) Error() string { return fmt.Sprintf("the route's next turn is in %v", e.Wait) }

// enter returns when a request of a route may be made, or at once with a
// *tooLong if Discord asked for a silence that is longer than most. leave must
// be called after the request. Who keeps a silence takes no place from others.
func (p *pace) enter(ctx context.Context, route string, most time.Duration) (leave func(), err error) {
	end := time.Now().Add(most)
	leave = func() { <-p.slots }
	for {
		if d := p.silence(route, time.Now()); d > 0 {
			if time.Now().Add(d).After(end) {
				return nil, &tooLong{d}
			}
			if err := sleep(ctx, d); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if p.silence(route, time.Now()) <= 0 {
			break
		}
		leave() // it began while we waited for a place
	}
	if err := p.all.Wait(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// silence is how long the route, or all, must still be quiet.
func (p *pace) silence(route string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.swept) > sweepEvery {
		p.swept = now
		for r, until := range p.routes {
			if now.After(until) {
				delete(p.routes, r)
			}
		}
	}
	return max(p.until.Sub(now), p.routes[route].Sub(now))
}

// hold keeps a route, or with global all of them, quiet for a time.
func (p *pace) hold(route string, global bool, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := time.Now().Add(after)
	switch {
	case global && until.After(p.until):
		p.until = until
	case !global && until.After(p.routes[route]):
		p.routes[route] = until
	}
}

// learn reads the headers of an answer: a route whose allowance is used up waits
// for the next one.
func (p *pace) learn(route string, h http.Header) {
	if h.Get("X-RateLimit-Remaining") != "0" {
		return
	}
	if s, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64); err == nil && s > 0 {
		p.hold(route, false, seconds(s))
	}
}

// refused counts an invalid request. Too many of them end in silence, which is
// better than being cut off.
func (p *pace) refused() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.since) > invalidWindow {
		p.invalid, p.since = 0, now
	}
	if p.invalid++; p.invalid >= mostInvalid {
		p.until = p.since.Add(invalidWindow)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// sleep returns early, with an error, when ctx ends or is known to end first.
func sleep(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
