package engine_test

import (
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
)

// A release that changes questions meets open tests and an open daily: nothing
// is counted wrongly, nothing is stuck, and the next day goes on.
func TestReleaseThatChangesOpenQuestions(t *testing.T) {
	c := newChat(t)
	posted := c.daily("g", "topics=model-compilation")
	question := c.types("ann", "", "test quantization").Whisper
	verdict := c.press("ben", "", c.types("ben", "", "test quantization").Whisper, "w2", "A").Replace

	bank := contenttest.Bank()
	for _, cat := range bank.Categories {
		for _, tp := range cat.Topics {
			for _, i := range tp.Items {
				i.Rev = 2
			}
		}
	}
	e, err := engine.New(t.Context(), engine.Config{Store: c.store, Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	c.e = e
	gone := c.press("ann", "", question, "w1", "A").Replace
	c.wants(gone, "changed or withdrawn")
	next := c.press("ann", "", gone, "w1", "Next ▶").Replace
	c.wants(next, "Question 2 of 5")
	c.wants(c.press("ann", "", next, "w1", "A").Replace, "in question")
	c.wants(c.press("ben", "", verdict, "w2", "Explain more").Replace, "changed or withdrawn")
	c.wants(c.types("ben", "", "test").Whisper, "Question 2 of 5")
	c.wants(c.press("ann", "g", posted, "m1", "A").Whisper, "changed or withdrawn")
	c.until(monday.Add(25 * time.Hour))
	reveal := c.posts.edits["m1"]
	c.wants(&reveal, "changed or withdrawn")
	if len(c.posts.sent) != 2 {
		t.Errorf("%d posts, want 2", len(c.posts.sent))
	}
	c.wants(c.press("ann", "g", c.last(), "m2", "A").Whisper, "1 day")
}
