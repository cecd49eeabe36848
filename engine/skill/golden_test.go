package skill

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replay is a small service with every kind of answer in it: four people, ten
// items on three topics; tests, repeats, dailies, idle days and folds.
type replay struct {
	General []General
	Topics  [][]Topic
	Items   []Item
	Levels  []TopicDifficulty
	World   World
	Last    [][]Last
}

func newReplay(m Model) *replay {
	s := &replay{World: m.NewWorld()}
	for range 3 {
		s.Levels = append(s.Levels, m.NewTopicDifficulty())
	}
	for i := range 10 {
		s.Items = append(s.Items, m.NewItem(float64(i)/3-1.5, i%3 > 0, i%3-1))
	}
	for range 4 {
		s.General = append(s.General, m.NewGeneral())
		s.Topics = append(s.Topics, []Topic{m.NewTopic(), m.NewTopic(), m.NewTopic()})
		s.Last = append(s.Last, make([]Last, 10))
	}
	return s
}

// step answers one question and returns the state it touched.
func (s *replay) step(m Model, rng *rand.Rand) []float64 {
	who, item := rng.IntN(4), rng.IntN(10)
	topic := item % 3
	a := Attempt{Last: s.Last[who][item], Daily: rng.IntN(5) == 0}
	days := float64(rng.IntN(40))
	right := rng.Float64() < 0.4+0.1*float64(who)
	g, t := m.Idle(s.General[who], s.Topics[who][topic], days)
	n := Numbers{s.Items[item], s.Levels[topic], s.World}
	p := m.Predict(g, t, n, a)
	o := m.Observe(g, t, a, right)
	g, t = m.LearnPerson(g, t, n, a, right)
	n = m.LearnItem(n, o)
	s.General[who], s.Topics[who][topic] = g, t
	s.Items[item], s.Levels[topic], s.World = n.Item, n.Topic, n.World
	s.Last[who][item] = Wrong
	if right {
		s.Last[who][item] = Right
	}
	out := []float64{
		p.P, p.X, p.V, g.M, g.V, t.M, t.Tie, t.V, t.Residual, float64(t.N),
		n.Item.B, n.Item.BV, n.Item.Slope, n.Item.SlopeV, n.Topic.M, n.Topic.V,
	}
	w := n.World
	out = append(out, w.Mu.M, w.Mu.V, w.Guess.M, w.Guess.V, w.Scale, w.Shift)
	for _, f := range w.W {
		out = append(out, f.M, f.V)
	}
	return out
}

// TestGoldenReplay compares every fifth state of 200 answers with those in
// testdata, which AIPREP_UPDATE=1 writes anew.
func TestGoldenReplay(t *testing.T) {
	file := filepath.Join("testdata", "replay.tsv")
	m := Default()
	s, rng := newReplay(m), rand.New(rand.NewPCG(20, 26))
	var got [][]float64
	for i := range 200 {
		if state := s.step(m, rng); i%5 == 4 {
			got = append(got, state)
		}
	}
	if os.Getenv("AIPREP_UPDATE") != "" {
		writeGolden(t, file, got)
	}
	want := readGolden(t, file)
	if len(want) != len(got) {
		t.Fatalf("%s has %d states, want %d", file, len(want), len(got))
	}
	for i := range got {
		for j, w := range want[i] {
			if d := math.Abs(got[i][j] - w); !(d <= 1e-12*math.Max(1, math.Abs(w))) {
				t.Fatalf("answer %d, column %d: %.17g, want %.17g", 5*i+5, j+1, got[i][j], w)
			}
		}
	}
}

func writeGolden(t *testing.T, file string, rows [][]float64) {
	t.Helper()
	var b strings.Builder
	for _, row := range rows {
		for j, x := range row {
			if j > 0 {
				b.WriteByte('\t')
			}
			fmt.Fprintf(&b, "%.17g", x)
		}
		b.WriteByte('\n')
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readGolden(t *testing.T, file string) [][]float64 {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
	for s := bufio.NewScanner(f); s.Scan(); {
		var row []float64
		for _, field := range strings.Split(s.Text(), "\t") {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestReplayFromAStore: states that went through an encoding give the same
// bits as states that never left memory.
func TestReplayFromAStore(t *testing.T) {
	m := Default()
	live, stored := newReplay(m), newReplay(m)
	a, b := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	for i := range 200 {
		raw, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		stored = new(replay)
		if err := json.Unmarshal(raw, stored); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(live.step(m, a), stored.step(m, b)); diff != "" {
			t.Fatalf("answer %d (-live +stored):\n%s", i+1, diff)
		}
	}
}
