package telegram

import (
	"context"
	"sync"
)

// What may wait to be said: to one chat, after which more is dropped; to all,
// after which what a person can also get in another way is; and to all, after
// which no more updates are taken in.
const (
	maxChatQueue = 32
	maxCopies    = 128 // about five seconds' worth
	maxQueued    = 1024
)

// outbox holds what is to be said, a queue for each chat. Every chat with
// something in its queue has one goroutine, so a chat's order is kept and none
// waits for another.
type outbox struct {
	mu     sync.Mutex
	queues map[int64][]func()
	n      int
	freed  chan struct{}
	work   sync.WaitGroup
}

func newOutbox() *outbox {
	return &outbox{queues: map[int64][]func(){}, freed: make(chan struct{}, 1)}
}

// put queues a job of a chat. It returns false, and forgets the job, when too
// many of this chat wait already. A job must not panic.
func (o *outbox) put(chat int64, job func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	queue, busy := o.queues[chat]
	if len(queue) >= maxChatQueue {
		return false
	}
	o.queues[chat] = append(queue, job)
	o.n++
	if !busy {
		o.work.Go(func() { o.run(chat) })
	}
	return true
}

// run does a chat's jobs until none is left.
func (o *outbox) run(chat int64) {
	for {
		o.mu.Lock()
		queue := o.queues[chat]
		if len(queue) == 0 {
			delete(o.queues, chat)
			o.mu.Unlock()
			return
		}
		job := queue[0]
		o.queues[chat] = queue[1:]
		o.mu.Unlock()
		job()
		o.mu.Lock()
		o.n--
		o.mu.Unlock()
		select {
		case o.freed <- struct{}{}:
		default:
		}
	}
}

// crowded reports whether so much waits that copies would hold up answers.
func (o *outbox) crowded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n >= maxCopies
}

// room waits until fewer than maxQueued jobs wait, or ctx ends.
func (o *outbox) room(ctx context.Context) {
	for {
		o.mu.Lock()
		full := o.n >= maxQueued
		o.mu.Unlock()
		if !full {
			return
		}
		select {
		case <-o.freed:
		case <-ctx.Done():
			return
		}
	}
}
