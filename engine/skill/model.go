package skill

import "math"

// Model is the constants of the adaptive model. Abilities, difficulties and
// weights are in logits, variances in squared logits. A Model holds no state:
// two calls with the same arguments return the same bits.
type Model struct {
	// Variances of what is not known yet.
	VarGeneral float64    // of a person's general ability
	VarOffset  float64    // of a person's offset on one topic, given the general ability
	VarTopic   float64    // of a topic's difficulty
	VarItem    float64    // of an item's difficulty when the author gave a number
	VarLevel   float64    // of an item's difficulty when only a level is known
	VarSlope   float64    // of an item's slope
	VarWorld   float64    // of the global level
	VarWeight  [5]float64 // of the feature weights, in the order of World.W
	VarGuess   float64    // of the chance of a lucky guess, a probability

	DriftGeneral float64 // variance that an answer adds to the general ability
	DriftOffset  float64 // variance that an answer adds to its topic's offset
	DriftIdle    float64 // variance that an idle day adds to either

	Forget   float64 // what the form keeps of itself at an answer, in (0, 1)
	Guess    float64 // chance of a right answer without any ability before it is learnt, in [0, 1)
	MinSlope float64 // the least slope a prediction uses, > 0
	MaxReach float64 // distance from an item, in logits, past which slopes learn no faster

	ScaleRate float64 // AdaGrad step of World.Scale
	ShiftRate float64 // AdaGrad step of World.Shift

	Target    float64 // chance of success that selection aims at
	Probe     float64 // share of questions that are drawn uniformly
	RestDays  float64 // days before an answered item may come back
	FirstSpan float64 // largest |difficulty| of a new person's first question
	CapShare  float64 // largest share of tests that may hold an item of a large scope
	CapSlack  float64 // the same share for a small scope, in units of the fair share
}

// Default returns the one set of constants that the product ships. They were
// tuned for many answer logs together and belong to none of them. VarTopic,
// VarWorld, VarWeight and Guess are insensitive there; they were settled by
// simulation, where wider priors let a young service drift.
func Default() Model {
	return Model{
		VarGeneral: 1.2, VarOffset: 0.25, VarTopic: 0.25, VarItem: 0.25, VarLevel: 1,
		VarSlope: 0.1, VarWorld: 0.1, VarWeight: [5]float64{0.25, 0.5, 0.5, 0.02, 0.5},
		DriftGeneral: 0.003, DriftOffset: 0.001, DriftIdle: 0.001,
		Forget: 0.8, Guess: 0.07, VarGuess: 0.0025, MinSlope: 0.15, MaxReach: 3,
		ScaleRate: 0.05, ShiftRate: 0.02,
		Target: 0.72, Probe: 0.1, RestDays: 30, FirstSpan: 0.7, CapShare: 0.25, CapSlack: 1.5,
	}
}

// Normal is what is believed of one number: mean and variance.
type Normal struct{ M, V float64 }

// General is what is believed of a person's ability over all topics: mean in
// logits, variance in squared logits.
type General struct{ M, V float64 }

// Topic is what is believed of one person on one topic. Their ability there
// is general + offset, and the offset is kept as it depends on the general
// ability g: offset ~ N(M + Tie*g, V). Tie carries the covariance of the two
// (cov = Tie * General.V), so that an answer on another topic, which moves g,
// leaves a Topic consistent without touching it.
type Topic struct {
	M        float64 // mean of the offset at g = 0, logits
	Tie      float64 // change of the offset's mean for one logit of g, in (-1, 0]
	V        float64 // variance of the offset given g, squared logits
	Residual float64 // form: how the last answers went against what was predicted, in (-1, 1)
	N        int     // answers on this topic so far
}

// Item is what is believed of one item.
type Item struct {
	B      float64 // mean difficulty within its topic, logits
	BV     float64 // variance of the difficulty
	Slope  float64 // mean slope: how sharply the item tells abilities apart; 1 is usual
	SlopeV float64 // variance of the slope
}

// TopicDifficulty is what is believed of the difficulty that all items of a
// topic share: mean in logits, variance in squared logits.
type TopicDifficulty struct{ M, V float64 }

// The places of the feature weights in World.W.
const (
	form      = iota // times Topic.Residual
	lastRight        // this item was answered right last time
	lastWrong        // this item was answered wrong last time
	practice         // times ln(1 + Topic.N)
	daily            // the question is a daily: the book is open
	weights
)

// World is what all persons and items share.
type World struct {
	Mu           Normal    // the global level, logits
	Guess        Normal    // chance of a right answer without any ability, a probability
	W            [5]Normal // weights of form, last right, last wrong, practice, daily
	Scale, Shift float64   // recalibration: logit' = (1+Scale)*logit + Shift
	ScaleG2      float64   // sum of squared gradients of Scale
	ShiftG2      float64   // sum of squared gradients of Shift
}

// Numbers is everything about a question that is not the person: one item's
// row of an epoch.
type Numbers struct {
	Item  Item
	Topic TopicDifficulty
	World World
}

// NewGeneral returns what is believed of a person who has answered nothing.
func (m Model) NewGeneral() General { return General{V: m.VarGeneral} }

// NewTopic returns what is believed of a person on a topic they have not
// tried. It is also the Topic to pass when there is no record.
func (m Model) NewTopic() Topic { return Topic{V: m.VarOffset} }

// NewItem returns the author's prior of an item: difficulty in logits if has
// is true, else the level alone: -1 junior, 0 mid, +1 senior. Levels say who
// is asked, so they are a weak hint of difficulty.
func (m Model) NewItem(difficulty float64, has bool, level int) Item {
	item := Item{B: float64(level), BV: m.VarLevel, Slope: 1, SlopeV: m.VarSlope}
	if has {
		item.B, item.BV = difficulty, m.VarItem
	}
	return item
}

// NewTopicDifficulty returns what is believed of a topic before any answer.
func (m Model) NewTopicDifficulty() TopicDifficulty { return TopicDifficulty{V: m.VarTopic} }

// NewWorld returns what is believed of the global numbers before any answer.
func (m Model) NewWorld() World {
	w := World{Mu: Normal{V: m.VarWorld}, Guess: Normal{M: m.Guess, V: m.VarGuess}}
	for k := range w.W {
		w.W[k].V = m.VarWeight[k]
	}
	return w
}

// Ability returns a person's ability on a topic, general + offset, without
// the features of an answer.
func (m Model) Ability(g General, t Topic) Normal {
	h := 1 + t.Tie
	return Normal{M: h*g.M + t.M, V: h*h*g.V + t.V}
}

// IdleGeneral widens a general ability by the days since the person's last
// answer. It never widens past what is believed of a new person.
func (m Model) IdleGeneral(g General, days float64) General {
	g.V = widen(g.V, m.DriftIdle*days, m.VarGeneral)
	return g
}

// IdleTopic widens an offset by the days since the person's last answer on
// the topic. It never widens past what is believed of an untried topic.
func (m Model) IdleTopic(t Topic, days float64) Topic {
	t.V = widen(t.V, m.DriftIdle*days, m.VarOffset)
	return t
}

// Idle is IdleGeneral and IdleTopic for the same number of days.
func (m Model) Idle(g General, t Topic, days float64) (General, Topic) {
	return m.IdleGeneral(g, days), m.IdleTopic(t, days)
}

// widen adds to a variance, up to most. Negative additions (a clock set back)
// add nothing.
func widen(v, add, most float64) float64 {
	return math.Min(v+math.Max(add, 0), math.Max(most, v))
}
