package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"aiprep/engine"
)

// pass lets time pass while no process runs and then does, in this one, whose
// clock can be moved, what is due.
func (c *crash) pass(d time.Duration) {
	c.Helper()
	now := func() time.Time { return time.Now().Add(d) }
	c.offline(func(e *engine.Engine) {
		ctx, stop := context.WithCancel(c.Context())
		defer stop()
		posters, ended := map[string]engine.Poster{}, make(chan error, len(c.stages))
		for _, s := range c.stages {
			s.age(d)
			b := s.bot(c.T, e, now)
			posters[s.name()] = b
			go func() { ended <- b.Run(ctx) }()
			select {
			case <-b.Ready():
			case <-time.After(patience):
				c.Fatalf("%s is not ready", s.name())
			}
		}
		if err := e.Advance(ctx, posters, now()); err != nil {
			c.Fatal(err)
		}
		stop()
		for range c.stages {
			if err := <-ended; err != nil {
				c.Error(err)
			}
		}
	})
	c.settle()
}

// checkPosts checks that every server got its one challenge: once where the
// platform knows a repeated post, and where it does not at most once more, which
// must then say so.
func (c *crash) checkPosts() {
	again := 0
	for _, s := range c.stages {
		for _, p := range c.places[s.name()] {
			list := s.challenges(p)
			switch {
			case len(list) == 0:
				c.Errorf("%s: nothing was posted in %s", s.name(), p.Chat)
				continue
			case len(list) == 1:
			case s.name() == "telegram" && len(list) == 2 && strings.Contains(list[1].text, "Posted again"):
				again++
			default:
				c.Errorf("%s: posted %d times in %s", s.name(), len(list), p.Chat)
			}
			for _, ch := range list {
				if c.abouts[p] = list[0].about; ch.about != c.abouts[p] {
					c.Errorf("%s: two challenges on one date in %s", s.name(), p.Chat)
				}
			}
		}
		c.Logf("%s: %d challenges", s.name(), len(c.places[s.name()]))
	}
	c.Logf("telegram: %d of them are there twice, and the second says so", again)
	if n := c.discord.lookups(); n > 0 || c.forgot {
		c.Logf("discord: looked %d times for what may have been posted", n)
		if n == 0 {
			c.Error("discord: a post in doubt was repeated without a look")
		}
	}
}

// checkNothingIsLost asks the bot, before anybody presses again, how many answers
// it has of everybody: Telegram keeps a press until it is confirmed, so none may
// be missing, told or not.
func (c *crash) checkNothingIsLost() {
	c.quietly(func() {
		for who := range c.telegram.people() {
			n, _ := c.of(c.telegram.name(), who)
			if n == 0 {
				continue
			}
			text, err := c.telegram.stats(soon(c.T), who)
			if err != nil {
				c.Fatal(err)
			}
			if got := statsLine.FindStringSubmatch(text); got == nil || got[1] != strconv.Itoa(n) {
				c.Errorf("telegram, person %d: pressed %d answers, and the bot says %q", who, n, text)
			}
		}
	})
}

// pressesAtOnce is how often one person presses before the bot would say that
// this was quick.
const pressesAtOnce = 6

// pressAgain presses every answer again of which somebody has not heard, and
// some that they have, on another option: the first must stand.
func (c *crash) pressAgain() {
	for _, s := range c.stages {
		for _, p := range c.places[s.name()] {
			if c.voters(s.name(), c.abouts[p]) == 0 {
				c.add(&press{question: question{s.name(), c.rng.IntN(s.people()), c.abouts[p]}, heard: nothing})
			}
		}
	}
	for round := 0; ; round++ {
		if missing := c.unheard(); missing == 0 && round > 0 {
			return
		} else if round > 50 {
			c.Fatalf("%d answers are never told", missing)
		}
		c.quietly(func() {
			times := map[string]int{}
			for _, q := range c.order {
				who := fmt.Sprint(q.stage, q.who)
				if a := c.answers[q]; times[who] < pressesAtOnce && (a.stands == "" || round == 0 && c.rng.IntN(4) == 0) {
					times[who]++
					c.repeat(q)
				}
			}
		})
	}
}

func nothing() (string, bool) { return "", true }

func (c *crash) unheard() (n int) {
	for _, a := range c.answers {
		if a.stands == "" {
			n++
		}
	}
	return n
}

// repeat answers one question again and waits for the verdict.
func (c *crash) repeat(q question) {
	c.Helper()
	var p *press
	if strings.HasPrefix(q.about, "pick") {
		if c.answers[q].stands != "" {
			return
		}
		p = c.step(q.who)
	} else {
		p = c.voteAgain(q)
	}
	if p == nil {
		return
	}
	text, err := p.wait(soon(c.T))
	if err != nil {
		c.Fatalf("%v: pressed again: %v", q, err)
	}
	if !verdictTitle.MatchString(text) {
		c.Errorf("%v: pressed again: told %q", q, text)
	}
}

func (c *crash) voteAgain(q question) *press {
	for _, s := range c.stages {
		for _, p := range c.places[s.name()] {
			if s.name() != q.stage || c.abouts[p] != q.about {
				continue
			}
			list := s.challenges(p)
			return c.vote(s, q.who, list[len(list)-1])
		}
	}
	c.Fatalf("%v: the challenge is gone", q)
	return nil
}

// What people read of their answers.
var (
	statsLine  = regexp.MustCompile(`(\d+) answers?, (\d+) right`)
	revealLine = regexp.MustCompile(`(?m)^\W*(\d+) answers?\W*$`)
)

// checkStats asks the bot what it remembers of everybody: each answer once.
func (c *crash) checkStats() {
	c.quietly(func() {
		for _, s := range c.stages {
			total := 0
			for who := range s.people() {
				n, right := c.of(s.name(), who)
				total += n
				if n == 0 {
					continue
				}
				text, err := s.stats(soon(c.T), who)
				if err != nil {
					c.Fatal(err)
				}
				if want := []string{strconv.Itoa(n), strconv.Itoa(right)}; !says(statsLine, text, want) {
					c.Errorf("%s, person %d: answered %d, %d right, and the bot says %q", s.name(), who, n, right, text)
				}
			}
			c.Logf("%s: %d answers, each counted once", s.name(), total)
		}
	})
}

func says(line *regexp.Regexp, text string, want []string) bool {
	got := line.FindStringSubmatch(text)
	return got != nil && strings.Join(got[1:], " ") == strings.Join(want, " ")
}

// checkReveals counts the answers of every server's challenge once more, in what
// everybody reads when it closes.
func (c *crash) checkReveals() {
	for _, s := range c.stages {
		for _, p := range c.places[s.name()] {
			want := []string{strconv.Itoa(c.voters(s.name(), c.abouts[p]))}
			texts, shown := s.texts(p), 0
			for _, text := range texts {
				if strings.Contains(text, "🔓") && says(revealLine, text, want) {
					shown++
				}
			}
			if shown == 0 {
				c.Errorf("%s: %s answers are not revealed in %s: %q", s.name(), want[0], p.Chat, texts)
			}
		}
	}
}
