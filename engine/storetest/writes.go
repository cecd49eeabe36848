package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

func writeTests() []contractTest {
	return []contractTest{
		{"an update sees its own writes", ownWrites},
		{"an update is there when it returns", durable},
		{"an error rolls back and comes back", rollBack},
		{"a failed put writes nothing and spoils nothing", failedPut},
		{"a view cannot write", readOnly},
		{"deleting what is absent is no error", deleteAbsent},
		{"what was given may change after fn returned", changedInput},
		{"a panic in an update rolls back", panicInUpdate},
		{"a panic in a view lets go", panicInView},
		{"a goexit in fn rolls back", goexit},
	}
}

func ownWrites(t *testing.T, s engine.Store) {
	put(t, s, "a", "1", "b", "2", "c", "3")
	want := []pair{{"a", "one"}, {"c", "3"}, {"d", "4"}}
	mustUpdate(t, s, func(tx engine.Tx) error {
		if err := putAll(tx, "a", "first", "a", "one", "d", "4", "e", "5"); err != nil {
			return err
		}
		for _, key := range []string{"b", "e"} {
			if err := tx.Delete(b(key)); err != nil {
				return err
			}
		}
		values, err := tx.Get(b("a"), b("b"), b("c"), b("d"), b("e"))
		if err != nil {
			return err
		}
		if diff := cmp.Diff([][]byte{b("one"), nil, b("3"), b("4"), nil}, values); diff != "" {
			t.Errorf("values inside (-want +got):\n%s", diff)
		}
		got, err := scanAll(tx)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("records inside (-want +got):\n%s", diff)
		}
		return err
	})
	if diff := cmp.Diff(want, dump(t, s)); diff != "" {
		t.Errorf("records after (-want +got):\n%s", diff)
	}
}

func durable(t *testing.T, s engine.Store) {
	for i := range 50 {
		key := fmt.Sprint("key ", i)
		put(t, s, key, "x")
		mustView(t, s, func(tx engine.Tx) error {
			_, ok, err := getOne(tx, key)
			if !ok {
				t.Errorf("%s is absent after its update returned", key)
			}
			return err
		})
	}
}

func rollBack(t *testing.T, s engine.Store) {
	put(t, s, "changed", "before", "deleted", "before", "twice", "before")
	want := dump(t, s)
	errWanted := errors.New("wanted")
	err := s.Update(context.Background(), func(tx engine.Tx) error {
		if err := putAll(tx, "changed", "after", "new", "after", "twice", "once", "twice", "again"); err != nil {
			return err
		}
		for _, key := range []string{"deleted", "new", "twice"} {
			if err := tx.Delete(b(key)); err != nil {
				return err
			}
		}
		if err := putAll(tx, "new", "back", "twice", "back"); err != nil {
			return err
		}
		return fmt.Errorf("wrap: %w", errWanted)
	})
	if !errors.Is(err, errWanted) {
		t.Errorf("update returned %v, want the error of fn", err)
	}
	if diff := cmp.Diff(want, dump(t, s)); diff != "" {
		t.Errorf("records after a failed update (-want +got):\n%s", diff)
	}
	if err := s.View(context.Background(), func(engine.Tx) error { return errWanted }); !errors.Is(err, errWanted) {
		t.Errorf("view returned %v, want the error of fn", err)
	}
}

func failedPut(t *testing.T, s engine.Store) {
	mustUpdate(t, s, func(tx engine.Tx) error {
		if err := putAll(tx, "before", "1"); err != nil {
			return err
		}
		if err := tx.Put(nil, b("x")); err == nil {
			t.Error("no error from a put without a key")
		}
		return putAll(tx, "after", "2")
	})
	if diff := cmp.Diff([]pair{{"after", "2"}, {"before", "1"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func readOnly(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	mustView(t, s, func(tx engine.Tx) error {
		if err := tx.Put(b("a"), b("2")); err == nil {
			t.Error("put in a view: no error")
		}
		if err := tx.Delete(b("a")); err == nil {
			t.Error("delete in a view: no error")
		}
		if err := tx.Delete(b("absent")); err == nil {
			t.Error("delete of an absent key in a view: no error")
		}
		return nil
	})
	if diff := cmp.Diff([]pair{{"a", "1"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func deleteAbsent(t *testing.T, s engine.Store) {
	put(t, s, "b", "1")
	mustUpdate(t, s, func(tx engine.Tx) error {
		for _, key := range []string{"a", "b\x00", "c"} {
			if err := tx.Delete(b(key)); err != nil {
				return err
			}
		}
		return nil
	})
	if diff := cmp.Diff([]pair{{"b", "1"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func changedInput(t *testing.T, s engine.Store) {
	key, value := b("key"), b("value")
	mustUpdate(t, s, func(tx engine.Tx) error {
		copy(key, "key")
		copy(value, "value")
		// As late as fn can: a store that still looks at them reads these.
		defer copy(key, "???")
		defer copy(value, "?????")
		return tx.Put(key, value)
	})
	if diff := cmp.Diff([]pair{{"key", "value"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// panicsWith returns what fn panics with.
func panicsWith(fn func()) (reason any) {
	defer func() { reason = recover() }()
	fn()
	return nil
}

func panicInUpdate(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	reason := panicsWith(func() {
		_ = s.Update(context.Background(), func(tx engine.Tx) error {
			if err := putAll(tx, "a", "2", "b", "2"); err != nil {
				return err
			}
			panic("boom")
		})
	})
	if reason != "boom" {
		t.Errorf("update panicked with %v, want what fn panicked with", reason)
	}
	put(t, s, "c", "3")
	if diff := cmp.Diff([]pair{{"a", "1"}, {"c", "3"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func panicInView(t *testing.T, s engine.Store) {
	reason := panicsWith(func() {
		_ = s.View(context.Background(), func(engine.Tx) error { panic("boom") })
	})
	if reason != "boom" {
		t.Errorf("view panicked with %v, want what fn panicked with", reason)
	}
	put(t, s, "c", "3")
	if diff := cmp.Diff([]pair{{"c", "3"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// goexit is what t.FailNow does inside fn.
func goexit(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	for _, do := range []func(context.Context, func(engine.Tx) error) error{s.Update, s.View} {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = do(context.Background(), func(tx engine.Tx) error {
				_ = tx.Put(b("a"), b("2")) // an error in the View, which is fine here
				runtime.Goexit()
				return nil
			})
		}()
		<-ended
	}
	put(t, s, "c", "3")
	if diff := cmp.Diff([]pair{{"a", "1"}, {"c", "3"}}, dump(t, s)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
