package bottest

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// units is the length of s in UTF-16 code units, the measure of entities and,
// to be on the safe side, of every limit "in characters".
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// formatted reads a text parameter with its parse mode or entities, and checks
// all of it. least 0 allows an absent or empty text; the limit counts after
// parsing (https://core.telegram.org/bots/api#formatting-options).
func (c *tgCall) formatted(text, mode, entities string, least, most int) (string, []TelegramEntity, *tgError) {
	var marks []TelegramEntity
	if _, fail := c.object(entities, &marks); fail != nil {
		return "", nil, fail
	}
	return formattedText(c.text(text), c.text(mode), marks, least, most, text)
}

// formattedText does the work of formatted for nested objects too; what names the
// text in refusals.
func formattedText(text, mode string, marks []TelegramEntity, least, most int, what string) (string, []TelegramEntity, *tgError) {
	if !utf8.ValidString(text) {
		return "", nil, violation("strings must be encoded in UTF-8")
	}
	switch {
	case mode == "":
	case !strings.EqualFold(mode, "HTML"):
		return "", nil, violation("unsupported parse_mode").because("parse_mode %q is not implemented by the fake: HTML or entities", mode)
	case len(marks) > 0:
		return "", nil, violation("%s has both a parse mode and entities", what)
	default:
		var fail *tgError
		if text, marks, fail = parseTelegramHTML(text); fail != nil {
			return "", nil, fail
		}
	}
	if fail := checkEntities(text, marks); fail != nil {
		return "", nil, fail
	}
	text, marks = trimText(text, marks)
	n := units(text)
	switch {
	case n < least && what == "text":
		return "", nil, violation("message text is empty")
	case n < least:
		return "", nil, violation("%s must be non-empty", what)
	case n > most && what == "caption":
		return "", nil, violation("message caption is too long").because("caption: %d UTF-16 units, at most %d", n, most)
	case n > most && what == "text":
		return "", nil, violation("message is too long").because("text: %d UTF-16 units, at most %d", n, most)
	case n > most:
		return "", nil, violation("%s is too long", what).because("%s: %d UTF-16 units, at most %d", what, n, most)
	}
	return text, marks, nil
}

// trimText removes the white space at both ends, which the server does not keep,
// and moves the entities along.
func trimText(text string, marks []TelegramEntity) (string, []TelegramEntity) {
	kept := strings.TrimLeftFunc(text, unicode.IsSpace)
	shift := units(text) - units(kept)
	kept = strings.TrimRightFunc(kept, unicode.IsSpace)
	end := units(kept)
	var out []TelegramEntity
	for _, e := range marks {
		from, to := max(e.Offset-shift, 0), min(e.Offset+e.Length-shift, end)
		if to > from {
			e.Offset, e.Length = from, to-from
			out = append(out, e)
		}
	}
	return kept, out
}

// Kinds of entities by how they may nest
// (https://core.telegram.org/bots/api#formatting-options).
func entityClass(kind string) string {
	switch kind {
	case "bold", "italic", "underline", "strikethrough", "spoiler":
		return "style"
	case "code", "pre":
		return "code"
	case "blockquote", "expandable_blockquote":
		return "quote"
	case "text_link", "text_mention", "mention", "hashtag", "cashtag", "bot_command", "url", "email",
		"phone_number", "custom_emoji", "date_time":
		return "link"
	}
	return ""
}

// checkEntities refuses entities outside the text or inside a character, of an
// unknown kind, with fields of another kind, or nested against the rules. The
// real server repairs some of these; the result is then not what the bot meant.
func checkEntities(text string, marks []TelegramEntity) *tgError {
	cut := boundaries(text)
	length := len(cut) - 1
	for _, e := range marks {
		end := e.Offset + e.Length
		switch {
		case e.Offset < 0 || e.Length <= 0:
			return violation("entity %s has offset %d and length %d", e.Type, e.Offset, e.Length)
		case e.Offset >= length:
			return violation("entity begins after the end of the text at UTF-16 offset %d", length)
		case end > length:
			return violation("entity beginning at UTF-16 offset %d ends after the end of the text at UTF-16 offset %d", e.Offset, length)
		case !cut[e.Offset]:
			return violation("entity begins in a middle of a UTF-16 symbol at UTF-16 offset %d", e.Offset)
		case !cut[end]:
			return violation("entity beginning at UTF-16 offset %d ends in a middle of a UTF-16 symbol", e.Offset)
		}
		if fail := checkEntity(e); fail != nil {
			return fail
		}
	}
	return checkNesting(marks)
}

