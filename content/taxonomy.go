package content

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

const taxonomyFile = "taxonomy.yaml"

// readTaxonomy decodes the categories and topics, without items or guides.
func readTaxonomy(data []byte) ([]*Category, Problems) {
	d := &decoder{file: taxonomyFile}
	var categories []*Category
	taken := map[string]int{}
	version := 0
	if n := d.document(data); n != nil {
		d.object(n, "the taxonomy", []field{
			{"version", must, d.integer("version", 1, 1, &version)},
			{"categories", must, d.list("categories", func(n *yaml.Node) {
				if c := d.category(n, taken); c.ID != "" {
					categories = append(categories, c)
				}
			})},
		})
	}
	return categories, d.problems
}

func (d *decoder) category(n *yaml.Node, taken map[string]int) *Category {
	c := &Category{}
	d.object(n, "the category", []field{
		{"id", must, d.fresh(taken, &c.ID)},
		{"title", must, d.text("title", &c.Title)},
		{"topics", must, d.list("topics", func(n *yaml.Node) {
			t := &Topic{}
			d.object(n, "the topic", []field{
				{"id", must, d.fresh(taken, &t.ID)},
				{"levels", must, d.list("levels", func(n *yaml.Node) {
					var l Level
					if d.level(&l)(n); l != 0 {
						t.Levels = append(t.Levels, l)
					}
				})},
			})
			if t.ID != "" {
				t.Title = titleOf(t.ID)
				c.Topics = append(c.Topics, t)
			}
		})},
	})
	return c
}

// fresh returns a reader of an id that nothing else in the taxonomy has.
func (d *decoder) fresh(taken map[string]int, to *string) reader {
	return func(n *yaml.Node) {
		var id string
		d.word("id", isKebab, kebabShape, &id)(n)
		if first, twice := taken[id]; twice {
			d.fail(n, "rename this second %q: the first is on line %d", id, first)
			return
		}
		taken[id] = n.Line
		*to = id
	}
}

// titleOf makes a title of an id, for a topic whose pack is not written yet.
func titleOf(id string) string {
	s := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(s[:1]) + s[1:]
}
