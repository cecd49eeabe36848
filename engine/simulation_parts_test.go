package engine_test

import (
	"math"
	"testing"

	"aiprep/content"
)

// sums adds up numbers.
type sums struct{ n, sum, squares float64 }

func (s *sums) add(x float64) { s.n++; s.sum += x; s.squares += x * x }

func (s *sums) mean() float64 { return s.sum / s.n }

func (s *sums) rms() float64 { return math.Sqrt(s.squares / s.n) }

func (s *sums) sd() float64 { return math.Sqrt(max(0, s.squares/s.n-s.mean()*s.mean())) }

// simulateScores: how far the score of a practised topic is from the truth.
// Beside the bars stands the bound of this very bank, and the share of the
// uncertainty removed, of that which the bound allows. In the reference
// simulation random questions remove .66, .75 and .86 of it after 5, 10 and 20,
// and the shipped rule .80, .86 and .92; where a topic has little more than 20
// items, all of them are asked in the end, and nothing is left to choose.
func simulateScores(t *testing.T, bank *content.Bank, seed uint64, guess float64) {
	at := []int{5, 10, 20}
	bars := []float64{0.82, 0.71, 0.60}
	least := []float64{0.70, 0.78, 0.86}
	var off [3]sums
	var best [3]sums
	for n, tp := range offered(bank)[:4] {
		w := newCrowd(t, bank, seed+uint64(n), guess)
		for range people(150) {
			p := w.person(false)
			for k, answers := range at {
				for p.tests*5 < answers {
					w.test(p, tp.ID)
				}
				mean, _, _ := w.shown(p, tp.ID)
				off[k].add(mean - w.ability(p, tp.ID))
			}
		}
		for k, answers := range at {
			best[k].add(math.Pow(w.bound(tp, answers), 2))
		}
	}
	for k, answers := range at {
		rmse, bound := off[k].rms(), math.Sqrt(best[k].mean())
		share := (1 - rmse*rmse) / (1 - bound*bound)
		t.Logf("after %2d answers: RMSE of the score %.3f logits (bar %.2f), bound of this bank %.3f, share of the possible %.2f", answers, rmse, bars[k], bound, share)
		if rmse > bars[k] {
			t.Errorf("after %d answers: RMSE %.3f, bar %.2f", answers, rmse, bars[k])
		}
		if share < least[k] {
			t.Errorf("after %d answers: %.2f of what the bank allows is learnt, want %.2f", answers, share, least[k])
		}
	}
}

// simulateRanges: how often a displayed 90 % range holds the truth: of the
// topic practised, of one untried and of all, after tests on one topic and
// after many on eight.
func simulateRanges(t *testing.T, bank *content.Bank, seed uint64, guess float64) {
	all := offered(bank)
	names := []string{"practised", "untried", "general"}
	groups := []struct{ people, topics, tests int }{{160, 1, 1}, {160, 1, 4}, {60, 8, 24}}
	for n, g := range groups {
		w := newCrowd(t, bank, seed+uint64(20+n), guess)
		var held, width [3]sums
		for range people(g.people) {
			p := w.person(false)
			for k := range g.tests {
				w.test(p, all[k%g.topics].ID)
			}
			untried := all[len(all)-1].ID
			for k, scope := range []string{all[0].ID, untried, ""} {
				truth := p.general
				if scope != "" {
					truth = w.ability(p, scope)
				}
				_, low, high := w.shown(p, scope)
				in := 0.0
				if low <= truth && truth <= high {
					in = 1
				}
				held[k].add(in)
				width[k].add((high - low) * 400 / math.Ln10)
			}
		}
		for k, name := range names {
			t.Logf("after %3d answers on %d topics: %-9s range holds the truth %.3f (bar .88), mean width %4.0f points", 5*g.tests, g.topics, name, held[k].mean(), width[k].mean())
			// A share of .90 comes out below this in one run of a hundred.
			if least := 0.88 - 1.5*math.Sqrt(0.9*0.1/held[k].n); held[k].mean() < least {
				t.Errorf("after %d answers: %s range holds the truth %.3f, want %.3f", 5*g.tests, name, held[k].mean(), least)
			}
		}
	}
}

// simulateExposure: the largest share of first tests that hold any one item.
func simulateExposure(t *testing.T, bank *content.Bank, seed uint64, guess float64) {
	all := offered(bank)
	largest := bank.Category(all[0].Category)
	scopes := map[string]int{all[0].ID: len(all[0].Live()), all[len(all)-1].ID: len(all[len(all)-1].Live())}
	for _, tp := range largest.Topics {
		if tp.Offered() {
			scopes[largest.ID] += len(tp.Live())
		}
	}
	for scope, n := range scopes {
		w := newCrowd(t, bank, seed+40, guess)
		times, tests, most := map[string]int{}, people(200), 0
		for range tests {
			p := w.person(false)
			w.test(p, scope)
			for _, i := range p.asked {
				times[i]++
				most = max(most, times[i])
			}
		}
		bar := 0.26
		if n < 40 {
			bar = min(1, 1.6*5/float64(n))
		}
		share := float64(most) / float64(tests)
		t.Logf("scope of %3d items: largest share of tests %.3f (bar %.3f), %d items used", n, share, bar, len(times))
		if share > bar {
			t.Errorf("scope %s of %d items: an item is in %.3f of the tests, bar %.3f", scope, n, share, bar)
		}
	}
}

// simulateItems: people who agreed teach the engine how hard the items are.
// The error falls slowly, because the items that suit hardly anybody are
// hardly asked. The bar is .32 after 10,000 tests on 40 items; there is time for
// a sixth of that here, and engine/skill simulates the rest.
func simulateItems(t *testing.T, bank *content.Bank, seed uint64, guess float64) {
	w := newCrowd(t, bank, seed+60, guess)
	topics := offered(bank)[:2]
	before, items := w.itemError(topics, nil)
	t.Logf("%d items, authors' labels: RMSE of difficulties %.3f", items, before)
	numbers := []content.Learnt{}
	for n := range people(1600) {
		w.test(w.person(true), topics[n%len(topics)].ID)
		if n%100 != 99 {
			continue
		}
		if _, err := w.e.Calibrate(t.Context(), w.now, false); err != nil {
			t.Fatal(err)
		}
		if n%400 == 399 {
			var err error
			if numbers, err = w.e.Learnt(t.Context()); err != nil {
				t.Fatal(err)
			}
			rmse, _ := w.itemError(topics, numbers)
			t.Logf("after %4d tests: RMSE of difficulties %.3f, %d items with numbers to ship", n+1, rmse, len(numbers))
		}
	}
	if after, _ := w.itemError(topics, numbers); after > 0.85*before || after > 0.36 {
		t.Errorf("RMSE of difficulties %.3f -> %.3f, want at most .36 and .85 of the first", before, after)
	}
}

// itemError is how far the difficulties are from the truth, with the shift
// removed that a topic's items have in common. Where nothing was learnt, the
// author's label stands.
func (w *crowd) itemError(topics []*content.Topic, numbers []content.Learnt) (rmse float64, items int) {
	known := map[string]float64{}
	for _, l := range numbers {
		known[l.Item] = l.B
	}
	total := 0.0
	for _, tp := range topics {
		var off sums
		for _, i := range tp.Live() {
			b, ok := known[i.ID]
			if !ok {
				b = authors(i)
			}
			off.add(b - w.truth[i.ID])
		}
		total += off.n * off.sd() * off.sd()
		items += int(off.n)
	}
	return math.Sqrt(total / float64(items)), items
}
