package boltstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// filled makes a store file of n records, closed, and returns its path.
func filled(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aiprep.db")
	// With so small a map the file grows in small steps and stays small.
	s, err := boltstore.Open(path, boltstore.Options{InitialMap: 1 << 15})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(context.Background(), func(tx engine.Tx) error {
		for i := range n {
			if err := tx.Put(fmt.Appendf(nil, "key %06d", i), fmt.Appendf(nil, "value %0100d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantOpenError opens path and checks the error: what it is, that it is one
// line, and that it says the words a reader needs.
func wantOpenError(t *testing.T, path string, o boltstore.Options, is error, words ...string) {
	t.Helper()
	s, err := boltstore.Open(path, o)
	if err == nil {
		t.Fatalf("open succeeded, want %v", errors.Join(is, s.Close()))
	}
	if !errors.Is(err, is) {
		t.Errorf("open: %v; want it to be %q", err, is)
	}
	if strings.ContainsRune(err.Error(), '\n') {
		t.Errorf("the error is not one line:\n%v", err)
	}
	for _, word := range append(words, path) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not name %q: %v", word, err)
		}
	}
}

func TestOpenCreatesAPrivateFileThatKeepsItsRecords(t *testing.T) {
	path := filled(t, 100)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("creating left %d files behind, want 1", len(entries))
	}
	s, err := boltstore.Open(path, boltstore.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := count(t, s); n != 100 {
		t.Errorf("%d records after reopening, want 100", n)
	}
}

func count(t *testing.T, s *boltstore.Store) (n int) {
	t.Helper()
	err := s.View(context.Background(), func(tx engine.Tx) error {
		records, err := tx.Scan(nil, nil, 1<<30)
		n = len(records)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOpenMakesAStoreOfAnEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "touched.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, err := boltstore.Open(path, boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenOfAFileInUseSaysSo(t *testing.T) {
	path := filled(t, 1)
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start := time.Now()
	wantOpenError(t, path, boltstore.Options{Timeout: 100 * time.Millisecond}, boltstore.ErrLocked, "another aiprep is running", "socket")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("gave up after %v, want about 0.1 s", took)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	wantOpenError(t, filepath.Join(dir, "no", "such", "aiprep.db"), boltstore.Options{}, fs.ErrNotExist, "create it")
	wantOpenError(t, filepath.Join(dir, "aiprep.db"), boltstore.Options{MustExist: true}, fs.ErrNotExist, "store.file")
	wantOpenError(t, dir, boltstore.Options{}, boltstore.ErrForeign, "store.file")
}

func TestOpenOfWhatItMayNotWriteSaysWho(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := filled(t, 1)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	wantOpenError(t, path, boltstore.Options{}, fs.ErrPermission, fmt.Sprint(os.Geteuid()))
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	wantOpenError(t, filepath.Join(dir, "new.db"), boltstore.Options{}, fs.ErrPermission, fmt.Sprint(os.Geteuid()))
}

func TestOpenRefusesForeignFilesAndLeavesThemAlone(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	db, err := bolt.Open(other, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(btx *bolt.Tx) error {
		_, err := btx.CreateBucket([]byte("somebody else's"))
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	bbolt, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"text":        []byte("not a database\n"),
		"long text":   bytes.Repeat([]byte("not a database\n"), 10_000),
		"zeros":       make([]byte, 1<<15),
		"other bbolt": bbolt,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "foreign.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			wantOpenError(t, path, boltstore.Options{}, boltstore.ErrForeign, "store.file")
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(content, after) {
				t.Error("the refused file was changed")
			}
		})
	}
}

func TestOpenRefusesANewerFormat(t *testing.T) {
	path := filled(t, 3)
	setFormat(t, path, binary.BigEndian.AppendUint32(nil, 2))
	wantOpenError(t, path, boltstore.Options{}, boltstore.ErrNewer, "format is 2", "up to 1")
	if _, err := boltstore.Verify(path); !errors.Is(err, boltstore.ErrNewer) {
		t.Errorf("verify: %v, want ErrNewer", err)
	}
	setFormat(t, path, binary.BigEndian.AppendUint32(nil, 1))
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Fatalf("the format it writes: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	setFormat(t, path, []byte("?"))
	wantOpenError(t, path, boltstore.Options{}, boltstore.ErrForeign)
}

// setFormat writes what the package comment says is the format's record.
func setFormat(t *testing.T, path string, value []byte) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(btx *bolt.Tx) error { return btx.Bucket([]byte("meta")).Put([]byte("format"), value) })
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestManyOpensAtOnceMakeOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aiprep.db")
	results := make(chan error)
	for range 8 {
		go func() {
			s, err := boltstore.Open(path, boltstore.Options{Timeout: 10 * time.Second})
			if err == nil {
				err = s.Update(context.Background(), func(tx engine.Tx) error {
					values, err := tx.Get([]byte("opened"))
					if err != nil {
						return err
					}
					return tx.Put([]byte("opened"), append(bytes.Clone(values[0]), 'x'))
				})
				err = errors.Join(err, s.Close())
			}
			results <- err
		}()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	s, err := boltstore.Open(path, boltstore.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(context.Background(), func(tx engine.Tx) error {
		values, err := tx.Get([]byte("opened"))
		if diff := cmp.Diff("xxxxxxxx", string(values[0])); diff != "" {
			t.Errorf("one x an opening (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
