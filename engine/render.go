package engine

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"aiprep/content"
)

// random is a generator that nobody outside can predict and a replay repeats.
func (e *Engine) random(purpose string, parts ...string) *rand.Rand {
	return rand.New(rand.NewChaCha8([32]byte(mac(e.secret, purpose, parts...))))
}

// question renders stem, code and lettered options.
func question(i *content.Item, order []int) content.Text {
	text := content.Parse(i.Stem)
	if i.Code != nil {
		text = append(text, content.Block{Kind: content.CodeBlock, Lang: i.Code.Lang, Spans: []content.Span{{Text: i.Code.Text}}})
	}
	for n, at := range order {
		text = append(text, optionLine(string(rune('A'+n))+".", i.Options[at]))
	}
	return text
}

// optionLine is one option behind its mark.
func optionLine(mark string, o content.Option) content.Block {
	b := content.Block{Kind: content.ListItem, Mark: mark}
	for _, p := range content.Parse(o.Text) {
		b.Spans = append(b.Spans, p.Spans...)
	}
	return b
}

// letters makes the answer buttons: one a letter, "I don't know" below.
func (c *catalogue) letters(verb string, token ID, prefix string, n int) [][]Button {
	var row []Button
	for k := range n {
		letter := string(rune('a' + k))
		row = append(row, Button{
			Label:  strings.ToUpper(letter),
			Action: fmt.Sprintf("%s %s %s%s", verb, token, prefix, letter),
		})
	}
	skip := Button{
		Label:  c.say(wDontKnow),
		Action: fmt.Sprintf("%s %s %s%s", verb, token, prefix, dontKnow),
	}
	return [][]Button{row, {skip}}
}

// quizOf describes the question to platforms with native quizzes.
func quizOf(i *content.Item, order []int) *Quiz {
	q := &Quiz{Explain: content.Parse(i.Short).String()}
	if i.Code == nil {
		q.Question = content.Parse(i.Stem).String()
	}
	for n, at := range order {
		q.Options = append(q.Options, content.Parse(i.Options[at].Text).String())
		if i.Options[at].Correct {
			q.Key = n
		}
	}
	return q
}

// verdict says how an answer went: a first line that stands alone, the reason,
// and what was chosen instead. full adds the whole explanation.
func (c *catalogue) verdict(i *content.Item, order []int, option string, full bool) *Message {
	key := i.Options[i.Key()]
	letter := letterOf(i, order, key.Key)
	m := &Message{}
	switch option {
	case key.Key:
		m.Title = c.say(wVerdictRight, "letter", letter)
	case dontKnow:
		m.Title = c.say(wVerdictSkipped, "letter", letter)
	default:
		m.Title = c.say(wVerdictWrong, "letter", letter)
	}
	m.Text = append(m.Text, content.Parse(i.Short)...)
	m.Text = append(m.Text, optionLine("✓ "+letter+".", key))
	for _, o := range i.Options {
		if o.Key == option && !o.Correct {
			m.Text = append(m.Text, optionLine("✗ "+letterOf(i, order, o.Key)+".", o))
			m.Text = append(m.Text, content.Parse(o.Why)...)
		}
	}
	if full {
		m.Text = append(m.Text, c.explanation(i, order)...)
	}
	return m
}

// explanation is the whole reason, with why each other option fails.
func (c *catalogue) explanation(i *content.Item, order []int) content.Text {
	text := content.Parse(i.Full)
	for n, at := range order {
		o := i.Options[at]
		if o.Correct {
			continue
		}
		b := content.Block{Kind: content.ListItem, Mark: string(rune('A'+n)) + "."}
		for _, p := range content.Parse(o.Why) {
			b.Spans = append(b.Spans, p.Spans...)
		}
		text = append(text, b)
	}
	if len(i.Sources) > 0 {
		src := i.Sources[0]
		text = append(text, content.Block{Spans: []content.Span{
			{Text: c.say(wSource) + " "}, {Text: src.Title, Style: content.Italic, URL: src.URL},
		}})
	}
	return text
}

// bar draws a share as at most ten blocks.
func bar(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return strings.Repeat("▇", (part*10+whole/2)/whole)
}

// grid lays buttons out in rows.
func grid(buttons []Button, columns int) [][]Button {
	var rows [][]Button
	for len(buttons) > 0 {
		n := min(columns, len(buttons))
		rows = append(rows, buttons[:n])
		buttons = buttons[n:]
	}
	return rows
}

// seed turns derived bytes into the seed of one selection.
func (e *Engine) seed(purpose string, token ID, step int) [32]byte {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(step))
	return [32]byte(mac(e.secret, purpose, string(token), string(n[:])))
}

// flat is all of a text's spans in one line.
func flat(t content.Text) []content.Span {
	var spans []content.Span
	for n, b := range t {
		if n > 0 {
			spans = append(spans, content.Span{Text: " "})
		}
		spans = append(spans, b.Spans...)
	}
	return spans
}
