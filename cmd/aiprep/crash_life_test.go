package main

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"aiprep/bots/bottest"
)

// life is one process from its start to its violent end.
func (c *crash) life(n int, at interval, s stage) {
	c.Helper()
	tr := &trip{hits: func(*http.Request, []byte) bool { return false }}
	press := func() {}
	switch at {
	case beforeClaim:
		c.due(s)
		tr.hits = s.isWake
	case claimed, accepted:
		c.due(s)
		tr.hits = s.isPost
	case committed, answeredOne:
		press = c.fresh(s, tr)
	case confirmed:
		s = c.telegram
		press = func() {
			for range 4 {
				c.last = c.freshVote(s).update
			}
		}
	case atRandom:
		c.due(s)
		press = func() { c.votes(s) }
	}
	switch at {
	case accepted:
		tr.when = served
	case answeredOne:
		tr.when = told
	}
	if at <= accepted || at == atRandom {
		c.votes(c.telegram)
		c.steps()
	}
	if s.awake() {
		press()
	}
	live, wires := c.serve(map[string]*trip{s.name(): tr})
	if at > accepted && !s.awake() {
		if err := live.ready(soon(c.T)); err != nil {
			c.Fatal(err)
		}
		press()
	}
	c.awaitEnd(n, at, live, wires[s.name()])
	for _, w := range wires {
		w.cut()
	}
	c.settle()
}

// awaitEnd waits until the process is dead by the hand that was meant for it.
func (c *crash) awaitEnd(n int, at interval, live *child, w *wire) {
	c.Helper()
	switch at {
	case confirmed:
		if err := c.telegram.Polled(soon(c.T), c.last); err != nil {
			c.Fatalf("kill %d: %v\n%s", n+1, err, live.log.tail())
		}
		live.kill()
		return
	case atRandom:
		select {
		case <-time.After(time.Duration(c.rng.IntN(400)) * time.Millisecond):
			live.kill()
		case <-live.dead:
			c.Errorf("kill %d: serve ended by itself: %v", n+1, live.cmd.ProcessState)
		}
		return
	}
	select {
	case <-w.hit:
	case <-time.After(patience):
		c.Fatalf("kill %d: serve never was: %v\n%s", n+1, at, live.log.tail())
	}
}

// fresh returns the press of somebody on what they have not answered yet, and
// makes tr wait for the verdict.
func (c *crash) fresh(s stage, tr *trip) func() {
	var mu sync.Mutex
	var p *press
	tr.hits = func(r *http.Request, body []byte) bool {
		mu.Lock() // an answer may be quicker than its press is noted
		defer mu.Unlock()
		return p != nil && s.isTold(p)(r, body)
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if p = c.freshStep(s); p == nil {
			p = c.freshVote(s)
		}
	}
}

// freshStep answers the open question of somebody's test, every other time.
func (c *crash) freshStep(s stage) *press {
	if s != stage(c.telegram) || c.rng.IntN(2) == 0 {
		return nil
	}
	for _, who := range c.rng.Perm(s.people()) {
		for _, m := range c.telegram.FromBot(c.telegram.user(who)) {
			if about := picking(c.telegram, m); about == "" || c.asked(question{s.name(), who, about}) {
				continue
			}
			return c.step(who)
		}
	}
	return nil
}

// picking is the question that a message asks, or "".
func picking(s *telegramStage, m bottest.TelegramMessage) string {
	for _, a := range s.actions(m) {
		if about, ok := strings.CutSuffix(a, "b"); ok && strings.HasPrefix(a, "pick ") {
			return about
		}
	}
	return ""
}

func (c *crash) step(who int) *press {
	c.Helper()
	p, err := c.telegram.step(who)
	if err != nil {
		c.Fatal(err)
	}
	if p != nil {
		c.add(p)
	}
	return p
}

func (c *crash) freshVote(s stage) *press {
	c.Helper()
	for _, i := range c.rng.Perm(len(c.places[s.name()])) {
		for _, ch := range s.challenges(c.places[s.name()][i]) {
			for _, who := range c.rng.Perm(s.people()) {
				if !c.asked(question{s.name(), who, ch.about}) {
					return c.vote(s, who, ch)
				}
			}
		}
	}
	c.Fatalf("everybody on %s has answered everything", s.name())
	return nil
}

func (c *crash) vote(s stage, who int, ch challenge) *press {
	c.Helper()
	p, err := s.vote(who, ch, ch.letters[c.rng.IntN(len(ch.letters))])
	if err != nil {
		c.Fatal(err)
	}
	c.add(p)
	return p
}

// votes has a few people press on any challenge, answered before or not; on
// Telegram some of the presses reach the bot twice.
func (c *crash) votes(s stage) {
	c.Helper()
	for range 2 {
		list := s.challenges(c.places[s.name()][c.rng.IntN(len(c.places[s.name()]))])
		if len(list) == 0 {
			continue // not posted yet
		}
		p := c.vote(s, c.rng.IntN(s.people()), list[c.rng.IntN(len(list))])
		if p.update != 0 && c.rng.IntN(2) == 0 {
			if _, err := c.telegram.Double(p.update, true); err != nil {
				c.Fatal(err)
			}
		}
	}
}

// steps has a few people go on with their tests.
func (c *crash) steps() {
	for range 2 {
		c.step(c.rng.IntN(c.telegram.people()))
	}
}
