package engine

import (
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// langAuto is the choice to follow the platform.
const langAuto = "auto"

// languageName is what a language calls itself.
func languageName(lang string) string {
	name := []rune(display.Self.Name(language.MustParse(lang)))
	return strings.ToUpper(string(name[:1])) + string(name[1:])
}

// readLanguage reads a language that there are words in, or "auto", which is "".
func (t *turn) readLanguage(value string) (string, error) {
	if strings.EqualFold(value, langAuto) {
		return "", nil
	}
	lang := t.e.lang(value)
	if lang == "" {
		return "", t.sorry(wBadLanguage, "value", value, "languages", strings.Join(languages(), ", "))
	}
	return lang, nil
}

// languageSaid names a choice of language.
func (t *turn) languageSaid(lang string) string {
	if lang == "" {
		return t.say(wLangAuto)
	}
	return languageName(lang)
}
