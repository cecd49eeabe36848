package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/engine"
)

func isolationTests() []contractTest {
	return []contractTest{
		{"a view keeps its snapshot", snapshot},
		{"a view sees an update whole or not at all", whole},
		{"a view sees nothing of an update that runs", unfinished},
	}
}

func snapshot(t *testing.T, s engine.Store) {
	put(t, s, "a", "1", "b", "2", "c", "3")
	want := dump(t, s)
	mustView(t, s, func(tx engine.Tx) error {
		// The update runs elsewhere: one goroutine must not nest two.
		updated := make(chan error)
		go func() {
			updated <- s.Update(context.Background(), func(tx engine.Tx) error {
				if err := putAll(tx, "a", "changed", "d", "new"); err != nil {
					return err
				}
				return tx.Delete(b("b"))
			})
		}()
		if err := <-updated; err != nil {
			t.Errorf("update during a view: %v", err)
		}
		got, err := scanAll(tx)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
		return err
	})
	if diff := cmp.Diff([]pair{{"a", "changed"}, {"c", "3"}, {"d", "new"}}, dump(t, s)); diff != "" {
		t.Errorf("records afterwards (-want +got):\n%s", diff)
	}
}

// whole has one goroutine change records that belong together while others
// look whether they still do.
func whole(t *testing.T, s engine.Store) {
	const rounds, width = 100, 20
	set := func(n int) {
		mustUpdate(t, s, func(tx engine.Tx) error {
			for i := range width {
				if err := putAll(tx, fmt.Sprintf("k%02d", i), fmt.Sprint(n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	set(0)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for seen := ""; ; {
				select {
				case <-stop:
					return
				default:
				}
				err := s.View(context.Background(), func(tx engine.Tx) error {
					all, err := scanAll(tx)
					for _, p := range all {
						if p.Value != all[0].Value {
							t.Errorf("%s = %s beside %s = %s", p.Key, p.Value, all[0].Key, all[0].Value)
						}
					}
					if len(all) != width {
						t.Errorf("%d records, want %d", len(all), width)
					}
					seen = all[0].Value
					return err
				})
				if err != nil {
					t.Errorf("view after seeing %s: %v", seen, err)
					return
				}
			}
		})
	}
	for n := range rounds {
		set(n + 1)
	}
	close(stop)
	readers.Wait()
}

func unfinished(t *testing.T, s engine.Store) {
	put(t, s, "a", "1")
	mustUpdate(t, s, func(tx engine.Tx) error {
		if err := putAll(tx, "a", "2", "b", "2"); err != nil {
			return err
		}
		viewed := make(chan []pair)
		go func() {
			defer close(viewed)
			var all []pair
			err := s.View(context.Background(), func(tx engine.Tx) (err error) {
				all, err = scanAll(tx)
				return err
			})
			if err != nil {
				t.Errorf("view during an update: %v", err)
			}
			viewed <- all
		}()
		if diff := cmp.Diff([]pair{{"a", "1"}}, <-viewed); diff != "" {
			t.Errorf("a view during the update (-want +got):\n%s", diff)
		}
		return nil
	})
}
