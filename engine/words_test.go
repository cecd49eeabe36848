package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/content"
)

// knownWords are the constants of word_keys.go.
func knownWords(t *testing.T) (all []word) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "word_keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.BasicLit); ok && v.Kind == token.STRING {
			key, err := strconv.Unquote(v.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, word(key))
		}
		return true
	})
	return all
}

// slotsOf are the slots of a template, sorted.
func slotsOf(template string) []string {
	found := regexp.MustCompile(`\{[a-z]+\}`).FindAllString(template, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// Every catalogue has exactly the known phrases, in the forms of the reference,
// with the same slots in every form and every language, and Markdown that
// parses to something.
func TestCataloguesAreComplete(t *testing.T) {
	all, err := loadCatalogues()
	if err != nil {
		t.Fatal(err)
	}
	known, ref := knownWords(t), all[reference].phrases
	for lang, c := range all {
		for w, forms := range c.phrases {
			if !slices.Contains(known, w) {
				t.Errorf("%s: nobody says %q", lang, w)
			}
			if (forms["one"] == "") != (ref[w]["one"] == "") {
				t.Errorf("%s: %q has other forms than in the reference", lang, w)
			}
			for form, text := range forms {
				if got, want := slotsOf(text), slotsOf(ref[w]["other"]); !slices.Equal(got, want) {
					t.Errorf("%s: %q says %v in form %s, the reference %v", lang, w, got, form, want)
				}
				if len(content.Parse(text)) == 0 {
					t.Errorf("%s: %q is empty", lang, w)
				}
			}
		}
		for _, w := range known {
			if c.phrases[w]["other"] == "" {
				t.Errorf("%s: %q is missing", lang, w)
			}
		}
		if days, months := len(c.list(wWeekdays)), len(c.list(wMonths)); days != 7 || months != 12 {
			t.Errorf("%s: %d weekdays and %d months", lang, days, months)
		}
	}
}

// A language is spoken, not copied: hardly a phrase is the reference's.
func TestLanguagesAreTranslated(t *testing.T) {
	all, err := loadCatalogues()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range languages()[1:] {
		same := 0
		for w, forms := range all[reference].phrases {
			if strings.Trim(regexp.MustCompile(`\{[a-z]+\}|[^\p{L}]`).ReplaceAllString(forms["other"], ""), " ") != "" &&
				all[lang].phrases[w]["other"] == forms["other"] {
				same++
			}
		}
		if most := len(all[lang].phrases) / 50; same > most {
			t.Errorf("%s: %d phrases are the reference's, want at most %d", lang, same, most)
		}
	}
}

// What platforms limit is short enough in every language.
func TestLabelsAreShortInEveryLanguage(t *testing.T) {
	all, err := loadCatalogues()
	if err != nil {
		t.Fatal(err)
	}
	for lang, c := range all {
		table, _ := c.commands(&Unlocking{Support: "x"})
		for _, cmd := range table {
			if n := len([]rune(cmd.Summary)); !cmd.Hidden && (n == 0 || n > 100) {
				t.Errorf("%s: /%s is said in %d characters", lang, cmd.Name, n)
			}
			for _, o := range cmd.Options {
				if n := len([]rune(o.Summary)); n == 0 || n > 100 {
					t.Errorf("%s: /%s %s is said in %d characters", lang, cmd.Name, o.Name, n)
				}
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
	c, err := loadWords(reference)
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
	all, err := loadCatalogues()
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string][]string{
		"en": {"🔥 0 days in a row", "🔥 1 day in a row", "🔥 2 days in a row", "🔥 21 days in a row"},
		"de": {"🔥 0 Tage in Folge", "🔥 1 Tag in Folge", "🔥 2 Tage in Folge", "🔥 21 Tage in Folge"},
		"es": {"🔥 0 días seguidos", "🔥 1 día seguido", "🔥 2 días seguidos", "🔥 21 días seguidos"},
	} {
		for k, n := range []int{0, 1, 2, 21} {
			if got := all[lang].say(wStreakTitle, "n", n); got != want[k] {
				t.Errorf("%s, %d: %q, want %q", lang, n, got, want[k])
			}
		}
	}
}

// Days are read and written in the person's language.
func TestDaysInEveryLanguage(t *testing.T) {
	all, err := loadCatalogues()
	if err != nil {
		t.Fatal(err)
	}
	for lang, words := range map[string]map[string]Days{
		"en": {"Mon-Fri": Weekdays, "Sat,Sun": 1<<6 | 1},
		"de": {"Mo-Fr": Weekdays, "Sa,So": 1<<6 | 1, "Mon-Fri": Weekdays},
		"es": {"lun-vie": Weekdays, "sáb,dom": 1<<6 | 1, "LUN, mié": 1<<1 | 1<<3},
	} {
		c := all[lang]
		for in, want := range words {
			got, err := ParseDays(c.readDays(in))
			if err != nil || got != want {
				t.Errorf("%s: %q is %v, %v", lang, in, got, err)
				continue
			}
			if again, err := ParseDays(c.readDays(c.days(got))); err != nil || again != want {
				t.Errorf("%s: %v is written %q and read as %v, %v", lang, want, c.days(got), again, err)
			}
		}
	}
	if got := all["de"].date(DateOf(time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC), time.UTC)); got != "Mo, 5. Jan" {
		t.Errorf("a date in German is %q", got)
	}
}
