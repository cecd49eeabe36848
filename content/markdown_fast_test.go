package content

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	source "github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// Lines that take the short way through Parse come out as the parser has them.
func TestPlainLinesNeedNoParser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[A-Za-z0-9 .,:;!?()%/="'+|{}^$@é≤√-]{1,40}`).Draw(t, "line")
		if !isPlain(s) {
			return
		}
		w := &walker{src: []byte(s)}
		w.blocks(newParser().Parse(source.NewReader(w.src)), place{})
		if diff := cmp.Diff(w.out, Parse(s)); diff != "" {
			t.Fatalf("%q: %s", s, diff)
		}
	})
}
