package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden transcript and the README's table anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"aiprep": main})
}

// Every script of testdata/script runs the program as people do: a process of
// its own with arguments, environment, files and signals.
func TestScripts(t *testing.T) {
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	content, err := filepath.Abs("../../content")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", data)
			env.Setenv("CONTENT", content)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // a second a process otherwise
			return nil
		},
		Cmds: scriptCommands(),
	})
}

// golden compares a file of a script with one of testdata, or writes it anew.
func golden(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: golden file testdata-file")
	}
	got, file := ts.ReadFile(args[0]), filepath.Join(ts.Getenv("TESTDATA"), args[1])
	if *update {
		ts.Check(os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	ts.Check(err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		ts.Fatalf("%s differs: \"make golden\", if this is right:\n%s", args[1], diff)
	}
}
