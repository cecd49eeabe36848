package boltstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"aiprep/engine"
)

var _ engine.Store = (*Store)(nil)

// Store is an engine.Store in one bbolt file. Its methods may be called from
// any number of goroutines.
type Store struct {
	db       *bolt.DB
	file     *os.File // bbolt's own handle, to let go of a file bbolt cannot close
	path     string
	pageSize int
	maxGroup int

	queue   chan *call
	stopped chan struct{} // closed when the writer has ended

	mu       sync.Mutex
	closed   bool
	running  sync.WaitGroup // transactions; Add only under mu and before closed
	closeErr error

	// The writer goroutine's own.
	broken    error // why it stopped writing
	stuck     bool  // bbolt still holds its writer lock
	lastGroup int   // how many calls the last transaction kept

	counts counts
}

// View implements engine.Store. It holds a snapshot while fn runs, so fn must
// be short: see the package comment for what a long one costs. A panic in fn
// releases the snapshot and goes on to the caller.
func (s *Store) View(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.Done()
	if err := ctx.Err(); err != nil {
		return err
	}
	defer s.counts.viewed(time.Now())
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return s.db.View(func(btx *bolt.Tx) error {
		bucket, err := records(btx)
		if err != nil {
			return fmt.Errorf("begin view: %w", err)
		}
		t := &tx{bucket: bucket}
		defer t.end()
		return fn(t)
	})
}

// Update implements engine.Store. fn runs in the calling goroutine, as a rule
// once: it runs again only when the group it belonged to did not fit on the
// disk. A panic in fn undoes its writes and goes on to the caller.
//
// A commit that finds no room returns ErrFull. After a commit whose outcome
// the disk left open, this and every later Update return ErrStopped.
func (s *Store) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.Done()
	if err := ctx.Err(); err != nil {
		return err
	}
	c := newCall()
	select {
	case s.queue <- c:
	case <-ctx.Done():
		return ctx.Err()
	}
	cancelled := ctx.Done()
	for {
		select {
		case t := <-c.turn:
			if err := c.run(ctx, t, fn); err != nil {
				return err
			}
		case err := <-c.done:
			return err
		case <-cancelled:
			if c.claim() {
				return ctx.Err()
			}
			cancelled = nil // The writer was faster; run looks at ctx again.
		}
	}
}

// Close implements engine.Store: it refuses new calls, waits for running
// transactions, commits what waits and releases the file. Further Closes wait
// too and return the same.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if !first {
		<-s.stopped
		return s.closeErr
	}
	s.running.Wait()
	close(s.queue)
	<-s.stopped
	return s.closeErr
}

// enter counts a transaction in, or refuses it.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.running.Add(1)
	return nil
}

// release closes the file. bbolt's Close waits for its writer lock, which a
// panic inside a commit may have left locked for good; then only the handle
// is closed, which also drops the file lock.
func (s *Store) release() error {
	if s.stuck {
		return errors.Join(s.broken, s.file.Close())
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close store %s: %w", s.path, err)
	}
	return nil
}
