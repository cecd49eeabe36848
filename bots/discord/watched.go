package discord

import (
	"io"
	"net"
	"sync"
	"time"
)

// watched is a connection on which all that is written must be answered within a
// time, as Discord answers every heartbeat. The library itself would wait five
// heartbeats long for a dead one, and for ever for the first words.
type watched struct {
	net.Conn
	patience time.Duration

	mu      sync.Mutex
	waiting bool
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	if !w.waiting {
		w.waiting = true
		_ = w.Conn.SetReadDeadline(time.Now().Add(w.patience)) // a closed connection says so below
	}
	w.mu.Unlock()
	return w.Conn.Write(p)
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.mu.Lock()
		w.waiting = false
		_ = w.Conn.SetReadDeadline(time.Time{}) // as above
		w.mu.Unlock()
	}
	return n, err
}

var _ io.ReadWriteCloser = (*watched)(nil)
