package bottest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"aiprep/bots"
	"aiprep/content"
	"aiprep/engine"
)

// A talk is a conversation as a script, in the console's syntax. Play runs it
// through an adapter and checks after every line that the person sees every
// word and every button of what the engine replied, and that nobody else sees
// a whisper.

// Talk is one script.
type Talk struct {
	Name  string
	Lines []string
	// Sells says that something is sold in this talk, which has the line :sells.
	Sells bool
}

// TalkSKU is what is sold on Discord.
const TalkSKU = "900"

// Unlocking is what the engine of this talk sells.
func (t Talk) Unlocking() *engine.Unlocking {
	if !t.Sells {
		return nil
	}
	return &engine.Unlocking{TestsPerDay: 1, Stars: 350, SKU: TalkSKU, Support: "help@example.org"}
}

// Buyer is a Driver of a surface on which something can be bought.
type Buyer interface {
	// Buy buys what the newest offer offers; Refund has the platform give it back.
	// Both return when the bot knows, or would with the person's next word.
	Buy(ctx context.Context, who string) error
	Refund(ctx context.Context, who string) error
}

// LoadTalks reads every *.txt in dir.
func LoadTalks(dir string) ([]Talk, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no talks in %s", dir))
	}
	var talks []Talk
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		t := Talk{Name: strings.TrimSuffix(filepath.Base(f), ".txt")}
		for line := range strings.Lines(string(raw)) {
			line = strings.TrimSpace(line)
			if line == ":sells" {
				t.Sells = true
			} else if line != "" && !strings.HasPrefix(line, "#") {
				t.Lines = append(t.Lines, line)
			}
		}
		talks = append(talks, t)
	}
	return talks, nil
}

// Driver plays people on one surface. server is "" in private. A driver
// presses only what it finds in the payloads that the surface received.
type Driver interface {
	// Type sends what a person types: a command, or a line of text that the
	// last reply asked for. It returns when the adapter has replied.
	Type(ctx context.Context, who, server, line string) error
	// Press presses the letter, or the numbered button, on the newest message
	// that the person sees and that has it.
	Press(ctx context.Context, who, server, button string) error
	// Until sets the surface's clock and does what is due.
	Until(ctx context.Context, at time.Time) error
	// Now is the surface's clock.
	Now() time.Time
	// Sees lists what a person reads here and in private, alerts included;
	// who is "" for what everybody reads.
	Sees(who, server string) []Seen
}

// ErrNoSuchThing is what a Driver returns when its surface has no way of doing
// a line: plain text to a bot that reads none, for example.
var ErrNoSuchThing = errors.New("this surface has no such thing")

// Seen is one message on a surface.
type Seen struct {
	Text    string
	Buttons []string // labels
}

// TalkStart is when every talk begins.
var TalkStart = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// Play runs one talk. rec must stand between the adapter and the engine.
func Play(t testing.TB, talk Talk, d Driver, rec *Witness) {
	t.Helper()
	p := player{t: t, d: d, rec: rec, who: "ann"}
	for n, line := range talk.Lines {
		if err := p.line(line); err != nil {
			t.Fatalf("%s: line %d, %q: %v", talk.Name, n+1, line, err)
		}
		if t.Failed() {
			t.Fatalf("%s: stopped at line %d, %q", talk.Name, n+1, line)
		}
	}
}

type player struct {
	t           testing.TB
	d           Driver
	rec         *Witness
	who, server string
	public      string // what everybody has read before this line
}

func (p *player) line(line string) error {
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second)
	defer cancel()
	if err := p.d.Until(ctx, p.d.Now().Add(10*time.Second)); err != nil {
		return err
	}
	verb, arg, _ := strings.Cut(line, " ")
	switch {
	case verb == ":as":
		p.who = arg
		return nil
	case verb == ":in":
		if p.server = arg; arg == "private" {
			p.server = ""
		}
		return nil
	case verb == ":at":
		at, err := talkTime(arg)
		if err != nil {
			return err
		}
		return p.d.Until(ctx, at)
	case verb == ":buy", verb == ":refund":
		return p.trade(ctx, verb)
	}
	p.rec.Take()
	p.public = letters(allText(p.d.Sees("", p.server)))
	var err error
	if _, nan := strconv.Atoi(line); nan == nil || len(line) == 1 {
		err = p.d.Press(ctx, p.who, p.server, line)
	} else {
		err = p.d.Type(ctx, p.who, p.server, line)
	}
	if errors.Is(err, ErrNoSuchThing) {
		return nil
	}
	if err != nil {
		return err
	}
	replies := p.rec.Take()
	if len(replies) == 0 {
		return errors.New("the engine was not asked")
	}
	return p.check(ctx, replies)
}

// trade buys what is offered, or has it given back, where the surface can.
func (p *player) trade(ctx context.Context, verb string) error {
	b, ok := p.d.(Buyer)
	if !ok {
		return nil
	}
	p.rec.Take()
	do := b.Buy
	if verb == ":refund" {
		do = b.Refund
	}
	if err := do(ctx, p.who); err != nil {
		return err
	}
	return p.check(ctx, p.rec.Take())
}

