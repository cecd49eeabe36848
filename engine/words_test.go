package engine

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"aiprep/content"
)

// Every catalogue has exactly the known phrases, with the forms its language
// needs, the same slots in each form, and Markdown that parses to something.
func TestCataloguesAreComplete(t *testing.T) {
	files, err := wordFiles.ReadDir("words")
	if err != nil {
		t.Fatal(err)
	}
	slot := regexp.MustCompile(`\{[a-z]+\}`)
	for _, f := range files {
		raw, err := wordFiles.ReadFile("words/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		var phrases map[word]phrase
		if err := yaml.Load(raw, &phrases, yaml.WithUniqueKeys()); err != nil {
			t.Fatal(err)
		}
		for w, forms := range phrases {
			if !slices.Contains(allWords(), w) {
				t.Errorf("%s: nobody says %q", f.Name(), w)
			}
			if len(forms) > 1 && forms["one"] == "" {
				t.Errorf("%s: %q has forms but none for one", f.Name(), w)
			}
			want := slot.FindAllString(forms["other"], -1)
			for form, text := range forms {
				if got := slot.FindAllString(text, -1); !slices.Equal(got, want) {
					t.Errorf("%s: %q says %v in form %s and %v in other", f.Name(), w, got, form, want)
				}
				if len(content.Parse(text)) == 0 {
					t.Errorf("%s: %q is empty", f.Name(), w)
				}
			}
		}
		for _, w := range allWords() {
			if phrases[w]["other"] == "" {
				t.Errorf("%s: %q is missing", f.Name(), w)
			}
		}
	}
}

// Everything said stands in the catalogue: no handler writes English of its own.
func TestNoWordsOutsideTheCatalogue(t *testing.T) {
	literal := regexp.MustCompile(`(?:Title|Label|Hint|Text):\s*"[^"]*[a-z]{3,}`)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		src, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if m := literal.Find(src); m != nil {
			t.Errorf("%s writes %s: put it into words/en.yaml", f.Name(), m)
		}
	}
}

// A name, or anything else that fills a slot, is never read as Markdown.
func TestSlotsInjectNothing(t *testing.T) {
	c, err := loadWords("en")
	if err != nil {
		t.Fatal(err)
	}
	evil := "**@everyone** [x](http://evil.example) `{n}`"
	text := c.text(wTopicUnknown, "topic", evil)
	for _, b := range text {
		for _, s := range b.Spans {
			if s.URL != "" || strings.Contains(s.Text, "@everyone") && s.Style != 0 {
				t.Errorf("span %+v", s)
			}
		}
	}
	if !strings.Contains(text.String(), evil) {
		t.Errorf("%q lacks %q", text, evil)
	}
}

func TestPluralForms(t *testing.T) {
	c, err := loadWords("en")
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{0: "🔥 0 days in a row", 1: "🔥 1 day in a row", 2: "🔥 2 days in a row", 21: "🔥 21 days in a row"} {
		if got := c.say(wStreakTitle, "n", n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
