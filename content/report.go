package content

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Report is what Lint found.
type Report struct {
	Figures
	NearDuplicates []Pair    `json:"near_duplicates"` // items at least half alike, to look at
	NotOffered     []string  `json:"not_offered"`     // topics, and what each lacks
	Findings       []Finding `json:"findings"`        // by file, line and rule
	Excused        []Excuse  `json:"excused"`
}

// Figures are the numbers of a bank. Shares are 0..1, and those of items are of
// live ones. A pick is what someone without knowledge scores who takes the
// option named, or one of several such at random.
type Figures struct {
	Items         int `json:"items"`
	LiveItems     int `json:"live_items"`
	Topics        int `json:"topics"`
	TopicsOffered int `json:"topics_offered"`
	Guides        int `json:"guides"`
	Errors        int `json:"errors"`   // findings of class E
	Warnings      int `json:"warnings"` // of class W, not excused
	Overall       int `json:"overall"`  // of class B
	ExcusedCount  int `json:"excused_count"`

	Chance              float64 `json:"chance"` // the mean of 1 / options
	PickLongest         float64 `json:"pick_longest"`
	PickShortest        float64 `json:"pick_shortest"`
	PickHedged          float64 `json:"pick_hedged"` // the most words such as usually or can
	PickMild            float64 `json:"pick_mild"`   // the fewest words such as always or only
	KeyLongest          float64 `json:"key_longest"` // strictly
	KeyShortest         float64 `json:"key_shortest"`
	AbsolutesKey        float64 `json:"absolutes_key"` // keys that have an absolute word
	AbsolutesDistractor float64 `json:"absolutes_distractor"`
	AbsolutesGap        float64 `json:"absolutes_gap"` // distractors less keys
	NegativeStems       float64 `json:"negative_stems"`
	Clang               float64 `json:"clang"` // keys that alone repeat a word of the stem

	ByCategory map[string]int          `json:"by_category"` // live items
	ByTopic    map[string]TopicFigures `json:"by_topic"`
	ByLevel    map[string]int          `json:"by_level"`
	ByKind     map[string]int          `json:"by_kind"` // recall, apply, diagnose, trade-off
}

// TopicFigures are the numbers of one topic that has items.
type TopicFigures struct {
	Live        int            `json:"live"`
	Offered     bool           `json:"offered"`
	Guide       bool           `json:"guide"`
	ByLevel     map[string]int `json:"by_level"`
	KeyLongest  int            `json:"key_longest"` // live items whose key is strictly longest
	KeyShortest int            `json:"key_shortest"`
}

// count fills in the numbers that need no judgement.
func (l *linter) count() {
	r := &l.report
	r.ByCategory, r.ByTopic = map[string]int{}, map[string]TopicFigures{}
	r.ByLevel, r.ByKind = map[string]int{}, map[string]int{}
	for _, c := range l.bank.Categories {
		for _, t := range c.Topics {
			r.countTopic(t)
		}
	}
	for _, f := range r.Findings {
		switch f.Class {
		case Fault:
			r.Errors++
		case Warning:
			r.Warnings++
		case Overall:
			r.Overall++
		}
	}
	r.ExcusedCount = len(r.Excused)
}

func (r *Report) countTopic(t *Topic) {
	r.Topics++
	r.Items += len(t.Items)
	if t.Guide != nil {
		r.Guides++
	}
	if lacks := t.lacks(); lacks == "" {
		r.TopicsOffered++
	} else {
		r.NotOffered = append(r.NotOffered, t.ID+": "+lacks)
	}
	if len(t.Items) == 0 {
		return
	}
	f := TopicFigures{Offered: t.Offered(), Guide: t.Guide != nil, ByLevel: map[string]int{}}
	for _, i := range t.Live() {
		f.Live++
		f.ByLevel[i.Level.String()]++
		r.ByCategory[t.Category]++
		r.ByLevel[i.Level.String()]++
		r.ByKind[string(i.Cognitive)]++
		if i.Key() < 0 {
			continue
		}
		if pick(i, byLength) == 1 {
			f.KeyLongest++
		}
		if pick(i, func(o Option) int { return -byLength(o) }) == 1 {
			f.KeyShortest++
		}
	}
	r.LiveItems += f.Live
	r.ByTopic[t.ID] = f
}

// Text returns the report for a terminal: the figures, then one line a finding.
func (r Report) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%d items, %d live, in %d of %d topics offered; %d guides", r.Items, r.LiveItems, r.TopicsOffered, r.Topics, r.Guides)
	line("levels: %s; kinds: %s", counts(r.ByLevel), counts(r.ByKind))
	line("guessing: chance %.1f %%, longest %.1f, shortest %.1f, most hedges %.1f, fewest absolutes %.1f",
		100*r.Chance, 100*r.PickLongest, 100*r.PickShortest, 100*r.PickHedged, 100*r.PickMild)
	line("key strictly longest %.1f %%, shortest %.1f; absolute words in %.1f %% of distractors, %.1f of keys",
		100*r.KeyLongest, 100*r.KeyShortest, 100*r.AbsolutesDistractor, 100*r.AbsolutesKey)
	line("negative stems %.1f %%, stem words in the key alone %.1f %%", 100*r.NegativeStems, 100*r.Clang)
	line("%d errors, %d warnings, %d remarks on the whole, %d excused", r.Errors, r.Warnings, r.Overall, r.ExcusedCount)
	for _, f := range r.Findings {
		line("%s", f)
	}
	for _, p := range r.NearDuplicates {
		line("look at %s and %s: %.0f %% alike", p.A, p.B, 100*p.Similarity)
	}
	for _, e := range r.Excused {
		line("excused: %s (%s)", e.Finding, e.Reason)
	}
	return b.String()
}

func counts(m map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(out, ", ")
}
