package discord

import (
	"errors"
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// Who installed the bot for themselves has it everywhere, for their eyes only;
// what belongs to a server does not work where the bot is not.
func TestWhoCarriesTheBotAlong(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	carol := w.d.AddPerson(bottest.Person{Name: "carol", Installed: true})
	away := w.d.AddGuild(bottest.Guild{Name: "away", BotAbsent: true})
	room := w.d.AddChannel(away, bottest.Channel{Name: "general", Type: bottest.TextChannel})
	w.d.AddMember(away, bottest.Member{User: carol, Permissions: bottest.PermsMember | bottest.PermManageGuild})
	w.run(nil)
	q := w.shown(w.slash(carol, room, "test", bottest.Opt{Name: "scope", Value: "caching"}))
	if !q.Ephemeral || !strings.Contains(q.Message.Content, "Which of these is **right**") {
		t.Fatalf("the question: %+v", q.Message)
	}
	v := w.shown(w.click(carol, q.Message.ID, "A"))
	if v.Type != bottest.CallbackUpdate || !strings.Contains(v.Message.Content, "The right one is right.") {
		t.Errorf("the verdict: %+v", v.Message)
	}
	if _, err := w.d.Slash(carol, room, "setup"); !errors.Is(err, bottest.ErrNotOffered) {
		t.Errorf("setup is offered where the bot is not: %v", err)
	}
	if seen := w.d.Visible(room, w.Bob); len(seen) != 0 {
		t.Errorf("others see %d messages", len(seen))
	}
	// A private daily set there comes as a direct message.
	set := w.shown(w.slash(carol, room, "settings", bottest.Opt{Name: "daily", Value: "09:00"}))
	if !strings.Contains(set.Message.Content, "09:00") {
		t.Errorf("the settings: %q", set.Message.Content)
	}
	r, err := w.bot.Post(w.soon(), engine.Delivery{Key: "K", To: engine.Place{Platform: platform, Chat: ownChat + carol}, Message: engine.Message{Title: "Hello"}})
	if err != nil || !strings.HasPrefix(string(r.Ref), w.d.DM(carol)+"/") {
		t.Errorf("posted %v, %v", r, err)
	}
	w.clean()
}
