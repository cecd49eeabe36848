package content

import (
	"math"
	"slices"
	"strings"
)

// enough is how many live items a share of the whole bank needs before it says
// anything.
const enough = 100

// lintBank is the rules on the bank as a whole, and fills in its figures.
func (l *linter) lintBank() {
	var live []*Item
	for _, i := range l.checked {
		if i.Status == Live && i.Key() >= 0 && len(i.Options) >= 2 {
			live = append(live, i)
		}
	}
	f := &l.report.Figures
	f.measure(live)
	negative, clang := 0, 0
	for _, i := range live {
		if l.negative[i] {
			negative++
		}
		if l.clangs[i] {
			clang++
		}
	}
	f.NegativeStems, f.Clang = share(negative, len(live)), share(clang, len(live))
	if len(live) >= enough {
		l.lintForm(len(live))
	}
	l.lintFixed(live)
}

// lintForm is the shares of L04, L05, L09, L10 and L11.
func (l *linter) lintForm(n int) {
	f := &l.report.Figures
	sigma := math.Sqrt(f.Chance * (1 - f.Chance) / float64(n))
	if f.KeyLongest > f.Chance+3*sigma {
		l.overall(nil, Overall, "L04", "shorten keys: the key is the longest option of %.1f %% of items, chance is %.1f %%", 100*f.KeyLongest, 100*f.Chance)
	}
	// Five points, or what chance alone explains in a small bank.
	limit := f.Chance + max(0.05, 3*sigma)
	for _, s := range []struct {
		rule, what string
		got        float64
	}{
		{"L05", "the longest option", f.PickLongest},
		{"L05", "the shortest option", f.PickShortest},
		{"L10", "the option with the most hedges", f.PickHedged},
		{"L10", "the option with the fewest absolute words", f.PickMild},
	} {
		if s.got > limit {
			l.overall(nil, Overall, s.rule, "reword options: picking %s scores %.1f %%, chance is %.1f %%", s.what, 100*s.got, 100*f.Chance)
		}
	}
	if f.AbsolutesGap > 0.10 {
		l.overall(nil, Overall, "L10", "take absolute words out of distractors: %.1f points more of them have one than keys have", 100*f.AbsolutesGap)
	}
	if f.NegativeStems > 0.05 {
		l.overall(nil, Overall, "L09", "turn negative stems round: %.1f %% of items have one, 5 %% may", 100*f.NegativeStems)
	}
	if f.Clang > 0.15 {
		l.overall(nil, Overall, "L11", "reword keys: %.1f %% of them alone repeat the stem, 15 %% may", 100*f.Clang)
	}
}

// measure fills in what the form of items gives away.
func (f *Figures) measure(live []*Item) {
	if len(live) == 0 {
		return
	}
	key, rival, rivals := 0, 0, 0
	for _, i := range live {
		f.Chance += 1 / float64(len(i.Options))
		for n, o := range i.Options {
			marked := 0
			if countWords(o.Text, absoluteWord) > 0 {
				marked = 1
			}
			if n == i.Key() {
				key += marked
			} else {
				rival += marked
				rivals++
			}
		}
		f.PickLongest += pick(i, byLength)
		f.PickShortest += pick(i, func(o Option) int { return -byLength(o) })
		f.PickHedged += pick(i, func(o Option) int { return countWords(o.Text, hedgeWord) })
		f.PickMild += pick(i, func(o Option) int { return -countWords(o.Text, absoluteWord) })
		if pick(i, byLength) == 1 {
			f.KeyLongest++
		}
		if pick(i, func(o Option) int { return -byLength(o) }) == 1 {
			f.KeyShortest++
		}
	}
	n := float64(len(live))
	for _, v := range []*float64{&f.Chance, &f.PickLongest, &f.PickShortest, &f.PickHedged, &f.PickMild, &f.KeyLongest, &f.KeyShortest} {
		*v /= n
	}
	f.AbsolutesKey, f.AbsolutesDistractor = share(key, len(live)), share(rival, rivals)
	f.AbsolutesGap = f.AbsolutesDistractor - f.AbsolutesKey
}

func byLength(o Option) int { return length(visible(o.Text)) }

