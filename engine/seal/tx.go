package seal

import (
	"bytes"
	"errors"

	"aiprep/engine"
)

var errReserved = errors.New("the key belongs to the seal")

// tx is a transaction of the inner store through the seal.
type tx struct {
	store *store
	inner engine.Tx
}

// Get implements engine.Tx.
func (t *tx) Get(keys ...[]byte) ([][]byte, error) {
	for _, key := range keys {
		if isReserved(key) {
			return nil, errReserved
		}
	}
	values, err := t.inner.Get(keys...)
	if err != nil {
		return nil, err
	}
	for i, sealed := range values {
		if sealed == nil {
			continue
		}
		if values[i], err = t.store.unseal(keys[i], sealed); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Put implements engine.Tx.
func (t *tx) Put(key, value []byte) error {
	if isReserved(key) {
		return errReserved
	}
	return t.inner.Put(key, t.store.seal(key, value))
}

// Delete implements engine.Tx.
func (t *tx) Delete(key []byte) error {
	if isReserved(key) {
		return errReserved
	}
	return t.inner.Delete(key)
}

// Scan implements engine.Tx. The reserved keys are one range, so a Scan
// across it is one up to it and one from its end.
func (t *tx) Scan(from, to []byte, limit int) ([]engine.Record, error) {
	start, end := []byte(reserved), []byte(afterReserved)
	if bytes.Compare(from, end) >= 0 || to != nil && bytes.Compare(to, start) <= 0 {
		return t.scan(from, to, limit)
	}
	records, err := t.scan(from, start, limit)
	if err != nil || len(records) == limit {
		return records, err
	}
	rest, err := t.scan(end, to, limit-len(records))
	if err != nil {
		return nil, err
	}
	return append(records, rest...), nil
}

// scan is Scan for a range without reserved keys.
func (t *tx) scan(from, to []byte, limit int) ([]engine.Record, error) {
	records, err := t.inner.Scan(from, to, limit)
	if err != nil {
		return nil, err
	}
	for i, r := range records {
		if records[i].Value, err = t.store.unseal(r.Key, r.Value); err != nil {
			return nil, err
		}
	}
	return records, nil
}
