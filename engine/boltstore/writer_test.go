package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

// openSmall opens a store whose file grows in small steps.
func openSmall(t *testing.T, maxSize int) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store.db"), Options{InitialMap: 1 << 15, MaxSize: maxSize})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// together runs fns as Updates of one group and returns their results; a
// panic in one is its result. It holds the writer until all of them wait; the
// result of the Update that holds it is the last.
func together(t *testing.T, s *Store, fns ...func(engine.Tx) error) []any {
	t.Helper()
	ctx := context.Background()
	inside, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	var once sync.Once
	results := make([]any, len(fns)+1)
	all.Go(func() {
		err := s.Update(ctx, func(engine.Tx) error {
			once.Do(func() { close(inside) })
			<-release
			return nil
		})
		if err != nil {
			results[len(fns)] = err
		}
	})
	<-inside
	for i, fn := range fns {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					results[i] = p
				}
			}()
			if err := s.Update(ctx, fn); err != nil {
				results[i] = err
			}
		})
		for len(s.queue) != i+1 { // their order is the order of fns
			runtime.Gosched()
		}
	}
	close(release)
	all.Wait()
	return results
}

func putOne(key, value string) func(engine.Tx) error {
	return func(tx engine.Tx) error { return tx.Put([]byte(key), []byte(value)) }
}

