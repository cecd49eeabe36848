// Command report reads what "go test -json" prints, shows it as "go test" would,
// and works out which proofs of .ci/proofs were shown.
//
//	go test -json ./... | go run .ci/report.go -rows FILE [-strict]
//
// It writes one line a proof to FILE: proof, tab, what ran, tab, why not. Its exit
// code is 1 when a test failed and, with -strict, when a proof was not shown or
// a test was skipped that .ci/skips does not name.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is one line of "go doc test2json".
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// result is what became of one test, or of a package (Test "").
type result struct {
	action string // pass, fail, skip
	output []string
	took   time.Duration
}

type key struct{ pkg, test string }

func main() {
	rows := flag.String("rows", "", "write the proofs to this `file`")
	strict := flag.Bool("strict", false, "take a skip for a failure")
	flag.Parse()
	failed, err := run(os.Stdin, os.Stdout, *rows, *strict)
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, rows string, strict bool) (failed bool, err error) {
	results, failed, err := read(in, out)
	if err != nil {
		return false, err
	}
	proofs, err := table(".ci/proofs")
	if err != nil {
		return false, err
	}
	allowed, err := table(".ci/skips")
	if err != nil {
		return false, err
	}
	var b strings.Builder
	for _, p := range proofs {
		ran, because, err := shown(results, p)
		if err != nil {
			return false, err
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", p[0], ran, because)
		failed = failed || strict && because != ""
	}
	for _, k := range sorted(results) {
		if results[k].action != "skip" || k.test == "" {
			continue
		}
		because := reason(results[k])
		excused := slices.ContainsFunc(allowed, func(a [3]string) bool { return k == key{"aiprep/" + a[0], a[1]} })
		fmt.Fprintf(out, "skipped: %s %s: %s\n", k.pkg, k.test, because)
		if strict && !excused {
			fmt.Fprintf(out, "FAIL: this skip is not among .ci/skips\n")
			failed = true
		}
	}
	return failed, os.WriteFile(rows, []byte(b.String()), 0o644)
}

// read collects the events and prints what a person wants to see meanwhile: a
// line a package, and all that failing tests said.
func read(in io.Reader, out io.Writer) (results map[key]*result, failed bool, err error) {
	results = map[key]*result{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(out, "%s", line) // not test2json: the go command itself
			} else if show(results, e, out) {
				failed = true
			}
		}
		if err == io.EOF {
			return results, failed, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func show(results map[key]*result, e event, out io.Writer) (failed bool) {
	if e.Action == "build-output" {
		fmt.Fprint(out, e.Output)
		return false
	}
	if e.Action == "build-fail" {
		return true
	}
	k := key{e.Package, e.Test}
	r := results[k]
	if r == nil {
		r = &result{}
		results[k] = r
	}
	switch e.Action {
	case "output":
		if e.Test == "" && regexp.MustCompile(`^(ok|\?|FAIL)\s`).MatchString(e.Output) {
			fmt.Fprint(out, e.Output)
			break
		}
		r.output = append(r.output, e.Output)
	case "pass", "skip", "fail":
		r.action, r.took = e.Action, time.Duration(e.Elapsed*float64(time.Second))
		if e.Action == "fail" {
			fmt.Fprint(out, strings.Join(r.output, ""))
			return true
		}
	}
	return false
}

// table reads lines of three fields with bars between.
func table(file string) (rows [][3]string, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " | ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: write three fields: %q", file, line)
		}
		rows = append(rows, [3]string{strings.TrimSpace(f[0]), strings.TrimSpace(f[1]), strings.TrimSpace(f[2])})
	}
	return rows, nil
}

// shown says what ran of a proof, and why it is not shown, or "".
func shown(results map[key]*result, proof [3]string) (ran, because string, err error) {
	name, err := regexp.Compile(proof[2])
	if err != nil {
		return "", "", fmt.Errorf("proof %q: %w", proof[0], err)
	}
	count := map[string]int{}
	var took time.Duration
	for _, k := range sorted(results) {
		if k.pkg != "aiprep/"+proof[1] || k.test == "" || !name.MatchString(k.test) {
			continue
		}
		r := results[k]
		count[r.action]++
		took = max(took, r.took)
		if r.action == "skip" && because == "" {
			because = reason(r)
		}
	}
	switch {
	case count["pass"]+count["fail"]+count["skip"] == 0:
		return "no", "there is no such test", nil
	case count["fail"] > 0:
		return fmt.Sprintf("FAILED %d of %d", count["fail"], count["pass"]+count["fail"]), because, nil
	case count["pass"] == 0:
		return "no", because, nil
	}
	return fmt.Sprintf("%d passed, %.1f s", count["pass"], took.Seconds()), because, nil
}

// reason is what a skipped test said: its last line with a file and line.
func reason(r *result) string {
	said := regexp.MustCompile(`^\s+\S+_test\.go:\d+: (.*)`)
	for _, line := range slices.Backward(r.output) {
		if m := said.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	return "it does not say"
}

func sorted(results map[key]*result) []key {
	keys := make([]key, 0, len(results))
	for k := range results {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int { return strings.Compare(a.pkg+" "+a.test, b.pkg+" "+b.test) })
	return keys
}
