package content

import (
	"strings"
	"unicode"
)

// ellipsis marks where Cut left something out.
const ellipsis = "…"

// minPiece is the smallest piece that Split makes: room for the mark of a
// nested list's entry and a word.
const minPiece = 40

// Cut returns the beginning of t with a Len of at most n. If something is left
// out it ends in "…", after a whole word unless that one word is too long; it
// never parts the characters of one grapheme unless that alone is longer
// than n. t itself stays as it is.
func (t Text) Cut(n int) Text {
	if t.Len() <= n {
		return t
	}
	var out Text
	for _, b := range t {
		more := append(out, b)
		if used := more.Len(); used+1 <= n {
			out = more
			continue
		}
		room := n - 1 - (more.Len() - b.len()) // one unit is for the ellipsis
		if head, _ := b.split(room); len(head.Spans) > 0 {
			out = append(out, head)
		}
		break
	}
	if len(out) == 0 {
		if n < 1 {
			return nil
		}
		return Text{{Spans: []Span{{Text: ellipsis}}}}
	}
	return out.close()
}

// close ends t with an ellipsis.
func (t Text) close() Text {
	out := Join(t)
	last := &out[len(out)-1]
	last.Spans = append([]Span(nil), last.Spans...)
	if len(last.Spans) == 0 {
		last.Spans = []Span{{}}
	}
	end := &last.Spans[len(last.Spans)-1]
	end.Text = strings.TrimRight(end.Text, " \n") + ellipsis
	return out
}

// Split returns t in pieces with a Len of at most n each, n being at least 40.
// It parts between blocks if it can, else between words, in code between lines;
// no character that is not white space is lost or added. A heading stays with
// what follows it.
func (t Text) Split(n int) []Text {
	n = max(n, minPiece)
	var pieces []Text
	var piece Text
	finish := func() {
		if len(piece) == 0 {
			return
		}
		keep := len(piece)
		for keep > 0 && piece[keep-1].Kind == Heading {
			keep--
		}
		if keep == 0 {
			keep = len(piece)
		}
		pieces = append(pieces, piece[:keep:keep])
		piece = Join(piece[keep:])
	}
	for _, b := range t {
		for !b.empty() {
			more := append(piece, b)
			room := n - (more.Len() - b.len())
			switch {
			case more.Len() <= n:
				piece, b = more, Block{}
			case room < minPiece/2, b.len() <= n && !onlyHeadings(piece):
				finish()
			default:
				var head Block
				head, b = b.split(room)
				if head.len() > 0 {
					piece = append(piece, head)
				}
				finish()
			}
		}
	}
	if len(piece) > 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

func onlyHeadings(t Text) bool {
	for _, b := range t {
		if b.Kind != Heading {
			return false
		}
	}
	return len(t) > 0
}

// empty reports whether there is nothing to read in b.
func (b Block) empty() bool {
	for _, s := range b.Spans {
		if s.Text != "" {
			return false
		}
	}
	return true
}

// split parts b so that head has a length of at most n, or no spans if not even
// its first character fits. White space at the cut is dropped. The tail of a
// list's entry has no mark; a mark that would take most of the room goes.
func (b Block) split(n int) (head, tail Block) {
	if 2*length(b.lead()) > n {
		b.Mark, b.Level = "", 0
	}
	head, tail = b, b
	head.Spans, tail.Spans = nil, nil
	if b.Kind == ListItem {
		tail.Mark = ""
	}
	var whole strings.Builder
	for _, s := range b.Spans {
		whole.WriteString(s.Text)
	}
	text := whole.String()
	at := cutPoint(text, n-length(b.lead()), b.Kind == CodeBlock)
	keep, resume := at, at
	if at < len(text) {
		keep = len(strings.TrimRightFunc(text[:at], unicode.IsSpace))
		resume += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], blank(b.Kind)))
	}
	offset := 0
	for _, s := range b.Spans {
		start, end := offset, offset+len(s.Text)
		offset = end
		if start < keep && start < end {
			part := s
			part.Text = text[start:min(end, keep)]
			head.Spans = append(head.Spans, part)
		}
		if end > resume {
			part := s
			part.Text = text[max(start, resume):end]
			tail.Spans = append(tail.Spans, part)
		}
	}
	return head, tail
}

// blank returns what may go at the beginning of a tail. In code a line feed
// may, but not the indentation of the next line.
func blank(k Kind) func(rune) bool {
	if k == CodeBlock {
		return func(r rune) bool { return r == '\n' }
	}
	return unicode.IsSpace
}

// cutPoint returns the greatest index of s before which there are at most n
// UTF-16 units, and at which s may be cut: at white space if there is some, at a
// line feed in code, else between two graphemes, else between two runes.
func cutPoint(s string, n int, code bool) int {
	var line, word, grapheme, rest int
	used := 0
	var before rune
	flags := 0
	for at, r := range s {
		if used > n {
			break
		}
		rest = at
		if breaks(before, r, flags) {
			grapheme = at
		}
		switch {
		case r == '\n':
			line, word = at, at
		case unicode.IsSpace(r):
			word = at
		}
		if flag(r) {
			flags++
		} else {
			flags = 0
		}
		used += units(r)
		before = r
	}
	if used <= n {
		return len(s)
	}
	switch {
	case code && line > 0:
		return line
	case word > 0:
		return word
	case grapheme > 0:
		return grapheme
	}
	return rest
}

// breaks reports whether a cut between a and b parts two graphemes. flags is
// how many regional indicators stand before b. It follows the rules GB3 to GB13
// of Unicode Standard Annex 29 as far as marks, joiners, emoji modifiers, tags,
// flags and Hangul syllables go.
func breaks(a, b rune, flags int) bool {
	const joiner = '\u200d'
	switch {
	case a == '\r' && b == '\n':
		return false
	case unicode.In(b, unicode.Mn, unicode.Me, unicode.Mc), b == joiner, b == '\u200c', a == joiner:
		return false
	case b >= 0x1F3FB && b <= 0x1F3FF, b >= 0xE0020 && b <= 0xE007F:
		return false
	case flag(a) && flag(b):
		return flags%2 == 0
	case jamo(a) == leading && jamo(b) != none, jamo(a) != none && jamo(a) <= jamo(b) && b <= 0x11FF:
		return false
	}
	return true
}

// flag reports whether r is a regional indicator, two of which make a flag.
func flag(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// The parts of a Hangul syllable, in their order.
const (
	none = iota
	leading
	vowel
	trailing
)

// jamo returns which part of a Hangul syllable r ends with, or is.
func jamo(r rune) int {
	switch {
	case r >= 0x1100 && r <= 0x115F:
		return leading
	case r >= 0x1160 && r <= 0x11A7:
		return vowel
	case r >= 0x11A8 && r <= 0x11FF:
		return trailing
	case r >= 0xAC00 && r <= 0xD7A3 && (r-0xAC00)%28 == 0:
		return vowel
	case r >= 0xAC00 && r <= 0xD7A3:
		return trailing
	}
	return none
}
