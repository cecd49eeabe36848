package content

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// anyText draws texts of every kind of block, with long words, emoji, marks and
// white space in odd places.
func anyText() *rapid.Generator[Text] {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abcxyz  \n.,🙂👩\u200d\ufe0f\u0301é漢🇩🇪🏽")), 0, 60, -1)
	return rapid.Custom(func(t *rapid.T) Text {
		var text Text
		for range rapid.IntRange(0, 6).Draw(t, "blocks") {
			b := Block{Kind: Kind(rapid.IntRange(0, int(CodeBlock)).Draw(t, "kind"))}
			spans := rapid.IntRange(1, 4).Draw(t, "spans")
			switch b.Kind {
			case ListItem:
				b.Level = rapid.IntRange(0, 9).Draw(t, "level")
				b.Mark = rapid.SampledFrom([]string{"", "•", "12.", "a mark that is far too long to leave any room"}).Draw(t, "mark")
			case CodeBlock:
				spans = 1
			}
			for range spans {
				b.Spans = append(b.Spans, Span{Text: word.Draw(t, "text"), Style: Style(rapid.IntRange(0, 15).Draw(t, "style"))})
			}
			text = append(text, b)
		}
		return text
	})
}

// written returns the characters of t's spans that are not white space.
func written(texts ...Text) string {
	var b strings.Builder
	for _, t := range texts {
		for _, block := range t {
			for _, s := range block.Spans {
				b.WriteString(strings.Join(strings.Fields(s.Text), ""))
			}
		}
	}
	return b.String()
}

func TestLenIsTheLengthOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		if got, want := text.Len(), length(text.String()); got != want {
			t.Fatalf("Len() = %d, String() has %d units", got, want)
		}
	})
}

func TestNoCutIsTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		n := rapid.IntRange(0, 200).Draw(t, "n")
		cut := text.Cut(n)
		if cut.Len() > n {
			t.Fatalf("Cut(%d) has %d units: %q", n, cut.Len(), cut.String())
		}
		if !utf8.ValidString(cut.String()) {
			t.Fatalf("Cut(%d) broke a character: %q", n, cut.String())
		}
		if head := strings.TrimSuffix(written(cut), ellipsis); !strings.HasPrefix(written(text), head) {
			t.Fatalf("Cut(%d) = %q is no beginning of %q", n, head, written(text))
		}
	})
}

func TestSplitLosesNoWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		n := rapid.IntRange(minPiece, 200).Draw(t, "n")
		pieces := text.Split(n)
		for _, p := range pieces {
			if p.Len() > n || len(p) == 0 {
				t.Fatalf("a piece of Split(%d) has %d units in %d blocks", n, p.Len(), len(p))
			}
		}
		if got, want := written(pieces...), written(text); got != want {
			t.Fatalf("Split(%d) gives %q, want %q", n, got, want)
		}
	})
}

func TestSplitPartsNoWordThatFits(t *testing.T) {
	short := rapid.StringOfN(rapid.RuneFrom([]rune("abcde")), 1, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(short, 1, 60).Draw(t, "words")
		n := rapid.IntRange(minPiece, 120).Draw(t, "n")
		var got []string
		for _, p := range Plain(strings.Join(words, " ")).Split(n) {
			got = append(got, strings.FieldsFunc(p.String(), unicode.IsSpace)...)
		}
		if strings.Join(got, " ") != strings.Join(words, " ") {
			t.Fatalf("Split(%d) gives %q, want %q", n, got, words)
		}
	})
}

func TestParseKeepsPlainWords(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Zéß漢]{1,10}`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(word).Draw(t, "words")
		s := strings.Join(words, " ")
		if got := Parse(s).String(); got != s {
			t.Fatalf("Parse(%q) reads %q", s, got)
		}
	})
}

func TestParseNeverPanics(t *testing.T) {
	piece := rapid.SampledFrom([]string{"*", "**", "`", "```", "\n", "> ", "- ", "1. ", "# ", "[", "](", ")", "<", ">", "~~", "&amp;", "\\", "a", " ", "🙂", "\t", "|"})
	rapid.Check(t, func(t *rapid.T) {
		text := Parse(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
		for _, b := range text {
			if len(b.Spans) == 0 || b.Kind == CodeBlock && len(b.Spans) != 1 {
				t.Fatalf("block %+v has %d spans", b, len(b.Spans))
			}
		}
	})
}
