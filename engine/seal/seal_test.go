package seal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
	"aiprep/engine/storetest"
)

func newKey(t testing.TB) []byte {
	t.Helper()
	key, err := seal.ParseKey(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func open(t testing.TB, inner engine.Store, key []byte) engine.Store {
	t.Helper()
	s, err := seal.Open(context.Background(), inner, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func bolt(t testing.TB) engine.Store {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "store.db"), boltstore.Options{InitialMap: 1 << 15})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t testing.TB, s engine.Store, pairs ...string) {
	t.Helper()
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		for i := 0; i < len(pairs); i += 2 {
			if err := tx.Put([]byte(pairs[i]), []byte(pairs[i+1])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// content returns all records as text.
func content(t testing.TB, s engine.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.View(context.Background(), func(tx engine.Tx) error {
		records, err := tx.Scan(nil, nil, 1<<30)
		for _, r := range records {
			all[string(r.Key)] = string(r.Value)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSealedStoresKeepTheContract(t *testing.T) {
	t.Run("over memory", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) engine.Store { return open(t, storetest.Memory(), newKey(t)) })
	})
	t.Run("over bolt", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) engine.Store { return open(t, bolt(t), newKey(t)) })
	})
	t.Run("twice over", func(t *testing.T) {
		storetest.Run(t, func(t *testing.T) engine.Store { return storetest.Twice(open(t, storetest.Memory(), newKey(t))) })
	})
}

func TestTheFileShowsKeysButNoValues(t *testing.T) {
	const planted = "planted plaintext, long enough to be found"
	for _, sealed := range []bool{true, false} {
		t.Run(fmt.Sprintf("sealed %t", sealed), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			inner, err := boltstore.Open(path, boltstore.Options{InitialMap: 1 << 15})
			if err != nil {
				t.Fatal(err)
			}
			key := newKey(t)
			s := inner.Update
			if sealed {
				s = open(t, inner, key).Update
			}
			for i := range 50 { // overwritten, deleted and present values
				err := s(context.Background(), func(tx engine.Tx) error {
					return errors.Join(
						tx.Put([]byte("a plain key"), fmt.Appendf(nil, "%s %d", planted, i)),
						tx.Put(fmt.Appendf(nil, "k%d", i), []byte(planted)),
						tx.Delete(fmt.Appendf(nil, "k%d", i-1)))
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := inner.Close(); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(file, []byte("a plain key")) {
				t.Error("the key is not in the file: the search would find nothing anyway")
			}
			if found := bytes.Contains(file, []byte(planted[:20])); found == sealed {
				t.Errorf("the planted value is in the file: %t", found)
			}
			if bytes.Contains(file, key) {
				t.Error("the key file's key is in the file")
			}
		})
	}
}

func TestOpenTellsKeysApart(t *testing.T) {
	ctx := context.Background()
	key, other := newKey(t), newKey(t)
	empty := storetest.Memory
	plain := func() engine.Store {
		s := storetest.Memory()
		put(t, s, "a", "1")
		return s
	}
	sealed := func() engine.Store {
		s := storetest.Memory()
		put(t, open(t, s, key), "a", "1")
		return s
	}
	tests := []struct {
		name  string
		inner engine.Store
		key   []byte
		want  error
		words string
	}{
		{"an empty store with a key", empty(), key, nil, ""},
		{"an empty store without one", empty(), nil, nil, ""},
		{"a plain store without a key", plain(), nil, nil, ""},
		{"a plain store with a key", plain(), key, seal.ErrNotSealed, "not sealed"},
		{"a sealed store with its key", sealed(), key, nil, ""},
		{"a sealed store without a key", sealed(), nil, seal.ErrNoKey, "set store.key_file"},
		{"a sealed store with another key", sealed(), other, seal.ErrWrongKey, "does not fit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := content(t, test.inner)
			s, err := seal.Open(ctx, test.inner, test.key)
			if !errors.Is(err, test.want) {
				t.Fatalf("open: %v, want %v", err, test.want)
			}
			if err != nil {
				if !strings.Contains(err.Error(), test.words) {
					t.Errorf("the error does not say %q: %v", test.words, err)
				}
				if diff := cmp.Diff(before, content(t, test.inner)); diff != "" {
					t.Errorf("a refused open changed the store (-want +got):\n%s", diff)
				}
				return
			}
			put(t, s, "b", "2")
			if got := content(t, s)["b"]; got != "2" {
				t.Errorf("b = %q, want 2", got)
			}
		})
	}
	for _, short := range [][]byte{{}, key[:31], append(key[:32:32], 0)} {
		if _, err := seal.Open(ctx, storetest.Memory(), short); err == nil {
			t.Errorf("a key of %d bytes: no error", len(short))
		}
	}
}

func TestSealedSaysWhetherAStoreIs(t *testing.T) {
	ctx := context.Background()
	inner := storetest.Memory()
	put(t, inner, "\x00seal0", "a neighbour", "\x00seal", "another")
	if sealed, err := seal.Sealed(ctx, inner); err != nil || sealed {
		t.Errorf("a plain store: sealed %t, %v", sealed, err)
	}
	inner = storetest.Memory()
	s := open(t, inner, newKey(t))
	if sealed, err := seal.Sealed(ctx, inner); err != nil || !sealed {
		t.Errorf("a sealed store: sealed %t, %v", sealed, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.Sealed(ctx, inner); err == nil {
		t.Error("a closed store: no error")
	}
}

func TestReservedKeysAreOutOfReach(t *testing.T) {
	s := open(t, storetest.Memory(), newKey(t))
	around := map[string]string{"\x00": "1", "\x00seal": "2", "\x00seal0": "3", "\x00seam": "4", "a": "5"}
	for key, value := range around {
		put(t, s, key, value)
	}
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		key := []byte("\x00seal/key/00000000")
		_, getErr := tx.Get([]byte("a"), key)
		for i, err := range []error{getErr, tx.Put(key, nil), tx.Delete(key)} {
			if err == nil {
				t.Errorf("call %d on a reserved key: no error", i)
			}
		}
		for limit := 1; limit <= len(around)+1; limit++ {
			got := map[string]string{}
			records, err := tx.Scan(nil, nil, limit)
			if err != nil {
				return err
			}
			for _, r := range records {
				got[string(r.Key)] = string(r.Value)
			}
			if len(got) != min(limit, len(around)) {
				t.Errorf("limit %d found %d records of %d", limit, len(got), len(around))
			}
		}
		for _, bounds := range [][2]string{{"\x00seal/", "\x00seal0"}, {"\x00seal/k", "\x00seal/l"}, {"\x00seal\x00", "\x00seal/z"}} {
			records, err := tx.Scan([]byte(bounds[0]), []byte(bounds[1]), 10)
			if err != nil || len(records) > 0 {
				t.Errorf("Scan(%q, %q) = %d records, %v; want none", bounds[0], bounds[1], len(records), err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(around, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestAChangedOrMovedValueIsRefused(t *testing.T) {
	key := newKey(t)
	read := func(s engine.Store, name string) error {
		return s.View(context.Background(), func(tx engine.Tx) error {
			_, err := tx.Get([]byte(name))
			return err
		})
	}
	inner := storetest.Memory()
	s := open(t, inner, key)
	put(t, s, "a", "the value of a", "b", "the value of b")
	raw := content(t, inner)["a"]
	for i := range len(raw) {
		changed := []byte(raw)
		changed[i] ^= 1
		put(t, inner, "a", string(changed))
		if err := read(s, "a"); err == nil {
			t.Fatalf("byte %d of %d changed: no error", i, len(raw))
		}
		put(t, inner, "a", raw[:i])
		if err := read(s, "a"); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", i, len(raw))
		}
	}
	put(t, inner, "a", raw, "moved", raw)
	if err := read(s, "a"); err != nil {
		t.Errorf("put back as it was: %v", err)
	}
	if err := read(s, "moved"); err == nil {
		t.Error("a value moved to another key: no error")
	}
	err := s.View(context.Background(), func(tx engine.Tx) error { _, err := tx.Scan(nil, nil, 10); return err })
	if err == nil {
		t.Error("a scan across it: no error")
	}
}

func TestEqualValuesAreSealedDifferently(t *testing.T) {
	inner := storetest.Memory()
	s := open(t, inner, newKey(t))
	seen := map[string]bool{}
	for range 100 {
		put(t, s, "a", "same")
		seen[content(t, inner)["a"]] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d different values after sealing the same one 100 times", len(seen))
	}
}

func TestCopyGivesAStoreItsFirstKeyAndANewOne(t *testing.T) {
	ctx := context.Background()
	plain, want := bolt(t), map[string]string{}
	var pairs []string
	for i := range 4500 { // more than two pages
		key := fmt.Sprintf("key %04d", i)
		want[key] = "value of " + key
		pairs = append(pairs, key, want[key])
	}
	put(t, plain, pairs...)
	keys := [][]byte{newKey(t), newKey(t)}
	from := plain
	for _, key := range keys {
		inner := bolt(t)
		to := open(t, inner, key)
		if n, err := seal.Copy(ctx, from, to); err != nil || n != len(want) {
			t.Fatalf("Copy: %d, %v; want %d", n, err, len(want))
		}
		if diff := cmp.Diff(want, content(t, to)); diff != "" {
			t.Errorf("after a copy (-want +got):\n%s", diff)
		}
		for _, other := range append(keys, nil) {
			if !bytes.Equal(other, key) {
				if _, err := seal.Open(ctx, inner, other); !errors.Is(err, seal.ErrWrongKey) && !errors.Is(err, seal.ErrNoKey) {
					t.Errorf("open with another key, or none: %v", err)
				}
			}
		}
		from = to
	}
}

// BenchmarkSeal is what sealing adds to a transaction of an answer's size,
// without a disk: three reads and five writes of 80 bytes.
func BenchmarkSeal(b *testing.B) {
	ctx := context.Background()
	for _, kind := range []string{"plain", "sealed"} {
		b.Run(kind, func(b *testing.B) {
			s := storetest.Memory()
			if kind == "sealed" {
				s = open(b, s, newKey(b))
			}
			keys := [][]byte{[]byte("user"), []byte("streak"), []byte("item"), []byte("review"), []byte("day")}
			value := make([]byte, 80)
			b.ReportAllocs()
			for b.Loop() {
				err := s.Update(ctx, func(tx engine.Tx) error {
					if _, err := tx.Get(keys[:3]...); err != nil {
						return err
					}
					for _, key := range keys {
						if err := tx.Put(key, value); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
