package telegram

import (
	"strconv"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// Who has left the group is known, and a name is kept where Telegram can't say.
func TestWhoHasLeftTheGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	w.run()
	w.must(w.tg.AddBot(ann, group, false))
	id := func(n int64) string { return strconv.FormatInt(n, 10) }
	place := engine.Place{Platform: platform, Server: id(group), Chat: id(group)}
	if s := w.bot.lookFor(t.Context(), place, []string{id(ann), id(bob), "404", "x"}); len(s.Left) != 0 {
		t.Errorf("all are there, or unknown: left %v", s.Left)
	}
	w.must(w.tg.Leave(cleo, group))
	if s := w.bot.lookFor(t.Context(), place, []string{id(bob), id(cleo)}); len(s.Left) != 1 || s.Left[0] != id(cleo) {
		t.Errorf("cleo has left: left %v", s.Left)
	}
	w.clean()
}
