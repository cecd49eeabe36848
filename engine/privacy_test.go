package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aiprep/engine"
)

// What is exported is everything, and can be read by a machine.
func TestExportHoldsEverything(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	c.press("ann", "", c.types("ann", "", "daily").Whisper, "w", "A")
	r := c.types("ann", "", "export")
	var d struct {
		Account  map[string]string
		Days     []string         `json:"days_kept"`
		Answers  []map[string]any `json:"answers"`
		Notebook []map[string]any `json:"notebook"`
		Scores   map[string]any
	}
	if err := json.Unmarshal(r.Whisper.File.Data, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Answers) != 6 || len(d.Days) != 1 || len(d.Notebook) < 5 || d.Account["id"] != "ann" || d.Scores["overall"] == nil {
		t.Errorf("the export holds %+v", d)
	}
}

// Nothing is erased by one press, by a stranger's button or by an old one.
func TestEraseNeedsItsOwnSecondStep(t *testing.T) {
	c := newChat(t)
	for _, who := range []string{"ann", "ben"} {
		c.missTest(who)
	}
	asked := c.types("ann", "", "erase").Whisper
	c.wants(asked, "Erase everything about you?", "5 answers")
	stranger := c.press("ben", "", asked, "w", "Erase everything")
	c.wants(stranger.Replace, "Erase everything about you?") // he is asked about his own
	c.until(c.now.Add(time.Hour))
	c.wants(c.press("ann", "", asked, "w", "Erase everything").Replace, "Erase everything about you?")
	c.wants(c.types("ann", "", "stats").Whisper, "5 answers")

	asked = c.types("ann", "", "erase").Whisper
	c.wants(c.press("ann", "", asked, "w", "Erase everything").Replace, "Everything about you is erased")
	c.wants(c.press("ann", "", asked, "w", "Erase everything").Replace, "nothing about you") // pressed twice
	if left := c.dump(""); strings.Contains(left, "ANN") || !strings.Contains(left, "BEN") {
		t.Error("a name stayed, or the wrong one went")
	}
	if got := c.rebuild(true); got.Left() != 0 {
		t.Error(got.Text())
	}
}

// An update that was set aside and names the account goes as well.
func TestEraseReachesWhatWasSetAside(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	for _, id := range []string{"ann", "ben", "anna"} {
		if err := c.e.SetAside(t.Context(), "test", "u-"+id, c.now, []byte(`{"from":{"id":"`+id+`"}}`), "broken"); err != nil {
			t.Fatal(err)
		}
	}
	c.press("ann", "", c.types("ann", "", "erase").Whisper, "w", "Erase everything")
	if left := c.dump("aside/"); !strings.Contains(left, "u-anna") {
		t.Errorf("what names another account is gone: %s", left)
	}
	if left := c.dump("aside/"); strings.Contains(left, "u-ann ") || !strings.Contains(left, "u-ben") {
		t.Errorf("set aside are %s", left)
	}
}

// In a server the file is for the person alone.
func TestExportInAServerIsPrivate(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	if r := c.types("ann", "g", "export"); r.Post != nil || r.Whisper == nil || r.Whisper.File == nil {
		t.Errorf("export shows %+v", r)
	}
	cmd, _ := c.e.Command("export")
	if cmd.Shows != engine.ShowsWhisper {
		t.Error("an adapter would promise a public answer")
	}
}
