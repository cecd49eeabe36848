package content

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cleanItem is an item in which no rule finds anything. Its texts differ from
// those of other numbers enough not to be near-duplicates.
func cleanItem(n int) *Item {
	subjects := []string{"nightly export", "search index", "mail queue", "billing report", "photo store", "price feed", "login page", "audit trail", "chat relay"}
	changes := []string{"takes twice as long", "returns stale rows", "drops one message in ten", "shows a rounding gap",
		"fills its volume", "lags by nine minutes", "rejects valid tokens", "misses some entries", "repeats old words"}
	tools := []string{"profiler", "cache header", "retry log", "ledger", "retention rule", "partition offset", "clock", "sampling rate", "replay window"}
	k := n % len(subjects)
	return &Item{
		ID: fmt.Sprintf("clean.%03d", n+1), Rev: 1, Level: Levels()[n%2], Cognitive: Diagnose,
		Difficulty: float64(n)/4 - 1, HasDifficulty: true, Status: Live, File: "bank/lab/clean.yaml", Line: 10 * n,
		Stem: fmt.Sprintf("The %s number %d %s since Monday. Where does an engineer look at the start?", subjects[k], n, changes[k]),
		Options: []Option{
			{Key: "tool", Text: "At the " + tools[k] + " of its host", Correct: n%3 == 0, Why: "It shows the change.", Line: 10*n + 1},
			{Key: "disk", Text: "At the wiring of rack " + fmt.Sprint(n), Correct: n%3 == 1, Why: "It did not move.", Line: 10*n + 2},
			{Key: "team", Text: "At the rota for week " + fmt.Sprint(n), Correct: n%3 == 2, Why: "It explains no change.", Line: 10*n + 3},
		},
		Short: "Look where the change shows.", Full: "A change in behaviour has a place where it shows first; begin there and work outwards.",
		Sources: []Source{{Title: "A handbook of operations"}},
	}
}

func cleanTopic(id string, n int) *Topic {
	t := &Topic{ID: id, Title: "Clean", Levels: []Level{Junior, Mid}}
	for k := range n {
		t.Items = append(t.Items, cleanItem(k))
	}
	return t
}

func bankOf(topics ...*Topic) *Bank {
	return NewBank([]*Category{{ID: "lab", Title: "Lab", Topics: topics}})
}

func TestLintFindsNothingInACleanTopic(t *testing.T) {
	report := Lint(bankOf(cleanTopic("clean", 8)), day("2026-12-01"))
	for _, f := range report.Findings {
		t.Error(f)
	}
	if report.TopicsOffered != 1 || report.LiveItems != 8 || report.Chance < 0.33 || report.Chance > 0.34 {
		t.Errorf("figures: %+v", report.Figures)
	}
}

func options(texts ...string) func(*Item) {
	return func(i *Item) {
		i.Options = nil
		for n, s := range texts {
			i.Options = append(i.Options, Option{Key: fmt.Sprint("o", n), Text: s, Correct: n == 0, Why: "It is so.", Misconception: "m"})
		}
		i.Options[0].Misconception = ""
	}
}

func stem(s string) func(*Item) { return func(i *Item) { i.Stem = s } }
func full(s string) func(*Item) { return func(i *Item) { i.Full = s } }

func both(edits ...func(*Item)) func(*Item) {
	return func(i *Item) {
		for _, e := range edits {
			e(i)
		}
	}
}

func fixed(i *Item) { i.Fixed = true }

