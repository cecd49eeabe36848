package engine

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter holds two token buckets a person: all commands and presses, and the
// costly ones. It lives in memory: a restart refills it, and no answer pays
// for a write.
type limiter struct {
	mu      sync.Mutex
	buckets map[User]*bucket
	swept   time.Time
}

type bucket struct {
	all, costly *rate.Limiter
	used        time.Time
}

// What one person may do.
const (
	perMinute       = 20
	costlyPerMinute = 3
)

func newLimiter() *limiter { return &limiter{buckets: map[User]*bucket{}} }

// take spends one token and returns 0, or how long to wait for the next.
func (l *limiter) take(u User, costly bool, now time.Time, pay bool) time.Duration {
	if !pay {
		return 0
	}
	u.Name = "" // a new name is not a new person
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	b := l.buckets[u]
	if b == nil {
		b = &bucket{
			all:    rate.NewLimiter(rate.Every(time.Minute/perMinute), perMinute),
			costly: rate.NewLimiter(rate.Every(time.Minute/costlyPerMinute), costlyPerMinute),
		}
		l.buckets[u] = b
	}
	b.used = now
	if costly {
		if wait := spend(b.costly, now); wait > 0 {
			return wait
		}
	}
	return spend(b.all, now)
}

func spend(r *rate.Limiter, now time.Time) time.Duration {
	res := r.ReserveN(now, 1)
	wait := res.DelayFrom(now)
	if wait > 0 {
		res.CancelAt(now)
	}
	return wait
}

// sweep forgets, once a minute, the buckets that are full again.
func (l *limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for u, b := range l.buckets {
		if now.Sub(b.used) > 2*time.Minute {
			delete(l.buckets, u)
		}
	}
}
