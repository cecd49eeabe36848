package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aiprep/engine"
)

// fillWriters answer side by side, so that they share commits.
const fillWriters = 256

// nowhere is a platform that serve does not know: nothing of it is posted later.
const nowhere = "nowhere"

// fill makes a store in which so many people have answered so many challenges, in
// so many servers, through the engine and at its own speed.
func fill(ctx context.Context, p plan, out io.Writer) (err error) {
	e, closing, err := openEngine(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	first := time.Now().UTC().Truncate(time.Minute).Add(-time.Hour - time.Duration(p.days-1)*24*time.Hour)
	begun := time.Now()
	err = inParallel(p.servers, func(n int) error {
		_, err := e.Handle(ctx, engine.Input{
			ID: "setup", At: first.Add(-time.Minute), Admin: true, Verb: "setup",
			Args: []string{"time=" + first.Format("15:04"), "zone=UTC", "days=Mon,Tue,Wed,Thu,Fri,Sat,Sun"},
			From: engine.User{Platform: nowhere, ID: fmt.Sprint("admin", n)}, In: filled(n),
		})
		return err
	})
	for day := 0; day < p.days && err == nil; day++ {
		at := first.Add(time.Duration(day) * 24 * time.Hour)
		tokens := &tokens{of: map[string]string{}}
		if err = e.Advance(ctx, map[string]engine.Poster{nowhere: tokens}, at); err != nil {
			return err
		}
		err = inParallel(p.fill, func(n int) error {
			place := filled(n % p.servers)
			_, err := e.Handle(ctx, engine.Input{
				ID: fmt.Sprint(day, "-", n), At: at.Add(time.Minute), Verb: "vote", Args: []string{tokens.of[place.Server], "abc"[n%3 : n%3+1]},
				From: engine.User{Platform: nowhere, ID: fmt.Sprint("person", n), Name: fmt.Sprint("Person ", n)}, In: place, On: "m1",
			})
			return err
		})
		fmt.Fprintf(out, "day %d of %d, after %v\n", day+1, p.days, time.Since(begun).Round(time.Second))
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(p.store, "aiprep.db"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d people in %d servers, %d answers: %d MiB\n", p.fill, p.servers, p.fill*p.days, info.Size()>>20)
	return nil
}

func filled(n int) engine.Place {
	id := fmt.Sprint("server", n)
	return engine.Place{Platform: nowhere, Server: id, Chat: id}
}

// inParallel does n things, and stops at the first error.
func inParallel(n int, do func(n int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	for range fillWriters {
		all.Go(func() {
			for k := int(next.Add(1)) - 1; k < n && failed.Load() == nil; k = int(next.Add(1)) - 1 {
				if err := do(k); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// tokens is a Poster that notes the token in each challenge's buttons.
type tokens struct{ of map[string]string }

func (p *tokens) Post(_ context.Context, d engine.Delivery) (engine.Receipt, error) {
	if len(d.Message.Buttons) > 0 {
		if f := strings.Fields(d.Message.Buttons[0][0].Action); len(f) > 1 && f[0] == "vote" {
			p.of[d.To.Server] = f[1]
		}
	}
	return engine.Receipt{Ref: "m1"}, nil
}

func (p *tokens) Edit(context.Context, engine.Place, engine.Ref, engine.Message) error { return nil }
