package main

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aiprep/content"
)

// build builds the program under load.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "aiprep.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "aiprep/cmd/aiprep").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// A short run over the real program: everybody is answered, and what they were
// told is what is stored.
func TestAShortRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-bin", build(t), "-people", "80", "-rate", "20", "-for", "4s"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"80 acts answered, 0 not", "lost 0, doubled 0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), " 0 stored") {
		t.Errorf("nothing was answered:\n%s", &out)
	}
}

// No two questions look alike to the tool, or it would count one for the other.
func TestQuestionsAreToldApart(t *testing.T) {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range bank.Categories {
		for _, tp := range c.Topics {
			n += len(tp.Items)
		}
	}
	if k := newAnswerKey(bank); len(k.items) != n {
		t.Errorf("%d items look like %d", n, len(k.items))
	}
}

func TestAComparisonFindsWhatIsLostAndDoubled(t *testing.T) {
	for name, c := range map[string]comparison{
		"lost":    {told: 3, pressed: 3, stored: 2, lost: 1},
		"doubled": {told: 3, pressed: 3, stored: 4, doubled: 1},
		"wrong":   {told: 3, pressed: 3, stored: 3, wrong: 1},
		"nothing": {},
	} {
		if err := c.print(io.Discard, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	good := comparison{told: 3, pressed: 4, stored: 4}
	if err := good.print(io.Discard, nil); err != nil {
		t.Error(err)
	}
	if err := good.print(io.Discard, []string{"too long"}); err == nil {
		t.Error("a request against the rules: no error")
	}
}

func TestARunIsBounded(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"-bin", "x", "-people", "1"},
		{"-bin", "x", "-people", "1000000"},
		{"-bin", "x", "-rate", "0"},
		{"-bin", "x", "-rate", "1e9"},
		{"-bin", "x", "-people", "100", "-rate", "26"},
		{"-bin", "x", "-for", "24h"},
		{"-fill", "10"},
		{"-fill", "10", "-store", "x", "-servers", "0"},
	} {
		if _, err := readPlan(args, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}

// The same with a serve that is killed, platforms that break and a full disk.
func TestAShortSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty seconds")
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-bin", build(t), "-people", "300", "-rate", "40", "-for", "20s", "-kills", "18"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range []string{"18 times SIGKILL", "1 lives on a full disk", "rebuild --verify: ", "lost 0, doubled 0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	t.Logf("%s", &out)
}
