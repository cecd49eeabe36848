package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine/boltstore"
)

// soak is what befalls serve while people act.
type soak struct {
	plan
	crowd *crowd
	live  *serve
	rng   *rand.Rand
	stop  context.CancelFunc
	done  chan error // what went wrong, once it has ended

	killed, faults, full int
	backups              []string
}

// newSoak begins it; without kills nothing befalls anybody.
func newSoak(p plan, c *crowd, live *serve) *soak {
	k := &soak{plan: p, crowd: c, live: live, rng: rand.New(rand.NewPCG(p.seed, 7)), done: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	go func() { k.done <- k.run(ctx) }()
	return k
}

// Every so many lives the disk is full, and a backup is made.
const (
	fullEvery   = 10
	backupEvery = 20
)

// run kills serve at random moments, also while it starts, and meanwhile breaks
// requests to the platforms.
func (k *soak) run(ctx context.Context) error {
	for ; k.killed < k.kills; k.killed++ {
		k.breakSomething()
		if !sleepUntil(ctx, time.Now().Add(k.life())) {
			return nil
		}
		if k.killed%backupEvery == 0 {
			k.backUp(ctx)
		}
		select {
		case <-k.live.dead:
			return fmt.Errorf("serve ended by itself: %v\n%s", k.live.cmd.ProcessState, k.live.log.String())
		default:
		}
		k.live.kill()
		env := k.crowd.env()
		if k.killed%fullEvery == fullEvery-1 {
			env = append(env, k.noRoom())
			k.full++
		}
		var err error
		if k.live, err = launch(k.plan, env); err != nil {
			return err
		}
	}
	return nil
}

// life is how long the next process lives: most hardly begin, some get to work.
func (k *soak) life() time.Duration {
	mean := float64(k.length) / float64(k.kills)
	if k.rng.IntN(10) < 7 {
		return time.Duration(mean * (.05 + .5*k.rng.Float64()))
	}
	return time.Duration(mean * (1.3 + 2.6*k.rng.Float64()))
}

// breakSomething has the next few requests of a kind to a platform fail, some of
// them after they were done.
func (k *soak) breakSomething() {
	kinds := []bottest.FaultKind{
		bottest.BadGateway{}, bottest.Dropped{}, bottest.AcceptThenTimeout{}, bottest.RateLimited{RetryAfter: time.Second},
	}
	for _, s := range k.crowd.stages {
		s.ClearFaults() // of the last life, lest nobody ever gets as far as to be there
		if k.rng.IntN(2) == 0 {
			continue
		}
		calls := s.calls()
		f := bottest.Fault{Match: calls[k.rng.IntN(len(calls))], Times: 1 + k.rng.IntN(3), Kind: kinds[k.rng.IntN(len(kinds))]}
		k.faults += f.Times
		s.Inject(f)
	}
}

// noRoom limits the store to what it has.
func (k *soak) noRoom() string {
	info, err := os.Stat(filepath.Join(k.store, "aiprep.db"))
	if err != nil {
		return "AIPREP_STORE_MAX_SIZE_MB=1"
	}
	return fmt.Sprintf("AIPREP_STORE_MAX_SIZE_MB=%d", max(info.Size()>>20, 1))
}

// backUp makes a backup of the running serve; it may fail, for serve may not have
// begun to listen.
func (k *soak) backUp(ctx context.Context) {
	name := filepath.Join(k.store, fmt.Sprintf("backup-%d.db", k.killed))
	if _, err := k.command(ctx, "backup", name); err == nil {
		k.backups = append(k.backups, name)
	}
}

// command runs an operator's command.
func (k *soak) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, k.bin, args...)
	cmd.Dir, cmd.Env = k.store, k.environ()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// end ends it and returns a serve that runs and to which nothing happens any more.
func (k *soak) end() (*serve, error) {
	defer k.stop()
	err := <-k.done
	for _, s := range k.crowd.stages {
		s.ClearFaults()
	}
	if err != nil || k.kills == 0 {
		return k.live, err
	}
	k.live.kill()
	k.live, err = startServe(context.Background(), k.plan, k.crowd.env())
	return k.live, err
}

// print says what befell serve, and fails unless everything that was written can
// be had again. serve has ended.
func (k *soak) print(out io.Writer) error {
	if k.kills == 0 {
		return nil
	}
	fmt.Fprintf(out, "%d times SIGKILL, up to %d requests broken, %d lives on a full disk, %d backups\n", k.killed, k.faults, k.full, len(k.backups))
	var errs []error
	for _, b := range k.backups {
		if _, err := boltstore.Verify(b); err != nil {
			errs = append(errs, err)
		}
	}
	said, err := k.command(context.Background(), "rebuild", "--verify")
	fmt.Fprintf(out, "rebuild --verify: %s\n", said)
	if err != nil {
		errs = append(errs, fmt.Errorf("rebuild --verify: %w", err))
	}
	return errors.Join(errs...)
}
