package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/storetest"
)

// a. A network that is down for a minute when the challenge closes: no reveal.
func TestHostileRevealDuringAShortOutage(t *testing.T) {
	c := newChat(t)
	c.daily("g")
	c.posts.lost = &engine.PostError{Kind: engine.Later, After: 5 * time.Second}
	c.until(monday.Add(25*time.Hour + time.Minute)) // an outage of one minute
	c.posts.lost = nil
	c.until(monday.Add(40 * time.Hour))
	if _, ok := c.posts.edits["m1"]; !ok {
		t.Errorf("the reveal was given up after 30 seconds")
	}
}

// b. A double tap on a topic undoes it.
func TestHostileTopicToggleTwice(t *testing.T) {
	c := newChat(t)
	form := c.types("admin", "g", "setup 09:00").Whisper
	pick := c.press("admin", "g", form, "w", "Topics").Replace
	c.press("admin", "g", pick, "w", "NLP & LLMs")
	c.press("admin", "g", pick, "w", "NLP & LLMs") // the same button of the same message, or the same update again
	c.wants(c.types("admin", "g", "setup").Whisper, "nlp-llms")
}

// c. Forbidden, mended, and then: "already posted".
func TestHostilePostNowAfterForbidden(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Forbidden}}
	c.daily("g")
	form := c.types("admin", "g", "setup").Whisper
	tok := action(form, "Time")[1]
	on := c.press("admin", "g", form, "w", "Turn on").Replace
	if action(on, "Post one now") == nil {
		t.Errorf("no way to post today's, which never arrived")
	}
	if r := c.raw("admin", "g", "w", "set", tok, "now"); strings.Contains(shown(r), "already posted") {
		t.Errorf("nothing was ever posted, and: %s", shown(r))
	}
}

// d. Pause and resume before the retry of a post.
func TestHostilePauseResumeBeforeRetry(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{&engine.PostError{Kind: engine.Later, After: 5 * time.Minute}}
	c.daily("g")
	c.types("admin", "g", "pause")
	c.types("admin", "g", "resume")
	form := c.types("admin", "g", "setup").Whisper
	c.press("admin", "g", form, "w", "Post one now")
	c.until(monday.Add(20 * time.Hour))
	if len(c.posts.sent) != 2 {
		t.Errorf("%d attempts", len(c.posts.sent))
	}
}

// e. The first message is pressed while the second is being sent: the second
// is never revealed.
type pressing struct {
	*platform
	during func()
}

func (p *pressing) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	r, err := p.platform.Post(ctx, d)
	if err == nil && p.during != nil {
		p.during()
		p.during = nil
	}
	return r, err
}

func TestHostileSecondPostForgotten(t *testing.T) {
	c := newChat(t)
	c.posts.fail = []error{errors.New("time-out")}
	m := c.daily("g")
	p := &pressing{platform: c.posts}
	p.during = func() { c.press("ben", "g", m, "m1", "A") }
	c.untilWith(p, monday.Add(2*time.Hour))
	c.until(monday.Add(25*time.Hour + time.Minute))
	for _, ref := range []engine.Ref{"m1", "m2"} {
		if _, ok := c.posts.edits[ref]; !ok {
			t.Errorf("%s was never revealed (%d posts)", ref, len(c.posts.sent))
		}
	}
}

// f. A topic within a chosen category counts twice.
func TestHostileOverlappingTopics(t *testing.T) {
	c := newChat(t)
	c.daily("g", "topics=quantization,quantization,quantization")
	c.wants(c.types("ben", "g", "why").Whisper, "There were 10 questions")
}

// g. double tap on Summary removes the question about consent
func TestHostileSummaryTwice(t *testing.T) {
	c := newChat(t)
	m := c.types("ann", "", "test quantization").Whisper
	var v *engine.Message
	for k := range 5 {
		v = c.press("ann", "", m, "w", "A").Replace
		if k < 4 {
			m = c.press("ann", "", v, "w", "Next ▶").Replace
		}
	}
	one := c.press("ann", "", v, "w", "Summary ▶").Replace
	two := c.press("ann", "", v, "w", "Summary ▶").Replace
	c.wants(one, "asked once")
	c.wants(two, "asked once")
}

// i. one person from many goroutines, several persons, quorum
func TestHostileRaceVotes(t *testing.T) {
	for name, open := range map[string]func() engine.Store{
		"memory": func() engine.Store { return storetest.Memory() },
		"bolt": func() engine.Store {
			s, err := boltstore.Open(filepath.Join(t.TempDir(), "x.db"), boltstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChatOn(t, open())
			m := c.daily("g", "quorum=3")
			tok := action(m, "A")[1]
			var wg sync.WaitGroup
			for p := range 8 {
				for k := range 12 {
					wg.Go(func() {
						in := c.input(fmt.Sprint("p", p), "g")
						in.ID, in.At = fmt.Sprint(p, "-", k), monday.Add(2*time.Hour+time.Duration(k)*time.Second)
						in.On, in.Verb, in.Args = "m1", "vote", []string{tok, string(rune('a' + k%4))}
						if k%3 == 2 {
							in.Verb = "mine"
						}
						if _, err := c.e.Handle(t.Context(), in); err != nil {
							t.Error(err)
						}
					})
				}
			}
			wg.Wait()
			c.now = monday.Add(3 * time.Hour)
			for p := range 8 {
				c.wants(c.types(fmt.Sprint("p", p), "g", "stats").Whisper, "1 answer,")
			}
			c.wants(c.types("p1", "g", "streak").Whisper, "This server: 1 day", "1 day in a row")
			c.until(monday.Add(25 * time.Hour))
			r := c.posts.edits["m1"]
			c.wants(&r, "8 answers")
		})
	}
}

