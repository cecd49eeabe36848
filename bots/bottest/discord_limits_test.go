package bottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// obj and arr keep bodies short.
type (
	obj = map[string]any
	arr = []any
)

// buttonRow is an action row of n buttons with ids from prefix.
func buttonRow(n int, prefix string) obj {
	list := arr{}
	for i := range n {
		list = append(list, obj{"type": 2, "style": 1, "label": "x", "custom_id": fmt.Sprint(prefix, i)})
	}
	return obj{"type": 1, "components": list}
}

// rows are n action rows of one button.
func rows(n int) arr {
	list := arr{}
	for i := range n {
		list = append(list, buttonRow(1, fmt.Sprint("r", i, "-")))
	}
	return list
}

// oneButton is a row with one button that has these keys too.
func oneButton(keys obj) arr {
	b := obj{"type": 2, "style": 1, "label": "x", "custom_id": "a"}
	for k, v := range keys {
		if v == nil {
			delete(b, k)
		} else {
			b[k] = v
		}
	}
	return arr{obj{"type": 1, "components": arr{b}}}
}

// menu is a row with a select of n options.
func menu(n int, value string) arr {
	list := arr{}
	for i := range n {
		list = append(list, obj{"label": "x", "value": fmt.Sprint(value, i)})
	}
	return arr{obj{"type": 1, "components": arr{obj{"type": 3, "custom_id": "m", "options": list}}}}
}

func x(n int) string { return strings.Repeat("x", n) }

// embeds are n embeds with descriptions of size characters.
func embeds(n, size int) arr {
	list := arr{}
	for range n {
		list = append(list, obj{"description": x(size)})
	}
	return list
}

// texts are n text displays of size characters.
func texts(n, size int) arr {
	list := arr{}
	for range n {
		list = append(list, obj{"type": 10, "content": x(size)})
	}
	return list
}

// section is a V2 section with a button s0 beside texts.
func section(list arr) obj {
	return obj{"type": 9, "components": list, "accessory": obj{"type": 2, "style": 1, "label": "x", "custom_id": "s0"}}
}

// ranged is a menu of n options that takes least to most values.
func ranged(n, least, most int) arr {
	rows := menu(n, "v")
	m := rows[0].(obj)["components"].(arr)[0].(obj)
	m["min_values"], m["max_values"] = least, most
	return rows
}

// twice makes the second option of a menu the same as the first.
func twice(rows arr) arr {
	list := rows[0].(obj)["components"].(arr)[0].(obj)["options"].(arr)
	list[1] = list[0]
	return rows
}

func TestModalsOverALimitAreRefused(t *testing.T) {
	input := func(keys obj) obj {
		in := obj{"type": 4, "style": 1, "custom_id": "i"}
		for k, v := range keys {
			in[k] = v
		}
		return in
	}
	labelled := func(label string, in obj) obj { return obj{"type": 18, "label": label, "component": in} }
	modal := func(list ...any) obj { return obj{"title": "t", "custom_id": "c", "components": list} }
	five := func(n int) (out []any) {
		for i := range n {
			out = append(out, labelled("l", input(obj{"custom_id": x(i + 1)})))
		}
		return out
	}
	for _, c := range []struct {
		name      string
		data, bad obj
	}{
		{"title", obj{"title": x(45), "custom_id": "c", "components": five(1)}, obj{"title": x(46), "custom_id": "c", "components": five(1)}},
		{"custom_id", obj{"title": "t", "custom_id": x(100), "components": five(1)}, obj{"title": "t", "custom_id": x(101), "components": five(1)}},
		{"components", modal(five(5)...), modal(five(6)...)},
		{"label", modal(labelled(x(45), input(nil))), modal(labelled(x(46), input(nil)))},
		{"placeholder", modal(labelled("l", input(obj{"placeholder": x(100)}))), modal(labelled("l", input(obj{"placeholder": x(101)})))},
		{"the same id", modal(five(2)...), modal(labelled("l", input(nil)), labelled("l", input(nil)))},
		{"min over max", modal(labelled("l", input(obj{"min_length": 2, "max_length": 2}))), modal(labelled("l", input(obj{"min_length": 3, "max_length": 2})))},
		{"a button", modal(obj{"type": 10, "content": "x"}, labelled("l", input(nil))), modal(buttonRow(1, "a"))},
		{"radio options", modal(labelled("l", obj{"type": 21, "custom_id": "r", "options": menu(10, "v")[0].(obj)["components"].(arr)[0].(obj)["options"]})),
			modal(labelled("l", obj{"type": 21, "custom_id": "r", "options": menu(1, "v")[0].(obj)["components"].(arr)[0].(obj)["options"]}))},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
			got := b.heard(t)
			if _, err := b.d.Slash(b.s.Alice, b.s.General, "go"); err != nil {
				t.Fatal(err)
			}
			i := <-got
			_, err := b.answer(i, "", obj{"type": 9, "data": c.bad})
			wantCode(t, err, 50035)
			if _, err := b.answer(i, "", obj{"type": 9, "data": c.data}); err != nil {
				t.Errorf("what fits is refused: %v", err)
			}
		})
	}
}

