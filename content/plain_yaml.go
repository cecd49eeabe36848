package content

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// plainYAML reads the YAML that packs are written in: block and flow mappings
// and sequences, quoted and bare scalars of one line, and literal blocks. It
// gives the tree that the YAML library gives, but for columns and styles, in
// about a tenth of the time; reading packs is what a start consists of.
//
// At the first sign of anything else, a comment, an anchor, a tag, a fault, it
// gives up and the library reads the file anew. So it has no errors of its own,
// and what is YAML is for the library to say. Tests hold both against each
// other, on spoilt files too.
type plainYAML struct {
	lines []string // their indentation cut off
	depth []int    // how many spaces that was
	n     int      // the line being read
	ok    bool
}

// readPlain returns the only node of the document in data, or nil if data is
// not written plainly.
func readPlain(data []byte) *yaml.Node {
	text, whole := strings.CutSuffix(string(data), "\n")
	if !whole || !plainText(text) {
		return nil
	}
	p := &plainYAML{ok: true}
	for line := range strings.SplitSeq(text, "\n") {
		cut := strings.TrimLeft(line, " ")
		p.lines = append(p.lines, cut)
		p.depth = append(p.depth, len(line)-len(cut))
	}
	p.skipBlank()
	if p.done() || p.depth[p.n] != 0 {
		return nil
	}
	root := p.block(0)
	if p.skipBlank(); !p.ok || !p.done() {
		return nil
	}
	return root
}

// plainText reports whether s has no character that YAML treats in a way of its
// own or refuses, but for line feeds.
func plainText(s string) bool {
	for _, r := range s {
		switch {
		case r == '\n' || r >= ' ' && r <= '~':
		case r < 0xA0, r == '\u2028', r == '\u2029', r == '\uFEFF', r >= 0xFFFE && r <= 0xFFFF, r == utf8.RuneError:
			return false
		}
	}
	return true
}

func (p *plainYAML) done() bool { return p.n >= len(p.lines) }

func (p *plainYAML) skipBlank() {
	for !p.done() && p.lines[p.n] == "" {
		p.n++
	}
}

// giveUp leaves the file to the library.
func (p *plainYAML) giveUp() *yaml.Node {
	p.ok = false
	return &yaml.Node{}
}

// at reports whether the line to be read stands at that depth.
func (p *plainYAML) at(depth int) bool {
	p.skipBlank()
	return p.ok && !p.done() && p.depth[p.n] == depth
}

// block reads the mapping or sequence that begins on the line, at that depth.
func (p *plainYAML) block(depth int) *yaml.Node {
	if strings.HasPrefix(p.lines[p.n], "- ") {
		return p.sequence(depth)
	}
	return p.mapping(depth)
}

func (p *plainYAML) sequence(depth int) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: p.n + 1}
	for p.at(depth) && strings.HasPrefix(p.lines[p.n], "- ") {
		rest := strings.TrimLeft(p.lines[p.n][2:], " ")
		inner := depth + len(p.lines[p.n]) - len(rest)
		if _, _, isKey := cutKey(rest); isKey {
			p.lines[p.n], p.depth[p.n] = rest, inner // the entry is a mapping that begins here
			node.Content = append(node.Content, p.mapping(inner))
			continue
		}
		node.Content = append(node.Content, p.value(rest, depth))
	}
	return p.closed(node, depth)
}

func (p *plainYAML) mapping(depth int) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: p.n + 1}
	for p.at(depth) {
		key, rest, isKey := cutKey(p.lines[p.n])
		if !isKey {
			return p.giveUp()
		}
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: p.n + 1})
		if rest != "" {
			node.Content = append(node.Content, p.value(rest, depth))
			continue
		}
		p.n++
		if p.skipBlank(); p.done() || p.depth[p.n] <= depth {
			return p.giveUp() // an empty value, or a list that is not indented
		}
		node.Content = append(node.Content, p.block(p.depth[p.n]))
	}
	return p.closed(node, depth)
}

// closed returns node if what follows stands less deep than its entries.
func (p *plainYAML) closed(node *yaml.Node, depth int) *yaml.Node {
	if p.skipBlank(); !p.ok || len(node.Content) == 0 || !p.done() && p.depth[p.n] >= depth {
		return p.giveUp()
	}
	return node
}

// maxKey keeps keys far from the 1,024 characters that YAML allows before a colon.
const maxKey = 64

// cutKey cuts the line "key: rest" or "key:" of a mapping in two.
func cutKey(line string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(line, ":")
	if !ok || len(key) > maxKey || plainTag(key) != "!!str" || strings.Contains(key, " ") || rest != "" && rest[0] != ' ' {
		return "", "", false
	}
	return key, strings.TrimLeft(rest, " "), true
}

// value reads the value that stands on the line after a key or a dash, and goes
// on to the next line.
func (p *plainYAML) value(s string, depth int) *yaml.Node {
	if s == "|" || s == "|-" {
		return p.literal(s, depth)
	}
	node, rest := p.inline(s, 0)
	if strings.Trim(rest, " ") != "" {
		return p.giveUp()
	}
	p.n++
	return node
}

// literal reads the lines of a | block, which stand deeper than depth. The first
// sets how deep; |- drops the last line feed.
func (p *plainYAML) literal(mark string, depth int) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Line: p.n + 1}
	p.n++
	if p.done() || p.lines[p.n] == "" || p.depth[p.n] <= depth {
		return p.giveUp()
	}
	var text strings.Builder
	blank, in := 0, p.depth[p.n]
	for ; !p.done(); p.n++ {
		if p.lines[p.n] == "" {
			if p.depth[p.n] > in {
				return p.giveUp() // spaces that count
			}
			blank++
			continue
		}
		if p.depth[p.n] < in {
			break
		}
		text.WriteString(strings.Repeat("\n", blank))
		text.WriteString(strings.Repeat(" ", p.depth[p.n]-in))
		text.WriteString(p.lines[p.n])
		text.WriteByte('\n')
		blank = 0
	}
	node.Value = text.String()
	if mark == "|-" {
		node.Value = strings.TrimSuffix(node.Value, "\n")
	}
	return node
}
