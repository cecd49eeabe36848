package bottest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// TelegramPace are the published rates of sending
// (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
// A field that is zero is not checked. The real limits are advisory and move.
type TelegramPace struct {
	// PerSecond is the number of messages in any second, all chats together.
	PerSecond int
	// ChatBurst is how many messages may go to one chat at once; it fills again by
	// one a second.
	ChatBurst int
	// GroupMinute is the number of messages to one group in any minute.
	GroupMinute int
}

// PublishedPace is what the frequently asked questions say: 30 a second, one a
// second to a chat with short bursts, 20 a minute to a group.
func PublishedPace() *TelegramPace {
	return &TelegramPace{PerSecond: 30, ChatBurst: 4, GroupMinute: 20}
}

// pace refuses a message that comes too soon; it needs t.mu.
func (t *Telegram) pace(r *tgRoom) *tgError {
	p := t.opts.Pace
	if p == nil {
		return nil
	}
	now := t.now()
	wait := time.Duration(0)
	if p.PerSecond > 0 {
		wait = max(wait, waitFor(t.sends, p.PerSecond, time.Second, now, func(tgSend) bool { return true }))
	}
	here := func(s tgSend) bool { return s.chat == r.ID }
	if p.ChatBurst > 0 {
		wait = max(wait, chatWait(t.sends, p.ChatBurst, now, here))
	}
	if p.GroupMinute > 0 && r.Type != "private" {
		wait = max(wait, waitFor(t.sends, p.GroupMinute, time.Minute, now, here))
	}
	if wait <= 0 {
		return nil
	}
	t.hits++
	secs := int((wait + time.Second - 1) / time.Second)
	return &tgError{code: http.StatusTooManyRequests, desc: "Too Many Requests: retry after " + strconv.Itoa(secs),
		params: &tgParams{RetryAfter: secs}}
}

// waitFor is how long until one more fits into a sliding window.
func waitFor(sends []tgSend, most int, window time.Duration, now time.Time, match func(tgSend) bool) time.Duration {
	n := 0
	for i := len(sends) - 1; i >= 0; i-- {
		s := sends[i]
		if !s.at.After(now.Add(-window)) {
			break
		}
		if match(s) {
			if n++; n == most {
				return s.at.Add(window).Sub(now)
			}
		}
	}
	return 0
}

// chatWait is a bucket of burst messages that fills by one a second.
func chatWait(sends []tgSend, burst int, now time.Time, match func(tgSend) bool) time.Duration {
	left := float64(burst)
	var last time.Time
	for _, s := range sends {
		if !match(s) {
			continue
		}
		left = min(float64(burst), left+s.at.Sub(last).Seconds()) - 1
		last = s.at
	}
	left = min(float64(burst), left+now.Sub(last).Seconds())
	if left >= 1 {
		return 0
	}
	return time.Duration((1 - left) * float64(time.Second))
}

// TelegramRate says how fast the bot sent, by the fake's clock.
type TelegramRate struct {
	// Sent counts messages, Refused those that the pace refused.
	Sent, Refused int
	// Second is the most in any second, ChatSecond the most in any second to one
	// chat, GroupMinute the most in any minute to one group.
	Second, ChatSecond, GroupMinute int
}

func (r TelegramRate) String() string {
	return fmt.Sprintf("%d sent, %d refused; at most %d/s, %d/s to a chat, %d/min to a group",
		r.Sent, r.Refused, r.Second, r.ChatSecond, r.GroupMinute)
}

// Rate measures what the bot sent so far.
func (t *Telegram) Rate() TelegramRate {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := TelegramRate{Sent: len(t.sends), Refused: t.hits, Second: busiest(t.sends, time.Second)}
	chats := map[int64][]tgSend{}
	for _, s := range t.sends {
		chats[s.chat] = append(chats[s.chat], s)
	}
	for _, list := range chats {
		out.ChatSecond = max(out.ChatSecond, busiest(list, time.Second))
		if list[0].group {
			out.GroupMinute = max(out.GroupMinute, busiest(list, time.Minute))
		}
	}
	return out
}

// busiest is the most sends in any window.
func busiest(sends []tgSend, window time.Duration) int {
	sorted := slices.SortedFunc(slices.Values(sends), func(a, b tgSend) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	most, from := 0, 0
	for i, s := range sorted {
		for !sorted[from].at.After(s.at.Add(-window)) {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}
