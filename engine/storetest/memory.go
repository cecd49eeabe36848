package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"aiprep/engine"
)

// maxKey is the longest key Memory takes, and the longest every store must.
const maxKey = 1024

// scribble is what Memory writes over slices whose time is over.
const scribble = 0xDB

// Memory returns an empty store without a file. It keeps the whole contract
// and is strict where a real store is dangerous: a slice it handed out is
// overwritten with 0xDB when fn returns, and a key of more than 1024 bytes
// is refused. A View never waits for an Update, nor the other way round.
func Memory() engine.Store {
	return &memory{turn: make(chan struct{}, 1)}
}

type memory struct {
	root atomic.Pointer[node]
	turn chan struct{} // holds a token while an Update runs
	gate gate
}

func (m *memory) View(ctx context.Context, fn func(engine.Tx) error) error {
	if err := m.gate.enter(ctx); err != nil {
		return err
	}
	defer m.gate.leave()
	t := &memoryTx{root: m.root.Load(), readOnly: true}
	defer t.end()
	return fn(t)
}

func (m *memory) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if err := m.gate.enter(ctx); err != nil {
		return err
	}
	defer m.gate.leave()
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.turn }()
	t := &memoryTx{root: m.root.Load()}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	m.root.Store(t.root)
	return nil
}

func (m *memory) Close() error {
	m.gate.shut()
	return nil
}

type memoryTx struct {
	root     *node
	readOnly bool
	over     bool
	lent     [][]byte
}

func (t *memoryTx) Get(keys ...[]byte) ([][]byte, error) {
	if t.over {
		return nil, errOver
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		if value := t.root.get(key); value != nil {
			values[i] = t.lend(value)
		}
	}
	return values, nil
}

func (t *memoryTx) Put(key, value []byte) error {
	if err := t.writable(); err != nil {
		return err
	}
	if len(key) == 0 || len(key) > maxKey {
		return fmt.Errorf("put: a key has 1 to %d bytes, not %d", maxKey, len(key))
	}
	t.root = t.root.put(bytes.Clone(key), append([]byte{}, value...))
	return nil
}

func (t *memoryTx) Delete(key []byte) error {
	if err := t.writable(); err != nil {
		return err
	}
	t.root = t.root.remove(key)
	return nil
}

func (t *memoryTx) Scan(from, to []byte, limit int) ([]engine.Record, error) {
	if t.over {
		return nil, errOver
	}
	if limit < 1 {
		return nil, errors.New("scan: limit must be at least 1")
	}
	var records []engine.Record
	t.root.walk(from, func(n *node) bool {
		if len(records) == limit || to != nil && bytes.Compare(n.key, to) >= 0 {
			return false
		}
		records = append(records, engine.Record{Key: t.lend(n.key), Value: t.lend(n.value)})
		return true
	})
	return records, nil
}

func (t *memoryTx) writable() error {
	if t.over {
		return errOver
	}
	if t.readOnly {
		return errors.New("write in a View: only Update may write")
	}
	return nil
}

// lend returns a copy of b that end takes back.
func (t *memoryTx) lend(b []byte) []byte {
	c := append([]byte{}, b...)
	t.lent = append(t.lent, c)
	return c
}

func (t *memoryTx) end() {
	t.over = true
	for _, b := range t.lent {
		for i := range b {
			b[i] = scribble
		}
	}
}

var errOver = errors.New("use of a transaction after its function returned")
