package telegram

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// How fast we send. Telegram publishes 30 messages a second in all, one a second
// to a chat with short bursts, and 20 a minute to a group
// (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
// A bucket lets its burst and what flows in through any window, so each pair adds
// up to a little less; for messages without a burst, since a rush of daily posts
// takes as long as the rate says.
const (
	perSecond, secondBurst    = 29.5, 1
	editsPerSecond, editBurst = 25, 4
	chatBurst                 = 3 // and one a second
	groupPerMinute            = 15
	groupBurst                = 5
)

// One chat's 429 stops that chat. Telegram does not say when it means the whole
// bot; that many chats at once is how it shows.
const (
	chatsThatMeanAll = 3
	alarmWindow      = 2 * time.Second
	longestAlarm     = 30 * time.Second // then we look again
)

// pace spreads what is sent. It lives by the machine's clock, as the limits do.
type pace struct {
	mu     sync.Mutex
	all    *rate.Limiter // new messages
	edits  *rate.Limiter // which have a line of their own: a press waits for no broadcast
	until  time.Time     // nothing at all is sent before
	chats  map[int64]*chatPace
	alarms map[int64]time.Time // the last 429 of each chat, while recent
	swept  time.Time
}

type chatPace struct {
	second, minute *rate.Limiter // minute is nil but for groups
	until, used    time.Time
}

func newPace() *pace {
	return &pace{
		all:    rate.NewLimiter(perSecond, secondBurst),
		edits:  rate.NewLimiter(editsPerSecond, editBurst),
		chats:  map[int64]*chatPace{},
		alarms: map[int64]time.Time{},
	}
}

// tooLong says that a message would have to wait longer than its sender can.
type tooLong struct{ Wait time.Duration }

func (e *tooLong) Error() string { return fmt.Sprintf("the chat's next turn is in %v", e.Wait) }

// wait returns when a message, or an edit, may go to chat, or at once with a
// *tooLong if that is more than most away.
func (p *pace) wait(ctx context.Context, chat int64, edit bool, most time.Duration) error {
	end := time.Now().Add(most)
	for {
		d, mine := p.turn(chat, edit, time.Until(end))
		if d <= 0 {
			return nil
		}
		if time.Now().Add(d).After(end) {
			return &tooLong{d}
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if mine {
			return nil
		}
	}
}

// turn returns how long to wait. If mine, a turn was reserved for then; else
// the chat, or all, must keep silent until then, or the turn is too far away.
func (p *pace) turn(chat int64, edit bool, most time.Duration) (d time.Duration, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.sweep(now)
	c := p.chat(chat, now)
	if d = max(p.until.Sub(now), c.until.Sub(now)); d > 0 {
		return d, false
	}
	var buckets []*rate.Limiter
	switch {
	case edit && chat > 0: // who presses in their own chat sets the pace of its edits
		buckets = []*rate.Limiter{p.edits}
	case edit:
		buckets = []*rate.Limiter{p.edits, c.second}
	case chat > 0:
		buckets = []*rate.Limiter{p.all, c.second}
	default:
		buckets = []*rate.Limiter{p.all, c.second, c.minute}
	}
	var taken []*rate.Reservation
	for _, b := range buckets {
		r := b.ReserveN(now, 1)
		taken = append(taken, r)
		d = max(d, r.DelayFrom(now))
	}
	if d > most {
		for _, r := range taken {
			r.CancelAt(now)
		}
		return d, false
	}
	return d, true
}

func (p *pace) chat(id int64, now time.Time) *chatPace {
	c := p.chats[id]
	if c == nil {
		c = &chatPace{second: rate.NewLimiter(1, chatBurst)}
		if id < 0 {
			c.minute = rate.NewLimiter(rate.Every(time.Minute/groupPerMinute), groupBurst)
		}
		p.chats[id] = c
	}
	c.used = now
	return c
}

// sweep forgets, once a minute, the chats whose buckets are full again.
func (p *pace) sweep(now time.Time) {
	if now.Sub(p.swept) < time.Minute {
		return
	}
	p.swept = now
	for id, c := range p.chats {
		if now.Sub(c.used) > 2*time.Minute && now.After(c.until) {
			delete(p.chats, id)
		}
	}
	for id, at := range p.alarms {
		if now.Sub(at) > alarmWindow {
			delete(p.alarms, id)
		}
	}
}

// hold obeys a 429 that a message to chat was answered with.
func (p *pace) hold(chat int64, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	c := p.chat(chat, now)
	if until := now.Add(after); until.After(c.until) {
		c.until = until
	}
	p.alarms[chat] = now
	n := 0
	for _, at := range p.alarms {
		if now.Sub(at) <= alarmWindow {
			n++
		}
	}
	if n < chatsThatMeanAll {
		return
	}
	if until := now.Add(min(after, longestAlarm)); until.After(p.until) {
		p.until = until
	}
}
