package skill

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// truth is what a simulated service is about, unknown to the model.
type truth struct {
	guess                 float64 // chance of a right answer without any ability
	topics, items         int     // topics, and items in each
	varGeneral, varOffset float64 // of abilities
	agree                 float64 // share of people whose answers reach the fold
}

// service is a simulated bank that people take tests from. It asks and
// learns as the product does: Default untouched, selection with its cap,
// folds of 500 answers. Authors give each item one of five levels, and the
// true difficulty is that with a standard deviation of a half.
type service struct {
	m       Model
	truth   truth
	rng     *rand.Rand
	topics  []simTopic
	world   World
	waiting []waiting
	asked   uint64
}

type simTopic struct {
	real   []float64 // true difficulties
	items  []Item
	level  TopicDifficulty
	recent [][]int // the items of the last tests, at most capWindow
	served []int   // in how many of recent
	total  []int   // in how many tests ever
	tests  int
}

type waiting struct {
	topic, item int
	o           Observation
}

func newService(tr truth, seed uint64) *service {
	s := &service{m: Default(), truth: tr, rng: rand.New(rand.NewPCG(seed, 7))}
	s.world = s.m.NewWorld()
	for range tr.topics {
		t := simTopic{level: s.m.NewTopicDifficulty(), served: make([]int, tr.items), total: make([]int, tr.items)}
		for i := range tr.items {
			label := float64(i%5) - 2
			t.real = append(t.real, label+0.5*s.rng.NormFloat64())
			t.items = append(t.items, s.m.NewItem(label, true, 0))
		}
		s.topics = append(s.topics, t)
	}
	return s
}

// person is one who takes tests: true abilities, and what is believed.
type person struct {
	general float64
	offset  []float64
	agrees  bool
	g       General
	t       []Topic
	seen    []map[int]bool
	answers int
}

func (s *service) newPerson() *person {
	p := &person{
		general: math.Sqrt(s.truth.varGeneral) * s.rng.NormFloat64(),
		agrees:  s.rng.Float64() < s.truth.agree,
		g:       s.m.NewGeneral(),
	}
	for range s.truth.topics {
		p.offset = append(p.offset, math.Sqrt(s.truth.varOffset)*s.rng.NormFloat64())
		p.t = append(p.t, s.m.NewTopic())
		p.seen = append(p.seen, map[int]bool{})
	}
	return p
}

func (s *service) numbers(topic, item int) Numbers {
	t := &s.topics[topic]
	return Numbers{Item: t.items[item], Topic: t.level, World: s.world}
}

// test gives p a test of five on a topic.
func (s *service) test(p *person, topic int) {
	t := &s.topics[topic]
	var used []int
	candidates := make([]Candidate, len(t.items))
	for range testLength {
		for i := range t.items {
			n := s.numbers(topic, i)
			candidates[i] = Candidate{
				P: s.m.Predict(p.g, p.t[topic], n, Attempt{}).P, B: n.Item.B + n.Topic.M,
				Seen: p.seen[topic][i], Served: t.served[i],
			}
		}
		for _, i := range used {
			candidates[i].Enemy = true
		}
		var seed [32]byte
		s.asked++
		binary.LittleEndian.PutUint64(seed[:], s.asked)
		w := Want{Scope: len(t.items), Tests: len(t.recent), First: p.answers == 0}
		c := s.m.Select(candidates, w, seed)
		used = append(used, c.Index)
		s.ask(p, topic, c.Index)
	}
	t.remember(used)
}

func (s *service) ask(p *person, topic, item int) {
	real := p.general + p.offset[topic] - s.topics[topic].real[item]
	right := s.rng.Float64() < s.truth.guess+(1-s.truth.guess)*sigma(real)
	if p.agrees {
		s.waiting = append(s.waiting, waiting{topic, item, s.m.Observe(p.g, p.t[topic], Attempt{}, right)})
	}
	p.g, p.t[topic] = s.m.LearnPerson(p.g, p.t[topic], s.numbers(topic, item), Attempt{}, right)
	p.seen[topic][item] = true
	p.answers++
	if len(s.waiting) >= 500 {
		s.fold()
	}
}

func (s *service) fold() {
	for _, w := range s.waiting {
		n := s.m.LearnItem(s.numbers(w.topic, w.item), w.o)
		t := &s.topics[w.topic]
		t.items[w.item], t.level, s.world = n.Item, n.Topic, n.World
	}
	s.waiting = s.waiting[:0]
}

func (t *simTopic) remember(test []int) {
	t.recent = append(t.recent, test)
	t.tests++
	for _, i := range test {
		t.served[i]++
		t.total[i]++
	}
	if len(t.recent) > capWindow {
		for _, i := range t.recent[0] {
			t.served[i]--
		}
		t.recent = t.recent[1:]
	}
}

// exposure is the largest share of tests that any one item was in.
func (t *simTopic) exposure() float64 {
	most := 0
	for _, n := range t.total {
		most = max(most, n)
	}
	return float64(most) / float64(t.tests)
}

// itemError is the root mean square error of the difficulties with their
// common shift removed, and the ratio of their spread to the true one.
func (t *simTopic) itemError() (rmse, ratio float64) {
	var off, believed, real spread
	for i, b := range t.real {
		off.add(t.items[i].B - b)
		believed.add(t.items[i].B)
		real.add(b)
	}
	return off.sd(), believed.sd() / real.sd()
}

// spread sums up numbers.
type spread struct{ n, sum, squares float64 }

func (s *spread) add(x float64) {
	s.n++
	s.sum += x
	s.squares += x * x
}

func (s *spread) mean() float64 { return s.sum / s.n }
func (s *spread) rms() float64  { return math.Sqrt(s.squares / s.n) }
func (s *spread) sd() float64 {
	return math.Sqrt(max(0, s.squares/s.n-s.mean()*s.mean()))
}

// TestOpenBookIsLearnt: where people are a logit better in dailies, the model
// finds it out, and keeps it out of their scores and of the items.
func TestOpenBookIsLearnt(t *testing.T) {
	s := newService(truth{topics: 1, items: 40, varGeneral: 0.8, varOffset: 0.2}, 1)
	const gain = 1.0
	var off spread
	for i := range 800 {
		p := s.newPerson()
		for j := range 20 {
			item, a := s.rng.IntN(40), Attempt{Daily: j%2 == 0}
			x := p.general + p.offset[0] - s.topics[0].real[item]
			if a.Daily {
				x += gain
			}
			right := s.rng.Float64() < sigma(x)
			n := s.numbers(0, item)
			s.waiting = append(s.waiting, waiting{0, item, s.m.Observe(p.g, p.t[0], a, right)})
			p.g, p.t[0] = s.m.LearnPerson(p.g, p.t[0], n, a, right)
		}
		s.fold()
		if i >= 400 {
			off.add((s.m.Score(p.g, p.t[0], s.world).Mean-center)/pointsOfLogit - p.general - p.offset[0])
		}
	}
	near(t, "weight of dailies", s.world.W[daily].M, gain, 0.25)
	near(t, "bias of the scores", off.mean(), 0, 0.15)
}
