package skill

import "math"

// Points of the scale that people see: 1500 is the prior mean, and ten times
// the odds are 400 points.
const (
	center        = 1500
	pointsOfLogit = 400 / math.Ln10
)

// z90 spans a 90 % range of a normal distribution to either side.
const z90 = 1.6448536269514722

// Score is an ability in points with its 90 % range.
type Score struct {
	Mean, Low, High float64
	SD              float64
	Borrowed        bool // the topic is untried: the score is the general ability, the range is wider
}

// GeneralScore returns the score over all topics.
func (m Model) GeneralScore(g General) Score { return score(Normal(g), false) }

// Score returns the score on one topic: the logit that predicts a first
// attempt at an item of difficulty 0, form and practice included, with all
// that is uncertain about the person.
func (m Model) Score(g General, t Topic, w World) Score {
	return score(m.standing(g, t, &w), t.N == 0)
}

// standing is the ability on a topic as a first attempt would show it.
func (m *Model) standing(g General, t Topic, w *World) Normal {
	a := m.Ability(g, t)
	f := m.habits(t, a.V, w)
	return Normal{M: a.M + f.M, V: a.V + f.V}
}

// habits is what form and practice add to an ability that has variance v.
func (m *Model) habits(t Topic, v float64, w *World) Normal {
	f, n := t.Residual, math.Log1p(float64(t.N))
	h := gained(n, t.N, m.fresh(v))
	return Normal{
		M: w.W[form].M*f + w.W[practice].M*n,
		V: w.W[form].V*f*f + w.W[practice].V*h*h,
	}
}

func score(a Normal, borrowed bool) Score {
	s := Score{Mean: center + pointsOfLogit*a.M, SD: pointsOfLogit * math.Sqrt(a.V), Borrowed: borrowed}
	s.Low, s.High = s.Mean-z90*s.SD, s.Mean+z90*s.SD
	return s
}

// Part is the items of one topic that a readiness looks at.
type Part struct {
	Topic      Topic
	Difficulty TopicDifficulty
	Items      []Item
}

// Readiness is the chance of answering a typical item of a scope right, at a
// first attempt in a test, with its 90 % range.
type Readiness struct {
	Chance, Low, High float64
	Items             int  // how many items it is the mean of; 0 means there is nothing to show
	Borrowed          bool // no topic of the scope has been tried
}

// Readiness returns the mean chance over all items of the parts, one part a
// topic. The chance is taken at the ability that Score shows and averaged
// over what is uncertain about the items only, so within one topic readiness
// and score always move the same way.
func (m Model) Readiness(g General, w World, parts []Part) Readiness {
	r := Readiness{Borrowed: true}
	pulls := make([]float64, len(parts)) // a part's share in the derivative by ability
	var common, own float64              // of the sum's derivative by g; its variance apart from g
	for i, part := range parts {
		for _, item := range part.Items {
			p, slope := m.show(g, part, item, &w, 0)
			r.Chance += p
			pulls[i] += slope
			r.Items++
		}
		if len(part.Items) > 0 && part.Topic.N > 0 {
			r.Borrowed = false
		}
		common += pulls[i] * (1 + part.Topic.Tie)
		own += pulls[i] * pulls[i] * m.apart(g, part.Topic, &w)
	}
	if r.Items == 0 {
		return Readiness{}
	}
	sd := math.Sqrt(common*common*g.V + own)
	for i, part := range parts {
		// How far the part's ability goes when the whole goes z90 deviations.
		cov := (1+part.Topic.Tie)*g.V*common + m.apart(g, part.Topic, &w)*pulls[i]
		for _, item := range part.Items {
			low, _ := m.show(g, part, item, &w, -z90*cov/sd)
			high, _ := m.show(g, part, item, &w, z90*cov/sd)
			r.Low += low
			r.High += high
		}
	}
	n := float64(r.Items)
	r.Chance, r.Low, r.High = r.Chance/n, r.Low/n, r.High/n
	return r
}

// apart is the variance of a standing that the general ability has no part in.
func (m *Model) apart(g General, t Topic, w *World) float64 {
	return t.V + m.habits(t, m.Ability(g, t).V, w).V
}

// show returns the chance at an item for a person known exactly, shift logits
// above what is believed, and the chance's derivative by the shift.
func (m *Model) show(g General, part Part, item Item, w *World, shift float64) (p, slope float64) {
	q := Numbers{Item: item, Topic: part.Difficulty, World: *w}
	q.World.W[form].V, q.World.W[practice].V = 0, 0 // the person's, so in the range
	exact := Normal{M: m.Ability(g, part.Topic).M + shift}
	k := m.link(exact, part.Topic.Residual, part.Topic.N, &q, Attempt{})
	p, _, s := calibrated(k.x, k.v, w)
	steep := k.slope * (1 + w.Scale) / math.Sqrt(1+math.Pi*k.v/8)
	return p, (1 - w.Guess.M) * s * (1 - s) * steep
}
