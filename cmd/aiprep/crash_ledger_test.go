package main

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// stage is one platform as the crash test plays on it: a fake server with
// people, all of whom are in every server that opens.
type stage interface {
	name() string
	address() string
	env(server string) []string                                   // of a process that talks to this platform through server
	bot(t testing.TB, e *engine.Engine, now func() time.Time) bot // the adapter itself
	age(d time.Duration)                                          // the platform's clock moves on
	open(t testing.TB) engine.Place                               // a new server
	people() int
	awake() bool // presses reach the bot also while it is down

	// isPost recognises the request that posts a challenge, isWake one that
	// serve makes before its schedule starts.
	isPost(r *http.Request, body []byte) bool
	isWake(r *http.Request, body []byte) bool
	// isTold recognises the request that tells a person the verdict on p.
	isTold(p *press) func(r *http.Request, body []byte) bool

	challenges(p engine.Place) []challenge
	vote(who int, c challenge, letter string) (*press, error)
	stats(ctx context.Context, who int) (string, error)
	texts(p engine.Place) []string // all that the bot said in a server
	problems() []string
}

// challenge is a message with answer buttons as it stands in a server.
type challenge struct {
	place   engine.Place
	message string
	about   string   // the buttons' common action: what is asked
	letters []string // the last words of the actions
	text    string
}

// press is one tap on an answer.
type press struct {
	question
	letter string
	id     string                                    // the platform's
	update int64                                     // its update, on Telegram
	heard  func() (string, bool)                     // what the person was told so far
	wait   func(ctx context.Context) (string, error) // until they are told
}

// question is one thing that one person was asked.
type question struct {
	stage string
	who   int
	about string
}

// answered is what a person knows of their answer to one question.
type answered struct {
	stands string // the letter that counts, "" until told
	right  bool
}

// ledger is what people have pressed and what they were told: what the store
// must hold in the end.
type ledger struct {
	*testing.T
	open    []*press // not told yet
	answers map[question]*answered
	order   []question
}

func (l *ledger) add(p *press) {
	l.open = append(l.open, p)
	if l.answers[p.question] == nil {
		l.answers[p.question] = &answered{}
		l.order = append(l.order, p.question)
	}
}

func (l *ledger) asked(q question) bool { return l.answers[q] != nil }

// settle writes down what was told meanwhile.
func (l *ledger) settle() {
	l.open = slices.DeleteFunc(l.open, func(p *press) bool {
		text, ok := p.heard()
		if ok {
			l.hear(p, text)
		}
		return ok
	})
}

// The verdicts, as people read them.
var (
	verdictTitle = regexp.MustCompile(`(Right|Not quite): (?:it is )?([A-F])`)
	firstCounts  = regexp.MustCompile(`Your first answer counts: ([A-F])`)
)

// hear checks one verdict against what the person was told before. What was
// told once stands for ever.
func (l *ledger) hear(p *press, text string) {
	title := verdictTitle.FindStringSubmatch(text)
	if title == nil {
		return // "that was quick", or the like: nothing was counted
	}
	stands, right := strings.ToUpper(p.letter), title[1] == "Right"
	if first := firstCounts.FindStringSubmatch(text); first != nil {
		stands = first[1]
	}
	if right != (stands == title[2]) {
		l.Errorf("%v: told %q for %s", p.question, text, stands)
	}
	a := l.answers[p.question]
	if a.stands != "" && a.stands != stands {
		l.Errorf("%v: told that %s counts, later that %s does: %q", p.question, a.stands, stands, text)
	}
	a.stands, a.right = stands, right
}

// of counts a person's answers, and the right ones.
func (l *ledger) of(stage string, who int) (n, right int) {
	for q, a := range l.answers {
		if q.stage == stage && q.who == who {
			n++
			if a.right {
				right++
			}
		}
	}
	return n, right
}

// voters counts those who answered one challenge.
func (l *ledger) voters(stage, about string) int {
	n := 0
	for q := range l.answers {
		if q.stage == stage && q.about == about {
			n++
		}
	}
	return n
}
