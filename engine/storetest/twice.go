package storetest

import (
	"context"
	"errors"

	"aiprep/engine"
)

// Twice returns a store over s that runs the fn of every Update twice: once
// in a transaction it rolls back, then for good. Only an fn without side
// effects outside its transaction comes through a test on it. Between the
// two, another Update may change what fn reads, as between two real tries.
func Twice(s engine.Store) engine.Store { return &twice{inner: s} }

type twice struct {
	inner engine.Store
	gate  gate
}

func (t *twice) View(ctx context.Context, fn func(engine.Tx) error) error {
	return t.inner.View(ctx, fn)
}

func (t *twice) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if err := t.gate.enter(ctx); err != nil {
		return err
	}
	defer t.gate.leave()
	errRehearsed := errors.New("rehearsed")
	err := t.inner.Update(ctx, func(tx engine.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	return t.inner.Update(ctx, fn)
}

// Close waits for both runs of every Update before it closes the inner store.
func (t *twice) Close() error {
	t.gate.shut()
	return t.inner.Close()
}
