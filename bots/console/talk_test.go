package console

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

var update = flag.Bool("update", false, "write the transcripts anew")

const talks = "../../engine/testdata/talk"

// Every talk, as the console shows it. The transcripts are the specification
// that a newcomer reads first.
func TestTalkTranscripts(t *testing.T) {
	all, err := bottest.LoadTalks(talks)
	if err != nil {
		t.Fatal(err)
	}
	for _, talk := range all {
		t.Run(talk.Name, func(t *testing.T) {
			store := storetest.Twice(storetest.Memory())
			defer store.Close()
			e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: contenttest.Bank(), Secret: make([]byte, 32), Unlock: talk.Unlocking()})
			if err != nil {
				t.Fatal(err)
			}
			rec := bottest.NewWitness(e)
			var out bytes.Buffer
			c := New(Config{
				Engine: rec, Advance: e.Advance, Out: &out, Start: bottest.TalkStart,
				In: strings.NewReader(strings.Join(typed(talk.Lines), "\n")),
			})
			if err := c.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join(talks, talk.Name+".golden"), out.Bytes())
			for _, x := range rec.Take() {
				checkLimits(t, x)
			}
		})
	}
}

// typed leaves out what cannot be done in a console: to buy.
func typed(lines []string) (rest []string) {
	for _, l := range lines {
		if l != ":buy" && l != ":refund" {
			rest = append(rest, l)
		}
	}
	return rest
}

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: go test ./bots/console -update, if this is right:\n%s", file, diff)
	}
}

// checkLimits holds every reply to what the vocabulary promises adapters.
func checkLimits(t *testing.T, x bottest.Exchange) {
	t.Helper()
	for _, m := range []*engine.Message{x.Reply.Whisper, x.Reply.Replace, x.Reply.Post} {
		if m == nil {
			continue
		}
		if m.Title == "" && len(m.Text) == 0 {
			t.Errorf("%s: an empty message", x.Input.Verb)
		}
		if len(m.Buttons) > 5 {
			t.Errorf("%s: %d rows of buttons", x.Input.Verb, len(m.Buttons))
		}
		for _, row := range m.Buttons {
			if len(row) > 5 {
				t.Errorf("%s: %d buttons in a row", x.Input.Verb, len(row))
			}
			for _, b := range row {
				if (b.Action == "") == (b.URL == "") || len(b.Action) > 64 || b.Label == "" || len([]rune(b.Label)) > 34 {
					t.Errorf("%s: bad button %+v", x.Input.Verb, b)
				}
			}
		}
	}
}

// Every command of the table is played by some talk.
func TestTalksCoverEveryCommand(t *testing.T) {
	all, err := bottest.LoadTalks(talks)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, talk := range all {
		text.WriteString(strings.Join(talk.Lines, "\n") + "\n")
	}
	e, err := engine.New(context.Background(), engine.Config{Store: storetest.Memory(), Bank: contenttest.Bank(), Unlock: bottest.Talk{Sells: true}.Unlocking()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Commands() {
		if !c.Hidden && !strings.Contains(text.String(), "/"+c.Name) {
			t.Errorf("no talk plays /%s", c.Name)
		}
	}
}
