package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

func (p *program) encryptCommand() *cobra.Command {
	var old string
	cmd := &cobra.Command{
		Use:   "encrypt",
		Short: "Encrypt the store with store.key_file, or give it that key for an old one",
		Long: `Write the store anew, encrypted with the key in store.key_file, and put it in its
own place once it is whole; the file from before is deleted, for it can be read
without the new key. serve must not run.

Backups stay as they are: delete those that you do not want to be read with the
old key, or with none.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.encrypt(cmd.Context(), old) },
	}
	cmd.Flags().StringVar(&old, "old-key", "", "key file that the store is encrypted with now; leave it out for a store that is not encrypted")
	return cmd
}

var errNoKeyFile = errors.New("store.key_file is not set: make a key with \"aiprep key FILE\" and name it there")

func (p *program) encrypt(ctx context.Context, oldKey string) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if cfg.Store.KeyFile == "" {
		return fmt.Errorf("encrypt: %w", errNoKeyFile)
	}
	if err := alone(ctx, cfg); err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	fresh := cfg.Store.File + ".encrypting"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) { // of an attempt that was cut short
		return fmt.Errorf("encrypt: %w", err)
	}
	defer os.Remove(fresh) // gone already when all went well
	n, err := encryptTo(ctx, cfg.Store, oldKey, fresh)
	if err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	if err := replaceFile(fresh, cfg.Store.File); err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s is encrypted with %s: %d records\n", cfg.Store.File, cfg.Store.KeyFile, n)
	return nil
}

// encryptTo writes the store as it is into a new file under the configured key.
func encryptTo(ctx context.Context, c StoreConfig, oldKey, fresh string) (n int, err error) {
	file, err := boltstore.Open(c.File, boltstore.Options{MustExist: true, BackupDir: c.BackupDir})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	key, err := readKey(c.KeyFile)
	if err != nil {
		return 0, err
	}
	from, err := openOld(ctx, file, oldKey, key)
	if err != nil {
		return 0, err
	}
	out, err := boltstore.Open(fresh, boltstore.Options{MaxSize: c.MaxSizeMB << 20})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	to, err := seal.Open(ctx, out, key)
	if err != nil {
		return 0, err
	}
	return seal.Copy(ctx, from, to)
}

// openOld opens the store as it is encrypted now, if it is.
func openOld(ctx context.Context, file engine.Store, oldKey string, key []byte) (engine.Store, error) {
	old, err := readKeyAs("--old-key", oldKey)
	if err != nil {
		return nil, err
	}
	from, err := seal.Open(ctx, file, old)
	if err == nil {
		return from, nil
	}
	if _, fits := seal.Open(ctx, file, key); fits == nil {
		return nil, errors.New("the store is encrypted with store.key_file already")
	}
	if errors.Is(err, seal.ErrNoKey) {
		return nil, errors.New("the store is encrypted with another key: name it with --old-key")
	}
	return nil, err
}

// replaceFile puts fresh in the place of path, on the disk.
func replaceFile(fresh, path string) error {
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
