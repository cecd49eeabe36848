package boltstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	bolt "go.etcd.io/bbolt"
)

// compactTx is how many bytes Compact writes in one transaction.
const compactTx = 16 << 20

// Summary is what a look through a whole file found.
type Summary struct {
	Records int   // records in the store
	Bytes   int64 // size of the file
}

// Backup writes a copy of the store to path, which must not exist, while the
// store goes on working. The copy is one snapshot: the newest committed state
// when Backup starts. It is written beside path, synced, reopened, checked
// like Verify does and only then given its name, so a file called path is
// always a whole, good backup. Its mode is 0600.
//
// Writing the copy holds a View, with the cost that the package comment
// describes; looking through it afterwards does not. A ctx that ends stops
// the writing and leaves nothing behind.
func (s *Store) Backup(ctx context.Context, path string) (Summary, error) {
	if err := s.enter(); err != nil {
		return Summary{}, err
	}
	defer s.running.Done()
	summary, err := writeNew(path, func(tmp string) error {
		return s.copyTo(ctx, tmp)
	})
	if err != nil {
		return Summary{}, fmt.Errorf("back up store to %s: %w", path, err)
	}
	return summary, nil
}

func (s *Store) copyTo(ctx context.Context, tmp string) error {
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	w := &copyWriter{ctx: ctx, w: f}
	err = s.db.View(func(btx *bolt.Tx) error {
		_, err := btx.WriteTo(w)
		return err
	})
	if w.err != nil {
		err = w.err
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// copyWriter makes a long copy stop when its context ends. It keeps the first
// error, of which bbolt passes on only the text.
type copyWriter struct {
	ctx context.Context
	w   io.Writer
	err error
}

func (w *copyWriter) Write(b []byte) (n int, err error) {
	if w.err = w.ctx.Err(); w.err != nil {
		return 0, w.err
	}
	n, w.err = w.w.Write(b)
	return n, w.err
}

// writeNew lets write fill a temporary file beside path, verifies it and
// gives it its name.
func writeNew(path string, write func(tmp string) error) (Summary, error) {
	if _, err := os.Lstat(path); err == nil {
		return Summary{}, fmt.Errorf("%w; choose another name or move it away", fs.ErrExist)
	}
	tmp, err := tempBeside(path)
	if err != nil {
		return Summary{}, err
	}
	defer os.Remove(tmp)
	if err := write(tmp); err != nil {
		return Summary{}, err
	}
	summary, err := verify(tmp)
	if err != nil {
		return Summary{}, fmt.Errorf("verify the copy: %w", err)
	}
	return summary, publish(tmp, path)
}

// Verify looks through a store file that no process has open for writing,
// such as a backup: every page, the order of all keys, the format. It changes
// nothing. Its errors are those of Open.
func Verify(path string) (Summary, error) {
	summary, err := verify(path)
	if err != nil {
		return Summary{}, explainOpen(path, Options{}, err)
	}
	return summary, nil
}

func verify(path string) (summary Summary, err error) {
	db, file, err := openStored(path)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	info, err := file.Stat()
	if err != nil {
		return Summary{}, err
	}
	summary.Bytes = info.Size()
	err = db.View(func(btx *bolt.Tx) error {
		if err := checkOrder(btx); err != nil {
			return err
		}
		summary.Records = btx.Bucket(bucketKV).Stats().KeyN
		return nil
	})
	return summary, err
}

// openStored opens an existing store file for reading only, after a look at
// its pages and format.
func openStored(path string) (*bolt.DB, *os.File, error) {
	db, file, err := openBolt(path, Options{}.withDefaults().bolt(true))
	if err != nil {
		return nil, nil, err
	}
	if err = inspect(db, file); err == nil {
		err = db.View(func(btx *bolt.Tx) error { return checkFormat(btx, format) })
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

// checkOrder runs bbolt's own check, which also knows the order of keys. It
// must be read to its end: the goroutine behind it writes to the channel.
func checkOrder(btx *bolt.Tx) error {
	var first error
	for err := range btx.Check() {
		if first == nil {
			first = damaged(err)
		}
	}
	return first
}

// Compact writes a copy of the store file src, which no process may have
// open, to dst, which must not exist, leaving out the free pages: bbolt files
// never shrink by themselves. src is not changed; dst is checked like Verify
// does before it gets its name.
func Compact(src, dst string) (before, after Summary, err error) {
	from, file, err := openStored(src)
	if err != nil {
		return before, after, explainOpen(src, Options{}, err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return before, after, fmt.Errorf("compact store %s: %w", src, err)
	}
	after, err = writeNew(dst, func(tmp string) error { return compactTo(tmp, from) })
	if err != nil {
		return before, Summary{}, fmt.Errorf("compact store %s to %s: %w", src, dst, err)
	}
	before = Summary{Records: after.Records, Bytes: info.Size()}
	return before, after, nil
}

func compactTo(tmp string, from *bolt.DB) (err error) {
	o := Options{}.bolt(false)
	o.NoSync = true // one sync at the end will do: until then dst has no name
	to, _, err := openBolt(tmp, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = damaged(p)
		}
	}()
	if err := bolt.Compact(to, from, compactTx); err != nil {
		return err
	}
	return to.Sync()
}
