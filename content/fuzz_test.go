package content

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// A pack or a guide that somebody wrote is read or refused with what to do about
// it; it never brings the program down.
func FuzzLoad(f *testing.F) {
	pack := extraPack("lab/example", "Example", extraItem("example.001", "mid", "A proxy refuses every tenth request. Where do you look first?"))
	f.Add(string(pack.Data), "# Example\n")
	f.Add("topic: lab/example\nitems: [{id: &a example.001, stem: *a}]\n", "---\ntopic: lab/example\n---\n## Overview\n")
	f.Add("topic: [lab\n", "\x00\xff## ")
	f.Fuzz(func(t *testing.T, pack, guide string) {
		bank, err := Load(fstest.MapFS{
			"taxonomy.yaml": {Data: []byte("version: 1\ncategories:\n  - id: lab\n    title: Lab\n    topics:\n" +
				"      - {id: example, levels: [junior, mid]}\n")},
			"bank/lab/example.yaml": {Data: []byte(pack)},
			"guides/lab/example.md": {Data: []byte(guide)},
		})
		if err != nil {
			var p Problems
			if !errors.As(err, &p) || strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		_ = Lint(bank, day("2026-12-01"))
	})
}
