package storetest

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
)

// gate lets transactions in until it is shut.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup // Add only under mu and before closed
}

func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return fmt.Errorf("the store is closed: %w", fs.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.inside.Add(1)
	return nil
}

func (g *gate) leave() { g.inside.Done() }

// shut refuses newcomers and waits until everybody has left.
func (g *gate) shut() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
