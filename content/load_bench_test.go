package content

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// generated returns a content tree of n items, 14 a topic, as long as written
// ones are.
func generated(n int) fstest.MapFS {
	const perTopic = 14
	var words []string // 400 of them, so that items resemble each other as little as written ones
	for _, first := range strings.Fields("batch cache shard graph kernel layer memory token weight tensor queue replica gradient stream prefix budget region index vector label") {
		for _, second := range strings.Fields("size rate drift order path cost limit depth width state count share range block group store score phase split merge") {
			words = append(words, first+second)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return words[random.IntN(len(words))] }
	tree := fstest.MapFS{}
	var taxonomy strings.Builder
	taxonomy.WriteString("version: 1\ncategories:\n  - id: bulk\n    title: Bulk\n    topics:\n")
	for t := 0; t*perTopic < n; t++ {
		fmt.Fprintf(&taxonomy, "      - {id: topic-%d, levels: [junior, mid]}\n", t)
		var pack strings.Builder
		fmt.Fprintf(&pack, "topic: bulk/topic-%d\ntitle: Topic %d\nitems:\n", t, t)
		for k := range min(perTopic, n-t*perTopic) {
			pack.WriteString(generatedItem(t, k, word))
		}
		tree[fmt.Sprintf("bank/bulk/topic-%d.yaml", t)] = &fstest.MapFile{Data: []byte(pack.String())}
	}
	tree["taxonomy.yaml"] = &fstest.MapFile{Data: []byte(taxonomy.String())}
	return tree
}

func generatedItem(t, k int, word func() string) string {
	sentence := func(n int) string {
		var s []string
		for range n {
			s = append(s, word())
		}
		return strings.Join(s, " ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  - id: topic-%d.%03d\n    rev: 1\n    level: %s\n    cognitive: apply\n    difficulty: %.1f\n",
		t, k+1, Levels()[k%2], float64(k)/5-1)
	fmt.Fprintf(&b, "    stem: \"Team %d-%d sees %s. What is changed first?\"\n    options:\n", t, k, sentence(20))
	for o := range 4 {
		fmt.Fprintf(&b, "      - key: way-%d\n        text: \"Change the %s %d\"\n        why: \"It is the %s that decides.\"\n",
			o, sentence(4), o, sentence(12))
		if o == k%4 {
			b.WriteString("        correct: true\n")
		} else {
			fmt.Fprintf(&b, "        misconception: wrong-%s\n", word())
		}
	}
	fmt.Fprintf(&b, "    explain:\n      short: \"%s\"\n      full: \"%s\"\n", sentence(20), sentence(30))
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
