// Command load drives a real "aiprep serve" with thousands of people, through the
// fake Telegram and the fake Discord, on loopback only:
//
//	go build -o /tmp/aiprep ./cmd/aiprep
//	go run ./bots/bottest/cmd/load -bin /tmp/aiprep -people 6000 -rate 500 -for 60s
//
// It is an open loop: people act at the moments that the rate prescribes, whether
// or not the bot keeps up, and an act is timed from the moment it was due until its
// answer can be seen. At the end serve is stopped and what people were told is
// compared with what the store holds.
//
//	go run ./bots/bottest/cmd/load -fill 1000000 -servers 10000 -store /tmp/big
//
// makes a store with so many people, over which -store then runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// Bounds of a run: it is for one machine and one coffee.
const (
	mostPeople = 100_000
	mostRate   = 10_000
	mostFilled = 10_000_000
	longest    = 30 * time.Minute
)

// plan is what the flags say.
type plan struct {
	bin    string
	people int
	rate   float64 // acts a second
	length time.Duration
	seed   uint64
	store  string // where the store is made; kept if it was named
	key    string // store.key_file
	kills  int    // how often serve is killed meanwhile

	fill, servers, days int // of a store to make, in place of a run
}

func readPlan(args []string, out io.Writer) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&p.bin, "bin", "", "the aiprep program (go build -o /tmp/aiprep ./cmd/aiprep)")
	flags.IntVar(&p.people, "people", 6000, "how many people, half of them on each platform")
	flags.Float64Var(&p.rate, "rate", 500, "acts a second, all people together")
	flags.DurationVar(&p.length, "for", time.Minute, "how long")
	flags.Uint64Var(&p.seed, "seed", 1, "of what people know and of whose turn it is; a second run over one store needs another one")
	flags.StringVar(&p.store, "store", "", "folder of the store; a temporary one if empty")
	flags.StringVar(&p.key, "key", "", "store.key_file, for an encrypted store")
	flags.IntVar(&p.kills, "kills", 0, "kill serve so often meanwhile, and break the platforms, fill the disk and back up beside it")
	flags.IntVar(&p.fill, "fill", 0, "make a store with so many people instead, in the folder of -store; a run can then use it")
	flags.IntVar(&p.servers, "servers", 100, "of -fill: in so many servers")
	flags.IntVar(&p.days, "days", 1, "of -fill: who answered on so many days")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	switch {
	case p.fill != 0:
		return p, p.checkFill()
	case p.bin == "":
		return p, errors.New("name the program with -bin: go build -o /tmp/aiprep ./cmd/aiprep")
	case p.people < 2 || p.people > mostPeople:
		return p, fmt.Errorf("-people is %d: between 2 and %d", p.people, mostPeople)
	case p.rate <= 0 || p.rate > mostRate:
		return p, fmt.Errorf("-rate is %g: more than 0, at most %d", p.rate, mostRate)
	case p.length <= 0 || p.length > longest:
		return p, fmt.Errorf("-for is %v: more than 0, at most %v", p.length, longest)
	case p.kills < 0 || float64(p.kills) > p.length.Seconds()*2:
		return p, fmt.Errorf("-kills is %d: not less than 0, at most two a second", p.kills)
	case p.rate > float64(p.people)/4:
		// One person may do 20 things a minute and the bot then asks for patience.
		return p, fmt.Errorf("-rate %g is more than %d people may do: at most %d, or more -people", p.rate, p.people, p.people/4)
	}
	return p, nil
}

func (p plan) checkFill() error {
	switch {
	case p.store == "":
		return errors.New("-fill needs the folder of -store")
	case p.fill < 0 || p.fill > mostFilled || p.servers < 1 || p.servers > mostFilled || p.days < 1 || p.days > 365:
		return fmt.Errorf("-fill, -servers: from 1 to %d; -days: from 1 to 365", mostFilled)
	}
	return nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	p, err := readPlan(args, out)
	if err != nil {
		return err
	}
	if p.fill > 0 {
		return fill(ctx, p, out)
	}
	if p.bin, err = filepath.Abs(p.bin); err != nil {
		return err
	}
	if p.store == "" {
		if p.store, err = os.MkdirTemp("", "load"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(p.store)) }()
	}
	c, err := newCrowd(p)
	if err != nil {
		return err
	}
	defer c.close()
	if err := setUp(ctx, p, c.servers()); err != nil {
		return err
	}
	s, err := startServe(ctx, p, c.env())
	if err != nil {
		return err
	}
	defer func() { s.kill() }()
	if err := c.ready(ctx); err != nil {
		return fmt.Errorf("%w\n%s", err, s.log.String())
	}
	fmt.Fprintf(out, "serve is ready %v after its start, and its challenges are there\n", s.took.Round(time.Millisecond))
	fmt.Fprintf(out, "%d people, %g acts a second for %v\n", p.people, p.rate, p.length)
	soaked := newSoak(p, c, s)
	figures := c.drive(ctx, p)
	if s, err = soaked.end(); err != nil {
		return err
	}
	memory := s.memory()
	if err := s.term(); err != nil {
		return err
	}
	figures.print(out)
	fmt.Fprintf(out, "serve: %s\n", memory)
	kept, err := readStore(context.WithoutCancel(ctx), p, c)
	if err != nil {
		return err
	}
	return errors.Join(soaked.print(out), kept.print(out, c.problems()))
}
