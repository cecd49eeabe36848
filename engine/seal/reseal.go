package seal

import (
	"context"
	"errors"
	"fmt"

	"aiprep/engine"
)

// resealPage is how many records one Update of Reseal looks at.
const resealPage = 200

// Reseal rewrites, in small Updates beside which the store goes on working,
// every value sealed under a previous key, then removes the check records of
// those keys: the store needs only its current key afterwards. s must come
// from Open with a key. It returns how many values it rewrote. Stopped half
// way by ctx or a crash, it has lost nothing and can simply run again. Copies
// of old pages may stay in the file until it is compacted, and in backups.
func Reseal(ctx context.Context, s engine.Store) (rewritten int, err error) {
	sealed, ok := s.(*store)
	if !ok {
		return 0, errors.New("reseal: the store was opened without a key")
	}
	for from := []byte(nil); ; {
		var n int
		var next []byte
		err := sealed.inner.Update(ctx, func(tx engine.Tx) (err error) {
			n, next, err = sealed.resealFrom(tx, from)
			return err
		})
		if err != nil {
			return rewritten, fmt.Errorf("reseal: %w", err)
		}
		rewritten += n
		if next == nil {
			break
		}
		from = next
	}
	if err := sealed.inner.Update(ctx, sealed.forget); err != nil {
		return rewritten, fmt.Errorf("forget previous keys: %w", err)
	}
	return rewritten, nil
}

// resealFrom handles one page; next is nil after the last.
func (s *store) resealFrom(tx engine.Tx, from []byte) (n int, next []byte, err error) {
	records, err := tx.Scan(from, nil, resealPage)
	if err != nil {
		return 0, nil, err
	}
	for _, r := range records {
		id, err := keyID(r.Value)
		if err == nil && (id == s.current.id || isReserved(r.Key)) {
			continue
		}
		value, err := s.unseal(r.Key, r.Value)
		if err != nil {
			return 0, nil, err
		}
		if err := tx.Put(r.Key, s.current.seal(r.Key, value)); err != nil {
			return 0, nil, err
		}
		n++
	}
	if len(records) < resealPage {
		return n, nil, nil
	}
	last := records[len(records)-1].Key
	return n, append(append(make([]byte, 0, len(last)+1), last...), 0), nil
}

// forget removes the check records of all keys but the current one.
func (s *store) forget(tx engine.Tx) error {
	records, err := tx.Scan([]byte(checkPrefix), []byte(afterReserved), 1<<20)
	if err != nil {
		return err
	}
	for _, r := range records {
		if string(r.Key) == string(checkKey(s.current.id)) {
			continue
		}
		if err := tx.Delete(r.Key); err != nil {
			return err
		}
	}
	return nil
}
