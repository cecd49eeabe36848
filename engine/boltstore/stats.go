package boltstore

import (
	"math/bits"
	"sync"
	"time"
)

// slowView is the longest a View may last, by engine.Store's contract.
const slowView = 50 * time.Millisecond

// groupSizes is the number of classes in Stats.GroupSizes.
const groupSizes = 12

// Stats is a snapshot of what the store did since it was opened, for metrics.
type Stats struct {
	FileBytes    int64 // size of the file on disk
	PageBytes    int   // size of one page
	FreePages    int   // pages ready for use again, as of the last commit
	PendingPages int   // freed pages that a View may still read, likewise
	OpenViews    int   // Views running now

	Views       uint64        // Views that ended; a Backup is none
	SlowViews   uint64        // those that held their snapshot for over 50 ms
	LongestView time.Duration // the longest of them

	Updates uint64 // Updates that returned nil
	Refused uint64 // Updates whose fn failed, panicked or was cancelled at its turn
	Lost    uint64 // Updates that the file refused: ErrFull and the like

	Commits       uint64        // commits, that is pairs of fsyncs
	CommitTime    time.Duration // spent in all of them
	LongestCommit time.Duration // the longest of them
	// GroupSizes counts commits by how many Updates shared them: class i
	// counts groups of 2^(i-1)+1 to 2^i Updates, the last class all larger.
	GroupSizes [groupSizes]uint64
}

// counts is the part of Stats the store counts itself.
type counts struct {
	mu sync.Mutex
	s  Stats
}

func (c *counts) viewed(start time.Time) {
	took := time.Since(start)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Views++
	c.s.LongestView = max(c.s.LongestView, took)
	if took > slowView {
		c.s.SlowViews++
	}
}

func (c *counts) updated(n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.s.Lost += uint64(n)
		return
	}
	c.s.Updates += uint64(n)
}

func (c *counts) failed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Refused++
}

func (c *counts) committed(size int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Commits++
	c.s.CommitTime += took
	c.s.LongestCommit = max(c.s.LongestCommit, took)
	c.s.GroupSizes[min(bits.Len(uint(size-1)), groupSizes-1)]++
}

// Stats returns the store's counters. It never waits for a transaction. On a
// closed store FileBytes is 0.
func (s *Store) Stats() Stats {
	s.counts.mu.Lock()
	stats := s.counts.s
	s.counts.mu.Unlock()
	b := s.db.Stats()
	stats.FreePages, stats.PendingPages = b.FreePageN, b.PendingPageN
	stats.OpenViews, stats.PageBytes = b.OpenTxN, s.pageSize
	if info, err := s.file.Stat(); err == nil {
		stats.FileBytes = info.Size()
	}
	return stats
}
