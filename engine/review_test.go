package engine_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// miss lets a person say that they do not know.
func (c *chat) miss(who string, m *engine.Message) *engine.Message {
	c.Helper()
	return c.press(who, "", m, "w", "I don't know").Replace
}

// missTest lets a person say five times that they do not know.
func (c *chat) missTest(who string) {
	c.Helper()
	m := c.types(who, "", "test").Whisper
	for range 4 {
		m = c.miss(who, m)
		m = c.press(who, "", m, "w", "Next ▶").Replace
	}
	m = c.miss(who, m)
	c.press(who, "", m, "w", "Summary ▶")
}

// What was missed comes back the next day, is asked first, and moves on.
func TestMissedQuestionsComeBack(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("ann", "", "review").Whisper, "Nothing to review", "Questions you miss")
	c.missTest("ann")
	c.wants(c.types("ann", "", "review").Whisper, "5 questions in your notebook", "Tue 6 Jan")
	c.until(monday.Add(24 * time.Hour))
	c.wants(c.types("ann", "", "stats").Whisper, "5 questions to review")
	m := c.types("ann", "", "review").Whisper
	c.wants(m, "Question 1 of 5")
	m = c.miss("ann", m)
	c.wants(m, "Back in 1 day")
	c.wants(c.press("ann", "", m, "w", "Next ▶").Replace, "Question 2 of 5")
	c.wants(c.types("ann", "", "cancel").Whisper, "0 of 1")
	c.wants(c.types("ann", "", "stats").Whisper, "4 questions to review")
	if got := c.rebuild(true); got.Left() != 0 {
		t.Error(got.Text())
	}
}

// A test takes in one due question, and only one.
func TestATestHoldsOneReview(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	missed := map[string]bool{}
	for _, row := range c.notebook("ann") {
		stem, _, _ := strings.Cut(row[3], "\n")
		missed[stem] = true
	}
	c.until(monday.Add(48 * time.Hour))
	m := c.types("ann", "", "test").Whisper
	met := 0
	for k := range 5 {
		if stem, _, _ := strings.Cut(m.Text.String(), "\n"); missed[stem] {
			met++
		}
		if k == 0 && met == 0 {
			t.Errorf("the first question is not the one that is due: %s", m.Text)
		}
		m = c.miss("ann", m)
		if k < 4 {
			m = c.press("ann", "", m, "w", "Next ▶").Replace
		}
	}
	if met != 1 {
		t.Errorf("%d of the five questions are reviews, want 1", met)
	}
}

// notebook reads what review csv hands out, without its heading. The question
// column has the options in the file's order, so only the stem is kept.
func (c *chat) notebook(who string) [][]string {
	c.Helper()
	r := c.types(who, "", "review csv")
	if r.Whisper.File == nil {
		c.Fatalf("no file in %+v", r.Whisper)
	}
	rows, err := csv.NewReader(strings.NewReader(string(r.Whisper.File.Data))).ReadAll()
	if err != nil {
		c.Fatal(err)
	}
	return rows[1:]
}

// The notebook leaves as a file, one line a question, in both formats.
func TestTheNotebookIsHandedOut(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("ann", "", "review anki").Whisper, "Nothing to review")
	c.missTest("ann")
	rows := c.notebook("ann")
	if len(rows) != 5 || rows[0][6] != "2026-01-06" || rows[0][7] != "1" || rows[0][4] == "" {
		t.Errorf("the spreadsheet holds %q", rows)
	}
	r := c.types("ann", "", "review anki")
	lines := strings.Split(strings.TrimSpace(string(r.Whisper.File.Data)), "\n")
	if len(lines) != 4+5 || lines[0] != "#separator:tab" {
		t.Errorf("the Anki file holds %q", lines)
	}
	for _, l := range lines[4:] {
		if strings.Count(l, "\t") != 2 {
			t.Errorf("not three columns: %q", l)
		}
	}
}
