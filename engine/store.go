package engine

import "context"

// Store keeps ordered key-value records. It is the only way the engine
// remembers anything; the rules run in the engine, inside Update, so that no
// rule is written twice for a second store. storetest.Run is its contract in
// executable form.
type Store interface {
	// View runs fn over a consistent snapshot. Nothing is written. fn must
	// be short (well under 50 ms) and must not wait for a network.
	View(ctx context.Context, fn func(Tx) error) error

	// Update runs fn and makes everything it wrote durable before it
	// returns nil; when fn returns an error, nothing is written and Update
	// returns that error. fn may run more than once, so it has no side
	// effects outside tx. A cancelled ctx gives up before fn's changes are
	// part of a commit, never half way; after that Update returns the
	// commit's result.
	Update(ctx context.Context, fn func(Tx) error) error

	// Close waits for running transactions and releases the file.
	Close() error
}

// Tx is one transaction. Every slice it returns is valid only until fn
// returns, and every slice it is given must stay unchanged until then.
type Tx interface {
	// Get returns one value a key, in order; nil where a key is absent. A
	// present empty value is an empty, non-nil slice.
	Get(keys ...[]byte) ([][]byte, error)
	// Put writes a value. In a View it is an error.
	Put(key, value []byte) error
	// Delete removes a key; an absent key is no error. In a View it is an
	// error.
	Delete(key []byte) error
	// Scan returns at most limit records with from <= key < to in ascending
	// byte order; limit must be at least 1. A nil to means "to the end".
	Scan(from, to []byte, limit int) ([]Record, error)
}

// Record is one key and its value.
type Record struct{ Key, Value []byte }
