package content

import "strings"

// Bank is all content: categories, topics, items and guides. It does not
// change after NewBank, so any number of goroutines may read it.
type Bank struct {
	Categories []*Category // in display order

	categories map[string]*Category
	topics     map[string]*Topic
	items      map[string]*Item
}

// Category is a group of topics.
type Category struct {
	ID     string // kebab case, such as "inference-compilation"
	Title  string
	Topics []*Topic // in display order
}

// Topic is one subject with its items and its guide.
type Topic struct {
	ID       string // kebab case, unique in the bank, such as "model-compilation"
	Category string // the id of the category that holds it; NewBank fills it
	Title    string
	Levels   []Level // those at which the topic is normally asked
	Items    []*Item // in the pack's order, of every status; empty without a pack
	Guide    *Guide  // nil without a guide
}

// What a topic needs before it is offered.
const (
	minLive     = 8
	minPerLevel = 2
)

// NewBank indexes categories and returns them as a Bank. It fills in
// Topic.Category, Item.Topic and Guide.Topic from where each stands. Of two
// things with one id the first is found; Load reports the second.
func NewBank(categories []*Category) *Bank {
	b := &Bank{
		Categories: categories,
		categories: map[string]*Category{},
		topics:     map[string]*Topic{},
		items:      map[string]*Item{},
	}
	for _, c := range categories {
		addFirst(b.categories, c.ID, c)
		for _, t := range c.Topics {
			t.Category = c.ID
			addFirst(b.topics, t.ID, t)
			if t.Guide != nil {
				t.Guide.Topic = t.ID
			}
			for _, i := range t.Items {
				i.Topic = t.ID
				addFirst(b.items, i.ID, i)
			}
		}
	}
	return b
}

func addFirst[T any](m map[string]*T, id string, v *T) {
	if _, taken := m[id]; !taken && id != "" {
		m[id] = v
	}
}

// Category returns the category with that id, or nil.
func (b *Bank) Category(id string) *Category { return b.categories[id] }

// Topic returns the topic with that id, or nil. Both "model-compilation" and
// "inference-compilation/model-compilation" name the same topic; a wrong
// category names none.
func (b *Bank) Topic(id string) *Topic {
	category, short, both := strings.Cut(id, "/")
	if !both {
		return b.topics[id]
	}
	if t := b.topics[short]; t != nil && t.Category == category {
		return t
	}
	return nil
}

// Item returns the item with that id, whatever its status, or nil.
func (b *Bank) Item(id string) *Item { return b.items[id] }

// Withdrawn returns the items that were found wrong, in the bank's order.
func (b *Bank) Withdrawn() []*Item {
	var all []*Item
	for _, c := range b.Categories {
		for _, t := range c.Topics {
			for _, i := range t.Items {
				if i.Status == Withdrawn {
					all = append(all, i)
				}
			}
		}
	}
	return all
}

// Live returns the items that may be asked, in the pack's order.
func (t *Topic) Live() []*Item {
	live := make([]*Item, 0, len(t.Items))
	for _, i := range t.Items {
		if i.Status == Live {
			live = append(live, i)
		}
	}
	return live
}

// Offered reports whether the topic has at least 8 live items and at least 2
// at each of its levels, so that people may choose it.
func (t *Topic) Offered() bool { return t.lacks() == "" }

// Path returns "category/topic", as packs and guides name the topic.
func (t *Topic) Path() string { return t.Category + "/" + t.ID }
