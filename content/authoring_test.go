package content

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The examples of docs/authoring.md show what they say: lint finds exactly the
// named rules in those before, and nothing in those after.
func TestAuthoringExamplesShowWhatTheySay(t *testing.T) {
	doc, err := os.ReadFile("../docs/authoring.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml (before|after)([^\n]*)\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(examples) != 4 {
		t.Fatalf("docs/authoring.md has %d examples, want 4", len(examples))
	}
	for _, e := range examples {
		pack := "topic: lab/example\ntitle: Example\nitems:\n" + e[3]
		bank, err := Load(fstest.MapFS{
			"taxonomy.yaml": {Data: []byte("version: 1\ncategories:\n  - id: lab\n    title: Lab\n    topics:\n" +
				"      - {id: example, levels: [junior, mid]}\n")},
			"bank/lab/example.yaml": {Data: []byte(pack)},
		})
		if err != nil {
			t.Fatalf("%s%s: %v", e[1], e[2], err)
		}
		var got []string
		for _, f := range Lint(bank, day("2026-12-01")).Findings {
			if f.Item != "" && !slices.Contains(got, f.Rule) {
				got = append(got, f.Rule)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(strings.Fields(e[2]), got, equateEmpty()); diff != "" {
			t.Errorf("%s example (-said +found):\n%s\n%s", e[1], diff, e[3])
		}
	}
}

func equateEmpty() cmp.Option {
	return cmp.Transformer("list", func(s []string) string { return strings.Join(s, " ") })
}
