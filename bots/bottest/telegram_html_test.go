package bottest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aiprep/bots/bottest"
)

func TestTelegramReadsHTML(t *testing.T) {
	tg := telegram(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	type e = bottest.TelegramEntity
	for _, c := range []struct {
		html, text string
		marks      []e
	}{
		{"plain &lt;b&gt; &amp;amp; &quot;q&quot; &#8730; &#x221A; &nbsp; &", "plain <b> &amp; \"q\" √ √ &nbsp; &", nil},
		{"<b>bold <i>both</i></b>", "bold both", []e{{Type: "bold", Length: 9}, {Type: "italic", Offset: 5, Length: 4}}},
		{"𝛽 <STRONG>x</STRONG><u>y</u><s>z</s><tg-spoiler>w</tg-spoiler>", "𝛽 xyzw", []e{{Type: "bold", Offset: 3, Length: 1},
			{Type: "underline", Offset: 4, Length: 1}, {Type: "strikethrough", Offset: 5, Length: 1}, {Type: "spoiler", Offset: 6, Length: 1}}},
		{`<span class="tg-spoiler">a</span> <em>b</em> <ins>c</ins> <del>d</del>`, "a b c d", []e{{Type: "spoiler", Length: 1},
			{Type: "italic", Offset: 2, Length: 1}, {Type: "underline", Offset: 4, Length: 1}, {Type: "strikethrough", Offset: 6, Length: 1}}},
		{`<pre><code class="language-go">x := 1</code></pre>`, "x := 1", []e{{Type: "pre", Length: 6, Language: "go"}}},
		{`<code class="language-go">x</code>`, "x", []e{{Type: "code", Length: 1}}},
		{`<pre>a</pre>`, "a", []e{{Type: "pre", Length: 1}}},
		{`<blockquote expandable>q</blockquote>`, "q", []e{{Type: "expandable_blockquote", Length: 1}}},
		{`<a href="https://example.org/?a=1&amp;b=2">l</a>`, "l", []e{{Type: "text_link", Length: 1, URL: "https://example.org/?a=1&b=2"}}},
		{`<a href='tg://user?id=7'>me</a>`, "me", []e{{Type: "text_mention", Length: 2, User: &bottest.TelegramUser{ID: 7, FirstName: "User"}}}},
		{`<a>https://example.org</a>`, "https://example.org", []e{{Type: "text_link", Length: 19, URL: "https://example.org"}}},
		{"  <b> a </b>  ", "a", []e{{Type: "bold", Length: 1}}},
		{"a<b></b>c", "ac", nil},
		{"<b>a</>", "a", []e{{Type: "bold", Length: 1}}},
	} {
		ok(t, tg, "sendMessage", text(c.html, args{"parse_mode": "HTML"}))
		list := tg.FromBot(ann)
		m := list[len(list)-1]
		if diff := cmp.Diff([]any{c.text, c.marks}, []any{m.Text, m.Entities}); diff != "" {
			t.Errorf("%s: %s", c.html, diff)
		}
	}
}

func TestTelegramRefusesBadHTML(t *testing.T) {
	tg := untidy(t, bottest.TelegramOptions{})
	say(t, tg, 1)
	for html, want := range map[string]string{
		"a < b":                          `Unsupported start tag "" at byte offset 2`,
		"<p>x</p>":                       `Unsupported start tag "p" at byte offset 0`,
		"<br/>":                          `Unsupported start tag "br/" at byte offset 0`,
		"é<x@y.z>":                       `Unsupported start tag "x@y.z" at byte offset 2`,
		"<b>x":                           `Can't find end tag corresponding to start tag "b"`,
		"<b>x</i>":                       `Unmatched end tag at byte offset 4, expected "</b>", found "</i>"`,
		"x</b>":                          `Unexpected end tag at byte offset 1`,
		"<b":                             `Unclosed start tag at byte offset 0`,
		"<b>x</b":                        `Unclosed end tag at byte offset 4`,
		`<a href="x>y</a>`:               `Unclosed start tag at byte offset 0`,
		`<a href>y</a>`:                  `Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0`,
		`<a =x>y</a>`:                    `Empty attribute name in the tag "a" at byte offset 0`,
		`<a href=x/y>y</a>`:              `Unexpected end of name token at byte offset 8`,
		`<span class="x">y</span>`:       `Tag "span" must have class "tg-spoiler" at byte offset 0`,
		`<tg-emoji>y</tg-emoji>`:         `Invalid custom emoji identifier specified`,
		`<b>a<code>b</code></b>`:         "",
		`<a href="nowhere">would go</a>`: "",
	} {
		tg.ForgetRequests()
		r := call(t, tg, "sendMessage", text(html, args{"parse_mode": "HTML"}))
		if r.Code != 400 || want != "" && r.Description != "Bad Request: can't parse entities: "+want {
			t.Errorf("%s: %+v", html, r)
		}
		if p := tg.Problems(); len(p) != 1 {
			t.Errorf("%s: problems %q", html, p)
		}
	}
	// A cut in the middle of markup is the classic.
	long := strings.Repeat("<i>x</i>", 600)[:4099]
	if r := call(t, tg, "sendMessage", text(long, args{"parse_mode": "HTML"})); r.Code != 400 {
		t.Errorf("cut markup: %+v", r)
	}
}
