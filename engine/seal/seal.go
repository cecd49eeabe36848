package seal

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"aiprep/engine"
)

// The reserved keys: from reserved up to, not including, afterReserved.
const (
	reserved      = "\x00seal/"
	afterReserved = "\x00seal0"
	checkPrefix   = reserved + "key/"
	checkText     = "aiprep"
)

// Errors of Open that a caller may want to tell apart.
var (
	// ErrWrongKey means that the store is sealed, and not all keys that
	// sealed it were given.
	ErrWrongKey = errors.New("the key does not fit this store")
	// ErrNoKey means that the store is sealed and no key was given.
	ErrNoKey = errors.New("the store is sealed: set store.key_file")
	// ErrNotSealed means that a key was given for a store that holds plain
	// records.
	ErrNotSealed = errors.New("the store is not sealed: unset store.key_file, or start with an empty store")
)

// store is an engine.Store that seals what it passes on to inner.
type store struct {
	inner   engine.Store
	current *sealer
	all     map[[idSize]byte]*sealer
}

// Open returns a store that keeps its values sealed in inner. New values are
// sealed under key; values sealed under one of the previous keys can still be
// read. An empty inner store becomes a sealed one. Closing the result closes
// inner; after an error inner is still the caller's.
//
// A nil key means that no sealing is wanted: Open then returns inner itself,
// or ErrNoKey if it is sealed.
func Open(ctx context.Context, inner engine.Store, key []byte, previous ...[]byte) (engine.Store, error) {
	if key == nil {
		sealed, err := Sealed(ctx, inner)
		if err == nil && sealed {
			err = ErrNoKey
		}
		if err != nil {
			return nil, fmt.Errorf("open store without a key: %w", err)
		}
		return inner, nil
	}
	s := &store{inner: inner, all: map[[idSize]byte]*sealer{}}
	for _, k := range append([][]byte{key}, previous...) {
		one, err := newSealer(k)
		if err != nil {
			return nil, fmt.Errorf("open sealed store: %w", err)
		}
		if s.current == nil {
			s.current = one
		}
		s.all[one.id] = one
	}
	if err := inner.Update(ctx, s.check); err != nil {
		return nil, fmt.Errorf("open sealed store: %w", err)
	}
	return s, nil
}

// Sealed reports whether a store, as its file holds it, is sealed.
func Sealed(ctx context.Context, inner engine.Store) (bool, error) {
	sealed := false
	err := inner.View(ctx, func(tx engine.Tx) error {
		records, err := tx.Scan([]byte(checkPrefix), []byte(afterReserved), 1)
		sealed = len(records) > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("look for a seal: %w", err)
	}
	return sealed, nil
}

// check compares the keys with the check records, and leaves a check record
// for a new current key. It writes nothing if the keys do not fit.
func (s *store) check(tx engine.Tx) error {
	records, err := tx.Scan([]byte(checkPrefix), []byte(afterReserved), 1<<20)
	if err != nil {
		return err
	}
	known := false
	for _, r := range records {
		id, err := s.checkOne(r)
		if err != nil {
			return err
		}
		known = known || id == s.current.id
	}
	if known {
		return nil
	}
	if len(records) == 0 {
		plain, err := tx.Scan(nil, nil, 1)
		if err != nil {
			return err
		}
		if len(plain) > 0 {
			return ErrNotSealed
		}
	}
	key := checkKey(s.current.id)
	return tx.Put(key, s.current.seal(key, []byte(checkText)))
}

func (s *store) checkOne(r engine.Record) (id [idSize]byte, err error) {
	id, err = keyID(r.Value)
	if err != nil {
		return id, fmt.Errorf("read check record %q: %w", r.Key, err)
	}
	one, ok := s.all[id]
	if !ok {
		return id, fmt.Errorf("%w: it has values sealed under the key with id %x, the keys given have %s; set store.key_file to the right key, or add it to the previous ones", ErrWrongKey, id, s.ids())
	}
	if text, err := one.open(r.Key, r.Value); err != nil || string(text) != checkText {
		return id, fmt.Errorf("%w: the check record of the key with id %x does not open", ErrWrongKey, id)
	}
	return id, nil
}

// ids lists the ids of the keys given, the current one first.
func (s *store) ids() string {
	text := hex.EncodeToString(s.current.id[:])
	for id := range s.all {
		if id != s.current.id {
			text += ", " + hex.EncodeToString(id[:])
		}
	}
	return text
}

func checkKey(id [idSize]byte) []byte {
	return hex.AppendEncode([]byte(checkPrefix), id[:])
}

func isReserved(key []byte) bool { return bytes.HasPrefix(key, []byte(reserved)) }

// View implements engine.Store.
func (s *store) View(ctx context.Context, fn func(engine.Tx) error) error {
	return s.inner.View(ctx, func(inner engine.Tx) error { return fn(&tx{s, inner}) })
}

// Update implements engine.Store.
func (s *store) Update(ctx context.Context, fn func(engine.Tx) error) error {
	return s.inner.Update(ctx, func(inner engine.Tx) error { return fn(&tx{s, inner}) })
}

// Close implements engine.Store.
func (s *store) Close() error { return s.inner.Close() }

// unseal opens one value as it stands in the inner store.
func (s *store) unseal(key, sealed []byte) ([]byte, error) {
	id, err := keyID(sealed)
	if err != nil {
		return nil, fmt.Errorf("open the value of %q: %w", key, err)
	}
	one, ok := s.all[id]
	if !ok {
		return nil, fmt.Errorf("open the value of %q: %w: it needs the key with id %x", key, ErrWrongKey, id)
	}
	value, err := one.open(key, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the value of %q: %w", key, err)
	}
	return value, nil
}
