package discord

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"aiprep/content"
)

// blank is a character without width. It parts what Discord would read as one.
const blank = "\u200B"

// maxLink is the longest address that is worth a link.
const maxLink = 512

// markdown writes a text as Discord's Markdown. It is the only place that does:
// whatever is no style of a span comes out as it is, be it markup, a mention or
// a link.
func markdown(t content.Text) string {
	var b strings.Builder
	for n, block := range t {
		if n > 0 {
			b.WriteString(gap(t[n-1].Kind, block.Kind))
		}
		switch block.Kind {
		case content.CodeBlock:
			b.WriteString(codeBlock(block))
		case content.Heading:
			b.WriteString(heading(block))
		case content.Quote:
			b.WriteString("> " + strings.ReplaceAll(spans(block.Spans, true), "\n", "\n> "))
		case content.ListItem:
			b.WriteString(listItem(block))
		default:
			b.WriteString(spans(block.Spans, true))
		}
	}
	return b.String()
}

// gap parts two blocks. Discord itself leaves room below headings and around
// code.
func gap(before, after content.Kind) string {
	switch {
	case before == after && (after == content.ListItem || after == content.Quote),
		before == content.Heading, before == content.CodeBlock, after == content.CodeBlock:
		return "\n"
	}
	return "\n\n"
}

// codeBlock fences code. A fence within the code is broken up.
func codeBlock(b content.Block) string {
	var code strings.Builder
	for _, s := range b.Spans {
		code.WriteString(valid(s.Text))
	}
	body := strings.Trim(strings.ReplaceAll(code.String(), "```", "``"+blank+"`"), "\n")
	if strings.HasSuffix(body, "`") {
		body += blank
	}
	lang := strings.ToLower(b.Lang)
	if strings.Trim(lang, "abcdefghijklmnopqrstuvwxyz0123456789_+-.#") != "" {
		lang = ""
	}
	return "```" + lang + "\n" + body + "\n```"
}

// heading writes the upper levels as headings of the smallest size, which is big
// enough on a phone, and the lower ones in bold.
func heading(b content.Block) string {
	var text strings.Builder
	for _, s := range b.Spans {
		text.WriteString(s.Text)
	}
	line := strings.Join(strings.Fields(text.String()), " ")
	if b.Level > 2 {
		return spans([]content.Span{{Text: line, Style: content.Bold}}, true)
	}
	return "### " + escape(valid(line), false)
}

// maxIndent is the nesting beyond which a list goes no further to the right.
const maxIndent = 4

// listItem writes bullets and numbers as a list, and any other mark, such as an
// option's letter, in bold.
func listItem(b content.Block) string {
	indent := strings.Repeat("  ", min(max(b.Level, 0), maxIndent))
	number, dotted := strings.CutSuffix(b.Mark, ".")
	switch {
	case b.Mark == "":
		return indent + "  " + spans(b.Spans, true)
	case b.Mark == "•":
		return indent + "- " + spans(b.Spans, true)
	case dotted && number != "" && strings.Trim(number, "0123456789") == "":
		return indent + b.Mark + " " + spans(b.Spans, true)
	}
	return indent + "**" + escape(valid(b.Mark), true) + "** " + spans(b.Spans, false)
}

// spans writes styled text; begins says that it stands at the beginning of a
// line.
func spans(list []content.Span, begins bool) string {
	var b strings.Builder
	marked := false // what was written last ends in a mark
	for _, s := range list {
		text := valid(s.Text)
		if text == "" {
			continue
		}
		line := b.Len() == 0 && begins || strings.HasSuffix(b.String(), "\n")
		out, marks := span(text, s, line)
		if marked && marks && !unicode.IsSpace(rune(out[0])) {
			b.WriteString(blank) // or the marks would run together
		}
		b.WriteString(out)
		marked = marks && !strings.HasSuffix(out, " ") && !strings.HasSuffix(out, "\n")
	}
	return b.String()
}

