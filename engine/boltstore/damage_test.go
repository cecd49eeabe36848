package boltstore_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aiprep/engine/boltstore"
)

func TestOpenOfADamagedFileNamesTheNewestBackup(t *testing.T) {
	path := filled(t, 5_000)
	if err := os.Truncate(path, 10*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	wantOpenError(t, path, boltstore.Options{}, boltstore.ErrDamaged, "cut off", "no backup was found")

	elsewhere := t.TempDir()
	now := time.Now()
	for i, backup := range []string{
		path + ".backup-newer-by-name-only", path + ".backup-2026-01-01",
		filepath.Join(elsewhere, "aiprep.db.backup-2026-01-02"), filepath.Join(elsewhere, "other.db.backup-2026-01-03"),
	} {
		if err := os.WriteFile(backup, []byte("backup"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(backup, at, at); err != nil {
			t.Fatal(err)
		}
	}
	wantOpenError(t, path, boltstore.Options{}, boltstore.ErrDamaged, path+".backup-2026-01-01")
	wantOpenError(t, path, boltstore.Options{BackupDir: elsewhere}, boltstore.ErrDamaged,
		filepath.Join(elsewhere, "aiprep.db.backup-2026-01-02"))
}

// TestOpenFindsEachKindOfDamage edits one page of a good file at a time. The
// layout is that of bbolt's page.go: a header of 16 bytes (id, flags, count,
// overflow), then elements of 16 bytes.
func TestOpenFindsEachKindOfDamage(t *testing.T) {
	path := filled(t, 5_000)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	u16, u32, u64 := binary.NativeEndian.PutUint16, binary.NativeEndian.PutUint32, binary.NativeEndian.PutUint64
	key := func(page []byte, i int) []byte { // of a leaf
		element := page[16+16*i:]
		return element[binary.NativeEndian.Uint32(element[4:]):][:binary.NativeEndian.Uint32(element[8:])]
	}
	const branch, leaf = 1, 2
	tests := []struct {
		name  string
		kind  uint16
		edit  func(page []byte)
		words string
	}{
		{"a page with another's number", leaf, func(p []byte) { u64(p, 3) }, "calls itself page 3"},
		{"a page of an unknown type", leaf, func(p []byte) { u16(p[8:], 0x40) }, "no page of a tree"},
		{"a branch without children", branch, func(p []byte) { u16(p[10:], 0) }, "no page of a tree"},
		{"more elements than fit", leaf, func(p []byte) { u16(p[10:], 5_000) }, "no room"},
		{"a page that spreads over its neighbour", leaf, func(p []byte) { u32(p[12:], 1) }, "used twice"},
		{"a page that spreads over the end", leaf, func(p []byte) { u32(p[12:], 1<<31) }, "more"},
		{"a key outside its page", leaf, func(p []byte) { u32(p[20:], 1<<20) }, "outside it"},
		{"a value outside its page", leaf, func(p []byte) { u32(p[28:], 1<<31) }, "outside it"},
		{"a branch's key outside its page", branch, func(p []byte) { u32(p[16:], 1<<31) }, "outside it"},
		{"a child outside the file", branch, func(p []byte) { u64(p[24:], 1<<40) }, "outside the file"},
		{"a child that is its parent", branch, func(p []byte) { copy(p[24:32], p[:8]) }, "used twice"},
		{"a key above the next page's", leaf, func(p []byte) { key(p, int(binary.NativeEndian.Uint16(p[10:]))-1)[0] = 'z' }, "out of order"},
		{"a key below its page's", leaf, func(p []byte) { key(p, 0)[0] = 'a' }, "out of order"},
		{"two equal keys", leaf, func(p []byte) { copy(key(p, 1), key(p, 0)) }, "out of order"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := bytes.Clone(good)
			test.edit(findPage(t, bad, test.kind))
			path := filepath.Join(t.TempDir(), "bad.db")
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			wantOpenError(t, path, boltstore.Options{}, boltstore.ErrDamaged, test.words)
		})
	}
}

// findPage returns a page of a kind that the tree of records is using: the
// third leaf or the first branch, so that there are neighbours on both sides.
func findPage(t *testing.T, file []byte, kind uint16) []byte {
	t.Helper()
	size := os.Getpagesize()
	nth := 0
	for at := 2 * size; at < len(file); at += size {
		page := file[at : at+size]
		inUse := binary.NativeEndian.Uint64(page) == uint64(at/size) && bytes.Contains(page, []byte("key 00"))
		if inUse && binary.NativeEndian.Uint16(page[8:]) == kind {
			if nth++; kind == 1 || nth == 3 {
				return page
			}
		}
	}
	t.Fatalf("the file has no page of kind %d to damage", kind)
	return nil
}

// TestOpenSurvivesAnyDamage overwrites pages of a good file in every way a
// torn or lost write does. Opening must end, with a store or with an error,
// and never take the process down: bbolt alone does, in its own goroutine.
func TestOpenSurvivesAnyDamage(t *testing.T) {
	path := filled(t, 5_000)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(1, 2))
	hit := 0
	for round := range 150 {
		bad := bytes.Clone(good)
		at := random.IntN(len(bad)/page) * page
		switch round % 5 {
		case 0: // a page that was never written
			clear(bad[at : at+page])
		case 1: // a page that belongs elsewhere
			from := random.IntN(len(bad)/page) * page
			copy(bad[at:at+page], good[from:from+page])
		case 2: // half a page written
			for i := at + page/2; i < at+page; i++ {
				bad[i] = byte(random.Uint32())
			}
		case 3: // one wrong byte in the header or the table of elements
			bad[at+random.IntN(200)] ^= byte(1 + random.IntN(255))
		case 4: // the rest of the file missing
			bad = bad[:at+random.IntN(page)]
		}
		if opensWell(t, filepath.Join(t.TempDir(), "bad.db"), bad) {
			continue
		}
		hit++
	}
	if hit < 50 {
		t.Errorf("only %d of 150 damages were found: the test does not hit what it aims at", hit)
	}
}

// opensWell opens content as a store; if that works, the store must also
// close and answer Verify without a panic.
func opensWell(t *testing.T, path string, content []byte) bool {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		known := errors.Is(err, boltstore.ErrDamaged) || errors.Is(err, boltstore.ErrForeign) || errors.Is(err, boltstore.ErrNewer)
		if !known {
			t.Errorf("a damaged file opened with an error of no known kind: %v", err)
		}
		// The file must not stay locked by what failed.
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := boltstore.Open(path, boltstore.Options{Timeout: time.Millisecond})
		if err != nil {
			t.Fatalf("the file is not free after a failed open: %v", err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		return false
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := boltstore.Verify(path); err != nil {
		t.Errorf("open found nothing, Verify did: %v", fmt.Errorf("verify: %w", err))
	}
	return true
}
