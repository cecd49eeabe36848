package discord

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// fakeAlone, in the environment, makes the test program a fake Discord, for what
// a fake remembers would else be counted as the bot's.
const fakeAlone = "AIPREP_FAKE_DISCORD"

// outside is a fake Discord in a process of its own.
type outside struct {
	URL, Token, App, Bot, Key string
	World                     bottest.Sample
	Crowd                     []string
}

// beFake runs a fake Discord with a crowd until standard input ends.
func beFake() error {
	d, err := bottest.NewDiscord(bottest.DiscordOptions{Addr: "127.0.0.1:0"})
	if err != nil {
		return err
	}
	defer d.Close()
	o := outside{URL: d.URL(), Token: d.Token, App: d.AppID, Bot: d.BotID, Key: d.PublicKey(), World: d.Populate()}
	for n := range 200 {
		id := d.AddPerson(bottest.Person{Name: fmt.Sprint("person ", n)})
		d.AddMember(o.World.Guild, bottest.Member{User: id})
		o.Crowd = append(o.Crowd, id)
	}
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// startOutside starts one and ends it with the test.
func startOutside(t *testing.T) outside {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fakeAlone+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	var o outside
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		t.Fatalf("the fake does not start: %v", err)
	}
	return o
}

// slash types a command and waits until its answer is shown.
func (o outside) slash(user, name string) error {
	body, err := json.Marshal(map[string]any{"user": user, "channel": o.World.General, "name": name, "wait": patienceOf.String()})
	if err != nil {
		return err
	}
	resp, err := http.Post(o.URL+"/_control/slash", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, said)
	}
	return err
}

// slowly gives each person time between two commands, however fast they come.
type slowly struct {
	bots.Engine
	n     atomic.Int64
	start time.Time
}

func (s *slowly) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	in.At = s.start.Add(time.Duration(s.n.Add(1)) * 50 * time.Millisecond)
	return s.Engine.Handle(ctx, in)
}

// quiet runs a bot over a store on disk, which logs nothing and posts nothing, and
// returns what ends it.
func quiet(t *testing.T, o outside) (*Bot, func()) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := boltstore.Open(filepath.Join(t.TempDir(), "heap.db"), boltstore.Options{})
	must(err)
	log := slog.New(slog.DiscardHandler)
	e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: testBank(), Log: log})
	must(err)
	b, err := New(Config{Engine: &slowly{Engine: e, start: time.Now()}, Token: bots.Secret(o.Token), Log: log, BaseURL: o.URL})
	must(err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	<-b.Ready()
	return b, func() {
		cancel()
		must(<-done)
		must(store.Close())
	}
}

// burden is what a process carries.
type burden struct {
	heap       uint64 // bytes
	goroutines int
}

func weigh(b *Bot) burden {
	http.DefaultClient.CloseIdleConnections()
	b.http.CloseIdleConnections()
	for range 3 { // the second empties pools, the third what they held
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return burden{m.HeapAlloc, runtime.NumGoroutine()}
}

// After many interactions nothing of them is left in memory, neither ours nor the
// library's. AIPREP_INTERACTIONS sets how many.
func TestInteractionsLeaveNothingBehind(t *testing.T) {
	many := 2000
	if testing.Short() {
		many = 200
	}
	if n, err := strconv.Atoi(os.Getenv("AIPREP_INTERACTIONS")); err == nil {
		many = n
	}
	o := startOutside(t)
	b, stop := quiet(t, o)
	defer stop()
	crowd(t, o, 2*len(o.Crowd)) // caches are filled
	before := weigh(b)
	crowd(t, o, many)
	after := weigh(b)
	tick := time.NewTicker(50 * time.Millisecond) // connections end when they have heard of it
	defer tick.Stop()
	for end := time.Now().Add(patienceOf); after.goroutines > before.goroutines && time.Now().Before(end); <-tick.C {
		after = weigh(b)
	}
	t.Logf("%d interactions: heap %d KiB, then %d KiB; goroutines %d, then %d", many, before.heap>>10, after.heap>>10, before.goroutines, after.goroutines)
	// 300 bytes kept of each of 2,000 are seen, and at 100,000 it is 4 MiB in all.
	if most := uint64(min(4<<20, 512<<10+40*many)); after.heap > before.heap+most {
		t.Errorf("the heap grew from %d to %d bytes", before.heap, after.heap)
	}
	if after.goroutines > before.goroutines {
		t.Errorf("%d goroutines, %d before", after.goroutines, before.goroutines)
	}
}

// crowd has everybody type commands, eight at a time, n in all.
func crowd(t *testing.T, o outside, n int) {
	t.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := int(next.Add(1)); i <= n && !t.Failed(); i = int(next.Add(1)) {
				if err := o.slash(o.Crowd[i%len(o.Crowd)], []string{"help", "stats", "start"}[i%3]); err != nil {
					t.Errorf("interaction %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
}
