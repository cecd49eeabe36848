package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

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

	told    int // answers of which they read the verdict
	right   int // of those
	pressed int // answers they gave
	odd     int // acts that were answered by something else, such as a request for patience
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
func (c *crowd) next(p *person) (action string, answers bool) {
	if a, ok := p.screen.action("next"); ok {
		return a, false
	}
	for range 2 {
		for _, verb := range []string{"pick", "vote"} {
			if a, ok := p.screen.action(verb); ok {
				return a[:len(a)-1] + c.choose(p), true
			}
		}
		if one, ok := p.at.fresh(p); ok {
			p.screen = one
		}
	}
	return "test", false
}

// choose picks a letter as someone of this ability would: who knows is right, and
// who does not guesses.
func (c *crowd) choose(p *person) string {
	letters, key, difficulty := c.bank.question(p.screen.text)
	if key == "" {
		return "a"
	}
	if p.rng.Float64() < 1/(1+math.Exp(difficulty-p.ability)) {
		return key
	}
	return letters[p.rng.IntN(len(letters))]
}

// step has a person do one thing and notes what came of it.
func (c *crowd) step(ctx context.Context, p *person) error {
	action, answers := c.next(p)
	if answers {
		p.pressed++
	}
	now, err := p.at.act(ctx, p, action)
	if err != nil {
		return err
	}
	p.screen = now
	said := verdict.FindStringSubmatch(now.text)
	switch {
	case answers && said != nil:
		p.told++
		if said[1] == "Right" {
			p.right++
		}
	case answers || len(now.actions) == 0:
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
			rng := rand.New(rand.NewPCG(p.seed, uint64(len(c.people))))
			c.people = append(c.people, &person{at: s, id: id, ability: rng.NormFloat64(), rng: rng})
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

// patience is how long a person looks at the screen before they give up.
const patience = 20 * time.Second

// drive has people act at a fixed rate and returns how long answers took.
func (c *crowd) drive(ctx context.Context, p plan) *figures {
	f := &figures{begun: time.Now()}
	idle := make(chan *person, len(c.people))
	for _, one := range c.people {
		idle <- one
	}
	var acts sync.WaitGroup
	for n := range int(p.rate * p.length.Seconds()) {
		due := f.begun.Add(time.Duration(float64(n) / p.rate * float64(time.Second)))
		if !sleepUntil(ctx, due) {
			break
		}
		one := <-idle
		acts.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			err := c.step(ctx, one)
			f.add(one.at.name(), time.Since(due), err)
			if !errors.Is(err, context.DeadlineExceeded) { // who gave up is gone
				idle <- one
			}
		})
	}
	acts.Wait()
	f.length = time.Since(f.begun)
	return f
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	wait := time.Until(at)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// answerKey knows what is right, by what stands on the screen.
type answerKey struct{ items map[string]*content.Item }

// stemLen is how much of a stem tells an item from all others.
const stemLen = 60

func newAnswerKey(b *content.Bank) *answerKey {
	k := &answerKey{map[string]*content.Item{}}
	for _, cat := range b.Categories {
		for _, tp := range cat.Topics {
			for _, it := range tp.Items {
				k.items[opening(it.Stem)] = it
			}
		}
	}
	return k
}

// opening is the beginning of a stem without any markup.
func opening(stem string) string {
	r := []rune(letters.ReplaceAllString(stem, ""))
	return string(r[:min(len(r), stemLen)])
}

var (
	letters = regexp.MustCompile(`[^\pL\pN]+`)
	option  = regexp.MustCompile(`^\W*([A-F])[.)\]]?\W+(.+)$`)
)

// question finds the letters on a screen, which of them is right, and how hard
// that is to know; key is empty when the screen is not understood.
func (k *answerKey) question(text string) (all []string, key string, difficulty float64) {
	var it *content.Item
	for line := range strings.Lines(text) {
		if it == nil {
			it = k.items[opening(line)]
			continue
		}
		m := option.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		letter := strings.ToLower(m[1])
		all = append(all, letter)
		for _, o := range it.Options {
			if o.Correct && opening(o.Text) == opening(m[2]) {
				key = letter
			}
		}
	}
	if it == nil || len(all) == 0 {
		return nil, "", 0
	}
	return all, key, it.Difficulty
}