// pick returns the chance that someone who takes the option with the highest
// score, or one of those at random, takes the key.
func pick(i *Item, score func(Option) int) float64 {
	var best []int
	for n, o := range i.Options {
		s := score(o)
		if n == 0 || s > score(i.Options[best[0]]) {
			best = best[:0]
		} else if s < score(i.Options[best[0]]) {
			continue
		}
		best = append(best, n)
	}
	if slices.Contains(best, i.Key()) {
		return 1 / float64(len(best))
	}
	return 0
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// lintFixed is L17: where the keys of unshuffled options stand.
func (l *linter) lintFixed(live []*Item) {
	var observed, expected [5]float64
	n, places := 0, 0
	for _, i := range live {
		if !i.Fixed || len(i.Options) > len(observed) {
			continue
		}
		n++
		places = max(places, len(i.Options))
		observed[i.Key()]++
		for k := range i.Options {
			expected[k] += 1 / float64(len(i.Options))
		}
	}
	if n < 40 {
		return
	}
	chi := 0.0
	for k := range places {
		d := observed[k] - expected[k]
		chi += d * d / expected[k]
	}
	if p := chiSquareTail(chi, places-1); p < 0.01 {
		l.overall(nil, Overall, "L17", "move keys among unshuffled options: they stand at %v, which chance does with p = %.4f", observed[:places], p)
	}
}

// chiSquareTail returns the probability that a chi-square variable of df
// degrees exceeds x, by the recurrence over df in steps of two (Abramowitz and
// Stegun 26.4.8).
func chiSquareTail(x float64, df int) float64 {
	if x <= 0 {
		return 1
	}
	tail, term, k := math.Exp(-x/2), math.Exp(-x/2), 2
	if df%2 == 1 {
		tail, term, k = math.Erfc(math.Sqrt(x/2)), math.Sqrt(2*x/math.Pi)*math.Exp(-x/2), 1
	}
	for ; k < df; k += 2 {
		if k > 1 {
			term *= x / float64(k)
		}
		tail += term
	}
	return tail
}

// What L24 asks of a topic beside its numbers.
const (
	maxRecall      = 0.40
	minWithPrior   = 0.90
	minPriorSpread = 1.5
)

// lintBlueprint is L24 and the topic's share of L04. A topic without live
// items is only not offered yet; the report lists it.
func (l *linter) lintBlueprint(t *Topic) {
	live := t.Live()
	if len(live) == 0 {
		return
	}
	if lacks := t.lacks(); lacks != "" {
		l.overall(t, Fault, "L24", "write more items for %s: it has %s", t.ID, lacks)
	}
	recall, prior, longest := 0, 0, 0
	low, high := math.Inf(1), math.Inf(-1)
	for _, i := range live {
		if i.Cognitive == Recall {
			recall++
		}
		if i.HasDifficulty {
			prior++
			low, high = min(low, i.Difficulty), max(high, i.Difficulty)
		}
		if i.Key() >= 0 && pick(i, byLength) == 1 {
			longest++
		}
	}
	n := len(live)
	if share(recall, n) > maxRecall {
		l.overall(t, Fault, "L24", "ask for decisions in %s: %d of %d items are recall, %.0f %% may be", t.ID, recall, n, 100*maxRecall)
	}
	if share(prior, n) < minWithPrior {
		l.overall(t, Overall, "L24", "give difficulty to the items of %s: %d of %d have one", t.ID, prior, n)
	}
	if prior > 1 && high-low < minPriorSpread {
		l.overall(t, Overall, "L24", "spread the difficulties of %s over %.1f logits: they span %.1f", t.ID, minPriorSpread, high-low)
	}
	if n >= minLive && 2*longest > n {
		l.overall(t, Overall, "L04", "shorten keys in %s: the key is the longest option of %d of %d items", t.ID, longest, n)
	}
}

// lintGuide is L20 and L25 for a guide; its form is checked by Load.
func (l *linter) lintGuide(t *Topic) {
	g := t.Guide
	fault := func(line int, rule, message string) {
		l.report.Findings = append(l.report.Findings, Finding{
			Rule: rule, Class: Fault, File: g.File, Line: line, Topic: t.ID, Message: message})
	}
	if !g.ReviewBy.IsZero() && g.ReviewBy.Before(l.now) {
		fault(1, "L20", "check the guide again: its review_by "+g.ReviewBy.Format("2006-01-02")+" is past")
	}
	if what := hostile(g.Title + g.Versions); what != "" {
		fault(1, "L25", "remove "+what)
	}
	for _, s := range g.Sections {
		for n, line := range strings.Split(s.Text, "\n") {
			if what := hostile(line); what != "" {
				fault(s.lineOf(n), "L25", "remove "+what)
			}
		}
	}
}
