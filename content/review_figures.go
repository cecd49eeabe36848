package content

import (
	"fmt"
	"maps"
	"slices"
)

// The bars that a finished bank clears, as shares of first attempts.
const (
	barAgreement = 0.97
	barSenior    = 0.93
	barOptions   = 0.10 // options-only over chance, in every category
	barGap       = 0.15 // a junior's senior items below the junior ones
	barSolvers   = 2    // blind answers that each live item has
)

// ReviewReport says what a bank's reviews prove of its live items. It counts
// each solver's first attempt of a kind on an item as it is now, by rev and
// wording; of blind ones, only by solvers who took no part in mending the item.
type ReviewReport struct {
	Rows int `json:"rows"` // of all kinds and revisions

	Agreement  Score            `json:"agreement"` // of blind solvers with the key
	Senior     Score            `json:"senior"`
	ByCategory map[string]Score `json:"by_category"`

	OptionsOnly map[string]Guess `json:"options_only"` // by category

	JuniorOnJunior Score `json:"junior_on_junior"`
	JuniorOnSenior Score `json:"junior_on_senior"`
	Sceptic        Score `json:"sceptic"` // on senior items

	Disagreements []Disagreement `json:"disagreements"` // blind and sceptic, in the bank's order
	NeverRun      []string       `json:"never_run"`     // no blind answer at any rev
	Changed       []string       `json:"changed"`       // blind answers, but none since the last change
	SameRev       []string       `json:"same_rev"`      // those of Changed whose rev was not raised
	Once          []string       `json:"once"`          // fewer than two blind answers that count
	Unknown       []string       `json:"unknown"`       // ids in rows that the bank lacks
	Missed        []string       `json:"missed"`        // the bars not cleared, as sentences
}

// Score is how many of some answers were right.
type Score struct {
	Answers int     `json:"answers"`
	Right   int     `json:"right"`
	Share   float64 `json:"share"` // 0..1; 0 without answers
}

// Guess is a score beside what guessing among the same options would get.
type Guess struct {
	Score
	Chance float64 `json:"chance"` // the mean of 1 / options
}

// Disagreement is an answer that is not the key. Settle it: mend, reword or
// retire the item.
type Disagreement struct {
	Item   string     `json:"item"`
	Solver string     `json:"solver"`
	Kind   ReviewKind `json:"kind"`
	Pick   string     `json:"pick"`
	Key    string     `json:"key"`
}

// Review works out what attempts, oldest first, prove of b.
func Review(b *Bank, attempts []Attempt) ReviewReport {
	r := ReviewReport{Rows: len(attempts), ByCategory: map[string]Score{}, OptionsOnly: map[string]Guess{}}
	byItem := map[string][]Attempt{}
	for _, a := range attempts {
		if b.Item(a.Item) == nil && !slices.Contains(r.Unknown, a.Item) {
			r.Unknown = append(r.Unknown, a.Item)
		}
		byItem[a.Item] = append(byItem[a.Item], a)
	}
	live := map[string]bool{} // categories with live items
	for i := range b.reviewable() {
		if i.Status == Live {
			category := b.Topic(i.Topic).Category
			live[category] = true
			r.item(i, category, byItem[i.ID])
		}
	}
	r.judge(live)
	return r
}

// item counts the attempts at one live item.
func (r *ReviewReport) item(i *Item, category string, attempts []Attempt) {
	type who struct {
		solver string
		kind   ReviewKind
	}
	digest, key := i.digest(true), i.Options[i.Key()].Key
	seen := map[who]bool{}
	ever, sameRev, now, counted := false, false, false, 0
	for _, a := range attempts {
		current := a.Rev == i.Rev && a.Digest == digest
		if a.Kind == Blind {
			ever, now = true, now || current
			sameRev = sameRev || a.Rev == i.Rev && !current
		}
		if !current || seen[who{a.Solver, a.Kind}] {
			continue
		}
		seen[who{a.Solver, a.Kind}] = true
		if a.Kind == Blind && !a.NoFix {
			continue
		}
		if a.Kind == Blind {
			counted++
		}
		right := a.Pick == key
		r.answer(i, category, a.Kind, right)
		if !right && (a.Kind == Blind || a.Kind == Sceptic) {
			r.Disagreements = append(r.Disagreements, Disagreement{i.ID, a.Solver, a.Kind, a.Pick, key})
		}
	}
	switch {
	case !ever:
		r.NeverRun = append(r.NeverRun, i.ID)
	case !now:
		r.Changed = append(r.Changed, i.ID)
		if sameRev {
			r.SameRev = append(r.SameRev, i.ID)
		}
	case counted < barSolvers:
		r.Once = append(r.Once, i.ID)
	}
}

// answer adds one answer to the scores that it belongs to.
func (r *ReviewReport) answer(i *Item, category string, kind ReviewKind, right bool) {
	switch {
	case kind == Blind:
		r.Agreement.add(right)
		s := r.ByCategory[category]
		s.add(right)
		r.ByCategory[category] = s
		if i.Level == Senior {
			r.Senior.add(right)
		}
	case kind == OptionsOnly:
		g := r.OptionsOnly[category]
		g.Chance = (g.Chance*float64(g.Answers) + 1/float64(len(i.Options))) / float64(g.Answers+1)
		g.add(right)
		r.OptionsOnly[category] = g
	case kind == AsJunior && i.Level == Junior:
		r.JuniorOnJunior.add(right)
	case kind == AsJunior && i.Level == Senior:
		r.JuniorOnSenior.add(right)
	case kind == Sceptic && i.Level == Senior:
		r.Sceptic.add(right)
	}
}

func (s *Score) add(right bool) {
	s.Answers++
	if right {
		s.Right++
	}
	s.Share = float64(s.Right) / float64(s.Answers)
}

// judge fills in which bars are missed. No answers clear no bar.
func (r *ReviewReport) judge(categories map[string]bool) {
	miss := func(format string, args ...any) { r.Missed = append(r.Missed, fmt.Sprintf(format, args...)) }
	atLeast := func(what string, s Score, bar float64) {
		if s.Answers == 0 {
			miss("%s: no answers that count", what)
		} else if s.Share < bar {
			miss("%s: %s, at least %.0f %% wanted", what, s, 100*bar)
		}
	}
	atLeast("blind agreement", r.Agreement, barAgreement)
	atLeast("blind agreement on senior items", r.Senior, barSenior)
	if n := len(r.NeverRun) + len(r.Changed) + len(r.Once); n > 0 {
		miss("blind answers: %d live items have fewer than %d on their present wording", n, barSolvers)
	}
	for _, c := range slices.Sorted(maps.Keys(categories)) {
		switch g := r.OptionsOnly[c]; {
		case g.Answers == 0:
			miss("options only in %s: no answers", c)
		case g.Share > g.Chance+barOptions+1e-9: // the mean of chances is not exact
			miss("options only in %s: %s, at most %.1f %% wanted", c, g.Score, 100*(g.Chance+barOptions))
		}
	}
	switch easy, hard := r.JuniorOnJunior, r.JuniorOnSenior; {
	case easy.Answers == 0 || hard.Answers == 0:
		miss("answered as a junior: junior or senior items have no answers")
	case easy.Share-hard.Share < barGap-1e-9:
		miss("answered as a junior: junior items %s, senior %s, at least %.0f points between them wanted", easy, hard, 100*barGap)
	}
}
