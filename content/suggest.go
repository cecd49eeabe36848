package content

import (
	"slices"
	"strings"
)

const maxSuggestions = 3

// longestWord is longer than any id; nothing beyond it looks like one.
const longestWord = 64

// Suggest returns at most three ids of topics and categories that look most
// like word, best first; none if nothing looks like it. Ids that contain word
// or one of its parts count as near, as do ids within a few typing errors.
func (b *Bank) Suggest(word string) []string {
	var ids []string
	for _, c := range b.Categories {
		for _, t := range c.Topics {
			ids = append(ids, t.ID)
		}
	}
	for _, c := range b.Categories {
		ids = append(ids, c.ID)
	}
	return nearest(word, ids, maxSuggestions)
}

// nearest returns at most n of names that look like word, best first.
func nearest(word string, names []string, n int) []string {
	word = slug(word)
	if word == "" || len(word) > longestWord {
		return nil
	}
	type candidate struct {
		name string
		cost int
	}
	var near []candidate
	for _, name := range names {
		if cost, ok := likeness(word, slug(name)); ok {
			near = append(near, candidate{name, cost})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.cost - b.cost })
	var out []string
	for _, c := range near[:min(n, len(near))] {
		out = append(out, c.name)
	}
	return out
}

// likeness returns how far word is from name, in typing errors or what weighs
// as much, and whether that is near enough to be worth showing.
func likeness(word, name string) (cost int, near bool) {
	typos := distance(word, name)
	if typos <= max(1, len(word)/3) {
		return typos, true
	}
	if len(word) >= 3 && strings.Contains(name, word) {
		return 2, true
	}
	// Someone who writes "paged attention" means kv-cache-and-paged-attention:
	// count the parts of word that name has, within one typing error each.
	hits, parts := 0, strings.Split(word, "-")
	for _, p := range parts {
		for q := range strings.SplitSeq(name, "-") {
			if len(p) >= 3 && len(q) >= 3 && distance(p, q) <= len(p)/5 {
				hits++
				break
			}
		}
	}
	return 4 + len(parts) - hits, 2*hits >= len(parts) && hits > 0
}

// slug returns s as an id would spell it: lower case, with single hyphens.
func slug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == '_' || r == '-' || r == '/' || r == '&' || r == ','
	}), "-")
}

// distance returns the number of insertions, deletions, replacements and swaps
// of neighbours that turn a into b (optimal string alignment, in bytes: ids are
// ASCII).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, slices.Clone(before)
	}
	return last[len(b)]
}

// didYouMean returns `; did you mean "x"?` if one of names looks like word,
// else "".
func didYouMean(word string, names []string) string {
	if near := nearest(word, names, 1); len(near) > 0 {
		return `; did you mean "` + near[0] + `"?`
	}
	return ""
}
