package discord

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"aiprep/content"
	"aiprep/engine"
)

var update = flag.Bool("update", false, "write the golden payloads anew")

// messages are what the golden payloads show.
func messages() map[string]engine.Message {
	question := content.Join(
		content.Parse("Why does `cache[k]` grow *without bound* in this **service**?"),
		content.Text{{Kind: content.CodeBlock, Lang: "python", Spans: []content.Span{{Text: "def get(k):\n    return cache[k]  # ```\n"}}}},
		content.Text{
			{Kind: content.ListItem, Mark: "A.", Spans: []content.Span{{Text: "Nothing evicts, see eviction_policy"}}},
			{Kind: content.ListItem, Mark: "B.", Spans: []content.Span{{Text: "The "}, {Text: "TTL", Style: content.Mono}, {Text: " is -1"}}},
		},
	)
	letters := [][]engine.Button{
		{{Label: "A", Action: "vote ABC a"}, {Label: "B", Action: "vote ABC b"}}, {{Label: "I don't know", Action: "vote ABC x"}},
	}
	hostile := content.Plain("@everyone <@123> [free](https://evil.example) **nitro** ||spoiler|| :smile:\n# heading\n-# small\n> quote\n1. one\n- two `code`\n```\nfence")
	var many [][]engine.Button
	for n := range 7 {
		var row []engine.Button
		for k := range 4 {
			row = append(row, engine.Button{Label: fmt.Sprint(n, k), Action: "topics same"})
		}
		many = append(many, row)
	}
	return map[string]engine.Message{
		"daily":    {Title: "Daily challenge · Caching", Text: question, Buttons: letters, Ping: &engine.Role{ID: "77"}},
		"verdict":  {Title: "❌ Not quite: it is B", Text: content.Parse("Because.\n\n- one\n  - two\n\n1. first\n2. second\n\n> said\n> twice\n\nSource: [*Paper*](https://example.org/a_(b))")},
		"guide":    {Title: "📘 Caching", Text: content.Parse("## When\n\n" + strings.Repeat("Long words about caches. ", 100) + "\n\n### Detail\n\nMore."), Buttons: [][]engine.Button{{{Label: "▶", Action: "learn caching 2"}, {Label: "Site", URL: "https://example.org"}}}},
		"picture":  {Title: "Stats", Image: &engine.Image{PNG: []byte("png"), Alt: "Your ability, 1400 to 1500"}},
		"file":     {Text: content.Plain("Your data."), File: &engine.File{Name: `a/b "c".json`, Data: []byte("{}")}},
		"hostile":  {Title: "**Bob** @here", Text: hostile},
		"empty":    {},
		"buttons":  {Text: content.Plain("Choose."), Buttons: many},
		"no links": {Text: content.Text{{Spans: []content.Span{{Text: "here", URL: "javascript:alert(1)"}}}}, Buttons: [][]engine.Button{{{Label: "x", URL: "ftp://a.b"}, {Label: "", Action: "x"}}}},
	}
}

func TestGoldenPayloads(t *testing.T) {
	for name, m := range messages() {
		golden(t, strings.ReplaceAll(name, " ", "-"), render(m), "POST /channels/{channel_id}/messages")
	}
	golden(t, "form", []form{renderForm(engine.Prompt{Action: "my zone", Title: "Your time zone", Label: "A zone", Hint: "Europe/Berlin"})}, "")
	golden(t, "form-door", []payload{formDoor(engine.Prompt{Action: "my zone", Title: "Your time zone", Label: "A zone", Hint: "Europe/Berlin"})}, "POST /channels/{channel_id}/messages")
}

// golden compares payloads with a file, and each with Discord's description of a
// route.
func golden[P any](t *testing.T, name string, pages []P, route string) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // for those who read the files
	enc.SetIndent("", "  ")
	if err := enc.Encode(pages); err != nil {
		t.Fatal(err)
	}
	got := b.Bytes()
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	if spec() == nil || route == "" {
		return
	}
	for _, p := range pages {
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		bad, odd, err := spec().Check(route, raw)
		if err != nil || len(bad) > 0 || len(odd) > 0 {
			t.Errorf("%s: against the official description: %v %v %v", name, bad, odd, err)
		}
	}
}

// anyText draws a text of spans that mean harm.
func anyText() *rapid.Generator[content.Text] {
	word := rapid.StringMatching("([a-z0-9]{0,3}[ \\n*_~`|<>\\[\\]()#@:.\\\\-]{0,3}[é世😀]{0,1}){0,12}")
	span := rapid.Custom(func(t *rapid.T) content.Span {
		s := content.Span{Text: word.Draw(t, "text"), Style: content.Style(rapid.IntRange(0, 15).Draw(t, "style"))}
		if rapid.IntRange(0, 4).Draw(t, "linked") == 0 {
			s.URL = "https://example.org/" + rapid.StringMatching("[a-z()]{0,600}").Draw(t, "url")
		}
		return s
	})
	return rapid.Custom(func(t *rapid.T) content.Text {
		var text content.Text
		for range rapid.IntRange(0, 30).Draw(t, "blocks") {
			b := content.Block{Kind: content.Kind(rapid.IntRange(0, 4).Draw(t, "kind")), Level: rapid.IntRange(0, 5).Draw(t, "level"), Mark: "•"}
			b.Spans = rapid.SliceOfN(span, 1, 8).Draw(t, "spans")
			if b.Kind == content.CodeBlock {
				b.Spans = []content.Span{{Text: b.Spans[0].Text}}
			}
			text = append(text, b)
		}
		return text
	})
}

