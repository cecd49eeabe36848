package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func span(s string) Span             { return Span{Text: s} }
func styled(s string, st Style) Span { return Span{Text: s, Style: st} }
func para(spans ...Span) Block       { return Block{Spans: spans} }
func entry(l int, m, text string) Block {
	return Block{Kind: ListItem, Level: l, Mark: m, Spans: []Span{span(text)}}
}

func TestParse(t *testing.T) {
	tests := []struct {
		name, markdown string
		want           Text
	}{
		{"nothing", "", nil},
		{"paragraphs and soft line feeds", "one\ntwo\n\nthree", Text{para(span("one two")), para(span("three"))}},
		{"a hard line break", "one  \ntwo", Text{para(span("one\ntwo"))}},
		{"styles", "a **b** *c* `d` ~~e~~", Text{para(span("a "), styled("b", Bold), span(" "), styled("c", Italic),
			span(" "), styled("d", Mono), span(" "), styled("e", Strike))}},
		{"styles within styles", "**a *b* `c`**", Text{para(styled("a ", Bold), styled("b", Bold|Italic),
			styled(" ", Bold), styled("c", Bold|Mono))}},
		{"underscores inside a word", "d_k and top_k", Text{para(span("d_k and top_k"))}},
		{"a link", "see [the **docs**](https://example.org/a?b=1)", Text{para(span("see "),
			Span{Text: "the ", URL: "https://example.org/a?b=1"}, Span{Text: "docs", Style: Bold, URL: "https://example.org/a?b=1"})}},
		{"an address", "<https://example.org>", Text{para(Span{Text: "https://example.org", URL: "https://example.org"})}},
		{"headings, none deeper than four", "# A\n###### B", Text{
			{Kind: Heading, Level: 1, Spans: []Span{span("A")}}, {Kind: Heading, Level: 4, Spans: []Span{span("B")}}}},
		{"nested lists", "- a\n  1. b\n  2. c\n- d", Text{entry(0, "•", "a"), entry(1, "1.", "b"), entry(1, "2.", "c"), entry(0, "•", "d")}},
		{"a list that starts at three", "3) a\n4) b", Text{entry(0, "3)", "a"), entry(0, "4)", "b")}},
		{"an entry of two paragraphs", "- a\n\n  b", Text{entry(0, "•", "a"), entry(0, "", "b")}},
		{"a quote", "> a\n>\n> b", Text{{Kind: Quote, Spans: []Span{span("a")}}, {Kind: Quote, Spans: []Span{span("b")}}}},
		{"code", "```go\nx := 1\n\ny := `2`\n```", Text{{Kind: CodeBlock, Lang: "go", Spans: []Span{span("x := 1\n\ny := `2`")}}}},
		{"code keeps its markup", "`**a** &amp; \\n`", Text{para(styled("**a** &amp; \\n", Mono))}},
		{"escapes and entities", `\*a\* &lt;b&gt; &#8594;`, Text{para(span("*a* <b> →"))}},
		{"HTML as it is written", "a <b>bold</b> word\n\n<script>x</script>", Text{para(span("a <b>bold</b> word")), para(span("<script>x</script>"))}},
		{"an image as its description", "![a cat](cat.png)", Text{para(span("a cat"))}},
		{"a table as it is written", "| a | b |\n|---|---|", Text{para(span("| a | b | |---|---|"))}},
		{"a line between paragraphs", "a\n\n---\n\nb", Text{para(span("a")), para(span("b"))}},
		{"indented code", "a\n\n      b\n    c", Text{para(span("a")), {Kind: CodeBlock, Spans: []Span{span("  b\nc")}}}},
		{"a line below a word makes no heading", "a\n===", Text{para(span("a ==="))}},
		{"comparisons", "a < b and c > d", Text{para(span("a < b and c > d"))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.markdown)); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.markdown, diff)
			}
		})
	}
}

