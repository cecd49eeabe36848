package bottest

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// htmlTag is one open tag.
type htmlTag struct {
	name, arg string
	offset    int // UTF-16, where its text begins
	from      int // byte in the output, likewise
}

// htmlParser follows the server's reading of parse_mode HTML, refusals included
// (https://core.telegram.org/bots/api#html-style; tdlib/td, parse_html).
type htmlParser struct {
	src   string
	pos   int
	out   strings.Builder
	n     int // UTF-16 units written
	open  []htmlTag
	marks []TelegramEntity
	// codeArg remembers, by index in marks, the language of a <code> until <pre> ends.
	codeArg map[int]string
}

func cantParse(format string, args ...any) *tgError {
	return violation("can't parse entities: "+format, args...)
}

// parseTelegramHTML returns the text without its tags and the entities.
func parseTelegramHTML(src string) (string, []TelegramEntity, *tgError) {
	p := &htmlParser{src: src, codeArg: map[int]string{}}
	for p.pos < len(src) {
		switch src[p.pos] {
		case '&':
			p.write(p.reference())
		case '<':
			fail := p.tag()
			if fail != nil {
				return "", nil, fail
			}
		default:
			r, size := utf8.DecodeRuneInString(src[p.pos:])
			p.pos += size
			p.write(r)
		}
	}
	if len(p.open) > 0 {
		return "", nil, cantParse("Can't find end tag corresponding to start tag %q", p.open[len(p.open)-1].name)
	}
	sort.SliceStable(p.marks, func(i, j int) bool {
		a, b := p.marks[i], p.marks[j]
		if a.Offset != b.Offset {
			return a.Offset < b.Offset
		}
		return a.Length > b.Length
	})
	return p.out.String(), p.marks, nil
}

func (p *htmlParser) write(r rune) {
	p.out.WriteRune(r)
	p.n++
	if r > 0xFFFF {
		p.n++
	}
}

// reference reads &lt; &gt; &amp; &quot; or a numeric reference; any other
// ampersand stands for itself.
func (p *htmlParser) reference() rune {
	r, size := htmlReference(p.src[p.pos:])
	p.pos += size
	return r
}

func htmlReference(s string) (rune, int) {
	for name, r := range map[string]rune{"&lt": '<', "&gt": '>', "&amp": '&', "&quot": '"'} {
		if strings.HasPrefix(s, name) {
			if size := len(name); strings.HasPrefix(s[size:], ";") {
				return r, size + 1
			} else if !startsAlpha(s[size:]) {
				return r, size
			}
		}
	}
	if digits, ok := strings.CutPrefix(s, "&#"); ok {
		base, hex := 10, strings.HasPrefix(digits, "x")
		if hex {
			base, digits = 16, digits[1:]
		}
		n := 0
		for n < len(digits) && strings.IndexByte("0123456789abcdefABCDEF"[:10+12*(base/16)], digits[n]) >= 0 {
			n++
		}
		v, err := strconv.ParseInt(digits[:n], base, 32)
		if err == nil && v > 0 && utf8.ValidRune(rune(v)) {
			size := len(s) - len(digits) + n
			if strings.HasPrefix(digits[n:], ";") {
				size++
			}
			return rune(v), size
		}
	}
	return '&', 1
}

func startsAlpha(s string) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

func startsAlnum(s string) bool {
	return startsAlpha(s) || s != "" && s[0] >= '0' && s[0] <= '9'
}

func htmlSpace(b byte) bool { return strings.IndexByte(" \t\r\n\x00\v", b) >= 0 }

func (p *htmlParser) peek() byte {
	if p.pos >= len(p.src) {
		return 0
	}
	return p.src[p.pos]
}

// word reads up to a space, a stop byte or the end.
func (p *htmlParser) word(stop byte) string {
	from := p.pos
	for p.pos < len(p.src) && !htmlSpace(p.src[p.pos]) && p.src[p.pos] != stop {
		p.pos++
	}
	return p.src[from:p.pos]
}

func (p *htmlParser) spaces() {
	for p.pos < len(p.src) && htmlSpace(p.src[p.pos]) {
		p.pos++
	}
}

func (p *htmlParser) tag() *tgError {
	begin := p.pos
	p.pos++
	if p.peek() == '/' {
		p.pos++
		return p.endTag(begin)
	}
	name := strings.ToLower(p.word('>'))
	if p.pos >= len(p.src) {
		return cantParse("Unclosed start tag at byte offset %d", begin)
	}
	if entityOfTag(name) == "" {
		return cantParse("Unsupported start tag %q at byte offset %d", name, begin)
	}
	tag := htmlTag{name: name, offset: p.n, from: p.out.Len()}
	for {
		p.spaces()
		if p.pos >= len(p.src) {
			return cantParse("Unclosed start tag at byte offset %d", begin)
		}
		if p.peek() == '>' {
			p.pos++
			break
		}
		key, value, fail := p.attribute(name, begin)
		if fail != nil {
			return fail
		}
		tag.take(key, value)
	}
	if name == "span" && tag.arg != "spoiler" {
		return cantParse("Tag \"span\" must have class \"tg-spoiler\" at byte offset %d", begin)
	}
	p.open = append(p.open, tag)
	return nil
}

