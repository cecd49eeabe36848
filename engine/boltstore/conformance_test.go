package boltstore_test

import (
	"path/filepath"
	"testing"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/storetest"
)

func openTemp(t testing.TB, o boltstore.Options) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "store.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestStoreKeepsTheContract(t *testing.T) {
	tests := []struct {
		name    string
		options boltstore.Options
	}{
		{"as opened by default", boltstore.Options{}},
		{"with groups of one", boltstore.Options{MaxGroup: 1}},
		{"with groups of three", boltstore.Options{MaxGroup: 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) engine.Store { return openTemp(t, test.options) })
		})
	}
}

func TestStoreKeepsTheContractWhenEveryUpdateRunsTwice(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store {
		return storetest.Twice(openTemp(t, boltstore.Options{}))
	})
}
