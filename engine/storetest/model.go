package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"aiprep/engine"
)

func modelTests() []contractTest {
	return []contractTest{{"any sequence does what a sorted map does", againstMap}}
}

// againstMap runs random transactions on the store and on a map, which is
// the simplest thing that keeps the contract.
func againstMap(t *testing.T, s engine.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		clearStore(t, s)
		model := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(rt, "updates") {
			model = randomUpdate(rt, s, model)
			err := s.View(context.Background(), func(tx engine.Tx) error {
				compareReads(rt, tx, model)
				return nil
			})
			if err != nil {
				rt.Fatalf("view: %v", err)
			}
		}
	})
}

// randomUpdate returns what the model holds after it: the old content if the
// update was drawn to fail.
func randomUpdate(rt *rapid.T, s engine.Store, before map[string]string) map[string]string {
	steps := rapid.IntRange(0, 12).Draw(rt, "steps")
	errDrawn := errors.New("drawn to fail")
	var fail error
	if rapid.IntRange(0, 3).Draw(rt, "outcome") == 0 {
		fail = errDrawn
	}
	var after map[string]string
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		after = maps.Clone(before)
		for range steps {
			key := drawKey(rt, "key")
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				compareReads(rt, tx, after)
			case 1:
				if err := tx.Delete(b(key)); err != nil {
					return err
				}
				delete(after, key)
			default:
				value := rapid.StringN(0, 20, 40).Draw(rt, "value")
				if err := tx.Put(b(key), b(value)); err != nil {
					return err
				}
				after[key] = value
			}
		}
		return fail
	})
	if !errors.Is(err, fail) {
		rt.Fatalf("update: %v, want %v", err, fail)
	}
	if fail != nil {
		return before
	}
	return after
}

// compareReads compares everything, one random range and one random Get.
func compareReads(rt *rapid.T, tx engine.Tx, model map[string]string) {
	from, to := drawKey(rt, "from"), drawKey(rt, "to")
	limit := rapid.IntRange(1, 10).Draw(rt, "limit")
	want := []pair{}
	keys := slices.Sorted(maps.Keys(model))
	for _, key := range keys {
		if key >= from && key < to && len(want) < limit {
			want = append(want, pair{key, model[key]})
		}
	}
	records, err := tx.Scan(b(from), b(to), limit)
	if err != nil {
		rt.Fatalf("scan: %v", err)
	}
	if diff := cmp.Diff(want, pairs(records)); diff != "" {
		rt.Fatalf("Scan(%q, %q, %d) (-want +got):\n%s", from, to, limit, diff)
	}
	all, err := scanAll(tx)
	if err != nil {
		rt.Fatalf("scan all: %v", err)
	}
	got := []string{}
	for _, p := range all {
		got = append(got, p.Key)
		if p.Value != model[p.Key] {
			rt.Fatalf("%q = %q, want %q", p.Key, p.Value, model[p.Key])
		}
	}
	if diff := cmp.Diff(append([]string{}, keys...), got); diff != "" {
		rt.Fatalf("keys (-want +got):\n%s", diff)
	}
	value, ok, err := getOne(tx, from)
	if modelValue, modelOK := model[from]; err != nil || ok != modelOK || value != modelValue {
		rt.Fatalf("Get(%q) = %q, %t, %v; want %q, %t", from, value, ok, err, modelValue, modelOK)
	}
}

// drawKey draws from few keys, so that they meet, with the bytes at which an
// order of strings may differ from one of bytes.
func drawKey(rt *rapid.T, label string) string {
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 'a', 0x7f, 0x80, 0xff}), 1, 3).Draw(rt, label))
}

func clearStore(t *testing.T, s engine.Store) {
	t.Helper()
	mustUpdate(t, s, func(tx engine.Tx) error {
		for {
			records, err := tx.Scan(nil, nil, 100)
			if err != nil || len(records) == 0 {
				return err
			}
			for _, r := range records {
				if err := tx.Delete(r.Key); err != nil {
					return err
				}
			}
		}
	})
}
