package discord

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aiprep/content"
	"aiprep/engine"
)

// outline is a plan in a few words.
func outline(steps []step) string {
	var words []string
	for _, s := range steps {
		word := []string{"callback", "original", "follow-up", "edit", "withdraw"}[s.how]
		if s.how == byCallback {
			word = fmt.Sprint("callback ", s.call)
		}
		if s.msg != nil {
			word += " " + strings.TrimSpace(s.msg.Content)
		}
		if s.hidden {
			word += " hidden"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestPlan(t *testing.T) {
	m := func(s string) *engine.Message { return &engine.Message{Text: content.Plain(s)} }
	whisper, replace, post := engine.Reply{Whisper: m("w")}, engine.Reply{Replace: m("r")}, engine.Reply{Post: m("p")}
	all := engine.Reply{Whisper: m("w"), Replace: m("r"), Post: m("p")}
	ask := engine.Reply{Ask: &engine.Prompt{Action: "my zone", Title: "t", Label: "l"}}
	askAnd := ask
	askAnd.Replace = m("r")
	typed, pressed := event{open: true}, event{open: true, pressed: true}
	pressedHidden := event{open: true, pressed: true, hidden: true}
	written := event{open: true, pressed: true, hidden: true, written: true}
	alone, pressedAlone := event{}, event{pressed: true}
	hidden, public, changed := promise{callDefer, true}, promise{callDefer, false}, promise{callDeferUpdate, false}
	for _, c := range []struct {
		name string
		ev   event
		r    engine.Reply
		made promise
		want string
	}{
		{"a whisper", typed, whisper, promise{}, "callback 4 w hidden"},
		{"a whisper in private", alone, whisper, promise{}, "callback 4 w"},
		{"a post", typed, post, promise{}, "callback 4 p"},
		{"a replacement of nothing", typed, replace, promise{}, "callback 4 r hidden"},
		{"a replacement", pressed, replace, promise{}, "callback 7 r"},
		{"a verdict in public", pressed, whisper, promise{}, "callback 4 w hidden"},
		{"all at once", pressed, all, promise{}, "callback 7 r, follow-up w hidden, follow-up p"},
		{"all to a command", typed, all, promise{}, "callback 4 r hidden, follow-up w hidden, follow-up p"},
		{"nothing to a press", pressed, engine.Reply{}, promise{}, "callback 6"},
		{"nothing to a command", typed, engine.Reply{}, promise{}, "callback 4 … hidden"},
		{"a form", pressedHidden, ask, promise{}, "callback 9"},
		{"a form and a replacement", pressedHidden, askAnd, promise{}, "callback 7 r hidden, follow-up ## t hidden"},
		{"a form after a form", written, ask, promise{}, "callback 4 ## t hidden"},
		{"a form after a promise", pressedHidden, ask, changed, "follow-up ## t hidden"},

		{"a promised whisper", typed, whisper, hidden, "original w hidden"},
		{"a promised post", typed, post, public, "original p"},
		{"a whisper where a post was promised", typed, whisper, public, "withdraw, follow-up w hidden"},
		{"a post where a whisper was promised", typed, post, hidden, "withdraw, follow-up p"},
		{"both where a post was promised", typed, engine.Reply{Whisper: m("w"), Post: m("p")}, public, "original p, follow-up w hidden"},
		{"a replacement where a whisper was promised", pressed, replace, hidden, "withdraw, edit r"},
		{"a hidden one's replacement where a whisper was promised", pressedHidden, replace, hidden, "original r hidden"},
		{"all where a whisper was promised", pressed, all, hidden, "original w hidden, edit r, follow-up p"},
		{"nothing where something was promised", typed, engine.Reply{}, hidden, "withdraw"},
		{"a promised replacement", pressed, replace, changed, "original r"},
		{"a whisper where a replacement was promised", pressed, whisper, changed, "follow-up w hidden"},
		{"nothing where a replacement was promised", pressed, engine.Reply{}, changed, ""},
		{"a promise in private", pressedAlone, whisper, public, "original w"},
	} {
		if got := outline(c.ev.plan(c.r, c.made)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestLongPartsStayInOrder(t *testing.T) {
	long := &engine.Message{Text: content.Plain(strings.Repeat("many words ", 800))}
	ev := event{open: true}
	steps := ev.plan(engine.Reply{Whisper: long, Post: &engine.Message{Text: content.Plain("p")}}, promise{callDefer, false})
	var ways []how
	for _, s := range steps {
		ways = append(ways, s.how)
	}
	if !slices.Equal(ways, []how{byOriginal, byFollowUp, byFollowUp, byFollowUp}) || steps[0].msg.Content != "p" ||
		len(steps[1].msg.Embeds[0].Description) < len(steps[3].msg.Embeds[0].Description) {
		t.Errorf("in the order %v", ways)
	}
}

func TestPromisesKeepWhatACommandShows(t *testing.T) {
	for _, c := range []struct {
		name string
		ev   event
		cmd  engine.Command
		want promise
	}{
		{"a typed command", event{open: true}, engine.Command{Pressed: engine.ShowsReplace}, promise{callDefer, true}},
		{"a typed command that posts", event{open: true}, engine.Command{Shows: engine.ShowsPost}, promise{callDefer, false}},
		{"a typed command in private", event{}, engine.Command{}, promise{callDefer, false}},
		{"a typed command that replaces nothing", event{open: true}, engine.Command{Shows: engine.ShowsReplace}, promise{callDefer, true}},
		{"a press that replaces one's own message", event{open: true, pressed: true, in: engine.Input{Own: true}}, engine.Command{Pressed: engine.ShowsReplace}, promise{callDeferUpdate, false}},
		{"a press on a message that others read", event{open: true, pressed: true}, engine.Command{Pressed: engine.ShowsReplace}, promise{callDefer, true}},
		{"a press that whispers", event{open: true, pressed: true}, engine.Command{}, promise{callDefer, true}},
	} {
		if got := c.ev.promiseOf(c.cmd); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
