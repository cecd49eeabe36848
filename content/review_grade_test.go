package content

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// answer returns the line that picks the option with that key.
func answer(q Question, key string) string {
	for n, o := range q.Order {
		if q.Item.Options[o].Key == key {
			return q.Name + "\t" + letter(n) + "\n"
		}
	}
	return q.Name + "\t?\n"
}

func solverA() Run { return Run{Solver: "solver-a", Kind: Blind, NoFix: true, File: "a.tsv"} }

func TestGradeTurnsLettersIntoOptionKeys(t *testing.T) {
	for _, optionsOnly := range []bool{false, true} {
		s := mustSheet(t, reviewBank(6), 3, optionsOnly, Selection{})
		run := solverA()
		if optionsOnly {
			run.Kind = OptionsOnly
		}
		lines := "# my answers\n\n"
		want := map[string]string{}
		keys := []string{"right", "second", "third", "fourth"}
		for n, q := range s.Questions {
			want[q.Item.ID] = keys[n%4]
			lines += answer(q, keys[n%4])
		}
		got, err := s.Grade(run, []byte(strings.ReplaceAll(lines, "\n", "\r\n")), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 12 {
			t.Fatalf("%d attempts, want 12", len(got))
		}
		for n, a := range got {
			q := s.Questions[n]
			if a.Item != q.Item.ID || a.Pick != want[a.Item] || a.Kind != run.Kind || !a.NoFix || a.Solver != "solver-a" {
				t.Errorf("attempt %+v, want %s of %s", a, want[a.Item], q.Item.ID)
			}
			for k, o := range q.Order {
				if a.Order[k] != q.Item.Options[o].Key {
					t.Errorf("%s: order %v, shown %v", a.Item, a.Order, q.Order)
				}
			}
		}
	}
}

func TestGradeNamesEveryFaultOfAnAnswerFile(t *testing.T) {
	b := reviewBank(3)
	b.Item("alpha.002").Rev = 4
	s := mustSheet(t, b, 3, false, Selection{Topics: []string{"alpha"}})
	name := map[string]string{}
	for _, q := range s.Questions {
		name[q.Item.ID] = q.Name
	}
	one, two := name["alpha.001"], name["alpha.002"]
	answers := one + "\tB\n" + // 1: right
		one + "\tC\n" + // 2: twice
		two + "\tE\n" + // 3: no such letter
		"alpha.002@1-0000\tA\n" + // 4: an older revision
		"gamma.001@1-0000\tA\n" + // 5: not on the sheet
		two + " A\n" + // 6: no tab
		two + "\tA\n" // 7: a second answer; alpha.003 has none
	_, err := s.Grade(solverA(), []byte(answers), nil)
	want := strings.NewReplacer("ONE", one, "TWO", two, "THREE", name["alpha.003"]).Replace(
		`a.tsv:2: remove this second answer to ONE: the first is on line 1
a.tsv:3: answer TWO with a letter from A to D, not "E"
a.tsv:4: remove this answer, or take the seed of its sheet: "alpha.002@1-0000" is another wording or sheet than TWO
a.tsv:5: remove this answer, or grade with the seed and selection of its sheet: it has no question "gamma.001@1-0000"
a.tsv:6: write the question's name, a tab and a letter, not "TWO A"
a.tsv:7: remove this second answer to TWO: the first is on line 3
a.tsv: answer every question; there is no answer to 1 of 3: THREE`)
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGradeTakesEachLetterOfASheetAlone(t *testing.T) {
	s := mustSheet(t, reviewBank(1), 3, false, Selection{Topics: []string{"alpha"}})
	for _, pick := range []string{"", "AB", "a", " A", "E", "1"} {
		if _, err := s.Grade(solverA(), []byte(s.Questions[0].Name+"\t"+pick+"\n"), nil); err == nil {
			t.Errorf("the answer %q is taken", pick)
		}
	}
}

// The name of a question comes from the seed too, so answers to one sheet
// cannot be read with the order of another.
func TestGradeRefusesTheAnswersToAnotherSeed(t *testing.T) {
	b := reviewBank(10)
	var lines string
	for _, q := range mustSheet(t, b, 3, false, Selection{}).Questions {
		lines += answer(q, "right")
	}
	if got, err := mustSheet(t, b, 4, false, Selection{}).Grade(solverA(), []byte(lines), nil); err == nil {
		t.Errorf("graded %d answers", len(got))
	}
}

func TestGradeLeavesOutWhatChangedSinceTheSheet(t *testing.T) {
	b := reviewBank(3)
	printed := mustSheet(t, b, 3, false, Selection{Topics: []string{"alpha"}})
	var lines string
	for _, q := range printed.Questions {
		lines += answer(q, "third")
	}
	text := printed.Text()
	b.Item("alpha.002").Stem = "What else?"
	cut, stale := mustSheet(t, b, 3, false, Selection{}).Only(SheetNames([]byte(text)))
	got, err := cut.Grade(solverA(), []byte(lines), stale)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(stale) != 1 || !strings.HasPrefix(stale[0], "alpha.002@1-") {
		t.Errorf("%d attempts, stale %v; want 2 and alpha.002", len(got), stale)
	}
	for _, a := range got {
		if a.Item == "alpha.002" || a.Pick != "third" {
			t.Errorf("recorded %+v", a)
		}
	}
	if _, err := cut.Grade(solverA(), []byte(strings.ReplaceAll(lines, "alpha.001", "# alpha.001")), stale); err == nil {
		t.Error("a question without an answer passed")
	}
}

func TestGradeRefusesRunsThatMakeNoSense(t *testing.T) {
	whole := mustSheet(t, reviewBank(1), 3, false, Selection{})
	options := mustSheet(t, reviewBank(1), 3, true, Selection{})
	empty := &Sheet{Seed: 3}
	tests := []struct {
		name, want string
		sheet      *Sheet
		run        Run
	}{
		{"no solver", "write the solver's name", whole, Run{Kind: Blind}},
		{"a kind that does not exist", "write the kind as one of blind, options-only, junior, sceptic", whole, Run{Solver: "a", Kind: "blnid"}},
		{"questions for options only", "only a sheet without questions", whole, Run{Solver: "a", Kind: OptionsOnly}},
		{"options only as blind", "only a sheet without questions", options, Run{Solver: "a", Kind: Blind}},
		{"nothing to answer", "is it the right seed", empty, Run{Solver: "a", Kind: Blind}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.sheet.Grade(tt.run, nil, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestAttemptsComeBackAsWritten(t *testing.T) {
	first := []Attempt{
		{"alpha.001", 2, "0123abcd", "solver-a", Blind, true, []string{"b", "a", "c"}, "a"},
		{"beta.001", 1, "ffffffff", "solver-b", OptionsOnly, false, []string{"a", "b", "c"}, "c"},
	}
	second := []Attempt{{"alpha.001", 3, "0123abce", "solver-c", Sceptic, true, []string{"a", "b"}, "b"}}
	late := FormatAttempts(second, true)
	late = append(late, FormatAttempts(second, false)...)
	got, err := ReadAttempts(fstest.MapFS{
		"2026-12-02.tsv": {Data: late},
		"2026-12-01.tsv": {Data: FormatAttempts(first, true)},
		"README.md":      {Data: []byte("not a table")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := append(append(first, second...), second...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadAttemptsNamesEveryFault(t *testing.T) {
	good := "alpha.001\t2\t0123abcd\tsolver-a\tblind\tyes\tb,a,c\ta\n"
	tests := []struct{ name, old, bad, want string }{
		{"a cell too few", "\ta\n", "\n", "x.tsv:2: write 8 cells parted by tabs, not 7"},
		{"an item's id", "alpha.001", "alpha", `write item as an id such as model-compilation.001, not "alpha"`},
		{"a rev", "\t2\t", "\t0\t", `write rev as a whole number from 1, not "0"`},
		{"a digest", "0123abcd", "0123ABCD", "write digest as eight hexadecimal digits"},
		{"a solver", "solver-a", "Solver A", "write solver as lower-case words"},
		{"a kind", "blind", "blnid", "write kind as one of"},
		{"a claim", "yes", "true", `write no_fix as yes or no, not "true"`},
		{"a pick that was not shown", "\ta\n", "\td\n", `write pick as one of the options shown, not "d"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := good + strings.Replace(good, tt.old, tt.bad, 1)
			_, err := ReadAttempts(fstest.MapFS{"x.tsv": {Data: []byte(data)}})
			var problems Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q in it", err, tt.want)
			}
			if !strings.Contains(err.Error(), "name the file by its day") || len(problems) != 2 {
				t.Errorf("got %d problems:\n%v", len(problems), err)
			}
		})
	}
}
