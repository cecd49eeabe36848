package discord

import (
	"context"
	"sync"
)

// lanes keeps what belongs together in order: who enters a lane later has the
// turn later. Lanes do not wait for each other.
type lanes struct {
	mu   sync.Mutex
	last map[string]*turn
}

// turn is one place in a lane.
type turn struct {
	before *turn // nil: nobody
	done   chan struct{}
}

func newLanes() *lanes { return &lanes{last: map[string]*turn{}} }

// enter takes the next place in a lane. The turn must be left, whether it was
// waited for or not.
func (l *lanes) enter(key string) (t *turn, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t = &turn{before: l.last[key], done: make(chan struct{})}
	l.last[key] = t
	return t, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.last[key] == t {
			delete(l.last, key)
		}
		close(t.done)
	}
}

// wait returns when the one before has left, or ctx ends.
func (t *turn) wait(ctx context.Context) error {
	if t.before == nil {
		return nil
	}
	select {
	case <-t.before.done:
		t.before = nil // let the whole row be collected
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
