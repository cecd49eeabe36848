package content

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxNesting is how many flow collections may stand in each other. Packs need two.
const maxNesting = 4

// inline reads the node at the beginning of s, which lies on one line, and
// returns what follows it. It stands in so many flow collections; in one, a bare
// scalar ends at a comma or a bracket.
func (p *plainYAML) inline(s string, nesting int) (node *yaml.Node, rest string) {
	if s == "" || nesting > maxNesting {
		return p.giveUp(), ""
	}
	switch s[0] {
	case '"':
		return p.doubleQuoted(s[1:])
	case '[':
		return p.flowSequence(s[1:], nesting+1)
	case '{':
		return p.flowMapping(s[1:], nesting+1)
	}
	end := len(s)
	if nesting > 0 {
		if end = strings.IndexAny(s, ",]}"); end < 0 {
			return p.giveUp(), ""
		}
	}
	value := strings.TrimRight(s[:end], " ")
	tag := plainTag(value)
	if tag == "" {
		return p.giveUp(), ""
	}
	return p.scalar(tag, value), s[end:]
}

func (p *plainYAML) scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value, Line: p.n + 1}
}

// doubleQuoted reads a string up to its closing quote; s begins after the first.
func (p *plainYAML) doubleQuoted(s string) (*yaml.Node, string) {
	end := strings.IndexAny(s, `"\`)
	if end >= 0 && s[end] == '"' {
		return p.scalar("!!str", s[:end]), s[end+1:]
	}
	var value strings.Builder
	for ; end >= 0 && s[end] == '\\' && end+1 < len(s); end = strings.IndexAny(s, `"\`) {
		value.WriteString(s[:end])
		switch s[end+1] {
		case '"', '\\':
			value.WriteByte(s[end+1])
		case 'n':
			value.WriteByte('\n')
		default:
			return p.giveUp(), ""
		}
		s = s[end+2:]
	}
	if end < 0 || s[end] != '"' {
		return p.giveUp(), ""
	}
	value.WriteString(s[:end])
	return p.scalar("!!str", value.String()), s[end+1:]
}

// flowSequence reads the entries of [...]; s begins after the bracket.
func (p *plainYAML) flowSequence(s string, nesting int) (*yaml.Node, string) {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: p.n + 1}
	rest, ended := p.entries(s, ']', func(s string) string {
		e, rest := p.inline(s, nesting)
		node.Content = append(node.Content, e)
		return rest
	})
	if !ended {
		return p.giveUp(), ""
	}
	return node, rest
}

// flowMapping reads the entries of {...}; s begins after the brace.
func (p *plainYAML) flowMapping(s string, nesting int) (*yaml.Node, string) {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: p.n + 1}
	rest, ended := p.entries(s, '}', func(s string) string {
		key, after, ok := cutKey(s)
		if !ok {
			p.giveUp()
			return ""
		}
		e, rest := p.inline(after, nesting)
		node.Content = append(node.Content, p.scalar("!!str", key), e)
		return rest
	})
	if !ended {
		return p.giveUp(), ""
	}
	return node, rest
}

// entries reads what stands between commas up to the closing bracket.
func (p *plainYAML) entries(s string, closing byte, read func(string) string) (rest string, ended bool) {
	s = strings.TrimLeft(s, " ")
	if s != "" && s[0] == closing {
		return s[1:], true
	}
	for p.ok {
		s = strings.TrimLeft(read(s), " ")
		switch {
		case s == "":
			return "", false
		case s[0] == closing:
			return s[1:], p.ok
		case s[0] != ',':
			return "", false
		}
		s = strings.TrimLeft(s[1:], " ")
	}
	return "", false
}

// isWord reports whether s begins with a letter and has only letters, digits,
// hyphens, dots, underscores and slashes, as keys, ids and topics do.
func isWord(s string) bool {
	for k := range len(s) {
		c := s[k] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (k == 0 || !strings.Contains("0123456789-._/", s[k:k+1])) {
			return false
		}
	}
	return s != ""
}

// plainTag returns the tag of a bare scalar, or "" where only the library knows
// it. Bare text is words, with numbers
// behind the first.
func plainTag(s string) string {
	if isNumber(s) {
		if strings.Contains(s, ".") {
			return "!!float"
		}
		return "!!int"
	}
	switch s {
	case "true", "false":
		return "!!bool"
	}
	for word := range strings.SplitSeq(s, " ") {
		if !isWord(word) && (!isNumber(word) || strings.HasPrefix(s, word)) {
			return ""
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return "" // some of them are text, in some versions of YAML
	}
	return "!!str"
}

// isNumber reports whether s is a decimal number as everyone writes it.
func isNumber(s string) bool {
	whole, fraction, dot := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || len(whole) > 9 || whole[0] == '0' && len(whole) > 1 || s == "-0" {
		return false
	}
	return !dot || digits(fraction)
}
