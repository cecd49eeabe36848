package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"
)

// The kinds of trouble a caller may want to tell apart with errors.Is. What
// Open and Update return wraps one of them in a line that says what to do.
var (
	// ErrClosed is returned by every call after Close. It matches
	// fs.ErrClosed, by which code that knows only engine.Store tells it.
	ErrClosed = fmt.Errorf("the store is closed: %w", fs.ErrClosed)
	// ErrFull is returned by an Update that found no room, on the disk or
	// below Options.MaxSize. Nothing of that Update was written, nothing
	// older was lost, reads go on, and later Updates work as soon as
	// there is room.
	ErrFull = errors.New("the store is full")
	// ErrLocked is returned by Open while another process has the file.
	ErrLocked = errors.New("another aiprep is running on this file")
	// ErrForeign is returned by Open for a file that is no store.
	ErrForeign = errors.New("this is not an aiprep store")
	// ErrDamaged is returned when the file contradicts itself.
	ErrDamaged = errors.New("the store file is damaged")
	// ErrNewer is returned by Open for a file of a later format.
	ErrNewer = errors.New("the store was written by a newer aiprep")
	// ErrStopped is returned by every Update after one whose outcome is
	// unknown (the disk failed while the commit was being made final).
	// Reads go on; reopening the store finds out what the disk holds.
	ErrStopped = errors.New("the store stopped writing")

	errReadOnly = errors.New("write in a View: only Update may write")
	errTxOver   = errors.New("use of a transaction after its function returned")
	errLimit    = errors.New("scan: limit must be at least 1")
)

// damaged makes an ErrDamaged out of what bbolt panicked with.
func damaged(reason any) error {
	return fmt.Errorf("%w: %v", ErrDamaged, oneLine(reason))
}

func oneLine(v any) string {
	return strings.Join(strings.Fields(fmt.Sprint(v)), " ")
}

// noSpace reports whether a commit failed for want of room. bbolt formats
// the error of growing the file with %s, hence the comparison of texts.
func noSpace(err error) bool {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, e) || strings.HasSuffix(err.Error(), ": "+e.Error()) {
			return true
		}
	}
	return errors.Is(err, bolterrors.ErrMaxSizeReached)
}

// explainOpen turns an error met while opening path into one line that says
// what to do about it.
func explainOpen(path string, o Options, err error) error {
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("open store %s: %w; send the command to it through its socket, or stop it first", path, ErrLocked)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch),
		errors.Is(err, ErrForeign):
		return fmt.Errorf("open store %s: %w; set store.file to the right file, or move this one away to start with an empty store", path, ErrForeign)
	case errors.Is(err, bolterrors.ErrChecksum):
		return explainOpen(path, o, damaged("both meta pages are broken"))
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("open store %s: %w; %s", path, err, backupAdvice(path, o.BackupDir))
	case errors.Is(err, ErrNewer):
		return fmt.Errorf("open store %s: %w; start that version again, or restore a backup made before the upgrade", path, err)
	case errors.Is(err, fs.ErrNotExist):
		return explainMissing(path, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("open store %s: %w; the file and its directory must be writable for user id %d", path, err, os.Geteuid())
	case noSpace(err):
		return fmt.Errorf("open store %s: %w (%s); free some disk space", path, ErrFull, err)
	}
	return fmt.Errorf("open store %s: %w", path, err)
}

func explainMissing(path string, err error) error {
	dir := filepath.Dir(path)
	if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
		return fmt.Errorf("open store %s: the directory %s does not exist; create it, or set store.file: %w", path, dir, fs.ErrNotExist)
	}
	return fmt.Errorf("open store %s: there is no such file; check store.file: %w", path, err)
}

// backupAdvice names the newest backup of path, which is what the reader of
// a damage report wants to know first.
func backupAdvice(path, backupDir string) string {
	dirs := []string{filepath.Dir(path)}
	if backupDir != "" && filepath.Clean(backupDir) != dirs[0] {
		dirs = append(dirs, filepath.Clean(backupDir))
	}
	var newest string
	var newestInfo fs.FileInfo
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // An unreadable directory offers no backup.
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), filepath.Base(path)+".backup-") {
				continue
			}
			info, err := entry.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if newestInfo == nil || info.ModTime().After(newestInfo.ModTime()) {
				newest, newestInfo = filepath.Join(dir, entry.Name()), info
			}
		}
	}
	if newest == "" {
		return "no backup was found in " + strings.Join(dirs, " or ") + "; keep a copy of the file and see the manual's chapter on repair"
	}
	return "keep a copy of the file and restore the newest backup, " + newest
}
