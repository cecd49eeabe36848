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
	// ErrWrongKey means that the store is sealed with another key.
	ErrWrongKey = errors.New("the key does not fit this store")
	// ErrNoKey means that the store is sealed and no key was given.
	ErrNoKey = errors.New("the store is sealed: set store.key_file")
	// ErrNotSealed means that a key was given for a store that holds plain
	// records.
	ErrNotSealed = errors.New("the store is not sealed: encrypt it first (aiprep encrypt), or unset store.key_file")
)

// store is an engine.Store that seals what it passes on to inner.
type store struct {
	inner engine.Store
	*sealer
}

// Open returns a store that keeps its values sealed in inner under key. An empty
// inner store becomes a sealed one. Closing the result closes inner; after an
// error inner is still the caller's.
//
// A nil key means that no sealing is wanted: Open then returns inner itself,
// or ErrNoKey if it is sealed.
func Open(ctx context.Context, inner engine.Store, key []byte) (engine.Store, error) {
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
	one, err := newSealer(key)
	if err != nil {
		return nil, fmt.Errorf("open sealed store: %w", err)
	}
	s := &store{inner, one}
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

// check compares the key with the check record, and leaves one in an empty store.
// It writes nothing if the key does not fit.
func (s *store) check(tx engine.Tx) error {
	records, err := tx.Scan([]byte(checkPrefix), []byte(afterReserved), 1<<20)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := s.checkOne(r); err != nil {
			return err
		}
	}
	if len(records) > 0 {
		return nil
	}
	plain, err := tx.Scan(nil, nil, 1)
	if err != nil {
		return err
	}
	if len(plain) > 0 {
		return ErrNotSealed
	}
	key := checkKey(s.id)
	return tx.Put(key, s.seal(key, []byte(checkText)))
}

func (s *store) checkOne(r engine.Record) error {
	id, err := keyID(r.Value)
	if err != nil {
		return fmt.Errorf("read check record %q: %w", r.Key, err)
	}
	if id != s.id {
		return fmt.Errorf("%w: it was sealed with the key whose id is %x, the key given has %x; set store.key_file to the right one", ErrWrongKey, id, s.id)
	}
	if text, err := s.open(r.Key, r.Value); err != nil || string(text) != checkText {
		return fmt.Errorf("%w: the check record of the key with id %x does not open", ErrWrongKey, id)
	}
	return nil
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
	if id != s.id {
		return nil, fmt.Errorf("open the value of %q: %w: it needs the key with id %x", key, ErrWrongKey, id)
	}
	value, err := s.open(key, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the value of %q: %w", key, err)
	}
	return value, nil
}

// copyPage is how many records Copy writes in one Update.
const copyPage = 2000

// Copy writes every record of one store into another, which must be empty, and
// returns how many those are. Either may be sealed, with whatever key: so a store
// gets its first key, or a new one. A copy that ends early is of no use.
func Copy(ctx context.Context, from, to engine.Store) (n int, err error) {
	var at []byte
	for {
		var page []engine.Record
		err := from.View(ctx, func(tx engine.Tx) error {
			records, err := tx.Scan(at, nil, copyPage)
			page = page[:0]
			for _, r := range records {
				page = append(page, engine.Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
			}
			return err
		})
		if err == nil {
			err = to.Update(ctx, func(tx engine.Tx) error {
				for _, r := range page {
					if err := tx.Put(r.Key, r.Value); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			return n, fmt.Errorf("copy store: %w", err)
		}
		if n += len(page); len(page) < copyPage {
			return n, nil
		}
		at = append(page[len(page)-1].Key, 0)
	}
}
