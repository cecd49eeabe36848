package content

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// patterns are the regular expressions of one run of Lint.
type patterns struct {
	combination *regexp.Regexp  // an option made of other options
	pair        *regexp.Regexp  // an option such as "A and B"
	negative    *regexp.Regexp  // a question that asks for what does not hold
	opening     *regexp.Regexp  // a stem that asks for any true sentence
	position    *regexp.Regexp  // a reference to where an option stands
	products    map[string]bool // names whose facts age
	tex         *regexp.Regexp  // a formula in TeX
	star        *regexp.Regexp  // a product that Markdown takes for italics
}

func newPatterns() patterns {
	const clause = `\b(?:which|what|who)\b(?:\s+[\w'-]+){0,5}?\s+`
	return patterns{
		combination: regexp.MustCompile(`(?i)\b(all|none|both|neither|any|either) of (the )?(above|((these|those) )?(options|choices|answers))\b|^(all|none|both|neither|any|either) of (these|those|them|the others?)\.?$`),
		pair:        regexp.MustCompile(`^(?i:both |only |neither |either )?\(?[A-E]\)?( and | or | nor |, ?)\(?[A-E]\)?( only)?\.?$`),
		negative: regexp.MustCompile(`(?i)` + clause + `(?:is|are|was|were|does|do|did|will|would|can|could|should|has|have|must) (?:not|never)\b` +
			`|\bwhich\b(?:\s+[\w'-]+){0,5}?\s+(?:is|are) (?:false|incorrect|untrue|wrong\s*\?)` +
			`|` + clause + `(?:isn't|aren't|doesn't|don't|won't|cannot|can't)\b` +
			`|\bleast (?:likely|useful|suitable|appropriate|helpful|correct)\b` +
			`|\b(?:which|what)\b[^?]*\bexcept\b`),
		opening:  regexp.MustCompile(`(?i)^which (of the following|of these|statement)s?( statements?| claims?)?( about [^?]{1,60})? (is|are|holds?) (true|correct|right|false|incorrect|wrong)?`),
		position: regexp.MustCompile(`\([A-E]\)|\b(?i:options?|answers?|choices?) (?:\(?[A-E]\)?\b|[1-5]\b)|(?i)\b(?:first|second|third|fourth|fifth|last) (?:option|choice)\b|\b(?:the|options?|answers?|see) above\b`),
		products: productNames(),
		tex:      regexp.MustCompile(`\$[^$]*[\\^_{}][^$]*\$|\$[^\d\s.]`),
		star:     regexp.MustCompile(`[\pL\pN]\*[\pL\pN]`),
	}
}

// lintLongKey is L03.
func (l *linter) lintLongKey(i *Item) {
	key, sum := 0, 0
	for _, o := range i.Options {
		n := length(visible(o.Text))
		if o.Correct {
			key = n
		} else {
			sum += n
		}
	}
	mean := float64(sum) / float64(len(i.Options)-1)
	if float64(key) >= 1.5*mean && float64(key)-mean >= 15 {
		l.warn(i, i.Options[i.Key()].Line, "L03", "shorten the key or lengthen its rivals: %d characters against %.0f on average", key, mean)
	}
}

// lintSpread is L06.
func (l *linter) lintSpread(i *Item) {
	if len(i.Options) == 0 {
		return
	}
	var lengths []int
	for _, o := range i.Options {
		lengths = append(lengths, length(visible(o.Text)))
	}
	low, high := slices.Min(lengths), slices.Max(lengths)
	if high > 3*low && high-low > 40 {
		l.warn(i, i.Line, "L06", "bring the options closer in length: %d to %d characters", low, high)
	}
}

// lintCombinations is L08. Where options are shuffled, "the above" is wrong.
func (l *linter) lintCombinations(i *Item) {
	for _, o := range i.Options {
		made := strings.Contains(o.Text, " of ") && l.patterns.combination.MatchString(o.Text)
		if !made && !l.patterns.pair.MatchString(o.Text) {
			continue
		}
		if i.Fixed {
			l.warn(i, o.Line, "L08", "replace the option %q: it is made of others", o.Text)
		} else {
			l.fault(i, o.Line, "L08", "replace the option %q: it is made of others, and their places change", o.Text)
		}
	}
}

// question returns the last sentence of a stem, which asks.
func question(stem string) string {
	s := strings.TrimSpace(stem)
	if k := strings.LastIndexAny(strings.TrimRight(s, "?!. "), ".?!\n"); k >= 0 {
		for ; k >= 0; k = strings.LastIndexAny(s[:k], ".?!\n") {
			if k+1 < len(s) && (s[k+1] == ' ' || s[k] == '\n') { // not a decimal point
				return strings.TrimSpace(s[k+1:])
			}
		}
	}
	return s
}

