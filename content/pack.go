package content

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v4"
)

const kebabShape = "lower-case words with hyphens"

// pack is what one bank file holds.
type pack struct {
	topic string // as the file spells it, "category/topic"
	title string
	items []*Item
}

// readPack decodes the pack in data. What is wrong with it is in problems; the
// items are those that could be read, and may lack what a problem names.
func readPack(file string, data []byte) (p pack, problems Problems) {
	d := &decoder{file: file}
	if n := d.document(data); n != nil {
		d.object(n, "the pack", []field{
			{"topic", must, d.ownTopic(&p.topic)},
			{"title", must, d.text("title", &p.title)},
			{"items", must, d.list("items", func(n *yaml.Node) {
				p.items = append(p.items, d.item(n))
			})},
		})
	}
	return p, d.problems
}

// ownTopic returns a reader of a file's topic, which must be the one that its
// path names.
func (d *decoder) ownTopic(to *string) reader {
	return func(n *yaml.Node) {
		want := topicOf(d.file)
		d.text("topic", to)(n)
		if *to != "" && *to != want {
			d.fail(n, "write topic as %q, or move the file to where %q belongs", want, *to)
		}
	}
}

// topicOf returns "category/topic" of "bank/category/topic.yaml".
func topicOf(file string) string {
	_, rest, _ := strings.Cut(file, "/")
	return strings.TrimSuffix(rest, path.Ext(rest))
}

func (d *decoder) item(n *yaml.Node) *Item {
	i := &Item{File: d.file, Line: n.Line + d.offset}
	order := ""
	d.object(n, "the item", []field{
		{"id", must, d.id(i)},
		{"rev", must, d.integer("rev", 1, 9999, &i.Rev)},
		{"level", must, d.level(&i.Level)},
		{"cognitive", must, choice(d, "cognitive", &i.Cognitive, Recall, Apply, Diagnose, TradeOff)},
		{"difficulty", may, d.number("difficulty", -3, 3, &i.Difficulty, &i.HasDifficulty)},
		{"stem", must, d.text("stem", &i.Stem)},
		{"stem_short", may, d.text("stem_short", &i.StemShort)},
		{"code", may, d.code(&i.Code)},
		{"options", must, d.list("options", d.option(i))},
		{"explain", must, d.explain(i)},
		{"sources", must, d.list("sources", d.source(i))},
		{"valid_for", may, d.validFor(&i.ValidFor)},
		{"enemies", may, d.texts("enemies", &i.Enemies)},
		{"lint_ok", may, d.reasons("lint_ok", &i.LintOK)},
		{"order", may, choice(d, "order", &order, "fixed")},
		{"status", must, choice(d, "status", &i.Status, Draft, Live, Withdrawn, Retired)},
		{"withdrawn", may, d.withdrawal(&i.Withdrawn)},
	})
	i.Fixed = order == "fixed"
	d.checkItem(n, i)
	return i
}

// checkItem reports what no single field shows.
func (d *decoder) checkItem(n *yaml.Node, i *Item) {
	if o := valueOf(n, "options"); o != nil && o.Kind == yaml.SequenceNode {
		d.checkOptions(o, i)
	}
	if s := valueOf(n, "sources"); s != nil && len(i.Sources) == 0 {
		d.fail(s, "name at least one source")
	}
	if i.Status == Withdrawn && i.Withdrawn == nil {
		d.fail(n, "add withdrawn: {date, reason} to an item with status withdrawn")
	}
	if i.Withdrawn != nil && i.Status != Withdrawn {
		d.fail(n, "set status to withdrawn, or remove withdrawn")
	}
}

