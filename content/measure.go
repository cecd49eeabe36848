package content

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// length counts s as both platforms might: runes or UTF-16 units, whichever
// are more, which is always the units.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += units(r)
	}
	return n
}

// units returns how many UTF-16 units r takes.
func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// columns counts the characters of a line of monospaced text.
func columns(line string) int { return utf8.RuneCountInString(line) }

// withoutCode returns a line of Markdown with its `code spans` taken out.
func withoutCode(line string) string {
	var out strings.Builder
	for line != "" {
		open := strings.IndexByte(line, '`')
		if open < 0 {
			break
		}
		out.WriteString(line[:open])
		ticks := len(line[open:]) - len(strings.TrimLeft(line[open:], "`"))
		fence := line[open : open+ticks]
		after := line[open+ticks:]
		end := strings.Index(after, fence)
		if end < 0 { // not closed, so the ticks are plain characters
			out.WriteString(fence)
			line = after
			continue
		}
		line = after[end+ticks:]
	}
	out.WriteString(line)
	return out.String()
}

// opensTag reports whether Markdown would take a part of prose for HTML.
func opensTag(prose string) bool {
	for n := 0; n+1 < len(prose); n++ {
		next := prose[n+1] | 0x20
		letter := next >= 'a' && next <= 'z'
		if prose[n] == '<' && (letter || prose[n+1] == '/' || prose[n+1] == '!') {
			return strings.Contains(prose[n:], ">")
		}
	}
	return false
}

// isKebab reports whether s is lower-case words and digits with single hyphens.
func isKebab(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// isItemID reports whether s is a topic's id, a dot and three digits.
func isItemID(s string) bool {
	topic, number, ok := strings.Cut(s, ".")
	return ok && isKebab(topic) && len(number) == 3 && strings.Trim(number, "0123456789") == ""
}

// isWebAddress reports whether s is a plain http or https address.
func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") &&
		strings.Contains(u.Hostname(), ".") && !strings.ContainsAny(s, " \t\n")
}
