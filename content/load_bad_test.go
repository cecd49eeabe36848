package content

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// spoilt is a way to spoil the good tree, and the problem that Load must report.
type spoilt struct {
	name     string
	file     string
	old, bad string
	at       string // a part of the line that the problem must name; "" for the whole file
	want     string // the end of the problem's text, or a part of it
	schema   bool   // the JSON Schema sees it as well
}

func spoiltPacks() []spoilt {
	const p = packFile
	return []spoilt{
		{"unknown key of an item", p, "difficulty: -0.8", "dificulty: -0.8", "dificulty", `remove the unknown key "dificulty" of the item; did you mean "difficulty"?`, true},
		{"unknown key of an option", p, `why: "Nothing is`, `reason: "Nothing is`, "reason:", `remove the unknown key "reason" of the option`, true},
		{"unknown key of the pack", p, "title: Page cache", "title: Page cache\nauthor: me", "author", `remove the unknown key "author" of the pack`, true},
		{"unknown key of explain", p, "explain: {short: \"Mappings", "explain: {shorts: \"Mappings", "shorts", `did you mean "short"?`, true},
		{"key given twice", p, "level: junior", "level: junior\n    level: mid", "level: mid", `remove this second "level" of the item: the first is on line 6`, false},
		{"key missing", p, "    cognitive: diagnose\n", "", "id: page-cache.001", `add "cognitive" to the item`, true},
		{"value missing", p, `stem: "A job reads`, `stem: # "A job reads`, "stem: #", "give stem a value or remove it", true},
		{"list for text", p, `why: "That takes a flush of the device."`, `why: [a, b]`, "why: [a, b]", "write why as text, not as a list", true},
		{"text for a list", p, `[{title: "open(2), Linux manual"}]`, "none", "sources: none", "write sources as a list, not as a plain value", true},
		{"text for a mapping", p, "explain: {short: \"Without the page cache nothing is cached twice.\", full: ", "explain: ", "explain: \"O_DIRECT", "mend the YAML", false},
		{"number for text", p, `key: "48"`, "key: 48", "key: 48", `put key in quotes: "48"`, true},
		{"day without quotes", p, `date: "2026-12-01"`, "date: 2026-12-01", "date: 2026", `put date in quotes: "2026-12-01"`, true},
		{"no such day", p, `date: "2026-12-01"`, `date: "2026-13-01"`, "date:", `write date as a day such as "2026-12-01"`, false},
		{"rev below one", p, "rev: 2", "rev: 0", "rev: 0", "write rev as a whole number from 1 to 9999", true},
		{"difficulty out of range", p, "difficulty: 0.9", "difficulty: 9", "difficulty: 9", "write difficulty as a number from -3 to 3", true},
		{"no such level", p, "level: junior", "level: junor", "level: junor", `not "junor"; did you mean "junior"?`, true},
		{"no such kind", p, "cognitive: trade-off", "cognitive: tradeoff", "tradeoff", `did you mean "trade-off"?`, true},
		{"no such status", p, "status: withdrawn\n", "status: gone\n", "status: gone", "write status as one of draft, live, withdrawn, retired", true},
		{"no such order", p, "order: fixed", "order: sorted", "order: sorted", "write order as one of fixed", true},
		{"yes for true", p, "options:\n      - {key: single, text: \"Each page is held once, by the pool\", correct: true", "options:\n      - {key: single, text: \"Each page is held once, by the pool\", correct: yes", "correct: yes", "write correct as true or false", true},
		{"id of another topic", p, "id: page-cache.003", "id: disk-cache.003", "disk-cache.003", `begin id with the topic's name: "page-cache.003"`, false},
		{"id without digits", p, "id: page-cache.003", "id: page-cache.3", "page-cache.3", "write id as page-cache.001 or with another number of three digits", true},
		{"id given twice", p, "id: page-cache.003", "id: page-cache.001", "id: page-cache.001\n    rev: 1\n    level: mid", "renumber this item: page-cache.001 is taken on line 4 of bank/storage/page-cache.yaml", false},
		{"option key in capitals", p, "key: durable", "key: Durable", "key: Durable", `write key as lower-case words with hyphens, not "Durable"`, true},
		{"option key given twice", p, "key: ahead", "key: durable", "Each read brings", `rename this second option "durable"`, false},
		{"two right options", p, `misconception: direct-is-durable`, "correct: true", "{key: single", "mark exactly one option with correct: true, not 2", true},
		{"no right option", p, `text: "6 GB", correct: true`, `text: "6 GB"`, `key: "6"`, "mark exactly one option with correct: true, not 0", true},
		{"a right option with a misconception", p, `text: "6 GB", correct: true`, `text: "6 GB", misconception: none-at-all, correct: true`, `key: "6"`, "remove misconception from the right option", false},
		{"two options", p, "      - {key: ahead, text: \"Each read brings in the next blocks\", misconception: direct-reads-ahead, why: \"Read-ahead belongs to the cache that is bypassed.\"}\n", "", "{key: single", "write 3 to 5 options, not 2", true},
		{"no source", p, `[{title: "open(2), Linux manual"}]`, "[]", "sources: []", "name at least one source", true},
		{"a source that is no address", p, "https://docs.kernel.org/mm/page_cache.html", "docs.kernel.org", "docs.kernel.org", "write url as an https address", true},
		{"unknown enemy", p, "enemies: [page-cache.002]", "enemies: [page-cache.009]", "id: page-cache.001", `remove "page-cache.009" from enemies: no item has that id`, false},
		{"its own enemy", p, "enemies: [page-cache.002]", "enemies: [page-cache.001]", "id: page-cache.001", "remove page-cache.001 from its own enemies", false},
		{"an enemy twice", p, "enemies: [page-cache.002]", "enemies: [page-cache.002, page-cache.002]", "id: page-cache.001", "remove the second page-cache.002 from enemies", true},
		{"withdrawn without a reason", p, "    withdrawn: {date: \"2026-12-01\", reason: \"depends on the file system\"}\n", "", "id: page-cache.003", "add withdrawn: {date, reason}", true},
		{"a reason without being withdrawn", p, "status: withdrawn\n", "status: retired\n", "id: page-cache.003", "set status to withdrawn, or remove withdrawn", true},
		{"an alias", p, `why: "That takes a flush of the device."}`, "why: &w \"That takes a flush.\"}\n      - {key: again, text: \"Each page\", why: *w}", "key: again", "write why as text, not as an alias", false},
		{"an alias of nothing", p, `why: "That takes a flush of the device."`, "why: *w", "why: *w", "mend the YAML", false},
		{"broken YAML", p, "topic: storage/page-cache", "topic: {", "items:", "mend the YAML", false},
		{"a second document", p, "topic: storage/page-cache", "--- {}\n---\ntopic: storage/page-cache", "", "mend the YAML", false},
		{"the topic of another file", p, "topic: storage/page-cache", "topic: storage/write-ahead-log", "topic:", `write topic as "storage/page-cache", or move the file to where "storage/write-ahead-log" belongs`, false},
		{"a topic without its category", p, "topic: storage/page-cache", "topic: page-cache", "topic:", `write topic as "storage/page-cache"`, true},
		{"lint_ok without reasons", p, `lint_ok: {L13: "an instruction reads better than a question here"}`, "lint_ok: [L13]", "lint_ok", "write lint_ok as keys with reasons, not as a list", true},
		{"lint_ok given twice", p, `lint_ok: {L13: `, `lint_ok: {L13: "once is quite enough", L13: `, "lint_ok", `remove this second "L13" of lint_ok`, false},
	}
}

