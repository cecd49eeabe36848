package content

// Text is styled prose, parsed once from Markdown. Adapters render it: as
// text with entities, as escaped Markdown, or plain. Nothing in it is markup,
// so no name or question can inject any.
type Text []Block

// Block is one paragraph-like piece of a Text.
type Block struct {
	Kind  Kind
	Level int    // Heading: 1..4. Item: nesting, from 0.
	Mark  string // Item: "•" or "1." and so on.
	Lang  string // Code: the language, or "".
	Spans []Span // Code has exactly one span, without styles, with line feeds.
}

// Kind says what a Block is.
type Kind uint8

// The kinds of Block.
const (
	Paragraph Kind = iota
	Heading
	Item
	Quote
	Code
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
