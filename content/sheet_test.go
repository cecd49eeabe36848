package content

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reviewBank has n live items in each of two topics, of which every third is
// senior. Their key is the option "right"; their texts say nothing of that.
func reviewBank(n int) *Bank {
	topic := func(id string) *Topic {
		t := &Topic{ID: id, Title: id}
		for k := range n {
			t.Items = append(t.Items, &Item{
				ID: fmt.Sprintf("%s.%03d", id, k+1), Rev: 1, Level: Levels()[k%3], Status: Live,
				Difficulty: 2.75, HasDifficulty: true,
				Stem: fmt.Sprintf("Stem %d of %s?", k, id), Short: "SHORT", Full: "FULL",
				Options: []Option{
					{Key: "right", Text: fmt.Sprintf("one %d %s", k, id), Correct: true, Why: "WHY"},
					{Key: "second", Text: fmt.Sprintf("two %d %s", k, id), Why: "WHY", Misconception: "error"},
					{Key: "third", Text: fmt.Sprintf("three %d %s", k, id), Why: "WHY", Misconception: "error"},
					{Key: "fourth", Text: fmt.Sprintf("four %d %s", k, id), Why: "WHY", Misconception: "error"},
				},
			})
		}
		return t
	}
	return NewBank([]*Category{
		{ID: "first", Title: "First", Topics: []*Topic{topic("alpha")}},
		{ID: "second", Title: "Second", Topics: []*Topic{topic("beta")}},
	})
}

