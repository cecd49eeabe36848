package engine_test

import (
	"strings"
	"testing"
)

// An explanation can be flagged, with words; the operator sees what was said
// and by how many, and no name.
func TestAQuestionIsFlagged(t *testing.T) {
	c := newChat(t)
	for _, who := range []string{"ann", "ben"} {
		m := c.types(who, "", "test quantization").Whisper
		m = c.miss(who, m)
		m = c.press(who, "", m, "w", "Explain more").Replace
		m = c.press(who, "", m, "w", "Something wrong?").Replace
		c.wants(m, "What is wrong with this question?")
		m = c.press(who, "", m, "w", "The solution").Replace
		c.wants(m, "it is noted")
		if who == "ann" {
			ask := c.press(who, "", m, "w", "Say more").Ask
			if ask == nil {
				t.Fatal("nobody asks for words")
			}
			words := strings.Fields(ask.Action)
			in := c.input(who, "")
			in.Verb, in.Args = words[0], append(words[1:], "B is right, too")
			c.wants(c.do(in).Whisper, "it is noted")
		}
	}
	list, err := c.e.Flags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	people, said := 0, ""
	for _, f := range list {
		people += f.Kinds["key"]
		said += strings.Join(f.Words, "|")
	}
	if people != 2 || said != "B is right, too" {
		t.Errorf("the operator sees %+v", list)
	}
	c.press("ann", "", c.types("ann", "", "erase").Whisper, "w", "Erase everything")
	if left := c.dump("flag/"); strings.Count(left, "\n") != 1 {
		t.Errorf("after one of the two is erased:\n%s", left)
	}
}

// Who has not answered a question can neither see it nor flag it.
func TestOnlyWhoAnsweredMayFlag(t *testing.T) {
	c := newChat(t)
	c.missTest("ann")
	for _, args := range [][]string{nil, {"nosuch.001"}, {"quantization.009"}, {"quantization.009", "key"}} {
		in := c.input("eve", "")
		in.Verb, in.Args = "flag", args
		c.wants(c.do(in).Whisper, "changed or withdrawn")
	}
	if list, err := c.e.Flags(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("flags are %v, %v", list, err)
	}
}
