package skill_test

import (
	"math"
	"testing"

	"aiprep/engine/skill"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s is %.4f, want %.4f", what, got, want)
	}
}

// At its stability, recall is 90 % by definition.
func TestRecallAtStability(t *testing.T) {
	for _, s := range []float64{.2, 1, 10, 300} {
		m := skill.Memory{Stability: s, Difficulty: 5}
		near(t, "recall", m.Recall(s), .9, 1e-12)
		near(t, "recall at once", m.Recall(0), 1, 0)
	}
}

// The first steps of FSRS-6 with its default weights, worked out by hand from
// the published formulas.
func TestMemoryFollowsThePublishedFormulas(t *testing.T) {
	m := skill.NewMemory(false)
	near(t, "stability after a miss", m.Stability, .212, 1e-9)
	near(t, "difficulty after a miss", m.Difficulty, 6.4133, 1e-9)
	m = m.Next(true, 1)
	// R(1) = (1 + (.9^(1/-.1542)-1)/.212)^-.1542; S' = S(1+e^1.8722 (11-6.4133) S^-.1666 (e^((1-R).796)-1))
	r := math.Pow(1+(math.Pow(.9, 1/-.1542)-1)/.212, -.1542)
	near(t, "stability after a success", m.Stability,
		.212*(1+math.Exp(1.8722)*4.5867*math.Pow(.212, -.1666)*(math.Exp((1-r)*.796)-1)), 1e-9)
}

// Right answers at the time they are due push the next one further off, a miss
// brings it back, and nothing leaves its bounds.
func TestIntervalsGrowAndFall(t *testing.T) {
	m, last := skill.NewMemory(false), 0
	for range 12 {
		m = m.Next(true, float64(m.Interval()))
		if m.Interval() < last {
			t.Errorf("after a right answer the interval fell from %d to %d days", last, m.Interval())
		}
		last = m.Interval()
	}
	if last < 60 || last > 365 {
		t.Errorf("twelve right answers in a row lead to %d days", last)
	}
	if missed := m.Next(false, float64(last)); missed.Interval() >= last/4 || missed.Difficulty < m.Difficulty {
		t.Errorf("a miss leads from %+v to %+v", m, missed)
	}
	for range 500 {
		m = m.Next(false, 0)
	}
	if m.Stability <= 0 || m.Difficulty > 10 || m.Interval() != 1 {
		t.Errorf("500 misses on one day lead to %+v", m)
	}
}
