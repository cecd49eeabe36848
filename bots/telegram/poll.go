package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/bots"
	"aiprep/engine"
)

// How updates are asked for. Telegram waits at most 50 s for the first update;
// proxies on the way cut connections that are silent for a minute.
const (
	pollFor     = 40 * time.Second
	pollSlack   = 15 * time.Second
	batchLimit  = 100
	unfinished  = time.Second // the store is in trouble: do not spin
	setAsideFor = 5 * time.Second
)

// pollParams are those of https://core.telegram.org/bots/api#getupdates.
// AllowedUpdates is always sent: Telegram remembers an earlier list.
type pollParams struct {
	Offset  int64    `json:"offset,omitempty"`
	Limit   int      `json:"limit"`
	Timeout int      `json:"timeout"`
	Allowed []string `json:"allowed_updates"`
}

func (b *Bot) getUpdates(ctx context.Context, offset int64, limit int, wait time.Duration) ([]json.RawMessage, error) {
	result, err := b.get(ctx, wait+pollSlack, "getUpdates", pollParams{
		Offset: offset, Limit: limit, Timeout: int(wait / time.Second), Allowed: allowedUpdates(),
	})
	if err != nil {
		return nil, err
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(result, &batch); err != nil {
		return nil, fmt.Errorf("decode updates: %w", err)
	}
	return batch, nil
}

// intake takes updates in until ctx ends. The offset moves over an update only
// when it was handled, and what it did was committed, or when it was set aside.
func (b *Bot) intake(ctx context.Context) error {
	var offset int64
	var wait time.Duration // none until what had piled up is done
	trouble := troubles{bot: b, fine: true}
	for ctx.Err() == nil {
		if offset == 0 && wait == 0 { // a webhook of an earlier configuration
			if err := b.dropWebhook(ctx); err != nil && ctx.Err() == nil {
				pause, fatal := trouble.with(err)
				if fatal != nil {
					return fatal
				}
				sleep(ctx, pause)
				continue
			}
		}
		batch, err := b.getUpdates(ctx, offset, batchLimit, wait)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			pause, fatal := trouble.with(err)
			if fatal != nil {
				return fatal
			}
			sleep(ctx, pause)
			continue
		}
		trouble.over()
		b.checkouts(batch)
		var all bool
		b.watching(ctx, offset, func() {
			b.outbox.room(ctx)
			offset, all = b.handle(batch, offset)
		})
		switch {
		case !all:
			sleep(ctx, unfinished)
		case wait == 0 && len(batch) < batchLimit:
			wait = pollFor
			close(b.ready)
		}
	}
	// Say what was done with, so that it does not come again; this asks for one
	// update, which the next start will ask for again.
	if offset != 0 && b.life.Err() == nil {
		if _, err := b.getUpdates(b.life, offset, 1, 0); err != nil {
			b.log.Warn("last updates not acknowledged: they will come again", "err", err)
		}
	}
	return nil
}

// item is one update of a batch.
type item struct {
	raw  json.RawMessage
	u    update
	bad  error // it could not be decoded
	ev   event
	done bool
}

// handle handles a batch: presses first, for Telegram forgets them after 150
// seconds, then all else; each chat's, or presser's, in order, and all of them
// side by side. It returns the next offset and whether every update is done
// with.
func (b *Bot) handle(batch []json.RawMessage, offset int64) (next int64, all bool) {
	now := b.now()
	items := make([]*item, 0, len(batch))
	var presses, rest []*item
	for _, raw := range batch {
		it := b.decode(raw, now)
		items = append(items, it)
		switch {
		case it.u.ID != 0 && b.seen.has(it.u.ID):
			it.done = true
			b.count("update", platform, "again")
		case it.ev.query != "":
			presses = append(presses, it)
		default:
			rest = append(rest, it)
		}
	}
	b.inOrder(presses, func(it *item) string { return it.ev.in.From.ID + " " + it.ev.in.In.Chat }, now)
	b.inOrder(rest, func(it *item) string { return it.ev.in.In.Chat }, now)
	next, all = offset, len(items) == 0
	for _, it := range items {
		switch {
		case !it.done:
			return it.u.ID, false
		case it.u.ID != 0:
			next, all = it.u.ID+1, true
		}
	}
	return next, all
}

