package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
)

// format is the version of the file's layout that this package writes. A
// file of a higher one is refused, of a lower one (down to 1) opened.
const format = 1

const (
	fileMode       = 0o600
	defaultTimeout = time.Second
	defaultMap     = 1 << 30
	defaultGroup   = 256
)

var (
	bucketMeta = []byte("meta")
	bucketKV   = []byte("kv")
	keyFormat  = []byte("format")
)

// Options tunes a store. The zero value is right for most.
type Options struct {
	// Timeout is how long Open waits for another process to let go of the
	// file; 0 means one second.
	Timeout time.Duration
	// InitialMap is how many bytes of address space (not of memory or
	// disk) are set aside for the file. While the file fits, a commit never
	// waits for a View. 0 means 1 GiB, or none on a 32-bit machine.
	InitialMap int
	// MaxSize is the size in bytes beyond which the file does not grow; 0
	// means no limit. It is exact to about 16 MiB, the step in which a
	// mapped file grows; it should leave the disk some room for the rest.
	MaxSize int
	// MaxGroup is how many Updates may share one commit; 0 means 256.
	MaxGroup int
	// MustExist refuses to create the file: for commands that only make
	// sense on a store somebody has filled.
	MustExist bool
	// BackupDir is where else backups are kept; Open names the newest in
	// its report of a damaged file. The store's own directory is always
	// looked at, and never anything but names read.
	BackupDir string
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.InitialMap <= 0 && math.MaxInt > math.MaxInt32 {
		o.InitialMap = defaultMap
	}
	if o.MaxGroup <= 0 {
		o.MaxGroup = defaultGroup
	}
	return o
}

// Open opens the store in the file path, or creates it there with mode 0600.
// Every error says in one line what to do about it, and wraps ErrLocked,
// ErrForeign, ErrDamaged, ErrNewer, ErrFull, fs.ErrNotExist or
// fs.ErrPermission where one of them is the reason. Opening reads every page
// twice, here and in bbolt: about a second for two million small records.
func Open(path string, o Options) (*Store, error) {
	o = o.withDefaults()
	s, err := open(path, o)
	if err != nil {
		return nil, explainOpen(path, o, err)
	}
	return s, nil
}

func open(path string, o Options) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !o.MustExist:
		if err := create(path, o); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrForeign
	case info.Size() > 0:
		if err := examine(path, o.Timeout); err != nil {
			return nil, err
		}
	}
	db, file, err := openBolt(path, o.bolt(false))
	if err != nil {
		return nil, err
	}
	if err := ensureFormat(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &Store{
		db: db, file: file, path: path, pageSize: db.Info().PageSize, maxGroup: o.MaxGroup,
		queue: make(chan *call, o.MaxGroup), stopped: make(chan struct{}),
	}
	go s.write()
	return s, nil
}

func (o Options) bolt(readOnly bool) *bolt.Options {
	b := &bolt.Options{
		Timeout: o.Timeout, FreelistType: bolt.FreelistMapType,
		NoFreelistSync: true, ReadOnly: readOnly,
	}
	if !readOnly {
		b.InitialMmapSize, b.MaxSize = o.InitialMap, o.MaxSize
	}
	return b
}

// openBolt opens a bbolt file and its handle. bbolt panics on some damaged
// files and would then keep the handle, and with it the file lock, for good.
func openBolt(path string, bo *bolt.Options) (db *bolt.DB, file *os.File, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	bo.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		var openErr error
		file, openErr = os.OpenFile(name, flag, mode)
		return file, openErr
	}
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, errors.Join(damaged(p), file.Close())
		}
	}()
	db, err = bolt.Open(path, fileMode, bo)
	return db, file, err
}

// examine looks through an existing file before bbolt may write to it. It
// holds the shared lock meanwhile, so that no writer changes the file.
func examine(path string, timeout time.Duration) error {
	db, file, err := openBolt(path, Options{Timeout: timeout}.bolt(true))
	if err != nil {
		return err
	}
	stop := readAhead(file)
	err = inspect(db, file)
	stop()
	return errors.Join(err, db.Close())
}

// readAhead has the file read from its beginning to its end, in large pieces and
// to nowhere, until stop is called: the walk along the tree, which goes to and fro,
// then finds its pages in memory.
func readAhead(file *os.File) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		piece := make([]byte, 1<<20)
		for at := int64(0); ; at += int64(len(piece)) {
			select {
			case <-done:
				return
			default:
			}
			if n, err := file.ReadAt(piece, at); n == 0 || err != nil {
				return // the walk meets the same error and tells
			}
		}
	}()
	return func() { close(done); <-ended }
}

// create makes an empty store appear at path in one step. bbolt's own way
// leaves a file it cannot open again if the power fails in its first write.
func create(path string, o Options) error {
	tmp, err := tempBeside(path)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	db, _, err := openBolt(tmp, o.bolt(false))
	if err != nil {
		return err
	}
	if err := errors.Join(ensureFormat(db), db.Close()); err != nil {
		return err
	}
	if err := publish(tmp, path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // Another process was faster; open what it made.
}

// ensureFormat checks the format of the file, and makes an empty file a store.
func ensureFormat(db *bolt.DB) error {
	empty := false
	err := db.View(func(btx *bolt.Tx) error {
		if k, _ := btx.Cursor().First(); k == nil {
			empty = true
			return nil
		}
		return checkFormat(btx, format)
	})
	if err != nil || !empty {
		return err
	}
	return db.Update(func(btx *bolt.Tx) error {
		meta, err := btx.CreateBucket(bucketMeta)
		if err != nil {
			return err
		}
		if _, err := btx.CreateBucket(bucketKV); err != nil {
			return err
		}
		return meta.Put(keyFormat, binary.BigEndian.AppendUint32(nil, format))
	})
}

// checkFormat refuses a bbolt file that is none of ours or of a format above
// known.
func checkFormat(btx *bolt.Tx, known uint32) error {
	meta := btx.Bucket(bucketMeta)
	if meta == nil || btx.Bucket(bucketKV) == nil {
		return ErrForeign
	}
	value := meta.Get(keyFormat)
	if len(value) != 4 {
		return ErrForeign
	}
	if have := binary.BigEndian.Uint32(value); have > known {
		return fmt.Errorf("%w (its format is %d, this version knows up to %d)", ErrNewer, have, known)
	}
	return nil
}

// tempBeside makes an empty file in path's directory, mode 0600.
func tempBeside(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// publish moves tmp to path unless something is there already, in which case
// it returns an error that is fs.ErrExist, and makes the move durable. tmp
// may be left behind.
func publish(tmp, path string) error {
	err := os.Link(tmp, path)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil {
		// Some file systems know no second name for a file.
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fs.ErrExist, err)
		}
		if err := os.Rename(tmp, path); err != nil {
			return err
		}
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a new name in a directory survive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
