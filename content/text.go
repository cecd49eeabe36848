package content

import "strings"

// Text is styled prose, parsed once from Markdown. Adapters render it: as
// text with entities, as escaped Markdown, or plain. Nothing in it is markup,
// so no name or question can inject any.
type Text []Block

// Block is one paragraph-like piece of a Text.
type Block struct {
	Kind  Kind
	Level int    // Heading: 1..4. ListItem: nesting, from 0.
	Mark  string // ListItem: "•" or "1." and so on; "" goes on with the item before.
	Lang  string // CodeBlock: the language, or "".
	Spans []Span // CodeBlock has exactly one span, without styles, with line feeds.
}

// Kind says what a Block is.
type Kind uint8

// The kinds of Block.
const (
	Paragraph Kind = iota
	Heading
	ListItem
	Quote
	CodeBlock
)

// Span is a run of characters of one style.
type Span struct {
	Text  string
	Style Style
	URL   string // a link's target, or ""
}

// Style is a set of the styles that every platform can show.
type Style uint8

// The styles.
const (
	Bold Style = 1 << iota
	Italic
	Mono
	Strike
)

// Plain returns s as a Text without styles: nothing in s is taken for markup.
// Blank lines part paragraphs; single line feeds stay. It is the only way for a
// name or another person's words to enter a Text.
func Plain(s string) Text {
	var t Text
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for p := range strings.SplitSeq(s, "\n\n") {
		if p = strings.Trim(p, "\n"); p != "" {
			t = append(t, Block{Spans: []Span{{Text: p}}})
		}
	}
	return t
}

// Join returns the blocks of all texts one after another. It shares no slice
// of blocks with them.
func Join(texts ...Text) Text {
	var t Text
	for _, more := range texts {
		t = append(t, more...)
	}
	return t
}

// Append returns t with spans added to the end of its last block, or as a
// paragraph of their own if t is empty or ends in a code block. t itself stays
// as it is.
func (t Text) Append(spans ...Span) Text {
	if len(t) == 0 || t[len(t)-1].Kind == CodeBlock {
		return append(t[:len(t):len(t)], Block{Spans: spans})
	}
	out := Join(t)
	last := &out[len(out)-1]
	last.Spans = append(last.Spans[:len(last.Spans):len(last.Spans)], spans...)
	return out
}

// String returns t without styles. A blank line parts blocks, a line feed the
// entries of a list or the lines of a quote; nested entries are indented.
func (t Text) String() string {
	var b strings.Builder
	for n, block := range t {
		if n > 0 {
			b.WriteString(gap(t[n-1], block))
		}
		b.WriteString(block.lead())
		for _, s := range block.Spans {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// Len returns the length of t.String() in UTF-16 units, which is how the
// platforms count.
func (t Text) Len() int {
	n := 0
	for k, block := range t {
		if k > 0 {
			n += len(gap(t[k-1], block))
		}
		n += block.len()
	}
	return n
}

func (b Block) len() int {
	n := length(b.lead())
	for _, s := range b.Spans {
		n += length(s.Text)
	}
	return n
}

// gap returns what stands between two blocks.
func gap(a, b Block) string {
	if a.Kind == b.Kind && (a.Kind == ListItem || a.Kind == Quote) {
		return "\n"
	}
	return "\n\n"
}

// maxIndent is the nesting beyond which a list goes no further to the right.
const maxIndent = 4

// lead returns what stands before the spans of a block.
func (b Block) lead() string {
	if b.Kind != ListItem {
		return ""
	}
	indent := strings.Repeat("  ", min(max(b.Level, 0), maxIndent))
	if b.Mark == "" {
		return indent + "  "
	}
	return indent + b.Mark + " "
}