func TestMessagesOverALimitAreRefused(t *testing.T) {
	const v2 = FlagComponentsV2
	for _, c := range []struct {
		name      string
		body, bad obj    // the largest that fits, and one more
		at        string // where the error stands
	}{
		{"content", obj{"content": x(2000)}, obj{"content": x(2001)}, "content"},
		{"content counts characters, not bytes", obj{"content": strings.Repeat("ß", 2000)}, obj{"content": strings.Repeat("ß", 2001)}, "content"},
		{"embeds", obj{"embeds": embeds(10, 10)}, obj{"embeds": embeds(11, 10)}, "embeds"},
		{"embed title", obj{"embeds": arr{obj{"title": x(256)}}}, obj{"embeds": arr{obj{"title": x(257)}}}, "embeds/0/title"},
		{"embed description", obj{"embeds": embeds(1, 4096)}, obj{"embeds": embeds(1, 4097)}, "embeds/0/description"},
		{"embed total", obj{"embeds": embeds(2, 3000)}, obj{"embeds": append(embeds(1, 3000), embeds(1, 3001)...)}, "embeds"},
		{"embed field value", obj{"embeds": arr{obj{"fields": arr{obj{"name": "n", "value": x(1024)}}}}}, obj{"embeds": arr{obj{"fields": arr{obj{"name": "n", "value": x(1025)}}}}}, "embeds/0/fields/0/value"},
		{"embed field without a value", obj{"content": "x"}, obj{"embeds": arr{obj{"fields": arr{obj{"name": "n", "value": ""}}}}}, "embeds/0/fields/0/value"},
		{"embed footer", obj{"embeds": arr{obj{"footer": obj{"text": x(2048)}}}}, obj{"embeds": arr{obj{"footer": obj{"text": x(2049)}}}}, "embeds/0/footer/text"},
		{"rows", obj{"components": rows(5)}, obj{"components": rows(6)}, "components"},
		{"buttons of a row", obj{"components": arr{buttonRow(5, "a")}}, obj{"components": arr{buttonRow(6, "a")}}, "components/0/components"},
		{"label", obj{"components": oneButton(obj{"label": x(80)})}, obj{"components": oneButton(obj{"label": x(81)})}, "components/0/components/0/label"},
		{"no label", obj{"components": oneButton(obj{"label": nil, "emoji": obj{"name": "🎯"}})}, obj{"components": oneButton(obj{"label": nil})}, "components/0/components/0/label"},
		{"custom_id", obj{"components": oneButton(obj{"custom_id": x(100)})}, obj{"components": oneButton(obj{"custom_id": x(101)})}, "components/0/components/0/custom_id"},
		{"no custom_id", obj{"content": "x"}, obj{"components": oneButton(obj{"custom_id": nil})}, "components/0/components/0/custom_id"},
		{"custom_id twice", obj{"components": arr{buttonRow(1, "a"), buttonRow(1, "b")}}, obj{"components": arr{buttonRow(1, "a"), buttonRow(1, "a")}}, "components/1/components/0/custom_id"},
		{"link", obj{"components": oneButton(obj{"style": 5, "custom_id": nil, "url": "https://example.org"})}, obj{"components": oneButton(obj{"style": 5, "custom_id": nil, "url": "ftp://example.org"})}, "components/0/components/0/url"},
		{"link with custom_id", obj{"content": "x"}, obj{"components": oneButton(obj{"style": 5, "url": "https://example.org"})}, "components/0/components/0/custom_id"},
		{"select options", obj{"components": menu(25, "v")}, obj{"components": menu(26, "v")}, "components/0/components/0/options"},
		{"select value", obj{"components": menu(1, x(99))}, obj{"components": menu(1, x(100))}, "components/0/components/0/options/0/value"},
		{"a select beside a button", obj{"content": "x"}, obj{"components": arr{obj{"type": 1, "components": arr{menu(1, "v")[0].(obj)["components"].(arr)[0], obj{"type": 2, "style": 1, "label": "x", "custom_id": "b"}}}}}, "components/0/components"},
		{"nonce", obj{"content": "x", "nonce": x(25)}, obj{"content": "x", "nonce": x(26)}, "nonce"},
		{"V2 without the flag", obj{"components": texts(1, 1), "flags": v2}, obj{"components": texts(1, 1)}, "components/0/type"},
		{"V2 with content", obj{"components": texts(1, 1), "flags": v2}, obj{"components": texts(1, 1), "flags": v2, "content": "x"}, "content"},
		{"V2 with embeds", obj{"components": texts(1, 1), "flags": v2}, obj{"components": texts(1, 1), "flags": v2, "embeds": embeds(1, 1)}, "embeds"},
		{"V2 components in all", obj{"flags": v2, "components": texts(40, 1)}, obj{"flags": v2, "components": append(texts(38, 1), obj{"type": 17, "components": texts(2, 1)})}, "components"},
		{"V2 text in all", obj{"flags": v2, "components": texts(4, 1000)}, obj{"flags": v2, "components": texts(4, 1001)}, "components"},
		{"V2 section", obj{"flags": v2, "components": arr{section(texts(3, 1)), obj{"type": 14}}}, obj{"flags": v2, "components": arr{section(texts(4, 1))}}, "components/0/components"},
		{"V2 container in a container", obj{"flags": v2, "components": arr{obj{"type": 17, "components": arr{section(texts(1, 1)), buttonRow(2, "b")}}}},
			obj{"flags": v2, "components": arr{obj{"type": 17, "components": arr{obj{"type": 17, "components": texts(1, 1)}}}}}, "components/0/components/0"},
		{"V2 ids in all", obj{"flags": v2, "components": arr{section(texts(1, 1)), buttonRow(1, "b")}}, obj{"flags": v2, "components": arr{section(texts(1, 1)), buttonRow(1, "s")}}, "components/1/components/0/custom_id"},
		{"premium button", obj{"components": oneButton(obj{"style": 6, "custom_id": nil, "label": nil, "sku_id": "9"})}, obj{"components": oneButton(obj{"style": 6, "custom_id": nil, "sku_id": "9"})}, "components/0/components/0"},
		{"select range", obj{"components": ranged(3, 0, 3)}, obj{"components": ranged(3, 0, 4)}, "components/0/components/0/max_values"},
		{"select value twice", obj{"content": "x"}, obj{"components": twice(menu(2, "v"))}, "components/0/components/0/options/1/value"},
		{"attachments", obj{"content": "x"}, obj{"content": "x", "attachments": arr{obj{"id": "0", "filename": "a.png"}}}, "attachments/0/id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			off := obj{"parse": arr{}}
			c.body["allowed_mentions"], c.bad["allowed_mentions"] = off, off
			if _, err := b.send(b.s.General, c.body); err != nil {
				t.Errorf("what fits is refused: %v", err)
			}
			b.good(t)
			_, err := b.send(b.s.General, c.bad)
			wantCode(t, err, 50035)
			// The official description and the hand-written limits may name the
			// place or the field in it.
			if got := errorPaths(err); !slices.ContainsFunc(got, func(p string) bool { return p == c.at || strings.HasPrefix(p, c.at+"/") }) {
				t.Errorf("errors stand at %q, want %q", got, c.at)
			}
			if len(b.d.Problems()) == 0 {
				t.Error("the mistake was not kept")
			}
			if n := len(b.d.Visible(b.s.General, b.s.Alice)); n != 1 {
				t.Errorf("%d messages stand, want the one that fits", n)
			}
		})
	}
}

