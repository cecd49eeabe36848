package content

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// decoder reads the nodes of one YAML file and collects what is wrong with
// them. It goes on after a problem, so that an author sees all of them at once.
type decoder struct {
	file     string
	offset   int // lines before the YAML in the file
	problems Problems
}

// reader takes a value out of a node, or reports why it cannot.
type reader func(*yaml.Node)

// field is one key that a mapping may hold.
type field struct {
	name     string
	required bool
	read     reader
}

const (
	must = true
	may  = false
)

func (d *decoder) fail(n *yaml.Node, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.file, n.Line + d.offset, fmt.Sprintf(format, args...)})
}

// document returns the only document in data, or nil after reporting why there
// is none.
func (d *decoder) document(data []byte) *yaml.Node {
	if n := readPlain(data); n != nil {
		return n
	}
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		line, text := 0, err.Error()
		var e *yaml.LoadError
		if errors.As(err, &e) {
			line, text = e.Mark.Line+d.offset, e.Message
		}
		d.problems = append(d.problems, Problem{d.file, line, "mend the YAML: " + text})
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		d.fail(&doc, "write one YAML document; this file has none")
		return nil
	}
	return doc.Content[0]
}

// object reads a mapping with just these fields. what names it in messages.
func (d *decoder) object(n *yaml.Node, what string, fields []field) bool {
	if n.Kind != yaml.MappingNode {
		d.fail(n, "write %s as keys with values, not as %s", what, kindName(n))
		return false
	}
	var seen [24]int // the line of each field, by its index in fields
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		switch {
		case f < 0:
			d.fail(key, "remove the unknown key %q of %s%s", key.Value, what, didYouMean(key.Value, names(fields)))
		case seen[f] != 0:
			d.fail(key, "remove this second %q of %s: the first is on line %d", key.Value, what, seen[f]+d.offset)
		default:
			seen[f] = key.Line
			fields[f].read(value)
		}
	}
	for i, f := range fields {
		if f.required && seen[i] == 0 {
			d.fail(n, "add %q to %s", f.name, what)
		}
	}
	return true
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// list returns a reader of a sequence that hands each element to read.
func (d *decoder) list(what string, read reader) reader {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			d.fail(n, "write %s as a list, not as %s", what, kindName(n))
			return
		}
		for _, e := range n.Content {
			read(e)
		}
	}
}

// text returns a reader of a string that is not blank.
func (d *decoder) text(what string, to *string) reader {
	return func(n *yaml.Node) {
		switch {
		case n.Kind != yaml.ScalarNode:
			d.fail(n, "write %s as text, not as %s", what, kindName(n))
		case n.Tag == "!!null" || strings.TrimSpace(n.Value) == "":
			d.fail(n, "give %s a value or remove it", what)
		case n.Tag != "!!str":
			d.fail(n, "put %s in quotes: %q", what, n.Value)
		default:
			*to = n.Value
		}
	}
}

// texts returns a reader of a list of strings.
func (d *decoder) texts(what string, to *[]string) reader {
	return d.list(what, func(n *yaml.Node) {
		var s string
		d.text("each of "+what, &s)(n)
		if s != "" {
			*to = append(*to, s)
		}
	})
}

// word returns a reader of a string that fits; shape says how it must look.
func (d *decoder) word(what string, fits func(string) bool, shape string, to *string) reader {
	return func(n *yaml.Node) {
		var s string
		d.text(what, &s)(n)
		if s != "" && !fits(s) {
			d.fail(n, "write %s as %s, not %q", what, shape, s)
		}
		*to = s
	}
}

// choice returns a reader of one of the allowed strings.
func choice[T ~string](d *decoder, what string, to *T, allowed ...T) reader {
	return func(n *yaml.Node) {
		var s string
		d.text(what, &s)(n)
		if s == "" {
			return
		}
		if slices.Contains(allowed, T(s)) {
			*to = T(s)
			return
		}
		list := make([]string, len(allowed))
		for i, a := range allowed {
			list[i] = string(a)
		}
		d.fail(n, "write %s as one of %s, not %q%s", what, strings.Join(list, ", "), s, didYouMean(s, list))
	}
}

// level returns a reader of a level's name.
func (d *decoder) level(to *Level) reader {
	return func(n *yaml.Node) {
		var s string
		choice(d, "level", &s, Junior.String(), Mid.String(), Senior.String())(n)
		*to, _ = ParseLevel(s)
	}
}

// integer returns a reader of a whole number within low..high.
func (d *decoder) integer(what string, low, high int, to *int) reader {
	return func(n *yaml.Node) {
		v, err := strconv.Atoi(n.Value)
		if n.Tag != "!!int" || err != nil || v < low || v > high {
			d.fail(n, "write %s as a whole number from %d to %d", what, low, high)
			return
		}
		*to = v
	}
}

// number returns a reader of a number within low..high.
func (d *decoder) number(what string, low, high float64, to *float64, has *bool) reader {
	return func(n *yaml.Node) {
		v, err := strconv.ParseFloat(n.Value, 64)
		if (n.Tag != "!!int" && n.Tag != "!!float") || err != nil || !(v >= low && v <= high) {
			d.fail(n, "write %s as a number from %g to %g", what, low, high)
			return
		}
		*to, *has = v, true
	}
}

// yes returns a reader of true or false.
func (d *decoder) yes(what string, to *bool) reader {
	return func(n *yaml.Node) {
		if n.Tag != "!!bool" || (n.Value != "true" && n.Value != "false") {
			d.fail(n, "write %s as true or false", what)
			return
		}
		*to = n.Value == "true"
	}
}

// date returns a reader of a quoted day such as "2026-12-01".
func (d *decoder) date(what string, to *time.Time) reader {
	return func(n *yaml.Node) {
		var s string
		d.text(what, &s)(n)
		if s == "" {
			return
		}
		t, err := time.Parse(time.DateOnly, s)
		if err != nil {
			d.fail(n, `write %s as a day such as "2026-12-01", not %q`, what, s)
			return
		}
		*to = t
	}
}

// reasons returns a reader of a mapping of free keys to strings.
func (d *decoder) reasons(what string, to *map[string]string) reader {
	return func(n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			d.fail(n, "write %s as keys with reasons, not as %s", what, kindName(n))
			return
		}
		m := map[string]string{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, reason := n.Content[i], ""
			if _, twice := m[key.Value]; twice {
				d.fail(key, "remove this second %q of %s", key.Value, what)
				continue
			}
			d.text("the reason for "+key.Value, &reason)(n.Content[i+1])
			m[key.Value] = reason
		}
		*to = m
	}
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (packs spell everything out)"
	}
	return "a plain value"
}
