package content

import (
	"fmt"
	"slices"
	"strings"
)

// guideReader splits a guide's Markdown into sections by its lines, and
// collects what is wrong. Goldmark is not asked: Load reads every guide at
// start, and all that it checks stands at the beginning of a line.
type guideReader struct {
	guide    *Guide
	problems Problems
}

// readGuide decodes the guide in data; what is wrong with it is in problems.
func readGuide(file string, data []byte) (*Guide, Problems) {
	r := &guideReader{guide: &Guide{File: file}}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	body := r.frontMatter(lines)
	r.split(lines, body)
	r.checkHeadings()
	for _, s := range r.guide.Sections {
		r.checkSection(s)
	}
	return r.guide, r.problems
}

func (r *guideReader) fail(line int, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.guide.File, line, fmt.Sprintf(format, args...)})
}

// frontMatter reads the YAML between the first two "---" lines and returns the
// index of the line after it.
func (r *guideReader) frontMatter(lines []string) int {
	end := -1
	if lines[0] == "---" {
		end = slices.Index(lines[1:], "---") + 1
	}
	if end < 1 {
		r.fail(1, `begin the guide with front matter: "---", topic, title, checked, "---"`)
		return 0
	}
	d := &decoder{file: r.guide.File, offset: 1}
	if n := d.document([]byte(strings.Join(lines[1:end], "\n"))); n != nil {
		g := r.guide
		d.object(n, "the front matter", []field{
			{"topic", must, d.ownTopic(&g.Topic)},
			{"title", must, d.text("title", &g.Title)},
			{"checked", must, d.date("checked", &g.Checked)},
			{"review_by", may, d.date("review_by", &g.ReviewBy)},
			{"versions", may, d.text("versions", &g.Versions)},
		})
	}
	r.problems = append(r.problems, d.problems...)
	return end + 1
}

// split cuts the lines from index body on into sections at "## " headings.
func (r *guideReader) split(lines []string, body int) {
	var section *Section
	var text []string
	finish := func() {
		if section != nil {
			blank := 0
			for blank < len(text) && strings.TrimSpace(text[blank]) == "" {
				blank++
			}
			section.start = section.Line + 1 + blank
			section.Text = strings.TrimSpace(strings.Join(text[blank:], "\n"))
			r.guide.Sections = append(r.guide.Sections, *section)
		}
		text = nil
	}
	fenced := false
	for n, line := range lines[body:] {
		at := body + n + 1
		if isFence(line) {
			fenced = !fenced
		}
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case heading && !fenced:
			finish()
			section = &Section{Title: strings.TrimSpace(title), Line: at}
		case strings.HasPrefix(line, "# ") && !fenced:
			r.fail(at, `remove this heading: the title stands in the front matter, sections begin with "## "`)
		case section == nil && strings.TrimSpace(line) != "":
			r.fail(at, `move this line below the heading "## Overview"`)
		default:
			text = append(text, line)
		}
	}
	if fenced {
		r.fail(len(lines), "close the ``` fence that is open at the end of the guide")
	}
	finish()
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

// checkHeadings gives each section its id and reports those that are missing,
// unknown or out of order.
func (r *guideReader) checkHeadings() {
	want := chapters()
	titles := make([]string, len(want))
	for n, c := range want {
		titles[n] = c.title
	}
	last, seen := -1, map[string]bool{}
	for n := range r.guide.Sections {
		s := &r.guide.Sections[n]
		k := slices.Index(titles, s.Title)
		switch {
		case k < 0:
			r.fail(s.Line, "rename or remove the section %q%s", s.Title, didYouMean(s.Title, titles))
			continue
		case seen[s.Title]:
			r.fail(s.Line, "remove this second section %q", s.Title)
		case k < last:
			r.fail(s.Line, "move the section %q before %q", s.Title, titles[last])
		}
		s.ID, last = want[k].id, max(k, last)
		seen[s.Title] = true
	}
	for _, t := range titles {
		if !seen[t] {
			r.fail(0, `add the section "## %s"`, t)
		}
	}
}

// part is a "### " piece of a section.
type part struct {
	title string
	text  string
	line  int
}

// parts returns the "### " pieces of s. Its first, without a title, is what
// stands before them; it may be empty.
func parts(s Section) []part {
	out := []part{{line: s.Line}}
	fenced := false
	for n, line := range strings.Split(s.Text, "\n") {
		fenced = fenced != isFence(line)
		if title, ok := strings.CutPrefix(line, "### "); ok && !fenced {
			out = append(out, part{title: strings.TrimSpace(title), line: s.lineOf(n)})
			continue
		}
		out[len(out)-1].text += line + "\n"
	}
	for n := range out {
		out[n].text = strings.TrimSpace(out[n].text)
	}
	return out
}

// row is one top-level entry of a list, its lines joined by spaces.
type row struct {
	text string
	line int
}

// rows returns the top-level list entries in s.
func rows(s Section) []row {
	var out []row
	open, fenced := false, false
	for n, line := range strings.Split(s.Text, "\n") {
		fenced = fenced != isFence(line)
		text, starts := cutBullet(line)
		switch {
		case fenced:
		case starts:
			out = append(out, row{text, s.lineOf(n)})
			open = true
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			open = false
		case open:
			out[len(out)-1].text += " " + strings.TrimSpace(line)
		}
	}
	return out
}

func cutBullet(line string) (text string, ok bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if text, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(text), true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	if text, ok := strings.CutPrefix(digits, ". "); ok && len(digits) < len(line) {
		return strings.TrimSpace(text), true
	}
	return "", false
}
