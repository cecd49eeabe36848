package storetest_test

import (
	"context"
	"testing"

	"aiprep/engine"
	"aiprep/engine/storetest"
)

func TestMemoryKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) engine.Store { return storetest.Memory() })
}

func TestMemorySpoilsSlicesWhenFnReturns(t *testing.T) {
	s := storetest.Memory()
	ctx := context.Background()
	var value, scanned []byte
	err := s.Update(ctx, func(tx engine.Tx) error {
		if err := tx.Put([]byte("k"), []byte("v")); err != nil {
			return err
		}
		values, err := tx.Get([]byte("k"))
		if err != nil {
			return err
		}
		value = values[0]
		records, err := tx.Scan(nil, nil, 1)
		if err != nil {
			return err
		}
		scanned = records[0].Value
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if string(value) == "v" || string(scanned) == "v" {
		t.Errorf("kept slices read %q and %q: a caller that keeps one would not be found", value, scanned)
	}
}

func TestTwiceRunsEveryUpdateTwiceAndCountsOnce(t *testing.T) {
	s := storetest.Twice(storetest.Memory())
	ctx := context.Background()
	runs := 0
	for range 3 {
		err := s.Update(ctx, func(tx engine.Tx) error {
			runs++
			values, err := tx.Get([]byte("n"))
			if err != nil {
				return err
			}
			return tx.Put([]byte("n"), append(values[0], 'x'))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if runs != 6 {
		t.Errorf("fn ran %d times for 3 updates, want 6", runs)
	}
	err := s.View(ctx, func(tx engine.Tx) error {
		values, err := tx.Get([]byte("n"))
		if string(values[0]) != "xxx" {
			t.Errorf("three updates left %q, want xxx", values[0])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
