package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"aiprep/content"
	"aiprep/engine/skill"
)

// fewPeople is how many must have answered an item before anything is said of
// it: fewer could be told apart, and prove nothing.
const fewPeople = 20

// unpicked is the share of those who chose a wrong option below which an
// option distracts nobody.
const unpicked = 0.05

// HealthReport is what answers tell authors of their items. It counts first
// attempts in tests by people who agreed to anonymous copies.
type HealthReport struct {
	Looked   int          `json:"looked"`  // live items that at least 20 people answered
	TooFew   int          `json:"too_few"` // live items that fewer answered: nothing is shown of them
	Findings []ItemHealth `json:"findings"`
}

// ItemHealth is an item that its author should look at. Difficulties are
// logits within the topic's level.
type ItemHealth struct {
	Item    string  `json:"item"`
	Rev     int     `json:"rev"`
	People  int     `json:"people"`
	Right   int     `json:"right"`
	Skipped int     `json:"skipped"` // said that they did not know
	B       float64 `json:"b"`       // learnt difficulty and its standard deviation
	BSD     float64 `json:"b_sd"`
	Label   float64 `json:"label"` // the author's difficulty
	Slope   float64 `json:"slope"` // 1 is usual; below 0 the able do worse
	SlopeSD float64 `json:"slope_sd"`

	Suspect  bool     `json:"suspect"`            // wrong key, or ambiguous
	Relabel  bool     `json:"relabel"`            // the difficulty is far from the author's
	Unpicked []Picked `json:"unpicked,omitempty"` // options that hardly anybody chose
}

// Picked is how often an option was chosen.
type Picked struct {
	Option string `json:"option"` // its key
	Times  int    `json:"times"`
}

// worst orders findings: a wrong key before a wrong label before idle options.
func (h ItemHealth) worst() int {
	switch {
	case h.Suspect:
		return 0
	case h.Relabel:
		return 1
	}
	return 2
}

// ItemHealth looks at every live item that at least 20 people answered.
func (e *Engine) ItemHealth(ctx context.Context) (HealthReport, error) {
	report := HealthReport{Findings: []ItemHealth{}}
	err := e.eachTally(ctx, func(i *content.Item, t tally) {
		if t.N < fewPeople {
			report.TooFew++
			return
		}
		report.Looked++
		if h := e.health(i, t); h.Suspect || h.Relabel || len(h.Unpicked) > 0 {
			report.Findings = append(report.Findings, h)
		}
	})
	if err != nil {
		return report, fmt.Errorf("look at items: %w", err)
	}
	slices.SortFunc(report.Findings, func(a, b ItemHealth) int {
		return cmp.Or(cmp.Compare(a.worst(), b.worst()), strings.Compare(a.Item, b.Item))
	})
	return report, nil
}

// eachTally calls fn for every live item with how it was answered at its
// present revision, in the bank's order.
func (e *Engine) eachTally(ctx context.Context, fn func(*content.Item, tally)) error {
	for _, c := range e.bank.Categories {
		for _, tp := range c.Topics {
			live := tp.Live()
			tallies := make([]tally, len(live))
			err := e.store.View(ctx, func(tx Tx) error {
				for n, i := range live {
					tallies[n] = tally{}
					if _, err := get(tx, keyTally(i.ID), &tallies[n]); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			for n, i := range live {
				if tallies[n].Rev != i.Rev {
					tallies[n] = tally{}
				}
				fn(i, tallies[n])
			}
		}
	}
	return nil
}

// health is what the numbers and counts of one item say.
func (e *Engine) health(i *content.Item, t tally) ItemHealth {
	now, author := e.numbers(i).Item, labelled(e.model, i)
	says := e.model.Health(now, author)
	return ItemHealth{
		Item: i.ID, Rev: i.Rev, People: t.N, Right: t.Right, Skipped: t.Options[dontKnow],
		B: round3(now.B), BSD: round3(math.Sqrt(now.BV)), Label: round3(author.B),
		Slope: round3(now.Slope), SlopeSD: round3(math.Sqrt(now.SlopeV)),
		Suspect: says.Suspect, Relabel: says.Relabel, Unpicked: idle(i, t),
	}
}

// idle lists the wrong options that hardly anybody chose. It needs enough
// people who chose a wrong one: who is right or does not know says nothing.
func idle(i *content.Item, t tally) []Picked {
	missed := t.N - t.Right - t.Options[dontKnow]
	if missed < fewPeople {
		return nil
	}
	var list []Picked
	for _, o := range i.Options {
		if n := t.Options[o.Key]; !o.Correct && float64(n) < unpicked*float64(missed) {
			list = append(list, Picked{o.Key, n})
		}
	}
	return list
}

func round3(f float64) float64 { return math.Round(f*1000) / 1000 }

// Text is the report as lines for a terminal.
func (r HealthReport) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d items were answered by at least %d people, %d by too few to say anything\n", r.Looked, fewPeople, r.TooFew)
	for _, h := range r.Findings {
		fmt.Fprintf(&b, "\n%s (rev %d): %d people, %d right, %d did not know\n", h.Item, h.Rev, h.People, h.Right, h.Skipped)
		if h.Suspect {
			fmt.Fprintf(&b, "  the able do worse (slope %.2f ± %.2f): is the key wrong, or the question ambiguous?\n", h.Slope, h.SlopeSD)
		}
		if h.Relabel {
			fmt.Fprintf(&b, "  difficulty %+.2f ± %.2f, and the author said %+.2f: set difficulty anew\n", h.B, h.BSD, h.Label)
		}
		for _, o := range h.Unpicked {
			fmt.Fprintf(&b, "  option %q was chosen %d of %d times that a wrong one was: it distracts nobody\n", o.Option, o.Times, h.People-h.Right-h.Skipped)
		}
	}
	return b.String()
}

// Learnt returns the numbers of every live item that at least 20 people
// answered, for a release to ship beside the bank. What was learnt of the
// topic as a whole is in the items' difficulties, because it is not shipped.
func (e *Engine) Learnt(ctx context.Context) ([]content.Learnt, error) {
	now := e.current.Load()
	var list []content.Learnt
	err := e.eachTally(ctx, func(i *content.Item, t tally) {
		if t.N < fewPeople || !now.has(i) {
			return
		}
		n := now.of(e.model, i)
		list = append(list, content.Learnt{
			Item: i.ID, Rev: i.Rev, B: n.Item.B + n.Topic.M, BVar: n.Item.BV + n.Topic.V,
			Slope: n.Item.Slope, SlopeVar: n.Item.SlopeV,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read learnt numbers: %w", err)
	}
	return list, nil
}

// prior is what is believed of an item before anybody here answered it: what
// a release learnt elsewhere, or what its author says.
func prior(m skill.Model, i *content.Item) skill.Item {
	if l := i.Learnt; l != nil {
		return skill.Item{B: l.B, BV: l.BVar, Slope: l.Slope, SlopeV: l.SlopeVar}
	}
	return labelled(m, i)
}
