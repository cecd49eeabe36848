package skill

import "math"

// Observation is one answer without the person: what the fold of the items'
// numbers needs, and nothing that tells who it was.
type Observation struct {
	Ability  Normal  // Model.Ability before the answer
	Residual float64 // Topic.Residual before the answer
	N        int     // Topic.N before the answer
	Attempt  Attempt
	Right    bool
}

// Observe returns the anonymous copy of an answer. g and t are the person's
// state before it. "I don't know" is not right.
func (m Model) Observe(g General, t Topic, a Attempt, right bool) Observation {
	return Observation{Ability: m.Ability(g, t), Residual: t.Residual, N: t.N, Attempt: a, Right: right}
}

// LearnPerson returns a person's state after an answer, given the numbers of
// the epoch that the answer was asked under. "I don't know" is not right.
func (m Model) LearnPerson(g General, t Topic, n Numbers, a Attempt, right bool) (General, Topic) {
	k := m.link(m.Ability(g, t), t.Residual, t.N, &n, a)
	p, _, _ := calibrated(k.x, k.v, &n.World)
	st := moment(k.x, k.v, n.World.Guess.M, right)
	return m.movePerson(g, t, k, st, p, right)
}

// LearnItem returns an item's, its topic's and the world's numbers after an
// answer. A first attempt in a test moves all of them; a repeat moves only
// the weights of repeats, a daily only the weight of dailies, and neither
// ever moves the item.
func (m Model) LearnItem(n Numbers, o Observation) Numbers {
	k := m.link(o.Ability, o.Residual, o.N, &n, o.Attempt)
	m.moveNumbers(&n, k, moment(k.x, k.v, n.World.Guess.M, o.Right), o.Attempt, o.Right)
	return n
}

// Learn is LearnPerson and LearnItem of the same answer in one step.
func (m Model) Learn(g General, t Topic, n Numbers, a Attempt, right bool) (General, Topic, Numbers) {
	k := m.link(m.Ability(g, t), t.Residual, t.N, &n, a)
	p, _, _ := calibrated(k.x, k.v, &n.World)
	st := moment(k.x, k.v, n.World.Guess.M, right)
	g, t = m.movePerson(g, t, k, st, p, right)
	m.moveNumbers(&n, k, st, a, right)
	return g, t, n
}

// step is what an answer does to the logit, for any Gaussian part of it: a
// part whose covariance with the logit is c moves by c*mean, and its variance
// shrinks by c*c*shrink. chance is what the answer seen had, before it was
// seen. shrink is never negative: a lucky guess may look like news, but no
// answer makes the model forget.
type step struct{ chance, mean, shrink float64 }

// moment matches the first two moments of the logit's posterior after an
// answer (assumed density filtering), by Gauss-Hermite quadrature at nine
// points. Matching moments, unlike a step to the mode, keeps the variances
// honest when items and persons learn from each other.
func moment(x, v, guess float64, right bool) step {
	// Positive nodes and weights of the nine-point rule for N(0, 1).
	const (
		w0     = 0.40634920634920635
		t1, w1 = 1.0232556637891326, 0.24409750289493942
		t2, w2 = 2.0768479786778302, 0.04991640676521787
		t3, w3 = 3.2054290028564703, 0.00278914132123177
		t4, w4 = 4.512745863399783, 0.00002234584400774659
	)
	nodes := [4][2]float64{{t1, w1}, {t2, w2}, {t3, w3}, {t4, w4}}
	sd := math.Sqrt(v)
	odds := math.Exp(-x) // against a right answer
	z := w0 * likelihood(odds, guess, right)
	var first, second float64
	for _, n := range nodes {
		e := math.Exp(sd * n[0])
		up, down := n[1]*likelihood(odds/e, guess, right), n[1]*likelihood(odds*e, guess, right)
		z += up + down
		first += n[0] * (up - down)
		second += n[0] * n[0] * (up + down)
	}
	mean := first / z              // of the posterior, in units of sd around x
	spread := second/z - mean*mean // its variance, in units of v
	return step{chance: z, mean: mean / sd, shrink: math.Max(0, 1-spread) / v}
}

// likelihood is the chance of the answer seen at one logit, given as the odds
// against a right answer, exp(-logit).
func likelihood(odds, guess float64, right bool) float64 {
	if right {
		return guess + (1-guess)/(1+odds)
	}
	return (1 - guess) * odds / (1 + odds)
}

// tiny keeps variances away from zero.
const tiny = 1e-9

