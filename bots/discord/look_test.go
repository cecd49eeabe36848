package discord

import (
	"strings"
	"testing"

	"aiprep/bots/bottest"
)

// What the bot lacks where posts go is told to who sets it up.
func TestTheCheckKnowsTheChannelsRights(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	post := w.shown(w.slash(w.Admin, w.General, "setup", bottest.Opt{Name: "time", Value: "09:00"}))
	if !post.Ephemeral {
		t.Fatal("the form is there for everybody to see")
	}
	for _, k := range []struct {
		take int64
		want string
	}{
		{0, "All is well"},
		{bottest.PermSendMessages, "Give me the right to send messages"},
		{bottest.PermReadHistory, "never post twice"},
		{bottest.PermAttachFiles, "send files"},
		{bottest.PermViewChannel, "The channel is gone, or I cannot see it"},
	} {
		w.d.SetBotPermissions(w.General, bottest.PermsBot&^k.take)
		got := w.shown(w.slash(w.Admin, w.General, "setup", bottest.Opt{Name: "show", Value: "check"})).Message.Content
		if !strings.Contains(got, k.want) {
			t.Errorf("without %b it says %q, want %q", k.take, got, k.want)
		}
	}
	w.clean()
}

// A channel's rules for everybody give way to those for roles, and these to
// those for the member; an administrator is bound by none.
func TestRightsInAChannel(t *testing.T) {
	held := map[string]bool{"server": true, "role": true}
	all := overwrite{ID: "server", Deny: "2048"}
	role := overwrite{ID: "role", Allow: "2048"}
	other := overwrite{ID: "other", Allow: "2048"}
	me := overwrite{ID: "me", Type: 1, Deny: "2048"}
	them := overwrite{ID: "them", Type: 1, Allow: "2048"}
	for name, k := range map[string]struct {
		rights uint64
		rules  []overwrite
		may    bool
	}{
		"no rule":                       {sendMessages, nil, true},
		"taken from everybody":          {sendMessages, []overwrite{all}, false},
		"given back to a role":          {sendMessages, []overwrite{role, all}, true},
		"given to another role":         {sendMessages, []overwrite{all, other}, false},
		"taken from the member":         {sendMessages, []overwrite{me, role, all}, false},
		"given to another member":       {0, []overwrite{them}, false},
		"an administrator":              {administrator, []overwrite{all, me}, true},
		"given to a role, never before": {0, []overwrite{role}, true},
	} {
		if got := within(k.rights, held, "me", "server", k.rules)&sendMessages != 0; got != k.may {
			t.Errorf("%s: may send is %v", name, got)
		}
	}
}

// The role that an admin chose is mentioned by the daily, and nothing else is.
func TestTheDailyMentionsTheChosenRole(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	role := w.d.AddRole(w.Guild, "learners")
	w.d.ExpectPing(role)
	daily := publicDaily(w, bottest.Opt{Name: "role", Value: role})
	if !strings.HasPrefix(daily.Content, "<@&"+role+">") || len(daily.Pings) != 1 || daily.Pings[0] != role {
		t.Errorf("the daily says %q and mentions %q", daily.Content, daily.Pings)
	}
	w.clean()
}
