package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

const root = "../.."

// The README's list of commands is the engine's table.
func TestReadmeListsTheCommands(t *testing.T) {
	bank, err := content.Default()
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: bank})
	if err != nil {
		t.Fatal(err)
	}
	holdReadme(t, "commands", commandTable(e.Commands()))
}

// The README's conversation was had: it is a part of the golden transcript.
func TestReadmeShowsARealConversation(t *testing.T) {
	raw, err := os.ReadFile("testdata/play.golden")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), "\nann@guild-1> :at 2026-01-06T09:00 Europe/Berlin\n")
	said, _, ok2 := strings.Cut(rest, "\nann@guild-1> :as ben\n")
	if !ok || !ok2 {
		t.Fatal("play.golden has no such conversation")
	}
	var b strings.Builder
	for line := range strings.Lines(said) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	holdReadme(t, "conversation", "\n"+b.String()+"\n")
}

// holdReadme compares what stands between two marks of the README, or writes
// it anew.
func holdReadme(t *testing.T, mark, want string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	file := filepath.Join(root, "README.md")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("README.md has no %q ... %q", begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("README.md (+) is not what it should be (-): \"make golden\" writes it\n%s", diff)
	}
}

func commandTable(all []engine.Command) string {
	var b strings.Builder
	b.WriteString("| Command | What it does | Who and where |\n| --- | --- | --- |\n")
	for _, c := range all {
		if c.Hidden {
			continue
		}
		name := "/" + c.Name
		for _, o := range c.Options {
			if o.Required {
				name += " " + o.Name
			} else {
				name += " [" + o.Name + "]"
			}
		}
		who := []string{"everyone", "who manages the server"}[c.Who]
		where := []string{"", ", in private", ", in a server"}[c.Where]
		fmt.Fprintf(&b, "| `%s` | %s | %s%s |\n", name, c.Summary, who, where)
	}
	return b.String()
}

// The invite link asks for what posting a challenge needs, and no more.
func TestInviteLinksAskForTheLeast(t *testing.T) {
	want := bottest.PermViewChannel | bottest.PermSendMessages | bottest.PermSendInThreads |
		bottest.PermEmbedLinks | bottest.PermAttachFiles | bottest.PermReadHistory
	for _, name := range []string{"README.md", "docs/discord.md"} {
		raw, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`permissions=(\d+)&scope=([a-z.+%]+)`).FindAllStringSubmatch(string(raw), -1)
		if len(links) == 0 {
			t.Errorf("%s has no invite link", name)
		}
		for _, l := range links {
			if l[1] != strconv.FormatUint(uint64(want), 10) || l[2] != "bot+applications.commands" {
				t.Errorf("%s: %s, want permissions=%d&scope=bot+applications.commands", name, l[0], want)
			}
		}
	}
}

// Links between the project's own files lead somewhere.
func TestDocumentLinksLeadSomewhere(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"docs", "docs/decisions"} {
		more, err := filepath.Glob(filepath.Join(root, dir, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)
	checked := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(raw), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
			}
		}
	}
	if checked < 10 {
		t.Errorf("only %d links were found", checked)
	}
}
