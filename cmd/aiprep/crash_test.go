package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"aiprep/content"
	"aiprep/engine"
)

// interval is a stretch in the life of a post or of an answer, at the end of
// which the process is killed.
type interval int

const (
	beforeClaim interval = iota // a post is due, nobody has claimed it
	claimed                     // claimed in the store, not yet at the platform
	accepted                    // at the platform, not recorded in the store
	committed                   // an answer is in the store, nobody was told
	answeredOne                 // an answer is in the store, and was told
	confirmed                   // Telegram was told not to deliver the answer again
	atRandom                    // whenever it happens to be
	intervals
)

func (i interval) String() string {
	return [...]string{"before claim", "claimed", "accepted by the platform", "committed", "answered", "confirmed", "at random"}[i]
}

// kills is how often the process is killed: AIPREP_KILLS, or 50.
func kills(t *testing.T) int {
	n := 50
	if testing.Short() {
		n = 2 * int(intervals)
	}
	if s := os.Getenv("AIPREP_KILLS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("AIPREP_KILLS is %q: write a number", s)
		}
	}
	return n
}

// TestKillsLoseAndDoubleNothing kills the real program again and again while it
// posts and answers, at every step of both, and then asks it what it remembers.
// The line between the program and the platforms does the killing, so it happens
// exactly where it should.
func TestKillsLoseAndDoubleNothing(t *testing.T) {
	c := newCrash(t, goBuild(t, "."))
	c.begin()
	count := map[interval]int{}
	for n := range kills(t) {
		at := interval(n % int(intervals))
		c.life(n, at, c.stages[n/int(intervals)%len(c.stages)])
		count[at]++
		if (at == claimed || at == accepted) && n/int(2*intervals)%2 == 1 {
			c.pass(3 * time.Minute) // Discord has forgotten the nonce
			c.forgot = c.forgot || c.stages[n/int(intervals)%2] != stage(c.telegram)
		}
		if t.Failed() {
			t.Fatalf("after kill %d, %v", n+1, at)
		}
	}
	for at := range intervals {
		t.Logf("killed %3d times: %v", count[at], at)
		if count[at] == 0 {
			t.Errorf("no kill was %v: set AIPREP_KILLS to %d or more", at, intervals)
		}
	}
	c.pass(11 * time.Minute) // posts in doubt go out once more
	c.checkPosts()
	c.checkNothingIsLost()
	c.pressAgain()
	c.checkStats()
	c.pass(48 * time.Hour) // everything closes, also what was posted when Discord's clock was ahead
	c.checkReveals()
	for _, s := range c.stages {
		for _, p := range s.problems() {
			t.Errorf("%s: %s", s.name(), p)
		}
	}
}

// crash is one run of the crash test.
type crash struct {
	ledger
	bin, dir string
	bank     *content.Bank
	rng      *rand.Rand
	stages   []stage
	telegram *telegramStage
	discord  *discordStage
	places   map[string][]engine.Place
	abouts   map[engine.Place]string // what was asked there
	last     int64                   // the newest update, when it is waited for
	forgot   bool                    // Discord had forgotten a nonce that was in doubt
}

func newCrash(t *testing.T, bin string) *crash {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	c := &crash{
		ledger: ledger{T: t, answers: map[question]*answered{}},
		bin:    bin, dir: storeDir(t), bank: bank,
		rng: rand.New(rand.NewPCG(1, 2)), telegram: newTelegramStage(t), discord: newDiscordStage(t), places: map[string][]engine.Place{}, abouts: map[engine.Place]string{},
	}
	c.stages = []stage{c.telegram, c.discord}
	return c
}

// serve starts a process whose lines to the platforms may be tripped.
func (c *crash) serve(trips map[string]*trip) (*child, map[string]*wire) {
	var live *child
	born := make(chan struct{})
	end := func() { <-born; live.kill() }
	wires, env := map[string]*wire{}, []string(nil)
	for _, s := range c.stages {
		w := newWire(c.T, s.address(), trips[s.name()], end)
		wires[s.name()] = w
		env = append(env, s.env(w.URL)...)
	}
	live = serveChild(c.T, c.bin, c.dir, env...)
	close(born)
	return live, wires
}

// quietly runs a process that nobody kills.
func (c *crash) quietly(do func()) {
	c.Helper()
	live, wires := c.serve(nil)
	if err := live.ready(soon(c.T)); err != nil {
		c.Fatal(err)
	}
	do()
	live.term(c.T)
	for _, w := range wires {
		w.cut()
	}
	c.settle()
}

// begin has the first challenges posted.
func (c *crash) begin() {
	for _, s := range c.stages {
		for range 2 {
			c.due(s)
		}
	}
	c.quietly(func() {
		waitFor(c.T, "the first posts", func() bool {
			for _, s := range c.stages {
				for _, p := range c.places[s.name()] {
					if len(s.challenges(p)) == 0 {
						return false
					}
				}
			}
			return true
		})
	})
}

// offline opens the store while no process does.
func (c *crash) offline(do func(*engine.Engine)) {
	c.Helper()
	store, err := openStore(c.Context(), StoreConfig{File: filepath.Join(c.dir, "aiprep.db")})
	if err != nil {
		c.Fatal(err)
	}
	e, err := engine.New(c.Context(), engine.Config{Store: store, Bank: c.bank})
	if err != nil {
		c.Fatal(err)
	}
	do(e)
	if err := store.Close(); err != nil {
		c.Fatal(err)
	}
}

// due opens a server in which a post was due less than a minute ago, as if the
// process had been down at that moment.
func (c *crash) due(s stage) {
	c.Helper()
	place := s.open(c.T)
	c.places[s.name()] = append(c.places[s.name()], place)
	c.offline(func(e *engine.Engine) { setUp(c.T, e, place) })
}

// setUp sets a server up, on this weekday and for this minute, a moment before
// the minute began.
func setUp(t testing.TB, e *engine.Engine, place engine.Place) {
	t.Helper()
	at := time.Now().Truncate(time.Minute)
	zone, loc := dayZone(t, at)
	_, err := e.Handle(t.Context(), engine.Input{
		ID: "setup", At: at.Add(-time.Second), In: place, Admin: true, Verb: "setup",
		From: engine.User{Platform: place.Platform, ID: "1", Name: "Admin"},
		Args: []string{"time=" + at.In(loc).Format("15:04"), "zone=" + zone, "days=" + at.In(loc).Format("Mon")},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dayZone is a zone in which it is day, so that no date ends while a test runs.
func dayZone(t testing.TB, at time.Time) (string, *time.Location) {
	for _, name := range []string{"UTC", "Asia/Kolkata", "Asia/Tokyo", "America/Los_Angeles"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if h := at.In(loc).Hour(); 3 <= h && h < 20 {
			return name, loc
		}
	}
	t.Fatal("it is night everywhere")
	return "", nil
}
