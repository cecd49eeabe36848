package boltstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// wantFiles checks which files a directory holds.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestBackupIsOneSnapshotWhileWritersGoOn has writers keep two records equal;
// in every backup they must be.
func TestBackupIsOneSnapshotWhileWritersGoOn(t *testing.T) {
	s := openTemp(t, boltstore.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				err := s.Update(ctx, func(tx engine.Tx) error {
					return errors.Join(
						tx.Put([]byte("a"), strconv.AppendInt(nil, int64(n), 10)),
						tx.Put(fmt.Appendf(nil, "filler %d", n%1000), make([]byte, 500)),
						tx.Put([]byte("z"), strconv.AppendInt(nil, int64(n), 10)))
				})
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	dir := t.TempDir()
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("aiprep.db.backup-%d", i))
		summary, err := s.Backup(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		checkBackup(t, path, summary)
	}
	cancel()
	writers.Wait()
	wantFiles(t, dir, "aiprep.db.backup-0", "aiprep.db.backup-1", "aiprep.db.backup-2", "aiprep.db.backup-3", "aiprep.db.backup-4")
}

func checkBackup(t *testing.T, path string, summary boltstore.Summary) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 || info.Size() != summary.Bytes {
		t.Errorf("mode %v, %d bytes; want 0600, %d", info.Mode(), info.Size(), summary.Bytes)
	}
	again, err := boltstore.Verify(path)
	if diff := cmp.Diff(summary, again); err != nil || diff != "" {
		t.Errorf("verify: %v, %s", err, diff)
	}
	copied, err := boltstore.Open(path, boltstore.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if n := count(t, copied); n != summary.Records {
		t.Errorf("%d records, the summary says %d", n, summary.Records)
	}
	err = copied.View(context.Background(), func(tx engine.Tx) error {
		values, err := tx.Get([]byte("a"), []byte("z"))
		if !bytes.Equal(values[0], values[1]) {
			t.Errorf("a = %q, z = %q: not one snapshot", values[0], values[1])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBackupNeverOverwrites(t *testing.T) {
	s := openTemp(t, boltstore.Options{})
	dir := t.TempDir()
	path := filepath.Join(dir, "precious")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(context.Background(), path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("backup over a file: %v, want fs.ErrExist", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "precious" {
		t.Errorf("the file now reads %q, %v", content, err)
	}
	wantFiles(t, dir, "precious")
}

func TestBackupThatFailsLeavesNothing(t *testing.T) {
	s := openTemp(t, boltstore.Options{})
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Backup(ctx, filepath.Join(dir, "cancelled")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled backup: %v, want context.Canceled", err)
	}
	if _, err := s.Backup(context.Background(), filepath.Join(dir, "no", "such", "dir")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("backup to nowhere: %v, want fs.ErrNotExist", err)
	}
	wantFiles(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(context.Background(), filepath.Join(dir, "closed")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("backup of a closed store: %v, want fs.ErrClosed", err)
	}
	wantFiles(t, dir)
}

func TestVerifyFindsDamageAndChangesNothing(t *testing.T) {
	path := filled(t, 2_000)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if summary, err := boltstore.Verify(path); err != nil || summary.Records != 2_000 {
		t.Errorf("verify: %+v, %v; want 2000 records", summary, err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(good, after) {
		t.Errorf("verifying changed the file (%v)", err)
	}
	// Swap two keys where they stand; the pages stay well formed.
	bad := bytes.Replace(good, []byte("key 001000"), []byte("key 009999"), -1)
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := boltstore.Verify(path); !errors.Is(err, boltstore.ErrDamaged) {
		t.Errorf("verify: %v, want ErrDamaged", err)
	}
	if _, err := boltstore.Verify(path + ".absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verify of nothing: %v, want fs.ErrNotExist", err)
	}
	wantFiles(t, filepath.Dir(path), filepath.Base(path))
}

func TestCompactShrinksAndKeepsEverything(t *testing.T) {
	path := filled(t, 20_000)
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(context.Background(), func(tx engine.Tx) error {
		for i := range 19_000 {
			if err := tx.Delete(fmt.Appendf(nil, "key %06d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dst := filepath.Join(filepath.Dir(path), "small.db")
	_, _, err = boltstore.Compact(path, dst)
	if !errors.Is(err, boltstore.ErrLocked) {
		t.Errorf("compact of an open store: %v, want ErrLocked", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, after, err := boltstore.Compact(path, dst)
	if err != nil {
		t.Fatal(err)
	}
	if before.Records != 1000 || after.Records != 1000 || after.Bytes*4 > before.Bytes {
		t.Errorf("before %+v, after %+v; want 1000 records in a quarter of the bytes or less", before, after)
	}
	if _, _, err := boltstore.Compact(path, dst); !errors.Is(err, fs.ErrExist) {
		t.Errorf("compact over a file: %v, want fs.ErrExist", err)
	}
	small, err := boltstore.Open(dst, boltstore.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if n := count(t, small); n != 1000 {
		t.Errorf("%d records in the compacted file, want 1000", n)
	}
	wantFiles(t, filepath.Dir(path), filepath.Base(path), "small.db")
}

// TestAFullStoreServesReadsAndWorksAgainWithRoom fills a store up to MaxSize.
func TestAFullStoreServesReadsAndWorksAgainWithRoom(t *testing.T) {
	s := openTemp(t, boltstore.Options{MaxSize: 4 << 20, InitialMap: 1 << 15})
	ctx := context.Background()
	put := func(n int) error {
		return s.Update(ctx, func(tx engine.Tx) error { return tx.Put(fmt.Appendf(nil, "%04d", n), make([]byte, 50_000)) })
	}
	n, err := 0, error(nil)
	for ; n < 1000 && err == nil; n++ {
		err = put(n)
	}
	if !errors.Is(err, boltstore.ErrFull) {
		t.Fatalf("put %d: %v, want ErrFull", n, err)
	}
	n-- // the one that failed
	if got := count(t, s); got != n {
		t.Errorf("%d records, want the %d acknowledged", got, n)
	}
	if size := s.Stats().FileBytes; size > 4<<20 {
		t.Errorf("the file has %d bytes, MaxSize is %d", size, 4<<20)
	}
	err = s.Update(ctx, func(tx engine.Tx) error {
		for i := range 10 {
			if err := tx.Delete(fmt.Appendf(nil, "%04d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("making room: %v", err)
	}
	for i := range 5 {
		if err := put(i); err != nil {
			t.Errorf("with room again: %v", err)
		}
	}
	if got := count(t, s); got != n-5 {
		t.Errorf("%d records, want %d", got, n-5)
	}
}
