package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// Sheet is what a reviewer is given to answer without seeing keys: questions
// and their options in an order that only the seed decides. The same bank,
// seed and selection make the same sheet.
type Sheet struct {
	Seed        uint64
	OptionsOnly bool // without stem and code, and with numbers in place of ids
	Questions   []Question
}

// Question is one item as a sheet shows it.
type Question struct {
	Name  string // what an answer begins with; it changes with the seed and the item's text
	Item  *Item
	Order []int // indices into Item.Options, in the order of the letters
}

// Selection says which draft and live items a sheet asks. Its zero value
// selects all.
type Selection struct {
	Topics      []string // ids, with or without the category; none means every topic
	Level       Level    // 0 means every level
	Part, Parts int      // 1..Parts; Parts 0 means undivided. An item's part depends on the seed alone
}

// NewSheet draws a sheet. Items stand in an order drawn from the seed, so that
// neighbours seldom give each other away; items with a fixed order keep it. It
// is an error if nothing is selected.
func NewSheet(b *Bank, seed uint64, optionsOnly bool, sel Selection) (*Sheet, error) {
	items, err := sel.items(b, seed)
	if err != nil {
		return nil, err
	}
	s := &Sheet{Seed: seed, OptionsOnly: optionsOnly}
	names := map[string]string{}
	for _, i := range items {
		q := Question{Name: shownName(seed, i), Item: i, Order: drawn(seed, i)}
		if optionsOnly {
			q.Name = fmt.Sprintf("%08d", hashOf(seed, "number", q.Name)%100_000_000)
		}
		if other, taken := names[q.Name]; taken {
			return nil, fmt.Errorf("draw sheet: %s and %s both get the number %s: take another seed", other, i.ID, q.Name)
		}
		names[q.Name] = i.ID
		s.Questions = append(s.Questions, q)
	}
	return s, nil
}

// items returns what is selected, in the order of the sheet.
func (sel Selection) items(b *Bank, seed uint64) ([]*Item, error) {
	if sel.Parts < 0 || sel.Parts > 0 && (sel.Part < 1 || sel.Part > sel.Parts) {
		return nil, fmt.Errorf("draw sheet: there is no part %d of %d", sel.Part, sel.Parts)
	}
	wanted := map[*Topic]bool{}
	for _, id := range sel.Topics {
		t := b.Topic(id)
		if t == nil {
			return nil, fmt.Errorf("draw sheet: there is no topic %q%s", id, hint(b.Suggest(id)))
		}
		wanted[t] = true
	}
	var items []*Item
	for i := range b.reviewable() {
		switch {
		case len(wanted) > 0 && !wanted[b.Topic(i.Topic)]:
		case sel.Level != 0 && i.Level != sel.Level:
		case sel.Parts > 0 && hashOf(seed, "part", i.ID)%uint64(sel.Parts) != uint64(sel.Part-1):
		default:
			items = append(items, i)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("draw sheet: the selection holds no draft or live item")
	}
	slices.SortFunc(items, byHash(func(i *Item) uint64 { return hashOf(seed, "item", i.ID) }))
	return items, nil
}

func hint(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "; near it are " + strings.Join(ids, ", ")
}

// reviewable yields the draft and live items that have a key.
func (b *Bank) reviewable() func(yield func(*Item) bool) {
	return func(yield func(*Item) bool) {
		for _, c := range b.Categories {
			for _, t := range c.Topics {
				for _, i := range t.Items {
					if (i.Status == Draft || i.Status == Live) && i.Key() >= 0 && !yield(i) {
						return
					}
				}
			}
		}
	}
}

// drawn returns the order of i's options. It depends on their keys, not their
// wording.
func drawn(seed uint64, i *Item) []int {
	order := make([]int, len(i.Options))
	for n := range order {
		order[n] = n
	}
	if !i.Fixed {
		slices.SortFunc(order, byHash(func(n int) uint64 {
			return hashOf(seed, "option", i.ID, i.Options[n].Key)
		}))
	}
	return order
}

func byHash[T any](hash func(T) uint64) func(a, b T) int {
	return func(a, b T) int {
		if hash(a) < hash(b) {
			return -1
		}
		return 1
	}
}

// hashOf returns 64 bits that look random and are the same on every machine.
func hashOf(seed uint64, parts ...string) uint64 {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, seed))
	for _, p := range parts {
		h.Write(append([]byte(p), 0))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// shownName names the item as one sheet words it, such as
// "model-compilation.001@2-9c1f". The last part comes from the seed and from all
// that is shown, so that no answer is graded with another sheet's order, or
// against a question that was edited meanwhile without a new rev.
func shownName(seed uint64, i *Item) string {
	return fmt.Sprintf("%s@%d-%04x", i.ID, i.Rev, hashOf(seed, "name", i.digest(false))&0xffff)
}

// digest returns eight hexadecimal digits that change with the stem, the code,
// the options and, if keyed, with which of them is right.
func (i *Item) digest(keyed bool) string {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%q", i.Stem)
	if i.Code != nil {
		fmt.Fprintf(&text, "%q%q", i.Code.Lang, i.Code.Text)
	}
	for _, o := range i.Options {
		fmt.Fprintf(&text, "%q%q%t", o.Key, o.Text, o.Correct && keyed)
	}
	sum := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(sum[:4])
}

// questionMark begins the line of a question's name. Everything else in a sheet
// is indented or is a comment.
const (
	questionMark = "== "
	commentMark  = "# "
)

// Text returns the sheet to hand out. It tells nothing of keys, reasons,
// explanations, difficulty or levels.
func (s *Sheet) Text() string {
	var b strings.Builder
	what := "questions"
	if s.OptionsOnly {
		what = "sets of options whose questions are left out"
	}
	fmt.Fprintf(&b, commentMark+"%d %s, seed %d\n", len(s.Questions), what, s.Seed)
	b.WriteString(commentMark + "One option of each is right. Answer all of them, with your best guess where you do\n" +
		commentMark + "not know: one line each, the name after ==, a tab, the letter.\n")
	for _, q := range s.Questions {
		b.WriteString("\n" + questionMark + q.Name + "\n")
		if !s.OptionsOnly {
			indent(&b, q.Item.Stem)
			if c := q.Item.Code; c != nil {
				indent(&b, "```"+c.Lang+"\n"+c.Text+"\n```")
			}
		}
		for n, o := range q.Order {
			indent(&b, letter(n)+") "+q.Item.Options[o].Text)
		}
	}
	return b.String()
}

func indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
	}
}

// letters name the options of a question in the order shown; there are at most
// five.
const letters = "ABCDE"

func letter(n int) string { return letters[n : n+1] }
