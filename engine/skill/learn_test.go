package skill

import (
	"fmt"
	"math"
	"testing"
)

// TestMomentMatchesFineIntegration compares the nine-point rule with a sum
// over 20,001 points.
func TestMomentMatchesFineIntegration(t *testing.T) {
	for _, x := range []float64{-3, -1, 0, 0.7, 2.5} {
		for _, v := range []float64{0.01, 0.3, 1.5, 3} {
			for _, right := range []bool{true, false} {
				for _, guess := range []float64{0, 0.07} {
					t.Run(fmt.Sprint(x, v, right, guess), func(t *testing.T) {
						got, want := moment(x, v, guess, right), fineMoment(x, v, guess, right)
						near(t, "chance", got.chance, want.chance, 2e-4)
						near(t, "mean", got.mean, want.mean, 2e-3)
						near(t, "shrink", got.shrink, math.Max(0, want.shrink), 6e-3)
					})
				}
			}
		}
	}
}

func fineMoment(x, v, guess float64, right bool) step {
	sd := math.Sqrt(v)
	var weight, z, first, second float64
	for i := -10000; i <= 10000; i++ {
		u := float64(i) / 1000
		w := math.Exp(-u * u / 2)
		l := w * likelihood(math.Exp(-x-sd*u), guess, right)
		weight += w
		z += l
		first += l * u
		second += l * u * u
	}
	mean := first / z
	return step{chance: z / weight, mean: mean / sd, shrink: (1 - second/z + mean*mean) / v}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %.6g, want %.6g within %g", what, got, want, within)
	}
}

