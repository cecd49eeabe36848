package content

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

// unlike returns where two trees differ in what a decoder sees, or "".
func unlike(library, plain *yaml.Node) string {
	if library.Kind != plain.Kind || library.Tag != plain.Tag || library.Value != plain.Value ||
		library.Line != plain.Line || len(library.Content) != len(plain.Content) {
		return fmt.Sprintf("library %+v\nplain   %+v", *library, *plain)
	}
	for k := range library.Content {
		if difference := unlike(library.Content[k], plain.Content[k]); difference != "" {
			return difference
		}
	}
	return ""
}

// differs says how the plain reader's tree of data differs from the library's,
// or "" if it does not or the plain reader leaves data to the library.
func differs(data []byte) (difference string, plain bool) {
	got := readPlain(data)
	if got == nil {
		return "", false
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return "the library refuses it: " + err.Error(), true
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return "the library sees no document", true
	}
	return unlike(doc.Content[0], got), true
}

// packsOf returns the text of all packs in a content tree.
func packsOf(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	packs := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		packs[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return packs
}

func TestPlainReaderReadsPacksAsTheLibraryDoes(t *testing.T) {
	for what, fsys := range map[string]fs.FS{"built in": embedded, "good": goodTree(t), "generated": generated(100)} {
		packs, plain := packsOf(t, fsys), 0
		for name, text := range packs {
			difference, ok := differs([]byte(text))
			if ok {
				plain++
			}
			if difference != "" {
				t.Errorf("%s:\n%s", name, difference)
			}
		}
		if 10*plain < 9*len(packs) && what != "good" {
			t.Errorf("%s: %d of %d files are plain enough; the rest loads slowly", what, plain, len(packs))
		}
	}
}

// Whatever is done to a pack, the plain reader sees what the library sees or
// leaves it to the library.
func TestPlainReaderNeverDisagreesWithTheLibrary(t *testing.T) {
	sources := []string{
		string(goodTree(t)[packFile].Data), generatedItem(1, 1, func() string { return "word" }),
		"a: b\nc:\n  - d\n  - e: |\n      f\n\n       g\n    h: [i, {j: \"k\\n\", l: -1.5}, []]\n",
	}
	pieces := []string{" ", "  ", "\n", "\n\n", ":", ": ", "- ", "-", "\"", "'", "#", " # ", ",", "[", "]", "{", "}", "|", "|-", ">", "&a ", "*a", "!x ",
		"\\", "\\n", "\t", "\r\n", "---\n", "...\n", "?", "? ", "%", "@", "0", "-0", "01", "1e3", "0x1", "1_0", "1.", ".5", "2026-12-01", "12:30", "null", "~",
		"true", "yes", "on", "NO", "<<: ", "é", "\u0085", "\u2028", "\ufeff", "\xff", "a", "key: value\n", "  - x\n", "\"\"", "[]", "{}", "+1", ".inf", "é: b\n"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(sources).Draw(t, "source")
		if at := rapid.IntRange(0, len(text)).Draw(t, "start"); rapid.Bool().Draw(t, "cut") {
			lines := strings.SplitAfter(text[at:], "\n")
			text = strings.Join(lines[min(1, len(lines)-1):], "")
		}
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			from := rapid.IntRange(0, len(text)).Draw(t, "from")
			to := min(len(text), from+rapid.IntRange(0, 6).Draw(t, "gone"))
			text = text[:from] + rapid.SampledFrom(append(pieces, "")).Draw(t, "piece") + text[to:]
		}
		if difference, _ := differs([]byte(text)); difference != "" {
			t.Fatalf("%q:\n%s", text, difference)
		}
	})
}

