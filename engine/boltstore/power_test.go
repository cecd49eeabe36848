package boltstore_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// sector is what a disk writes whole or not at all.
const sector = 512

// TestPowerLoss cuts the power in the middle of commits. A commit writes its pages,
// syncs, writes one of the two meta pages and syncs. What was not synced is on the
// disk in any part: the store then opens to the last commit or to this one, with
// every record of it.
func TestPowerLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	opened := map[string]int{}
	for round := range 60 {
		path := filepath.Join(t.TempDir(), "power.db")
		s, err := boltstore.Open(path, boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 20 + rng.IntN(30) {
			commit(t, s, n, rng)
		}
		before, last := read(t, path), records(t, s)
		commit(t, s, 1000, rng)
		after, this := read(t, path), records(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, cut := range []string{"pages", "meta"} {
			name := fmt.Sprintf("round %d, in the %s", round, cut)
			state := ""
			switch got := reopened(t, filepath.Join(t.TempDir(), "cut.db"), torn(before, after, cut, rng)); {
			case maps.Equal(got, last):
				state = "last"
			case maps.Equal(got, this):
				state = "this"
			default:
				t.Errorf("%s: neither the last commit nor this one", name)
			}
			if cut == "pages" && state == "this" {
				t.Errorf("%s: the commit is there before its meta page", name)
			}
			opened[cut+" "+state]++
		}
	}
	t.Logf("%v", opened)
	if opened["meta this"] == 0 || opened["meta last"] == 0 {
		t.Errorf("every cut came to the same end: %v", opened)
	}
}

// A disk that lies, and wrote the meta page although it lost pages before it, gives
// a store or an error with what to do, and never a panic.
func TestPowerLossOnADiskThatLies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		path := filepath.Join(t.TempDir(), "power.db")
		s, err := boltstore.Open(path, boltstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 30 {
			commit(t, s, n, rng)
		}
		before := read(t, path)
		commit(t, s, 1000, rng)
		after := read(t, path)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		bad := torn(before, after, "pages", rng)
		copy(bad, after[:2*os.Getpagesize()])
		opensWell(t, filepath.Join(t.TempDir(), "lied.db"), bad)
	}
}

// commit makes one commit: some records change, and record "n" says which it was.
func commit(t *testing.T, s *boltstore.Store, n int, rng *rand.Rand) {
	t.Helper()
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		for range 20 {
			key := fmt.Sprintf("record %04d", rng.IntN(400))
			if err := tx.Put([]byte(key), bytes.Repeat([]byte{byte(n)}, 20+rng.IntN(200))); err != nil {
				return err
			}
		}
		return tx.Put([]byte("n"), fmt.Append(nil, n))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// torn is the file when the power went while pages, or the meta page after them,
// were being written: each sector that was on its way is there or not.
func torn(before, after []byte, cut string, rng *rand.Rand) []byte {
	meta := 2 * os.Getpagesize()
	out := append([]byte(nil), before...)
	out = append(out, make([]byte, max(0, len(after)-len(before)))...)
	for at := 0; at < len(after); at += sector {
		there := rng.IntN(2) == 0
		switch {
		case cut == "pages" && at < meta:
			there = false
		case cut == "meta" && at >= meta:
			there = true
		}
		if end := min(at+sector, len(after)); there {
			copy(out[at:end], after[at:end])
		}
	}
	return out
}

// reopened is what a file holds as a store.
func reopened(t *testing.T, path string, content []byte) map[string]string {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer s.Close()
	return records(t, s)
}

// records is all that a store holds.
func records(t *testing.T, s *boltstore.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.View(context.Background(), func(tx engine.Tx) error {
		list, err := tx.Scan(nil, nil, 1000)
		for _, r := range list {
			all[string(r.Key)] = string(r.Value)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
