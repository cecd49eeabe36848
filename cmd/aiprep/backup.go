package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/engine/boltstore"
)

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
		dir, file := filepath.Split(cfg.Store.File)
		if cfg.Store.BackupDir != "" {
			dir = cfg.Store.BackupDir
		}
		to = filepath.Join(dir, file+".backup-"+now.UTC().Format("20060102T150405Z"))
	}
	if to, err = filepath.Abs(to); err != nil { // serve may run in another folder
		return fmt.Errorf("backup: %w", err)
	}
	sum, err := backupThrough(ctx, cfg.socketPath(), to)
	if errors.Is(err, errNobodyServes) {
		sum, err = backupIdle(ctx, cfg.Store, to)
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	fmt.Fprintf(p.stdout, "saved %s: %d records, %d bytes\n", to, sum.Records, sum.Bytes)
	return nil
}

// backupThrough asks the running serve for a copy.
func backupThrough(ctx context.Context, socket, to string) (sum boltstore.Summary, err error) {
	body, err := json.Marshal(map[string]string{"Path": to})
	if err != nil {
		return sum, err
	}
	raw, err := askServe(ctx, socket, http.MethodPost, "/backup", body)
	if err != nil {
		return sum, err
	}
	return sum, json.Unmarshal(raw, &sum)
}

// backupIdle copies a file that nobody has open.
func backupIdle(ctx context.Context, c StoreConfig, to string) (sum boltstore.Summary, err error) {
	s, err := boltstore.Open(c.File, boltstore.Options{MustExist: true, BackupDir: c.BackupDir})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Backup(ctx, to)
}