func (d *decoder) checkOptions(n *yaml.Node, i *Item) {
	if len(i.Options) < 3 || len(i.Options) > 5 {
		d.fail(n, "write 3 to 5 options, not %d", len(i.Options))
	}
	right, lines := 0, map[string]int{}
	for k, o := range i.Options {
		if o.Correct {
			right++
		}
		if first, twice := lines[o.Key]; twice && o.Key != "" {
			d.fail(n.Content[k], "rename this second option %q: the first is on line %d", o.Key, first)
			continue
		}
		lines[o.Key] = o.Line
	}
	if right != 1 {
		d.fail(n, "mark exactly one option with correct: true, not %d", right)
	}
}

func valueOf(n *yaml.Node, key string) *yaml.Node {
	for k := 0; n.Kind == yaml.MappingNode && k+1 < len(n.Content); k += 2 {
		if n.Content[k].Value == key {
			return n.Content[k+1]
		}
	}
	return nil
}

// id returns a reader of an item's id, which begins with the topic's name.
func (d *decoder) id(i *Item) reader {
	return func(n *yaml.Node) {
		topic := path.Base(topicOf(d.file))
		d.word("id", isItemID, topic+".001 or with another number of three digits", &i.ID)(n)
		i.Line = n.Line + d.offset
		if !isItemID(i.ID) {
			return
		}
		if strings.TrimSuffix(i.ID, path.Ext(i.ID)) != topic {
			d.fail(n, "begin id with the topic's name: %q, not %q", topic+path.Ext(i.ID), i.ID)
		}
		if len(i.ID) > 48 {
			d.fail(n, "shorten id to 48 characters: it has %d", len(i.ID))
		}
	}
}

func (d *decoder) code(to **Code) reader {
	return func(n *yaml.Node) {
		c := &Code{}
		if d.object(n, "code", []field{
			{"lang", must, d.text("lang", &c.Lang)},
			{"text", must, d.text("code text", &c.Text)},
		}) {
			c.Text = strings.TrimRight(c.Text, "\n")
			*to = c
		}
	}
}

func (d *decoder) option(i *Item) reader {
	return func(n *yaml.Node) {
		o := Option{Line: n.Line + d.offset}
		d.object(n, "the option", []field{
			{"key", must, d.word("key", isKebab, kebabShape, &o.Key)},
			{"text", must, d.text("option text", &o.Text)},
			{"correct", may, d.yes("correct", &o.Correct)},
			{"misconception", may, d.word("misconception", isKebab, kebabShape, &o.Misconception)},
			{"why", must, d.text("why", &o.Why)},
		})
		if o.Correct && o.Misconception != "" {
			d.fail(n, "remove misconception from the right option")
		}
		i.Options = append(i.Options, o)
	}
}

func (d *decoder) explain(i *Item) reader {
	return func(n *yaml.Node) {
		d.object(n, "explain", []field{
			{"short", must, d.text("explain.short", &i.Short)},
			{"full", must, d.text("explain.full", &i.Full)},
		})
	}
}

func (d *decoder) source(i *Item) reader {
	return func(n *yaml.Node) {
		var s Source
		if d.object(n, "the source", []field{
			{"title", must, d.text("source title", &s.Title)},
			{"url", may, d.word("url", isWebAddress, "an https address", &s.URL)},
			{"version", may, d.text("source version", &s.Version)},
		}) {
			i.Sources = append(i.Sources, s)
		}
	}
}

func (d *decoder) validFor(to **ValidFor) reader {
	return func(n *yaml.Node) {
		v := &ValidFor{}
		if d.object(n, "valid_for", []field{
			{"checked", must, d.date("checked", &v.Checked)},
			{"review_by", may, d.date("review_by", &v.ReviewBy)},
			{"versions", may, d.text("versions", &v.Versions)},
		}) {
			*to = v
		}
	}
}

func (d *decoder) withdrawal(to **Withdrawal) reader {
	return func(n *yaml.Node) {
		w := &Withdrawal{}
		if d.object(n, "withdrawn", []field{
			{"date", must, d.date("date", &w.Date)},
			{"reason", must, d.text("reason", &w.Reason)},
		}) {
			*to = w
		}
	}
}