// movePerson moves general ability and offset together: with their covariance
// the update is exact for one topic, and a later answer elsewhere keeps it so.
func (m *Model) movePerson(g General, t Topic, k link, st step, p float64, right bool) (General, Topic) {
	h := 1 + t.Tie
	cov := t.Tie * g.V                                 // of general and offset
	mo, vo := t.M+t.Tie*g.M, t.Tie*cov+t.V             // the offset by itself
	cg, co := k.slope*h*g.V, k.slope*(t.Tie*h*g.V+t.V) // covariances with the logit
	g.M += cg * st.mean
	mo += co * st.mean
	g.V -= cg * cg * st.shrink
	vo -= co * co * st.shrink
	cov -= cg * co * st.shrink
	g.V = math.Max(tiny, g.V)
	t.Tie = cov / g.V
	t.V = vo - t.Tie*cov
	t.M = mo - t.Tie*g.M
	g.V = math.Min(m.VarGeneral, g.V+m.DriftGeneral)
	t.V = math.Min(m.VarOffset, math.Max(tiny, t.V)+m.DriftOffset)
	t.Residual = m.formed(t.Residual, p, right)
	t.N++
	return g, t
}

// formed moves a person's form towards right - p. An answer moves it only
// its own way, so that no right answer can lower a score.
func (m *Model) formed(e, p float64, right bool) float64 {
	if right {
		return e + (1-m.Forget)*math.Max(0, 1-p-e)
	}
	return e + (1-m.Forget)*math.Min(0, -p-e)
}

// moveNumbers moves what an answer of this kind may move.
func (m *Model) moveNumbers(n *Numbers, k link, st step, a Attempt, right bool) {
	w := &n.World
	move := func(i int) Normal { return w.W[i].moved(k.slope*k.h[i], st) }
	switch {
	case a.Daily:
		w.W[daily] = move(daily)
		return
	case a.Last == Right:
		w.W[lastRight] = move(lastRight)
	case a.Last == Wrong:
		w.W[lastWrong] = move(lastWrong)
	default:
		w.W[form] = move(form).atLeast(0)
		w.W[practice] = move(practice).atLeast(0)
		w.Mu = w.Mu.moved(k.slope*k.level, st)
		w.Guess = guessed(w.Guess, st.chance, right)
		n.Topic = TopicDifficulty(Normal(n.Topic).moved(-k.slope*k.level, st))
		b := Normal{n.Item.B, n.Item.BV}.moved(-k.slope, st)
		s := Normal{n.Item.Slope, n.Item.SlopeV}.moved(k.reach, st)
		n.Item = Item{B: b.M, BV: b.V, Slope: s.M, SlopeV: s.V}
	}
	m.recalibrate(w, k, right)
}

// atLeast keeps the mean from falling below a bound: form and practice may
// help a prediction but never turn a right answer into a lower score.
func (n Normal) atLeast(least float64) Normal {
	n.M = math.Max(least, n.M)
	return n
}

// moved returns a part of the logit after an answer; h is the logit's
// derivative by that part.
func (n Normal) moved(h float64, st step) Normal {
	c := n.V * h
	return Normal{M: n.M + c*st.mean, V: math.Max(tiny, n.V-c*c*st.shrink)}
}

// maxGuess bounds the learnt chance of a lucky guess: two options are the
// least an item has.
const maxGuess = 0.5

// guessed moves the chance of a lucky guess by one scoring step; chance is
// what the answer seen had.
func guessed(c Normal, chance float64, right bool) Normal {
	score := -1 / (1 - c.M)
	if right {
		score = (1 - chance) / (chance * (1 - c.M))
	}
	c.V /= 1 + c.V*score*score
	c.M = math.Max(0, math.Min(maxGuess, c.M+c.V*score))
	return c
}

// recalibrate takes one AdaGrad step of the two recalibration numbers up the
// log-likelihood of the answer.
func (m *Model) recalibrate(w *World, k link, right bool) {
	p, u, s := calibrated(k.x, k.v, w)
	slope := (1 - w.Guess.M) * s * (1 - s)
	grad := slope / p
	if !right {
		grad = -slope / (1 - p)
	}
	w.ScaleG2 += grad * u * grad * u
	w.ShiftG2 += grad * grad
	w.Scale += m.ScaleRate * grad * u / math.Sqrt(w.ScaleG2+tiny)
	w.Shift += m.ShiftRate * grad / math.Sqrt(w.ShiftG2+tiny)
	w.Scale = math.Max(-0.9, w.Scale)
}
