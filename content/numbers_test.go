package content

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// withNumbers loads a bank of one pack beside a numbers file.
func withNumbers(t *testing.T, numbers string) (*Bank, error) {
	t.Helper()
	fsys := fstest.MapFS{
		"taxonomy.yaml": {Data: []byte("version: 1\ncategories:\n  - id: storage\n    title: Storage\n    topics:\n      - {id: page-cache, levels: [junior]}\n")},
		"bank/storage/page-cache.yaml": {Data: []byte(`topic: storage/page-cache
title: Page cache
items:
  - id: page-cache.001
    rev: 2
    level: junior
    cognitive: recall
    stem: "Where do the bytes of a buffered write stand first?"
    options:
      - {key: memory, text: "In the page cache", correct: true, why: "The kernel copies them."}
      - {key: device, text: "On the device", misconception: sync, why: "That takes a flush."}
      - {key: pipe, text: "In a pipe's buffer", misconception: a-pipe, why: "Another thing."}
    explain: {short: "It ends in the page cache.", full: "The device sees the bytes after a flush, which the program or the kernel starts."}
    sources: [{title: "write(2), Linux manual"}]
    status: live
`)},
	}
	if numbers != "" {
		fsys["numbers.yaml"] = &fstest.MapFile{Data: []byte(numbers)}
	}
	return Load(fsys)
}

const oneItem = "version: 1\nitems:\n  - {id: page-cache.001, rev: 2, b: 0.5, b_var: 0.04, slope: 1.25, slope_var: 0.02}\n"

func TestNumbersAreHandedToTheirItem(t *testing.T) {
	want := &Learnt{Item: "page-cache.001", Rev: 2, B: 0.5, BVar: 0.04, Slope: 1.25, SlopeVar: 0.02}
	for _, c := range []struct {
		name, file string
		want       *Learnt
	}{
		{"no file", "", nil},
		{"no items", "version: 1\nitems: []\n", nil},
		{"this revision", oneItem, want},
		{"an earlier revision", strings.Replace(oneItem, "rev: 2", "rev: 1", 1), nil},
		{"what FormatNumbers writes", string(FormatNumbers([]Learnt{*want})), want},
		{"nothing, as FormatNumbers writes it", string(FormatNumbers(nil)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bank, err := withNumbers(t, c.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, bank.Item("page-cache.001").Learnt); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrongNumbersAreProblems(t *testing.T) {
	change := func(old, with string) string { return strings.Replace(oneItem, old, with, 1) }
	for _, c := range []struct{ name, file, want string }{
		{"no version", "items: []\n", `numbers.yaml:1: add "version" to the numbers`},
		{"a key that it does not know", change("b_var", "bvar"), `numbers.yaml:3: remove the unknown key "bvar" of an item; did you mean "b_var"?`},
		{"an item that is not there", change("001", "002"), `numbers.yaml:3: remove "page-cache.002": no item has that id`},
		{"a revision still to come", change("rev: 2", "rev: 3"), "numbers.yaml:3: correct the rev of page-cache.001: the item is at 2"},
		{"an item twice", oneItem + oneItem[strings.Index(oneItem, "  - "):], "numbers.yaml:4: remove this second entry of page-cache.001"},
		{"no variance", change("0.04", "0"), "numbers.yaml:3: write b_var as a number from 1e-06 to 4"},
		{"not a number", change("1.25", ".nan"), "numbers.yaml:3: write slope as a number from -4 to 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := withNumbers(t, c.file)
			var problems Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
