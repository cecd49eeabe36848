package skill

import (
	"fmt"
	"os"
	"testing"
)

// size multiplies the number of simulated people: AIPREP_LONG=1 makes the
// figures firm enough to quote.
func size(people int) int {
	if os.Getenv("AIPREP_LONG") != "" {
		return 8 * people
	}
	return people
}

// TestSimulation runs the model against populations whose truth is known. It
// assumes Guess for a lucky guess until it learns better; the truth is .05,
// .10 and .25, and the bars hold for the first two.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates half a million answers")
	}
	for _, guess := range []float64{0.05, 0.10, 0.25} {
		t.Run(fmt.Sprintf("guess %.2f", guess), func(t *testing.T) {
			bars := guess < 0.2
			t.Run("ability", func(t *testing.T) { t.Parallel(); simulateAbility(t, guess, bars) })
			t.Run("ranges, one topic", func(t *testing.T) { t.Parallel(); simulateRanges(t, guess, 1, bars) })
			t.Run("ranges, four topics", func(t *testing.T) { t.Parallel(); simulateRanges(t, guess, 4, bars) })
			t.Run("items", func(t *testing.T) { t.Parallel(); simulateItems(t, guess, bars) })
			t.Run("exposure", func(t *testing.T) { t.Parallel(); simulateExposure(t, guess) })
		})
	}
}

// simulateAbility: how far the shown score is from the truth after 5, 10 and
// 20 questions on a topic of 40 items, abilities N(0, 1).
func simulateAbility(t *testing.T, guess float64, bars bool) {
	at := []int{5, 10, 20}
	bar := []float64{0.82, 0.71, 0.60}
	var off [3]spread
	for bank := range uint64(4) {
		tr := truth{guess: guess, topics: 1, items: 40, varGeneral: 0.8, varOffset: 0.2, agree: 0.3}
		s := newService(tr, 100+bank)
		for range size(500) {
			p := s.newPerson()
			for i, n := range at {
				for p.answers < n {
					s.test(p, 0)
				}
				shown := (s.m.Score(p.g, p.t[0], s.world).Mean - center) / pointsOfLogit
				off[i].add(shown - p.general - p.offset[0])
			}
		}
	}
	for i, n := range at {
		rmse := off[i].rms()
		t.Logf("after %2d questions: RMSE of ability %.3f logits, bar %.2f", n, rmse, bar[i])
		if bars && rmse > bar[i] {
			t.Errorf("after %d questions: RMSE %.3f, bar %.2f", n, rmse, bar[i])
		}
	}
}

// simulateRanges: how often a 90 % range holds the truth, of a topic
// practised, a topic untried and all topics, after 5, 20 and 120 questions
// spread over some of eight topics.
func simulateRanges(t *testing.T, guess float64, practised int, bars bool) {
	at := []int{5, 20, 120}
	names := []string{"practised", "untried", "general"}
	var held, width [3][3]spread
	for bank := range uint64(5) {
		tr := truth{guess: guess, topics: 8, items: 160, varGeneral: 0.8, varOffset: 0.2, agree: 0.3}
		s := newService(tr, 200+bank)
		for range size(30) {
			p := s.newPerson()
			for i, n := range at {
				for p.answers < n {
					s.test(p, p.answers/testLength%practised)
				}
				scores := []Score{s.m.Score(p.g, p.t[0], s.world), s.m.Score(p.g, p.t[7], s.world), s.m.GeneralScore(p.g)}
				truths := []float64{p.general + p.offset[0], p.general + p.offset[7], p.general}
				for j, score := range scores {
					real := center + pointsOfLogit*truths[j]
					in := 0.0
					if score.Low <= real && real <= score.High {
						in = 1
					}
					held[i][j].add(in)
					width[i][j].add(score.High - score.Low)
				}
			}
		}
	}
	for i, n := range at {
		for j, name := range names {
			share := held[i][j].mean()
			t.Logf("after %3d questions: %-9s range holds the truth %.3f, mean width %4.0f points", n, name, share, width[i][j].mean())
			if bars && share < 0.88 {
				t.Errorf("after %d questions: %s range holds the truth %.3f, bar .88", n, name, share)
			}
		}
	}
}

// simulateItems: item difficulties after 10,000 tests of five by new people
// on 40 items.
func simulateItems(t *testing.T, guess float64, bars bool) {
	var rmses, ratios spread
	for bank := range uint64(size(1)) {
		tr := truth{guess: guess, topics: 1, items: 40, varGeneral: 0.8, varOffset: 0.2, agree: 1}
		s := newService(tr, 300+bank)
		first, _ := s.topics[0].itemError()
		for range 10000 {
			s.test(s.newPerson(), 0)
		}
		s.fold()
		rmse, ratio := s.topics[0].itemError()
		t.Logf("bank %d: RMSE of difficulties %.3f -> %.3f, bar .32; spread ratio %.3f; learnt guess %.3f; exposure %.3f",
			bank, first, rmse, ratio, s.world.Guess.M, s.topics[0].exposure())
		rmses.add(rmse)
		ratios.add(ratio)
	}
	if bars && (rmses.mean() > 0.32 || ratios.mean() < 0.9 || ratios.mean() > 1.1) {
		t.Errorf("RMSE %.3f, bar .32; spread ratio %.3f, want .9 to 1.1", rmses.mean(), ratios.mean())
	}
}

// simulateExposure: the largest share of first tests that hold any one item.
func simulateExposure(t *testing.T, guess float64) {
	for _, n := range []int{8, 12, 20, 30, 40, 100} {
		s := newService(truth{guess: guess, topics: 1, items: n, varGeneral: 0.8, varOffset: 0.2, agree: 0.3}, uint64(400+n))
		for range size(600) {
			s.test(s.newPerson(), 0)
		}
		bar := 0.26
		if n < 40 {
			bar = 1.6 * testLength / float64(n)
		}
		most := s.topics[0].exposure()
		t.Logf("scope of %3d items: largest share of tests %.3f, bar %.3f", n, most, bar)
		if most > bar {
			t.Errorf("scope of %d items: exposure %.3f, bar %.3f", n, most, bar)
		}
	}
}
