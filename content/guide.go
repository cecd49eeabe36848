package content

import "time"

// Guide is the study guide of a topic.
type Guide struct {
	Topic    string // the short id of the topic it explains; NewBank fills it
	Title    string
	Checked  time.Time // when its facts were last checked; midnight in UTC
	ReviewBy time.Time // when they must be checked again; zero if not said
	Versions string    // what they hold for, or ""
	Sections []Section // in the order of SectionIDs
	Related  []string  // the ids of related topics, all in the bank
	Sources  []string  // the documents it rests on, each as one line of Markdown

	File string // where it stands, for messages: "guides/<category>/<topic>.md"

	relatedLines []int // the line of each of Related in File
}

// Section is one chapter of a guide.
type Section struct {
	ID    string // one of SectionIDs
	Title string // the heading, such as "How it works"
	Text  string // Markdown, without the heading; parts begin with ### headings
	Line  int    // of the heading in the guide's File, from 1

	start int // the line of Text's first line
}

// Section returns the section with that id, or nil.
func (g *Guide) Section(id string) *Section {
	for n := range g.Sections {
		if g.Sections[n].ID == id {
			return &g.Sections[n]
		}
	}
	return nil
}

// lineOf returns the line in the guide of the nth line, from 0, of s.Text.
func (s Section) lineOf(n int) int { return s.start + n }

// chapter is a section that every guide has.
type chapter struct{ id, title string }

// chapters returns the sections of a guide in their order.
func chapters() []chapter {
	return []chapter{
		{"overview", "Overview"},
		{"why", "Why it matters"},
		{"how", "How it works"},
		{"patterns", "Patterns"},
		{"production", "In production"},
		{"faq", "FAQ"},
		{"levels", "What is expected"},
		{"answers", "Strong and weak answers"},
		{"related", "Related topics"},
		{"sources", "Sources"},
	}
}

// SectionIDs returns the ids of the sections that every guide has, in order:
// overview, why, how, patterns, production, faq, levels, answers, related,
// sources.
func SectionIDs() []string {
	var ids []string
	for _, c := range chapters() {
		ids = append(ids, c.id)
	}
	return ids
}
