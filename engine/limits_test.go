package engine_test

import (
	"strconv"
	"testing"
	"time"

	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// Every message that the real bank can lead to keeps what the vocabulary
// promises adapters: short labels, actions of 64 bytes, five rows of five.
func TestTheRealBankFitsTheVocabulary(t *testing.T) {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: bank, Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	c := &chat{T: t, e: e, now: monday, posts: &platform{edits: map[engine.Ref]engine.Message{}}}
	say := func(who, server, line string) *engine.Message {
		c.now = c.now.Add(time.Minute) // no limit of commands is meant here
		r := c.types(who, server, line)
		if r.Whisper == nil {
			t.Fatalf("%s: no whisper", line)
		}
		fitsVocabulary(t, line, r.Whisper)
		return r.Whisper
	}
	pages := 0
	for _, cat := range bank.Categories {
		say("ann", "", "topics "+cat.ID)
		for _, tp := range cat.Topics {
			if !tp.Offered() {
				continue
			}
			say("ann", "", "stats "+tp.ID)
			m := say("p-"+tp.ID, "", "test "+tp.ID)
			fitsVocabulary(t, "verdict in "+tp.ID, c.press("p-"+tp.ID, "", m, "w", "A").Replace)
			for n := 1; n <= 40; n++ {
				say("ann", "", "learn "+tp.ID+" "+strconv.Itoa(n))
				pages++
			}
		}
	}
	say("admin", "g", "setup 09:00 America/Argentina/ComodRivadavia Mon-Fri")
	if pages < 1000 {
		t.Errorf("only %d pages were looked at", pages)
	}
}

func fitsVocabulary(t *testing.T, what string, m *engine.Message) {
	t.Helper()
	if m.Title == "" && len(m.Text) == 0 || len(m.Buttons) > 5 {
		t.Errorf("%s: empty, or %d rows of buttons", what, len(m.Buttons))
	}
	if n := m.Text.Len(); n > 3500 {
		t.Errorf("%s: %d characters in one message", what, n)
	}
	for _, row := range m.Buttons {
		if len(row) > 5 {
			t.Errorf("%s: %d buttons in a row", what, len(row))
		}
		for _, b := range row {
			if len(b.Action) > 64 || len([]rune(b.Label)) > 34 || b.Label == "" {
				t.Errorf("%s: button %+v", what, b)
			}
		}
	}
}