// TestLintRules spoils one item and names what must be found, and nothing else
// may be.
func TestLintRules(t *testing.T) {
	const w60 = "word word word word word word word word word word "
	old := &ValidFor{Checked: day("2025-01-01"), ReviewBy: day("2025-07-01")}
	tests := []struct {
		name  string
		spoil func(*Item)
		want  string // such as "L02 E, L06 W", or "" for nothing
	}{
		{"no key", func(i *Item) { i.Options[0].Correct = false }, "L01 E"},
		{"two keys", func(i *Item) { i.Options[1].Correct = true }, "L01 E"},
		{"two options", func(i *Item) { i.Options = i.Options[:2] }, "L01 E"},
		{"an option key twice", func(i *Item) { i.Options[1].Key = "tool" }, "L01 E"},
		{"no level", func(i *Item) { i.Level = 0 }, "L01 E"},
		{"no revision", func(i *Item) { i.Rev = 0 }, "L01 E"},
		{"an excuse for an error", func(i *Item) { i.LintOK = map[string]string{"L02": "it has to be long"} }, "L01 E"},
		{"a short excuse", func(i *Item) { i.LintOK = map[string]string{"L11": "because"} }, "L01 E"},
		{"an excuse for nothing", func(i *Item) { i.LintOK = map[string]string{"L11": "a term of the trade"} }, "L01 W"},

		{"long option", options(strings.Repeat("abcd ", 20)+"x", strings.Repeat("efgh ", 20), strings.Repeat("ijkl ", 20)), "L02 E"},
		{"option of emoji", options(strings.Repeat("🙂", 51), strings.Repeat("🙁", 50), strings.Repeat("🙃", 50)), "L02 E"},
		{"short stem", stem("Why, then?"), "L02 E"},
		{"long stem without a short one", stem(strings.Repeat("Administrators investigated synchronization. ", 8) + "?"), "L02 E"},
		{"long stem with a short one", both(stem(strings.Repeat("Administrators investigated synchronization. ", 8)+"?"), func(i *Item) { i.StemShort = "What is to be done here?" }), ""},
		{"too long a stem", both(stem(strings.Repeat("Administrators investigated synchronization. ", 14)+"?"), func(i *Item) { i.StemShort = "What is to be done here?" }), "L02 E"},
		{"long short explanation", func(i *Item) { i.Short = strings.Repeat("abcd ", 41) }, "L02 E"},
		{"short explanation of four lines", func(i *Item) { i.Short = "a\nb\nc\nd" }, "L02 E"},
		{"short full explanation", full("It is so."), "L02 E"},

		{"key much longer", options("At the profiler of its host and of its neighbour", "At the wiring", "At the rota"), "L03 W"},
		{"lengths far apart", options("At the wiring", "At the profiler of its host and of its neighbour, then at all the rest", "At the rota"), "L06 W"},
		{"equal options", options("Add a cache", "Add a  cache!", "Drop the row"), "L07 E"},
		{"code that differs by a bracket", options("`x[0, :]`", "`x[:, 0]`", "`x[::0]`"), ""},
		{"signs that differ", both(options("-1 at the edge", "1 at the edge", "2 at the edge"), fixed), ""},
		{"all of the above", options("Add a cache", "All of the above", "Drop the row"), "L08 E"},
		{"none of them as a reason", options("Add a cache", "Pieces are free, but none of them fits", "Drop the row and go"), ""},
		{"none of these", options("Add a cache", "None of these", "Drop the row"), "L08 E"},
		{"both letters", both(options("Add a cache", "Both A and B", "Drop the row"), fixed), "L08 W"},

		{"negative stem in lower case", stem("The feed lags by nine minutes. Which step does not help?"), "L09 W"},
		{"negative stem in capitals", stem("The feed lags by nine minutes. Which step does NOT help?"), ""},
		{"negative stem with a contraction", stem("The feed lags by nine minutes. Which of these steps doesn't help?"), "L09 W"},
		{"exception in lower case", stem("The feed lags. What is tried on the first day except a restart?"), "L09 W"},
		{"a situation with a negation", stem("The feed does not move for nine minutes. What explains that it is not caught?"), ""},
		{"what is wrong", stem("The feed lags by nine minutes, and a colleague restarts it. What is wrong with that?"), ""},
		{"false positives", stem("The filter lets 2 % pass. Which figure falls if the false positives double?"), ""},
		{"absolutes in distractors", options("Restart the host", "Only restart the rack", "Restart all the racks"), "L10 W"},
		{"hyphenated absolutes", options("Run the step again", "An all-reduce over it", "A read-only copy of it"), "L12 W"},
		{"stem word in the key alone", both(stem("The partition lags by nine minutes since Monday. What is done?"),
			options("Move the partition", "Wipe the disk now", "Call the rota team")), "L11 W"},
		{"stem word in a distractor as well", both(stem("The partition lags by nine minutes since Monday. What is done?"),
			options("Move the partition", "Wipe the partition", "Call the rota team")), ""},
		{"article at the end", stem("The feed lags by nine minutes, so the team looks for a?"), "L12 W"},
		{"full stops", options("At the profiler.", "At the wiring", "At the rota"), "L12 W"},
		{"capitals", options("At the profiler", "at the wiring", "at the rota"), "L12 W"},
		{"names are not capitals", options("mTLS profiler", "GPU wiring", "rota of the week"), ""},
		{"key opens otherwise", options("Looking at it", "Call the team", "Wipe the disk"), "L12 W"},
		{"no question", stem("The feed lags by nine minutes since Monday."), "L13 W"},
		{"a blank", stem("The feed lags by nine minutes, so the engineer looks at the ___"), ""},
		{"which is true", stem("Which of the following statements about feeds is true?"), "L13 W"},
		{"a letter cited", full("Option B fails because the wiring did not move since then."), "L14 E"},
		{"a place cited", full("The first option holds because the profiler shows the change."), "L14 E"},
		{"a place cited in a fixed order", both(full("The first option holds because the profiler shows the change."), fixed), ""},
		{"the first answer of a model", full("The first answer that a model gives is kept, since the second costs more."), ""},

		{"numbers unsorted", both(options("20 ms", "10 ms", "30 ms"), fixed), "L18 E"},
		{"numbers shuffled", options("10 ms", "20 ms", "30 ms"), "L18 E"},
		{"numbers of several units", both(options("900 µs", "2 ms", "1 s"), fixed), ""},
		{"equal numbers", both(options("1 s", "1000 ms", "2 s"), fixed), "L18 E"},
		{"ranges that overlap", both(options("0-10 %", "5-20 %", "20-30 %"), fixed), "L18 E"},
		{"ranges side by side", both(options("under 10 %", "10 to 20 %", "over 20 %"), fixed), ""},
		{"numbers of different things", options("2 hosts", "2 racks", "3 rows"), ""},

		{"an option without a reason", func(i *Item) { i.Options[1].Why = " " }, "L19 E"},
		{"a fourth option without a misconception", func(i *Item) {
			options("At the profiler", "At the wiring", "At the rota", "At the door")(i)
			i.Options[3].Misconception = ""
		}, "L19 E"},
		{"no source", func(i *Item) { i.Sources = nil }, "L20 E"},
		{"a product without a day", stem("A service on Kubernetes lags by nine minutes since Monday. What is done?"), "L20 E"},
		{"a product that was checked", both(stem("A service on Kubernetes lags by nine minutes since Monday. What is done?"),
			func(i *Item) { i.ValidFor = &ValidFor{Checked: day("2026-12-01"), ReviewBy: day("2027-06-01")} }), ""},
		{"review is due", func(i *Item) { i.ValidFor = old }, "L20 E"},

		{"open code span", full("A change in `behaviour has a place where it shows first."), "L21 W"},
		{"open bracket", full("A change (in behaviour has a place where it shows first."), "L21 W"},
		{"brackets in code", full("A change `f(` in behaviour has a place where it shows first."), ""},
		{"half-open interval", full("A change in [0, 1) has a place where it shows first, and so on."), ""},
		{"enumeration", full("Look 1) at the place where it shows first and 2) at the next."), ""},
		{"a formula in TeX", full("A change of $x^2$ has a place where it shows first."), "L21 W"},
		{"a price", full("A change of $2.50 an hour has a place where it shows, so has $30."), ""},
		{"backslash", full(`A change of \alpha has a place where it shows first.`), "L21 W"},
		{"smart quotes in code", full("A change of `“x”` has a place where it shows first."), "L21 W"},
		{"a star between words", full("A change of 2*n*m bytes has a place where it shows first."), "L21 W"},
		{"a tab", full("A change\tin behaviour has a place where it shows first."), "L21 W"},
		{"a tab in code", func(i *Item) { i.Code = &Code{"go", "if x {\n\ty()\n}"} }, "L21 W"},
		{"many words", stem(strings.Repeat(w60, 4) + "and ten more words follow here, so who reads it?"), ""},
		{"too many words", both(stem(strings.Repeat("so it is ", 21) + "then?")), "L22 W"},
		{"heavy sentences", stem("Considering heterogeneous configurations, intermittent irregularities, the asynchronous administrative " +
			"propagation of a notification and an inconsistent organizational accountability, which responsibilities " +
			"of a team need an immediate prioritization?"), "L22 W"},
		{"wide code", func(i *Item) { i.Code = &Code{"go", strings.Repeat("x", 49)} }, "L23 E"},
		{"long code", func(i *Item) { i.Code = &Code{"go", strings.Repeat("x\n", 15) + "y"} }, "L23 E"},
		{"much code", func(i *Item) {
			i.Code = &Code{"go", strings.Repeat(strings.Repeat("é", 48)+"\n", 15) + strings.Repeat("x", 300)}
		}, "L23 E"},
		{"wide listing", full("A change in behaviour has a place where it shows.\n```\n" + strings.Repeat("x", 49) + "\n```"), "L23 E"},
		{"a mention", full("A change in behaviour, @everyone, has a place where it shows."), "L25 E"},
		{"a link to a person", full("A change in behaviour has a place: tg://user?id=1 where it shows."), "L25 E"},
		{"text turned round", full("A change in behaviour \u202e has a place where it shows first."), "L25 E"},
		{"invisible space in a source", func(i *Item) { i.Sources[0].Title = "A\u200bhandbook" }, "L25 E"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := cleanTopic("clean", 9)
			tt.spoil(topic.Items[3])
			found := map[string]bool{}
			for _, f := range Lint(bankOf(topic), day("2026-12-01")).Findings {
				if f.Item != "clean.004" || f.File == "" || f.Message == "" || f.Topic != "clean" {
					t.Errorf("a finding that is not about the item: %+v", f)
				}
				found[fmt.Sprint(f.Rule, " ", f.Class)] = true
			}
			want := map[string]bool{}
			for w := range strings.SplitSeq(tt.want, ", ") {
				if w != "" {
					want[w] = true
				}
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLintLeavesOutWhatIsNotAsked(t *testing.T) {
	for _, status := range []Status{Withdrawn, Retired} {
		topic := cleanTopic("clean", 9)
		topic.Items[3].Status = status
		topic.Items[3].Stem = "x"
		if report := Lint(bankOf(topic), day("2026-12-01")); len(report.Findings) > 0 || report.LiveItems != 8 || report.Items != 9 {
			t.Errorf("%s: %v, %d live of %d", status, report.Findings, report.LiveItems, report.Items)
		}
	}
}

func TestLintOKAnswersAWarning(t *testing.T) {
	topic := cleanTopic("clean", 8)
	topic.Items[2].Stem = "The feed lags by nine minutes since Monday."
	topic.Items[2].LintOK = map[string]string{"L13": "an instruction, not a question"}
	report := Lint(bankOf(topic), day("2026-12-01"))
	if len(report.Findings) > 0 || report.Warnings != 0 || report.ExcusedCount != 1 {
		t.Fatalf("findings %v, excused %v", report.Findings, report.Excused)
	}
	e := report.Excused[0]
	if e.Rule != "L13" || e.Item != "clean.003" || e.Reason != "an instruction, not a question" || e.Line != 20 {
		t.Errorf("excuse: %+v", e)
	}
}

func TestReportAsJSONAndText(t *testing.T) {
	topic := cleanTopic("clean", 7)
	topic.Items[2].Stem = "The feed lags by nine minutes since Monday."
	report := Lint(bankOf(topic), day("2026-12-01"))
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"live_items", "topics_offered", "pick_longest", "absolutes_gap", "negative_stems", "near_duplicates", "by_topic", "findings"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no %q in %s", name, data)
		}
	}
	if fields["errors"] != 1.0 || fields["warnings"] != 1.0 {
		t.Errorf("errors %v, warnings %v", fields["errors"], fields["warnings"])
	}
	for _, want := range []string{"7 items, 7 live, in 0 of 1 topics offered", "chance 33.3 %", "L13 W bank/lab/clean.yaml:20: clean.003: end the stem",
		"L24 E bank/lab/clean.yaml: write more items for clean: it has 7 live items instead of 8"} {
		if !strings.Contains(report.Text(), want) {
			t.Errorf("no %q in\n%s", want, report.Text())
		}
	}
}
