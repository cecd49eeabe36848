package telegram

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// sent notes when messages got their turn.
type sent struct {
	mu sync.Mutex
	at map[int64][]time.Time
}

// flood asks for n turns in each chat at once and waits for all.
func (s *sent) flood(ctx context.Context, p *pace, n int, chats ...int64) {
	var work sync.WaitGroup
	for _, chat := range chats {
		work.Go(func() {
			for range n {
				if p.wait(ctx, chat, false, time.Hour) != nil {
					return
				}
				s.mu.Lock()
				s.at[chat] = append(s.at[chat], time.Now())
				s.mu.Unlock()
			}
		})
	}
	work.Wait()
}

// most is how many turns fell into any window.
func most(at []time.Time, window time.Duration) int {
	n := 0
	for i := range at {
		k := 0
		for _, other := range at {
			if d := other.Sub(at[i]); d >= 0 && d < window {
				k++
			}
		}
		n = max(n, k)
	}
	return n
}

func TestPaceKeepsThePublishedLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sent{at: map[int64][]time.Time{}}
		var people []int64
		for id := range int64(100) {
			people = append(people, id+1)
		}
		begin := time.Now()
		s.flood(t.Context(), newPace(), 2, people...)
		var all []time.Time
		for _, at := range s.at {
			all = append(all, at...)
		}
		if n := most(all, time.Second); n > 30 || len(all) != 200 {
			t.Errorf("%d messages, %d of them in one second", len(all), n)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("200 messages took %v", took)
		}

		s = &sent{at: map[int64][]time.Time{}}
		s.flood(t.Context(), newPace(), 40, 1, -1)
		if n := most(s.at[1], time.Second); n > chatBurst+1 {
			t.Errorf("%d messages in a second to one person", n)
		}
		if n := most(s.at[-1], time.Minute); n > 20 {
			t.Errorf("%d messages in a minute to a group", n)
		}
	})
}

func TestPaceHoldsOneChatAndNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		p.hold(1, 7*time.Second)
		begin := time.Now()
		var late *tooLong
		if err := p.wait(t.Context(), 1, false, time.Second); !errors.As(err, &late) || late.Wait != 7*time.Second {
			t.Errorf("wait of at most a second: %v", err)
		}
		if err := p.wait(t.Context(), 2, false, time.Second); err != nil || time.Since(begin) != 0 {
			t.Errorf("another chat waits %v, %v", time.Since(begin), err)
		}
		if err := p.wait(t.Context(), 1, false, time.Minute); err != nil || time.Since(begin) != 7*time.Second {
			t.Errorf("the chat waited %v, %v", time.Since(begin), err)
		}
	})
}

func TestPaceTakesManyRefusalsForOneOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		for chat := range int64(chatsThatMeanAll) {
			p.hold(-chat-1, time.Hour)
		}
		begin := time.Now()
		if err := p.wait(t.Context(), 99, false, time.Hour); err != nil || time.Since(begin) != longestAlarm {
			t.Errorf("another chat waited %v, %v; want %v", time.Since(begin), err, longestAlarm)
		}
	})
}

func TestAnEditWaitsForNoBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		var broadcast sync.WaitGroup
		for chat := range int64(500) {
			broadcast.Go(func() {
				if err := p.wait(t.Context(), chat+1000, false, time.Hour); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		begin := time.Now()
		for range 4 { // a person who taps through a test
			if err := p.wait(t.Context(), 1, true, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); took > time.Second/4 {
			t.Errorf("four edits took %v", took)
		}
		broadcast.Wait()
	})
}

func TestPaceStopsWaitingWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPace()
		p.hold(1, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.wait(ctx, 1, true, 2*time.Hour); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait() = %v", err)
		}
	})
}

func TestOutboxKeepsOrderAndDropsWhatIsTooMuch(t *testing.T) {
	o := newOutbox()
	free := make(chan struct{})
	var got []int
	o.put(1, func() { <-free })
	taken := 0
	for n := range 2 * maxChatQueue {
		if o.put(1, func() { got = append(got, n) }) {
			taken++
		}
	}
	done := make(chan struct{})
	if !o.put(2, func() { close(done) }) {
		t.Error("another chat's message was dropped")
	}
	<-done // though the first chat still waits
	close(free)
	o.work.Wait()
	if taken < maxChatQueue-1 || taken > maxChatQueue || len(got) != taken {
		t.Errorf("%d taken, %d done, room for %d", taken, len(got), maxChatQueue)
	}
	for i, n := range got {
		if i != n {
			t.Fatalf("order %v", got)
		}
	}
	if o.n != 0 || len(o.queues) != 0 {
		t.Errorf("%d jobs and %d queues are left", o.n, len(o.queues))
	}
}

func TestRecentForgetsTheOldest(t *testing.T) {
	r := newRecent[int](10)
	for n := range 25 {
		r.add(n)
	}
	for n := 15; n < 25; n++ {
		if !r.has(n) {
			t.Errorf("%d is forgotten", n)
		}
	}
	if r.has(0) || len(r.cur)+len(r.old) > 20 {
		t.Errorf("%d keys are kept", len(r.cur)+len(r.old))
	}
	r.remove(24)
	if r.has(24) {
		t.Error("24 was not removed")
	}
}

// A rush of daily posts takes hardly longer than Telegram's rate, and meets no 429.
func TestTenThousandPostsAreAsFastAsTelegramLets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts, allowed = 10_000, 30
		at := &bottest.Strict{Allowed: allowed, Answer: func(n int) string { return fmt.Sprintf(`{"ok":true,"result":{"message_id":%d,"chat":{"id":1}}}`, n) }}
		e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: testBank()})
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(Config{Engine: e, Token: "1:a", Transport: at})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		rush(t, posts, func(n int) error {
			_, err := b.Post(t.Context(), engine.Delivery{
				To:      engine.Place{Platform: platform, Server: "s", Chat: fmt.Sprint(-1000 - n)},
				Message: engine.Message{Title: "A challenge"},
			})
			return err
		})
		ratio := time.Since(begin).Seconds() / (float64(posts) / allowed)
		t.Logf("%d posts: %.3f of the time that %d a second take, %d refused", posts, ratio, allowed, at.Refused())
		if ratio > 1.02 || at.Refused() > 0 {
			t.Errorf("%.3f of the least time, %d refused", ratio, at.Refused())
		}
	})
}

// rush does n things, as many at once as the engine has senders.
func rush(t *testing.T, n int, do func(int) error) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for k := int(next.Add(1)); k <= n && !t.Failed(); k = int(next.Add(1)) {
				if err := do(k); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
