package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"aiprep/engine"
)

const writers, rounds = 64, 10

func concurrencyTests() []contractTest {
	return []contractTest{
		{"64 writers count right", countRight},
		{"failing neighbours change nothing", failingNeighbours},
	}
}

// add adds 1 to the number stored under key.
func add(tx engine.Tx, key string) error {
	text, ok, err := getOne(tx, key)
	if err != nil {
		return err
	}
	n := 0
	if ok {
		if n, err = strconv.Atoi(text); err != nil {
			return err
		}
	}
	return tx.Put(b(key), b(strconv.Itoa(n+1)))
}

// wantNumber checks a number that add counted.
func wantNumber(t *testing.T, s engine.Store, key string, want int) {
	t.Helper()
	mustView(t, s, func(tx engine.Tx) error {
		text, _, err := getOne(tx, key)
		if text != strconv.Itoa(want) {
			t.Errorf("%s = %q, want %d", key, text, want)
		}
		return err
	})
}

func countRight(t *testing.T, s engine.Store) {
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for range rounds {
				err := s.Update(context.Background(), func(tx engine.Tx) error {
					if err := add(tx, "shared"); err != nil {
						return err
					}
					return add(tx, fmt.Sprint("own ", w))
				})
				if err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	all.Wait()
	wantNumber(t, s, "shared", writers*rounds)
	for w := range writers {
		wantNumber(t, s, fmt.Sprint("own ", w), rounds)
	}
}

// failingNeighbours lets every way to fail happen between updates that work,
// each after writing to the very records the others count in.
func failingNeighbours(t *testing.T, s engine.Store) {
	errWanted := errors.New("wanted")
	spoil := func(tx engine.Tx) error {
		if err := putAll(tx, "shared", "spoilt", "own 0", "spoilt", "new", "spoilt"); err != nil {
			return err
		}
		return tx.Delete(b("own 4"))
	}
	fail := []func(engine.Tx) error{
		1: func(tx engine.Tx) error { return errors.Join(spoil(tx), errWanted) },
		2: func(tx engine.Tx) error { panic(spoil(tx)) },
		3: func(tx engine.Tx) error { defer runtime.Goexit(); return spoil(tx) },
	}
	var all sync.WaitGroup
	for w := range writers {
		for range rounds {
			all.Go(func() {
				how := w % len(fail)
				defer func() {
					if reason := recover(); reason != nil && how != 2 {
						t.Errorf("panic: %v", reason)
					}
				}()
				err := s.Update(context.Background(), func(tx engine.Tx) error {
					if how != 0 {
						return fail[how](tx)
					}
					return errors.Join(add(tx, "shared"), add(tx, fmt.Sprint("own ", w)))
				})
				if how == 0 && err != nil {
					t.Errorf("update between failing ones: %v", err)
				}
				if how == 1 && !errors.Is(err, errWanted) {
					t.Errorf("failing update: %v, want its own error", err)
				}
			})
		}
	}
	all.Wait()
	wantNumber(t, s, "shared", writers/len(fail)*rounds)
	for w := 0; w < writers; w += len(fail) {
		wantNumber(t, s, fmt.Sprint("own ", w), rounds)
	}
	if n := len(dump(t, s)); n != 1+writers/len(fail) {
		t.Errorf("%d records, want the shared one and one a working writer", n)
	}
}

func cancelTests() []contractTest {
	return []contractTest{
		{"a cancelled call does nothing", cancelledBefore},
		{"an update gives up while it waits", cancelledWaiting},
		{"a cancelled update happened or did not", cancelledAnywhere},
	}
}

func cancelledBefore(t *testing.T, s engine.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fn := func(tx engine.Tx) error {
		t.Error("fn ran although its context was cancelled before")
		return nil
	}
	if err := s.View(ctx, fn); !errors.Is(err, context.Canceled) {
		t.Errorf("view: %v, want context.Canceled", err)
	}
	if err := s.Update(ctx, fn); !errors.Is(err, context.Canceled) {
		t.Errorf("update: %v, want context.Canceled", err)
	}
}

// cancelledWaiting holds the store inside one update while a second waits. A
// store that lets both run at once may finish the second instead.
func cancelledWaiting(t *testing.T, s engine.Store) {
	inside, release := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	var once sync.Once
	go func() {
		first <- s.Update(context.Background(), func(tx engine.Tx) error {
			once.Do(func() { close(inside) })
			<-release
			return tx.Put(b("first"), b("x"))
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(context.Background())
	second := make(chan error)
	go func() {
		second <- s.Update(ctx, func(tx engine.Tx) error { return tx.Put(b("second"), b("x")) })
	}()
	runtime.Gosched() // let the second queue up; either order is right
	cancel()
	err := <-second
	close(release)
	if err := <-first; err != nil {
		t.Errorf("first update: %v", err)
	}
	happened(t, s, "second", err)
}

func cancelledAnywhere(t *testing.T, s engine.Store) {
	results := make([]error, writers*rounds)
	var all sync.WaitGroup
	for i := range results {
		ctx, cancel := context.WithCancel(context.Background())
		all.Go(func() {
			results[i] = s.Update(ctx, func(tx engine.Tx) error { return tx.Put(b(fmt.Sprint(i)), b("x")) })
		})
		all.Go(cancel)
	}
	all.Wait()
	for i, err := range results {
		happened(t, s, fmt.Sprint(i), err)
	}
}

// happened checks that an update's error says truly whether key was put.
func happened(t *testing.T, s engine.Store, key string, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%s: %v, want context.Canceled or nil", key, err)
	}
	mustView(t, s, func(tx engine.Tx) error {
		_, ok, getErr := getOne(tx, key)
		if ok != (err == nil) {
			t.Errorf("%s: present is %t although the update returned %v", key, ok, err)
		}
		return getErr
	})
}

func closeTests() []contractTest {
	return []contractTest{
		{"close waits for what runs", closeWaits},
		{"calls after close fail", afterClose},
	}
}

func closeWaits(t *testing.T, s engine.Store) {
	var inside sync.WaitGroup
	inside.Add(2)
	release := make(chan struct{})
	var ended atomic.Int32
	results := make(chan error)
	var viewOnce, updateOnce sync.Once
	go func() {
		results <- s.View(context.Background(), func(tx engine.Tx) error {
			viewOnce.Do(inside.Done)
			<-release
			_, err := tx.Scan(nil, nil, 1)
			ended.Add(1)
			return err
		})
	}()
	go func() {
		results <- s.Update(context.Background(), func(tx engine.Tx) error {
			updateOnce.Do(inside.Done)
			<-release
			ended.Add(1)
			return tx.Put(b("a"), b("1"))
		})
	}()
	inside.Wait()
	closed, closing := make(chan error), make(chan struct{})
	go func() {
		close(closing)
		err := s.Close()
		if n := ended.Load(); n < 2 {
			t.Errorf("close returned while %d transactions ran", 2-n)
		}
		closed <- err
	}()
	<-closing
	for range 1000 {
		runtime.Gosched() // a Close that does not wait gets time to return
	}
	close(release)
	for _, from := range []chan error{results, results, closed} {
		if err := <-from; err != nil {
			t.Error(err)
		}
	}
}

func afterClose(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	fn := func(engine.Tx) error {
		t.Error("fn ran on a closed store")
		return nil
	}
	if err := s.View(context.Background(), fn); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("view after close: %v, want fs.ErrClosed", err)
	}
	if err := s.Update(context.Background(), fn); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("update after close: %v, want fs.ErrClosed", err)
	}
}
