package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

// person is one of the crowd. What they know is one number, on the scale of the
// items' difficulty.
type person struct {
	at      stage
	id      string // on their platform
	ability float64
	rng     *rand.Rand
	screen  screen

	pressed map[string]int // by item: how many questions they answered
	told    map[string]int // by item: of how many they read the verdict
	right   int            // of those
	odd     int            // acts that were answered by something else, such as a request for patience
	again   bool           // the last press was not answered, so the next is the same one
}

func newPerson(at stage, id string, seed, n uint64) *person {
	rng := rand.New(rand.NewPCG(seed, n))
	return &person{at: at, id: id, ability: rng.NormFloat64(), rng: rng, pressed: map[string]int{}, told: map[string]int{}}
}

// stage is one of the platforms, with a step that each person can take.
type stage interface {
	name() string
	// servers are the places in which a challenge is due when serve starts.
	servers() []engine.Place
	// ready waits until those challenges are there.
	ready(ctx context.Context) error
	// fresh is something that a person has not answered yet; without it they
	// begin a test.
	fresh(p *person) (screen, bool)
	// act does something in the name of a person and waits until its answer can
	// be seen.
	act(ctx context.Context, p *person, action string) (screen, error)
	env() []string
	// calls are patterns of requests that may be broken.
	calls() []string
	Inject(bottest.Fault)
	ClearFaults()
	problems() []string
	close()
}

// screen is what a person has before them.
type screen struct {
	text    string
	actions []string // of the buttons
	ref     any      // the message, as the stage knows it
}

// action returns the first action with a verb.
func (s screen) action(verb string) (string, bool) {
	for _, a := range s.actions {
		if strings.HasPrefix(a, verb+" ") {
			return a, true
		}
	}
	return "", false
}

// verdict is how an answer is told.
var verdict = regexp.MustCompile(`(Right|Not quite): (?:it is )?([A-F])`)

// next decides what a person does: the next question, an answer, or a new test.
// item is what an answer answers.
func (c *crowd) next(p *person) (action, item string) {
	if a, ok := p.screen.action("next"); ok {
		return a, ""
	}
	for range 2 {
		for _, verb := range []string{"pick", "vote"} {
			if a, ok := p.screen.action(verb); ok {
				letter, item := c.choose(p)
				return a[:len(a)-1] + letter, item
			}
		}
		if one, ok := p.at.fresh(p); ok {
			p.screen = one
		}
	}
	return "test", ""
}

// choose picks a letter as someone of this ability would: who knows is right, and
// who does not guesses. item is what is asked.
func (c *crowd) choose(p *person) (letter, item string) {
	it, letters, key := c.bank.question(p.screen.text)
	if key == "" {
		return "a", ""
	}
	if p.rng.Float64() < 1/(1+math.Exp(it.Difficulty-p.ability)) {
		return key, it.ID
	}
	return letters[p.rng.IntN(len(letters))], it.ID
}

// errUnreadable says that the tool does not understand what it was asked.
var errUnreadable = errors.New("this question is not in the bank")

// step has a person do one thing and notes what came of it.
func (c *crowd) step(ctx context.Context, p *person) error {
	action, item := c.next(p)
	answers := item != ""
	if !answers && strings.HasPrefix(action, "pick ") || strings.HasPrefix(action, "vote ") && !answers {
		return fmt.Errorf("%w: %.80q", errUnreadable, p.screen.text)
	}
	if answers && !p.again {
		p.pressed[item]++
	}
	now, err := p.at.act(ctx, p, action)
	if p.again = err != nil && answers; err != nil {
		return err
	}
	said := verdict.FindStringSubmatch(now.text)
	if answers && said == nil { // nothing was counted: it is asked again
		p.odd++
		p.again = true
		return nil
	}
	p.screen = now
	switch {
	case answers:
		p.told[item]++
		if said[1] == "Right" {
			p.right++
		}
	case len(now.actions) == 0:
		p.odd++
	}
	return nil
}

// crowd is everybody, and the platforms they are on.
type crowd struct {
	stages []stage
	people []*person
	bank   *answerKey
}

func newCrowd(p plan) (*crowd, error) {
	bank, err := content.Default()
	if err != nil {
		return nil, err
	}
	c := &crowd{bank: newAnswerKey(bank)}
	for _, open := range []func(plan) (stage, []string, error){openTelegram, openDiscord} {
		s, ids, err := open(p)
		if err != nil {
			c.close()
			return nil, err
		}
		c.stages = append(c.stages, s)
		for _, id := range ids {
			c.people = append(c.people, newPerson(s, id, p.seed, uint64(len(c.people))))
		}
	}
	rand.New(rand.NewPCG(p.seed, math.MaxUint64)).Shuffle(len(c.people), func(a, b int) {
		c.people[a], c.people[b] = c.people[b], c.people[a]
	})
	return c, nil
}

func (c *crowd) env() (all []string) {
	for _, s := range c.stages {
		all = append(all, s.env()...)
	}
	return all
}

func (c *crowd) servers() (all []engine.Place) {
	for _, s := range c.stages {
		all = append(all, s.servers()...)
	}
	return all
}

// ready waits until everything is posted.
func (c *crowd) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, s := range c.stages {
		if err := s.ready(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *crowd) problems() (all []string) {
	for _, s := range c.stages {
		all = append(all, s.problems()...)
	}
	return all
}

func (c *crowd) close() {
	for _, s := range c.stages {
		s.close()
	}
}
