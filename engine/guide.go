package engine

import (
	"strconv"
	"strings"

	"aiprep/content"
)

// pageSize is the most characters of a guide on one page: a phone's screen or
// two, and within every platform's limit.
const pageSize = 1500

// page is a piece of a guide that fits one message.
type page struct {
	title string
	text  content.Text
}

// pages cuts a guide into pages: a section each, long ones into several.
func pages(g *content.Guide) []page {
	var all []page
	for _, s := range g.Sections {
		for n, part := range content.Parse(s.Text).Split(pageSize) {
			title := s.Title
			if n > 0 {
				title += " (" + strconv.Itoa(n+1) + ")"
			}
			all = append(all, page{title, part})
		}
	}
	return all
}

// learn serves learn [topic] [page]: a study guide, page by page.
func (t *turn) learn() (Reply, error) {
	args := t.args()
	if args["topic"] == "" {
		return t.topics()
	}
	tp, err := t.guideTopic(strings.ToLower(args["topic"]))
	if err != nil {
		return Reply{}, err
	}
	all := pages(tp.Guide)
	n, _ := strconv.Atoi(args["page"])
	n = min(max(n, 1), len(all))
	m := &Message{
		Title: t.say(wGuideTitle, "topic", tp.Title, "section", all[n-1].title),
		Text:  all[n-1].text,
	}
	var row []Button
	if n > 1 {
		row = append(row, t.button(wBack, "learn", tp.ID, strconv.Itoa(n-1)))
	}
	row = append(row, Button{Label: t.say(wPageOf, "k", n, "of", len(all)), Action: "learn " + tp.ID + " " + strconv.Itoa(n%len(all)+1)})
	if n < len(all) {
		row = append(row, t.button(wForward, "learn", tp.ID, strconv.Itoa(n+1)))
	}
	m.Buttons = [][]Button{row, {t.button(wTestMe, "test", tp.ID), t.button(wTopicList, "topics", tp.Category)}}
	return t.show(m), nil
}

// guideTopic finds the topic whose guide is wanted.
func (t *turn) guideTopic(id string) (*content.Topic, error) {
	tp := t.e.bank.Topic(id)
	switch {
	case tp != nil && tp.Guide != nil:
		return tp, nil
	case tp != nil:
		return nil, t.sorry(wGuideSoon, "topic", tp.Title)
	}
	if near := t.e.bank.Suggest(id); len(near) > 0 {
		return nil, t.sorry(wTopicUnknownNear, "topic", id, "near", strings.Join(near, ", "))
	}
	return nil, t.sorry(wTopicUnknown, "topic", id)
}

// categoriesPerPage keeps a page of topics within a few rows of buttons.
const categoriesPerPage = 8

// topics serves topics [category]: what can be learnt and tested.
func (t *turn) topics() (Reply, error) {
	args := t.args()
	if c := t.e.bank.Category(strings.ToLower(args["category"])); c != nil {
		return t.show(t.categoryTopics(c)), nil
	}
	if id := args["category"]; id != "" {
		return Reply{}, t.sorry(wTopicUnknown, "topic", id)
	}
	var open []*content.Category
	for _, c := range t.e.bank.Categories {
		if len(t.e.offered(c.ID)) > 0 {
			open = append(open, c)
		}
	}
	n, _ := strconv.Atoi(args["page"])
	last := max(1, (len(open)+categoriesPerPage-1)/categoriesPerPage)
	n = min(max(n, 1), last)
	from := (n - 1) * categoriesPerPage
	m := &Message{Title: t.say(wTopicsTitle)}
	var buttons []Button
	for _, c := range open[from:min(from+categoriesPerPage, len(open))] {
		m.Text = append(m.Text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: c.Title, Style: content.Bold}, {Text: " " + t.say(wTopicCount, "n", len(t.e.offered(c.ID)))},
		}})
		buttons = append(buttons, Button{Label: label(c.Title), Action: "topics " + c.ID})
	}
	m.Buttons = grid(buttons, 2)
	if last > 1 {
		m.Buttons = append(m.Buttons, []Button{{
			Label: t.say(wPageOf, "k", n, "of", last), Action: "topics page=" + strconv.Itoa(n%last+1),
		}})
	}
	return t.show(m), nil
}

// categoryTopics lists one category with a guide and a test for each topic.
func (t *turn) categoryTopics(c *content.Category) *Message {
	m := &Message{Title: c.Title}
	var buttons []Button
	for _, tp := range t.e.offered(c.ID) {
		m.Text = append(m.Text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: tp.Title}, {Text: " " + tp.ID, Style: content.Mono},
		}})
		action := "learn " + tp.ID
		if tp.Guide == nil {
			action = "test " + tp.ID
		}
		buttons = append(buttons, Button{Label: label(tp.Title), Action: action})
	}
	m.Buttons = append(grid(buttons, 3), []Button{
		t.button(wTestMe, "test", c.ID), t.button(wAllTopics, "topics"),
	})
	return m
}

// label shortens a title to a button's width.
func label(s string) string {
	const width = 34
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width-1]) + "…"
}
