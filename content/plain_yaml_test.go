package content

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

// leaf is what a decoder sees of a node.
type leaf struct {
	Kind       yaml.Kind
	Tag, Value string
	Line       int
	Content    []leaf
}

func leafOf(n *yaml.Node) leaf {
	l := leaf{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Line: n.Line}
	for _, c := range n.Content {
		l.Content = append(l.Content, leafOf(c))
	}
	return l
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
	return cmp.Diff(leafOf(doc.Content[0]), leafOf(got)), true
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
				t.Errorf("%s (-library +plain):\n%s", name, difference)
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
			t.Fatalf("%q (-library +plain):\n%s", text, difference)
		}
	})
}

// Small documents of every shape, made of the pieces that YAML is made of.
func TestPlainReaderAgreesOnAllShortDocuments(t *testing.T) {
	line := rapid.StringMatching(`( {0,4})(- ){0,2}([a-c0-9]{1,3}: ?)?("[a b\\n]{0,3}"|[a-c]{0,3}|-?[0-9.]{1,4}|\[[a-c, ]{0,4}\]|\{[a-c:, ]{0,6}\}|\||\|-|true|no|null)[ ]?`)
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 6).Draw(t, "lines"), "\n") + "\n"
		difference, ok := differs([]byte(text))
		if difference != "" {
			t.Fatalf("%q (-library +plain):\n%s", text, difference)
		}
		if ok {
			plain++
		}
	})
	if plain == 0 {
		t.Error("no document was plain, so nothing was compared")
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
			t.Errorf("%q is read as %v", text, leafOf(n))
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
