package content

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Run says whose answers Grade reads.
type Run struct {
	Solver string // neutral, in kebab case
	Kind   ReviewKind
	NoFix  bool   // the solver took no part in mending any of these items
	File   string // of the answers, for messages
}

// SheetNames returns the names of the questions on a printed sheet, in order.
func SheetNames(text []byte) []string {
	var names []string
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), questionMark); ok {
			names = append(names, name)
		}
	}
	return names
}

// Only cuts s down to the named questions, in that order. Names that s lacks
// are stale: their items were changed, renamed or removed since the sheet was
// printed, and answers to them prove nothing.
func (s *Sheet) Only(names []string) (cut *Sheet, stale []string) {
	cut = &Sheet{Seed: s.Seed, OptionsOnly: s.OptionsOnly}
	byName := s.byName()
	for _, name := range names {
		if q, ok := byName[name]; ok {
			cut.Questions = append(cut.Questions, q)
		} else {
			stale = append(stale, name)
		}
	}
	return cut, stale
}

func (s *Sheet) byName() map[string]Question {
	m := make(map[string]Question, len(s.Questions))
	for _, q := range s.Questions {
		m[q.Name] = q
	}
	return m
}

// Grade reads answers, lines of a question's name, a tab and a letter, and
// returns them in the order of the sheet. Blank lines and lines that begin with
// # are passed over, and so are answers to the names in stale. A name that the
// sheet lacks, a letter that the question lacks, a question answered twice and
// one not answered are Problems, all of which are found at once.
func (s *Sheet) Grade(run Run, answers []byte, stale []string) ([]Attempt, error) {
	if err := run.validate(s); err != nil {
		return nil, err
	}
	var problems Problems
	fail := func(line int, format string, args ...any) {
		problems = append(problems, Problem{run.File, line, fmt.Sprintf(format, args...)})
	}
	byName, first, picks := s.byName(), map[string]int{}, map[string]string{}
	for n, line := range dataLines(answers) {
		name, pick, ok := strings.Cut(line, "\t")
		q, known := byName[name]
		switch {
		case !ok:
			fail(n, "write the question's name, a tab and a letter, not %q", line)
		case slices.Contains(stale, name):
		case !known:
			fail(n, "%s", s.unknownName(name))
		case first[name] != 0:
			fail(n, "remove this second answer to %s: the first is on line %d", name, first[name])
		default:
			first[name] = n
			k := strings.Index(letters[:len(q.Order)], pick)
			if len(pick) != 1 || k < 0 {
				fail(n, "answer %s with a letter from A to %s, not %q", name, letter(len(q.Order)-1), pick)
				continue
			}
			picks[name] = q.Item.Options[q.Order[k]].Key
		}
	}
	var attempts []Attempt
	var missing []string
	for _, q := range s.Questions {
		if first[q.Name] == 0 {
			missing = append(missing, q.Name)
		}
		attempts = append(attempts, q.attempt(run, picks[q.Name]))
	}
	if len(missing) > 0 {
		fail(0, "answer every question; there is no answer to %d of %d: %s", len(missing), len(s.Questions), firstOf(missing, 5))
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return attempts, nil
}

func (q Question) attempt(run Run, pick string) Attempt {
	a := Attempt{Item: q.Item.ID, Rev: q.Item.Rev, Digest: q.Item.digest(true),
		Solver: run.Solver, Kind: run.Kind, NoFix: run.NoFix, Pick: pick}
	for _, o := range q.Order {
		a.Order = append(a.Order, q.Item.Options[o].Key)
	}
	return a
}

func (r Run) validate(s *Sheet) error {
	switch {
	case !isKebab(r.Solver):
		return fmt.Errorf("grade answers: write the solver's name as %s, such as solver-a, not %q", kebabShape, r.Solver)
	case !slices.Contains(ReviewKinds(), r.Kind):
		return fmt.Errorf("grade answers: write the kind as one of %s, not %q", ReviewKindNames(), r.Kind)
	case len(s.Questions) == 0:
		return errors.New("grade answers: no question of the sheet is left as it was: is it the right seed?")
	case (r.Kind == OptionsOnly) != s.OptionsOnly:
		return errors.New("grade answers: only a sheet without questions is of the kind options-only")
	}
	return nil
}

// unknownName says why s has no question of that name: often an item was edited
// after its sheet was printed.
func (s *Sheet) unknownName(name string) string {
	id, _, _ := strings.Cut(name, "@")
	for _, q := range s.Questions {
		if q.Item.ID == id && !s.OptionsOnly {
			return fmt.Sprintf("remove this answer, or take the seed of its sheet: %q is another wording or sheet than %s", name, q.Name)
		}
	}
	return fmt.Sprintf("remove this answer, or grade with the seed and selection of its sheet: it has no question %q", name)
}

// firstOf lists at most n of names and counts the rest.
func firstOf(names []string, n int) string {
	list := strings.Join(names[:min(n, len(names))], ", ")
	if len(names) > n {
		list += fmt.Sprintf(" and %d more", len(names)-n)
	}
	return list
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}
