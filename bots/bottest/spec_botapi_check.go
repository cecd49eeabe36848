package bottest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// CheckCall holds parameters against a method's fields and returns what is wrong,
// nil when nothing is. Parameters may be given as JSON values or, as in forms, as
// strings that hold them.
func (a *BotAPI) CheckCall(method string, params map[string]json.RawMessage) []string {
	c := &tgCall{method: method, args: map[string]string{}, kinds: map[string]byte{}}
	for name, v := range params {
		c.args[name] = string(v)
		var s string
		if json.Unmarshal(v, &s) == nil {
			c.args[name] = s
		}
		if len(v) > 0 {
			c.kinds[name] = v[0]
		}
	}
	return a.checkCall(c)
}

// CheckObject holds a JSON value against a type, such as "Update" or
// "Array of MessageEntity", and returns what is wrong.
func (a *BotAPI) CheckObject(typ string, raw []byte) []string {
	v, err := decodeNumbers(raw)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", typ, err)}
	}
	return a.checkAny([]string{typ}, v, typ)
}

// CheckResult holds the result of a method against the types it returns.
func (a *BotAPI) CheckResult(method string, raw []byte) []string {
	m, ok := a.methods[method]
	v, err := decodeNumbers(raw)
	if !ok || err != nil {
		return []string{fmt.Sprintf("%s: no such method, or no JSON: %v", method, err)}
	}
	return a.checkAny(m.Returns, v, method)
}

func decodeNumbers(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("something stands behind the JSON value")
	}
	return v, nil
}

// checkCall checks a request.
func (a *BotAPI) checkCall(c *tgCall) []string {
	m, ok := a.methods[c.method]
	if !ok {
		return []string{"method not found"}
	}
	var out []string
	for _, f := range m.Fields {
		if f.Required && !c.has(f.Name) {
			out = append(out, fmt.Sprintf("parameter %q is required", f.Name))
		}
	}
	names := make([]string, 0, len(c.args)+len(c.files))
	for name := range c.args {
		names = append(names, name)
	}
	sort.Strings(names)
	attached := func(name string) bool {
		for _, text := range c.args {
			if strings.Contains(text, "attach://"+name) {
				return true
			}
		}
		return false
	}
	for name := range c.files {
		f := m.byName[name]
		if (f == nil || !slices.Contains(f.Types, "InputFile")) && !attached(name) {
			out = append(out, fmt.Sprintf("file %q is no parameter and nothing refers to it", name))
		}
	}
	for _, name := range names {
		f := m.byName[name]
		if f == nil {
			out = append(out, fmt.Sprintf("parameter %q is unknown", name))
			continue
		}
		out = append(out, a.checkText(f.Types, c.args[name], c.kinds[name], name)...)
	}
	return out
}

// checkText checks a top-level parameter, which any encoding may carry as text.
// kind is the first byte of its JSON value, 0 when it came in a form.
func (a *BotAPI) checkText(types []string, text string, kind byte, path string) []string {
	var structured []string
	for _, t := range types {
		switch t {
		case "String", "InputFile":
			if kind == 0 || kind == '"' {
				return nil
			}
		case "Integer":
			if _, err := strconv.ParseInt(text, 10, 64); err == nil {
				return nil
			}
		case "Float":
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				return nil
			}
		case "Boolean":
			if slices.Contains([]string{"true", "false", "True", "False", "0", "1"}, text) {
				return nil
			}
		default:
			structured = append(structured, t)
		}
	}
	if len(structured) == 0 {
		return []string{fmt.Sprintf("%s: %.60q is no %s", path, text, strings.Join(types, " or "))}
	}
	v, err := decodeNumbers([]byte(text))
	if err != nil {
		return []string{fmt.Sprintf("%s: want a JSON-serialized %s: %v", path, strings.Join(types, " or "), err)}
	}
	return a.checkAny(structured, v, path)
}

// checkAny succeeds when one of the types fits; else it returns the complaints of
// the type that came nearest.
func (a *BotAPI) checkAny(types []string, v any, path string) []string {
	var best []string
	for i, t := range types {
		p := a.checkType(t, v, path)
		if len(p) == 0 {
			return nil
		}
		if i == 0 || nearer(p, best) {
			best = p
		}
	}
	return best
}

// nearer prefers complaints about an object's inside to "this is another type".
func nearer(p, best []string) bool {
	wrongKind := func(list []string) bool { return strings.Contains(list[0], notThis) }
	if wrongKind(p) != wrongKind(best) {
		return !wrongKind(p)
	}
	return len(p) < len(best)
}

const notThis = "is another type"

func (a *BotAPI) checkType(typ string, v any, path string) []string {
	bad := []string{fmt.Sprintf("%s: want %s, got %s", path, typ, kindOf(v))}
	if elem, ok := strings.CutPrefix(typ, "Array of "); ok {
		list, ok := v.([]any)
		if !ok {
			return bad
		}
		var out []string
		for i, x := range list {
			out = append(out, a.checkAny([]string{elem}, x, fmt.Sprintf("%s[%d]", path, i))...)
		}
		return out
	}
	switch typ {
	case "String", "InputFile":
		if _, ok := v.(string); ok {
			return nil
		}
		return bad
	case "Integer", "Float":
		n, ok := v.(json.Number)
		if !ok {
			return bad
		}
		if _, err := n.Int64(); typ == "Integer" && err != nil {
			return bad
		}
		return nil
	case "Boolean":
		if _, ok := v.(bool); ok {
			return nil
		}
		return bad
	}
	e, ok := a.types[typ]
	if !ok {
		return []string{fmt.Sprintf("%s: the specification has no type %s", path, typ)}
	}
	if len(e.Subtypes) > 0 {
		return a.checkAny(e.Subtypes, v, path)
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return bad
	}
	return a.checkObject(e, obj, path)
}

func (a *BotAPI) checkObject(e apiEntry, obj map[string]any, path string) []string {
	var out, foreign []string
	for _, f := range e.Fields {
		v, there := obj[f.Name]
		switch {
		case !there && f.Required:
			// A union's variants differ in their required fields, so this may be one
			// of the others.
			foreign = append(foreign, fmt.Sprintf("%s: %s %s: it lacks %q", path, e.Name, notThis, f.Name))
		case there && f.only != "" && v != f.only:
			foreign = append(foreign, fmt.Sprintf("%s: %s %s: %q is not %q", path, e.Name, notThis, f.Name, f.only))
		case there:
			out = append(out, a.checkAny(f.Types, v, path+"."+f.Name)...)
		}
	}
	names := make([]string, 0, len(obj))
	for name := range obj {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if e.byName[name] == nil {
			out = append(out, fmt.Sprintf("%s: %s has no field %q", path, e.Name, name))
		}
	}
	return append(foreign, out...)
}

func kindOf(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case json.Number:
		return "the number " + x.String()
	case string:
		return fmt.Sprintf("the string %.40q", x)
	case []any:
		return "an array"
	}
	return "an object"
}

// Description is the prose of a method's or type's field, "" when there is none.
// Most limits stand only there.
func (a *BotAPI) Description(owner, field string) string {
	e, ok := a.methods[owner]
	if !ok {
		e = a.types[owner]
	}
	if f := e.byName[field]; f != nil {
		return f.Description
	}
	return ""
}
