package skill

import "math"

// Memory is how well one person remembers one item, after FSRS-6 (Open Spaced
// Repetition, "The Algorithm"; the published default weights). It decides only
// when a missed item is asked again; abilities do not read it.
type Memory struct {
	Stability  float64 // days until recall falls to 90 %
	Difficulty float64 // 1 (easy to keep) to 10
}

// Two of FSRS's four grades are used: an answer is wrong or right.
const (
	again = 1
	good  = 3
)

// fsrsWeights are the 21 published defaults of FSRS-6, w0 to w20.
func fsrsWeights() [21]float64 {
	return [21]float64{
		.212, 1.2931, 2.3065, 8.2956, 6.4133, .8334, 3.0194, .001, 1.8722, .1666, .796,
		1.4835, .0614, .2629, 1.6483, .6014, 1.8729, .5425, .0912, .0658, .1542,
	}
}

// NewMemory is the memory after the first answer to an item.
func NewMemory(right bool) Memory {
	w, g := fsrsWeights(), grade(right)
	return Memory{Stability: w[g-1], Difficulty: difficulty0(w, g)}
}

// Recall is the chance in 0..1 that the item is still known after that many
// days without it.
func (m Memory) Recall(days float64) float64 {
	w := fsrsWeights()
	decay := -w[20]
	factor := math.Pow(.9, 1/decay) - 1
	return math.Pow(1+factor*max(0, days)/m.Stability, decay)
}

// Next is the memory after one more answer, given that many days after the
// last one.
func (m Memory) Next(right bool, days float64) Memory {
	w, g := fsrsWeights(), float64(grade(right))
	s, d, r := m.Stability, m.Difficulty, m.Recall(days)
	next := Memory{}
	switch {
	case days < 1: // on the same day little is proven
		by := math.Exp(w[17]*(g-3+w[18])) * math.Pow(s, -w[19])
		if right {
			by = max(1, by)
		}
		next.Stability = s * by
	case right:
		next.Stability = s * (1 + math.Exp(w[8])*(11-d)*math.Pow(s, -w[9])*(math.Exp((1-r)*w[10])-1))
	default:
		next.Stability = min(
			w[11]*math.Pow(d, -w[12])*(math.Pow(s+1, w[13])-1)*math.Exp((1-r)*w[14]),
			s/math.Exp(w[17]*w[18]))
	}
	step := -w[6] * (g - 3) * (10 - d) / 9
	next.Difficulty = clamp(w[7]*difficulty0(w, 4)+(1-w[7])*(d+step), 1, 10)
	next.Stability = clamp(next.Stability, .001, 36500)
	return next
}

// Interval is after how many whole days, 1 to 365, recall will have fallen to
// 90 %.
func (m Memory) Interval() int { return int(clamp(math.Round(m.Stability), 1, 365)) }

func grade(right bool) int {
	if right {
		return good
	}
	return again
}

func difficulty0(w [21]float64, g int) float64 {
	return clamp(w[4]-math.Exp(w[5]*float64(g-1))+1, 1, 10)
}

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }
