package content

import "time"

// Item is one question of a topic's pack, as its author wrote it. The prose
// fields (Stem, StemShort, Option.Text, Why, Short, Full) hold Markdown; Parse
// turns them into Text when they are shown.
type Item struct {
	ID            string // "<topic>.<three digits>", <= 48 characters, never reused
	Rev           int    // from 1; grows with any change of text
	Topic         string // the short id of the topic that holds it; NewBank fills it
	Level         Level
	Cognitive     Cognitive
	Difficulty    float64 // the author's prior in logits, -3..3; 0 unless HasDifficulty
	HasDifficulty bool
	Stem          string
	StemShort     string // <= 300 characters, where Stem is longer; else ""
	Code          *Code  // nil where the question needs none
	Options       []Option
	Short         string // the one-line explanation, <= 200 characters
	Full          string // the whole explanation, 40..1500 characters
	Sources       []Source
	ValidFor      *ValidFor         // nil for what no release can change
	Enemies       []string          // ids that share no test and follow on no next day
	LintOK        map[string]string // rule id -> why its warning is wrong here
	Fixed         bool              // the options keep their order at delivery
	Status        Status
	Withdrawn     *Withdrawal // set if and only if Status is Withdrawn
	Learnt        *Learnt     // what a release learnt of it at this revision, or nil

	File string // where it stands, for messages: "bank/<category>/<topic>.yaml"
	Line int    // of its id in File, from 1
}

// Key returns the index in Options of the right answer, or -1 if none is
// marked, which Load never lets pass.
func (i *Item) Key() int {
	for n, o := range i.Options {
		if o.Correct {
			return n
		}
	}
	return -1
}

// Code is the listing that a question is about.
type Code struct {
	Lang string
	Text string // <= 15 lines of <= 48 columns, with line feeds
}

// Option is one of an item's possible answers.
type Option struct {
	Key           string // names the option for ever, whatever its place or wording
	Text          string // <= 100 characters
	Correct       bool
	Misconception string // the error that leads here, in kebab case; "" is allowed with 3 options
	Why           string // one sentence on why it is right or wrong
	Line          int    // in the item's File, from 1
}

// Source is a document that an item or a guide rests on.
type Source struct {
	Title   string
	URL     string // "" where no address is certain
	Version string // "" where the document has none
}

// ValidFor says when an item was checked and against what. Its times are
// midnights in UTC.
type ValidFor struct {
	Checked  time.Time
	ReviewBy time.Time // after this day it must be checked again; zero if it never ages
	Versions string    // such as "torch >= 2.1", or ""
}

// Withdrawal tells why an item stopped counting. History keeps it.
type Withdrawal struct {
	Date   time.Time // midnight in UTC
	Reason string
}

// Level is how experienced the people are who are asked an item.
type Level uint8

// The levels. The zero Level is none of them.
const (
	Junior Level = iota + 1 // uses it and knows the basic modes
	Mid                     // diagnoses and chooses
	Senior                  // limits, internals, trade-offs under constraints
)

// Levels returns all levels from Junior to Senior.
func Levels() []Level { return []Level{Junior, Mid, Senior} }

// String returns the level as packs spell it, or "none".
func (l Level) String() string {
	switch l {
	case Junior:
		return "junior"
	case Mid:
		return "mid"
	case Senior:
		return "senior"
	}
	return "none"
}

// ParseLevel returns the level that packs spell s, and whether there is one.
func ParseLevel(s string) (Level, bool) {
	for _, l := range Levels() {
		if s == l.String() {
			return l, true
		}
	}
	return 0, false
}

// Cognitive is what an item asks of a mind.
type Cognitive string

// The kinds of thinking.
const (
	Recall   Cognitive = "recall"
	Apply    Cognitive = "apply"
	Diagnose Cognitive = "diagnose"
	TradeOff Cognitive = "trade-off"
)

// Status is where an item stands in its life.
type Status string

// The states of an item. Only Live ones are asked.
const (
	Draft     Status = "draft"
	Live      Status = "live"
	Withdrawn Status = "withdrawn" // found wrong: stops counting, history stays
	Retired   Status = "retired"   // not asked any more; what was answered counts
)
