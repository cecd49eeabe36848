package discord

import (
	"fmt"
	"strings"
	"testing"

	"aiprep/bots/bottest"
)

func TestATestFromTheFirstQuestionToTheSummary(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	r := w.shown(w.slash(w.Alice, w.General, "test", bottest.Opt{Name: "scope", Value: "caching"}))
	if !r.Ephemeral {
		t.Error("the first question is there for everybody to see")
	}
	id := r.Message.ID
	for step := 0; step < 60; step++ {
		m, _ := w.d.Message(id)
		what := "A"
		switch {
		case m.Button("A") != "":
		case strings.Contains(m.Text(), "\x00"):
		default:
			what = ""
			for _, c := range m.Pressable() {
				if strings.HasPrefix(c.CustomID, "next ") {
					what = c.CustomID
				}
			}
		}
		if what == "" {
			break
		}
		w.shown(w.click(w.Alice, id, what))
	}
	m, _ := w.d.Message(id)
	fmt.Println(m.Text())
	for _, c := range m.Pressable() {
		fmt.Println(c.Label, c.CustomID)
	}
	w.clean()
}
