package boltstore_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"aiprep/engine"
	"aiprep/engine/boltstore"
)

const (
	benchPeople = 20_000
	benchItems  = 1_000
	valueBytes  = 80
)

// benchKey is a person's or item's key as the engine lays them out: all of
// one person side by side.
func benchKey(kind byte, id uint64, part string) []byte {
	key := append(make([]byte, 0, 32), kind, '/')
	key = binary.BigEndian.AppendUint64(key, id*0x9E3779B97F4A7C15) // spread like random ids
	return append(append(key, '/'), part...)
}

// kv is what the answer transaction needs of a store; *bolt.Bucket has it.
type kv interface {
	Get(key []byte) []byte
	Put(key, value []byte) error
}

// txKV makes an engine.Tx look like a *bolt.Bucket.
type txKV struct{ engine.Tx }

func (t txKV) Get(key []byte) []byte {
	values, err := t.Tx.Get(key)
	if err != nil {
		return nil
	}
	return values[0]
}

// answerKeys are the keys of one answer: read the first three, write the
// first two and the last three (four values and an event).
func answerKeys(person, item, event uint64) [6][]byte {
	return [6][]byte{
		benchKey('p', person, "user"), benchKey('p', person, "streak"), benchKey('i', item, "item"),
		benchKey('p', person, "review"), benchKey('p', person, "day"),
		binary.BigEndian.AppendUint64(benchKey('p', person, "answer/"), event),
	}
}

func answer(s kv, keys [6][]byte, value []byte) error {
	for _, key := range keys[:3] {
		if s.Get(key) == nil {
			return fmt.Errorf("%q is absent", key)
		}
	}
	for _, i := range []int{0, 1, 3, 4, 5} {
		if err := s.Put(keys[i], value); err != nil {
			return err
		}
	}
	return nil
}

func fill(s kv) error {
	value := make([]byte, valueBytes)
	for id := range uint64(benchPeople) {
		for _, part := range []string{"user", "streak"} {
			if err := s.Put(benchKey('p', id, part), value); err != nil {
				return err
			}
		}
	}
	for id := range uint64(benchItems) {
		if err := s.Put(benchKey('i', id, "item"), value); err != nil {
			return err
		}
	}
	return nil
}

// bareGroup is the least a group commit can be: no isolation of failures, no
// cancellation, no copies. It is what Store is measured against.
type bareGroup struct {
	db    *bolt.DB
	queue chan bareCall
}

type bareCall struct {
	fn   func(*bolt.Tx) error
	done chan error
}

func (g bareGroup) run() {
	for first := range g.queue {
		group := []bareCall{first}
		err := g.db.Update(func(btx *bolt.Tx) error {
			for i := 0; i < len(group); i++ {
				if err := group[i].fn(btx); err != nil {
					return err
				}
				select {
				case c := <-g.queue:
					group = append(group, c)
				default:
				}
			}
			return nil
		})
		for _, c := range group {
			c.done <- err
		}
	}
}

func (g bareGroup) update(fn func(*bolt.Tx) error) error {
	c := bareCall{fn, make(chan error, 1)}
	g.queue <- c
	return <-c.done
}

func BenchmarkAnswer(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("store/%d", writers), func(b *testing.B) { benchStore(b, writers) })
		b.Run(fmt.Sprintf("bare-group/%d", writers), func(b *testing.B) {
			db := openBare(b)
			g := bareGroup{db, make(chan bareCall, 256)}
			go g.run()
			defer close(g.queue)
			benchBare(b, writers, g.update)
		})
		b.Run(fmt.Sprintf("db.Update/%d", writers), func(b *testing.B) { benchBare(b, writers, openBare(b).Update) })
		b.Run(fmt.Sprintf("db.Batch/%d", writers), func(b *testing.B) { benchBare(b, writers, openBare(b).Batch) })
	}
}

func benchStore(b *testing.B, writers int) {
	s := openTemp(b, boltstore.Options{})
	ctx := context.Background()
	if err := s.Update(ctx, func(tx engine.Tx) error { return fill(txKV{tx}) }); err != nil {
		b.Fatal(err)
	}
	hammer(b, writers, func(keys [6][]byte, value []byte) error {
		return s.Update(ctx, func(tx engine.Tx) error { return answer(txKV{tx}, keys, value) })
	})
}

func openBare(b *testing.B) *bolt.DB {
	db, err := bolt.Open(filepath.Join(b.TempDir(), "bare.db"), 0o600, &bolt.Options{
		FreelistType: bolt.FreelistMapType, NoFreelistSync: true, InitialMmapSize: 1 << 30,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	err = db.Update(func(btx *bolt.Tx) error {
		kv, err := btx.CreateBucket([]byte("kv"))
		if err != nil {
			return err
		}
		return fill(kv)
	})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

func benchBare(b *testing.B, writers int, update func(func(*bolt.Tx) error) error) {
	hammer(b, writers, func(keys [6][]byte, value []byte) error {
		return update(func(btx *bolt.Tx) error { return answer(btx.Bucket([]byte("kv")), keys, value) })
	})
}

// hammer divides b.N answers among writers and reports the rate and how long
// one writer waits.
func hammer(b *testing.B, writers int, do func(keys [6][]byte, value []byte) error) {
	var next atomic.Int64
	took := make([]time.Duration, b.N)
	var all sync.WaitGroup
	b.ResetTimer()
	for w := range writers {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		all.Go(func() {
			value := make([]byte, valueBytes)
			for {
				i := next.Add(1) - 1
				if i >= int64(b.N) {
					return
				}
				start := time.Now()
				keys := answerKeys(random.Uint64N(benchPeople), random.Uint64N(benchItems), uint64(i))
				if err := do(keys, value); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds()), "p99-µs")
}
