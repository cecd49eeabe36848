package skill

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// life draws a person, some topics and the numbers of a service after any
// history of answers, and calls check around each of them.
func life(t *rapid.T, m Model, check func(before, after scene, a Attempt, right bool)) {
	s := scene{g: m.NewGeneral(), n: Numbers{Topic: m.NewTopicDifficulty(), World: m.NewWorld()}}
	s.n.World.W[form].M = rapid.Float64Range(0, 3).Draw(t, "form weight")
	s.n.World.W[practice].M = rapid.Float64Range(0, 0.5).Draw(t, "practice weight")
	topics := []Topic{m.NewTopic(), m.NewTopic(), m.NewTopic()}
	for i := range topics {
		topics[i].Residual = rapid.Float64Range(-0.9, 0.9).Draw(t, "form")
	}
	var items []Item
	for range 4 {
		b := rapid.Float64Range(-3, 3).Draw(t, "difficulty")
		items = append(items, m.NewItem(b, rapid.Bool().Draw(t, "labelled"), 0))
	}
	for range rapid.IntRange(1, 60).Draw(t, "answers") {
		i, j := rapid.IntRange(0, 2).Draw(t, "topic"), rapid.IntRange(0, 3).Draw(t, "item")
		a := Attempt{Last: Last(rapid.IntRange(0, 2).Draw(t, "last")), Daily: rapid.Bool().Draw(t, "daily")}
		right := rapid.Bool().Draw(t, "right")
		s.t, s.n.Item = topics[i], items[j]
		s.g, s.t = m.Idle(s.g, s.t, rapid.Float64Range(-1, 500).Draw(t, "days"))
		before := s
		s.g, s.t, s.n = m.Learn(s.g, s.t, s.n, a, right)
		check(before, s, a, right)
		topics[i], items[j] = s.t, s.n.Item
	}
}

// scene is all that one answer looks at.
type scene struct {
	g General
	t Topic
	n Numbers
}

func (s scene) variances() []float64 {
	v := []float64{s.g.V, s.t.V, s.n.Item.BV, s.n.Item.SlopeV, s.n.Topic.V, s.n.World.Mu.V, s.n.World.Guess.V}
	for _, w := range s.n.World.W {
		v = append(v, w.V)
	}
	return v
}

func TestVariancesArePositiveAndNeverGrowButForDrift(t *testing.T) {
	m := Default()
	most := append([]float64{m.VarGeneral, m.VarOffset, m.VarLevel, m.VarSlope, m.VarTopic, m.VarWorld, m.VarGuess}, m.VarWeight[:]...)
	drift := []float64{m.DriftGeneral, m.DriftOffset}
	rapid.Check(t, func(t *rapid.T) {
		life(t, m, func(before, after scene, _ Attempt, _ bool) {
			was := before.variances()
			for i, v := range after.variances() {
				may := was[i]
				if i < len(drift) {
					may += drift[i]
				}
				if !(v > 0 && v <= may*(1+1e-12) && v <= most[i]) {
					t.Fatalf("variance %d went from %g to %g, prior %g", i, was[i], v, most[i])
				}
			}
			if after.t.Tie > 1e-12 || after.t.Tie < -1-1e-12 {
				t.Fatalf("tie is %g", after.t.Tie)
			}
			sum, had := m.Ability(after.g, after.t).V, m.Ability(before.g, before.t).V
			if sum > had+m.DriftGeneral+m.DriftOffset+1e-12 {
				t.Fatalf("variance of the ability went from %g to %g", had, sum)
			}
		})
	})
}

func TestChancesStayInside(t *testing.T) {
	m := Default()
	rapid.Check(t, func(t *rapid.T) {
		far := rapid.Float64Range(-1000, 1000)
		life(t, m, func(_, s scene, a Attempt, right bool) {
			s.g.M = far.Draw(t, "ability")
			p := m.Predict(s.g, s.t, s.n, a).P
			g, topic, n := m.Learn(s.g, s.t, s.n, a, right)
			all := append(scene{g, topic, n}.variances(), g.M, topic.M, topic.Residual, n.Item.B, n.Item.Slope, n.World.Mu.M)
			for i, x := range all {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("number %d is %g", i, x)
				}
			}
			if !(p > 0 && p < 1) {
				t.Fatalf("chance is %g", p)
			}
		})
	})
}

// TestAnswersMoveScoresTheirWay: a right answer lowers neither the ability,
// the score nor the readiness, a wrong one never raises the ability, and
// score and readiness move together.
func TestAnswersMoveScoresTheirWay(t *testing.T) {
	m := Default()
	rapid.Check(t, func(t *rapid.T) {
		life(t, m, func(before, after scene, _ Attempt, right bool) {
			const slack = 1e-9
			w := before.n.World // the epoch does not change under an answer
			ability := m.Ability(after.g, after.t).M - m.Ability(before.g, before.t).M
			score := m.Score(after.g, after.t, w).Mean - m.Score(before.g, before.t, w).Mean
			ready := m.ready(after, before.n) - m.ready(before, before.n)
			if right && (ability < -slack || score < -slack || ready < -slack) {
				t.Fatalf("a right answer moved ability by %g, score by %g, readiness by %g", ability, score, ready)
			}
			if !right && ability > slack {
				t.Fatalf("a wrong answer moved ability by %g", ability)
			}
			if d := after.t.Residual - before.t.Residual; right && d < 0 || !right && d > 0 {
				t.Fatalf("right is %v, form moved by %g", right, d)
			}
			if score > 1e-6 && ready < -slack || score < -1e-6 && ready > slack {
				t.Fatalf("score moved by %g, readiness by %g", score, ready)
			}
		})
	})
}

// ready is the readiness for two items of the topic under the numbers n.
func (m Model) ready(s scene, n Numbers) float64 {
	items := []Item{n.Item, m.NewItem(1, true, 0)}
	return m.Readiness(s.g, n.World, []Part{{s.t, n.Topic, items}}).Chance
}

func TestLearnIsItsTwoHalves(t *testing.T) {
	m := Default()
	rapid.Check(t, func(t *rapid.T) {
		life(t, m, func(before, after scene, a Attempt, right bool) {
			o := m.Observe(before.g, before.t, a, right)
			g, topic := m.LearnPerson(before.g, before.t, before.n, a, right)
			if got := (scene{g, topic, m.LearnItem(before.n, o)}); got != after {
				t.Fatalf("got %+v, want %+v", got, after)
			}
		})
	})
}

func TestIdleNeverNarrowsAndStopsAtThePrior(t *testing.T) {
	m := Default()
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Float64Range(-100, 1e6).Draw(t, "days")
		life(t, m, func(_, s scene, _ Attempt, _ bool) {
			g, topic := m.Idle(s.g, s.t, days)
			if g.V < s.g.V || g.V > m.VarGeneral || topic.V < s.t.V || topic.V > m.VarOffset {
				t.Fatalf("%g days: %+v %+v became %+v %+v", days, s.g, s.t, g, topic)
			}
			if g.M != s.g.M || topic.M != s.t.M {
				t.Fatal("idle days moved a mean")
			}
		})
	})
}
