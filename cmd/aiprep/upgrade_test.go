package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A store that an older version wrote opens: everything in it is there, the
// facts still give what is stored, and people go on.
func TestAnOlderVersionsStoreOpens(t *testing.T) {
	old, err := filepath.Glob("testdata/store-*.db.gz")
	if err != nil || len(old) == 0 {
		t.Fatal("no old stores", err)
	}
	for _, name := range old {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "aiprep.db")
			unzip(t, name, file)
			t.Chdir(filepath.Dir(file))
			do := func(stdin string, args ...string) string {
				t.Helper()
				var out, bad bytes.Buffer
				if code := run(t.Context(), args, nil, strings.NewReader(stdin), &out, &bad); code != 0 {
					t.Fatalf("%v: %s%s", args, out.String(), bad.String())
				}
				return out.String()
			}
			do("", "rebuild", "--verify")
			said := do(":as ann\n:at 2026-02-10T10:00\n/stats\n/settings\n/cancel\n/test quantization\na\n/cancel\n", "play", "--store", "aiprep.db")
			for _, want := range []string{"7 answers, 3 right", "Europe/Berlin", "questions: yes"} {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q:\n%s", want, said)
				}
			}
			do("", "rebuild", "--verify")
			do("", "backup", "copy.db")
			do("", "restore", "copy.db")
		})
	}
}

func unzip(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, z); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
