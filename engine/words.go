package engine

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"

	"aiprep/content"
)

// Every word a person reads stands in words/<language>.yaml: a key, and either
// one template or one template a plural form ("one", "other"). A template is
// Markdown with {slots}; slot "n" chooses the form.

//go:embed words/*.yaml
var wordFiles embed.FS

// phrase holds a template by plural form; a template without forms is "other".
type phrase map[string]string

func (p *phrase) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*p = phrase{"other": n.Value}
		return nil
	}
	forms := map[string]string{}
	if err := n.Decode(&forms); err != nil {
		return err
	}
	*p = forms
	return nil
}

// catalogue is one language's words.
type catalogue struct {
	tag     language.Tag
	phrases map[word]phrase
	parsed  map[string]content.Text // every template, read once
}

// reference is the language whose catalogue says which phrases there are.
const reference = "en"

// languages are those that have a catalogue, the reference first.
func languages() []string { return []string{reference, "de", "es"} }

func loadWords(lang string) (*catalogue, error) {
	raw, err := wordFiles.ReadFile("words/" + lang + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read words of %q: %w", lang, err)
	}
	c := &catalogue{tag: language.MustParse(lang)}
	if err := yaml.Unmarshal(raw, &c.phrases); err != nil {
		return nil, fmt.Errorf("read words of %q: %w", lang, err)
	}
	c.parsed = map[string]content.Text{}
	for _, forms := range c.phrases {
		for _, template := range forms {
			c.parsed[template] = content.Parse(template)
		}
	}
	return c, nil
}

// loadCatalogues reads all languages. A phrase that one of them lacks is an
// error: nobody is spoken to in two languages at once.
func loadCatalogues() (map[string]*catalogue, error) {
	all := map[string]*catalogue{}
	for _, lang := range languages() {
		c, err := loadWords(lang)
		if err != nil {
			return nil, err
		}
		all[lang] = c
		for w := range all[reference].phrases {
			if _, ok := c.phrases[w]["other"]; !ok {
				return nil, fmt.Errorf("read words of %q: %q is missing", lang, w)
			}
		}
	}
	return all, nil
}

// lang is the language of a tag such as "de-AT", if there is a catalogue, or "".
func (e *Engine) lang(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	if _, ok := e.catalogues[base]; !ok {
		return ""
	}
	return base
}

// in returns the words of a language, those of the reference where there are
// none.
func (e *Engine) in(tag string) *catalogue { return e.catalogues[cmp.Or(e.lang(tag), reference)] }

// date writes a date with its weekday.
func (c *catalogue) date(d Date) string {
	day, month := c.list(wWeekdays), c.list(wMonths)
	at := d.noon()
	return c.say(wDateForm, "weekday", day[at.Weekday()], "day", at.Day(), "month", month[at.Month()-1])
}

// list reads a phrase that lists names.
func (c *catalogue) list(w word) []string { return strings.Fields(c.say(w)) }

// when writes an instant for a person.
func (c *catalogue) when(at time.Time, loc *time.Location) string {
	return c.date(DateOf(at, loc)) + " " + at.In(loc).Format("15:04")
}

// days writes a set of weekdays as people read it.
func (c *catalogue) days(d Days) string {
	if d == EveryDay {
		return c.say(wEveryDay)
	}
	return c.swapDays(d.String(), func(n int) (string, string) { return dayNames[n], c.list(wWeekdays)[n] })
}

// readDays puts the reference's weekdays in the place of the language's own.
func (c *catalogue) readDays(value string) string {
	return c.swapDays(value, func(n int) (string, string) { return c.list(wWeekdays)[n], dayNames[n] })
}

func (c *catalogue) swapDays(s string, pair func(int) (from, to string)) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '-' || r == ' ' })
	for _, word := range words {
		for n := range dayNames {
			if from, to := pair(n); strings.EqualFold(word, from) {
				s = strings.Replace(s, word, to, 1)
			}
		}
	}
	return s
}

// slots fill a template: name, value, name, value, ... Values are strings or
// ints and are never read as Markdown.
type slots []any

func (s slots) get(name string) (any, bool) {
	for i := 0; i+1 < len(s); i += 2 {
		if s[i] == name {
			return s[i+1], true
		}
	}
	return nil, false
}

func (s slots) fill(template string) string {
	if !strings.Contains(template, "{") {
		return template
	}
	pairs := make([]string, 0, len(s))
	for i := 0; i+1 < len(s); i += 2 {
		pairs = append(pairs, fmt.Sprintf("{%v}", s[i]), fmt.Sprint(s[i+1]))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// template picks the right plural form.
func (c *catalogue) template(w word, s slots) string {
	forms := c.phrases[w]
	n, counted := s.get("n")
	if num, ok := n.(int); counted && ok && len(forms) > 1 {
		digits := []byte(strconv.Itoa(max(num, -num)))
		for i := range digits {
			digits[i] -= '0'
		}
		form := plural.Cardinal.MatchDigits(c.tag, digits, len(digits), 0)
		name := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}[form]
		if t, ok := forms[name]; ok {
			return t
		}
	}
	return forms["other"]
}

// say fills a phrase as a plain line: for titles, labels and first lines.
func (c *catalogue) say(w word, s ...any) string {
	return slots(s).fill(c.template(w, s))
}

// text fills a phrase as styled Text. Slots are filled after the Markdown was
// read, so a name cannot add any.
func (c *catalogue) text(w word, s ...any) content.Text {
	parsed := c.parsed[c.template(w, s)]
	t := make(content.Text, len(parsed))
	for i := range parsed {
		t[i] = parsed[i]
		t[i].Spans = slices.Clone(parsed[i].Spans)
		for j := range t[i].Spans {
			t[i].Spans[j].Text = slots(s).fill(t[i].Spans[j].Text)
		}
	}
	return t
}
