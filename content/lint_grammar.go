package content

import (
	"slices"
	"strings"
	"unicode"
)

// lintGrammar is L12: what in the grammar points to an option.
func (l *linter) lintGrammar(i *Item) {
	stem := strings.ToLower(strings.TrimRight(i.Stem, "_ ?:."))
	if strings.HasSuffix(stem, " a") || strings.HasSuffix(stem, " an") {
		l.warn(i, i.Line, "L12", `end the stem before "a" or "an", which fits only some options`)
	}
	var stops, capitals []bool
	for _, o := range i.Options {
		stops = append(stops, strings.HasSuffix(o.Text, "."))
		if upper, plain := capital(o.Text); plain {
			capitals = append(capitals, upper)
		}
	}
	if mixed(stops) {
		l.warn(i, i.Line, "L12", "end all options with a full stop, or none")
	}
	if mixed(capitals) {
		l.warn(i, i.Line, "L12", "begin all options with a capital, or none")
	}
	l.lintOpenings(i)
}

// lintOpenings reports a key that opens in another way than all its rivals.
func (l *linter) lintOpenings(i *Item) {
	key, rivals := "", []string{}
	for _, o := range i.Options {
		if o.Correct {
			key = opening(o.Text)
		} else {
			rivals = append(rivals, opening(o.Text))
		}
	}
	same := len(slices.Compact(slices.Clone(rivals))) == 1
	if len(rivals) >= 2 && same && rivals[0] != key {
		l.warn(i, i.Options[i.Key()].Line, "L12", "open the key as its rivals do: it begins with %s, they with %s", key, rivals[0])
	}
}

// opening names the sort of word that an option begins with, as far as the
// spelling shows it.
func opening(s string) string {
	if strings.HasPrefix(s, "`") {
		return "code"
	}
	first, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(s), "*_\"“("), " ")
	switch first {
	case "a", "an", "the":
		return "an article"
	case "to":
		return `"to"`
	case "yes", "no":
		return "yes or no"
	case "because", "since", "by", "it", "they", "if", "when":
		return `"` + first + `"`
	}
	digits := strings.TrimLeft(first, "-−+~≈$€<>≤≥")
	switch {
	case digits != "" && digits[0] >= '0' && digits[0] <= '9':
		return "a number"
	case len(first) > 5 && strings.HasSuffix(first, "ing"):
		return "an -ing form"
	}
	return "another word"
}

// capital reports whether an option begins with a capital, and whether that is
// a matter of style: code, numbers and names such as GPU or vLLM are not.
func capital(s string) (upper, plain bool) {
	first, _, _ := strings.Cut(strings.TrimLeft(s, "*_\"“("), " ")
	for n, r := range first {
		switch {
		case n == 0 && !unicode.IsLetter(r):
			return false, false
		case n == 0:
			upper = unicode.IsUpper(r)
		case unicode.IsUpper(r), unicode.IsDigit(r), r == '_', r == '(', r == '.' && n < len(first)-1, r == '=':
			return false, false
		}
	}
	// A single letter may be a symbol: "k" is one, "A" an article or a model.
	return upper, len(first) > 1
}

func mixed(flags []bool) bool {
	return slices.Contains(flags, true) && slices.Contains(flags, false)
}
