package boltstore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"aiprep/engine"
)

// fullRetries bounds how often one group that did not fit is cut in half to
// find the call that is too large: enough to single out one of 256. On a
// full disk every try costs bbolt a scan of the file.
const fullRetries = 8

// call is one Update on its way through the writer. Its channels hold one
// value, so that neither side waits for the other to be scheduled twice.
type call struct {
	claimed atomic.Bool
	turn    chan *tx
	kept    chan bool
	done    chan error
}

func newCall() *call {
	return &call{turn: make(chan *tx, 1), kept: make(chan bool, 1), done: make(chan error, 1)}
}

// claim decides between the writer, which wants to run the call, and a
// caller whose context ended while it waited. The first to claim has it.
func (c *call) claim() bool { return c.claimed.CompareAndSwap(false, true) }

// run runs fn in the caller's goroutine and tells the writer whether to keep
// what it wrote. The deferred send also answers for a panic or Goexit in fn,
// either of which would otherwise leave the writer waiting for ever.
func (c *call) run(ctx context.Context, t *tx, fn func(engine.Tx) error) (err error) {
	keep := false
	defer func() {
		t.end()
		c.kept <- keep
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err = ctx.Err(); err != nil {
		return err
	}
	err = fn(t)
	keep = err == nil
	return err
}

// write is the writer goroutine: it commits group after group until the
// queue is closed, then releases the file.
func (s *Store) write() {
	defer close(s.stopped)
	debug.SetPanicOnFault(true)
	for first := range s.queue {
		if first.claim() {
			retries := fullRetries
			group, err := s.attempt([]*call{first}, true)
			s.settle(group, err, &retries)
		}
	}
	s.closeErr = s.release()
}

// settle tells a group the result of its commit. A group that did not fit is
// tried again in halves, so that one huge write does not fail its neighbours.
func (s *Store) settle(group []*call, err error, retries *int) {
	if len(group) > 1 && errors.Is(err, ErrFull) && *retries > 0 {
		*retries--
		middle := len(group) / 2
		for _, half := range [][]*call{group[:middle], group[middle:]} {
			left, err := s.attempt(half, false)
			s.settle(left, err, retries)
		}
		return
	}
	s.counts.updated(len(group), err)
	for _, c := range group {
		c.done <- err
	}
}

// attempt runs the claimed calls, and if more is set also whatever waits in
// the queue, in one transaction and commits it. It returns the calls that
// want to hear the result; those whose fn failed know already.
func (s *Store) attempt(calls []*call, more bool) (group []*call, err error) {
	if s.broken != nil {
		return calls, s.broken
	}
	btx, err := s.db.Begin(true)
	if err != nil {
		return calls, fmt.Errorf("begin update: %w", err)
	}
	bucket, err := records(btx)
	if err != nil {
		s.abort(btx)
		return calls, fmt.Errorf("begin update: %w", err)
	}
	g := &groupTx{bucket: bucket}
	for len(calls) > 0 && g.damage == nil {
		c := calls[0]
		calls = calls[1:]
		if s.take(c, g) {
			group = append(group, c)
		}
		if more && len(group) < s.maxGroup {
			calls = s.next(calls)
			if len(calls) == 0 && len(group)*2 < s.lastGroup {
				// Those whom the last commit woke are about to come back.
				// Let them run once, or every other commit is for one.
				runtime.Gosched()
				calls = s.next(calls)
			}
		}
	}
	s.lastGroup = len(group)
	if g.damage != nil {
		group = append(group, calls...)
		s.abort(btx)
		return group, fmt.Errorf("update: %w", g.damage)
	}
	if !g.dirty {
		s.abort(btx)
		return group, nil
	}
	return group, s.commit(btx, len(group))
}

// take gives c its turn and reports whether c stays in the group.
func (s *Store) take(c *call, g *groupTx) bool {
	g.undo = g.undo[:0]
	c.turn <- &tx{bucket: g.bucket, group: g}
	if !<-c.kept {
		s.counts.failed()
		g.takeBack()
		return false
	}
	g.dirty = g.dirty || len(g.undo) > 0
	return true
}

// next adds a waiting call to calls, without waiting for one.
func (s *Store) next(calls []*call) []*call {
	for {
		select {
		case c, ok := <-s.queue:
			if !ok {
				return calls
			}
			if c.claim() {
				return append(calls, c)
			}
		default:
			return calls
		}
	}
}

// commit makes a transaction durable. An error means that nothing of it is
// in the file, unless it is ErrStopped.
func (s *Store) commit(btx *bolt.Tx, size int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.broken = fmt.Errorf("%w: %w; stop it and restore a backup", ErrStopped, damaged(p))
			s.abort(btx)
			err = s.broken
		}
	}()
	id, start := btx.ID(), time.Now()
	if err = btx.Commit(); err != nil {
		return s.outcome(id, err)
	}
	s.counts.committed(size, time.Since(start))
	return nil
}

// outcome judges a failed commit. When the data pages could not be written
// the old state stands: nothing refers to them. When the failure came after
// the new meta page was written, readers see the new state but the disk may
// hold either, and building on it could lose what later Updates promise.
func (s *Store) outcome(id int, cause error) error {
	var current int
	if err := s.db.View(func(btx *bolt.Tx) error { current = btx.ID(); return nil }); err != nil {
		s.broken = fmt.Errorf("%w: %w (after: %w); restart aiprep", ErrStopped, err, cause)
		return s.broken
	}
	if current >= id {
		s.broken = fmt.Errorf("%w: the disk failed in the middle of a commit (%w); check the disk, then restart aiprep", ErrStopped, cause)
		return s.broken
	}
	if noSpace(cause) {
		return fmt.Errorf("commit update: %w (%s); free disk space or raise store.max_size_mb", ErrFull, oneLine(cause))
	}
	return fmt.Errorf("commit update: %w", cause)
}

// abort drops a transaction. If even that panics, bbolt's writer lock stays
// locked and the writer must never begin another one.
func (s *Store) abort(btx *bolt.Tx) {
	defer func() {
		if p := recover(); p != nil {
			s.stuck = true
			s.broken = fmt.Errorf("%w: %w; stop it and restore a backup", ErrStopped, damaged(p))
		}
	}()
	if err := btx.Rollback(); err != nil && !errors.Is(err, bolterrors.ErrTxClosed) {
		s.broken = fmt.Errorf("%w: %w; restart aiprep", ErrStopped, err)
	}
}
