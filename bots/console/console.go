// Package console is a chat in a terminal: the whole engine without an
// account, a token or a server. Several people and servers can be played in
// it, and its clock can be set, so that a daily challenge, its answers and a
// streak can be seen in a minute.
//
//	/test nlp-llms       what a person types
//	a                    presses the button of option A
//	2                    presses the button numbered 2
//	:as ann              who speaks
//	:in guild-1          where: a server, or :in private
//	:at 2026-03-29T08:59 Europe/Berlin    when; what falls due is done on the way
//	:quit                ends
package console

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"aiprep/bots"
	"aiprep/engine"
)

// Config is what a Console needs; all of it is required but Start.
type Config struct {
	Engine bots.Engine
	// Advance does what is due up to an instant.
	Advance func(ctx context.Context, posters map[string]engine.Poster, to time.Time) error
	In      io.Reader
	Out     io.Writer
	// Start sets the clock and makes it stand still but for ten seconds a
	// line, so that a script always plays the same. Zero means the real time.
	Start time.Time
	// Save keeps a file or picture that was sent and returns where it is. With
	// none, only the name and size are shown.
	Save func(name string, data []byte) (path string, err error)
}

// Platform is the console's name among the platforms.
const Platform = "console"

// Console is one session.
type Console struct {
	cfg   Config
	world *world

	mu     sync.Mutex // one line, or one tick of the clock, at a time
	who    string
	server string // "" in private
	ahead  time.Duration
	now    time.Time // script clock
	events int
	asked  map[string]bool // people of whom a line of text is wanted
}

// perLine is how far a script's clock moves with every line.
const perLine = 10 * time.Second

// New returns a session that begins with ann in private.
func New(cfg Config) *Console {
	return &Console{cfg: cfg, world: newWorld(cfg), who: "ann", now: cfg.Start, asked: map[string]bool{}}
}

func (c *Console) script() bool { return !c.cfg.Start.IsZero() }

func (c *Console) clock() time.Time {
	if c.script() {
		return c.now
	}
	return time.Now().Add(c.ahead).Truncate(time.Second)
}

// Run reads lines until :quit, the end of the input or the end of ctx.
func (c *Console) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, failed := make(chan string), make(chan error, 1)
	go read(ctx, c.cfg.In, lines, failed)
	if !c.script() {
		c.world.printf("Type /start, or :help. :quit ends.\n")
		c.invite()
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-tick.C:
			if err := c.tick(ctx); err != nil {
				return err
			}
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			quit, err := c.Line(ctx, line)
			if quit || err != nil {
				return err
			}
			if !c.script() {
				c.invite()
			}
		}
	}
}

func read(ctx context.Context, r io.Reader, lines chan<- string, failed chan<- error) {
	defer close(lines)
	s := bufio.NewScanner(r)
	for s.Scan() {
		select {
		case lines <- s.Text():
		case <-ctx.Done():
			return
		}
	}
	if err := s.Err(); err != nil {
		failed <- fmt.Errorf("read input: %w", err)
	}
}

// tick does what is due by the real clock; a script's clock moves by lines.
func (c *Console) tick(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.script() {
		return nil
	}
	return c.advance(ctx, c.clock())
}

func (c *Console) advance(ctx context.Context, to time.Time) error {
	return c.cfg.Advance(ctx, map[string]engine.Poster{Platform: c}, to)
}

// Line plays one line and reports whether it ends the session.
func (c *Console) Line(ctx context.Context, line string) (quit bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return false, nil
	}
	if c.script() {
		c.world.printf("\n%s> %s\n", c.prompt(), line)
		if err := c.advance(ctx, c.now.Add(perLine)); err != nil {
			return false, err
		}
		c.now = c.now.Add(perLine)
	}
	if rest, ok := strings.CutPrefix(line, ":"); ok {
		return c.direct(ctx, rest)
	}
	return false, c.speak(ctx, line)
}

// invite shows who speaks next and where.
func (c *Console) invite() { c.world.printf("%s> ", c.prompt()) }

func (c *Console) prompt() string {
	if c.server == "" {
		return c.who
	}
	return c.who + "@" + c.server
}

// direct serves the lines that set who, where and when.
func (c *Console) direct(ctx context.Context, line string) (quit bool, err error) {
	verb, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	switch {
	case verb == "quit":
		return true, nil
	case verb == "as" && arg != "":
		c.who = arg
	case verb == "in" && arg == "private":
		c.server = ""
	case verb == "in" && arg != "":
		c.server = arg
		c.world.enter(arg, c.who)
	case verb == "at" && arg != "":
		return false, c.setClock(ctx, arg)
	default:
		c.world.printf("%s", help)
	}
	return false, nil
}

