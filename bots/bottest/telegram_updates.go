package bottest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// maxPoll is the longest wait of getUpdates; a longer timeout is cut to it
// (tdlib/telegram-bot-api, LONG_POLL_MAX_TIMEOUT).
const maxPoll = 50

func conflict(desc string) *tgError {
	return &tgError{code: http.StatusConflict, desc: "Conflict: " + desc}
}

// getUpdates is https://core.telegram.org/bots/api#getupdates.
func (t *Telegram) getUpdates(c *tgCall) (any, *tgError) {
	offset, limit, timeout, fail := pollNumbers(c)
	if fail != nil {
		return nil, fail
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hook != nil {
		return nil, conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	if fail := t.setAllowed(c); fail != nil {
		return nil, fail
	}
	q := &t.queue
	// The older poller is the one that gets the conflict.
	q.throwOut("terminated by other getUpdates request; make sure that only one bot instance is running")
	kicked := make(chan string, 1)
	q.poll = kicked
	t.touch() // somebody may wait for the bot to poll
	defer func() {
		if q.poll == kicked {
			q.poll = nil
		}
		q.lastEnd = t.opts.Now()
	}()
	limit, timeout = t.slowRepeat(offset, limit, timeout)
	deadline := time.NewTimer(time.Duration(timeout) * time.Second)
	defer deadline.Stop()
	for {
		before := len(q.list)
		batch := q.batch(offset, limit, t.now())
		if len(q.list) != before {
			t.touch() // somebody may wait for what the offset acknowledged
		}
		if len(batch) > 0 || timeout == 0 {
			return rawUpdates(batch), nil
		}
		offset = max(offset, 0) // a negative one counts once
		over, fail := t.pause(c.req.Context(), kicked, deadline.C)
		if fail != nil {
			return nil, fail
		}
		if over {
			return rawUpdates(q.batch(offset, limit, t.now())), nil
		}
	}
}

// pause gives up t.mu until something changed; over says that the wait ended.
func (t *Telegram) pause(ctx context.Context, kicked chan string, deadline <-chan time.Time) (over bool, fail *tgError) {
	changed := t.changed
	t.mu.Unlock()
	defer t.mu.Lock()
	select {
	case <-changed:
		// A change and a conflict may come together; the conflict wins.
		select {
		case why := <-kicked:
			return false, conflict(why)
		default:
			return false, nil
		}
	case why := <-kicked:
		return false, conflict(why)
	case <-deadline:
		return true, nil
	case <-ctx.Done():
		// Nobody reads the answer: give out nothing, so nothing counts as delivered.
		return false, &tgError{code: 499, desc: "client gone"}
	case <-t.done:
		return false, &tgError{code: http.StatusInternalServerError, desc: "Internal Server Error: restart"}
	}
}

// throwOut ends the waiting poll, if there is one, with a conflict.
func (q *tgQueue) throwOut(why string) {
	if q.poll != nil {
		q.poll <- why
		q.poll = nil
	}
}

func pollNumbers(c *tgCall) (offset int64, limit, timeout int, fail *tgError) {
	if offset, fail = c.integer("offset"); fail != nil {
		return
	}
	if limit, fail = c.small("limit"); fail != nil {
		return
	}
	if timeout, fail = c.small("timeout"); fail != nil {
		return
	}
	if c.has("limit") && (limit < 1 || limit > 100) {
		fail = violation("limit must be 1-100, got %d", limit)
		return
	}
	if limit == 0 {
		limit = 100
	}
	timeout = min(max(timeout, 0), maxPoll)
	return
}

// slowRepeat is what TelegramOptions.SlowRepeats switches on.
func (t *Telegram) slowRepeat(offset int64, limit, timeout int) (int, int) {
	q, now := &t.queue, t.opts.Now()
	if t.opts.SlowRepeats && offset == q.lastOffset {
		if timeout < 3 && now.Before(q.lastStart.Add(3*time.Second)) {
			timeout = 3
		}
		if now.Before(q.lastEnd.Add(500 * time.Millisecond)) {
			limit = 1
		}
	}
	q.lastOffset, q.lastStart = offset, now
	return limit, timeout
}

// setAllowed keeps allowed_updates when the request has it.
func (t *Telegram) setAllowed(c *tgCall) *tgError {
	var list []string
	given, fail := c.object("allowed_updates", &list)
	if fail != nil || !given {
		return fail
	}
	for _, kind := range list {
		if t.api != nil && t.api.types["Update"].byName[kind] == nil || strings.TrimSpace(kind) == "" {
			return violation("allowed_updates: %q is no kind of update", kind)
		}
	}
	t.queue.allowed = list
	return nil
}

func rawUpdates(batch []*tgUpdate) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(batch))
	for _, u := range batch {
		out = append(out, u.body)
	}
	return out
}

// Polling reports whether a getUpdates request waits for updates now.
func (t *Telegram) Polling() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue.poll != nil
}

// Acknowledged waits until the bot has taken and acknowledged every update: with
// getUpdates its offset is past them, with a webhook each got a 2xx.
func (t *Telegram) Acknowledged(ctx context.Context) error {
	return t.Wait(ctx, "every update to be acknowledged", func() bool { return t.Pending() == 0 })
}

// Polled waits until an update with this id or a later one is acknowledged.
func (t *Telegram) Polled(ctx context.Context, id int64) error {
	return t.Wait(ctx, fmt.Sprintf("update %d to be acknowledged", id), func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, u := range t.queue.list {
			if u.id <= id {
				return false
			}
		}
		return true
	})
}
