package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/engine/boltstore"
)

// backupTo is where a backup is wanted.
type backupTo struct{ Path string }

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup [FILE]",
		Short: "Copy the store safely, also while serve runs",
		Long: `Copy the store into FILE: through the running serve if there is one, from the
idle file otherwise. The copy is complete, on disk and checked when this
returns. Without FILE it is named after the store and the time.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.backup(cmd.Context(), strings.Join(args, ""), time.Now())
		},
	}
}

func (p *program) backup(ctx context.Context, to string, now time.Time) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if to == "" {
		dir, name := backupName(cfg.Store)
		to = filepath.Join(dir, name+now.UTC().Format(stampLayout))
	}
	if to, err = filepath.Abs(to); err != nil { // serve may run in another folder
		return fmt.Errorf("backup: %w", err)
	}
	var sum boltstore.Summary
	if err := p.onStore(ctx, "backup", backupTo{Path: to}, &sum); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	fmt.Fprintf(p.stdout, "saved %s: %d records, %d bytes\n", to, sum.Records, sum.Bytes)
	return nil
}
