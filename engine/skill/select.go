package skill

import (
	"math"
	"math/rand/v2"
)

// The pools that a question is drawn from.
const (
	testLength = 5   // questions of a test: the fair share of an item is testLength/n
	nearest    = 5   // one of this many best candidates is drawn (randomesque selection)
	oldest     = 10  // of items seen before, the nearest are taken from this many
	capWindow  = 200 // tests that the exposure cap looks back on
	capFloor   = 20  // the cap counts at least this many tests, so that the first are free
)

// Candidate is an item that a question could be.
type Candidate struct {
	P      float64 // Prediction.P
	B      float64 // item and topic difficulty, logits; looked at for a new person's first question
	Due    bool    // its review is due
	Seen   bool    // the person has answered it before
	Days   float64 // since that answer
	Served int     // how many of the scope's last Want.Tests tests it was in, reviews not counted
	Enemy  bool    // it, or an item that gives it away, is in this test: never chosen
}

// Want is what a question is chosen for.
type Want struct {
	Scope    int  // live items in scope
	Tests    int  // how many recent tests Candidate.Served looks at, at most 200
	First    bool // the first question of a new person
	Reviewed bool // the test already has its one review
}

// Why says which rule chose a question.
type Why uint8

// The rules, in the order in which they apply.
const (
	WhyNone   Why = iota // there was nothing to choose from
	WhyReview            // a review was due
	WhyFirst             // a new person begins near the middle
	WhyProbe             // drawn uniformly, so that every item keeps being measured
	WhyNew               // never seen, near the target chance of success
	WhyOld               // among those seen longest ago, near the target
	WhyRecent            // all were seen within Model.RestDays: the answer will move nothing
)

// Choice is the question chosen.
type Choice struct {
	Index  int // into the candidates; -1 for none
	Why    Why
	Capped bool // only items above the exposure cap were left
}

// Select chooses one question. A due review comes first, at most one a test
// and free of the cap and of the rest; then items that the person has never
// seen, then those seen at least Model.RestDays ago, longest ago first.
//
// Within a class it draws one of the five candidates whose chance of success
// is nearest to Model.Target. An item in more than a given share of the
// scope's recent tests is passed over: max(CapShare, CapSlack*5/n) for n
// items in scope, because a small scope cannot keep every item under a
// quarter. A share Model.Probe of the questions is drawn uniformly from the
// class instead.
//
// The same arguments give the same choice. Each question needs its own seed.
func (m Model) Select(candidates []Candidate, w Want, seed [32]byte) Choice {
	rng := rand.New(rand.NewChaCha8(seed))
	if i := review(candidates, w); i >= 0 {
		return Choice{Index: i, Why: WhyReview}
	}
	pool, why, capped := m.pool(candidates, w)
	if why == WhyNone {
		return Choice{Index: -1}
	}
	off := func(i int) float64 { return math.Abs(candidates[i].P - m.Target) }
	switch {
	case w.First && why == WhyNew:
		why = WhyFirst
		off = func(i int) float64 { return math.Abs(candidates[i].B) }
		pool = within(pool, off, m.FirstSpan)
	case rng.Float64() < m.Probe:
		if why != WhyRecent {
			why = WhyProbe
		}
	default:
		if why != WhyNew {
			age := func(i int) float64 { return -candidates[i].Days }
			pool = least(pool, age, oldest)
		}
		pool = least(pool, off, nearest)
	}
	return Choice{Index: pool[rng.IntN(len(pool))], Why: why, Capped: capped}
}

// review returns the due review that has waited longest, or -1.
func review(candidates []Candidate, w Want) int {
	best := -1
	for i, c := range candidates {
		if w.Reviewed || !c.Due || c.Enemy {
			continue
		}
		if best < 0 || c.Days > candidates[best].Days {
			best = i
		}
	}
	return best
}

// pool returns the first class of candidates that is not empty. Rather than
// ask what the person answered lately, it goes above the cap.
func (m *Model) pool(candidates []Candidate, w Want) (pool []int, why Why, capped bool) {
	most := m.most(w)
	classes := []struct {
		why    Why
		capped bool
	}{{WhyNew, false}, {WhyOld, false}, {WhyNew, true}, {WhyOld, true}, {WhyRecent, false}}
	for _, class := range classes {
		for i, c := range candidates {
			is := WhyNew
			if c.Seen {
				is = WhyOld
				if c.Days < m.RestDays {
					is = WhyRecent
				}
			}
			if c.Enemy || is != class.why {
				continue
			}
			if class.capped || is == WhyRecent || float64(c.Served) < most {
				pool = append(pool, i)
			}
		}
		if len(pool) > 0 {
			return pool, class.why, class.capped
		}
	}
	return nil, WhyNone, false
}

// most is the number of recent tests at which an item is passed over.
func (m *Model) most(w Want) float64 {
	share := math.Max(m.CapShare, m.CapSlack*testLength/math.Max(1, float64(w.Scope)))
	if share >= 1 {
		return math.Inf(1)
	}
	return share * float64(min(capWindow, max(capFloor, w.Tests)))
}

// within returns the members of pool with by(i) <= span; if there are none,
// those nearest to it.
func within(pool []int, by func(int) float64, span float64) []int {
	var in []int
	for _, i := range pool {
		if by(i) <= span {
			in = append(in, i)
		}
	}
	if len(in) > 0 {
		return in
	}
	return least(pool, by, nearest)
}

// least returns the n members of pool with the least by(i), on ties the
// earlier. It reorders pool.
func least(pool []int, by func(int) float64, n int) []int {
	n = min(n, len(pool))
	for k := range n {
		at, low := k, by(pool[k])
		for j := k + 1; j < len(pool); j++ {
			if v := by(pool[j]); v < low {
				at, low = j, v
			}
		}
		i := pool[at]
		copy(pool[k+1:at+1], pool[k:at])
		pool[k] = i
	}
	return pool[:n]
}

// Member is one person that a daily is chosen for.
type Member struct {
	General General
	Topic   Topic // on the topic of the item asked about
}

// Information returns how much a daily would tell of its members' abilities:
// the mean Fisher information of the item, in 1/logit^2. The best daily for a
// group is the item with the most. With no members it is that for a person
// nothing is known of.
func (m Model) Information(members []Member, n Numbers) float64 {
	if len(members) == 0 {
		members = []Member{{m.NewGeneral(), m.NewTopic()}}
	}
	sum := 0.0
	for _, p := range members {
		k := m.link(m.Ability(p.General, p.Topic), p.Topic.Residual, p.Topic.N, &n, Attempt{Daily: true})
		s, c := sigma(k.x), n.World.Guess.M
		chance := c + (1-c)*s
		rise := (1 - c) * s * (1 - s) * k.slope
		sum += rise * rise / (chance * (1 - chance))
	}
	return sum / float64(len(members))
}
