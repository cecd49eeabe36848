package discord

import (
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
)

// life is a server whose daily runs at nine, as days go by.
type life struct {
	*talkDriver
	t    *testing.T
	room string
	day  time.Time
}

func newLife(t *testing.T) *life {
	t.Helper()
	l := &life{talkDriver: newTalkDriver(t, bottest.Talk{}, false), t: t, day: bottest.TalkStart}
	l.types("/setup 09:00")
	l.room = l.rooms["g"]
	return l
}

// types has the admin type a command in the server, and returns what they see.
func (l *life) types(line string) string {
	l.t.Helper()
	if err := l.Type(l.soon(), "admin", "g", line); err != nil {
		l.t.Fatal(err)
	}
	seen := l.Sees("admin", "g")
	l.rec.Take()
	return seen[len(seen)-2].Text
}

// next lets a day go by and returns how many dailies the channel shows.
func (l *life) next() int {
	l.t.Helper()
	l.day = l.day.Add(24 * time.Hour)
	if err := l.Until(l.soon(), l.day.Add(time.Minute)); err != nil {
		l.t.Fatal(err)
	}
	return len(l.dailies())
}

// dailies are the challenges, open or revealed, that everybody sees.
func (l *life) dailies() (all []bottest.Message) {
	for _, m := range l.d.Visible(l.room, l.people["admin"]) {
		if m.AuthorID == l.d.BotID && !m.Ephemeral() {
			all = append(all, m)
		}
	}
	return all
}

func (l *life) wants(got, want string) {
	l.t.Helper()
	if !strings.Contains(got, want) {
		l.t.Errorf("it says %q, want %q", got, want)
	}
}

// The channel goes: nothing is lost, the form says what to do, and another
// channel takes the daily up again.
func TestTheChannelIsDeleted(t *testing.T) {
	l := newLife(t)
	if n := l.next(); n != 1 {
		t.Fatalf("%d dailies on the first day", n)
	}
	l.d.RemoveChannel(l.room)
	l.rooms["g"] = l.d.AddChannel(l.guilds["g"], bottest.Channel{Name: "new", Type: bottest.TextChannel})
	l.room = l.rooms["g"]
	l.next()
	l.wants(l.types("/setup"), "no longer exists")
	l.wants(l.types("/setup check"), "The channel is gone")
	l.wants(l.types("/setup channel="+l.room), "Daily challenge: on")
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies in the new channel", n)
	}
	l.wants(l.types("/setup check"), "All is well")
	l.clean()
}

// A right is taken and given back: the daily stops, and goes on by itself.
func TestARightIsTakenAndGivenBack(t *testing.T) {
	l := newLife(t)
	l.d.SetBotPermissions(l.room, bottest.PermsBot&^bottest.PermSendMessages)
	if n := l.next(); n != 0 {
		t.Fatalf("%d dailies where nobody may write", n)
	}
	l.wants(l.types("/setup check"), "Give me the right to send messages")
	l.d.SetBotPermissions(l.room, bottest.PermsBot)
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies after the right was given back", n)
	}
	l.wants(l.types("/setup check"), "All is well")
	l.d.ChangeChannel(l.room, func(c *bottest.Channel) { c.Name = "renamed" })
	if n := l.next(); n != 2 {
		t.Errorf("%d dailies after the channel was renamed", n)
	}
	l.clean()
}

// An outage of a server is neither a departure nor an arrival.
func TestAnOutageIsNoDeparture(t *testing.T) {
	l := newLife(t)
	l.d.SetOutage(l.guilds["g"], true)
	l.d.SetOutage(l.guilds["g"], false)
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies after an outage", n)
	}
	l.clean()
}

// A moderator deletes the daily: its reveal is dropped, and the next one comes.
func TestAModeratorDeletesTheDaily(t *testing.T) {
	l := newLife(t)
	l.next()
	l.d.EraseMessage(l.dailies()[0].ID)
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies after one was deleted", n)
	}
	l.wants(l.types("/setup"), "Daily challenge: on")
	l.clean()
}

// AutoMod blocks a post: that day is left out and said so, nobody is shut out.
func TestAutoModBlocksAPost(t *testing.T) {
	l := newLife(t)
	l.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.Forbidden{Code: 200000, Message: "Message was blocked by automatic moderation"}})
	if n := l.next(); n != 0 {
		t.Fatalf("%d dailies", n)
	}
	l.wants(l.types("/setup check"), "A post failed")
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies on the next day", n)
	}
	l.clean()
}

// The thread of the daily is locked, and opened again.
func TestTheThreadIsLocked(t *testing.T) {
	l := newLife(t)
	l.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.Forbidden{Code: codeLocked, Message: "This thread is locked"}})
	l.next()
	l.wants(l.types("/setup"), "may not write")
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies after the thread was opened", n)
	}
	l.clean()
}

// The bot is removed and added again, and the server is deleted for good.
func TestAServerRemovesAndTakesBackTheBot(t *testing.T) {
	l := newLife(t)
	l.d.RemoveGuild(l.guilds["g"])
	if err := l.rec.Wait(l.soon()); err != nil { // the engine heard of it
		t.Fatal(err)
	}
	if n := l.next(); n != 0 {
		t.Errorf("%d dailies without the bot", n)
	}
	l.rec.Take()
	l.d.ReturnToGuild(l.guilds["g"])
	if err := l.rec.Wait(l.soon()); err != nil {
		t.Fatal(err)
	}
	if n := l.next(); n != 1 {
		t.Errorf("%d dailies after the bot is back", n)
	}
}
