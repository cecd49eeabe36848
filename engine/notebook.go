package engine

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"aiprep/content"
)

// csvNotebook writes the cards as CSV (RFC 4180) with a heading.
func (t *turn) csvNotebook(w io.Writer, all []noted) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"item", "topic", "level", "question", "answer", "reason", "due", "missed"}}
	for _, c := range all {
		rows = append(rows, []string{
			c.item.ID, t.e.bank.Topic(c.item.Topic).Title, c.item.Level.String(),
			questionText(c.item), content.Parse(c.item.Options[c.item.Key()].Text).String(),
			content.Parse(c.item.Full).String(), c.Due.String(), strconv.Itoa(int(c.Missed)),
		})
	}
	return out.WriteAll(rows)
}

// ankiNotebook writes the cards as Anki's text import takes them (Anki manual,
// "Text files"): front, back and tags with tabs between, one line a note.
func (t *turn) ankiNotebook(w io.Writer, all []noted) error {
	var b strings.Builder
	b.WriteString("#separator:tab\n#html:true\n#columns:Front\tBack\tTags\n#tags column:3\n")
	cell := func(s string) string {
		s = html.EscapeString(strings.TrimSpace(s))
		return strings.NewReplacer("\t", " ", "\r", "", "\n", "<br>").Replace(s)
	}
	for _, c := range all {
		back := content.Parse(c.item.Options[c.item.Key()].Text).String() + "\n\n" + content.Parse(c.item.Full).String()
		fmt.Fprintf(&b, "%s\t%s\taiprep %s %s\n", cell(questionText(c.item)), cell(back), c.item.Topic, c.item.Level)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// questionText is an item's question in plain words, its options in the order
// of the file.
func questionText(i *content.Item) string {
	order := make([]int, len(i.Options))
	for n := range order {
		order[n] = n
	}
	return question(i, order).String()
}
