package content

import (
	"slices"
	"strings"
)

const (
	diagramColumns = 36 // what a phone shows of monospaced text in a message
	codeColumns    = 48
)

// checkSection reports what the section needs and lacks.
func (r *guideReader) checkSection(s Section) {
	if s.ID != "" && s.Text == "" {
		r.fail(s.Line, "write the section %q", s.Title)
		return
	}
	r.checkFences(s)
	r.checkMarkup(s)
	switch s.ID {
	case "overview":
		r.checkLength(s.Line, "the overview", s.Text, 200, 1800)
	case "patterns":
		r.checkPatterns(s)
	case "production":
		r.checkProduction(s)
	case "faq":
		r.checkFAQ(s)
	case "levels":
		r.checkLevels(s)
	case "answers":
		for _, label := range []string{"**Strong:**", "**Weak:**"} {
			if !strings.Contains("\n"+s.Text, "\n"+label) {
				r.fail(s.Line, "add a paragraph that begins with %s", label)
			}
		}
	case "related":
		r.readRelated(s)
	case "sources":
		r.readSources(s)
	}
}

func (r *guideReader) checkLength(line int, what, text string, low, high int) {
	if n := length(text); n < low || n > high {
		r.fail(line, "bring %s to %d..%d characters: it has %d", what, low, high, n)
	}
}

// checkFences reports listings that are too wide for a phone, and a missing
// diagram. A fence without a language holds a diagram.
func (r *guideReader) checkFences(s Section) {
	diagrams, fenced, wide := 0, false, 0
	for n, line := range strings.Split(s.Text, "\n") {
		if isFence(line) {
			lang := strings.Trim(strings.TrimSpace(line), "`")
			fenced, wide = !fenced, codeColumns
			if lang == "" || lang == "text" {
				wide = diagramColumns
				if fenced {
					diagrams++
				}
			}
			continue
		}
		if fenced && columns(line) > wide {
			r.fail(s.lineOf(n), "narrow this line to %d columns: it has %d", wide, columns(line))
		}
	}
	if s.ID == "how" && diagrams == 0 {
		r.fail(s.Line, "draw a diagram of at most %d columns in a ``` fence without a language", diagramColumns)
	}
}

// checkMarkup reports what chats cannot show.
func (r *guideReader) checkMarkup(s Section) {
	fenced := false
	for n, line := range strings.Split(s.Text, "\n") {
		if isFence(line) {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		prose := withoutCode(line)
		switch {
		case strings.Contains(prose, "!["):
			r.fail(s.lineOf(n), "remove the image: guides are text")
		case strings.HasPrefix(strings.TrimSpace(prose), "|"):
			r.fail(s.lineOf(n), "write the table as a list: chats show no tables")
		case opensTag(prose):
			r.fail(s.lineOf(n), "remove the HTML, or put it in `backticks`")
		}
	}
}

func (r *guideReader) checkPatterns(s Section) {
	patterns := parts(s)[1:]
	if len(patterns) < 2 || len(patterns) > 6 {
		r.fail(s.Line, `write 2 to 6 patterns as "### Name", not %d`, len(patterns))
	}
	for _, p := range patterns {
		if !strings.Contains("\n"+p.text, "\n**Trade-off") {
			r.fail(p.line, `add a line that begins with "**Trade-off:**" to the pattern %q`, p.title)
		}
	}
}

func (r *guideReader) checkProduction(s Section) {
	want := []string{"Reliability", "Scalability", "Performance", "Cost", "Security", "Monitoring"}
	got := rows(s)
	for n, row := range got {
		switch {
		case n >= len(want):
			r.fail(row.line, "remove this row: In production has exactly %d", len(want))
		case !strings.HasPrefix(row.text, "**"+want[n]+":** "):
			r.fail(row.line, `begin row %d with "**%s:** "`, n+1, want[n])
		default:
			r.checkLength(row.line, "the row "+want[n], strings.ReplaceAll(row.text, "**", ""), 40, 300)
		}
	}
	for _, missing := range want[min(len(got), len(want)):] {
		r.fail(s.Line, `add the row "- **%s:** ..."`, missing)
	}
}

func (r *guideReader) checkFAQ(s Section) {
	questions := parts(s)[1:]
	if len(questions) < 5 || len(questions) > 12 {
		r.fail(s.Line, `write 5 to 12 questions as "### Question?", not %d`, len(questions))
	}
	for _, q := range questions {
		if length(q.title) > 160 {
			r.fail(q.line, "shorten the question to 160 characters: it has %d", length(q.title))
		}
		if !strings.HasSuffix(q.title, "?") {
			r.fail(q.line, "end the question with a question mark")
		}
		r.checkLength(q.line, "the answer", q.text, 60, 700)
	}
}

func (r *guideReader) checkLevels(s Section) {
	want := []string{"Junior", "Mid", "Senior"}
	var got []string
	for _, p := range parts(s)[1:] {
		got = append(got, p.title)
		points := rows(Section{Text: p.text})
		if slices.Contains(want, p.title) && len(points) < 2 {
			r.fail(p.line, "list at least 2 points for %s, not %d", p.title, len(points))
		}
	}
	if !slices.Equal(got, want) {
		r.fail(s.Line, `write the parts "### Junior", "### Mid", "### Senior", in this order`)
	}
}

func (r *guideReader) readRelated(s Section) {
	for _, row := range rows(s) {
		id, _, ok := strings.Cut(strings.TrimPrefix(row.text, "`"), "`")
		if !ok || !strings.HasPrefix(row.text, "`") {
			r.fail(row.line, "begin the row with a topic's id in `backticks`")
			continue
		}
		r.guide.Related = append(r.guide.Related, id[strings.LastIndex(id, "/")+1:])
		r.guide.relatedLines = append(r.guide.relatedLines, row.line)
	}
	if len(r.guide.Related) == 0 {
		r.fail(s.Line, "list at least one related topic as \"- `topic-id`: why\"")
	}
}

func (r *guideReader) readSources(s Section) {
	for _, row := range rows(s) {
		r.guide.Sources = append(r.guide.Sources, row.text)
	}
	if len(r.guide.Sources) == 0 {
		r.fail(s.Line, "list at least one source")
	}
}

// crossCheckGuide reports another title than the pack's, and related topics
// that do not exist.
func (b *Bank) crossCheckGuide(t *Topic) Problems {
	var problems Problems
	g := t.Guide
	if g.Title != t.Title && g.Title != "" {
		problems = append(problems, Problem{File: g.File, Text: `write title as "` + t.Title + `", as the pack does`})
	}
	for n, id := range g.Related {
		text := ""
		switch {
		case id == t.ID:
			text = "remove this row: a topic is not related to itself"
		case b.Topic(id) == nil:
			text = "replace " + id + ": the taxonomy has no such topic"
			if near := b.Suggest(id); len(near) > 0 {
				text += "; near it are " + strings.Join(near, ", ")
			}
		default:
			continue
		}
		line := 0
		if n < len(g.relatedLines) {
			line = g.relatedLines[n]
		}
		problems = append(problems, Problem{g.File, line, text})
	}
	return problems
}
