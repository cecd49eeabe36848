package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aiprep/engine/boltstore"
)

// stampLayout is the time in the name of a backup; sorted, they are by age.
const stampLayout = "20060102T150405Z"

// backupName is what a backup of the store is called, but for its time.
func backupName(c StoreConfig) (dir, name string) {
	dir, name = filepath.Split(c.File)
	if c.BackupDir != "" {
		dir = c.BackupDir
	}
	return dir, name + ".backup-"
}

// ownBackups lists the backups of the store that carry a time, the oldest first.
// Whatever else lies there is none of our business.
func ownBackups(c StoreConfig) ([]string, error) {
	dir, name := backupName(c)
	files, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, f := range files {
		stamp, ok := strings.CutPrefix(f.Name(), name)
		if _, err := time.Parse(stampLayout, stamp); ok && err == nil && f.Type().IsRegular() {
			all = append(all, filepath.Join(dir, f.Name()))
		}
	}
	slices.Sort(all)
	return all, nil
}

// backUpDaily makes a backup whenever the newest is old enough, and removes the
// oldest beyond those that are kept, until ctx ends. Only a good new backup lets
// an old one go. count is told of every outcome.
func backUpDaily(ctx context.Context, cfg StoreConfig, file *boltstore.Store, now func() time.Time, log *slog.Logger, count func(outcome string)) {
	if cfg.BackupEvery <= 0 {
		return
	}
	last := now()
	if all, err := ownBackups(cfg); err == nil && len(all) > 0 {
		newest := all[len(all)-1]
		if at, err := time.Parse(stampLayout, newest[len(newest)-len(stampLayout):]); err == nil {
			last = at
		}
	}
	for {
		timer := time.NewTimer(max(last.Add(cfg.BackupEvery).Sub(now()), 0))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		last = now()
		if err := backUpOnce(ctx, cfg, file, last); err != nil && ctx.Err() == nil {
			log.Error("backup failed", "err", err)
			count("error")
			last = last.Add(min(time.Hour, cfg.BackupEvery) - cfg.BackupEvery) // sooner than usual
			continue
		}
		log.Info("backup made")
		count("ok")
	}
}

func backUpOnce(ctx context.Context, cfg StoreConfig, file *boltstore.Store, now time.Time) error {
	dir, name := backupName(cfg)
	if _, err := file.Backup(ctx, filepath.Join(dir, name+now.UTC().Format(stampLayout))); err != nil {
		return err
	}
	all, err := ownBackups(cfg)
	if err != nil {
		return fmt.Errorf("find old backups: %w", err)
	}
	for _, old := range all[:max(0, len(all)-cfg.BackupKeep)] {
		if err := os.Remove(old); err != nil {
			return fmt.Errorf("remove old backup: %w", err)
		}
	}
	return nil
}
