package content

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lintShape is L01: what the schema says, for items that no file was read for.
func (l *linter) lintShape(i *Item) {
	right, keys := 0, map[string]bool{}
	for _, o := range i.Options {
		if o.Correct {
			right++
		}
		if keys[o.Key] {
			l.fault(i, o.Line, "L01", "rename the second option %q", o.Key)
		}
		keys[o.Key] = true
	}
	if right != 1 {
		l.fault(i, i.Line, "L01", "mark exactly one option as correct, not %d", right)
	}
	if n := len(i.Options); n < 3 || n > 5 {
		l.fault(i, i.Line, "L01", "write 3 to 5 options, not %d", n)
	}
	if i.Level == 0 {
		l.fault(i, i.Line, "L01", "give the item a level")
	}
	if i.Rev < 1 {
		l.fault(i, i.Line, "L01", "count rev from 1")
	}
}

// The limits of L02. An option fits a Telegram poll and an explanation its
// pop-up; a stem above shortStem needs a short form for the poll's question.
const (
	maxOption = 100
	maxShort  = 200
	minStem   = 15
	shortStem = 300
	maxStem   = 600
	minFull   = 40
	maxFull   = 1500
)

// lintLengths is L02.
func (l *linter) lintLengths(i *Item) {
	check := func(line int, what, text string, low, high int) {
		if n := length(text); n < low || n > high {
			l.fault(i, line, "L02", "bring %s to %d..%d characters: it has %d", what, low, high, n)
		}
	}
	check(i.Line, "the stem", i.Stem, minStem, maxStem)
	if length(i.Stem) > shortStem || i.StemShort != "" {
		check(i.Line, "stem_short", i.StemShort, minStem, shortStem)
	}
	for _, o := range i.Options {
		check(o.Line, "the option "+o.Key, o.Text, 1, maxOption)
	}
	check(i.Line, "explain.short", i.Short, 1, maxShort)
	if n := strings.Count(strings.TrimSpace(i.Short), "\n"); n > 2 {
		l.fault(i, i.Line, "L02", "break explain.short at most twice: it has %d line feeds", n)
	}
	check(i.Line, "explain.full", i.Full, minFull, maxFull)
}

// lintEqualOptions is L07.
func (l *linter) lintEqualOptions(i *Item) {
	seen := map[string]string{}
	for _, o := range i.Options {
		plain := normal(o.Text)
		if first, twice := seen[plain]; twice {
			l.fault(i, o.Line, "L07", "reword the option %s: it says the same as %s", o.Key, first)
		}
		seen[plain] = o.Key
	}
}

// normal returns s without what makes no difference to a reader. In code every
// sign makes one, so there only spaces go.
func normal(s string) string {
	code := strings.Contains(s, "`")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), r == '`':
			return -1
		case !code && strings.ContainsRune(`,;:!?'"()[]“”‘’„«»…`, r):
			return -1
		}
		return r
	}, strings.TrimRight(strings.ToLower(norm.NFKC.String(s)), ". "))
}

// lintReasons is L19.
func (l *linter) lintReasons(i *Item) {
	for _, o := range i.Options {
		if strings.TrimSpace(o.Why) == "" {
			l.fault(i, o.Line, "L19", "say why the option %s is right or wrong", o.Key)
		}
		if len(i.Options) > 3 && !o.Correct && o.Misconception == "" {
			l.fault(i, o.Line, "L19", "name the misconception behind the option %s, or keep 3 options", o.Key)
		}
	}
}

// lintAge is L20.
func (l *linter) lintAge(i *Item) {
	if len(i.Sources) == 0 {
		l.fault(i, i.Line, "L20", "name at least one source")
	}
	if v := i.ValidFor; v != nil && !v.ReviewBy.IsZero() && v.ReviewBy.Before(l.now) {
		l.fault(i, i.Line, "L20", "check the item again: its review_by %s is past", v.ReviewBy.Format("2006-01-02"))
	}
	product := l.patterns.productIn(asked(i))
	if product == "" {
		return
	}
	if i.ValidFor == nil || i.ValidFor.Checked.IsZero() || i.ValidFor.ReviewBy.IsZero() {
		l.fault(i, i.Line, "L20", "add valid_for with checked and review_by: the item names %s", product)
	}
}

// asked returns what a person reads before answering.
func asked(i *Item) string {
	s := []string{i.Stem, i.StemShort}
	if i.Code != nil {
		s = append(s, i.Code.Text)
	}
	for _, o := range i.Options {
		s = append(s, o.Text)
	}
	return strings.Join(s, "\n")
}

// The limits of L23: what a phone shows without wrapping.
const (
	maxCode      = 900
	maxCodeLines = 15
)

// lintCode is L23.
func (l *linter) lintCode(i *Item) {
	check := func(what, text string) {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(lines) > maxCodeLines {
			l.fault(i, i.Line, "L23", "cut %s to %d lines: it has %d", what, maxCodeLines, len(lines))
		}
		for n, line := range lines {
			if columns(line) > codeColumns {
				l.fault(i, i.Line, "L23", "narrow line %d of %s to %d columns: it has %d", n+1, what, codeColumns, columns(line))
			}
		}
		if length(text) > maxCode {
			l.fault(i, i.Line, "L23", "cut %s to %d characters: it has %d", what, maxCode, length(text))
		}
	}
	if i.Code != nil {
		check("the code", i.Code.Text)
	}
	for n, piece := range strings.Split(i.Full, "```") {
		if n%2 == 1 {
			_, listing, _ := strings.Cut(piece, "\n")
			check("the listing in explain.full", listing)
		}
	}
}

// lintHostile is L25 for an item.
func (l *linter) lintHostile(i *Item) {
	for _, s := range everyText(i) {
		if what := hostile(s); what != "" {
			l.fault(i, i.Line, "L25", "remove %s", what)
		}
	}
}

// everyText returns all prose of an item.
func everyText(i *Item) []string {
	s := append(itemProse(i), asked(i))
	for _, d := range i.Sources {
		s = append(s, d.Title, d.URL, d.Version)
	}
	return s
}

// itemProse returns the Markdown fields that explain.
func itemProse(i *Item) []string {
	s := []string{i.Short, i.Full}
	for _, o := range i.Options {
		s = append(s, o.Why)
	}
	return s
}

// hostile names what in s could mention people, hide text or turn it round.
func hostile(s string) string {
	lower := strings.ToLower(s)
	for _, bad := range []string{"@everyone", "@here", "<@", "<#", "tg://"} {
		if strings.Contains(lower, bad) {
			return bad
		}
	}
	for _, r := range s {
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return fmt.Sprintf("the invisible or broken character U+%04X", r)
		}
	}
	return ""
}
