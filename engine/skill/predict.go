package skill

import "math"

// Last says how the person answered the same item the time before.
type Last uint8

// What the last answer at an item was.
const (
	Never Last = iota // the item is new to the person
	Right
	Wrong
)

// Attempt is the circumstances of one answer.
type Attempt struct {
	Last  Last
	Daily bool // a daily challenge: the book is open
}

// Prediction is what the model expects of an answer.
type Prediction struct {
	P float64 // chance of a right answer, recalibrated: to show, to log, to select by
	X float64 // mean of the logit before recalibration
	V float64 // variance of that logit
}

// Predict returns the chance that a person answers a question right.
func (m Model) Predict(g General, t Topic, n Numbers, a Attempt) Prediction {
	k := m.link(m.Ability(g, t), t.Residual, t.N, &n, a)
	p, _, _ := calibrated(k.x, k.v, &n.World)
	return Prediction{P: p, X: k.x, V: k.v}
}

// link is how the logit of one answer hangs on everything believed.
//
// A person's state is what is believed of them given what all questions
// share, the levels and the effect of practice: it has taken in the errors of
// these since the person's first answer. So the next logit hangs on a level
// only by the share of the person's first uncertainty that is left, and on
// practice by what that has changed since. A service that took every answer
// for an independent witness of a level would soon be sure of it, and wrong,
// by the answers of its first few people.
type link struct {
	x, v  float64          // the logit, scaled by the slope: mean and variance
	slope float64          // the slope used
	reach float64          // the logit before scaling, clamped: what the slope multiplies
	f     [weights]float64 // the features
	h     [weights]float64 // the logit's derivative by their weights, before scaling
	level float64          // the same by the global level and the topic's difficulty
}

// farthest bounds the logit of an answer, so that nothing is ever certain.
const farthest = 20

// link composes the logit of an answer.
func (m *Model) link(ability Normal, residual float64, n int, q *Numbers, a Attempt) link {
	k := link{level: m.fresh(ability.V)}
	k.f[form], k.f[practice] = residual, math.Log1p(float64(n))
	switch a.Last {
	case Right:
		k.f[lastRight] = 1
	case Wrong:
		k.f[lastWrong] = 1
	}
	if a.Daily {
		k.f[daily] = 1
	}
	k.h = k.f
	k.h[practice] = gained(k.f[practice], n, k.level)
	w := &q.World
	x := w.Mu.M + ability.M - q.Topic.M - q.Item.B
	v := k.level*k.level*(w.Mu.V+q.Topic.V) + ability.V + q.Item.BV
	for i, f := range k.f {
		x += w.W[i].M * f
		v += w.W[i].V * k.h[i] * k.h[i]
	}
	k.slope = math.Max(m.MinSlope, q.Item.Slope)
	k.reach = math.Max(-m.MaxReach, math.Min(m.MaxReach, x))
	k.x = math.Max(-farthest, math.Min(farthest, k.slope*x))
	k.v = k.slope*k.slope*v + q.Item.SlopeV*k.reach*k.reach
	return k
}

// fresh is the share of the first uncertainty about a person that is left
// when v is.
func (m *Model) fresh(v float64) float64 { return math.Min(1, v/(m.VarGeneral+m.VarOffset)) }

// gained is the part of the practice feature f = ln(1+n) that a person's
// state has not taken in. Over the answers before, the feature was
// f - n/(n+1) on average, to within 0.17.
func gained(f float64, n int, fresh float64) float64 {
	return fresh*f + (1-fresh)*float64(n)/float64(n+1)
}

// calibrated returns the chance of a right answer at a logit, averaged over
// its variance (the probit approximation), after the recalibration, with the
// averaged logit and the chance apart from guessing.
func calibrated(x, v float64, w *World) (p, u, s float64) {
	u = x / math.Sqrt(1+math.Pi*v/8)
	s = sigma((1+w.Scale)*u + w.Shift)
	return w.Guess.M + (1-w.Guess.M)*s, u, s
}

// sigma is the logistic function.
func sigma(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
