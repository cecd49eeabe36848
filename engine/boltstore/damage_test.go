package boltstore_test

import (
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
	for round := range 400 {
		bad := append([]byte{}, good...)
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
		t.Errorf("only %d of 400 damages were found: the test does not hit what it aims at", hit)
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
