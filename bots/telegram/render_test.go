package telegram

import (
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

var updateGolden = flag.Bool("update", false, "write the golden files anew")

// messages are what the golden files show.
func messages() map[string]engine.Message {
	buttons := [][]engine.Button{
		{{Label: "A", Action: "vote ABCDEFGHIJKLM a"}, {Label: "B", Action: "vote ABCDEFGHIJKLM b"}},
		{{Label: "Read", URL: "https://example.org/guide?a=1&b=<2>"}},
	}
	return map[string]engine.Message{
		"question": {Title: "Caching · mid", Buttons: buttons, Text: content.Parse("Which is **right** about `cache[k]`?\n\n" +
			"```python\nx = {'a': 1}\nif x < 2 & y > 3:\n    pass\n```\n\n- one *thing*\n- another ~~thing~~")},
		"styles": {Text: content.Parse("# Heading with `code`\n\n> A **quote**\n>\n> in two\n\nAfter it, ***both*** and [a link](https://example.org/x).\n\n" +
			"1. first\n   - nested\n2. second")},
		"emoji before entities": {Title: "👩‍🚀 Flag 🇩🇪", Text: content.Parse("🙂🙂 **bold 🙂** then `code🙂`")},
		"a name that injects":   {Title: "<b>@everyone</b> *hi*", Text: content.Plain("**@admin** [x](tg://user?id=1) `/ban` _y_ <a href=\"x\">\nmail a@b.example")},
		"links that would be refused": {Text: content.Text{{Spans: []content.Span{
			{Text: "a", URL: "javascript:alert(1)"}, {Text: "b", URL: "https://nowhere"}, {Text: "c", URL: "tg://user?id=1"}, {Text: "d", URL: "https://a b.example"}}}},
			Buttons: [][]engine.Button{{{Label: "bad", URL: "javascript:alert(1)"}, {Label: "", Action: "x"}, {Label: "long", Action: strings.Repeat("x", 65)}}}},
		"nine buttons in a row": {Text: content.Plain("Pick"), Buttons: [][]engine.Button{{
			{Label: "1", Action: "a"}, {Label: "2", Action: "a"}, {Label: "3", Action: "a"}, {Label: "4", Action: "a"}, {Label: "5", Action: "a"},
			{Label: "6", Action: "a"}, {Label: "7", Action: "a"}, {Label: "8", Action: "a"}, {Label: "9", Action: "a"}}}},
		"picture":                {Title: "Your week", Text: content.Plain("Five days."), Image: &engine.Image{PNG: []byte("png"), Alt: "A chart that rises."}, Buttons: buttons},
		"picture with long text": {Title: "Your week", Text: content.Plain(strings.Repeat("So many words. ", 80)), Image: &engine.Image{PNG: []byte("png"), Alt: "A chart that rises."}, Buttons: buttons},
		"file":                   {Title: "Your data", Text: content.Plain("All of it."), File: &engine.File{Name: "data.json", Data: []byte("{}")}},
		"nothing":                {},
		"only a title":           {Title: "Done"},
	}
}

func TestRenderGolden(t *testing.T) {
	api, err := bottest.FindBotAPI()
	if err != nil && !errors.Is(err, bottest.ErrNoSpec) {
		t.Fatal(err)
	}
	for name, m := range messages() {
		t.Run(name, func(t *testing.T) {
			parts := render(m)
			for _, p := range parts {
				checkPart(t, p)
				checkSpec(t, api, p)
			}
			got, err := json.MarshalIndent(parts, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".json")
			if *updateGolden {
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// checkSpec holds what is sent against the Bot API's specification, where there
// is one.
func checkSpec(t *testing.T, api *bottest.BotAPI, p part) {
	t.Helper()
	if api == nil || p.Photo != nil || p.File != nil {
		return
	}
	params := map[string]json.RawMessage{"chat_id": json.RawMessage("1")}
	for name, v := range map[string]any{"text": p.Text, "entities": p.Marks, "reply_markup": p.Keyboard} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) != "null" {
			params[name] = raw
		}
	}
	if problems := api.CheckCall("sendMessage", params); len(problems) > 0 {
		t.Errorf("against the specification: %v", problems)
	}
}

// checkPart holds a message against the rules of the platform.
func checkPart(t *testing.T, p part) {
	t.Helper()
	most := maxText
	if p.Photo != nil || p.File != nil {
		most = maxCaption
	}
	text := utf16.Encode([]rune(p.Text))
	switch {
	case !utf8.ValidString(p.Text):
		t.Errorf("%q is no UTF-8", p.Text)
	case len(text) > most:
		t.Errorf("%d units, at most %d", len(text), most)
	case most == maxText && strings.TrimSpace(p.Text) == "":
		t.Error("an empty message")
	}
	inside := func(at int) bool { return at < len(text) && text[at] >= 0xDC00 && text[at] < 0xE000 }
	for i, e := range p.Marks {
		end := e.Offset + e.Length
		if e.Length <= 0 || e.Offset < 0 || end > len(text) || inside(e.Offset) || inside(end) {
			t.Errorf("entity %+v in a text of %d units", e, len(text))
		}
		for _, o := range p.Marks[i+1:] {
			from, to := max(e.Offset, o.Offset), min(end, o.Offset+o.Length)
			nested := from == e.Offset && to == end || from == o.Offset && to == o.Offset+o.Length
			code := e.Type == models.MessageEntityTypeCode || e.Type == models.MessageEntityTypePre
			if from < to && (!nested || code && o.Type != models.MessageEntityTypeBlockquote) {
				t.Errorf("entities %+v and %+v", e, o)
			}
		}
	}
	for i, r := range p.Text {
		if r == '@' && !coded(p, units(p.Text[:i])) && !strings.HasPrefix(p.Text[i+1:], "\u2060") {
			t.Errorf("%q may mention somebody", p.Text)
		}
	}
	if raw, err := json.Marshal(p.Keyboard); err != nil || len(raw) > maxMarkup {
		t.Errorf("a keyboard of %d bytes, %v", len(raw), err)
	}
}

func coded(p part, at int) bool {
	for _, e := range p.Marks {
		if (e.Type == models.MessageEntityTypeCode || e.Type == models.MessageEntityTypePre) && e.Offset <= at && at < e.Offset+e.Length {
			return true
		}
	}
	return false
}

func TestRenderOneIsOneMessage(t *testing.T) {
	long := content.Parse(strings.Repeat("A paragraph of **words**.\n\n", 400))
	picture := &engine.Image{PNG: []byte("png"), Alt: strings.Repeat("alt ", 200)}
	for name, m := range map[string]engine.Message{
		"long text":              {Title: "T", Text: long},
		"long title":             {Title: strings.Repeat("title ", 900), Text: long},
		"picture":                {Title: "T", Text: long, Image: picture},
		"picture with long alt":  {Title: "T", Text: content.Plain("short"), Image: picture},
		"file":                   {Title: "T", Text: long, File: &engine.File{Name: "x", Data: []byte("y")}},
		"nothing":                {},
		"picture without a word": {Image: &engine.Image{PNG: []byte("png")}},
	} {
		m.Buttons = [][]engine.Button{{{Label: "A", Action: "a"}}}
		p := renderOne(m)
		checkPart(t, p)
		if p.Keyboard == nil {
			t.Errorf("%s: the buttons are lost", name)
		}
		if (p.Photo != nil) != (m.Image != nil) || (p.File != nil) != (m.File != nil) {
			t.Errorf("%s: picture or file lost", name)
		}
		if strings.HasPrefix(name, "long") && !strings.HasSuffix(p.Text, "…") {
			t.Errorf("%s: cut without a mark", name)
		}
	}
}

func TestAlertsAreShortAndBeginWithTheTitle(t *testing.T) {
	for name, tt := range map[string]struct {
		m     engine.Message
		whole bool
	}{
		"short":        {engine.Message{Title: "Right!", Text: content.Plain("It is B.")}, true},
		"with buttons": {engine.Message{Title: "Right!", Text: content.Plain("It is B."), Buttons: [][]engine.Button{{{Label: "Why", Action: "why"}}}}, false},
		"long":         {engine.Message{Title: "Right!", Text: content.Plain(strings.Repeat("reason ", 60))}, false},
		"long title":   {engine.Message{Title: strings.Repeat("Right 🙂! ", 60)}, false},
		"no title":     {engine.Message{Text: content.Plain("Slow down.")}, true},
	} {
		text, whole := alert(tt.m, hintMore+"prep_bot")
		if whole != tt.whole || units(text) > maxAlert || text == "" {
			t.Errorf("%s: %q, whole %v", name, text, whole)
		}
		if head, _, _ := strings.Cut(tt.m.Title, " "); !strings.HasPrefix(text, head) {
			t.Errorf("%s: %q does not begin with %q", name, text, tt.m.Title)
		}
		if !whole && !strings.HasSuffix(text, hintMore+"prep_bot") {
			t.Errorf("%s: %q does not say where the rest is", name, text)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add("Title", "A **b** `c` @d\n\n> q\n\n```go\nx\n```", "Nick @all", "act", uint8(3))
	f.Add("\x00\xff", "🙂**🙂**[x](https://e.org)", "\xed\xa0\x80@", strings.Repeat("z", 70), uint8(200))
	f.Add("", "", "", "", uint8(0))
	f.Fuzz(rendersRight)
}

// Names and contents made of what breaks markup: nothing is left unparsed, cut
// inside a character, or over a limit. AIPREP_INPUTS sets how many are tried.
func TestRandomMessagesRenderRight(t *testing.T) {
	inputs := 5000
	if n, err := strconv.Atoi(os.Getenv("AIPREP_INPUTS")); err == nil {
		inputs = n
	}
	pieces := []string{
		"a", "Z", " ", "\n", "\n\n", "*", "**", "_", "`", "```", "```go\n", "~~", "||", "[", "](", ")", "<b>", "</b>", "&amp;", "<", ">", "> ", "- ", "1. ", "#", "\\",
		"@everyone", "@all", "/cmd", "tg://user?id=1", "https://e.org/x_(y)", "🙂", "👩‍👩‍👧", "e\u0301", "\u202e", "\u200b", "\x00", "\xff", "\xed\xa0\x80", "田", "ﷺ", "|", "$x_1$", "\t",
		strings.Repeat("x", 90), strings.Repeat("🙂", 40), "word ",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	some := func(most int) string {
		var b strings.Builder
		for range rng.IntN(most + 1) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		return b.String()
	}
	for i := range inputs {
		most := 24
		if i%50 == 0 {
			most = 256 // more buttons than fit
		}
		rendersRight(t, some(6), some(40), some(6), some(4), uint8(rng.IntN(most)))
		if t.Failed() {
			return
		}
	}
}

// rendersRight renders one message in every way and holds it to Telegram's limits.
func rendersRight(t *testing.T, title, markdown, name, action string, n uint8) {
	t.Helper()
	var text content.Text
	for range n%12 + 1 {
		text = content.Join(text, content.Parse(markdown), content.Plain(name))
	}
	m := engine.Message{Title: title, Text: text}
	for range n {
		m.Buttons = append(m.Buttons, []engine.Button{{Label: name, Action: action}, {Label: title, URL: "https://example.org/" + name}})
	}
	switch n % 4 {
	case 1:
		m.Image = &engine.Image{PNG: []byte("png"), Alt: name}
	case 2:
		m.File = &engine.File{Name: name, Data: []byte("x")}
	}
	for _, p := range append(render(m), renderOne(m)) {
		checkPart(t, p)
	}
	if a, _ := alert(m, hintMore+"prep_bot"); units(a) > maxAlert || !utf8.ValidString(a) {
		t.Errorf("alert %q", a)
	}
	checkPart(t, question(engine.Prompt{Title: title, Label: name, Hint: markdown}))
}
