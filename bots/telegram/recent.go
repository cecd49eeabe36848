package telegram

import "sync"

// recent is a set that forgets: it holds at least the last most keys and at
// most twice as many. It is safe for concurrent use.
type recent[K comparable] struct {
	most int

	mu       sync.Mutex
	cur, old map[K]struct{}
}

func newRecent[K comparable](most int) *recent[K] {
	return &recent[K]{most: most, cur: map[K]struct{}{}}
}

func (r *recent[K]) add(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cur) >= r.most {
		r.cur, r.old = map[K]struct{}{}, r.cur
	}
	r.cur[k] = struct{}{}
}

func (r *recent[K]) has(k K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, now := r.cur[k]
	_, before := r.old[k]
	return now || before
}

func (r *recent[K]) remove(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cur, k)
	delete(r.old, k)
}
