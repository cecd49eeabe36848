package content

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// interval is the range of numbers that an option stands for; both ends are
// equal for a plain number.
type interval struct{ low, high float64 }

// lintNumeric is L18: options that are all numbers ascend and stay so.
func (l *linter) lintNumeric(i *Item) {
	spans, ok := numericOptions(i.Options)
	if !ok {
		return
	}
	if !i.Fixed {
		l.fault(i, i.Line, "L18", "add order: fixed, since all options are numbers")
	}
	if !slices.IsSortedFunc(spans, func(a, b interval) int { return compare(a, b) }) {
		l.fault(i, i.Line, "L18", "sort the options: numbers ascend")
		slices.SortFunc(spans, compare)
	}
	for n := 1; n < len(spans); n++ {
		a, b := spans[n-1], spans[n]
		if b.low < a.high || a == b {
			l.fault(i, i.Line, "L18", "separate the options: %g..%g and %g..%g overlap", a.low, a.high, b.low, b.high)
		}
	}
}

func compare(a, b interval) int {
	switch {
	case a == b:
		return 0
	case a.low < b.low || a.low == b.low && a.high < b.high:
		return -1
	}
	return 1
}

// numericOptions returns what the options stand for if each is a number, or a
// range of numbers, of one and the same unit.
func numericOptions(options []Option) ([]interval, bool) {
	var spans []interval
	family := ""
	for n, o := range options {
		span, unit, ok := parseInterval(o.Text)
		if !ok || n > 0 && unit != family {
			return nil, false
		}
		family = unit
		spans = append(spans, span)
	}
	return spans, len(spans) > 0
}

// parseInterval reads "about 24 GB", "10-20 ms", "<= 5 %" or "$1,200". The unit
// is that of the family: bytes for GB, seconds for ms.
func parseInterval(s string) (span interval, unit string, ok bool) {
	s = strings.ToLower(strings.TrimSpace(visible(s)))
	s = strings.NewReplacer("−", "-", "–", "-", " to ", "-", "≤", "<", "<=", "<", "≥", ">", ">=", ">").Replace(s)
	for _, about := range []string{"about ", "roughly ", "around ", "approximately ", "nearly ", "some ", "≈", "~"} {
		s = strings.TrimSpace(strings.TrimPrefix(s, about))
	}
	below, above := false, false
	for _, w := range []string{"less than ", "under ", "at most ", "below ", "up to ", "<"} {
		if rest, cut := strings.CutPrefix(s, w); cut {
			s, below = strings.TrimSpace(rest), true
		}
	}
	for _, w := range []string{"more than ", "over ", "at least ", "above ", ">"} {
		if rest, cut := strings.CutPrefix(s, w); cut {
			s, above = strings.TrimSpace(rest), true
		}
	}
	low, rest, ok := parseNumber(s)
	if !ok {
		return interval{}, "", false
	}
	high := low
	if more, cut := strings.CutPrefix(rest, "-"); cut {
		if high, rest, ok = parseNumber(more); !ok {
			return interval{}, "", false
		}
	}
	factor, unit, ok := parseUnit(strings.TrimSpace(rest))
	span = interval{low * factor, high * factor}
	switch {
	case below:
		span.low = math.Inf(-1)
	case above:
		span.high = math.Inf(1)
	}
	return span, unit, ok
}

// parseNumber takes a number off the front of s: "-1,200.5", "1e-4", "3/4".
func parseNumber(s string) (v float64, rest string, ok bool) {
	s = strings.TrimLeft(s, "$€ ")
	end := 0
	for end < len(s) {
		c := s[end]
		sign := (c == '-' || c == '+') && (end == 0 || s[end-1] == 'e')
		exponent := c == 'e' && end > 0 && end+1 < len(s) && strings.IndexByte("-+0123456789", s[end+1]) >= 0
		group := c == ',' && end+1 < len(s) && s[end+1] >= '0' && s[end+1] <= '9'
		if !sign && !exponent && !group && c != '.' && (c < '0' || c > '9') {
			break
		}
		end++
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(s[:end], "."), ",", ""), 64)
	if err != nil {
		return 0, "", false
	}
	rest = s[end:]
	if below, cut := strings.CutPrefix(rest, "/"); cut && below != "" && below[0] >= '0' && below[0] <= '9' {
		d, after, ok := parseNumber(below)
		return v / d, after, ok && d != 0
	}
	return v, rest, true
}

// parseUnit returns the factor and the family of a unit of at most three words.
func parseUnit(s string) (factor float64, family string, ok bool) {
	first, after, _ := strings.Cut(s, " ")
	if f, fam := scale(first); fam != "" || f != 1 {
		return f, strings.TrimSpace(fam + " " + after), len(strings.Fields(after)) <= 3
	}
	return 1, strings.TrimSuffix(s, "s"), len(strings.Fields(s)) <= 3
}

// scale returns the factor of a unit to the base of its family.
func scale(unit string) (factor float64, family string) {
	switch unit {
	case "k", "thousand":
		return 1e3, ""
	case "m", "million":
		return 1e6, ""
	case "b", "bn", "billion":
		return 1e9, ""
	case "t", "trillion":
		return 1e12, ""
	case "byte", "bytes":
		return 1, "bytes"
	case "kb", "kib":
		return 1e3, "bytes"
	case "mb", "mib":
		return 1e6, "bytes"
	case "gb", "gib":
		return 1e9, "bytes"
	case "tb", "tib":
		return 1e12, "bytes"
	case "ns", "nanoseconds":
		return 1e-9, "seconds"
	case "µs", "μs", "us", "microseconds":
		return 1e-6, "seconds"
	case "ms", "milliseconds":
		return 1e-3, "seconds"
	case "s", "seconds", "second":
		return 1, "seconds"
	case "min", "minutes", "minute":
		return 60, "seconds"
	case "h", "hours", "hour":
		return 3600, "seconds"
	case "days", "day":
		return 86400, "seconds"
	}
	return 1, ""
}
