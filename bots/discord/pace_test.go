package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

func TestNeverMoreThanDiscordTakesInAnySecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		var mu sync.Mutex
		var times []time.Time
		var all sync.WaitGroup
		for range 300 {
			all.Go(func() {
				leave, err := p.enter(t.Context(), "r", time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				mu.Lock()
				times = append(times, time.Now())
				mu.Unlock()
			})
		}
		all.Wait()
		for i := 50; i < len(times); i++ {
			if d := times[i].Sub(times[i-50]); d < time.Second {
				t.Fatalf("51 requests within %v", d)
			}
		}
		if whole := times[len(times)-1].Sub(times[0]); whole > 7*time.Second {
			t.Errorf("300 requests took %v", whole)
		}
	})
}

func TestASilenceIsKeptByItsRouteOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		p.hold("a", false, 3*time.Second)
		began := time.Now()
		enter := func(route string, most time.Duration) error {
			leave, err := p.enter(t.Context(), route, most)
			if err == nil {
				leave()
			}
			return err
		}
		if err := enter("b", time.Second); err != nil || time.Since(began) > 0 {
			t.Errorf("another route waited %v, %v", time.Since(began), err)
		}
		var long *tooLong
		if err := enter("a", time.Second); !errors.As(err, &long) || long.Wait != 3*time.Second {
			t.Errorf("who cannot wait: %v", err)
		}
		if err := enter("a", 5*time.Second); err != nil || time.Since(began) != 3*time.Second {
			t.Errorf("who can waited %v, %v", time.Since(began), err)
		}
		p.hold("a", true, time.Second)
		if err := enter("b", time.Second); err != nil || time.Since(began) != 4*time.Second {
			t.Errorf("in a global silence another route waited until %v, %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p.hold("a", false, 2*time.Second)
		if _, err := p.enter(ctx, "a", time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who would be gone before: %v", err)
		}
		if n := len(p.slots); n != 0 {
			t.Errorf("%d places are still taken", n)
		}
	})
}

func TestAnEmptyAllowanceIsWaitedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		p.learn("a", http.Header{"X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset-After": {"9"}})
		if d := p.silence("a", time.Now()); d > 0 {
			t.Errorf("with something left: silence for %v", d)
		}
		p.learn("a", http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset-After": {"1.5"}})
		if d := p.silence("a", time.Now()); d != 1500*time.Millisecond {
			t.Errorf("with nothing left: silence for %v", d)
		}
		time.Sleep(2 * sweepEvery) // of the bubble
		p.silence("b", time.Now())
		if len(p.routes) != 0 {
			t.Errorf("%d old silences are kept", len(p.routes))
		}
	})
}

func TestTooManyInvalidRequestsEndInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		for range mostInvalid - 1 {
			p.refused()
		}
		if d := p.silence("a", time.Now()); d > 0 {
			t.Errorf("too early: silence for %v", d)
		}
		p.refused()
		if d := p.silence("a", time.Now()); d != invalidWindow {
			t.Errorf("silence for %v", d)
		}
	})
}

// A rush of daily posts takes hardly longer than Discord's rate, and meets no 429.
func TestTenThousandPostsAreAsFastAsDiscordLets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts, allowed = 10_000, 50
		at := &bottest.Strict{Allowed: allowed, Answer: func(n int) string { return fmt.Sprintf(`{"id":"%d","channel_id":"1"}`, n) }}
		e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: testBank()})
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(Config{Engine: e, Token: "a"})
		if err != nil {
			t.Fatal(err)
		}
		b.client.http.Transport = at
		begin := time.Now()
		rush(t, posts, func(n int) error {
			_, err := b.Post(t.Context(), engine.Delivery{
				To:      engine.Place{Platform: platform, Server: "s", Chat: fmt.Sprint(1000 + n)},
				Message: engine.Message{Title: "A challenge"},
			})
			return err
		})
		ratio := time.Since(begin).Seconds() / (float64(posts) / allowed)
		t.Logf("%d posts: %.3f of the time that %d a second take, %d refused", posts, ratio, allowed, at.Refused())
		if ratio > 1.02 || at.Refused() > 0 {
			t.Errorf("%.3f of the least time, %d refused", ratio, at.Refused())
		}
	})
}

// rush does n things, as many at once as the engine has senders.
func rush(t *testing.T, n int, do func(int) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for k := int(next.Add(1)); k <= n && !t.Failed(); k = int(next.Add(1)) {
				if err := do(k); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
