package bottest

import (
	"encoding/json"
	"strconv"
	"strings"
)

// has reports whether a parameter was given, as text or as a file.
func (c *tgCall) has(name string) bool {
	_, arg := c.args[name]
	_, file := c.files[name]
	return arg || file
}

func (c *tgCall) text(name string) string { return c.args[name] }

// integer reads a whole number; absent is 0.
func (c *tgCall) integer(name string) (int64, *tgError) {
	s := c.args[name]
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, violation("invalid %s specified", name).because("%s: %q is no whole number", name, s)
	}
	return n, nil
}

// small reads a whole number that fits an int32, as most of the API's do.
func (c *tgCall) small(name string) (int, *tgError) {
	n, fail := c.integer(name)
	if fail == nil && int64(int32(n)) != n {
		fail = violation("invalid %s specified", name)
	}
	return int(n), fail
}

// flag reads a truth value; absent is otherwise.
func (c *tgCall) flag(name string, otherwise bool) bool {
	s, ok := c.args[name]
	if !ok {
		return otherwise
	}
	return isTrue(s)
}

func isTrue(s string) bool {
	switch strings.ToLower(s) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// object decodes a JSON-serialized parameter and reports whether it was given.
func (c *tgCall) object(name string, into any) (bool, *tgError) {
	s, ok := c.args[name]
	if !ok || s == "" {
		return false, nil
	}
	if err := json.Unmarshal([]byte(s), into); err != nil {
		return false, violation("can't parse %s JSON object", strings.ReplaceAll(name, "_", " ")).because("%s: %v", name, err)
	}
	return true, nil
}

// upload finds the file that a parameter names: a part of that name, or the part
// behind attach://. A file id or address yields nil and the text.
func (c *tgCall) upload(name, value string) (*tgUpload, *tgError) {
	part := name
	if value != "" {
		attached, ok := strings.CutPrefix(value, "attach://")
		if !ok {
			return nil, nil
		}
		part = attached
	}
	f, ok := c.files[part]
	if !ok {
		return nil, violation("there is no %s in the request", name).because("no file part named %q", part)
	}
	c.used[part] = true
	if len(f.data) == 0 {
		return nil, violation("file must be non-empty")
	}
	return &f, nil
}

// unused is a violation when a file was sent that no parameter names.
func (c *tgCall) unused() *tgError {
	for name := range c.files {
		if !c.used[name] {
			return violation("unused file part %q", name)
		}
	}
	return nil
}
