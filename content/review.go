package content

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ReviewKind is how a reviewer answered.
type ReviewKind string

// The kinds of review.
const (
	Blind       ReviewKind = "blind"        // knows the subject, sees no key
	OptionsOnly ReviewKind = "options-only" // sees neither stem nor code
	AsJunior    ReviewKind = "junior"       // answers as a junior would
	Sceptic     ReviewKind = "sceptic"      // looks for a second right answer
)

// ReviewKinds returns all kinds of review.
func ReviewKinds() []ReviewKind { return []ReviewKind{Blind, OptionsOnly, AsJunior, Sceptic} }

// Attempt is one answer of a review, a row of a file in content/review. Whether
// it was right is not recorded: that is worked out from the bank of the day, so
// a key that changes cannot leave old praise behind.
type Attempt struct {
	Item   string
	Rev    int
	Digest string // eight hexadecimal digits of the text and key that were answered
	Solver string // a neutral name such as "solver-a"
	Kind   ReviewKind
	NoFix  bool     // the solver took no part in mending this item
	Order  []string // option keys in the order shown
	Pick   string   // an option key
}

// Header of a review file.
const reviewHeader = `# Answers of people who saw no key, one a line. Appended by "aiprep content grade";
# never edited. Columns, parted by tabs:
#   item    the item's id
#   rev     its revision at that time
#   digest  of its stem, code, options and key, to notice a change without a new rev
#   solver  who answered, by a neutral name
#   kind    blind, options-only, junior or sceptic
#   no_fix  yes if the solver took no part in mending the item; others do not count as proof
#   order   the option keys in the order shown
#   pick    the option key that was chosen
# item	rev	digest	solver	kind	no_fix	order	pick
`

// FormatAttempts returns the rows as they stand in a file, below the comment
// that explains them if header is set.
func FormatAttempts(attempts []Attempt, header bool) []byte {
	var b bytes.Buffer
	if header {
		b.WriteString(reviewHeader)
	}
	for _, a := range attempts {
		noFix := "no"
		if a.NoFix {
			noFix = "yes"
		}
		fmt.Fprintf(&b, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			a.Item, a.Rev, a.Digest, a.Solver, a.Kind, noFix, strings.Join(a.Order, ","), a.Pick)
	}
	return b.Bytes()
}

// ReadAttempts reads every <date>.tsv at the top of fsys, oldest first, each in
// the order of its lines. Faults of form come back as Problems; whether the
// bank has the items is for Review to say.
func ReadAttempts(fsys fs.FS) ([]Attempt, error) {
	names, err := fs.Glob(fsys, "*.tsv")
	if err != nil {
		return nil, fmt.Errorf("list review files: %w", err)
	}
	var attempts []Attempt
	var problems Problems
	for _, name := range names { // sorted, so by date
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read review file: %w", err)
		}
		if !isDate(strings.TrimSuffix(name, path.Ext(name))) {
			problems = append(problems, Problem{File: name, Text: "name the file by its day, such as 2026-12-01.tsv"})
		}
		for n, line := range dataLines(data) {
			a, fault := parseAttempt(line)
			if fault != "" {
				problems = append(problems, Problem{name, n, fault})
				continue
			}
			attempts = append(attempts, a)
		}
	}
	if len(problems) > 0 {
		return attempts, problems
	}
	return attempts, nil
}

// dataLines yields the lines of a table with their numbers from 1, without
// blank ones and comments.
func dataLines(data []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			line = strings.TrimRight(line, "\r\n")
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// parseAttempt reads one row, or says what is wrong with it.
func parseAttempt(line string) (a Attempt, fault string) {
	cells := strings.Split(line, "\t")
	if len(cells) != 8 {
		return a, fmt.Sprintf("write 8 cells parted by tabs, not %d", len(cells))
	}
	rev, err := strconv.Atoi(cells[1])
	a = Attempt{Item: cells[0], Rev: rev, Digest: cells[2], Solver: cells[3], Kind: ReviewKind(cells[4]),
		NoFix: cells[5] == "yes", Order: strings.Split(cells[6], ","), Pick: cells[7]}
	switch {
	case !isItemID(a.Item):
		fault = fmt.Sprintf("write item as an id such as model-compilation.001, not %q", a.Item)
	case err != nil || rev < 1:
		fault = fmt.Sprintf("write rev as a whole number from 1, not %q", cells[1])
	case len(a.Digest) != 8 || strings.Trim(a.Digest, "0123456789abcdef") != "":
		fault = fmt.Sprintf("write digest as eight hexadecimal digits, not %q", a.Digest)
	case !isKebab(a.Solver):
		fault = fmt.Sprintf("write solver as %s, not %q", kebabShape, a.Solver)
	case !slices.Contains(ReviewKinds(), a.Kind):
		fault = fmt.Sprintf("write kind as one of %s, not %q", ReviewKindNames(), a.Kind)
	case cells[5] != "yes" && cells[5] != "no":
		fault = fmt.Sprintf("write no_fix as yes or no, not %q", cells[5])
	case !slices.Contains(a.Order, a.Pick):
		fault = fmt.Sprintf("write pick as one of the options shown, not %q", a.Pick)
	}
	return a, fault
}

// ReviewKindNames lists the kinds for a message or a help text.
func ReviewKindNames() string {
	var names []string
	for _, k := range ReviewKinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
