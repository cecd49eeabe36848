package content

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Pair is two items that say nearly the same.
type Pair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Similarity float64 `json:"similarity"` // of stem and options: shared by all three-word runs, 0..1
	Enemies    bool    `json:"enemies"`    // one lists the other, so that they never meet
}

// What counts as similar.
const (
	sameItem   = 0.6
	sameStem   = 0.7
	reviewItem = 0.5 // listed in the report, for a person to look at
)

// lintSimilar is L15 and L16, and fills in the report's pairs.
func (l *linter) lintSimilar() {
	seed := maphash.MakeSeed()
	whole := make([][]uint64, len(l.checked))
	stems := make([][]uint64, len(l.checked))
	for n, i := range l.checked {
		var options []string
		for _, o := range i.Options {
			options = append(options, o.Text)
		}
		slices.Sort(options)
		whole[n] = shingles(seed, i.Stem+" "+strings.Join(options, " "))
		stems[n] = shingles(seed, i.Stem)
	}
	same := map[[2]int]bool{}
	eachSimilar(whole, reviewItem, func(a, b int, s float64) {
		x, y := l.checked[a], l.checked[b]
		l.report.NearDuplicates = append(l.report.NearDuplicates, Pair{x.ID, y.ID, s, enemies(x, y)})
		if s >= sameItem && !enemies(x, y) {
			same[[2]int{a, b}] = true
			l.fault(y, y.Line, "L15", "delete or rewrite the item, or list %s as its enemy: they are %.0f %% alike", x.ID, 100*s)
		}
	})
	eachSimilar(stems, sameStem, func(a, b int, s float64) {
		x, y := l.checked[a], l.checked[b]
		if !enemies(x, y) && !same[[2]int{a, b}] {
			l.warn(y, y.Line, "L16", "list %s as an enemy: the stems are %.0f %% alike", x.ID, 100*s)
		}
	})
}

func enemies(a, b *Item) bool {
	return slices.Contains(a.Enemies, b.ID) || slices.Contains(b.Enemies, a.ID)
}

// shingles returns the hashes of the three-word runs of s, each once.
func shingles(seed maphash.Seed, s string) []uint64 {
	words := strings.Fields(strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(".,;:?!`\"()", r) {
			return ' '
		}
		return r
	}, s)))
	var out []uint64
	for n := 0; n+3 <= len(words); n++ {
		out = append(out, maphash.String(seed, strings.Join(words[n:n+3], " ")))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// eachSimilar calls found for each pair a < b of sets whose Jaccard index is at
// least limit. It counts shared members through an index, so that sets with
// nothing in common cost nothing.
func eachSimilar(sets [][]uint64, limit float64, found func(a, b int, similarity float64)) {
	holders := map[uint64][]int32{}
	shared := make([]int32, len(sets))
	var touched []int32
	for b, set := range sets {
		for _, h := range set {
			for _, a := range holders[h] {
				if shared[a]++; shared[a] == 1 {
					touched = append(touched, a)
				}
			}
			holders[h] = append(holders[h], int32(b))
		}
		slices.Sort(touched)
		for _, a := range touched {
			both := float64(shared[a])
			if s := both / (float64(len(sets[a])+len(set)) - both); s >= limit {
				found(int(a), b, s)
			}
			shared[a] = 0
		}
		touched = touched[:0]
	}
}
