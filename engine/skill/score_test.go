package skill

import (
	"math"
	"testing"
)

func TestScoreOfANewcomer(t *testing.T) {
	m := Default()
	s := m.GeneralScore(m.NewGeneral())
	near(t, "mean", s.Mean, 1500, 0)
	near(t, "sd", s.SD, 173.7178*math.Sqrt(1.2), 1e-3)
	near(t, "low", s.Low, 1500-1.644854*s.SD, 1e-3)
	near(t, "high", s.High, 1500+1.644854*s.SD, 1e-3)
	if s.Borrowed {
		t.Error("a general score is borrowed")
	}
}

func TestScoreOfAnUntriedTopicBorrows(t *testing.T) {
	m := Default()
	n := Numbers{m.NewItem(0, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	g, practised := m.NewGeneral(), m.NewTopic()
	for range 8 {
		g, practised = m.LearnPerson(g, practised, n, Attempt{}, true)
	}
	general, untried := m.GeneralScore(g), m.Score(g, m.NewTopic(), n.World)
	near(t, "mean of the untried topic", untried.Mean, general.Mean, 1e-9)
	if general.Mean < 1550 {
		t.Errorf("general score %.0f after eight right answers", general.Mean)
	}
	if !untried.Borrowed || m.Score(g, practised, n.World).Borrowed {
		t.Error("borrowed is not told from practised")
	}
	near(t, "variance of the untried topic", untried.SD*untried.SD, general.SD*general.SD+173.7178*173.7178*m.VarOffset, 1)
	if own := m.Score(g, practised, n.World); own.Mean <= untried.Mean || own.SD >= untried.SD {
		t.Errorf("practised %+v, untried %+v", own, untried)
	}
}

// TestScoreIsWhatPredicts: the score is the logit of a first attempt at an
// item of difficulty 0.
func TestScoreIsWhatPredicts(t *testing.T) {
	m := Default()
	w := m.NewWorld()
	w.W[form].M, w.W[practice].M = 1.3, 0.2
	g, topic := General{0.4, 0.5}, Topic{M: 0.1, Tie: -0.2, V: 0.2, Residual: 0.15, N: 12}
	p := m.Predict(g, topic, Numbers{Item: Item{Slope: 1}, World: w}, Attempt{})
	s := m.Score(g, topic, w)
	near(t, "mean", (s.Mean-1500)/173.7178, p.X, 1e-5)
	near(t, "mean by hand", p.X, 0.8*0.4+0.1+1.3*0.15+0.2*math.Log(13), 1e-12)
	level := m.fresh(m.Ability(g, topic).V)
	near(t, "variance", s.SD*s.SD/(173.7178*173.7178), p.V-level*level*m.VarWorld, 1e-5)
}

func TestReadiness(t *testing.T) {
	m := Default()
	w := m.NewWorld()
	easy, hard := m.NewItem(-1, true, 0), m.NewItem(2, true, 0)
	g := General{0.5, 0.4}
	topic := Topic{V: 0.2, Tie: -0.1, N: 5}
	of := func(topic Topic, items ...Item) Part { return Part{topic, m.NewTopicDifficulty(), items} }

	one := m.Readiness(g, w, []Part{of(topic, easy)})
	two := m.Readiness(g, w, []Part{of(topic, easy, hard)})
	other := m.Readiness(g, w, []Part{of(topic, hard)})
	near(t, "mean of two items", two.Chance, (one.Chance+other.Chance)/2, 1e-12)
	if !(other.Chance < two.Chance && two.Chance < one.Chance) {
		t.Errorf("harder items are not harder: %v %v %v", one, two, other)
	}
	for _, r := range []Readiness{one, two, other} {
		if !(0 < r.Low && r.Low < r.Chance && r.Chance < r.High && r.High < 1) {
			t.Errorf("range %+v", r)
		}
	}

	// Within one topic the range is the score's own, through the item.
	s := m.Score(g, topic, w)
	shifted := g
	shifted.M += (s.High - s.Mean) / pointsOfLogit / (1 + topic.Tie)
	near(t, "high", one.High, m.Readiness(shifted, w, []Part{of(topic, easy)}).Chance, 1e-9)

	// Two topics are known better together than either alone.
	both := m.Readiness(g, w, []Part{of(topic, easy), of(Topic{V: 0.2, Tie: -0.1, N: 3}, easy)})
	if both.High-both.Low >= one.High-one.Low {
		t.Errorf("two topics %+v, one %+v", both, one)
	}
	swapped := m.Readiness(g, w, []Part{of(topic, hard), of(m.NewTopic(), easy)})
	inOrder := m.Readiness(g, w, []Part{of(m.NewTopic(), easy), of(topic, hard)})
	near(t, "low in another order", swapped.Low, inOrder.Low, 1e-12)

	if none := m.Readiness(g, w, []Part{of(topic)}); none != (Readiness{}) {
		t.Errorf("no items: %+v", none)
	}
	if r := m.Readiness(g, w, []Part{of(m.NewTopic(), easy)}); !r.Borrowed || one.Borrowed || r.Items != 1 {
		t.Errorf("untried %+v, practised %+v", r, one)
	}
}

func TestExplainAddsUp(t *testing.T) {
	m := Default()
	n := Numbers{Item{0.9, 0.1, 1.4, 0.05}, TopicDifficulty{-0.3, 0.1}, m.NewWorld()}
	n.World.Mu.M = 0.2
	for i := range n.World.W {
		n.World.W[i].M = 0.1 * float64(i+1)
	}
	g, topic := General{0.6, 0.3}, Topic{0.4, -0.25, 0.1, 0.2, 9}
	for _, a := range []Attempt{{}, {Last: Right}, {Last: Wrong, Daily: true}} {
		e, p := m.Explain(g, topic, n, a), m.Predict(g, topic, n, a)
		sum := e.World + e.General + e.Offset + e.Form + e.Practice + e.Repeat + e.Daily + e.TopicDifficulty + e.Difficulty
		near(t, "sum", sum*e.Slope, p.X, 1e-12)
		if (Prediction{e.P, e.X, e.V}) != p {
			t.Errorf("explained %+v, predicted %+v", e, p)
		}
	}
	e := m.Explain(g, topic, n, Attempt{Last: Wrong, Daily: true})
	want := Parts{0.2, 0.6, 0.25, 0.02, 0.4 * math.Log(10), 0.3, 0.5, 0.3, -0.9, 1.4, e.X, e.V, e.P}
	for name, pair := range map[string][2]float64{
		"world": {e.World, want.World}, "general": {e.General, want.General}, "offset": {e.Offset, want.Offset},
		"form": {e.Form, want.Form}, "practice": {e.Practice, want.Practice}, "repeat": {e.Repeat, want.Repeat},
		"daily": {e.Daily, want.Daily}, "topic": {e.TopicDifficulty, want.TopicDifficulty},
		"difficulty": {e.Difficulty, want.Difficulty}, "slope": {e.Slope, want.Slope},
	} {
		near(t, name, pair[0], pair[1], 1e-12)
	}
}

func TestChangeAddsUp(t *testing.T) {
	m := Default()
	n := Numbers{m.NewItem(0.5, true, 0), m.NewTopicDifficulty(), m.NewWorld()}
	n.World.W[form].M, n.World.W[practice].M = 0.8, 0.1
	g0, t0 := General{0.2, 0.5}, Topic{0.1, -0.1, 0.2, 0.1, 4}
	g1, t1 := m.LearnPerson(g0, t0, n, Attempt{}, true)
	c := m.Change(g0, t0, g1, t1, n.World)
	near(t, "points", c.Points, pointsOfLogit*(c.General+c.Offset+c.Form+c.Practice), 1e-9)
	near(t, "general", c.General, g1.M-g0.M, 0)
	near(t, "points shown", c.Points, m.Score(g1, t1, n.World).Mean-m.Score(g0, t0, n.World).Mean, 0)
	if c.Points <= 0 || c.General <= 0 || c.SD >= 0 {
		t.Errorf("a right answer at even odds changed %+v", c)
	}
}

func TestHealth(t *testing.T) {
	m := Default()
	label := m.NewItem(0, true, 0)
	tests := []struct {
		name string
		now  Item
		want Health
	}{
		{"as the author says", label, Health{}},
		{"the able do worse", Item{0, 0.1, 0, 0.01}, Health{Suspect: true}},
		{"a low slope that is not yet sure", Item{0, 0.1, 0, 0.09}, Health{}},
		{"much harder than said", Item{1.9, 0.1, 1, 0.05}, Health{Relabel: true}},
		{"harder than said, not yet sure", Item{1.9, 0.2, 1, 0.05}, Health{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Health(tt.now, label); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestNewItem(t *testing.T) {
	m := Default()
	if got, want := m.NewItem(1.25, true, -1), (Item{1.25, 0.25, 1, 0.1}); got != want {
		t.Errorf("with a difficulty: %v, want %v", got, want)
	}
	if got, want := m.NewItem(0, false, -1), (Item{-1, 1, 1, 0.1}); got != want {
		t.Errorf("with a level: %v, want %v", got, want)
	}
}
