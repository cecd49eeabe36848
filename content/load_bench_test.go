package content

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// generated returns a content tree of n items, 14 a topic, as long as written
// ones are.
func generated(n int) fstest.MapFS {
	const perTopic = 14
	words := strings.Fields("batch cache shard graph kernel latency memory token weight tensor queue replica gradient stream layer prefix budget region")
	word := func(k int) string { return words[(k*7+k/5)%len(words)] }
	tree := fstest.MapFS{}
	var taxonomy strings.Builder
	taxonomy.WriteString("version: 1\ncategories:\n  - id: bulk\n    title: Bulk\n    topics:\n")
	for t := 0; t*perTopic < n; t++ {
		fmt.Fprintf(&taxonomy, "      - {id: topic-%d, levels: [junior, mid]}\n", t)
		var pack strings.Builder
		fmt.Fprintf(&pack, "topic: bulk/topic-%d\ntitle: Topic %d\nitems:\n", t, t)
		for k := range min(perTopic, n-t*perTopic) {
			pack.WriteString(generatedItem(t, k, func(j int) string { return word(t*97 + k*31 + j*13) }))
		}
		tree[fmt.Sprintf("bank/bulk/topic-%d.yaml", t)] = &fstest.MapFile{Data: []byte(pack.String())}
	}
	tree["taxonomy.yaml"] = &fstest.MapFile{Data: []byte(taxonomy.String())}
	return tree
}

func generatedItem(t, k int, word func(int) string) string {
	sentence := func(from, n int) string {
		var s []string
		for j := range n {
			s = append(s, word(from+j))
		}
		return strings.Join(s, " ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  - id: topic-%d.%03d\n    rev: 1\n    level: %s\n    cognitive: apply\n    difficulty: %.1f\n",
		t, k+1, Levels()[k%2], float64(k)/5-1)
	fmt.Fprintf(&b, "    stem: \"Team %d-%d sees %s: what is changed first?\"\n    options:\n", t, k, sentence(k, 24))
	for o := range 4 {
		fmt.Fprintf(&b, "      - key: way-%d\n        text: \"Change the %s %d\"\n        why: \"It is the %s that decides.\"\n",
			o, sentence(o*11, 6), o, sentence(o, 12))
		if o == k%4 {
			b.WriteString("        correct: true\n")
		} else {
			fmt.Fprintf(&b, "        misconception: wrong-%s\n", word(o))
		}
	}
	fmt.Fprintf(&b, "    explain:\n      short: \"%s\"\n      full: \"%s\"\n", sentence(3, 20), sentence(5, 90))
	b.WriteString("    sources:\n      - {title: \"A document\", url: \"https://example.org/doc\"}\n")
	b.WriteString("    valid_for: {checked: \"2026-12-01\", review_by: \"2027-06-01\"}\n    enemies: []\n    status: live\n")
	return b.String()
}

func BenchmarkLoad2000(b *testing.B) {
	tree := generated(2000)
	size := 0
	for _, f := range tree {
		size += len(f.Data)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		bank, err := Load(tree)
		if err != nil {
			b.Fatal(err)
		}
		if bank.Item("topic-0.001") == nil {
			b.Fatal("item not loaded")
		}
	}
}
