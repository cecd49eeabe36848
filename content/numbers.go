package content

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// numbersFile holds the numbers that a release ships beside the bank. It may
// be missing.
const numbersFile = "numbers.yaml"

// Learnt is what the answers of many people taught of one item at one
// revision: difficulty and slope in logits, with their variances. In the file
// one stands as
//
//   - {id: kv-cache.003, rev: 2, b: 0.41, b_var: 0.03, slope: 1.12, slope_var: 0.02}
type Learnt struct {
	Item            string // its id
	Rev             int    // numbers of another revision are passed over
	B, BVar         float64
	Slope, SlopeVar float64
}

// learn reads the shipped numbers, if there are any, and hands them to the
// items that they were learnt on. An id that no item has is a Problem; numbers
// of an earlier revision are of no use, and no fault.
func (b *Bank) learn(fsys fs.FS) (Problems, error) {
	data, err := fs.ReadFile(fsys, numbersFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read numbers: %w", err)
	}
	d := &decoder{file: numbersFile}
	var list []Learnt
	if root := d.document(data); root != nil {
		d.object(root, "the numbers", []field{
			{"version", must, d.integer("version", 1, 1, new(int))},
			{"items", must, d.list("items", func(n *yaml.Node) { list = append(list, b.learnt(d, n, list)) })},
		})
	}
	if len(d.problems) > 0 {
		return d.problems, nil
	}
	for _, l := range list {
		if i := b.Item(l.Item); i.Rev == l.Rev {
			i.Learnt = &l
		}
	}
	return nil, nil
}

// learnt reads the numbers of one item.
func (b *Bank) learnt(d *decoder, n *yaml.Node, before []Learnt) (l Learnt) {
	var has bool
	ok := d.object(n, "an item", []field{
		{"id", must, d.text("id", &l.Item)},
		{"rev", must, d.integer("rev", 1, 1_000_000, &l.Rev)},
		{"b", must, d.number("b", -8, 8, &l.B, &has)},
		{"b_var", must, d.number("b_var", 1e-6, 4, &l.BVar, &has)},
		{"slope", must, d.number("slope", -4, 6, &l.Slope, &has)},
		{"slope_var", must, d.number("slope_var", 1e-6, 4, &l.SlopeVar, &has)},
	})
	switch i := b.Item(l.Item); {
	case !ok || l.Item == "":
	case i == nil:
		d.fail(n, "remove %q: no item has that id", l.Item)
	case l.Rev > i.Rev:
		d.fail(n, "correct the rev of %s: the item is at %d", l.Item, i.Rev)
	case slices.ContainsFunc(before, func(o Learnt) bool { return o.Item == l.Item }):
		d.fail(n, "remove this second entry of %s", l.Item)
	}
	return l
}

// FormatNumbers writes the numbers as numbersFile holds them.
func FormatNumbers(list []Learnt) []byte {
	var b strings.Builder
	b.WriteString("# Learnt from answers; \"aiprep content numbers\" prints it from a store.\nversion: 1\nitems:")
	if len(list) == 0 {
		b.WriteString(" []")
	}
	b.WriteString("\n")
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }
	for _, l := range list {
		fmt.Fprintf(&b, "  - {id: %s, rev: %d, b: %s, b_var: %s, slope: %s, slope_var: %s}\n",
			l.Item, l.Rev, num(l.B), num(max(l.BVar, 1e-4)), num(l.Slope), num(max(l.SlopeVar, 1e-4)))
	}
	return []byte(b.String())
}