// errorPaths lists where the nested errors of a refused form stand.
func errorPaths(err error) []string {
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) {
		return nil
	}
	var body struct{ Errors map[string]any }
	if json.Unmarshal(rest.ResponseBody, &body) != nil {
		return nil
	}
	var out []string
	var visit func(path string, node map[string]any)
	visit = func(path string, node map[string]any) {
		for k, v := range node {
			if k == "_errors" {
				out = append(out, strings.TrimPrefix(path, "/"))
			} else if m, isObj := v.(map[string]any); isObj {
				visit(path+"/"+k, m)
			}
		}
	}
	visit("", body.Errors)
	return out
}

func TestHandWrittenLimitsNeedNoOfficialDescription(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.d.spec = nil
	for name, body := range map[string]obj{
		"label": {"components": oneButton(obj{"label": x(81)})}, "six": {"components": arr{buttonRow(6, "a")}},
		"embeds": {"embeds": embeds(11, 1)}, "options": {"components": menu(26, "v")}, "nonce": {"content": "x", "nonce": x(26)},
	} {
		_, err := b.send(b.s.General, body)
		if code(err) != 50035 {
			t.Errorf("%s: %v, want 50035", name, err)
		}
	}
}

func TestAnEditIsCheckedAsTheMessageItMakes(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	m, err := b.send(b.s.General, obj{"components": texts(1, 3), "flags": FlagComponentsV2, "allowed_mentions": obj{"parse": arr{}}})
	if err != nil {
		t.Fatal(err)
	}
	words := "words"
	_, err = b.ChannelMessageEditComplex(&discordgo.MessageEdit{ID: m.ID, Channel: b.s.General, Content: &words, AllowedMentions: quiet()})
	wantCode(t, err, 50035)
	plain, err := b.send(b.s.General, text("x"))
	if err != nil {
		t.Fatal(err)
	}
	b.d.ForgetRequests()
	if _, err = b.ChannelMessageEditComplex(&discordgo.MessageEdit{ID: plain.ID, Channel: b.s.General, Content: &words, AllowedMentions: quiet()}); err != nil {
		t.Fatal(err)
	}
	b.good(t)
	if kept, _ := b.d.Message(plain.ID); kept.Content != words || kept.Edits != 1 {
		t.Errorf("the message is %+v", kept)
	}
	none := ""
	_, err = b.ChannelMessageEditComplex(&discordgo.MessageEdit{ID: plain.ID, Channel: b.s.General, Content: &none, AllowedMentions: quiet()})
	wantCode(t, err, 50006)
}
