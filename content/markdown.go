package content

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse turns Markdown into a Text: paragraphs, headings, nested lists, quotes,
// code, bold, italic, code spans, strikethrough and links. What else
// Markdown knows becomes plain characters: HTML and tables stay as they are
// written, an image becomes its description. It is made for our own prose; what
// a person wrote goes through Plain.
func Parse(markdown string) Text {
	if isPlain(markdown) {
		return Text{{Spans: []Span{{Text: markdown}}}}
	}
	src := []byte(markdown)
	w := &walker{src: src}
	doc := theParser().Parse(source.NewReader(src))
	w.blocks(doc, place{})
	return w.out
}

// isPlain reports whether s is one line without any mark of Markdown, as most
// options and reasons are; such a line needs no parser.
func isPlain(s string) bool {
	if s == "" || strings.ContainsAny(s, "*_`[]<>&\\~#\n\r\t") || strings.Contains(s, "://") {
		return false
	}
	first, last := s[0], s[len(s)-1]
	return first != ' ' && last != ' ' && !strings.ContainsRune("-+=0123456789", rune(first))
}

// theParser is made once; a parser holds no state of a document.
var theParser = sync.OnceValue(newParser)

// newParser returns a parser without the constructs that chats cannot show, so
// that they degrade to text by themselves. Underlined headings are left out too:
// an author who draws a line below a word means none.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
		),
	)
}

// walker builds a Text from a syntax tree.
type walker struct {
	src []byte
	out Text
}

// place is where in lists and quotes a block stands.
type place struct {
	quote bool
	list  bool
	level int    // of the list, from 0
	mark  string // of the entry; "" after its first block
}

func (w *walker) blocks(parent ast.Node, at place) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			w.add(Block{Kind: Heading, Level: min(n.Level, 4), Spans: w.spans(n, Span{})})
		case *ast.FencedCodeBlock:
			w.add(Block{Kind: CodeBlock, Lang: string(n.Language(w.src)), Spans: []Span{{Text: w.lines(n)}}})
		case *ast.CodeBlock:
			w.add(Block{Kind: CodeBlock, Spans: []Span{{Text: w.lines(n)}}})
		case *ast.Blockquote:
			w.blocks(n, place{quote: true})
		case *ast.List:
			w.list(n, at)
		case *ast.ThematicBreak:
		default:
			w.add(at.block(w.spans(n, Span{})))
			at.mark = ""
		}
	}
}

func (p place) block(spans []Span) Block {
	switch {
	case p.list:
		return Block{Kind: ListItem, Level: p.level, Mark: p.mark, Spans: spans}
	case p.quote:
		return Block{Kind: Quote, Spans: spans}
	}
	return Block{Spans: spans}
}

func (w *walker) list(l *ast.List, at place) {
	inner := place{list: true}
	if at.list {
		inner.level = at.level + 1
	}
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		inner.mark = "•"
		if l.IsOrdered() {
			inner.mark = fmt.Sprintf("%d%c", number, l.Marker)
			number++
		}
		w.blocks(item, inner)
	}
}

func (w *walker) add(b Block) {
	if len(b.Spans) > 0 {
		w.out = append(w.out, b)
	}
}

func (w *walker) lines(n ast.Node) string {
	var b strings.Builder
	for k := range n.Lines().Len() {
		line := n.Lines().At(k)
		b.Write(line.Value(w.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

// spans returns the inline content of n, each span with the style and link that
// outer gives it.
func (w *walker) spans(parent ast.Node, outer Span) []Span {
	var out []Span
	add := func(more ...Span) {
		for _, s := range more {
			last := len(out) - 1
			if last >= 0 && out[last].Style == s.Style && out[last].URL == s.URL {
				out[last].Text += s.Text
			} else if s.Text != "" {
				out = append(out, s)
			}
		}
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		inner := outer
		switch n := n.(type) {
		case *ast.Text:
			inner.Text = w.text(n)
			add(inner)
			continue
		case *ast.String:
			inner.Text = string(n.Value)
			add(inner)
			continue
		case *ast.AutoLink:
			inner.Text, inner.URL = string(n.Label(w.src)), string(n.URL(w.src))
			add(inner)
			continue
		case *ast.CodeSpan:
			inner.Style |= Mono
		case *ast.Emphasis:
			inner.Style |= [...]Style{Italic, Bold}[min(n.Level, 2)-1]
		case *extast.Strikethrough:
			inner.Style |= Strike
		case *ast.Link:
			inner.URL = cmp.Or(outer.URL, string(n.Destination))
		}
		add(w.spans(n, inner)...)
	}
	return out
}

// text returns the characters of one text node, with the line break after it.
// Only outside code do backslashes and entities stand for other characters.
func (w *walker) text(n *ast.Text) string {
	value := n.Segment.Value(w.src)
	_, code := n.Parent().(*ast.CodeSpan)
	if !code && !n.IsRaw() {
		value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
	}
	s := string(value)
	switch {
	case n.HardLineBreak():
		s += "\n"
	case n.SoftLineBreak():
		s += " "
	case code:
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return s
}
