package discord

import (
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// A board leaves out who has left the server, asks about each person once a
// day, and shows a name where Discord can't say.
func TestABoardLeavesOutWhoLeft(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	daily := publicDaily(w)
	w.shown(w.click(w.Alice, daily.ID, "A"))
	w.shown(w.click(w.Bob, daily.ID, "B"))
	b := w.bot
	asked := func() int { return w.requests("GET", "/guilds/"+w.Guild+"/members/"+w.Bob) }
	place := engine.Place{Platform: platform, Server: w.Guild, Chat: w.General}
	if s := b.lookFor(t.Context(), place, []string{w.Alice, w.Bob}); len(s.Left) != 0 || asked() != 1 {
		t.Errorf("both are there: left %v, asked %d times", s.Left, asked())
	}
	w.d.RemoveMember(w.Guild, w.Bob)
	if s := b.lookFor(t.Context(), place, []string{w.Bob}); len(s.Left) != 0 || asked() != 1 {
		t.Errorf("within the day: left %v, asked %d times", s.Left, asked())
	}
	b.members.Put(w.Guild+" "+w.Bob, true, b.now().Add(-48*time.Hour)) // the day is over
	if s := b.lookFor(t.Context(), place, []string{w.Alice, w.Bob}); len(s.Left) != 1 || s.Left[0] != w.Bob || asked() != 2 {
		t.Errorf("after it: left %v, asked %d times", s.Left, asked())
	}
	board := w.shown(w.slash(w.Alice, w.General, "board", bottest.Opt{Name: "period", Value: "all"}))
	if !board.Ephemeral || strings.Contains(board.Message.Content, "bob") {
		t.Errorf("the board says %q", board.Message.Content)
	}
	w.clean()
}