// j. a test pressed from many goroutines
func TestHostileRaceTest(t *testing.T) {
	c := newChat(t)
	q := c.types("ann", "", "test quantization").Whisper
	tok := action(q, "A")[1]
	var wg sync.WaitGroup
	for k := range 18 {
		wg.Go(func() {
			in := c.input("ann", "")
			in.ID, in.At = fmt.Sprint(k), c.now.Add(time.Duration(k)*time.Second)
			in.On, in.Verb, in.Args = "w", "pick", []string{tok, "1" + string(rune('a'+k%4))}
			if k%2 == 0 {
				in.Verb, in.Args = "next", []string{tok, "1"}
			}
			if _, err := c.e.Handle(t.Context(), in); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	c.now = c.now.Add(time.Hour)
	c.wants(c.types("ann", "", "stats").Whisper, "1 answer,")
}

// k. odd input never errs or panics, from every verb
func TestHostileOddInput(t *testing.T) {
	c := newChat(t)
	m := c.daily("g")
	tok := action(m, "A")[1]
	form := c.types("admin", "g", "setup").Whisper
	stok := action(form, "Time")[1]
	q := c.types("ann", "", "test quantization").Whisper
	ttok := action(q, "A")[1]
	odd := []string{"", " ", "=", "==", "a=b", "zone=", "channel=", "channel=/", "topics=,", "topics==", "-1", "99999999999999999999", "1e9", "٣", "１", "a", "dk", "e", "z", "A", "1a", "1dk", "0a", "9a", "\x00", "\u202e", "\u200b", "👩‍👩‍👧‍👦", "@everyone", "../..", "25:00", "24:00", "9:00:00", "+9:00", "Mon-", "-Mon", "Mon-Mon", "Sun-Sat", "UTC", "utc", "Local", "EST", "Etc/GMT+12", "{value}", "{n}", "**x**", "`", "[x](http://a.b)", strings.Repeat("é", 500), "\xff\xfe", tok, stok, ttok, "here", "all", "on", "pick", "ask", "topic", "form"}
	for _, cmd := range append(c.e.Commands(), engine.Command{Name: "line"}, engine.Command{Name: ""}, engine.Command{Name: "nope"}) {
		for _, server := range []string{"g", ""} {
			for _, on := range []engine.Ref{"", "x1"} {
				for _, a := range odd {
					for _, args := range [][]string{{a}, {tok, a}, {stok, a}, {ttok, a}, {stok, "pick", a}, {stok, "ask", a}, {stok, "zone", a}, {stok, "time", a}, {stok, "days", a}, {stok, "topic", a}, {stok, "quorum", a}, {a, a}, {}} {
						who := "ann"
						if server != "" {
							who = "admin"
						}
						{
							in := c.input(who, server)
							c.n++
							c.now = c.now.Add(10 * time.Second)
							in.ID, in.At, in.On, in.Verb, in.Args = fmt.Sprint(c.n), c.now, on, cmd.Name, append([]string{}, args...)
							r, err := c.e.Handle(c.Context(), in)
							if err != nil {
								t.Fatalf("%s %q on %q: %v", cmd.Name, args, on, err)
							}
							if r.Whisper == nil && r.Replace == nil && r.Post == nil && r.Ask == nil {
								t.Errorf("%s %q: empty reply", cmd.Name, args)
							}
							if r.Replace != nil && on == "" {
								t.Errorf("%s %q: replaces nothing", cmd.Name, args)
							}
							if r.Ask != nil && strings.Contains(r.Ask.Action, "\n") {
								t.Errorf("ask %q", r.Ask.Action)
							}
							for _, mm := range []*engine.Message{r.Whisper, r.Replace} {
								if mm == nil {
									continue
								}
								for _, row := range mm.Buttons {
									for _, b := range row {
										if len(b.Action) > 64 || len([]rune(b.Label)) > 34 || b.Label == "" || len(strings.Fields(b.Action)) == 0 {
											t.Errorf("%s %q: button %+v", cmd.Name, args, b)
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

// l. Date.At against a walk over the clock, in every zone of the list.
func TestHostileDateAtEverywhere(t *testing.T) {
	bad := 0
	for _, z := range engine.SuggestZones("", 10000) {
		loc, err := time.LoadLocation(z)
		if err != nil {
			t.Errorf("%s: %v", z, err)
			continue
		}
		// only around changes of the clocks
		for at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2026; {
			_, end := at.In(loc).ZoneBounds()
			if end.IsZero() || end.Year() >= 2026 {
				break
			}
			type tick struct {
				at time.Time
				d  engine.Date
				m  int
			}
			var walk []tick
			for x := end.Add(-60 * time.Hour).Truncate(time.Hour); x.Before(end.Add(60 * time.Hour)); x = x.Add(time.Minute) {
				l := x.In(loc)
				walk = append(walk, tick{x, engine.DateOf(x, loc), l.Hour()*60 + l.Minute()})
			}
			for _, hm := range [][2]int{{0, 0}, {0, 30}, {1, 0}, {1, 30}, {2, 0}, {2, 15}, {2, 30}, {3, 0}, {23, 0}, {23, 59}} {
				for _, d := range []engine.Date{engine.DateOf(end, loc) - 1, engine.DateOf(end, loc), engine.DateOf(end, loc) + 1} {
					got, ok := d.At(hm[0], hm[1], loc)
					for _, x := range walk {
						if x.d == d && x.m >= hm[0]*60+hm[1] || x.d > d {
							if ok && !got.Equal(x.at) && bad < 20 {
								bad++
								t.Errorf("%s %s %02d:%02d: %v, want %v", z, d, hm[0], hm[1], got.In(loc), x.at.In(loc))
							}
							break
						}
					}
				}
			}
			at = end.Add(time.Hour)
		}
	}
}
