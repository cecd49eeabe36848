package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// poster records what is posted, by server.
type poster struct {
	mu    sync.Mutex
	posts map[string][]time.Time
}

func (p *poster) Post(_ context.Context, d engine.Delivery) (engine.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.posts[d.To.Server] = append(p.posts[d.To.Server], time.Now().UTC())
	return engine.Receipt{Ref: engine.Ref(fmt.Sprint(d.To.Server, len(p.posts[d.To.Server])))}, nil
}

func (p *poster) Edit(context.Context, engine.Place, engine.Ref, engine.Message) error { return nil }

func (p *poster) of(server string) []time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.posts[server])
}

// yearZones are zones with every kind of odd day between 2010 and 2026: half
// hours, midnight changes, a skipped date, quarter hours, changes on other
// days than Sunday.
func yearZones() []string {
	return []string{
		"Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns", "America/Sao_Paulo",
		"Asia/Kathmandu", "Africa/Cairo", "UTC", "Europe/Berlin", "Europe/London",
		"Europe/Dublin", "Europe/Lisbon", "Europe/Moscow", "Europe/Istanbul", "Europe/Chisinau",
		"America/New_York", "America/Los_Angeles", "America/Chicago", "America/Denver",
		"America/Phoenix", "America/Halifax", "America/Havana", "America/Santiago",
		"America/Asuncion", "America/Caracas", "America/Argentina/Buenos_Aires",
		"America/Mexico_City", "America/Anchorage", "America/Nuuk", "Atlantic/Azores",
		"Africa/Casablanca", "Africa/Johannesburg", "Africa/Nairobi", "Asia/Tehran",
		"Asia/Kolkata", "Asia/Beirut", "Asia/Gaza", "Asia/Amman", "Asia/Damascus",
		"Asia/Tokyo", "Asia/Singapore", "Asia/Pyongyang", "Australia/Sydney",
		"Australia/Adelaide", "Australia/Eucla", "Pacific/Auckland", "Pacific/Chatham",
		"Pacific/Kiritimati", "Pacific/Fakaofo", "Pacific/Marquesas", "Antarctica/Troll",
	}
}

// dueInstants walks a zone's clock minute by minute and returns, for each
// local date that begins and ends within the walk, the first instant whose
// local time is at or past hh:mm. It knows nothing of the resolver.
func dueInstants(loc *time.Location, from, to time.Time, hh, mm int) []time.Time {
	var due []time.Time
	last := ""
	for t := from; t.Before(to); t = t.Add(time.Minute) {
		l := t.In(loc)
		date := l.Format(time.DateOnly)
		if date > last && (l.Hour() > hh || l.Hour() == hh && l.Minute() >= mm) {
			due = append(due, t)
			last = date
		}
	}
	return due
}

// A year of daily posts: one a local date that exists, at the right instant.
func TestYearOfPostsInEveryZone(t *testing.T) {
	synctest.Test(t, aYear)
}

// aYear gives each zone one of the times that clock changes touch, or nine.
func aYear(t *testing.T) {
	clocks := [][2]int{{0, 0}, {2, 15}, {9, 0}, {23, 30}, {1, 30}}
	zones := yearZones()
	if len(zones) < 40 {
		t.Fatalf("only %d zones", len(zones))
	}
	e, p := schedule(t)
	began := time.Now()
	for i, zone := range zones {
		c := clocks[i%len(clocks)]
		setUp(t, e, fmt.Sprint(i), fmt.Sprintf("%02d:%02d", c[0], c[1]), zone)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- e.RunSchedule(ctx, map[string]engine.Poster{"test": p}) }()
	days := 366
	if testing.Short() { // under the race detector: enough to meet a change of the clocks
		days = 100
	}
	const tail = 37 * time.Minute                       // no post is due at the very end
	time.Sleep(time.Duration(days)*24*time.Hour + tail) // the bubble's clock, not the machine's
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i, zone := range zones {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		want := dueInstants(loc, began.Add(-48*time.Hour), began.Add(time.Duration(days)*24*time.Hour+tail), clocks[i%len(clocks)][0], clocks[i%len(clocks)][1])
		want = slices.DeleteFunc(want, func(at time.Time) bool { return !at.After(began) })
		comparePosts(t, zone, p.of(fmt.Sprint(i)), want)
	}
}

