package engine

import (
	"context"
	"strings"
)

// completions is the most that any platform lists.
const completions = 25

// Complete suggests values for an option from what was written so far. It
// serves autocomplete and pickers alike, and asks no store.
func (e *Engine) Complete(_ context.Context, o Option, prefix string) []Choice {
	low := strings.ToLower(strings.TrimSpace(prefix))
	var found []Choice
	add := func(value, label string) {
		if len(found) < completions && (strings.Contains(strings.ToLower(label), low) || strings.Contains(strings.ToLower(value), low)) {
			found = append(found, Choice{Value: value, Label: label})
		}
	}
	switch o.Kind {
	case ZoneOption:
		for _, z := range SuggestZones(prefix, completions) {
			found = append(found, Choice{Value: z, Label: z})
		}
	case ChoiceOption:
		for _, c := range o.Choices {
			add(c.Value, c.Label)
		}
	case TimeOption:
		for h := range 24 {
			add(clock(h, 0), clock(h, 0))
		}
	case DaysOption:
		for _, d := range []string{"daily", "Mon-Fri", "Sat,Sun"} {
			add(d, d)
		}
	case TopicOption:
		e.completeTopics(o, add)
	}
	return found
}

// completeTopics offers categories first, then topics; only topics where a
// single guide is wanted.
func (e *Engine) completeTopics(o Option, add func(value, label string)) {
	if o.Name != "topic" {
		for _, c := range e.bank.Categories {
			if len(e.offered(c.ID)) > 0 {
				add(c.ID, c.Title)
			}
		}
	}
	if o.Name == "category" {
		return
	}
	for _, tp := range e.offered("") {
		add(tp.ID, tp.Title)
	}
}
