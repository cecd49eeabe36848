package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

// errServes says that a command needs the store for itself.
var errServes = errors.New("serve is running on this store: stop it first")

// alone makes sure that nobody serves the store.
func alone(ctx context.Context, cfg Config) error {
	switch _, err := askServe(ctx, cfg.socketPath(), http.MethodGet, "/readyz", nil); {
	case errors.Is(err, errNobodyServes):
		return nil
	default:
		return errServes
	}
}

func (p *program) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the store's place",
		Long: `Put a backup in the place of the store, which is kept beside it under another
name. serve must not run. The backup is looked through before anything is moved.

What was due between the backup and now may have been posted already, so it is
left out: a challenge is never posted twice, and no streak is broken.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.restore(cmd.Context(), args[0], time.Now()) },
	}
}

func (p *program) restore(ctx context.Context, from string, now time.Time) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if err := alone(ctx, cfg); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	sum, err := boltstore.Verify(from)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	// Made ready beside the store, so that one rename puts it there.
	fresh := cfg.Store.File + ".restoring"
	if err := copyFile(from, fresh); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer os.Remove(fresh) // gone already when all went well
	servers, err := readyRestored(ctx, cfg, fresh, now)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	kept := cfg.Store.File + ".before-restore-" + now.UTC().Format(stampLayout)
	switch err := os.Rename(cfg.Store.File, kept); {
	case errors.Is(err, fs.ErrNotExist):
		kept = ""
	case err != nil:
		return fmt.Errorf("restore: %w", err)
	}
	if err := replaceFile(fresh, cfg.Store.File); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	fmt.Fprintf(p.stdout, "restored %s: %d records\n", cfg.Store.File, sum.Records)
	if kept != "" {
		fmt.Fprintf(p.stdout, "the store from before is %s\n", kept)
	}
	if servers > 0 {
		fmt.Fprintf(p.stdout, "%s had a challenge due since the backup: left out, so that none is posted twice\n", counted(servers, "server"))
	}
	return nil
}

// readyRestored opens a copy with its key, which proves that it can be used, and
// has the engine leave out what may have been posted.
func readyRestored(ctx context.Context, cfg Config, file string, now time.Time) (servers int, err error) {
	store, err := boltstore.Open(file, boltstore.Options{MustExist: true})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	key, err := readKey(cfg.Store.KeyFile)
	if err != nil {
		return 0, err
	}
	sealed, err := seal.Open(ctx, store, key)
	if err != nil {
		return 0, err
	}
	bank, err := loadContent("", cfg.Content.Extra)
	if err != nil {
		return 0, err
	}
	eng, err := engine.New(ctx, engine.Config{Store: sealed, Bank: bank, Keep: cfg.Privacy.keep()})
	if err != nil {
		return 0, err
	}
	return eng.Restored(ctx, now)
}

// copyFile copies a file for the store's owner only, onto the disk.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

func (p *program) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Give the disk back what the store does not use",
		Long: `Write the store anew without the room that was freed, and put it in its own
place once it is whole. serve must not run. The file from before is kept under
another name until you delete it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.compact(cmd.Context(), time.Now()) },
	}
}

func (p *program) compact(ctx context.Context, now time.Time) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if err := alone(ctx, cfg); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	stamp := now.UTC().Format(stampLayout)
	fresh, kept := cfg.Store.File+".compacted-"+stamp, cfg.Store.File+".before-compact-"+stamp
	before, after, err := boltstore.Compact(cfg.Store.File, fresh)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if err := os.Link(cfg.Store.File, kept); err != nil { // at every moment one of both has the store's name
		return errors.Join(fmt.Errorf("compact: %w", err), os.Remove(fresh))
	}
	if err := replaceFile(fresh, cfg.Store.File); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	fmt.Fprintf(p.stdout, "compacted %s: %d bytes, was %d\nthe file from before is %s\n", cfg.Store.File, after.Bytes, before.Bytes, kept)
	return nil
}
