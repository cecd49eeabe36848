package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"aiprep/content"
	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// class is people whose answers to a few items have something to tell.
type class struct {
	*chat
	rng *rand.Rand
	n   int
}

const (
	badKey    = "tokenization.003" // the able choose another option than the key
	mislabel  = "tokenization.004" // far harder than its author says
	fewAsked  = "quantization.001"
	neverLate = "late" // the option that nobody chooses
)

func newClass(t *testing.T, bank *content.Bank) *class {
	t.Helper()
	store := storetest.Memory()
	t.Cleanup(func() { store.Close() })
	e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: bank, Secret: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return &class{chat: &chat{T: t, e: e, store: store, now: monday}, rng: rand.New(rand.NewPCG(5, 5))}
}

// answers lets so many people, of whom every other is able, take two tests of a
// topic and agree to share them, or not.
func (c *class) answers(people int, topic string, share bool) {
	c.Helper()
	for range people {
		c.n++
		who, able := fmt.Sprint("p", c.n), c.n%2 == 0
		if share {
			c.types(who, "", "settings share=yes")
		}
		for range 2 {
			for m := c.types(who, "", "test "+topic).Whisper; m.Quiz != nil; {
				m = c.press(who, "", m, "t1", c.label(m, able)).Replace
				if m.Quiz == nil {
					m = c.press(who, "", m, "t1", m.Buttons[0][0].Label).Replace
				}
			}
		}
		if _, err := c.e.Calibrate(c.Context(), c.now, false); err != nil {
			c.Fatal(err)
		}
	}
	for n := 1; n > 0; {
		var err error
		if n, err = c.e.Calibrate(c.Context(), c.now, true); err != nil {
			c.Fatal(err)
		}
	}
}

// label is the button that a person presses.
func (c *class) label(m *engine.Message, able bool) string {
	key := m.Quiz.Key
	other := func() string {
		for {
			n := c.rng.IntN(len(m.Quiz.Options))
			if n != key && !strings.Contains(m.Quiz.Options[n], neverLate) {
				return string(rune('A' + n))
			}
		}
	}
	ability := -1.0
	if able {
		ability = 1
	}
	var topic string
	var number int
	if _, err := fmt.Sscanf(m.Text.String(), "What does %s question %d", &topic, &number); err != nil {
		c.Fatal(err)
	}
	difficulty := float64(number-5) / 2.5 // as contenttest has it
	switch fmt.Sprintf("%s.%03d", topic, number) {
	case badKey:
		ability, difficulty = -ability, 0
	case mislabel:
		difficulty = 2.5
	}
	if c.rng.Float64() < logistic(ability-difficulty) {
		return string(rune('A' + key))
	}
	if c.rng.IntN(8) == 0 {
		return "I don't know"
	}
	return other()
}

// The report names a wrong key, a label far from the data and an option that
// nobody chooses, and says nothing of what few people answered.
func TestItemHealth(t *testing.T) {
	c := newClass(t, contenttest.Bank())
	c.answers(400, "tokenization", true)
	c.answers(12, "quantization", true)
	c.answers(30, "decoding-strategies", false) // who did not agree is not counted
	report, err := c.e.ItemHealth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Looked != 10 || report.TooFew != 30 {
		t.Errorf("looked at %d items, %d with too few people; want 10 and 30", report.Looked, report.TooFew)
	}
	first, rank := "", 0
	for n, h := range report.Findings {
		if h.People < 20 || h.Right+h.Skipped > h.People || !strings.HasPrefix(h.Item, "tokenization.") {
			t.Errorf("shown: %+v", h)
		}
		if h.Suspect != (h.Item == badKey) {
			t.Errorf("%s: suspect %v, slope %.2f ± %.2f", h.Item, h.Suspect, h.Slope, h.SlopeSD)
		}
		if h.Relabel && h.Item != mislabel && h.Item != badKey {
			t.Errorf("%s: relabel, b %.2f, label %.2f", h.Item, h.B, h.Label)
		}
		for _, o := range h.Unpicked {
			if o.Option != neverLate || o.Times != 0 {
				t.Errorf("%s: %+v is idle", h.Item, o)
			}
		}
		now := 2
		if h.Suspect {
			now = 0
		} else if h.Relabel {
			now = 1
		}
		if n == 0 {
			first = h.Item
		}
		if now < rank {
			t.Errorf("%s comes after what matters less", h.Item)
		}
		rank = now
	}
	if first != badKey {
		t.Errorf("the first finding is %q, want the wrong key's", first)
	}
	text := report.Text()
	for _, want := range []string{"10 items were answered by at least 20 people, 30 by too few", badKey + " (rev 1)", "the able do worse", mislabel + " (rev 1)", "set difficulty anew", `option "late" was chosen 0 of`} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	if raw, err := json.Marshal(report); err != nil || strings.Contains(string(raw), fewAsked) {
		t.Errorf("as JSON: %v, %s", err, raw)
	}
}

// What one installation learnt is what the next begins with, at the same
// revision only.
func TestLearntNumbersShip(t *testing.T) {
	c := newClass(t, contenttest.Bank())
	c.answers(60, "tokenization", true)
	list, err := c.e.Learnt(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("nothing was learnt")
	}
	bank := contenttest.Bank()
	for _, l := range list {
		if !strings.HasPrefix(l.Item, "tokenization.") {
			t.Errorf("numbers of %s, which nobody answered", l.Item)
		}
		bank.Item(l.Item).Learnt = &l
	}
	// A fresh store over the bank with the numbers: everybody's first answer
	// is predicted by them, which a rebuild shows, too.
	next := newClass(t, bank)
	next.answers(1, "tokenization", true)
	if got := next.rebuild(true); got.Left() != 0 {
		t.Errorf("over shipped numbers:\n%s", got.Text())
	}
	for _, l := range list {
		b, v := next.e.Prior(l.Item)
		if b != l.B || v != l.BVar {
			t.Errorf("%s begins at %.3f ± %.3f, shipped %.3f ± %.3f", l.Item, b, v, l.B, l.BVar)
		}
	}
	bank = contenttest.Bank()
	fresh := newClass(t, bank)
	if b, _ := fresh.e.Prior(list[0].Item); b != bank.Item(list[0].Item).Difficulty {
		t.Errorf("without shipped numbers %s begins at %.3f", list[0].Item, b)
	}
}
