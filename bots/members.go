package bots

import (
	"sync"
	"time"
)

// Members remembers for a day who is a member of what, so that a board costs no
// question a name each time. It is safe for concurrent use.
type Members struct {
	mu sync.Mutex
	of map[string]membership
}

type membership struct {
	there bool
	until time.Time
}

// Bounds of what is remembered.
const (
	memberFor   = 24 * time.Hour
	mostMembers = 50_000
)

// Get returns what is known of somebody.
func (m *Members) Get(who string, now time.Time) (there, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.of[who]
	return v.there, ok && now.Before(v.until)
}

// Put remembers whether somebody is there. When too much is remembered all of
// it is forgotten: it costs only questions.
func (m *Members) Put(who string, there bool, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil || len(m.of) >= mostMembers {
		m.of = map[string]membership{}
	}
	m.of[who] = membership{there, now.Add(memberFor)}
}
