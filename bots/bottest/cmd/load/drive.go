package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// patience is how long a person looks at the screen before they give up.
const (
	patience     = 20 * time.Second
	soakPatience = 3 * time.Second // then they press again
)

// drive has people act at a fixed rate and returns how long answers took.
func (c *crowd) drive(ctx context.Context, p plan) *figures {
	f := &figures{begun: time.Now()}
	patience := patience
	if p.kills > 0 {
		patience = soakPatience
	}
	idle := make(chan *person, len(c.people))
	for _, one := range c.people {
		idle <- one
	}
	var acts sync.WaitGroup
	for n := range int(p.rate * p.length.Seconds()) {
		due := f.begun.Add(time.Duration(float64(n) / p.rate * float64(time.Second)))
		if !sleepUntil(ctx, due) {
			break
		}
		one := <-idle
		acts.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			err := c.step(ctx, one)
			f.add(one.at.name(), time.Since(due), err)
			if p.kills > 0 || !errors.Is(err, context.DeadlineExceeded) { // who gave up is gone
				idle <- one
			}
		})
	}
	acts.Wait()
	f.length = time.Since(f.begun)
	return f
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	wait := time.Until(at)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}