// TestTopicsKeepTheFullCovariance: without drift, the small state of a person
// equals a filter over the whole covariance of general ability and three
// offsets, in whatever order the topics are answered.
func TestTopicsKeepTheFullCovariance(t *testing.T) {
	m := Default()
	m.DriftGeneral, m.DriftOffset = 0, 0
	n := Numbers{m.NewItem(0.3, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	g := m.NewGeneral()
	topics := []Topic{m.NewTopic(), m.NewTopic(), m.NewTopic()}
	mean := [4]float64{}
	cov := [4][4]float64{{m.VarGeneral}, {0, m.VarOffset}, {0, 0, m.VarOffset}, {0, 0, 0, m.VarOffset}}
	for i, topic := range []int{0, 0, 1, 0, 2, 2, 1, 0, 1, 1, 2, 0, 0, 0, 2} {
		right := i%3 != 1
		a := m.Ability(g, topics[topic])
		k := m.link(a, topics[topic].Residual, topics[topic].N, &n, Attempt{})
		full(&mean, &cov, topic+1, k.slope, moment(k.x, k.v, n.World.Guess.M, right))
		g, topics[topic] = m.LearnPerson(g, topics[topic], n, Attempt{}, right)
		near(t, "mean of g", g.M, mean[0], 1e-12)
		near(t, "variance of g", g.V, cov[0][0], 1e-12)
		for j, o := range topics {
			a := m.Ability(g, o)
			near(t, "mean of an ability", a.M, mean[0]+mean[j+1], 1e-12)
			near(t, "variance of an ability", a.V, cov[0][0]+cov[j+1][j+1]+2*cov[0][j+1], 1e-12)
			near(t, "covariance", o.Tie*g.V, cov[0][j+1], 1e-12)
		}
	}
}

// full moves all of a person by an answer on topic o.
func full(mean *[4]float64, cov *[4][4]float64, o int, slope float64, st step) {
	var c [4]float64
	for i := range c {
		for j := range i {
			cov[j][i] = cov[i][j]
		}
	}
	for i := range c {
		c[i] = slope * (cov[i][0] + cov[i][o])
	}
	for i := range c {
		mean[i] += c[i] * st.mean
		for j := range c {
			cov[i][j] -= c[i] * c[j] * st.shrink
		}
	}
}

func TestWhatAnAnswerMayMove(t *testing.T) {
	m := Default()
	start := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	g, topic := m.NewGeneral(), m.NewTopic()
	topic.Residual, topic.N = 0.2, 3
	tests := []struct {
		name    string
		attempt Attempt
		item    bool // item, topic and world level
		weights [weights]bool
		recal   bool
	}{
		{"first attempt", Attempt{}, true, [weights]bool{form: true, practice: true}, true},
		{"repeat, last time right", Attempt{Last: Right}, false, [weights]bool{lastRight: true}, true},
		{"repeat, last time wrong", Attempt{Last: Wrong}, false, [weights]bool{lastWrong: true}, true},
		{"daily", Attempt{Daily: true}, false, [weights]bool{daily: true}, false},
		{"daily of an item seen before", Attempt{Last: Right, Daily: true}, false, [weights]bool{daily: true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := m.LearnItem(start, m.Observe(g, topic, tt.attempt, true))
			moved := map[string][2]bool{
				"item":   {n.Item != start.Item, tt.item},
				"topic":  {n.Topic != start.Topic, tt.item},
				"mu":     {n.World.Mu != start.World.Mu, tt.item},
				"guess":  {n.World.Guess != start.World.Guess, tt.item},
				"recal.": {n.World.Shift != start.World.Shift, tt.recal},
			}
			for i := range n.World.W {
				moved[fmt.Sprint("weight ", i)] = [2]bool{n.World.W[i] != start.World.W[i], tt.weights[i]}
			}
			for what, is := range moved {
				if is[0] != is[1] {
					t.Errorf("%s moved: %v, want %v", what, is[0], is[1])
				}
			}
		})
	}
}

// TestGuessIsLearnt: people far below an item who are right one time in five
// show what a guess is worth.
func TestGuessIsLearnt(t *testing.T) {
	m := Default()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	fixed := n
	for i := range 3000 {
		o := Observation{Ability: Normal{-6, 0.05}, N: 50, Right: i%5 == 0}
		n.World.Guess = m.LearnItem(Numbers{fixed.Item, fixed.Topic, World{Mu: Normal{V: 1e-6}, Guess: n.World.Guess}}, o).World.Guess
	}
	near(t, "guess", n.World.Guess.M, 0.2, 0.02)
}

// TestLearntNumbersStayInTheirBounds pushes each against its bound.
func TestLearntNumbersStayInTheirBounds(t *testing.T) {
	m := Default()
	start := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	start.World.Guess.V = 10
	able, unable := Observation{Ability: Normal{2, 0.1}}, Observation{Ability: Normal{-6, 0.1}, Right: true}
	if n := m.LearnItem(start, able); n.World.Guess.M != 0 {
		t.Errorf("guess %g after a surprising wrong answer, want 0", n.World.Guess.M)
	}
	start.World.Guess.M = 0.49
	if n := m.LearnItem(start, unable); n.World.Guess.M != maxGuess {
		t.Errorf("guess %g after a surprising right answer, want %g", n.World.Guess.M, maxGuess)
	}
	start.World.Scale = -0.89
	if n := m.LearnItem(start, able); n.World.Scale != -0.9 {
		t.Errorf("scale %g, want -0.9: a better chance must stay a better chance", n.World.Scale)
	}
}

func TestLearningAllocatesNothing(t *testing.T) {
	m := Default()
	g, topic := m.NewGeneral(), m.NewTopic()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	i := 0
	allocs := testing.AllocsPerRun(1000, func() {
		i++
		o := m.Observe(g, topic, Attempt{}, i%3 > 0)
		g, topic = m.LearnPerson(g, topic, n, Attempt{}, i%3 > 0)
		n = m.LearnItem(n, o)
	})
	if allocs != 0 {
		t.Errorf("%v allocations an answer, want none", allocs)
	}
}

// BenchmarkAnswer is one answer in the person's transaction: predict, take
// the copy for the fold, learn.
func BenchmarkAnswer(b *testing.B) {
	m := Default()
	g, topic := m.NewGeneral(), m.NewTopic()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a := Attempt{Last: Last(i % 3)}
		m.Predict(g, topic, n, a)
		m.Observe(g, topic, a, i%3 > 0)
		g, topic = m.LearnPerson(g, topic, n, a, i%3 > 0)
	}
}

// BenchmarkFold is the item's side of one answer.
func BenchmarkFold(b *testing.B) {
	m := Default()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	o := m.Observe(m.NewGeneral(), m.NewTopic(), Attempt{}, true)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o.Right = i%3 > 0
		n = m.LearnItem(n, o)
	}
}

// BenchmarkLearn is both sides of one answer in one step.
func BenchmarkLearn(b *testing.B) {
	m := Default()
	g, topic := m.NewGeneral(), m.NewTopic()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		g, topic, n = m.Learn(g, topic, n, Attempt{}, i%3 > 0)
	}
}

// BenchmarkElo is both sides of one answer in the simplest model.
func BenchmarkElo(b *testing.B) {
	var user, item, userN, itemN float64
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		y := float64(i % 2)
		p := sigma(user - item)
		user += eloUser / (1 + eloUserSlow*userN) * (y - p)
		item -= eloItem / (1 + eloItemSlow*itemN) * (y - p)
		userN++
		itemN++
	}
}
