package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// What the YAML library says, in the parts that a reader needs. The values it
// quotes are left out: a token in the wrong place would be printed.
var (
	unknownKey = regexp.MustCompile(`field (\S+) not found in type \S+`)
	wrongType  = regexp.MustCompile(`(?s)^cannot construct .* (?:into|as a) (\S+)`)
	plainKey   = regexp.MustCompile(`^[A-Za-z_]{1,24}$`)
)

// Two messages of the library that concern a document as a whole.
const (
	noDocument   = "no documents in stream"
	manyDocument = "expected single document"
)

// configError puts file, line and a likely spelling before each complaint. A
// file of comments alone is no error.
func configError(file string, err error) error {
	if err == nil {
		return nil
	}
	var one *yaml.LoadError
	var all *yaml.LoadErrors
	if errors.As(err, &all) {
		var msgs []error
		for _, e := range all.Errors {
			if msg := complaint(e.Message); msg != "" {
				msgs = append(msgs, fmt.Errorf("%s: %s", at(file, e.Mark.Line), msg))
			}
		}
		return errors.Join(msgs...)
	}
	if !errors.As(err, &one) {
		return fmt.Errorf("read %s: it is not YAML", file)
	}
	msg, line := complaint(one.Message), one.Mark.Line
	if msg == "" {
		return nil
	}
	if one.ContextMsg != "" { // where it began says more than where it was noticed
		msg, line = one.ContextMsg+": "+msg, one.ContextMark.Line
	}
	return fmt.Errorf("%s: %s", at(file, line), msg)
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// complaint rewrites one message of the library for the operator.
func complaint(msg string) string {
	switch {
	case strings.Contains(msg, noDocument):
		return ""
	case strings.Contains(msg, manyDocument):
		return "keep one document: remove the line with three dashes"
	}
	if m := unknownKey.FindStringSubmatch(msg); m != nil {
		return unknown(m[1])
	}
	if m := wrongType.FindStringSubmatch(msg); m != nil {
		return "write " + wanted(m[1])
	}
	return msg
}

// wanted says what a setting of that Go type is written as.
func wanted(goType string) string {
	switch goType {
	case "int":
		return "a whole number"
	case "time.Duration":
		return "a time with its unit, such as 6h or 90m"
	case "string", "bots.Secret":
		return "one line of text"
	}
	return "the section's keys below it, each on a line of its own and indented"
}

func unknown(key string) string {
	if !plainKey.MatchString(key) {
		return "there is no such key"
	}
	if near := nearestKey(key); near != "" {
		return fmt.Sprintf("there is no key %q here: did you mean %q?", key, near)
	}
	return fmt.Sprintf("there is no key %q here", key)
}

// nearestKey is the known key most like an unknown one, if any is.
func nearestKey(key string) string {
	best, score := "", 0.5
	for _, k := range configKeys(reflect.TypeFor[Config]()) {
		if s := likeness(key, k); s > score {
			best, score = k, s
		}
	}
	return best
}

// likeness is the share of neighbouring letter pairs that two words share.
func likeness(a, b string) float64 {
	pairs := func(s string) map[string]bool {
		m := map[string]bool{}
		for i := range len(s) - 1 {
			m[s[i:i+2]] = true
		}
		return m
	}
	pa, pb, both := pairs(a), pairs(b), 0
	for p := range pa {
		if pb[p] {
			both++
		}
	}
	return 2 * float64(both) / float64(max(1, len(pa)+len(pb)))
}

func configKeys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		keys = append(keys, f.Tag.Get("yaml"))
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, configKeys(f.Type)...)
		}
	}
	return keys
}