func mustSheet(t *testing.T, b *Bank, seed uint64, optionsOnly bool, sel Selection) *Sheet {
	t.Helper()
	s, err := NewSheet(b, seed, optionsOnly, sel)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ids(s *Sheet) []string {
	var out []string
	for _, q := range s.Questions {
		out = append(out, q.Item.ID)
	}
	return out
}

func TestSheetShowsAQuestionAndNothingOfItsKey(t *testing.T) {
	b := reviewBank(1)
	i := b.Item("alpha.001")
	i.Code = &Code{Lang: "go", Text: "x := 1\n== y"}
	i.Fixed = true
	got := mustSheet(t, b, 5, false, Selection{Topics: []string{"first/alpha"}}).Text()
	want := `# 1 questions, seed 5
# One option of each is right. Answer all of them, with your best guess where you do
# not know: one line each, the name after ==, a tab, the letter.

== alpha.001@1-XXXX
  Stem 0 of alpha?
  ` + "```go\n  x := 1\n  == y\n  ```" + `
  A) one 0 alpha
  B) two 0 alpha
  C) three 0 alpha
  D) four 0 alpha
`
	got = regexp.MustCompile(`(?m)-[0-9a-f]{4}$`).ReplaceAllString(got, "-XXXX")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOptionsOnlySheetHidesWhatIsAsked(t *testing.T) {
	b := reviewBank(3)
	b.Item("alpha.001").Code = &Code{Lang: "go", Text: "secret()"}
	text := mustSheet(t, b, 5, true, Selection{}).Text()
	for _, hidden := range []string{"Stem", "secret", "alpha.0", "beta.0", "@", "WHY", "SHORT", "FULL", "error", "senior", "2.75"} {
		if strings.Contains(text, hidden) {
			t.Errorf("the sheet shows %q:\n%s", hidden, text)
		}
	}
	names := SheetNames([]byte(text))
	if len(names) != 6 {
		t.Fatalf("it has %d questions, want 6", len(names))
	}
	for _, n := range names {
		if len(n) != 8 || strings.Trim(n, "0123456789") != "" {
			t.Errorf("a question is named %q, want 8 digits", n)
		}
	}
}

func TestSheetIsTheSameForTheSameSeedOnly(t *testing.T) {
	first := mustSheet(t, reviewBank(20), 1, false, Selection{})
	again := mustSheet(t, reviewBank(20), 1, false, Selection{})
	other := mustSheet(t, reviewBank(20), 2, false, Selection{})
	if first.Text() != again.Text() {
		t.Error("one seed gave two sheets")
	}
	if slices.Equal(ids(first), ids(other)) {
		t.Error("two seeds gave one order of questions")
	}
	if len(ids(first)) != 40 || len(SheetNames([]byte(first.Text()))) != 40 {
		t.Errorf("the sheet has %d questions, want 40", len(ids(first)))
	}
}

// A guesser who always takes one letter gets a quarter: every letter is the
// key's about equally often (chi-square with 3 degrees of freedom, p = 0.001).
func TestSheetDrawsTheKeysPlaceEvenly(t *testing.T) {
	var at [4]float64
	n := 0.0
	for seed := range uint64(50) {
		for _, q := range mustSheet(t, reviewBank(20), seed, false, Selection{}).Questions {
			at[slices.Index(q.Order, 0)]++
			n++
		}
	}
	chi := 0.0
	for _, got := range at {
		chi += (got - n/4) * (got - n/4) / (n / 4)
	}
	if chi > 16.27 {
		t.Errorf("the key stood at A, B, C, D %v times: chi-square %.1f", at, chi)
	}
}

func TestPartsShareOutAllQuestionsOnce(t *testing.T) {
	b := reviewBank(30)
	seen := map[string]int{}
	for k := 1; k <= 4; k++ {
		for _, id := range ids(mustSheet(t, b, 9, false, Selection{Part: k, Parts: 4})) {
			seen[id]++
		}
	}
	for _, id := range ids(mustSheet(t, b, 9, false, Selection{})) {
		if seen[id] != 1 {
			t.Errorf("%s is in %d parts", id, seen[id])
		}
	}
	before := ids(mustSheet(t, b, 9, false, Selection{Part: 1, Parts: 4}))
	if got := ids(mustSheet(t, reviewBank(31), 9, false, Selection{Part: 1, Parts: 4})); !containsAll(got, before) {
		t.Errorf("new items moved others out of their part:\n%v\n%v", before, got)
	}
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

func TestSelection(t *testing.T) {
	b := reviewBank(3)
	b.Item("alpha.001").Status = Withdrawn
	b.Item("alpha.002").Status = Draft
	tests := []struct {
		name string
		sel  Selection
		want []string
	}{
		{"drafts count, what is withdrawn does not", Selection{Topics: []string{"alpha"}}, []string{"alpha.002", "alpha.003"}},
		{"by level", Selection{Level: Senior}, []string{"alpha.003", "beta.003"}},
		{"by both", Selection{Level: Mid, Topics: []string{"second/beta"}}, []string{"beta.002"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ids(mustSheet(t, b, 1, false, tt.sel))
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSelectionThatMakesNoSheet(t *testing.T) {
	tests := []struct {
		name, want string
		sel        Selection
	}{
		{"a misspelt topic", `there is no topic "alhpa"; near it are alpha`, Selection{Topics: []string{"alhpa"}}},
		{"a part beyond the last", "there is no part 5 of 4", Selection{Part: 5, Parts: 4}},
		{"nothing left", "holds no draft or live item", Selection{Topics: []string{"alpha"}, Level: Senior}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewSheet(reviewBank(2), 1, false, tt.sel)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// Whatever a solver sees of an item changes the question's name, and so does
// the seed; what a solver does not see changes nothing.
func TestQuestionsNameFollowsWhatIsShown(t *testing.T) {
	name := func(seed uint64, change func(*Item)) string {
		b := reviewBank(1)
		change(b.Item("alpha.001"))
		return mustSheet(t, b, seed, false, Selection{Topics: []string{"alpha"}}).Questions[0].Name
	}
	original := name(1, func(*Item) {})
	for what, got := range map[string]string{
		"the seed":        name(2, func(*Item) {}),
		"the stem":        name(1, func(i *Item) { i.Stem += " " }),
		"the code":        name(1, func(i *Item) { i.Code = &Code{Lang: "go", Text: "x"} }),
		"an option":       name(1, func(i *Item) { i.Options[2].Text += "." }),
		"an option's key": name(1, func(i *Item) { i.Options[2].Key = "new" }),
		"the rev":         name(1, func(i *Item) { i.Rev = 2 }),
	} {
		if got == original {
			t.Errorf("%s changed and the name %s did not", what, got)
		}
	}
	hidden := name(1, func(i *Item) {
		i.Level, i.Difficulty, i.Full = Senior, -1, "other"
		i.Options[0].Correct, i.Options[1].Correct = false, true
	})
	if hidden != original {
		t.Errorf("the name tells of hidden things: %s and %s", original, hidden)
	}
}
