package engine_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// The population of the simulations: abilities on a topic are N(0, 1), most of
// it general, and an item is as hard as its author said, give or take a half.
const (
	varGeneral = 0.8
	varOffset  = 0.2
	sdLabel    = 0.5
)

// crowd is a service with the real bank, whose items have a true difficulty,
// and people with a true ability, who write and press as people do.
type crowd struct {
	*testing.T
	e     *engine.Engine
	bank  *content.Bank
	rng   *rand.Rand
	guess float64
	truth map[string]float64       // by item
	items map[string]*content.Item // by what is seen of one: its options
	now   time.Time
	born  int
}

// simulated is one of the people.
type simulated struct {
	name    string
	general float64
	offset  map[string]float64
	share   bool
	tests   int
	asked   []string // the items of their last test
}

func newCrowd(t *testing.T, bank *content.Bank, seed uint64, guess float64) *crowd {
	t.Helper()
	store := storetest.Memory()
	t.Cleanup(func() { store.Close() })
	secret := make([]byte, 32)
	secret[0] = byte(seed)
	e, err := engine.New(t.Context(), engine.Config{Store: store, Bank: bank, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	w := &crowd{
		T: t, e: e, bank: bank, rng: rand.New(rand.NewPCG(seed, 9)), guess: guess, now: monday,
		truth: map[string]float64{}, items: map[string]*content.Item{},
	}
	for _, c := range bank.Categories {
		for _, tp := range c.Topics {
			for _, i := range tp.Live() {
				w.truth[i.ID] = authors(i) + sdLabel*w.rng.NormFloat64()
				var texts []string
				for _, o := range i.Options {
					texts = append(texts, content.Parse(o.Text).String())
				}
				w.items[look(texts)] = i
			}
		}
	}
	return w
}

// authors is the difficulty that an item's author gives, in logits.
func authors(i *content.Item) float64 {
	if i.HasDifficulty {
		return i.Difficulty
	}
	return float64(i.Level) - float64(content.Mid)
}

// look is what tells items apart, in whatever order the options stand.
func look(options []string) string {
	return strings.Join(slices.Sorted(slices.Values(options)), "\n")
}

func (w *crowd) person(share bool) *simulated {
	w.born++
	p := &simulated{
		name: fmt.Sprint("p", w.born), share: share, offset: map[string]float64{},
		general: math.Sqrt(varGeneral) * w.rng.NormFloat64(),
	}
	if share {
		w.handle(p, "settings share=yes")
	}
	return p
}

// ability is the person's true one on a topic.
func (w *crowd) ability(p *simulated, topic string) float64 {
	if _, ok := p.offset[topic]; !ok {
		p.offset[topic] = math.Sqrt(varOffset) * w.rng.NormFloat64()
	}
	return p.general + p.offset[topic]
}

// handle gives the engine one line or press, and returns what the person sees.
func (w *crowd) handle(p *simulated, action string) *engine.Message {
	w.Helper()
	w.now = w.now.Add(10 * time.Second)
	words := strings.Fields(action)
	r, err := w.e.Handle(context.Background(), engine.Input{
		ID: p.name, At: w.now, Verb: words[0], Args: words[1:],
		From: engine.User{Platform: "test", ID: p.name}, In: engine.Place{Platform: "test", Chat: p.name},
	})
	if err != nil {
		w.Fatal(err)
	}
	for _, m := range []*engine.Message{r.Whisper, r.Replace, r.Post} {
		if m != nil {
			return m
		}
	}
	w.Fatalf("%q is answered with nothing", action)
	return nil
}

// test takes a whole test.
func (w *crowd) test(p *simulated, scope string) {
	w.Helper()
	m := w.handle(p, "test "+scope)
	p.tests, p.asked = p.tests+1, nil
	for m.Quiz != nil {
		m = w.handle(p, m.Buttons[0][w.choose(p, m.Quiz)].Action) // the verdict
		m = w.handle(p, m.Buttons[0][0].Action)                   // what comes next
	}
	if len(p.asked) != 5 {
		w.Fatalf("a test of %s has %d questions: %s %s", scope, len(p.asked), m.Title, m.Text)
	}
}

// choose is the option that the person takes, by their place in the list.
func (w *crowd) choose(p *simulated, q *engine.Quiz) int {
	i := w.items[look(q.Options)]
	if i == nil {
		w.Fatalf("no item has the options %q", q.Options)
	}
	p.asked = append(p.asked, i.ID)
	key := slices.Index(q.Options, content.Parse(i.Options[i.Key()].Text).String())
	if w.rng.Float64() < w.guess+(1-w.guess)*logistic(w.ability(p, i.Topic)-w.truth[i.ID]) {
		return key
	}
	return (key + 1 + w.rng.IntN(len(q.Options)-1)) % len(q.Options)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

var scoreShown = regexp.MustCompile(`(-?\d+) \(range (-?\d+)–(-?\d+)\)`)

// shown is the score that the person reads, in logits, with its range.
func (w *crowd) shown(p *simulated, topic string) (mean, low, high float64) {
	w.Helper()
	m := w.handle(p, strings.TrimSpace("stats "+topic))
	found := scoreShown.FindStringSubmatch(m.Title)
	if found == nil {
		w.Fatalf("no score stands in %q", m.Title)
	}
	logits := func(s string) float64 {
		n, err := strconv.Atoi(s)
		if err != nil {
			w.Fatal(err)
		}
		return (float64(n) - 1500) * math.Ln10 / 400
	}
	return logits(found[1]), logits(found[2]), logits(found[3])
}

// bound is the least error that any choice of n of the topic's items allows,
// however well their difficulties are known: the mean over abilities N(0, 1)
// of the Cramér-Rao bound with the n most telling items.
func (w *crowd) bound(tp *content.Topic, n int) float64 {
	sum, weights := 0.0, 0.0
	for x := -4.0; x <= 4; x += 0.05 {
		var tells []float64
		for _, i := range tp.Live() {
			s := logistic(x - w.truth[i.ID])
			p := w.guess + (1-w.guess)*s
			rise := (1 - w.guess) * s * (1 - s)
			tells = append(tells, rise*rise/(p*(1-p)))
		}
		slices.Sort(tells)
		total := 1.0
		for _, t := range tells[len(tells)-n:] {
			total += t
		}
		density := math.Exp(-x * x / 2)
		sum, weights = sum+density/total, weights+density
	}
	return math.Sqrt(sum / weights)
}

// people is how many take part: AIPREP_LONG=1 makes the figures firm enough
// to quote.
func people(n int) int {
	if os.Getenv("AIPREP_LONG") != "" {
		return 6 * n
	}
	return n
}

// offered lists the topics that may be tested, the largest first.
func offered(bank *content.Bank) (all []*content.Topic) {
	for _, c := range bank.Categories {
		for _, tp := range c.Topics {
			if tp.Offered() {
				all = append(all, tp)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *content.Topic) int { return len(b.Live()) - len(a.Live()) })
	return all
}

// TestSimulation has simulated people use the real bank through Handle: what
// they do is commands and presses, and what is measured is what they read.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates twenty thousand answers")
	}
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	for n, guess := range []float64{0.05, 0.10} {
		t.Run(fmt.Sprintf("guess %.2f", guess), func(t *testing.T) {
			seed := uint64(10 * n)
			t.Run("scores", func(t *testing.T) { simulateScores(t, bank, seed, guess) })
			t.Run("ranges", func(t *testing.T) { simulateRanges(t, bank, seed, guess) })
			t.Run("exposure", func(t *testing.T) { simulateExposure(t, bank, seed, guess) })
			t.Run("items", func(t *testing.T) { simulateItems(t, bank, seed, guess) })
		})
	}
}
