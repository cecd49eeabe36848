package content

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Class says what a lint finding means.
type Class string

// The classes of findings.
const (
	Fault   Class = "E" // must be mended
	Warning Class = "W" // mend it, or say in lint_ok why it is wrong here
	Overall Class = "B" // true of a topic or of the bank as a whole, not of one item
)

// Finding is one thing that Lint found.
type Finding struct {
	Rule    string `json:"rule"` // "L01" to "L25"
	Class   Class  `json:"class"`
	File    string `json:"file,omitempty"` // "" for the whole bank
	Line    int    `json:"line,omitempty"`
	Topic   string `json:"topic,omitempty"` // "" for the whole bank
	Item    string `json:"item,omitempty"`
	Message string `json:"message"` // what to do
}

// String returns the finding as one line.
func (f Finding) String() string {
	place := Problem{File: cmp.Or(f.File, "bank"), Line: f.Line, Text: f.Message}
	return fmt.Sprintf("%s %s %s", f.Rule, f.Class, place)
}

// Excuse is a warning that the item's author answered in lint_ok.
type Excuse struct {
	Finding
	Reason string `json:"reason"`
}

// minReason is how many characters a reason in lint_ok must have.
const minReason = 10

// Lint checks what a schema cannot: whether items can be guessed from their
// form, read on a phone, and told apart. now is the day to which review_by is
// compared. Draft and live items are checked; the figures count live ones.
// Items that Load found fault with are checked as far as they go.
func Lint(b *Bank, now time.Time) Report {
	l := &linter{bank: b, now: now, patterns: newPatterns(),
		answered: map[*Item][]string{}, negative: map[*Item]bool{}, clangs: map[*Item]bool{}}
	for _, c := range b.Categories {
		for _, t := range c.Topics {
			l.lintTopic(t)
		}
	}
	l.lintSimilar()
	l.lintExcuses()
	l.lintBank()
	slices.SortStableFunc(l.report.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule))
	})
	l.count()
	return l.report
}

// linter is one run of Lint.
type linter struct {
	bank     *Bank
	now      time.Time
	patterns patterns
	report   Report
	checked  []*Item            // the draft and live items, in order
	answered map[*Item][]string // the rules that fired and were excused
	negative map[*Item]bool     // what L09 and L11 found, counted again for the whole bank
	clangs   map[*Item]bool
}

// itemRule checks one item that is draft or live.
type itemRule func(*linter, *Item)

// itemRules returns the rules on single items. Those that weigh the key
// against its rivals are only for items with exactly one key.
func itemRules() (general, keyed []itemRule) {
	general = []itemRule{
		(*linter).lintShape, (*linter).lintLengths, (*linter).lintSpread, (*linter).lintEqualOptions,
		(*linter).lintCombinations, (*linter).lintNegative, (*linter).lintQuestion, (*linter).lintPositions,
		(*linter).lintNumeric, (*linter).lintReasons, (*linter).lintAge, (*linter).lintMarkup,
		(*linter).lintReading, (*linter).lintCode, (*linter).lintHostile,
	}
	keyed = []itemRule{
		(*linter).lintLongKey, (*linter).lintAbsolutes, (*linter).lintClang, (*linter).lintGrammar,
	}
	return general, keyed
}

func (l *linter) lintTopic(t *Topic) {
	general, keyed := itemRules()
	for _, i := range t.Items {
		if i.Status != Draft && i.Status != Live {
			continue
		}
		l.checked = append(l.checked, i)
		for _, rule := range general {
			rule(l, i)
		}
		if i.Key() < 0 || len(i.Options) < 2 {
			continue
		}
		for _, rule := range keyed {
			rule(l, i)
		}
	}
	if what := hostile(t.Title); what != "" {
		l.overall(t, Fault, "L25", "remove %s from the title", what)
	}
	if t.Guide != nil {
		l.lintGuide(t)
	}
	l.lintBlueprint(t)
}

// fault reports an error in i on a line of its file.
func (l *linter) fault(i *Item, line int, rule, format string, args ...any) {
	l.add(i, Finding{Rule: rule, Class: Fault, Line: line}, format, args...)
}

// warn reports a warning on i, which its lint_ok may answer.
func (l *linter) warn(i *Item, line int, rule, format string, args ...any) {
	f := Finding{Rule: rule, Class: Warning, Line: line}
	if reason := i.LintOK[rule]; length(reason) >= minReason {
		f.fill(i, format, args...)
		l.report.Excused = append(l.report.Excused, Excuse{f, reason})
		l.answered[i] = append(l.answered[i], rule)
		return
	}
	l.add(i, f, format, args...)
}

func (l *linter) add(i *Item, f Finding, format string, args ...any) {
	f.fill(i, format, args...)
	l.report.Findings = append(l.report.Findings, f)
}

func (f *Finding) fill(i *Item, format string, args ...any) {
	f.File, f.Topic, f.Item = i.File, i.Topic, i.ID
	f.Message = i.ID + ": " + fmt.Sprintf(format, args...)
}

// overall reports what is true of t as a whole, or of the bank if t is nil.
func (l *linter) overall(t *Topic, class Class, rule, format string, args ...any) {
	f := Finding{Rule: rule, Class: class, Message: fmt.Sprintf(format, args...)}
	if t != nil {
		f.Topic, f.File = t.ID, "bank/"+t.Path()+".yaml"
		if len(t.Items) > 0 {
			f.File = t.Items[0].File
		}
	}
	l.report.Findings = append(l.report.Findings, f)
}

// excusable reports whether lint_ok may name the rule.
func excusable(rule string) bool {
	switch rule {
	case "L03", "L06", "L08", "L09", "L10", "L11", "L12", "L13", "L16", "L21", "L22":
		return true
	}
	return false
}

// lintExcuses reports the entries of lint_ok that excuse nothing.
func (l *linter) lintExcuses() {
	for _, i := range l.checked {
		for _, rule := range slices.Sorted(maps.Keys(i.LintOK)) {
			switch reason := i.LintOK[rule]; {
			case !excusable(rule):
				l.fault(i, i.Line, "L01", "remove %s from lint_ok: only warnings can be answered there", rule)
			case length(reason) < minReason:
				l.fault(i, i.Line, "L01", "give lint_ok %s a reason of at least %d characters", rule, minReason)
			case !slices.Contains(l.answered[i], rule):
				l.add(i, Finding{Rule: "L01", Class: Warning, Line: i.Line},
					"remove %s from lint_ok: the rule finds nothing here any more", rule)
			}
		}
	}
}
