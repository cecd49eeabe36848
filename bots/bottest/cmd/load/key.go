package main

import (
	"regexp"
	"strings"

	"aiprep/content"
)

// answerKey knows what is right, by what stands on the screen.
type answerKey struct{ items map[string]*content.Item }

func newAnswerKey(b *content.Bank) *answerKey {
	k := &answerKey{map[string]*content.Item{}}
	for _, cat := range b.Categories {
		for _, tp := range cat.Topics {
			for _, it := range tp.Items {
				k.items[opening(it.Stem)] = it
			}
		}
	}
	return k
}

// opening is the first line of a stem without any markup.
func opening(stem string) string {
	line, _, _ := strings.Cut(stem, "\n")
	return letters.ReplaceAllString(line, "")
}

var (
	letters = regexp.MustCompile(`[^\pL\pN]+`)
	option  = regexp.MustCompile(`^\W*([A-F])[.)\]]?\W+(.+)$`)
)

// question finds the item on a screen, its letters, and which of them is right;
// key is empty when the screen is not understood.
func (k *answerKey) question(text string) (it *content.Item, all []string, key string) {
	for line := range strings.Lines(text) {
		if it == nil {
			it = k.items[opening(line)]
			continue
		}
		m := option.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		letter := strings.ToLower(m[1])
		all = append(all, letter)
		for _, o := range it.Options {
			if o.Correct && opening(o.Text) == opening(m[2]) {
				key = letter
			}
		}
	}
	return it, all, key
}
