package discord

import "sync"

// recent is a set of ids that forgets: it holds at least the last most of them
// and at most twice as many. It is safe for concurrent use.
type recent struct {
	most int

	mu       sync.Mutex
	cur, old map[string]struct{}
}

func newRecent(most int) *recent { return &recent{most: most, cur: map[string]struct{}{}} }

// add reports whether the id is new.
func (r *recent) add(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, now := r.cur[id]
	_, before := r.old[id]
	if now || before {
		return false
	}
	if len(r.cur) >= r.most {
		r.cur, r.old = map[string]struct{}{}, r.cur
	}
	r.cur[id] = struct{}{}
	return true
}