// negativeStem reports whether the item asks for what does not hold, and
// whether it says so in capitals.
func (l *linter) negativeStem(i *Item) (negative, loud bool) {
	q := question(withoutCode(i.Stem))
	for _, w := range []string{"NOT", "EXCEPT", "LEAST"} {
		if slices.Contains(strings.FieldsFunc(q, func(r rune) bool { return r < 'A' || r > 'z' }), w) {
			return true, true
		}
	}
	hit := l.patterns.negative.FindString(q)
	return hit != "" && !slices.ContainsFunc(wordsOf(hit), conjunction), false
}

// conjunction reports whether w begins a clause of its own. "What explains that
// the loss does not fall?" asks for what holds.
func conjunction(w string) bool {
	switch w {
	case "that", "why", "when", "if", "because", "while", "although", "where", "since", "as", "so", "how":
		return true
	}
	return false
}

// lintNegative is L09 for an item.
func (l *linter) lintNegative(i *Item) {
	negative, loud := l.negativeStem(i)
	l.negative[i] = negative
	if negative && !loud {
		l.warn(i, i.Line, "L09", "ask for what holds, or write NOT, EXCEPT or LEAST in capitals")
	}
}

// lintAbsolutes is L10 for an item: absolute words mark its distractors.
func (l *linter) lintAbsolutes(i *Item) {
	key, marked := 0, 0
	for _, o := range i.Options {
		n := countWords(o.Text, absoluteWord)
		switch {
		case o.Correct:
			key = n
		case n > 0:
			marked++
		}
	}
	if key == 0 && marked >= 2 {
		l.warn(i, i.Line, "L10", "take words such as always, only and all out of the distractors: %d of %d have one, the key has none",
			marked, len(i.Options)-1)
	}
}

// clang returns the words that the stem shares with the key alone, if no
// distractor shares as many words with it. A reader who knows nothing finds
// the key by them.
func (l *linter) clang(i *Item) []string {
	title := ""
	if t := l.bank.Topic(i.Topic); t != nil {
		title = t.Title + " " + strings.ReplaceAll(t.ID, "-", " ")
	}
	stem := map[string]bool{}
	for _, w := range wordsOf(i.Stem) {
		if w = singular(w); len(w) > 4 && !stopWord(w) {
			stem[w] = true
		}
	}
	for _, w := range wordsOf(title) {
		delete(stem, singular(w))
	}
	shared := func(o Option) map[string]bool {
		m := map[string]bool{}
		for _, w := range wordsOf(o.Text) {
			if w = singular(w); stem[w] {
				m[w] = true
			}
		}
		return m
	}
	key := shared(i.Options[i.Key()])
	only := map[string]bool{}
	for w := range key {
		only[w] = true
	}
	for _, o := range i.Options {
		if o.Correct {
			continue
		}
		rival := shared(o)
		if len(rival) >= len(key) {
			return nil
		}
		for w := range rival {
			delete(only, w)
		}
	}
	return slices.Sorted(maps.Keys(only))
}

// lintClang is L11 for an item.
func (l *linter) lintClang(i *Item) {
	if words := l.clang(i); len(words) > 0 {
		l.clangs[i] = true
		l.warn(i, i.Options[i.Key()].Line, "L11", "repeat no word of the stem in the key alone: %s", strings.Join(words, ", "))
	}
}

// lintQuestion is L13.
func (l *linter) lintQuestion(i *Item) {
	s := strings.TrimRight(strings.TrimSpace(i.Stem), "`*_\"”) ")
	if !strings.HasSuffix(s, "?") && !strings.HasSuffix(strings.TrimRight(strings.TrimSpace(i.Stem), ". "), "___") {
		l.warn(i, i.Line, "L13", "end the stem with a question mark, or with a blank ___")
	}
	if l.patterns.opening.MatchString(question(i.Stem)) {
		l.warn(i, i.Line, "L13", "ask about the situation, not for whichever sentence is true")
	}
}

// lintPositions is L14.
func (l *linter) lintPositions(i *Item) {
	if i.Fixed {
		return
	}
	for _, s := range itemProse(i) {
		if !mayCite(s) {
			continue
		}
		if hit := l.patterns.position.FindString(withoutCode(s)); hit != "" {
			l.fault(i, i.Line, "L14", "name the option by its words, not as %q: places change at delivery", hit)
		}
	}
}

// mayCite is a quick test that spares most prose the regular expression.
func mayCite(s string) bool {
	s = strings.ToLower(s)
	for _, w := range []string{"option", "answer", "choice", "above", "(a)", "(b)", "(c)", "(d)", "(e)"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
