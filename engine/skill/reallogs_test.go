package skill

import (
	"fmt"
	"strings"
	"testing"
)

// adaptive is the product's model over a log: items carry no label.
type adaptive struct {
	m       Model
	general []General
	topic   map[[2]int]Topic
	items   []Item
	topics  []TopicDifficulty
	world   World
	lowered int // right answers that lowered their topic's score
}

func newAdaptive(l *answerLog) learner {
	m := Default()
	a := &adaptive{
		m: m, general: make([]General, l.users), topic: map[[2]int]Topic{},
		items: make([]Item, l.items), topics: make([]TopicDifficulty, l.skills), world: m.NewWorld(),
	}
	for i := range a.general {
		a.general[i] = m.NewGeneral()
	}
	for i := range a.items {
		a.items[i] = m.NewItem(0, false, 0)
	}
	for i := range a.topics {
		a.topics[i] = m.NewTopicDifficulty()
	}
	return a
}

func (a *adaptive) numbers(r row) Numbers {
	return Numbers{Item: a.items[r.item], Topic: a.topics[r.skill], World: a.world}
}

func (a *adaptive) answer(r row) (float64, func()) {
	at := [2]int{r.user, r.skill}
	g := a.general[r.user]
	t, ok := a.topic[at]
	if !ok {
		t = a.m.NewTopic()
	}
	n, attempt := a.numbers(r), Attempt{Last: r.last}
	p := a.m.Predict(g, t, n, attempt).P
	o := a.m.Observe(g, t, attempt, r.right)
	g1, t1 := a.m.LearnPerson(g, t, n, attempt, r.right)
	if r.right && a.m.Change(g, t, g1, t1, n.World).Points < 0 {
		a.lowered++
	}
	a.general[r.user], a.topic[at] = g1, t1
	return p, func() {
		n := a.m.LearnItem(a.numbers(r), o)
		a.items[r.item], a.topics[r.skill], a.world = n.Item, n.Topic, n.World
	}
}

// joint lets items learn from every answer at once, and measures from row
// from on.
func joint(s learner, rows []row, from int) figures {
	var all tally
	for i, r := range rows {
		p, fold := s.answer(r)
		if i >= from {
			all.add(p, r.right)
		}
		fold()
	}
	return all.figures()
}

// shipped lets items learn as the product does: from the answers of those
// who agreed, in a fold every 500 answers.
func shipped(s learner, rows []row) figures {
	var all tally
	var waiting []func()
	for i, r := range rows {
		p, fold := s.answer(r)
		all.add(p, r.right)
		if agrees(r.user) {
			waiting = append(waiting, fold)
		}
		if (i+1)%500 != 0 {
			continue
		}
		for _, fold := range waiting {
			fold()
		}
		waiting = waiting[:0]
	}
	return all.figures()
}

// agrees picks three users of ten for good.
func agrees(user int) bool { return uint32(user)*2654435761>>16%10 < 3 }

// contestant is a way to predict, and its log-loss bars in joint runs.
type contestant struct {
	name  string
	start func(*answerLog) learner
	bars  map[string]float64
}

func contestants() []contestant {
	return []contestant{
		{"adaptive", newAdaptive, map[string]float64{"assist09": 0.525, "timss07": 0.510}},
		{"item-mean", newItemMean, nil},
		{"elo", newElo, map[string]float64{"assist09": 0.5455, "timss07": 0.5170}},
		{"glicko", newGlicko, map[string]float64{"assist09": 0.5425, "timss07": 0.5165}},
		{"logistic", newLogistic, map[string]float64{"assist09": 0.5290, "timss07": 0.5150}},
	}
}

// TestRealLogs measures the model on real answers beside four ways to
// predict that are simpler. AIPREP_LOGS names the folder of the logs.
func TestRealLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a million answers")
	}
	dir := logFolder()
	if dir == "" {
		t.Skip("no answer logs: set AIPREP_LOGS to a folder of them")
	}
	for _, l := range readLogs(t, dir) {
		t.Run(l.name, func(t *testing.T) {
			t.Run("joint", func(t *testing.T) { runJoint(t, &l) })
			t.Run("shipped", func(t *testing.T) { runShipped(t, &l) })
		})
	}
}

const columns = "set users answers auc logloss rmse ece"

// runJoint: with a published split, all that learn pass the training part
// and are measured on the test part; else the users come in a random order.
func runJoint(t *testing.T, l *answerLog) {
	rows := l.rows
	if l.from == 0 {
		rows = inTurn(rows)
	}
	measured := len(rows) - l.from
	users := len(byUser(rows[l.from:]))
	var out strings.Builder
	var best figures
	for i, c := range contestants() {
		s := c.start(l)
		f := joint(s, rows, l.from)
		fmt.Fprintf(&out, "\n%-9s %s %d %d %v", c.name, l.name, users, measured, f)
		if bar, ok := c.bars[l.name]; ok && f.logloss > bar {
			t.Errorf("%s: log-loss %.4f, bar %.4f", c.name, f.logloss, bar)
		}
		if i == 0 {
			best = f
			requireNeverLowered(t, s)
		} else if f.logloss <= best.logloss {
			t.Errorf("%s: log-loss %.4f, not above the model's %.4f", c.name, f.logloss, best.logloss)
		}
	}
	t.Logf("joint: %s%s", columns, out.String())
	if l.name == "assist09" && best.auc < 0.775 {
		t.Errorf("AUC %.4f, bar .775", best.auc)
	}
}

// runShipped: everybody takes tests of five in turn, and the whole set counts.
func runShipped(t *testing.T, l *answerLog) {
	rows := roundRobin(l.rows)
	bars := map[string]float64{"assist09": 0.545, "timss07": 0.518}
	var out strings.Builder
	var best figures
	for i, c := range contestants() {
		s := c.start(l)
		f := shipped(s, rows)
		fmt.Fprintf(&out, "\n%-9s %s %d %d %v", c.name, l.name, l.users, len(rows), f)
		if i == 0 {
			best = f
			requireNeverLowered(t, s)
		} else if f.logloss <= best.logloss {
			t.Errorf("%s: log-loss %.4f, not above the model's %.4f", c.name, f.logloss, best.logloss)
		}
	}
	t.Logf("as shipped: %s%s", columns, out.String())
	if bar, ok := bars[l.name]; ok && best.logloss > bar {
		t.Errorf("log-loss %.4f, bar %.4f", best.logloss, bar)
	}
}

func requireNeverLowered(t *testing.T, s learner) {
	t.Helper()
	if n := s.(*adaptive).lowered; n > 0 {
		t.Errorf("%d right answers lowered their score", n)
	}
}
