package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// The newest backups are kept, and nothing else in the folder is touched.
func TestOldBackupsGo(t *testing.T) {
	dir := t.TempDir()
	cfg := StoreConfig{File: filepath.Join(dir, "aiprep.db"), BackupKeep: 3, BackupEvery: 24 * time.Hour}
	file, err := boltstore.Open(cfg.File, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	others := []string{"aiprep.db.backup-monday", "other.db.backup-20200101T000000Z", "aiprep.db.before-restore-20200101T000000Z"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	day := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for range 5 {
		if err := backUpOnce(t.Context(), cfg, file, day); err != nil {
			t.Fatal(err)
		}
		day = day.Add(24 * time.Hour)
	}
	all, err := ownBackups(cfg)
	if err != nil || len(all) != 3 || !strings.HasSuffix(all[0], "20260107T090000Z") || !strings.HasSuffix(all[2], "20260109T090000Z") {
		t.Errorf("backups are %q, %v", all, err)
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := boltstore.Verify(all[2]); err != nil {
		t.Error(err)
	}
}

// A backup that is due at the start, because the bot was down, is made at once;
// none is made twice.
func TestABackupThatIsDueIsMade(t *testing.T) {
	dir := t.TempDir()
	cfg := StoreConfig{File: filepath.Join(dir, "aiprep.db"), BackupKeep: 9, BackupEvery: 24 * time.Hour}
	file, err := boltstore.Open(cfg.File, boltstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Update(t.Context(), func(tx engine.Tx) error { return tx.Put([]byte("a"), []byte("b")) }); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	if err := backUpOnce(t.Context(), cfg, file, day); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	made := make(chan string, 1)
	log := slog.New(slog.DiscardHandler)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		backUpDaily(ctx, cfg, file, func() time.Time { return day.Add(25 * time.Hour) }, log, func(outcome string) { made <- outcome })
	}()
	select {
	case outcome := <-made:
		if outcome != "ok" {
			t.Errorf("counted %q", outcome)
		}
	case <-time.After(20 * time.Second):
		t.Error("no backup is made")
	}
	cancel()
	<-ended
	if all, err := ownBackups(cfg); err != nil || len(all) != 2 {
		t.Errorf("backups are %q, %v", all, err)
	}
}
