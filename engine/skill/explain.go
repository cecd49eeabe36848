package skill

import "math"

// Parts is a prediction taken apart. World to Difficulty are logits and add
// up; their sum times Slope is X.
type Parts struct {
	World           float64 // the global level
	General         float64 // the person's general ability
	Offset          float64 // the person's offset on the topic
	Form            float64 // how the last answers on the topic went, against what was predicted
	Practice        float64 // having practised the topic
	Repeat          float64 // having seen the item
	Daily           float64 // the open book
	TopicDifficulty float64 // negative when the topic is hard
	Difficulty      float64 // negative when the item is hard within its topic
	Slope           float64 // how sharply the item tells abilities apart
	X, V, P         float64 // as in Prediction
}

// Explain returns how Predict comes to its figure.
func (m Model) Explain(g General, t Topic, n Numbers, a Attempt) Parts {
	k := m.link(m.Ability(g, t), t.Residual, t.N, &n, a)
	p, _, _ := calibrated(k.x, k.v, &n.World)
	w := &n.World.W
	return Parts{
		World: n.World.Mu.M, General: g.M, Offset: t.M + t.Tie*g.M,
		Form: w[form].M * k.f[form], Practice: w[practice].M * k.f[practice],
		Repeat: w[lastRight].M*k.f[lastRight] + w[lastWrong].M*k.f[lastWrong],
		Daily:  w[daily].M * k.f[daily], TopicDifficulty: -n.Topic.M, Difficulty: -n.Item.B,
		Slope: k.slope, X: k.x, V: k.v, P: p,
	}
}

// Change is what an answer did to a person, after minus before. General to
// Practice are logits and add up to Points, in points of the scale.
type Change struct {
	General, Offset, Form, Practice float64
	Points                          float64 // of Score.Mean on the topic
	SD                              float64 // of Score.SD, points; negative when the score became surer
}

// Change compares a person's state before (g0, t0) and after (g1, t1) an
// answer, under the numbers of one epoch.
func (m Model) Change(g0 General, t0 Topic, g1 General, t1 Topic, w World) Change {
	before, after := m.Score(g0, t0, w), m.Score(g1, t1, w)
	seen := math.Log1p(float64(t1.N)) - math.Log1p(float64(t0.N))
	return Change{
		General:  g1.M - g0.M,
		Offset:   t1.M + t1.Tie*g1.M - t0.M - t0.Tie*g0.M,
		Form:     w.W[form].M * (t1.Residual - t0.Residual),
		Practice: w.W[practice].M * seen,
		Points:   after.Mean - before.Mean,
		SD:       after.SD - before.SD,
	}
}

// Health is what an item's numbers tell its author.
type Health struct {
	Suspect bool // the able do worse on it: a wrong key, or ambiguous
	Relabel bool // its difficulty is far from the author's
}

// Health compares an item's learnt numbers with its author's, as NewItem
// returns them. The thresholds are heuristic.
func (m Model) Health(now, label Item) Health {
	return Health{
		Suspect: now.Slope-1+2*math.Sqrt(now.SlopeV) < -0.5,
		Relabel: math.Abs(now.B-label.B) > 3*math.Sqrt(label.BV+now.BV),
	}
}
