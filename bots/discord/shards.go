package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A bot in many servers has several connections, each for a share of them
// (https://discord.com/developers/docs/events/gateway#sharding). How many, and
// how often a connection may introduce itself, Discord says; that count is kept
// by Discord over our restarts, so it is asked before every introduction.

// identifyEvery is how long one place in the queue of introductions takes.
const identifyEvery = 5 * time.Second

// reserve is how many introductions of a day are left alone: with the last one
// Discord resets the bot's token.
const reserve = 10

// errMoreShards says that Discord wants the servers spread over more connections.
var errMoreShards = errors.New("discord wants this bot's servers spread over more connections")

// gatewayInfo is what Discord says of the bot's connections.
type gatewayInfo struct {
	Shards int `json:"shards"`
	Starts struct {
		Remaining int   `json:"remaining"`
		After     int64 `json:"reset_after"` // milliseconds
		AtOnce    int   `json:"max_concurrency"`
	} `json:"session_start_limit"`
}

func (b *Bot) gatewayInfo(ctx context.Context) (gatewayInfo, error) {
	var info gatewayInfo
	answer, err := b.call(ctx, request{method: http.MethodGet, path: "/gateway/bot", route: "GET /gateway/bot"})
	if err == nil {
		err = json.Unmarshal(answer, &info)
	}
	return info, err
}

// supervise keeps the connections to the gateway until ctx ends, or until only a
// person can put right what is wrong. No connection outlives it.
func (b *Bot) supervise(ctx context.Context) error {
	for pause := b.timing.first; ctx.Err() == nil; pause = min(2*pause, b.timing.long) {
		info, err := b.gatewayInfo(ctx)
		if fatal := fatalClose(err); fatal != nil {
			return fatal
		}
		if err != nil {
			if ctx.Err() == nil {
				b.log.Warn("discord's gateway cannot be asked about", "err", err, "retry", pause)
			}
			if sleep(ctx, max(pause, classify(err).After)) != nil {
				return nil
			}
			continue
		}
		count := b.shards
		if count == 0 {
			count = max(1, info.Shards)
		}
		err = b.runShards(ctx, count, max(1, info.Starts.AtOnce))
		if err == nil || b.shards != 0 || !errors.Is(err, errMoreShards) {
			return err
		}
		b.log.Info("discord wants more connections")
	}
	return nil
}

// runShards keeps so many connections. When one of them cannot go on, all end.
func (b *Bot) runShards(ctx context.Context, count, atOnce int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := newQueue(atOnce, b.timing.identify)
	var work sync.WaitGroup
	var once sync.Once
	var fatal error
	var left sync.WaitGroup // until every connection was ready once
	left.Add(count)
	for id := range count {
		s := &shard{bot: b, id: id, count: count, queue: q, ready: sync.OnceFunc(left.Done)}
		work.Go(func() {
			defer s.ready() // nobody waits for one that ended
			if err := s.keep(ctx); err != nil {
				once.Do(func() { fatal = err; cancel() })
			}
		})
	}
	work.Go(func() {
		left.Wait()
		if ctx.Err() == nil {
			b.readyOnce.Do(func() { close(b.ready) })
		}
	})
	work.Wait()
	return fatal
}

// queue lets connections introduce themselves as often as Discord allows: in so
// many lanes, by their numbers, one each five seconds a lane.
type queue struct{ lanes []*rate.Limiter }

func newQueue(lanes int, every time.Duration) *queue {
	q := &queue{}
	for range lanes {
		q.lanes = append(q.lanes, rate.NewLimiter(rate.Every(every), 1))
	}
	return q
}

func (q *queue) wait(ctx context.Context, shard int) error {
	return q.lanes[shard%len(q.lanes)].Wait(ctx)
}

// shard is one of the connections, over all its lives.
type shard struct {
	bot       *Bot
	id, count int
	queue     *queue
	ready     func()
}

// mayIdentify waits until the connection may introduce itself.
func (s *shard) mayIdentify(ctx context.Context) error {
	for {
		if err := s.queue.wait(ctx, s.id); err != nil {
			return err
		}
		info, err := s.bot.gatewayInfo(ctx)
		if err != nil {
			return fmt.Errorf("ask how often we may connect: %w", err)
		}
		if info.Starts.Remaining > reserve {
			return nil
		}
		wait := max(time.Duration(info.Starts.After)*time.Millisecond, s.bot.timing.first)
		s.bot.count("gateway", platform, "spent")
		s.bot.log.Error("too many connections to discord today: waiting, for the last ones would reset the token", "left", info.Starts.Remaining, "wait", wait)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}
