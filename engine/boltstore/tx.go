package boltstore

import (
	"bytes"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"aiprep/engine"
)

// scanRoom is how many records a Scan reserves room for before it knows how
// many there are; callers pass limits far above what they find.
const scanRoom = 64

// records returns the bucket of all records; finding it reads pages, on which
// bbolt panics when they are damaged.
func records(btx *bolt.Tx) (bucket *bolt.Bucket, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(p)
		}
	}()
	return btx.Bucket(bucketKV), nil
}

// groupTx is the write transaction that the calls of a group share.
type groupTx struct {
	bucket *bolt.Bucket
	undo   []change // what the call whose turn it is changed, oldest first
	dirty  bool     // a call that stays in the group wrote something
	damage error    // set when bbolt panicked: the transaction is unusable
}

// change is a key and the value it had before; nil means it was absent.
type change struct{ key, old []byte }

// takeBack undoes the writes of the call whose turn it was.
func (g *groupTx) takeBack() {
	if g.damage != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			g.damage = damaged(p)
		}
	}()
	for i := len(g.undo) - 1; i >= 0; i-- {
		c := g.undo[i]
		var err error
		if c.old == nil {
			err = g.bucket.Delete(c.key)
		} else {
			err = g.bucket.Put(c.key, c.old)
		}
		if err != nil {
			g.damage = fmt.Errorf("undo a failed update: %w", err)
			return
		}
	}
	g.undo = g.undo[:0]
}

// tx is one fn's view of a transaction. group is nil in a View.
type tx struct {
	bucket *bolt.Bucket
	group  *groupTx
}

// end makes a tx that fn kept by mistake fail with an error instead of
// touching memory that is no longer mapped.
func (t *tx) end() { t.bucket = nil }

// guard turns a panic inside bbolt, which only a damaged file causes, into
// an error, and keeps the group from committing on top of it.
func (t *tx) guard(err *error) {
	if p := recover(); p != nil {
		*err = damaged(p)
		if t.group != nil {
			t.group.damage = *err
		}
	}
}

// Get implements engine.Tx.
func (t *tx) Get(keys ...[]byte) (values [][]byte, err error) {
	if t.bucket == nil {
		return nil, errTxOver
	}
	defer t.guard(&err)
	values = make([][]byte, len(keys))
	for i, key := range keys {
		values[i] = t.bucket.Get(key)
	}
	return values, nil
}

// Put implements engine.Tx.
func (t *tx) Put(key, value []byte) (err error) {
	if err := t.writable(); err != nil {
		return err
	}
	defer t.guard(&err)
	// bbolt copies the key but keeps the value until the commit, which for
	// a group comes long after fn, and the caller's right to it, has ended.
	// A nil value would read back as an absent one.
	buf := make([]byte, len(key)+len(value))
	n := copy(buf, key)
	copy(buf[n:], value)
	ownKey, ownValue := buf[:n:n], buf[n:]
	old := t.bucket.Get(ownKey)
	if err := t.bucket.Put(ownKey, ownValue); err != nil {
		return fmt.Errorf("put a key of %d bytes: %w", len(key), err)
	}
	t.group.undo = append(t.group.undo, change{ownKey, old})
	return nil
}

// Delete implements engine.Tx.
func (t *tx) Delete(key []byte) (err error) {
	if err := t.writable(); err != nil {
		return err
	}
	defer t.guard(&err)
	old := t.bucket.Get(key)
	if old == nil {
		return nil
	}
	if err := t.bucket.Delete(key); err != nil {
		return fmt.Errorf("delete a key of %d bytes: %w", len(key), err)
	}
	t.group.undo = append(t.group.undo, change{bytes.Clone(key), old})
	return nil
}

// Scan implements engine.Tx.
func (t *tx) Scan(from, to []byte, limit int) (found []engine.Record, err error) {
	if t.bucket == nil {
		return nil, errTxOver
	}
	if limit < 1 {
		return nil, errLimit
	}
	defer t.guard(&err)
	found = make([]engine.Record, 0, min(limit, scanRoom))
	cursor := t.bucket.Cursor()
	for k, v := cursor.Seek(from); k != nil && len(found) < limit; k, v = cursor.Next() {
		if to != nil && bytes.Compare(k, to) >= 0 {
			break
		}
		found = append(found, engine.Record{Key: k, Value: v})
	}
	return found, nil
}

func (t *tx) writable() error {
	if t.bucket == nil {
		return errTxOver
	}
	if t.group == nil {
		return errReadOnly
	}
	return nil
}
