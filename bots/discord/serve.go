package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"aiprep/bots"
	"aiprep/content"
	"aiprep/engine"
)

// Bounds of what is going on at once, and how long the engine has before a first
// word is due without it.
const (
	mostServed  = 512
	seenEvents  = 10_000
	ackWithin   = 1500 * time.Millisecond // of the 3 s that Discord gives
	wordWithin  = 2 * time.Second         // for one try at a first word
	setAsideFor = 5 * time.Second
)

// accept takes an interaction in. It is called in the order of arrival and does
// not wait. word, if not nil, takes the first word on it. It returns false when
// nobody will serve it: it came twice, or there are too many.
func (b *Bot) accept(raw json.RawMessage, word *firstWord) bool {
	ev, bad := receive(raw)
	ev.word = word
	ev.in.Owns = b.owned(ev.owned, ev.in.From.ID)
	if ev.in.ID != "" && !b.seen.add(ev.in.ID) {
		b.count("update", platform, "again")
		return false
	}
	if bad != nil {
		return b.enter(func() { b.refuse(ev, raw, bad) })
	}
	turn, leave := b.lanes.enter(ev.in.From.ID + " " + ev.in.In.Chat)
	if !b.enter(func() {
		defer leave()
		b.serve(ev, raw, turn)
	}) {
		leave()
		return false
	}
	return true
}

// enter runs a job beside others. It returns false, and forgets the job, when
// there are too many.
func (b *Bot) enter(job func()) bool {
	select {
	case b.slots <- struct{}{}:
	default:
		b.count("update", platform, "crowded")
		return false
	}
	b.work.Go(func() {
		defer func() { <-b.slots }()
		defer b.survive()
		job()
	})
	return true
}

// outcome is what the engine said to an event.
type outcome struct {
	ev    event
	reply engine.Reply
	err   error
}

// serve answers one interaction: when its turn comes, by what the engine says,
// and before Discord gives up on us by a promise.
func (b *Bot) serve(ev event, raw []byte, turn *turn) {
	ctx, cancel := context.WithTimeout(b.life, answerWithin)
	defer cancel()
	switch ev.kind {
	case completing:
		b.suggest(ctx, ev)
		return
	case opening:
		b.open(ctx, ev)
		return
	}
	said := make(chan outcome, 1)
	go func() { said <- b.ask(ctx, ev, turn) }()
	due := time.NewTimer(b.ackWithin)
	defer due.Stop()
	var made promise
	var o outcome
	select {
	case o = <-said:
	case <-due.C:
		var err error
		if made, err = b.hold(ctx, ev); err != nil {
			made = promise{}
		}
		o = <-said
	}
	if o.err != nil && b.life.Err() == nil {
		b.setAside(o.ev, raw, o.err)
		o.reply = b.sorry(o.ev)
	}
	if o.err == nil {
		b.count("update", platform, "ok")
	}
	b.show(ctx, o.ev, o.reply, made)
}

// sorry is what a person is told when their doing failed.
func (b *Bot) sorry(ev event) engine.Reply {
	return engine.Reply{Whisper: &engine.Message{Text: content.Plain(b.engine.Hint(engine.HintFailed, ev.in.Locale))}}
}

// refuse keeps an interaction that cannot be read, and says so to the person if
// there is a way to.
func (b *Bot) refuse(ev event, raw []byte, why error) {
	b.setAside(ev, raw, why)
	if ev.in.ID == "" || ev.token == "" || ev.kind == completing {
		return
	}
	ctx, cancel := context.WithTimeout(b.life, answerWithin)
	defer cancel()
	ev.pressed = false
	b.show(ctx, ev, b.sorry(ev), promise{})
}

// ask gives an event to the engine and waits only so long. An engine that does
// not heed its context is left behind; should it come to an end after all, what
// it did is committed and a repetition changes nothing.
func (b *Bot) ask(ctx context.Context, ev event, turn *turn) outcome {
	if err := turn.wait(ctx); err != nil {
		return outcome{ev: ev, err: fmt.Errorf("wait for the one before: %w", err)}
	}
	ctx, cancel := context.WithTimeout(b.life, b.within)
	defer cancel()
	done := make(chan outcome, 1)
	o := outcome{ev: ev}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				o.err = b.panicked(p)
			}
			done <- o
		}()
		if o.err = b.resolve(ctx, &o.ev); o.err == nil {
			o.reply, o.err = engine.Answer(ctx, b.engine, o.ev.in, b.look)
		}
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
		return outcome{ev: ev, err: fmt.Errorf("wait for the engine: %w", ctx.Err())}
	}
}

// happen tells the engine what became of a server.
func (b *Bot) happen(verb, server string, raw []byte) {
	turn, leave := b.lanes.enter("server " + server)
	ev := event{in: engine.Input{
		ID: verb + "-" + server, At: b.now(), Late: true, Event: true, Verb: verb,
		From: engine.User{Platform: platform}, In: engine.Place{Platform: platform, Server: server},
	}}
	if !b.enter(func() {
		defer leave()
		o := b.ask(b.life, ev, turn)
		switch {
		case o.err == nil:
			b.count("update", platform, "ok")
		case b.life.Err() == nil:
			b.setAside(ev, raw, o.err)
		}
	}) {
		leave()
	}
}

// survive is deferred where a panic may cost one answer but not the process.
func (b *Bot) survive() {
	if p := recover(); p != nil {
		_ = b.panicked(p) // logged there
	}
}

// panicked counts and logs a panic.
func (b *Bot) panicked(p any) error {
	b.count("update", platform, "panic")
	return bots.Panicked(b.log, p)
}

// setAside keeps an event for the operator, without the token with which anybody
// could answer it.
func (b *Bot) setAside(ev event, raw []byte, why error) {
	ctx, cancel := context.WithTimeout(b.life, setAsideFor)
	defer cancel()
	kept := string(raw)
	if ev.token != "" {
		kept = strings.ReplaceAll(kept, ev.token, "***")
	}
	reason := b.redact(why.Error())
	if err := b.engine.SetAside(ctx, platform, ev.in.ID, b.now(), []byte(kept), reason); err != nil {
		b.count("update", platform, "error")
		b.log.Error("event neither handled nor set aside", "id", ev.in.ID, "err", err, "reason", reason)
		return
	}
	b.count("update", platform, "aside")
}