// take keeps the attribute that matters for the tag.
func (t *htmlTag) take(key, value string) {
	switch {
	case t.name == "a" && key == "href", t.name == "tg-emoji" && key == "emoji-id":
		t.arg = value
	case t.name == "code" && key == "class" && strings.HasPrefix(value, "language-"):
		t.arg = strings.TrimPrefix(value, "language-")
	case t.name == "span" && key == "class" && strings.HasPrefix(value, "tg-"):
		t.arg = strings.TrimPrefix(value, "tg-")
	case t.name == "blockquote" && key == "expandable":
		t.arg = "1"
	}
}

func (p *htmlParser) attribute(tag string, begin int) (key, value string, fail *tgError) {
	from := p.pos
	for p.pos < len(p.src) && !htmlSpace(p.src[p.pos]) && p.src[p.pos] != '=' && p.src[p.pos] != '>' {
		p.pos++
	}
	key = strings.ToLower(p.src[from:p.pos])
	if key == "" {
		return "", "", cantParse("Empty attribute name in the tag %q at byte offset %d", tag, begin)
	}
	p.spaces()
	if p.peek() != '=' {
		if tag == "blockquote" && key == "expandable" {
			return key, "", nil
		}
		return "", "", cantParse("Expected equal sign in declaration of an attribute of the tag %q at byte offset %d", tag, begin)
	}
	p.pos++
	p.spaces()
	quote := p.peek()
	if quote != '"' && quote != '\'' {
		at := p.pos
		for startsAlnum(p.src[p.pos:]) || p.peek() == '.' || p.peek() == '-' {
			p.pos++
		}
		if p.pos < len(p.src) && !htmlSpace(p.peek()) && p.peek() != '>' {
			return "", "", cantParse("Unexpected end of name token at byte offset %d", at)
		}
		return key, strings.ToLower(p.src[at:p.pos]), nil
	}
	p.pos++
	var b strings.Builder
	for p.pos < len(p.src) && p.src[p.pos] != quote {
		if p.src[p.pos] == '&' {
			b.WriteRune(p.reference())
			continue
		}
		b.WriteByte(p.src[p.pos])
		p.pos++
	}
	if p.pos >= len(p.src) {
		return "", "", cantParse("Unclosed start tag at byte offset %d", begin)
	}
	p.pos++
	return key, b.String(), nil
}

func (p *htmlParser) endTag(begin int) *tgError {
	if len(p.open) == 0 {
		return cantParse("Unexpected end tag at byte offset %d", begin)
	}
	name := strings.ToLower(p.word('>'))
	p.spaces()
	if p.peek() != '>' {
		return cantParse("Unclosed end tag at byte offset %d", begin)
	}
	p.pos++
	tag := p.open[len(p.open)-1]
	if name != "" && name != tag.name {
		return cantParse("Unmatched end tag at byte offset %d, expected \"</%s>\", found \"</%s>\"", begin, tag.name, name)
	}
	p.open = p.open[:len(p.open)-1]
	if p.n > tag.offset {
		return p.mark(tag)
	}
	return nil
}

// mark adds the entity of a tag that was closed.
func (p *htmlParser) mark(tag htmlTag) *tgError {
	e := TelegramEntity{Type: entityOfTag(tag.name), Offset: tag.offset, Length: p.n - tag.offset}
	last := len(p.marks) - 1
	same := last >= 0 && p.marks[last].Offset == e.Offset && p.marks[last].Length == e.Length
	switch tag.name {
	case "a":
		return p.link(e, tag)
	case "tg-emoji":
		if id, err := strconv.ParseInt(tag.arg, 10, 64); err != nil || id == 0 {
			return cantParse("Invalid custom emoji identifier specified")
		}
		e.CustomEmojiID = tag.arg
	case "blockquote":
		if tag.arg != "" {
			e.Type = "expandable_blockquote"
		}
	case "pre":
		if same && p.marks[last].Type == "code" && p.codeArg[last] != "" {
			p.marks[last].Type, p.marks[last].Language = "pre", p.codeArg[last]
			return nil
		}
	case "code":
		if same && p.marks[last].Type == "pre" && tag.arg != "" {
			p.marks[last].Language = tag.arg
			return nil
		}
		p.codeArg[last+1] = tag.arg
	}
	p.marks = append(p.marks, e)
	return nil
}

// link marks <a>: a user, an address, or nothing when the server would drop it.
func (p *htmlParser) link(e TelegramEntity, tag htmlTag) *tgError {
	link := tag.arg
	if link == "" {
		link = p.out.String()[tag.from:]
	}
	if id, ok := strings.CutPrefix(link, "tg://user?id="); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return cantParse("invalid user link %q", link)
		}
		e.Type, e.User = "text_mention", &TelegramUser{ID: n, FirstName: "User"}
	} else if e.URL = link; !goodLink(link) {
		return violation("link %q would be dropped", link)
	}
	p.marks = append(p.marks, e)
	return nil
}

// entityOfTag is the entity type of a supported tag, "" for any other.
func entityOfTag(name string) string {
	switch name {
	case "b", "strong":
		return "bold"
	case "i", "em":
		return "italic"
	case "s", "strike", "del":
		return "strikethrough"
	case "u", "ins":
		return "underline"
	case "tg-spoiler", "span":
		return "spoiler"
	case "tg-emoji":
		return "custom_emoji"
	case "a":
		return "text_link"
	case "pre", "code", "blockquote":
		return name
	}
	return ""
}