// documentLines draws the lines of a node: mostly such as the plain reader takes.
func documentLines(depth int) *rapid.Generator[[]string] {
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b-1", "a 2", "true", "no", "[]", "[a, \"b c\"]", "{a: 1, b: [c]}", "{}", "|", "a: b", "[a, [b]]", "- a", "\"", "a ]"}),
		rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{0,2})?`),
		rapid.StringMatching(`"[a :#,é-]{0,4}(\\["n\\tx])?[a ]{0,2}"`),
		rapid.StringMatching(`[a-c0-9:,.?_ -]{1,4}`),
	)
	return rapid.Custom(func(t *rapid.T) []string {
		mark := rapid.SampledFrom([]string{"- ", "k: ", "k-2: ", "-   "}).Draw(t, "mark")
		var lines []string
		for range rapid.IntRange(1, 3).Draw(t, "entries") {
			indent := rapid.SampledFrom([]int{2, 2, 2, 2, 2, 4, 1, 0}).Draw(t, "indent")
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case kind == 0 && depth > 0:
				lines = append(lines, strings.TrimRight(mark, " "))
				for _, l := range documentLines(depth-1).Draw(t, "inner") {
					lines = append(lines, strings.Repeat(" ", indent)+l)
				}
			case kind == 1 && depth > 0:
				for n, l := range documentLines(depth-1).Draw(t, "inner") {
					if n == 0 {
						lines = append(lines, mark+l)
					} else {
						lines = append(lines, strings.Repeat(" ", max(indent, len(mark)))+l)
					}
				}
			case kind == 2:
				lines = append(lines, mark+"|", strings.Repeat(" ", indent)+"text", "", strings.Repeat(" ", indent+1)+"- more: #")
			default:
				lines = append(lines, mark+scalar.Draw(t, "scalar"))
			}
		}
		return lines
	})
}

// Documents of every shape, right and wrong.
func TestPlainReaderAgreesOnSmallDocuments(t *testing.T) {
	plain, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(documentLines(3).Draw(t, "lines"), "\n") + "\n"
		difference, ok := differs([]byte(text))
		if difference != "" {
			t.Fatalf("%q:\n%s", text, difference)
		}
		if all++; ok {
			plain++
		}
	})
	t.Logf("%d of %d documents were plain", plain, all)
	if 10*plain < all {
		t.Errorf("only %d of %d documents were plain and compared", plain, all)
	}
}

func TestPlainReaderLeavesTheRestToTheLibrary(t *testing.T) {
	for _, text := range []string{
		"", "\n", "a: b", "# c\na: b\n", "a: b # c\n", "a: &x b\n", "a: *x\n", "a: !!str b\n", "a: 'b'\n", "a: >\n  b\n", "a: \"b\n  c\"\n",
		"a:\n- b\n", "a:\n", "a: \n", "---\na: b\n", "a: b\n...\n", "a: b\r\n", "a:\tb\n", "a: 2026-12-01\n", "a: 010\n", "a: yes\n", "a: ~\n",
		"a: \"\\x41\"\n", "a: b\n c\n", "a: [b\n  , c]\n", "a: |+\n  b\n", "a: |\n\n  b\n", "? a\n: b\n", "\"a\": b\n", "\ufeffa: b\n", "a: é\n",
		"a: \"b\" c\n", "a: [b, [c, [d, [e, [f]]]]]\n", "a: {b}\n", "true: b\n", strings.Repeat("k", 2000) + ": b\n", "a: \"\u2028\"\n", "a: [b,]\n",
	} {
		if n := readPlain([]byte(text)); n != nil {
			t.Errorf("%q is read as %v", text, *n)
		}
	}
}

func BenchmarkReadPack(b *testing.B) {
	var pack []byte
	for name, f := range generated(14) {
		if strings.HasPrefix(name, "bank/") {
			pack = f.Data
		}
	}
	for what, read := range map[string]func([]byte) error{
		"plain": func(data []byte) error {
			if readPlain(data) == nil {
				return fmt.Errorf("not plain")
			}
			return nil
		},
		"library": func(data []byte) error {
			var doc yaml.Node
			return yaml.Load(data, &doc)
		},
	} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(int64(len(pack)))
			for b.Loop() {
				if err := read(pack); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