func spoiltTaxonomies() []spoilt {
	const f = taxonomyFile
	return []spoilt{
		{"a topic twice", f, "id: backpressure", "id: page-cache", "[mid]", `rename this second "page-cache": the first is on line 6`, false},
		{"a category named as a topic", f, "id: networks", "id: page-cache", "page-cache\n    title: \"N", `rename this second "page-cache"`, false},
		{"no such level", f, "levels: [senior]", "levels: [staff]", "staff", `write level as one of junior, mid, senior, not "staff"`, false},
		{"an unknown key", f, "title: Storage", "titel: Storage", "titel", `did you mean "title"?`, false},
		{"another version", f, "version: 1", "version: 2", "version: 2", "write version as a whole number from 1 to 1", false},
	}
}

// TestLoadSaysWhatIsWrong spoils the good tree in one place at a time.
func TestLoadSaysWhatIsWrong(t *testing.T) {
	for _, tt := range append(append(spoiltPacks(), spoiltTaxonomies()...), spoiltGuides()...) {
		t.Run(tt.file+"/"+tt.name, func(t *testing.T) {
			tree := goodTree(t)
			edit(t, tree, tt.file, tt.old, tt.bad)
			bank, err := Load(tree)
			var problems Problems
			if !errors.As(err, &problems) || bank == nil {
				t.Fatalf("Load = %v, %v; want a bank and problems", bank, err)
			}
			line := 0
			if before, _, ok := strings.Cut(string(tree[tt.file].Data), tt.at); ok && tt.at != "" {
				line = 1 + strings.Count(before, "\n")
			}
			for _, p := range problems {
				if p.File == tt.file && (p.Line == line || tt.at == "") && strings.Contains(p.Text, tt.want) {
					return
				}
			}
			t.Errorf("want %s:%d: %s; got\n%v", tt.file, line, tt.want, problems)
		})
	}
}

func TestLoadReportsFilesInTheWrongPlace(t *testing.T) {
	pack := []byte("topic: storage/page-cache\ntitle: x\nitems: []\n")
	tests := []struct{ name, file, want string }{
		{"another ending", "bank/storage/page-cache.yml", "move or remove this file: bank holds <category>/<topic>.yaml"},
		{"too high", "bank/page-cache.yaml", "move or remove this file"},
		{"too deep", "bank/storage/old/page-cache.yaml", "move or remove this file"},
		{"a pack among guides", "guides/storage/page-cache.yaml", "guides holds <category>/<topic>.md"},
		{"another category", "bank/networks/page-cache.yaml", `the taxonomy has "page-cache" as "storage/page-cache"`},
		{"no such topic", "bank/storage/page-cach.yaml", `no topic "storage/page-cach"; near it are storage/page-cache`},
		{"nothing like it", "bank/zoo/zebra.yaml", `the taxonomy has no topic "zoo/zebra"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := goodTree(t)
			tree[tt.file] = &fstest.MapFile{Data: pack}
			_, err := Load(tree)
			if err == nil || !strings.Contains(err.Error(), tt.file+": ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load: %v; want %s: %s", err, tt.file, tt.want)
			}
		})
	}
}