func TestPlainTakesNothingForMarkup(t *testing.T) {
	got := Plain("**@everyone** [x](y)\n`z`\n\n\n# not a heading")
	want := Text{para(span("**@everyone** [x](y)\n`z`")), para(span("# not a heading"))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStringAndLen(t *testing.T) {
	text := Parse("## Title\n\nA **bold** word 🙂.\n\n- one\n  - two\n\n> said\n>\n> so\n\n```\nx\n```")
	want := "Title\n\nA bold word 🙂.\n\n• one\n  • two\n\nsaid\nso\n\nx"
	if got := text.String(); got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := text.Len(), len([]rune(want))+1; got != want {
		t.Errorf("Len() = %d, want %d: the emoji counts twice", got, want)
	}
}

func TestAppendLeavesTheOriginal(t *testing.T) {
	base := Parse("one\n\ntwo")
	a, b := base.Append(span(" A")), base.Append(span(" B"))
	if got := a.String() + "|" + b.String() + "|" + base.String(); got != "one\n\ntwo A|one\n\ntwo B|one\n\ntwo" {
		t.Errorf("got %q", got)
	}
	code := Parse("```\nx\n```").Append(span("after"))
	if diff := cmp.Diff(Text{{Kind: CodeBlock, Spans: []Span{span("x")}}, para(span("after"))}, code); diff != "" {
		t.Errorf("after code (-want +got):\n%s", diff)
	}
	if got := Text(nil).Append(span("x")).String(); got != "x" {
		t.Errorf("Append to nothing gives %q", got)
	}
}

func TestJoinSharesNothing(t *testing.T) {
	a, b := Plain("a"), Plain("b")
	joined := Join(a, nil, b)
	joined[0].Kind = Heading
	if a[0].Kind != Paragraph || joined.String() != "a\n\nb" {
		t.Errorf("joined %q, first of a is now %v", joined.String(), a[0].Kind)
	}
}

func TestCut(t *testing.T) {
	family := "👨\u200d👩\u200d👧"
	tests := []struct {
		name string
		text Text
		n    int
		want string
	}{
		{"what fits stays", Plain("a b"), 3, "a b"},
		{"after a word", Plain("alpha beta gamma"), 12, "alpha beta…"},
		{"inside a word that is too long", Plain("abcdefgh"), 5, "abcd…"},
		{"between blocks", Plain("alpha\n\nbeta gamma"), 8, "alpha…"},
		{"into a later block", Plain("alpha\n\nbeta gamma"), 13, "alpha\n\nbeta…"},
		{"not inside a surrogate pair", Plain("ab🙂cd"), 4, "ab…"},
		{"not inside a family", Plain("a" + family + "b"), 6, "a…"},
		{"not before an accent", Plain("abe\u0301d"), 4, "ab…"},
		{"not inside a flag", Plain("🇩🇪🇫🇷🇪🇸"), 11, "🇩🇪🇫🇷…"},
		{"not inside a syllable", Plain("\u1100\u1161\u11a8\u1100\u1161\u11a8"), 5, "\u1100\u1161\u11a8…"},
		{"between whole syllables", Plain("각각각"), 2, "각…"},
		{"not between a syllable and its end", Plain("가\u11a8가\u11a8"), 3, "가\u11a8…"},
		{"to nothing but the mark", Plain("🙂🙂"), 1, "…"},
		{"to nothing", Plain("ab"), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.text.String()
			if got := tt.text.Cut(tt.n).String(); got != tt.want {
				t.Errorf("Cut(%d) of %q = %q, want %q", tt.n, before, got, tt.want)
			}
			if tt.text.String() != before {
				t.Errorf("Cut changed its text to %q", tt.text.String())
			}
		})
	}
}

func TestCutKeepsStyles(t *testing.T) {
	got := Parse("one **two three** four").Cut(10)
	want := Text{para(span("one "), styled("two…", Bold))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSplit(t *testing.T) {
	line := strings.Repeat("word ", 7) + "end." // 39 characters
	tests := []struct {
		name string
		text Text
		want []string
	}{
		{"nothing", nil, nil},
		{"what fits stays whole", Plain("a\n\nb"), []string{"a\n\nb"}},
		{"between blocks", Plain(line + "\n\n" + line), []string{line, line}},
		{"a heading goes with its text", Parse("short\n\n## Head\n\n" + line), []string{"short", "Head\n\n" + line[:34], "end."}},
		{"code between lines", Parse("```py\n" + "a = 1111111111111111\n    b = 2222222222222\nc = 3\n" + "```"),
			[]string{"a = 1111111111111111", "    b = 2222222222222\nc = 3"}},
		{"an entry goes on without its mark", Parse("- " + line + " tail"), []string{"• " + line[:34], "  end. tail"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range tt.text.Split(40) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Split(40) of %q (-want +got):\n%s", tt.text.String(), diff)
			}
		})
	}
}
