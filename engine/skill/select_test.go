package skill

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// seedOf returns the seed of the nth question.
func seedOf(n int) (seed [32]byte) {
	binary.LittleEndian.PutUint64(seed[:], uint64(n))
	return seed
}

// picks counts what 4,000 questions choose.
func picks(candidates []Candidate, w Want) (index map[int]int, why map[Why]int) {
	index, why = map[int]int{}, map[Why]int{}
	for n := range 4000 {
		c := Default().Select(candidates, w, seedOf(n))
		index[c.Index]++
		why[c.Why]++
	}
	return index, why
}

// fresh returns n items never seen, their chances spread from 0 to 1.
func fresh(n int) []Candidate {
	all := make([]Candidate, n)
	for i := range all {
		all[i].P = float64(i) / float64(n-1)
	}
	return all
}

func TestSelectOrder(t *testing.T) {
	due := Candidate{Seen: true, Due: true, Days: 3, Served: 200}
	old := Candidate{Seen: true, Days: 90}
	recent := Candidate{Seen: true, Days: 29}
	capped := Candidate{Served: 60}
	tests := []struct {
		name       string
		candidates []Candidate
		reviewed   bool
		want       Choice
	}{
		{"a due review before a new item", []Candidate{{}, due}, false, Choice{1, WhyReview, false}},
		{"the review that waited longest", []Candidate{due, {Seen: true, Due: true, Days: 9}}, false, Choice{1, WhyReview, false}},
		{"one review a test", []Candidate{due, old}, true, Choice{1, WhyOld, false}},
		{"an enemy's review never", []Candidate{{Seen: true, Due: true, Enemy: true}, old}, false, Choice{1, WhyOld, false}},
		{"new before old", []Candidate{old, {}}, false, Choice{1, WhyNew, false}},
		{"old before what the cap holds back", []Candidate{capped, old}, false, Choice{1, WhyOld, false}},
		{"what the cap holds back before recent", []Candidate{recent, capped}, false, Choice{1, WhyNew, true}},
		{"recent when nothing else is left", []Candidate{recent, {Enemy: true}}, false, Choice{0, WhyRecent, false}},
		{"thirty days are a rest", []Candidate{recent, {Seen: true, Days: 30}}, false, Choice{1, WhyOld, false}},
		{"nothing but enemies", []Candidate{{Enemy: true}}, false, Choice{-1, WhyNone, false}},
		{"nothing at all", nil, false, Choice{-1, WhyNone, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Default()
			m.Probe = 0
			got := m.Select(tt.candidates, Want{Scope: 100, Tests: 200, Reviewed: tt.reviewed}, seedOf(1))
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestSelectDrawsOneOfTheFiveNearestAndProbesOneInTen(t *testing.T) {
	index, why := picks(fresh(41), Want{Scope: 41})
	for i, n := range index {
		near := i >= 27 && i <= 31 // P of .675 to .775
		if near && (n < 640 || n > 860) || !near && (n < 1 || n > 30) {
			t.Errorf("item %d drawn %d times", i, n)
		}
	}
	if len(index) != 41 {
		t.Errorf("%d of 41 items drawn", len(index))
	}
	if why[WhyProbe] < 330 || why[WhyProbe] > 470 || why[WhyProbe]+why[WhyNew] != 4000 {
		t.Errorf("drawn by rule: %v, want about 400 probes of 4000", why)
	}
}

func TestSelectTakesOldItemsLongestAgoFirst(t *testing.T) {
	all := fresh(30)
	for i := range all {
		all[i].Seen, all[i].Days = true, float64(31+i)
	}
	m := Default()
	m.Probe = 0
	seen := map[int]bool{}
	for n := range 200 {
		seen[m.Select(all, Want{Scope: 30}, seedOf(n)).Index] = true
	}
	// Of the ten longest ago, 20 to 29, those with P nearest to .72.
	for i := range 30 {
		if want := i >= 20 && i <= 24; seen[i] != want {
			t.Errorf("item %d drawn: %v, want %v", i, seen[i], want)
		}
	}
}

func TestSelectFirstQuestionIsNearTheMiddle(t *testing.T) {
	all := fresh(13)
	for i := range all {
		all[i].B = float64(i)/2 - 3
	}
	index, why := picks(all, Want{Scope: 13, First: true})
	for _, i := range []int{5, 6, 7} { // -.5, 0, .5
		if index[i] < 1200 || index[i] > 1470 {
			t.Errorf("item %d drawn %d times of 4000, want a third", i, index[i])
		}
	}
	if why[WhyFirst] != 4000 {
		t.Errorf("drawn by rule: %v", why)
	}
	hard := []Candidate{{B: 3}, {B: 2}, {B: 2.5}, {B: 1}, {B: 2}, {B: -2.5}, {B: 1.5}}
	index, _ = picks(hard, Want{Scope: 7, First: true})
	if index[0] > 0 || len(index) != 5 {
		t.Errorf("drawn %v, want the five nearest to the middle", index)
	}
}

func TestSelectCap(t *testing.T) {
	tests := []struct {
		name         string
		scope, tests int
		free, held   int // the most served that is free, the least that is held back
	}{
		{"a quarter of a large scope's tests", 100, 200, 49, 50},
		{"a quarter at forty items", 40, 200, 49, 50},
		{"more than a quarter of a small scope's", 15, 200, 99, 100},
		{"nothing is held back in a tiny scope", 7, 200, 200, -1},
		{"the first tests are free", 100, 3, 4, 5},
		{"no more than two hundred tests count", 100, 5000, 49, 50},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := Want{Scope: tt.scope, Tests: tt.tests}
			if c := Default().Select([]Candidate{{Served: tt.free}}, w, seedOf(1)); c.Capped {
				t.Errorf("served %d times: held back", tt.free)
			}
			if c := Default().Select([]Candidate{{Served: tt.held}}, w, seedOf(1)); tt.held >= 0 && !c.Capped {
				t.Errorf("served %d times: free", tt.held)
			}
		})
	}
}

func TestSelectIsAFunctionOfItsSeed(t *testing.T) {
	all := fresh(40)
	before := slices.Clone(all)
	var first []int
	for range 2 {
		var got []int
		for n := range 50 {
			got = append(got, Default().Select(all, Want{Scope: 40}, seedOf(n)).Index)
		}
		if first != nil && !slices.Equal(first, got) {
			t.Fatalf("the same seeds chose %v, then %v", first, got)
		}
		first = got
	}
	if !slices.Equal(all, before) {
		t.Error("the candidates were changed")
	}
	if slices.Max(first) == slices.Min(first) {
		t.Error("fifty seeds chose one item")
	}
}

// TestInformation checks the figures of a three-parameter item: with a guess
// of .25 the most is .1547, at .31 logits above the item.
func TestInformation(t *testing.T) {
	m := Default()
	n := Numbers{Item: Item{Slope: 1}, World: World{Guess: Normal{M: 0.25}}}
	at := func(x float64) float64 {
		return m.Information([]Member{{General{M: x}, m.NewTopic()}}, n)
	}
	best := 0.0
	for x := -2.0; x < 2; x += 0.01 {
		if at(x) > at(best) {
			best = x
		}
	}
	near(t, "best ability", best, 0.31, 0.02)
	near(t, "information there", at(best), 0.1547, 1e-4)
	both := m.Information([]Member{{General{M: -1}, m.NewTopic()}, {General{M: 1}, m.NewTopic()}}, n)
	near(t, "mean of two", both, (at(-1)+at(1))/2, 1e-15)
	near(t, "nobody is a newcomer", m.Information(nil, n), at(0), 1e-15)
	n.World.Guess.M, n.Item.Slope = 0, 2
	near(t, "slope two, no guess", at(0), 1, 1e-12)
	if x := at(-1e6); math.IsNaN(x) || x < 0 {
		t.Errorf("information far away is %g", x)
	}
}
