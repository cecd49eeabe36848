package content

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tried is an attempt at an item as it is now.
func tried(b *Bank, id, solver string, kind ReviewKind, pick string) Attempt {
	i := b.Item(id)
	return Attempt{Item: id, Rev: i.Rev, Digest: i.digest(true), Solver: solver, Kind: kind, NoFix: true,
		Order: []string{"right", "second", "third", "fourth"}, Pick: pick}
}

// proven returns attempts that clear every bar on reviewBank(12): 24 items, 8 a
// level, 12 a category.
func proven(b *Bank) []Attempt {
	var all []Attempt
	n := 0
	for i := range b.reviewable() {
		all = append(all, tried(b, i.ID, "solver-a", Blind, "right"), tried(b, i.ID, "solver-b", Blind, "right"))
		guess, junior := "second", "right"
		if n%4 == 0 {
			guess = "right"
		}
		if i.Level == Senior {
			junior = "third"
		}
		all = append(all, tried(b, i.ID, "solver-c", OptionsOnly, guess), tried(b, i.ID, "solver-d", AsJunior, junior))
		n++
	}
	return all
}

func TestReviewOfAProvenBank(t *testing.T) {
	b := reviewBank(12)
	got := Review(b, proven(b))
	want := ReviewReport{
		Rows:           96,
		Agreement:      Score{48, 48, 1},
		Senior:         Score{16, 16, 1},
		ByCategory:     map[string]Score{"first": {24, 24, 1}, "second": {24, 24, 1}},
		OptionsOnly:    map[string]Guess{"first": {Score{12, 3, 0.25}, 0.25}, "second": {Score{12, 3, 0.25}, 0.25}},
		JuniorOnJunior: Score{8, 8, 1},
		JuniorOnSenior: Score{8, 0, 0},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// change makes every attempt for which pick returns a key pick that instead.
func change(all []Attempt, pick func(Attempt) string) []Attempt {
	for n := range all {
		if key := pick(all[n]); key != "" {
			all[n].Pick = key
		}
	}
	return all
}

func TestReviewNamesTheBarsThatAreMissed(t *testing.T) {
	b := reviewBank(12)
	// with makes a kind of solver pick an option, of all items or of those named.
	with := func(kind ReviewKind, pick string, ids ...string) []Attempt {
		return change(proven(b), func(a Attempt) string {
			if a.Kind == kind && a.Solver != "solver-b" && (len(ids) == 0 || slices.Contains(ids, a.Item)) {
				return pick
			}
			return ""
		})
	}
	without := func(drop func(Attempt) bool) []Attempt { return slices.DeleteFunc(proven(b), drop) }
	tests := []struct {
		name     string
		attempts []Attempt
		missed   string // "" if all bars are cleared
	}{
		{"two answers in 48 wrong", with(Blind, "fourth", "alpha.001", "alpha.002"),
			"blind agreement: 95.8 % of 48, at least 97 % wanted"},
		{"one answer in 48 wrong", with(Blind, "second", "alpha.001"), ""},
		{"senior items that solvers miss", with(Blind, "second", "alpha.003", "beta.003"),
			"blind agreement on senior items: 87.5 % of 16, at least 93 % wanted"},
		{"one solver only", without(func(a Attempt) bool { return a.Solver == "solver-b" }),
			"blind answers: 24 live items have fewer than 2 on their present wording"},
		{"options that give the key away", with(OptionsOnly, "right", "beta.002", "beta.003"),
			"options only in second: 41.7 % of 12, at most 35.0 % wanted"},
		{"options that are at the limit", with(OptionsOnly, "right", "beta.002"), ""},
		{"a category without guesses", without(func(a Attempt) bool { return a.Kind == OptionsOnly && strings.HasPrefix(a.Item, "alpha") }),
			"options only in first: no answers"},
		{"a junior who knows all", with(AsJunior, "right"),
			"answered as a junior: junior items 100.0 % of 8, senior 100.0 % of 8, at least 15 points between them wanted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			missed := Review(b, tt.attempts).Missed
			if tt.missed == "" && len(missed) > 0 || tt.missed != "" && !slices.Contains(missed, tt.missed) {
				t.Errorf("missed %q, want %q", missed, tt.missed)
			}
		})
	}
}

func TestReviewWithoutAnswersClearsNoBar(t *testing.T) {
	r := Review(reviewBank(3), nil)
	want := []string{
		"blind agreement: no answers that count",
		"blind agreement on senior items: no answers that count",
		"blind answers: 6 live items have fewer than 2 on their present wording",
		"options only in first: no answers",
		"options only in second: no answers",
		"answered as a junior: junior or senior items have no answers",
	}
	if diff := cmp.Diff(want, r.Missed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(r.NeverRun) != 6 {
		t.Errorf("never run: %v", r.NeverRun)
	}
}

func TestReviewCountsFirstAttemptsOnThePresentWording(t *testing.T) {
	b := reviewBank(1)
	const id = "alpha.001"
	now := tried(b, id, "solver-a", Blind, "right")
	older, edited, mended := now, now, now
	older.Rev, older.Digest, older.Pick = 7, "00000000", "second"
	b.Item(id).Rev, now.Rev = 8, 8
	edited.Rev, edited.Digest, edited.Pick = 8, "00000000", "second"
	mended.Rev, mended.Solver, mended.NoFix, mended.Pick = 8, "solver-m", false, "second"
	again, other := now, now
	again.Pick = "third"
	other.Solver, other.Pick = "solver-b", "fourth"

	r := Review(b, []Attempt{older, edited, mended, now, again, other})
	if diff := cmp.Diff(Score{2, 1, 0.5}, r.Agreement); diff != "" {
		t.Errorf("agreement (-want +got):\n%s", diff)
	}
	want := []Disagreement{{id, "solver-b", Blind, "fourth", "right"}}
	if diff := cmp.Diff(want, r.Disagreements); diff != "" {
		t.Errorf("disagreements (-want +got):\n%s", diff)
	}
	if len(r.Changed)+len(r.Once) > 0 || !slices.Equal(r.NeverRun, []string{"beta.001"}) {
		t.Errorf("changed %v, once %v, never %v", r.Changed, r.Once, r.NeverRun)
	}
}

func TestReviewListsWhatChangedSinceItsRun(t *testing.T) {
	b := reviewBank(4)
	attempts := proven(b)
	b.Item("alpha.001").Rev = 2
	b.Item("alpha.002").Stem = "Edited in silence?"
	o := b.Item("alpha.003").Options
	o[0].Correct, o[1].Correct = false, true // another key makes no solver right after the fact
	attempts = append(attempts, Attempt{Item: "gone.001", Rev: 1, Digest: "00000000", Solver: "a", Kind: Blind, Pick: "x"})
	r := Review(b, attempts)
	if diff := cmp.Diff([]string{"alpha.001", "alpha.002", "alpha.003"}, r.Changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"alpha.002", "alpha.003"}, r.SameRev); diff != "" {
		t.Errorf("with their old rev (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gone.001"}, r.Unknown); diff != "" {
		t.Errorf("unknown (-want +got):\n%s", diff)
	}
	if r.Agreement.Answers != 10 {
		t.Errorf("%d answers count, want those to 5 items", r.Agreement.Answers)
	}
	b.Item("beta.001").Status = Retired
	if r := Review(b, attempts); r.Agreement.Answers != 8 {
		t.Errorf("%d answers count after one item retired, want 8", r.Agreement.Answers)
	}
}

func TestReviewTextTellsAllOfIt(t *testing.T) {
	b := reviewBank(3)
	attempts := change(proven(b), func(a Attempt) string {
		if a.Item == "beta.003" && a.Solver == "solver-b" {
			return "third"
		}
		return ""
	})
	attempts = append(attempts, tried(b, "beta.003", "solver-s", Sceptic, "second"))
	b.Item("alpha.002").Rev = 2
	text := Review(b, attempts).Text()
	for _, want := range []string{
		"review: 25 answers on record; blind agreement 90.0 % of 10, on senior items 75.0 % of 4\n",
		"  second: blind 83.3 % of 6\n",
		fmt.Sprintf("  first: options only %s, chance 25.0 %%\n", Score{2, 1, 0.5}),
		"answered as a junior: junior items 100.0 % of 2, senior items 0.0 % of 2; by a sceptic: senior items 0.0 % of 1\n",
		"settle beta.003: solver-b (blind) took third, the key is right\n",
		"settle beta.003: solver-s (sceptic) took second, the key is right\n",
		"changed since they were answered: 1: alpha.002\n",
		"bar missed: blind agreement: 90.0 % of 10, at least 97 % wanted\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
