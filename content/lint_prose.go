package content

import (
	"strings"
)

// lintMarkup is L21: signs that a chat would show as they stand.
func (l *linter) lintMarkup(i *Item) {
	fields := append([]string{i.Stem, i.StemShort}, itemProse(i)...)
	for _, o := range i.Options {
		fields = append(fields, o.Text)
	}
	for _, s := range fields {
		if what := l.badMarkup(s); what != "" {
			l.warn(i, i.Line, "L21", "%s in %q", what, excerpt(s))
		}
	}
	if i.Code != nil {
		if strings.ContainsAny(i.Code.Text, "“”‘’") {
			l.warn(i, i.Line, "L21", "use straight quotes in the code")
		}
		if strings.Contains(i.Code.Text, "\t") {
			l.warn(i, i.Line, "L21", "indent the code with spaces: chats show tabs as they like")
		}
	}
}

// badMarkup says what to do about the markup of s, or "".
func (l *linter) badMarkup(s string) string {
	prose := withoutCode(s)
	code := len(prose) < len(s)
	switch {
	case strings.Contains(s, "\t"):
		return "replace the tab by spaces"
	case strings.Contains(prose, "`"):
		return "close the code span"
	case strings.Contains(prose, `\`):
		return "put the backslash into a code span, or remove it"
	case strings.Contains(prose, "$") && l.patterns.tex.MatchString(prose):
		return "write the formula in Unicode, without $"
	case strings.Contains(prose, "*") && l.patterns.star.MatchString(prose):
		return "write × for times, or put the product into a code span"
	case !balanced(prose):
		return "close the brackets"
	case code && strings.ContainsAny(onlyCode(s), "“”‘’"):
		return "use straight quotes in code"
	}
	return ""
}

// balanced reports whether brackets open before they close. A half-open
// interval such as [0, 1) is balanced, and so is a list marked 1) 2).
func balanced(s string) bool {
	depth := 0
	for n, r := range s {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			enumerates := r == ')' && depth == 0 && n > 0 && (n == 1 || s[n-2] == ' ' || s[n-2] == '\n')
			if depth == 0 && !enumerates {
				return false
			}
			depth = max(depth-1, 0)
		}
	}
	return depth == 0
}

// onlyCode returns the code spans of s, one after the other.
func onlyCode(s string) string {
	var out strings.Builder
	for n, piece := range strings.Split(s, "`") {
		if n%2 == 1 {
			out.WriteString(piece)
		}
	}
	return out.String()
}

func excerpt(s string) string {
	r := []rune(s)
	if len(r) <= 40 {
		return s
	}
	return string(r[:40]) + "…"
}

// The limits of L22. The grade counts only where sentences are long too: the
// words of the trade are long in any sentence.
const (
	maxStemWords  = 60
	maxGrade      = 16
	longSentences = 22
)

// lintReading is L22.
func (l *linter) lintReading(i *Item) {
	words := len(strings.Fields(i.Stem))
	if words > maxStemWords {
		l.warn(i, i.Line, "L22", "shorten the stem to %d words: it has %d", maxStemWords, words)
	}
	prose := withoutCode(i.Stem)
	perSentence := float64(len(wordsOf(prose))) / float64(sentences(prose))
	if g := grade(prose); g > maxGrade && perSentence > longSentences && i.Code == nil {
		l.warn(i, i.Line, "L22", "split the sentences of the stem: %.0f words each, reading grade %.0f", perSentence, g)
	}
}

// grade is the Flesch-Kincaid grade level of s (Kincaid et al. 1975).
func grade(s string) float64 {
	words := wordsOf(s)
	if len(words) == 0 {
		return 0
	}
	sounds := 0
	for _, w := range words {
		sounds += syllables(w)
	}
	n := float64(len(words))
	return 0.39*n/float64(sentences(s)) + 11.8*float64(sounds)/n - 15.59
}