func talkTime(arg string) (time.Time, error) {
	when, zone, _ := strings.Cut(arg, " ")
	loc := time.UTC
	if zone != "" {
		l, err := engine.ParseZone(zone)
		if err != nil {
			return time.Time{}, err
		}
		loc = l
	}
	return time.ParseInLocation("2006-01-02T15:04", when, loc)
}

// check compares what was replied with what is seen, as soon as it is.
func (p *player) check(ctx context.Context, replies []Exchange) error {
	for _, x := range replies {
		if err := x.promise(); err != nil {
			return err
		}
		parts := []*engine.Message{x.Reply.Whisper, x.Reply.Replace, x.Reply.Post}
		if ask := x.Reply.Ask; ask != nil {
			parts = append(parts, &engine.Message{Title: ask.Label})
		}
		for _, m := range parts {
			if m == nil {
				continue
			}
			if err := p.waitSeen(ctx, *m); err != nil {
				return err
			}
		}
		if w := x.Reply.Whisper; w != nil && p.server != "" {
			if words := letters(w.Title + w.Text.String()); len(words) > 40 && !strings.Contains(p.public, words) && strings.Contains(letters(allText(p.d.Sees("", p.server))), words) {
				return fmt.Errorf("everybody sees the whisper %q", w.Title)
			}
		}
	}
	return nil
}

// waitSeen waits until the person sees all words and buttons of m.
func (p *player) waitSeen(ctx context.Context, m engine.Message) error {
	for {
		err := missing(m, p.d.Sees(p.who, p.server))
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond): // polls a condition
		}
	}
}

// missing names the first word or button of m that is not seen.
func missing(m engine.Message, seen []Seen) error {
	if o := m.Offer; o != nil {
		// An offer has words of its own where it is a message of its own.
		if missing(engine.Message{Title: o.Title, Text: content.Plain(o.Text), Buttons: m.Buttons}, seen) == nil {
			return nil
		}
	}
	all := letters(allText(seen))
	if !strings.Contains(all, letters(m.Title)) {
		return fmt.Errorf("the title %q is not seen", m.Title)
	}
	for _, b := range m.Text {
		if text := (content.Text{b}).String(); !strings.Contains(all, letters(text)) {
			return fmt.Errorf("%q is not seen", text)
		}
	}
	labels := map[string]bool{}
	for _, s := range seen {
		for _, l := range s.Buttons {
			labels[l] = true
		}
	}
	for _, row := range m.Buttons {
		for _, b := range row {
			if !labels[b.Label] {
				return fmt.Errorf("the button %q is not seen", b.Label)
			}
		}
	}
	return nil
}

func allText(seen []Seen) string {
	var b strings.Builder
	for _, s := range seen {
		b.WriteString(s.Text + "\n")
	}
	return b.String()
}

// letters keeps what every surface must show alike: letters and digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Exchange is one Input and what the engine replied.
type Exchange struct {
	Input   engine.Input
	Command engine.Command
	Reply   engine.Reply
}

// promise checks that a reply shows what its row of the table says, so that an
// adapter may rely on it when it defers.
func (x Exchange) promise() error {
	want := x.Command.Shows
	if x.Input.On != "" {
		want = x.Command.Pressed
	}
	r := x.Reply
	switch {
	case x.Command.Name == "" || r.Ask != nil || r.Whisper != nil && r.Replace == nil && r.Post == nil:
		return nil // a whisper of trouble is always allowed
	case r.Replace != nil && want != engine.ShowsReplace, r.Post != nil && want != engine.ShowsPost:
		return fmt.Errorf("%s answers otherwise than its row says", x.Command.Name)
	}
	return nil
}

// Witness stands between an adapter and the engine. A script can't know the code
// that joins two accounts, so it types {code} for the last one shown.
type Witness struct {
	bots.Engine

	mu   sync.Mutex
	code string
	all  []Exchange
	more chan struct{}
}

// NewWitness returns a Witness over e.
func NewWitness(e bots.Engine) *Witness {
	return &Witness{Engine: e, more: make(chan struct{}, 1)}
}

// Handle asks the engine and records the exchange.
func (r *Witness) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	r.mu.Lock()
	code := r.code
	r.mu.Unlock()
	in.Args = slices.Clone(in.Args)
	for n := range in.Args {
		in.Args[n] = strings.ReplaceAll(in.Args[n], "{code}", code)
	}
	reply, err := r.Engine.Handle(ctx, in)
	if err == nil {
		cmd, _ := r.Command(in.Verb)
		r.mu.Lock()
		if m := reply.Whisper; m != nil {
			if _, code, ok := strings.Cut(m.Title, "Your code: "); ok {
				r.code = code
			}
		}
		r.all = append(r.all, Exchange{Input: in, Command: cmd, Reply: reply})
		r.mu.Unlock()
		select {
		case r.more <- struct{}{}:
		default:
		}
	}
	return reply, err
}

// Take returns the exchanges since the last Take.
func (r *Witness) Take() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// Wait returns when at least one exchange can be taken.
func (r *Witness) Wait(ctx context.Context) error {
	for {
		r.mu.Lock()
		n := len(r.all)
		r.mu.Unlock()
		if n > 0 {
			return nil
		}
		select {
		case <-r.more:
		case <-ctx.Done():
			return errors.New("the engine was not asked")
		}
	}
}
