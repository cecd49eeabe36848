package content

import (
	"errors"
	"os"
	"path"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestEmbedded loads and lints the built-in bank, prints every finding and
// fails on any error. AIPREP_TOPIC=<topic> restricts both to one topic, so that
// an author can check a pack while others are half written.
func TestEmbedded(t *testing.T) {
	only := path.Base(os.Getenv("AIPREP_TOPIC"))
	all := os.Getenv("AIPREP_TOPIC") == ""
	about := func(file string) bool {
		name := path.Base(file)
		return all || strings.TrimSuffix(name, path.Ext(name)) == only
	}

	bank, err := Default()
	var problems Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	for _, p := range problems {
		if about(p.File) {
			t.Error("load: ", p)
		}
	}
	topic := bank.Topic(only)
	if !all && topic == nil {
		t.Fatalf("no topic %q in the taxonomy; near it are %v", only, bank.Suggest(only))
	}

	report := Lint(bank, lastChecked(bank))
	for _, f := range report.Findings {
		mustMend := f.Class == Fault || f.Class == Overall && all
		switch {
		case !all && f.Topic != only:
		case mustMend:
			t.Error("lint: ", f)
		default:
			t.Log("lint: ", f)
		}
	}
	for _, e := range report.Excused {
		if all || e.Topic == only {
			t.Logf("excused: %s (%s)", e.Finding, e.Reason)
		}
	}
	if all {
		report.Findings, report.Excused = nil, nil
		t.Log("\n" + report.Text())
		return
	}
	f := report.ByTopic[only]
	t.Logf("%s: %d items, %d live (%s), offered: %v, guide: %v", topic.Path(), len(topic.Items), f.Live, counts(f.ByLevel), f.Offered, f.Guide)
	t.Logf("key strictly longest in %d, strictly shortest in %d of %d", f.KeyLongest, f.KeyShortest, f.Live)
}

// lastChecked returns the latest day on which anything in the bank was checked.
// The test takes it for today, so that it does not begin to fail by itself when
// a review_by passes; the check command takes the real day.
func lastChecked(b *Bank) time.Time {
	var last time.Time
	for _, c := range b.Categories {
		for _, t := range c.Topics {
			for _, i := range t.Items {
				if i.ValidFor != nil && i.ValidFor.Checked.After(last) {
					last = i.ValidFor.Checked
				}
			}
		}
	}
	return last
}

// TestEmbeddedProseIsMarkdownThatParses guards against signs in items that
// Markdown takes for markup: no letter may get lost, and an option is one line.
func TestEmbeddedProseIsMarkdownThatParses(t *testing.T) {
	bank, err := Default()
	if err != nil && !errors.As(err, new(Problems)) {
		t.Fatal(err)
	}
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	for _, c := range bank.Categories {
		for _, topic := range c.Topics {
			for _, i := range topic.Items {
				for _, s := range append(itemProse(i), i.Stem, i.StemShort) {
					marked := strings.Contains(s, "](") || strings.Contains(s, "```")
					if got := Parse(s).String(); !marked && letters(got) != letters(s) {
						t.Errorf("%s: %q reads %q", i.ID, s, got)
					}
				}
				for _, o := range i.Options {
					if text := Parse(o.Text); len(text) != 1 || text[0].Kind != Paragraph {
						t.Errorf("%s: the option %q reads as %+v", i.ID, o.Text, text)
					}
				}
			}
		}
	}
}
