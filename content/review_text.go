package content

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String returns the score as "95.0 % of 40".
func (s Score) String() string {
	if s.Answers == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f %% of %d", 100*s.Share, s.Answers)
}

// Text returns the report for a terminal.
func (r ReviewReport) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	list := func(what string, ids []string) {
		if len(ids) > 0 {
			line("%s: %d: %s", what, len(ids), firstOf(ids, 12)) // --json has them all
		}
	}
	line("review: %d answers on record; blind agreement %s, on senior items %s", r.Rows, r.Agreement, r.Senior)
	for _, c := range slices.Sorted(maps.Keys(r.ByCategory)) {
		line("  %s: blind %s", c, r.ByCategory[c])
	}
	for _, c := range slices.Sorted(maps.Keys(r.OptionsOnly)) {
		line("  %s: options only %s, chance %.1f %%", c, r.OptionsOnly[c].Score, 100*r.OptionsOnly[c].Chance)
	}
	line("answered as a junior: junior items %s, senior items %s; by a sceptic: senior items %s",
		r.JuniorOnJunior, r.JuniorOnSenior, r.Sceptic)
	for _, d := range r.Disagreements {
		line("settle %s: %s (%s) took %s, the key is %s", d.Item, d.Solver, d.Kind, d.Pick, d.Key)
	}
	list("never answered blind", r.NeverRun)
	list("changed since they were answered", r.Changed)
	list("of these with their old rev", r.SameRev)
	list("answered blind fewer than twice", r.Once)
	list("on record but not in the bank", r.Unknown)
	for _, m := range r.Missed {
		line("bar missed: %s", m)
	}
	return b.String()
}
