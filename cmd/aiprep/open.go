package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

// opened is the store as the engine sees it, and the file under it.
type opened struct {
	engine.Store
	file *boltstore.Store
}

// openStore opens the file and, with store.key_file, the encryption over it.
func openStore(ctx context.Context, c StoreConfig) (*opened, error) {
	key, err := readKey(c.KeyFile)
	if err != nil {
		return nil, err
	}
	file, err := boltstore.Open(c.File, boltstore.Options{MaxSize: c.MaxSizeMB << 20, BackupDir: c.BackupDir})
	if err != nil {
		return nil, err
	}
	sealed, err := seal.Open(ctx, file, key)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &opened{sealed, file}, nil
}

// readKey reads store.key_file; no file means no encryption.
func readKey(file string) ([]byte, error) { return readKeyAs("store.key_file", file) }

// readKeyAs reads a key file that an option names.
func readKeyAs(option, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", option, err)
	}
	key, err := seal.ParseKey(raw)
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", option, file, err)
	}
	return key, nil
}
