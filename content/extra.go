package content

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// The category for an operator's topics that fit none of the taxonomy's.
const (
	customID    = "custom"
	customTitle = "Custom topics"
)

// extraFrom is the first number of an operator's items. Those that are built in
// stay below, so that no later release takes an id that is in use.
const extraFrom = "500"

// Extend returns b with an operator's own packs and guides of fsys added, which
// stand as in Load: bank/<category>/<topic>.yaml and
// guides/<category>/<topic>.md. b stays as it is.
//
// A topic that b lacks is new; its levels are those of its items. Its category
// is one of b's, or "custom". A topic that b has gets the items, and keeps its
// title. Items are numbered from 500; no item and no guide may take the place
// of another.
//
// The rules of form and the errors of Lint hold as they do for what is built
// in, but for the age and the number of items, which must not keep a bot from
// starting.
// Faults come back as Problems whose files begin with root.
func (b *Bank) Extend(fsys fs.FS, root string) (*Bank, error) {
	files, problems, err := contentFiles(fsys)
	if err != nil {
		return nil, err
	}
	if len(files)+len(problems) == 0 {
		return nil, fmt.Errorf("read extra content: %s has neither bank/<category>/<topic>.yaml nor guides/<category>/<topic>.md", root)
	}
	parsed, err := readAll(fsys, files)
	if err != nil {
		return nil, err
	}
	x := &addition{root: root, bank: NewBank(b.copyTree()), topics: map[string]*Topic{}}
	for _, p := range problems {
		x.fail(p.File, p.Line, "%s", p.Text)
	}
	for _, f := range parsed {
		for _, p := range f.problems {
			x.fail(f.name, p.Line, "%s", p.Text)
		}
		x.put(f)
	}
	x.bank = NewBank(x.bank.Categories) // with the new names
	if x.problems = append(x.problems, x.bank.crossCheck()...); len(x.problems) == 0 {
		x.lint()
	}
	if len(x.problems) > 0 {
		x.problems.sort()
		return x.bank, x.problems
	}
	return x.bank, nil
}

// copyTree returns b's categories and topics anew, with the same items.
func (b *Bank) copyTree() []*Category {
	var categories []*Category
	for _, c := range b.Categories {
		category := *c
		category.Topics = nil
		for _, t := range c.Topics {
			topic := *t
			topic.Items = slices.Clone(t.Items)
			category.Topics = append(category.Topics, &topic)
		}
		categories = append(categories, &category)
	}
	return categories
}

// addition is a bank while an operator's files are put into it.
type addition struct {
	root     string
	bank     *Bank
	own      []*Category       // what the files hold, apart from the rest
	topics   map[string]*Topic // of own, by path
	problems Problems
}

func (x *addition) fail(file string, line int, format string, args ...any) {
	x.problems = append(x.problems, Problem{path.Join(x.root, file), line, fmt.Sprintf(format, args...)})
}

// put adds what one file holds to its topic.
func (x *addition) put(f file) {
	t := x.topic(f.name)
	if t == nil {
		return
	}
	titled, own := len(t.Items) > 0 || t.Guide != nil, x.ownTopic(t)
	title := ""
	if g := f.guide; g != nil {
		if t.Guide != nil {
			x.fail(f.name, 0, "remove this guide: %s has one already", t.Path())
			return
		}
		g.File = path.Join(x.root, f.name)
		t.Guide, own.Guide, title = g, g, g.Title
	} else {
		title = f.pack.title
		x.checkNumbers(f, t)
		for _, i := range f.pack.items {
			i.File = path.Join(x.root, f.name)
		}
		t.Items = append(t.Items, f.pack.items...)
		own.Items = f.pack.items
		if len(t.Levels) == 0 {
			t.Levels = levelsOf(t.Items)
		}
	}
	if own.Title = title; !titled && title != "" {
		t.Title = title
	}
}

// checkNumbers reports items whose numbers are for what is built in.
func (x *addition) checkNumbers(f file, t *Topic) {
	for _, i := range f.pack.items {
		if number := strings.TrimPrefix(path.Ext(i.ID), "."); isItemID(i.ID) && number < extraFrom {
			x.fail(f.name, i.Line, "renumber %s from %s.%s on: lower numbers are for what is built in", i.ID, t.ID, extraFrom)
		}
	}
}

// levelsOf returns the levels that items have, from Junior on.
func levelsOf(items []*Item) []Level {
	var levels []Level
	for _, l := range Levels() {
		if slices.ContainsFunc(items, func(i *Item) bool { return i.Level == l }) {
			levels = append(levels, l)
		}
	}
	return levels
}

// topic returns the topic that a file's path names, a new one if there is none,
// or nil after reporting why there can be none.
func (x *addition) topic(name string) *Topic {
	category, id, _ := strings.Cut(topicOf(name), "/")
	c, t := x.category(category), x.bank.Topic(id)
	switch {
	case c == nil:
		x.fail(name, 0, "move this file to the folder of a category, or to %s: there is no category %q%s", customID, category, didYouMean(category, x.categoryIDs()))
	case t != nil && t.Category != c.ID:
		x.fail(name, 0, "move or rename this file: the topic %q is %q already", id, t.Path())
	case t != nil:
		return t
	case !isKebab(id) || x.bank.Category(id) != nil || id == customID:
		x.fail(name, 0, "name this file by %s that no category has, not %q", kebabShape, id)
	default:
		t = &Topic{ID: id, Title: titleOf(id), Category: c.ID}
		c.Topics = append(c.Topics, t)
		x.bank.topics[id] = t
		return t
	}
	return nil
}

// category returns the category with that id, or nil. The one for topics that
// fit nowhere comes into being when it is named.
func (x *addition) category(id string) *Category {
	if c := x.bank.Category(id); c != nil || id != customID {
		return c
	}
	c := &Category{ID: customID, Title: customTitle}
	x.bank.Categories = append(x.bank.Categories, c)
	x.bank.categories[customID] = c
	return c
}

func (x *addition) categoryIDs() []string {
	var ids []string
	for _, c := range x.bank.Categories {
		ids = append(ids, c.ID)
	}
	return ids
}

// ownTopic returns the place for what the files hold of t.
func (x *addition) ownTopic(t *Topic) *Topic {
	own := x.topics[t.Path()]
	if own == nil {
		own = &Topic{ID: t.ID}
		x.topics[t.Path()] = own
		x.own = append(x.own, &Category{ID: t.Category, Topics: []*Topic{own}})
	}
	return own
}

// lint reports the errors of Lint in what the files hold. An item's age is not
// one of them: the zero day is before every review_by. Nor is a topic with too
// few items (L24): it is not offered, and here only a part of it is seen.
func (x *addition) lint() {
	for _, f := range Lint(NewBank(x.own), time.Time{}).Findings {
		if f.Class == Fault && f.Rule != "L24" {
			x.problems = append(x.problems, Problem{f.File, f.Line, f.Rule + " " + f.Message})
		}
	}
}
