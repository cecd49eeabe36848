package storetest

import (
	"context"
	"testing"

	"aiprep/engine"
)

// Run tests that the stores which open returns keep the contract. open is
// called once a subtest and must return an empty store; Run closes it.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	groups := []struct {
		name  string
		tests []contractTest
	}{
		{"read", readTests()},
		{"write", writeTests()},
		{"isolate", isolationTests()},
		{"many", concurrencyTests()},
		{"cancel", cancelTests()},
		{"close", closeTests()},
		{"model", modelTests()},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, test := range group.tests {
				t.Run(test.name, func(t *testing.T) {
					s := open(t)
					defer func() {
						if err := s.Close(); err != nil {
							t.Errorf("close: %v", err)
						}
					}()
					test.run(t, s)
				})
			}
		})
	}
}

type contractTest struct {
	name string
	run  func(t *testing.T, s engine.Store)
}

func b(s string) []byte { return []byte(s) }

// mustUpdate and mustView stop the test when a transaction fails.
func mustUpdate(t testing.TB, s engine.Store, fn func(engine.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func mustView(t testing.TB, s engine.Store, fn func(engine.Tx) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

// put stores pairs of key and value.
func put(t testing.TB, s engine.Store, pairs ...string) {
	t.Helper()
	mustUpdate(t, s, func(tx engine.Tx) error { return putAll(tx, pairs...) })
}

func putAll(tx engine.Tx, pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if err := tx.Put(b(pairs[i]), b(pairs[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// pair is a record in a form that can outlive its transaction.
type pair struct{ Key, Value string }

// dump returns the whole content of a store, read in pages of 7 records.
func dump(t testing.TB, s engine.Store) []pair {
	t.Helper()
	var all []pair
	mustView(t, s, func(tx engine.Tx) error {
		var err error
		all, err = scanAll(tx)
		return err
	})
	return all
}

func scanAll(tx engine.Tx) ([]pair, error) {
	all := []pair{}
	var from []byte
	for {
		records, err := tx.Scan(from, nil, 7)
		if err != nil || len(records) == 0 {
			return all, err
		}
		all = append(all, pairs(records)...)
		from = append(b(all[len(all)-1].Key), 0)
	}
}

func pairs(records []engine.Record) []pair {
	all := []pair{}
	for _, r := range records {
		all = append(all, pair{string(r.Key), string(r.Value)})
	}
	return all
}

// getOne returns a copy of one value and whether it is present.
func getOne(tx engine.Tx, key string) (string, bool, error) {
	values, err := tx.Get(b(key))
	if err != nil {
		return "", false, err
	}
	return string(values[0]), values[0] != nil, nil
}