func checkEntity(e TelegramEntity) *tgError {
	switch {
	case entityClass(e.Type) == "":
		return violation("unsupported type specified: %q", e.Type)
	case (e.Type == "text_link") != (e.URL != ""):
		return violation("entity %s: url belongs to text_link, and only there", e.Type)
	case e.Type == "text_link" && !goodLink(e.URL):
		return violation("entity text_link: %q is no link that the server keeps", e.URL)
	case (e.Type == "text_mention") != (e.User != nil):
		return violation("entity %s: user belongs to text_mention, and only there", e.Type)
	case e.Type != "pre" && e.Language != "":
		return violation("entity %s: language belongs to pre only", e.Type)
	case (e.Type == "custom_emoji") != (e.CustomEmojiID != ""):
		return violation("invalid custom emoji identifier specified")
	}
	return nil
}

// goodLink reports whether the server would keep a link rather than drop it.
func goodLink(link string) bool {
	scheme, rest, ok := strings.Cut(link, "://")
	if !ok || rest == "" || strings.ContainsAny(link, " \n\t") {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		host, _, _ := strings.Cut(rest, "/")
		return strings.Contains(host, ".") || strings.HasPrefix(host, "localhost")
	case "tg", "ton", "tonsite":
		return true
	}
	return false
}

// checkNesting allows entities to contain each other but not to overlap in part.
func checkNesting(marks []TelegramEntity) *tgError {
	sorted := slices.Clone(marks)
	sort.SliceStable(sorted, func(i, j int) bool {
		if sorted[i].Offset != sorted[j].Offset {
			return sorted[i].Offset < sorted[j].Offset
		}
		return sorted[i].Length > sorted[j].Length
	})
	for i, outer := range sorted {
		for _, inner := range sorted[i+1:] {
			if inner.Offset >= outer.Offset+outer.Length {
				break
			}
			a, b := entityClass(outer.Type), entityClass(inner.Type)
			switch {
			case inner.Offset+inner.Length > outer.Offset+outer.Length:
				return violation("entities %s and %s overlap in part at UTF-16 offset %d", outer.Type, inner.Type, inner.Offset)
			case a == "quote" && b != "quote":
				// A quotation holds anything but another one.
			case a == "code" || b == "code", a == b && a != "style", a == "link" && b == "quote":
				return violation("entity %s can't contain %s at UTF-16 offset %d", outer.Type, inner.Type, inner.Offset)
			case outer.Type == inner.Type:
				return violation("entity %s contains itself at UTF-16 offset %d", outer.Type, inner.Offset)
			}
		}
	}
	return nil
}

// boundaries tells for each UTF-16 offset, the end included, whether a character
// begins there.
func boundaries(text string) []bool {
	var cut []bool
	for _, r := range text {
		cut = append(cut, true)
		if r > 0xFFFF {
			cut = append(cut, false)
		}
	}
	return append(cut, true)
}

// detect finds what the server marks in a person's text: commands and mentions
// (tdlib/td, MessageEntity.cpp, match_bot_commands and match_mentions).
func detect(text string) []TelegramEntity {
	runes := []rune(text)
	var out []TelegramEntity
	offset := 0
	for i := 0; i < len(runes); {
		n := 0
		kind := ""
		if before := at(runes, i-1); runes[i] == '/' && !wordRune(before) && !strings.ContainsRune("/<>", before) {
			n, kind = commandLength(runes[i:]), "bot_command"
		} else if runes[i] == '@' && !wordRune(before) {
			n, kind = nameLength(runes[i+1:], 2, 32), "mention"
			if n > 0 {
				n++
			}
		}
		if after := at(runes, i+n); n > 0 && !wordRune(after) && (kind == "mention" || !strings.ContainsRune("/<>", after)) {
			out = append(out, TelegramEntity{Type: kind, Offset: offset, Length: n}) // ASCII only
		} else {
			n = 1
		}
		for range n {
			offset += utf16.RuneLen(runes[i])
			i++
		}
	}
	return out
}

// at is the rune at i, or a space outside.
func at(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return ' '
	}
	return runes[i]
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// nameLength counts the leading a-z, 0-9 and _ when they are least to most.
func nameLength(runes []rune, least, most int) int {
	n := 0
	for n < len(runes) && runes[n] < utf8.RuneSelf && wordRune(runes[n]) {
		n++
	}
	if n < least || n > most {
		return 0
	}
	return n
}

// commandLength is the length of "/name" or "/name@bot", 0 for neither.
func commandLength(runes []rune) int {
	n := nameLength(runes[1:], 1, 64)
	if n == 0 {
		return 0
	}
	n++
	if at(runes, n) == '@' {
		m := nameLength(runes[n+1:], 3, 32)
		if m == 0 {
			return 0
		}
		n += 1 + m
	}
	return n
}
