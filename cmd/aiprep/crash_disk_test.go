package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"aiprep/content"
	"aiprep/engine"
)

// fullDisk is a store whose commits fail while it is full: what fn did is gone,
// as it is when the process dies a moment before its commit.
type fullDisk struct {
	engine.Store
	full   atomic.Bool
	failed atomic.Int64
}

var errFullDisk = errors.New("the disk is full")

func (d *fullDisk) Update(ctx context.Context, fn func(engine.Tx) error) error {
	return d.Store.Update(ctx, func(tx engine.Tx) error {
		err := fn(tx)
		if err == nil && d.full.Load() {
			d.failed.Add(1)
			err = errFullDisk
		}
		return err
	})
}

// Whoever hears a verdict has an answer in the store: one whose commit fails is
// told nothing, and can be given again.
func TestNothingIsToldThatIsNotStored(t *testing.T) {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	store, err := openStore(t.Context(), StoreConfig{File: filepath.Join(storeDir(t), "aiprep.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	disk := &fullDisk{Store: store}
	e, err := engine.New(t.Context(), engine.Config{Store: disk, Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []stage{newTelegramStage(t), newDiscordStage(t)} {
		t.Run(s.name(), func(t *testing.T) { testNothingIsTold(t, s, e, disk) })
	}
}

func testNothingIsTold(t *testing.T, s stage, e *engine.Engine, disk *fullDisk) {
	place := s.open(t) // before the bot runs: it is ready when it has heard of it
	ctx, stop := context.WithCancel(t.Context())
	b, ended := s.bot(t, e, time.Now), make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	defer func() {
		disk.full.Store(false)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-b.Ready():
	case <-soon(t).Done():
		t.Fatal("the bot is not ready")
	}
	setUp(t, e, place)
	if err := e.Advance(ctx, map[string]engine.Poster{s.name(): b}, time.Now()); err != nil {
		t.Fatal(err)
	}
	l := ledger{T: t, answers: map[question]*answered{}}
	vote := func(letter int) *press {
		ch := s.challenges(place)[0]
		p, err := s.vote(1, ch, ch.letters[letter])
		if err != nil {
			t.Fatal(err)
		}
		l.add(p)
		return p
	}
	disk.full.Store(true)
	before := disk.failed.Load()
	p := vote(0)
	// The answer failed, and so did setting it aside; or something was said.
	waitFor(t, "the failure", func() bool {
		_, heard := p.heard()
		return heard || disk.failed.Load() >= before+2
	})
	if text, _ := p.heard(); verdictTitle.MatchString(text) {
		t.Errorf("told %q of an answer that is not stored", text)
	}
	disk.full.Store(false)
	text, err := vote(1).wait(soon(t))
	if err != nil || !verdictTitle.MatchString(text) {
		t.Errorf("the disk has room again: %q, %v", text, err)
	}
	waitFor(t, "the first press", func() bool { _, heard := p.heard(); return heard })
	l.settle()
	if text, err := s.stats(soon(t), 1); err != nil || !says(statsLine, text, []string{"1", right(&l)}) {
		t.Errorf("the bot says %q, %v", text, err)
	}
}

// right is how many right answers everybody was told of.
func right(l *ledger) string {
	for _, a := range l.answers {
		if a.right {
			return "1"
		}
	}
	return "0"
}
