package content

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bulkBank is n items of one topic that resemble each other in nothing;
// spoil changes the item with that number.
func bulkBank(n int, spoil func(k int, i *Item)) *Bank {
	topic := &Topic{ID: "bulk", Title: "Bulk"}
	for k := range n {
		i := cleanItem(k)
		i.ID, i.File = fmt.Sprintf("bulk.%03d", k), "bank/lab/bulk.yaml"
		i.Stem = fmt.Sprintf("Host a%d sends b%d to c%d and d%d. Where is e%d seen?", k, k, k, k, k)
		for o := range i.Options {
			i.Options[o].Text = fmt.Sprintf("In f%d of g%d h%d", o, k, k)
			i.Options[o].Correct = o == k%3
		}
		if spoil != nil {
			spoil(k, i)
		}
		topic.Items = append(topic.Items, i)
	}
	return bankOf(topic)
}

func wholeBank(r Report) map[string]bool {
	rules := map[string]bool{}
	for _, f := range r.Findings {
		if f.Topic == "" && f.Class == Overall {
			rules[f.Rule] = true
		}
	}
	return rules
}

func TestLintBankRules(t *testing.T) {
	key := func(i *Item) *Option { return &i.Options[i.Key()] }
	rivals := func(i *Item, edit func(*Option)) {
		for n := range i.Options {
			if n != i.Key() {
				edit(&i.Options[n])
			}
		}
	}
	tests := []struct {
		name  string
		items int
		spoil func(k int, i *Item)
		want  []string
	}{
		{"even options", 120, nil, nil},
		{"keys longest", 120, func(k int, i *Item) { key(i).Text += " now" }, []string{"L04", "L05"}},
		{"keys shortest", 120, func(k int, i *Item) { rivals(i, func(o *Option) { o.Text += " now" }) }, []string{"L05"}},
		{"keys hedged", 120, func(k int, i *Item) {
			key(i).Text += " often"
			rivals(i, func(o *Option) { o.Text += " today" })
		}, []string{"L10"}},
		{"rivals absolute", 120, func(k int, i *Item) {
			key(i).Text += " today"
			rivals(i, func(o *Option) { o.Text += " never" })
		}, []string{"L10"}},
		{"stem words in keys", 120, func(k int, i *Item) {
			if k%5 == 0 {
				i.Stem = fmt.Sprintf("Host a%d sends b%d to c%d and a packet%d. Where is e%d seen?", k, k, k, k, k)
				key(i).Text = fmt.Sprintf("In f%d of packet%d", k%3, k)
				rivals(i, func(o *Option) { o.Text += strings.Repeat("x", len(key(i).Text)-len(o.Text)) })
			}
		}, []string{"L11"}},
		{"negative stems", 120, func(k int, i *Item) {
			if k%10 == 0 {
				i.Stem = fmt.Sprintf("Host a%d sends b%d to c%d. Where is d%d NOT seen?", k, k, k, k)
			}
		}, []string{"L09"}},
		{"fixed keys in one place", 120, func(k int, i *Item) {
			i.Fixed = k < 45
			for o := range i.Options {
				i.Options[o].Correct = o == k%3
				if i.Fixed {
					i.Options[o].Correct = o == 1
				}
			}
		}, []string{"L17"}},
		{"fixed keys spread", 120, func(k int, i *Item) { i.Fixed = true }, nil},
		{"too few to tell", 60, func(k int, i *Item) { key(i).Text += " now" }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]bool{}
			for _, w := range tt.want {
				want[w] = true
			}
			report := Lint(bulkBank(tt.items, tt.spoil), day("2026-12-01"))
			if diff := cmp.Diff(want, wholeBank(report)); diff != "" {
				t.Errorf("rules (-want +got):\n%s\nfigures: %+v", diff, report.Figures)
			}
		})
	}
}

func TestFiguresOfGuessing(t *testing.T) {
	long := func(k int, i *Item) {
		if k%2 == 0 { // in half of the items the key is the longest
			i.Options[i.Key()].Text += " as it stands"
		}
	}
	f := Lint(bulkBank(120, long), day("2026-12-01")).Figures
	for name, v := range map[string][2]float64{
		"chance":       {f.Chance, 1.0 / 3},
		"pick longest": {f.PickLongest, 0.5 + 0.5/3}, // ties are split
		"key longest":  {f.KeyLongest, 0.5},
		"key shortest": {f.KeyShortest, 0},
		"pick hedged":  {f.PickHedged, 1.0 / 3},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, v[0], v[1])
		}
	}
	if f.ByLevel["junior"] != 60 || f.ByKind["diagnose"] != 120 || f.ByCategory["lab"] != 120 || f.ByTopic["bulk"].KeyLongest != 60 {
		t.Errorf("counts: %v %v %v %v", f.ByLevel, f.ByKind, f.ByCategory, f.ByTopic)
	}
}

