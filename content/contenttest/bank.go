// Package contenttest makes a small bank for tests of other packages: two
// categories of two topics each, ten items a topic, one guide. Its texts never
// change with the real content, so transcripts made with it stay.
package contenttest

import (
	"fmt"

	"aiprep/content"
)

// Bank returns the small bank.
func Bank() *content.Bank {
	levels := content.Levels()
	return content.NewBank([]*content.Category{
		{ID: "nlp-llms", Title: "NLP & LLMs", Topics: []*content.Topic{
			topic("tokenization", "Tokenization", levels[:1]),
			topic("decoding-strategies", "Decoding strategies", levels[:2]),
		}},
		{ID: "inference-compilation", Title: "Inference & compilation", Topics: []*content.Topic{
			topic("model-compilation", "Model compilation", levels),
			topic("quantization", "Quantization", levels[1:2]),
		}},
	})
}

func topic(id, title string, levels []content.Level) *content.Topic {
	t := &content.Topic{ID: id, Title: title, Levels: levels}
	for n := range 10 {
		t.Items = append(t.Items, item(id, n+1, content.Levels()[n%3]))
	}
	if id == "model-compilation" {
		t.Guide = guide(title)
	}
	return t
}

// item is a question whose right option is named so; one has code, and one
// fixed order.
func item(topic string, n int, level content.Level) *content.Item {
	i := &content.Item{
		ID: fmt.Sprintf("%s.%03d", topic, n), Rev: 1, Level: level, Cognitive: content.Apply,
		Difficulty: float64(n-5) / 2.5, HasDifficulty: true,
		Stem: fmt.Sprintf("What does `%s` question %d ask for?", topic, n),
		Options: []content.Option{
			{Key: "right", Text: "The right thing", Correct: true, Why: "It is what was asked for."},
			{Key: "slow", Text: "The slow thing", Misconception: "slow", Why: "It is too slow."},
			{Key: "loud", Text: "The *loud* thing", Misconception: "loud", Why: "It is too loud."},
			{Key: "late", Text: "The late thing", Misconception: "late", Why: "It comes too late."},
		},
		Short:  fmt.Sprintf("The right thing is right in question %d.", n),
		Full:   "Whoever asks for the right thing wants the right thing, and nothing slow, loud or late.",
		Status: content.Live,
	}
	switch n {
	case 1:
		i.Code = &content.Code{Lang: "python", Text: "def f(x):\n    return x + 1"}
	case 2:
		i.Fixed = true
	}
	return i
}

func guide(title string) *content.Guide {
	g := &content.Guide{Title: title}
	for _, id := range content.SectionIDs() {
		g.Sections = append(g.Sections, content.Section{
			ID: id, Title: "About " + id,
			Text: "A first paragraph on **" + id + "**.\n\n- one point\n- another `point`\n\n```\na -> b\n```",
		})
	}
	return g
}