const help = `  /test nlp-llms   what a person types; /help lists the commands
  a                presses option A; a number presses another button
  :as ben          who speaks        :in guild-1   where (or :in private)
  :at 2026-03-29T08:59 Europe/Berlin  sets the clock; posts on the way go out
  :quit            ends
  Whoever enters a server first manages it.
`

// setClock moves the clock forward and does what falls due on the way.
func (c *Console) setClock(ctx context.Context, arg string) error {
	when, zone, _ := strings.Cut(arg, " ")
	loc := time.UTC
	if zone != "" {
		l, err := engine.ParseZone(zone)
		if err != nil {
			c.world.printf("  %v\n", err)
			return nil
		}
		loc = l
	}
	at, err := time.ParseInLocation("2006-01-02T15:04", when, loc)
	if err != nil {
		c.world.printf("  write the time as 2026-03-29T08:59, then a zone\n")
		return nil
	}
	if at.Before(c.clock()) {
		c.world.printf("  the clock stands at %s and goes forward only\n", c.clock().In(loc).Format("2006-01-02T15:04"))
		return nil
	}
	if c.script() {
		c.now = at
	} else {
		c.ahead = time.Until(at)
	}
	return c.advance(ctx, at)
}

// speak gives the engine what was typed or pressed and shows its reply.
func (c *Console) speak(ctx context.Context, line string) error {
	in, answering := c.input(), false
	switch pressed, on := c.world.button(in.In, c.who, line); {
	case c.asked[c.who] && !strings.HasPrefix(line, "/"):
		delete(c.asked, c.who)
		answering = true
		if err := c.awaited(ctx, &in, line); err != nil {
			return err
		}
	case pressed != nil && pressed.URL != "":
		c.world.printf("  opens %s\n", pressed.URL)
		return nil
	case pressed != nil:
		words := strings.Fields(pressed.Action)
		in.On, in.Own = on, c.world.own(on)
		in.Verb, in.Args = words[0], words[1:]
	case strings.HasPrefix(line, "/"):
		words := strings.Fields(line[1:])
		if len(words) == 0 {
			words = []string{"help"}
		}
		in.Verb, in.Args = words[0], words[1:]
	default:
		in.Args = []string{line}
	}
	r, err := engine.Answer(ctx, c.cfg.Engine, in, look)
	if err != nil {
		return fmt.Errorf("answer %q: %w", line, err)
	}
	c.show(in, r)
	if answering { // what was wrong may be written again
		if _, _, c.asked[c.who], err = c.cfg.Engine.Awaited(ctx, in.From, in.At); err != nil {
			return err
		}
	}
	return c.advance(ctx, c.clock())
}

func (c *Console) input() engine.Input {
	c.events++
	place := engine.Place{Platform: Platform, Server: c.server, Chat: c.server}
	if c.server == "" {
		place.Chat = c.who
	}
	return engine.Input{
		ID: fmt.Sprintf("line-%d", c.events), At: c.clock(), In: place,
		From:  engine.User{Platform: Platform, ID: c.who, Name: c.who},
		Admin: c.world.manages(c.server, c.who),
	}
}

// awaited turns a line that was asked for into the command it belongs to.
func (c *Console) awaited(ctx context.Context, in *engine.Input, line string) error {
	action, place, ok, err := c.cfg.Engine.Awaited(ctx, in.From, in.At)
	if err != nil || !ok {
		in.Args = []string{line}
		return err
	}
	words := strings.Fields(action)
	in.Verb, in.Args, in.In = words[0], append(words[1:], line), place
	return nil
}

// show puts a reply's parts where they belong.
func (c *Console) show(in engine.Input, r engine.Reply) {
	if r.Replace != nil {
		c.world.replace(in.On, *r.Replace)
	}
	if r.Whisper != nil {
		c.world.add(in.In, c.who, *r.Whisper)
	}
	if r.Post != nil {
		c.world.add(in.In, "", *r.Post)
	}
	if r.Ask != nil {
		c.asked[c.who] = true
		c.world.printf("  ? %s: %s (for example %s)\n", r.Ask.Title, r.Ask.Label, r.Ask.Hint)
	}
}

// look finds that a terminal forbids nothing, and that nobody leaves it.
func look(context.Context, engine.Query) engine.Sight { return engine.Sight{} }

// Post shows a message that nobody asked for.
func (c *Console) Post(_ context.Context, d engine.Delivery) (engine.Receipt, error) {
	return engine.Receipt{Ref: c.world.add(d.To, "", d.Message)}, nil
}

// Edit replaces a message that was posted.
func (c *Console) Edit(_ context.Context, _ engine.Place, ref engine.Ref, m engine.Message) error {
	if !c.world.replace(ref, m) {
		return &engine.PostError{Kind: engine.Lost}
	}
	return nil
}