// content returns all records as text.
func content(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := s.View(context.Background(), func(tx engine.Tx) error {
		records, err := tx.Scan(nil, nil, 1<<30)
		for _, r := range records {
			all[string(r.Key)] = string(r.Value)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func mustClose(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestWaitingUpdatesShareOneCommit(t *testing.T) {
	s := openSmall(t, 0)
	defer mustClose(t, s)
	var fns []func(engine.Tx) error
	want := map[string]string{}
	for i := range 10 {
		key := fmt.Sprint(i)
		fns, want[key] = append(fns, putOne(key, "x")), "x"
	}
	before := s.Stats()
	for i, result := range together(t, s, fns...) {
		if result != nil {
			t.Errorf("update %d: %v", i, result)
		}
	}
	after := s.Stats()
	if n := after.Commits - before.Commits; n != 1 {
		t.Errorf("%d commits, want 1", n)
	}
	if after.GroupSizes[4] != 1 || after.Updates-before.Updates != 11 {
		t.Errorf("counted %d updates, groups %v; want 11 in one of the class 9 to 16", after.Updates, after.GroupSizes)
	}
	if diff := cmp.Diff(want, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestFailuresInAGroupCostTheOthersNothing(t *testing.T) {
	s := openSmall(t, 0)
	defer mustClose(t, s)
	if err := s.Update(context.Background(), putOne("shared", "old")); err != nil {
		t.Fatal(err)
	}
	errWanted := errors.New("wanted")
	runs := make([]int, 5)
	counted := func(i int, fn func(engine.Tx) error) func(engine.Tx) error {
		return func(tx engine.Tx) error { runs[i]++; return fn(tx) }
	}
	results := together(t, s,
		counted(0, putOne("first", "x")),
		counted(1, func(tx engine.Tx) error {
			return errors.Join(tx.Put([]byte("shared"), []byte("spoilt")), tx.Delete([]byte("first")), errWanted)
		}),
		counted(2, func(tx engine.Tx) error {
			values, err := tx.Get([]byte("shared"), []byte("first"))
			if err != nil {
				return err
			}
			return tx.Put([]byte("seen"), bytes.Join(values, []byte(" ")))
		}),
		counted(3, func(tx engine.Tx) error { panic(tx.Put([]byte("shared"), []byte("spoilt"))) }),
		counted(4, putOne("last", "x")),
	)
	if err, _ := results[1].(error); !errors.Is(err, errWanted) {
		t.Errorf("the failing one got %v", results[1])
	}
	if results[3] == nil {
		t.Error("the panic was swallowed")
	}
	for _, i := range []int{0, 2, 4} {
		if results[i] != nil {
			t.Errorf("update %d: %v", i, results[i])
		}
	}
	if diff := cmp.Diff([]int{1, 1, 1, 1, 1}, runs); diff != "" {
		t.Errorf("runs of each (-want +got):\n%s", diff)
	}
	want := map[string]string{"first": "x", "shared": "old", "seen": "old x", "last": "x"}
	if diff := cmp.Diff(want, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestAValueIsCopiedBeforeFnReturns(t *testing.T) {
	s := openSmall(t, 0)
	defer mustClose(t, s)
	key, value := []byte("key"), []byte("value")
	together(t, s,
		func(tx engine.Tx) error { return tx.Put(key, value) },
		func(tx engine.Tx) error { // by now the first has returned
			copy(key, "???")
			copy(value, "?????")
			return tx.Put([]byte("other"), nil)
		})
	if diff := cmp.Diff(map[string]string{"key": "value", "other": ""}, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestAnUpdateThatWritesNothingCommitsNothing(t *testing.T) {
	s := openSmall(t, 0)
	defer mustClose(t, s)
	before := s.Stats().Commits
	for _, fn := range []func(engine.Tx) error{
		func(tx engine.Tx) error { _, err := tx.Get([]byte("a")); return err },
		func(tx engine.Tx) error { return tx.Delete([]byte("absent")) },
		func(tx engine.Tx) error { return errors.Join(tx.Put([]byte("a"), nil), context.Canceled) },
	} {
		if err := s.Update(context.Background(), fn); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if n := s.Stats().Commits - before; n != 0 {
		t.Errorf("%d commits, want 0", n)
	}
}

func TestAHugeUpdateDoesNotFailItsNeighbours(t *testing.T) {
	s := openSmall(t, 4<<20)
	defer mustClose(t, s)
	var fns []func(engine.Tx) error
	for i := range 20 {
		fns = append(fns, putOne(fmt.Sprint(i), "x"))
	}
	fns[7] = func(tx engine.Tx) error { return tx.Put([]byte("huge"), make([]byte, 8<<20)) }
	for i, result := range together(t, s, fns...) {
		err, _ := result.(error)
		if i == 7 && !errors.Is(err, ErrFull) {
			t.Errorf("the huge update: %v, want ErrFull", result)
		}
		if i != 7 && result != nil {
			t.Errorf("neighbour %d: %v", i, result)
		}
	}
	if n := len(content(t, s)); n != 19 {
		t.Errorf("%d records, want the 19 of the neighbours", n)
	}
}

func TestAfterACommitOfUnknownOutcomeOnlyReadsGoOn(t *testing.T) {
	s := openSmall(t, 0)
	if err := s.Update(context.Background(), putOne("a", "1")); err != nil {
		t.Fatal(err)
	}
	// As if the last commit, whose meta page readers see, had not been
	// confirmed by the disk. Update waits for its turn, so nobody else runs.
	if err := s.outcome(1, errors.New("i/o error")); !errors.Is(err, ErrStopped) {
		t.Errorf("judged %v, want ErrStopped", err)
	}
	if err := s.Update(context.Background(), putOne("b", "2")); !errors.Is(err, ErrStopped) {
		t.Errorf("update: %v, want ErrStopped", err)
	}
	if diff := cmp.Diff(map[string]string{"a": "1"}, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	mustClose(t, s)
}

func TestACommitTheDiskRefusesLeavesTheOldState(t *testing.T) {
	s := openSmall(t, 0)
	if err := s.Update(context.Background(), putOne("a", "1")); err != nil {
		t.Fatal(err)
	}
	if err := s.file.Close(); err != nil { // every write fails from here on
		t.Fatal(err)
	}
	for range 2 {
		err := s.Update(context.Background(), putOne("b", "2"))
		if err == nil || errors.Is(err, ErrStopped) || errors.Is(err, ErrFull) {
			t.Errorf("update: %v, want the disk's error", err)
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "1"}, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if err := s.Close(); err == nil {
		t.Error("closing twice the same handle: no error")
	}
	s, err := Open(s.path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, s)
	if diff := cmp.Diff(map[string]string{"a": "1"}, content(t, s)); diff != "" {
		t.Errorf("records after reopening (-want +got):\n%s", diff)
	}
}

// TestPagesThatGoBadInUseAreAnError wipes the file under an open store, as a
// failing disk or a careless command does.
func TestPagesThatGoBadInUseAreAnError(t *testing.T) {
	s := openSmall(t, 0)
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		for i := range 1000 {
			if err := tx.Put(fmt.Appendf(nil, "%04d", i), make([]byte, 100)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := s.Stats().FileBytes/int64(os.Getpagesize()) - 2
	if _, err := s.file.WriteAt(make([]byte, pages*int64(os.Getpagesize())), 2*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = s.View(ctx, func(tx engine.Tx) error { _, err := tx.Get([]byte("0500")); return err })
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("view: %v, want ErrDamaged", err)
	}
	for range 2 {
		if err := s.Update(ctx, putOne("0500", "x")); !errors.Is(err, ErrDamaged) {
			t.Errorf("update: %v, want ErrDamaged", err)
		}
	}
	_ = s.Close() // what it returns is open; that it returns is the point
}

func TestACallCancelledBetweenClaimAndTurnDoesNotRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := newCall()
	err := c.run(ctx, &tx{}, func(engine.Tx) error {
		t.Error("fn ran")
		return nil
	})
	if !errors.Is(err, context.Canceled) || <-c.kept {
		t.Errorf("run: %v, want context.Canceled and nothing kept", err)
	}
}

func TestDamageMetByOneUpdateFailsItsWholeGroup(t *testing.T) {
	s := openSmall(t, 0)
	defer mustClose(t, s)
	broken := errors.New("broken inside")
	results := together(t, s,
		putOne("a", "1"),
		func(engine.Tx) error { return nil },
		func(t engine.Tx) error { t.(*tx).group.damage = broken; return nil },
		putOne("b", "2"),
	)
	for i, result := range results {
		if err, _ := result.(error); !errors.Is(err, broken) {
			t.Errorf("update %d: %v, want the damage", i, result)
		}
	}
	if diff := cmp.Diff(map[string]string{}, content(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if err := s.Update(context.Background(), putOne("c", "3")); err != nil {
		t.Errorf("the next update: %v", err)
	}
}