// decode reads one update alone, so that it can harm no other.
func (b *Bot) decode(raw json.RawMessage, now time.Time) *item {
	it := &item{raw: raw}
	if it.bad = json.Unmarshal(raw, &it.u); it.bad != nil {
		var id struct {
			ID int64 `json:"update_id"`
		}
		_ = json.Unmarshal(raw, &id) // whatever can be told of it
		it.u = update{ID: id.ID}
		return it
	}
	it.ev, it.bad = b.me.receive(it.u, now)
	return it
}

// inOrder does items with the same key one after the other and all others side
// by side. A batch bounds how many that are.
func (b *Bot) inOrder(items []*item, key func(*item) string, now time.Time) {
	lanes := map[string][]*item{}
	for _, it := range items {
		lanes[key(it)] = append(lanes[key(it)], it)
	}
	var work sync.WaitGroup
	for _, lane := range lanes {
		work.Go(func() {
			for _, it := range lane {
				if b.do(it, now); it.done {
					b.seen.add(it.u.ID)
				}
			}
		})
	}
	work.Wait()
}

// do handles one update. It is done with once it is committed or set aside;
// what is said about it is said in the background.
func (b *Bot) do(it *item, now time.Time) {
	defer b.survive()
	switch {
	case it.u.ID == 0: // nothing to know it by, so nothing to keep it under
		b.count("update", platform, "error")
		b.log.Error("update without an id dropped")
		it.done = true
	case it.bad != nil:
		if it.done = b.setAside(it, now, it.bad); it.done {
			b.sorry(it.ev)
		}
	case it.ev.in.Verb == "":
		it.done = true
		b.count("update", platform, "ignored")
		b.acknowledge(it.ev, engine.Reply{})
	default:
		b.command(it, now)
	}
}

// command gives one update to the engine.
func (b *Bot) command(it *item, now time.Time) {
	reply, err := b.ask(&it.ev)
	switch {
	case err == nil:
		it.done = true
		b.count("update", platform, "ok")
		b.show(it.ev, reply)
	case b.life.Err() != nil: // it comes again at the next start
	default:
		if it.done = b.setAside(it, now, err); it.done {
			b.sorry(it.ev)
		}
	}
}

// outcome is what the engine said.
type outcome struct {
	ev    event
	reply engine.Reply
	err   error
}

// ask gives an event to the engine and waits only so long. An
// engine that does not heed its context is left behind; should it come to an
// end after all, what it did is committed and a repetition changes nothing.
func (b *Bot) ask(ev *event) (engine.Reply, error) {
	ctx, cancel := context.WithTimeout(b.life, b.within)
	defer cancel()
	slow := time.AfterFunc(busyAfter, func() { b.typing(ctx, ev.here) })
	defer slow.Stop()
	done := make(chan outcome, 1)
	o := outcome{ev: *ev}
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
		*ev = o.ev
		return o.reply, o.err
	case <-ctx.Done():
		return engine.Reply{}, fmt.Errorf("wait for the engine: %w", ctx.Err())
	}
}

// busyAfter is how long a person waits before they are shown that the bot is at
// work.
const busyAfter = time.Second

// typing shows, for the moment, that an answer is on its way. Nobody needs it, so
// a failure is nobody's trouble.
func (b *Bot) typing(ctx context.Context, to address) {
	if to.Chat <= 0 { // in a group it would tell others who asked
		return
	}
	_, err := b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.SendChatAction(ctx, &tg.SendChatActionParams{ChatID: to.Chat, MessageThreadID: to.Thread, Action: models.ChatActionTyping})
		return err
	})
	if err != nil {
		b.log.Debug("not shown as typing", "err", err)
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

// setAside keeps an update for the operator. It returns false when that failed.
func (b *Bot) setAside(it *item, now time.Time, why error) bool {
	ctx, cancel := context.WithTimeout(b.life, setAsideFor)
	defer cancel()
	reason := b.hide(why.Error())
	id := fmt.Sprint(it.u.ID)
	if err := b.engine.SetAside(ctx, platform, id, now, it.raw, reason); err != nil {
		b.count("update", platform, "error")
		b.log.Error("update neither handled nor set aside, trying again", "id", id, "err", err, "reason", reason)
		return false
	}
	b.count("update", platform, "aside")
	return true
}
