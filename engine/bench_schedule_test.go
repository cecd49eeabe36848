package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// BenchmarkSchedule measures what one due post costs, from finding it to its
// record, among so many servers whose posts are spread over the day: a claim, a
// platform that answers at once, a record, the next occurrence. AIPREP_CHATS adds
// a number of servers; a million take some minutes to set up.
//
//	AIPREP_CHATS=1000000 go test ./engine -run '^$' -bench Schedule -benchtime 5000x -timeout 60m
func BenchmarkSchedule(outer *testing.B) {
	sizes := []int{1_000, 10_000, 100_000}
	if n, err := strconv.Atoi(os.Getenv("AIPREP_CHATS")); err == nil {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		var e *engine.Engine // set up once, however often the bench is run
		at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
		outer.Run(fmt.Sprint(n), func(b *testing.B) {
			if e == nil {
				e = manyServers(b, outer.Cleanup, n, at)
			}
			b.ResetTimer()
			for post := (&counting{}); post.n < b.N; at = at.Add(time.Minute) {
				if err := e.Advance(b.Context(), map[string]engine.Poster{"test": post}, at); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// manyServers sets up n servers, the k-th at minute k of the day. cleanup is told
// how to remove them.
func manyServers(b *testing.B, cleanup func(func()), n int, at time.Time) *engine.Engine {
	b.Helper()
	dir, err := os.MkdirTemp("", "schedule")
	if err != nil {
		b.Fatal(err)
	}
	store, err := boltstore.Open(filepath.Join(dir, "bench.db"), boltstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	cleanup(func() {
		store.Close()
		os.RemoveAll(dir)
	})
	e, err := engine.New(b.Context(), engine.Config{Store: store, Bank: contenttest.Bank()})
	if err != nil {
		b.Fatal(err)
	}
	inParallelN(b, 256, n, func(k int) error {
		_, err := e.Handle(context.Background(), engine.Input{
			ID: fmt.Sprint("setup", k), At: at.Add(-time.Minute), Admin: true, Verb: "setup",
			Args: []string{fmt.Sprintf("time=%02d:%02d", k/60%24, k%60), "zone=UTC"},
			From: engine.User{Platform: "test", ID: fmt.Sprint("admin", k)}, In: benchServer(k),
		})
		return err
	})
	return e
}

// counting is a Poster that counts.
type counting struct{ n int }

func (p *counting) Post(context.Context, engine.Delivery) (engine.Receipt, error) {
	p.n++
	return engine.Receipt{Ref: engine.Ref(fmt.Sprint("m", p.n))}, nil
}

func (p *counting) Edit(context.Context, engine.Place, engine.Ref, engine.Message) error { return nil }