func TestLintBlueprint(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Topic)
		want  string // rule, class and a part of the message
	}{
		{"too few items", func(t *Topic) { t.Items = t.Items[:7] }, "L24 E 7 live items instead of 8"},
		{"a draft too many", func(t *Topic) { t.Items[0].Status = Draft }, "L24 E 7 live items instead of 8"},
		{"a level missing", func(t *Topic) { t.Levels = Levels() }, "L24 E 0 at senior instead of 2"},
		{"hidden text in the title", func(t *Topic) { t.Title = "Cle\u202ean" }, "L25 E U+202E from the title"},
		{"too much recall", func(t *Topic) {
			for _, i := range t.Items[:4] {
				i.Cognitive = Recall
			}
		}, "L24 E 4 of 8 items are recall"},
		{"difficulties missing", func(t *Topic) { t.Items[3].HasDifficulty = false }, "L24 B 7 of 8 have one"},
		{"difficulties close", func(t *Topic) {
			for _, i := range t.Items {
				i.Difficulty /= 2
			}
		}, "L24 B they span 0.9"},
		{"keys longest", func(t *Topic) {
			for _, i := range t.Items[:5] {
				i.Options[i.Key()].Text += strings.Repeat("x", 12)
				for n := range i.Options { // so that the key is longest by less than L03 allows
					i.Options[n].Text += " there, and then at the next"
				}
			}
		}, "L04 B the key is the longest option of "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := cleanTopic("clean", 8)
			tt.spoil(topic)
			report := Lint(bankOf(topic), day("2026-12-01"))
			if len(report.Findings) != 1 {
				t.Fatalf("%d findings: %v", len(report.Findings), report.Findings)
			}
			f := report.Findings[0]
			if got := fmt.Sprint(f.Rule, " ", f.Class, " ", f.Message); !strings.HasPrefix(got, tt.want[:5]) || !strings.Contains(got, tt.want[6:]) || f.Topic != "clean" {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestLintOnlyListsTopicsWithoutAPack(t *testing.T) {
	report := Lint(bankOf(cleanTopic("clean", 8), &Topic{ID: "empty", Title: "Empty", Levels: []Level{Mid}}), day("2026-12-01"))
	if len(report.Findings) > 0 || report.Topics != 2 || report.TopicsOffered != 1 {
		t.Errorf("findings %v, %d of %d topics", report.Findings, report.TopicsOffered, report.Topics)
	}
	if diff := cmp.Diff([]string{"empty: 0 live items instead of 8, 0 at mid instead of 2"}, report.NotOffered); diff != "" {
		t.Errorf("not offered (-want +got):\n%s", diff)
	}
}

func TestLintSimilarItems(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(a, b *Item)
		want  string
		pairs int
	}{
		{"a copy", func(a, b *Item) { b.Stem, b.Options = a.Stem, a.Options }, "L15 E", 1},
		{"a copy in another order", func(a, b *Item) {
			b.Stem = a.Stem
			b.Options = []Option{a.Options[2], a.Options[0], a.Options[1]}
		}, "L15 E", 1},
		{"a copy that is an enemy", func(a, b *Item) { b.Stem, b.Options, a.Enemies = a.Stem, a.Options, []string{b.ID} }, "", 1},
		{"the stem with other options", func(a, b *Item) {
			b.Stem = a.Stem
			for n := range b.Options {
				b.Options[n].Text = "At " + strings.Repeat(fmt.Sprintf("door%d gate%d ", n, n), 4)
			}
		}, "L16 W", 0},
		{"the stem of an enemy", func(a, b *Item) {
			b.Stem, b.Enemies = a.Stem, []string{a.ID}
			for n := range b.Options {
				b.Options[n].Text = "At " + strings.Repeat(fmt.Sprintf("door%d gate%d ", n, n), 4)
			}
		}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := cleanTopic("clean", 8)
			tt.spoil(topic.Items[1], topic.Items[4])
			report := Lint(bankOf(topic), day("2026-12-01"))
			got := ""
			for _, f := range report.Findings {
				got += fmt.Sprint(f.Rule, " ", f.Class)
				if f.Item != "clean.005" || !strings.Contains(f.Message, "clean.002") {
					t.Errorf("a finding on %s that does not name clean.002: %s", f.Item, f.Message)
				}
			}
			if got != tt.want || len(report.NearDuplicates) != tt.pairs {
				t.Errorf("got %q and pairs %v, want %q and %d", got, report.NearDuplicates, tt.want, tt.pairs)
			}
		})
	}
}

func TestLintGuide(t *testing.T) {
	guide := func() *Guide {
		return &Guide{File: "guides/lab/clean.md", Title: "Clean", Sections: []Section{{ID: "why", Text: "one\ntwo", Line: 5, start: 7}}}
	}
	tests := []struct {
		name  string
		spoil func(*Guide)
		want  string
	}{
		{"clean", func(g *Guide) {}, ""},
		{"due", func(g *Guide) { g.ReviewBy = day("2026-11-30") }, "L20 E guides/lab/clean.md:1: check the guide again: its review_by 2026-11-30 is past"},
		{"a mention", func(g *Guide) { g.Sections[0].Text = "one\n<@1> two" }, "L25 E guides/lab/clean.md:8: remove <@"},
		{"hidden text in the title", func(g *Guide) { g.Title = "Cle\u200ban" }, "L25 E guides/lab/clean.md:1: remove the invisible or broken character U+200B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := cleanTopic("clean", 8)
			topic.Guide = guide()
			tt.spoil(topic.Guide)
			var got []string
			for _, f := range Lint(bankOf(topic), day("2026-12-01")).Findings {
				got = append(got, f.String())
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func BenchmarkLint2000(b *testing.B) {
	bank, err := Load(generated(2000))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r := Lint(bank, day("2026-12-01")); r.LiveItems != 2000 {
			b.Fatalf("%d live items", r.LiveItems)
		}
	}
}
