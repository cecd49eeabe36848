package bottest

import "strconv"

// form collects what is wrong with a body, in the nested shape in which Discord
// reports it (reference, "Error Messages"). The zero value is ready.
type form struct {
	tree  map[string]any
	lines []string
}

// add notes one fault at a path of keys and indices.
func (f *form) add(path []string, code, message string) {
	if f.tree == nil {
		f.tree = map[string]any{}
	}
	node, where := f.tree, ""
	for _, key := range path {
		where += "/" + key
		next, found := node[key].(map[string]any)
		if !found {
			next = map[string]any{}
			node[key] = next
		}
		node = next
	}
	list, _ := node["_errors"].([]map[string]string)
	node["_errors"] = append(list, map[string]string{"code": code, "message": message})
	if where == "" {
		where = "/"
	}
	f.lines = append(f.lines, where+": "+message)
}

// bad reports whether anything was noted.
func (f *form) bad() bool { return len(f.lines) > 0 }

// spot is a place in a body from which to note faults.
type spot struct {
	f    *form
	path []string
}

// in goes one key or index deeper.
func (a spot) in(key any) spot {
	var k string
	switch v := key.(type) {
	case int:
		k = strconv.Itoa(v)
	case string:
		k = v
	}
	return spot{a.f, append(a.path[:len(a.path):len(a.path)], k)}
}

// fail notes a fault here.
func (a spot) fail(code, message string) { a.f.add(a.path, code, message) }

// most notes a text or list longer than limit.
func (a spot) most(n, limit int) {
	if n > limit {
		a.fail("BASE_TYPE_BAD_LENGTH", "Must be "+strconv.Itoa(limit)+" or fewer in length.")
	}
}

// between notes a text or list shorter than low or longer than high.
func (a spot) between(n, low, high int) {
	if n < low || n > high {
		a.fail("BASE_TYPE_BAD_LENGTH", "Must be between "+strconv.Itoa(low)+" and "+strconv.Itoa(high)+" in length.")
	}
}