func TestWhateverIsSaidFitsDiscord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := engine.Message{Title: rapid.String().Draw(t, "title"), Text: anyText().Draw(t, "text")}
		for i, p := range append(render(m), renderOne(m)) {
			n := 0
			for _, e := range p.Embeds {
				n = utf8.RuneCountInString(e.Title) + utf8.RuneCountInString(e.Description)
				if units(e.Description) > maxEmbed || units(e.Title) > maxTitle {
					t.Errorf("message %d: a card of %d and %d", i, units(e.Title), units(e.Description))
				}
			}
			if units(p.Content) > maxContent || n > 6000 || p.Content == "" && n == 0 {
				t.Errorf("message %d: %d of content, %d on cards", i, units(p.Content), n)
			}
			if p.Mentions.Parse == nil || len(p.Mentions.Parse)+len(p.Mentions.Roles)+len(p.Mentions.Users) != 0 {
				t.Errorf("message %d mentions %+v", i, p.Mentions)
			}
		}
	})
}

// read undoes escape as Discord does: a backslash goes, and what follows it
// stays, unless that is a letter, a digit or white space.
func read(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("*_~`|<>[]()#@:.\\-+", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return strings.ReplaceAll(b.String(), blank, "")
}

func TestEscapedTextReadsAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("([a-z0-9]{0,2}[ \\n*_~`|<>\\[\\]()#@:.\\\\+-]{0,3}){0,20}").Draw(t, "s")
		begins := rapid.Bool().Draw(t, "begins")
		if got := read(escape(s, begins)); got != s {
			t.Errorf("escape(%q) = %q, which reads %q", s, escape(s, begins), got)
		}
	})
}

func TestEscape(t *testing.T) {
	for s, want := range map[string]string{
		"snake_case 2*3":    `snake\_case 2\*3`,
		"09:00, x < 3":      "09:00, x < 3",
		"<@1> <#2> <t:3>":   `\<@1> \<#2> \<t:3>`,
		":smile: https://x": `\:smile: https\://x`,
		"# a\n- b\n1. c":    "\\# a\n\\- b\n1\\. c",
		"-72 #1 +3":         "-72 #1 +3",
		"[a](b) x[0]":       `[a\](b) x[0\]`,
		"~5 ~~a~~ ||b||":    `~5 \~~a\~~ \||b\|\|`,
		"@everyone":         "@" + blank + "everyone",
	} {
		if got := escape(s, true); got != want {
			t.Errorf("escape(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestMarkdownOfStyles(t *testing.T) {
	for want, list := range map[string][]content.Span{
		"**a**" + blank + "*b*":    {{Text: "a", Style: content.Bold}, {Text: "b", Style: content.Italic}},
		"a **b** c":                {{Text: "a"}, {Text: " b ", Style: content.Bold}, {Text: "c"}},
		"~~***x***~~":              {{Text: "x", Style: content.Bold | content.Italic | content.Strike}},
		"`` a`b ``":                {{Text: "a`b", Style: content.Mono}},
		"[\\_](<https://a.b/%28>)": {{Text: "_", URL: "https://a.b/("}},
		"a[0\\] <https://a.b>":     {{Text: "a[0]", URL: "https://a.b"}},
		"<https://a.b>":            {{Text: "https://a.b", URL: "https://a.b"}},
	} {
		if got := markdown(content.Text{{Spans: list}}); got != want {
			t.Errorf("markdown(%v) = %q, want %q", list, got, want)
		}
	}
}

// Whatever a name or a text holds, a message keeps Discord's limits and mentions
// nobody.
func FuzzRender(f *testing.F) {
	f.Add("Title", "A **b** `c` @d\n\n> q\n\n```go\nx\n```", "Nick @everyone", uint8(3))
	f.Add("\x00\xff", "🙂**🙂**[x](https://e.org)", "<@1>", uint8(200))
	f.Add("", "", "", uint8(0))
	f.Fuzz(func(t *testing.T, title, text, name string, n uint8) {
		var all content.Text
		for range n%12 + 1 {
			all = content.Join(all, content.Parse(text), content.Plain(name))
		}
		m := engine.Message{Title: title, Text: all}
		for range n {
			m.Buttons = append(m.Buttons, []engine.Button{{Label: name, Action: "vote x a"}})
		}
		for _, p := range append(render(m), renderOne(m)) {
			if units(p.Content) > maxContent || p.Content == "" && len(p.Embeds) == 0 {
				t.Errorf("content of %d units, %d cards", units(p.Content), len(p.Embeds))
			}
			for _, e := range p.Embeds {
				if units(e.Description) > maxEmbed || units(e.Title) > maxTitle {
					t.Errorf("a card of %d and %d units", units(e.Title), units(e.Description))
				}
			}
			if len(p.Components) > 5 || len(p.Mentions.Parse)+len(p.Mentions.Roles)+len(p.Mentions.Users) > 0 {
				t.Errorf("%d rows, mentions %+v", len(p.Components), p.Mentions)
			}
			if strings.Contains(p.Content, "@everyone") && !strings.Contains(title+text+name, "@everyone") {
				t.Errorf("%q", p.Content)
			}
		}
	})
}