func comparePosts(t *testing.T, zone string, got, want []time.Time) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d posts, want %d", zone, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if late := got[i].Sub(want[i]); late < 0 || late > time.Second {
			t.Errorf("%s: post %d at %v, want %v", zone, i, got[i], want[i])
			return
		}
	}
}

// schedule returns an engine over a store that runs every transaction twice.
func schedule(t *testing.T) (*engine.Engine, *poster) {
	t.Helper()
	store := storetest.Twice(storetest.Memory())
	t.Cleanup(func() { store.Close() })
	e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: contenttest.Bank(), Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return e, &poster{posts: map[string][]time.Time{}}
}

func setUp(t *testing.T, e *engine.Engine, server string, args ...string) {
	t.Helper()
	r, err := e.Handle(t.Context(), engine.Input{
		ID: "setup-" + server, At: time.Now(), Admin: true, Verb: "setup", Args: args,
		From: engine.User{Platform: "test", ID: "admin-" + server, Name: "Admin"},
		In:   engine.Place{Platform: "test", Server: server, Chat: server},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Whisper == nil || len(r.Whisper.Buttons) == 0 {
		t.Fatalf("setup %v was refused: %+v", args, r.Whisper)
	}
}

// The zones that skipped or doubled a date or an hour in the years at hand.
func TestDateAtAgainstTheClock(t *testing.T) {
	for _, c := range []struct {
		zone     string
		from, to string
	}{
		{"Pacific/Apia", "2011-12-25", "2012-01-04"},
		{"America/Sao_Paulo", "2018-10-30", "2018-11-08"},
		{"Australia/Lord_Howe", "2024-09-30", "2024-10-10"},
		{"Australia/Lord_Howe", "2024-04-01", "2024-04-10"},
		{"America/St_Johns", "2010-11-03", "2010-11-10"},
		{"Africa/Cairo", "2024-04-22", "2024-04-30"},
		{"Europe/Berlin", "2024-12-28", "2025-01-03"},
	} {
		loc, _ := time.LoadLocation(c.zone)
		from, _ := time.Parse(time.DateOnly, c.from)
		to, _ := time.Parse(time.DateOnly, c.to)
		for _, clock := range [][2]int{{0, 0}, {0, 30}, {1, 30}, {2, 0}, {2, 15}, {3, 0}, {23, 45}} {
			want := dueInstants(loc, from.Add(-48*time.Hour), to.Add(48*time.Hour), clock[0], clock[1])
			got := map[time.Time]bool{}
			first, last := engine.DateOf(from, loc), engine.DateOf(to, loc)
			for d := first; d <= last; d++ {
				if at, ok := d.At(clock[0], clock[1], loc); ok {
					got[at.UTC()] = true
				}
			}
			for _, at := range want {
				if d := engine.DateOf(at, loc); d >= first && d <= last && !got[at.UTC()] {
					t.Errorf("%s %v: nothing at %v", c.zone, clock, at.In(loc))
				}
				delete(got, at.UTC())
			}
			if len(got) > 0 {
				t.Errorf("%s %v: also at %v", c.zone, clock, got)
			}
		}
	}
}

// Down for three days: one late post at most, and it says so.
func TestThreeDaysDownGiveOneLatePostAtMost(t *testing.T) {
	for _, c := range []struct {
		name  string
		back  time.Duration // after the first post
		posts int           // on the day the bot is back
	}{
		{"back within the window", 3*24*time.Hour + 2*time.Hour, 1},
		{"back after the window", 3*24*time.Hour + 8*time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, p := schedule(t)
				setUp(t, e, "1", "09:00", "Europe/Berlin")
				run := func(d time.Duration) {
					ctx, cancel := context.WithCancel(t.Context())
					done := make(chan error)
					go func() { done <- e.RunSchedule(ctx, map[string]engine.Poster{"test": p}) }()
					time.Sleep(d)
					cancel()
					<-done
				}
				run(24 * time.Hour)
				before := len(p.of("1"))
				if before != 1 {
					t.Fatalf("%d posts on the first day", before)
				}
				first := p.of("1")[0]
				time.Sleep(time.Until(first.Add(c.back)))
				run(time.Hour)
				if got := len(p.of("1")) - before; got != c.posts {
					t.Errorf("%d posts after three days down, want %d", got, c.posts)
				}
				run(24 * time.Hour)
				if got := len(p.of("1")) - before; got != c.posts+1 {
					t.Errorf("%d posts a day later, want %d", got, c.posts+1)
				}
			})
		})
	}
}