// span writes one span, with marks if it has a style. Marks must touch a word,
// so white space goes outside.
func span(text string, s content.Span, line bool) (out string, marks bool) {
	body := strings.TrimSpace(text)
	at := strings.Index(text, body)
	if body == "" {
		return text, false
	}
	before, after := text[:at], text[at+len(body):]
	if s.Style&content.Mono != 0 {
		return before + mono(body) + after, true
	}
	mark := ""
	for _, m := range []struct {
		style content.Style
		mark  string
	}{{content.Strike, "~~"}, {content.Bold, "**"}, {content.Italic, "*"}} {
		if s.Style&m.style != 0 {
			mark += m.mark
		}
	}
	body = mark + escape(body, line && before == "" || strings.HasSuffix(before, "\n")) + backwards(mark)
	if webLink(s.URL) {
		return before + link(text[at:len(text)-len(after)], body, s.URL) + after, true
	}
	return before + body + after, mark != ""
}

// backwards closes what a mark opened.
func backwards(mark string) string {
	r := []rune(mark)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// mono writes code in a line. Two back-ticks can hold single ones.
func mono(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	for strings.Contains(s, "``") {
		s = strings.ReplaceAll(s, "``", "`"+blank+"`")
	}
	return "`` " + s + " ``"
}

// link writes a link that shows no preview. A label that Discord would not take
// is followed by the bare address.
func link(label, marked, address string) string {
	address = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20").Replace(address)
	switch {
	case label == address:
		return "<" + address + ">"
	case strings.ContainsAny(label, "[]\n") || strings.Contains(label, "://"):
		return marked + " <" + address + ">"
	}
	return "[" + marked + "](<" + address + ">)"
}

// webLink reports whether Discord takes a link.
func webLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && len(link) <= maxLink && (u.Scheme == "https" || u.Scheme == "http") &&
		strings.Contains(u.Hostname(), ".") && !strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r == '\\' })
}

// escape makes sure that Discord shows s as it is; begins says that s stands at
// the beginning of a line. It leaves alone what means nothing where it stands,
// for a phone's notification shows every backslash.
func escape(s string, begins bool) string {
	var b strings.Builder
	begin, number := begins, false // nothing but spaces, nothing but digits in the line so far
	for i := 0; i < len(s); i++ {
		c, rest := s[i], s[i+1:]
		if special(c, rest) || begin && opens(c, rest) || number && c == '.' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		if c == '@' && (strings.HasPrefix(rest, "everyone") || strings.HasPrefix(rest, "here")) {
			b.WriteString(blank)
		}
		number = (begin || number) && c >= '0' && c <= '9'
		begin = c == '\n' || begin && c == ' '
	}
	return b.String()
}

// opens reports whether a character at the beginning of a line opens a list, a
// quote or a heading, given what follows in its span.
func opens(c byte, rest string) bool {
	return strings.IndexByte("-+>#", c) >= 0 && (rest == "" || strings.IndexByte(" >#", rest[0]) >= 0)
}

// special reports whether a character means something to Discord wherever in a
// line it stands, given what follows in its span.
func special(c byte, rest string) bool {
	next := byte(0) // the end: who knows what follows
	if rest != "" {
		next = rest[0]
	}
	switch c {
	case '\\', '*', '_', '`':
		return true
	case '~', '|': // only in pairs
		return next == c || next == 0
	case '<': // a mention, an emoji, a time or an address
		return next != ' ' && next != '=' && (next < '0' || next > '9')
	case ']':
		return next == '(' || next == 0
	case ':': // an emoji or an address
		name, _, twice := strings.Cut(rest, ":")
		return strings.HasPrefix(rest, "//") || twice && name != "" && !strings.ContainsAny(name, " \n")
	}
	return false
}

// valid drops what no client shows and replaces what is no UTF-8.
func valid(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, s)
}

// oneLine is s as one clean line of at most n UTF-16 units.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(valid(s)), " ")
	return content.Text{{Spans: []content.Span{{Text: s}}}}.Cut(n).String()
}

// units is the length of s in UTF-16 units: Discord counts code points, of
// which there are never more.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
