package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

// BenchmarkAnswer measures answers a second, each durable before it is told:
// Engine.Handle, the same over an encrypted store, and beside them the bare store
// doing the same reads and writes on the same file, at 1, 16 and 256 writers.
//
//	go test ./engine -run '^$' -bench Answer -benchtime 3s
func BenchmarkAnswer(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("handle/%d", writers), func(b *testing.B) {
			w := newAnswerers(b, nil)
			b.ResetTimer()
			inParallel(b, writers, w.answer)
		})
		b.Run(fmt.Sprintf("encrypted/%d", writers), func(b *testing.B) {
			w := newAnswerers(b, make([]byte, seal.KeySize))
			b.ResetTimer()
			inParallel(b, writers, w.answer)
		})
		b.Run(fmt.Sprintf("bare/%d", writers), func(b *testing.B) {
			w := newAnswerers(b, nil)
			w.tape.on.Store(true)
			inParallel(b, writers, w.answer)
			w.tape.on.Store(false)
			b.ResetTimer()
			inParallel(b, writers, w.replay)
		})
	}
}

// inParallel does b.N things with so many goroutines, and reports the rate.
func inParallel(b *testing.B, writers int, do func(n int) error) {
	inParallelN(b, writers, b.N, do)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

// inParallelN does so many things with so many goroutines.
func inParallelN(b *testing.B, writers, things int, do func(n int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for n := next.Add(1) - 1; n < int64(things); n = next.Add(1) - 1 {
				if err := do(int(n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// answerers are people who each answer the open challenge of every server.
type answerers struct {
	e     *engine.Engine
	store engine.Store
	tape  *tape
	votes []string // by server: the token of its delivery
}

const (
	benchPeople  = 5000
	benchServers = 200
)

// newAnswerers sets them up over a store on disk, encrypted if there is a key.
func newAnswerers(b *testing.B, key []byte) *answerers {
	b.Helper()
	file, err := boltstore.Open(filepath.Join(b.TempDir(), "bench.db"), boltstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	store, err := seal.Open(b.Context(), file, key)
	if err != nil {
		b.Fatal(err)
	}
	w := &answerers{store: store, tape: &tape{Store: store}}
	w.e, err = engine.New(b.Context(), engine.Config{Store: w.tape, Bank: contenttest.Bank(), Secret: make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	post := &tokens{}
	at := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	for s := range benchServers {
		_, err := w.e.Handle(b.Context(), engine.Input{
			ID: "setup", At: at, Admin: true, Verb: "setup", Args: []string{"09:00"},
			From: engine.User{Platform: "test", ID: fmt.Sprint("admin", s)}, In: benchServer(s),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := w.e.Advance(b.Context(), map[string]engine.Poster{"test": post}, at.Add(time.Hour)); err != nil {
		b.Fatal(err)
	}
	for s := range benchServers {
		w.votes = append(w.votes, post.of[benchServer(s).Server])
	}
	return w
}

func benchServer(s int) engine.Place {
	id := fmt.Sprint("server", s)
	return engine.Place{Platform: "test", Server: id, Chat: id}
}

// answer is one press, by a person and in a server that n names.
func (w *answerers) answer(n int) error {
	server := n / benchPeople % benchServers
	r, err := w.e.Handle(context.Background(), engine.Input{
		ID: fmt.Sprint(n), At: time.Date(2026, 1, 5, 9, 0, 1, 0, time.UTC).Add(time.Duration(n/benchPeople) * time.Minute),
		From: engine.User{Platform: "test", ID: fmt.Sprint(n % benchPeople), Name: "Ann"},
		In:   benchServer(server), On: "m1", Verb: "vote", Args: []string{w.votes[server], "a"},
	})
	if err == nil && (r.Whisper == nil || r.Whisper.Title == "") {
		err = fmt.Errorf("answer %d was not counted: %+v", n, r.Whisper)
	}
	return err
}

// replay does to the bare store what answer n did.
func (w *answerers) replay(n int) error {
	tx := w.tape.at(n)
	return w.store.Update(context.Background(), func(t engine.Tx) error {
		for _, keys := range tx.gets {
			if _, err := t.Get(keys...); err != nil {
				return err
			}
		}
		for _, r := range tx.puts {
			if err := t.Put(r.Key, r.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// tokens is a Poster that notes the token in each delivery's buttons.
type tokens struct{ of map[string]string }

func (p *tokens) Post(_ context.Context, d engine.Delivery) (engine.Receipt, error) {
	if p.of == nil {
		p.of = map[string]string{}
	}
	p.of[d.To.Server] = strings.Fields(d.Message.Buttons[0][0].Action)[1]
	return engine.Receipt{Ref: "m1"}, nil
}

func (p *tokens) Edit(context.Context, engine.Place, engine.Ref, engine.Message) error { return nil }

// tape is a Store that records what its Updates read and write.
type tape struct {
	engine.Store
	on  atomic.Bool
	mu  sync.Mutex
	all []*recorded
}

type recorded struct {
	gets [][][]byte
	puts []engine.Record
}

func (s *tape) at(n int) *recorded { return s.all[n] }

func (s *tape) Update(ctx context.Context, fn func(engine.Tx) error) error {
	if !s.on.Load() {
		return s.Store.Update(ctx, fn)
	}
	var rec *recorded
	err := s.Store.Update(ctx, func(tx engine.Tx) error {
		rec = &recorded{}
		return fn(&recording{Tx: tx, to: rec})
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, rec)
	return err
}

type recording struct {
	engine.Tx
	to *recorded
}

func (t *recording) Get(keys ...[]byte) ([][]byte, error) {
	var copied [][]byte
	for _, k := range keys {
		copied = append(copied, bytes.Clone(k))
	}
	t.to.gets = append(t.to.gets, copied)
	return t.Tx.Get(keys...)
}

func (t *recording) Put(key, value []byte) error {
	t.to.puts = append(t.to.puts, engine.Record{Key: bytes.Clone(key), Value: bytes.Clone(value)})
	return t.Tx.Put(key, value)
}
