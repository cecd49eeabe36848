package bottest

import (
	"encoding/json"
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestPlacesAreReadThroughTheRealClient(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	me, err := b.User("@me")
	if err != nil || me.ID != b.d.BotID || !me.Bot {
		t.Errorf("me: %+v, %v", me, err)
	}
	if alice, err := b.User(b.s.Alice); err != nil || alice.Username != "alice" {
		t.Errorf("alice: %+v, %v", alice, err)
	}
	if app, err := b.Application("@me"); err != nil || app.ID != b.d.AppID || app.VerifyKey != b.d.PublicKey() {
		t.Errorf("application: %+v, %v", app, err)
	}
	if gate, err := b.GatewayBot(); err != nil || gate.SessionStartLimit.Remaining != 1000 || gate.SessionStartLimit.MaxConcurrency != 1 {
		t.Errorf("gateway: %+v, %v", gate, err)
	}
	if g, err := b.Guild(b.s.Guild); err != nil || g.Name != "Study group" {
		t.Errorf("guild: %+v, %v", g, err)
	}
	role := b.d.AddRole(b.s.Guild, "learners")
	if roles, err := b.GuildRoles(b.s.Guild); err != nil || len(roles) != 2 {
		t.Errorf("roles: %v, %v; want %s and everyone", roles, err, role)
	}
	thread := b.d.AddChannel(b.s.Guild, Channel{Name: "talk", Type: PublicThread, ParentID: b.s.General})
	if list, err := b.GuildChannels(b.s.Guild); err != nil || len(list) != 3 {
		t.Errorf("channels: %v, %v", list, err)
	}
	if list, err := b.GuildThreadsActive(b.s.Guild); err != nil || len(list.Threads) != 1 || list.Threads[0].ID != thread {
		t.Errorf("threads: %v, %v", list, err)
	}
	if ch, err := b.Channel(b.s.Forum); err != nil || ch.Type != discordgo.ChannelTypeGuildForum || len(ch.AvailableTags) != 1 {
		t.Errorf("forum: %+v, %v", ch, err)
	}
	if err := b.ChannelTyping(thread); err != nil {
		t.Error(err)
	}
	b.good(t)
}

func TestThreadsAreChangedWithTheRightTo(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	thread := b.d.AddChannel(b.s.Guild, Channel{Name: "talk", Type: PublicThread, ParentID: b.s.General})
	yes := true
	if ch, err := b.ChannelEditComplex(thread, &discordgo.ChannelEdit{Archived: &yes}); err != nil || !ch.ThreadMetadata.Archived {
		t.Errorf("archiving: %+v, %v", ch, err)
	}
	_, err := b.ChannelEditComplex(thread, &discordgo.ChannelEdit{Locked: &yes})
	wantCode(t, err, 50013)
	b.d.SetBotPermissions(thread, PermsBot|PermManageThreads)
	if ch, err := b.ChannelEditComplex(thread, &discordgo.ChannelEdit{Locked: &yes}); err != nil || !ch.ThreadMetadata.Locked {
		t.Errorf("locking: %+v, %v", ch, err)
	}
	_, err = b.ChannelEditComplex(b.s.General, &discordgo.ChannelEdit{Name: "mine"})
	wantCode(t, err, 50013)
	b.good(t)
}

func TestGuildsComeAndGoOnTheGateway(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	w := dial(t, b.d)
	w.identify(b.d.Token, IntentGuilds)
	w.want(opDispatch, "GUILD_CREATE")
	gone := func(want bool) {
		t.Helper()
		var g struct {
			Unavailable *bool `json:"unavailable"`
		}
		if err := json.Unmarshal(w.want(opDispatch, "GUILD_DELETE").Data, &g); err != nil || (g.Unavailable != nil) != want {
			t.Errorf("unavailable is %v, %v", g.Unavailable, err)
		}
	}
	b.d.SetOutage(b.s.Guild, true)
	gone(true)
	b.d.SetOutage(b.s.Guild, false)
	w.want(opDispatch, "GUILD_CREATE")
	b.d.RemoveGuild(b.s.Guild)
	gone(false)
	b.d.ReturnToGuild(b.s.Guild)
	w.want(opDispatch, "GUILD_CREATE")
	b.d.RemoveChannel(b.s.News)
	w.want(opDispatch, "CHANNEL_DELETE")
	b.d.ChangeChannel(b.s.General, func(c *Channel) { c.Name = "hall" })
	w.want(opDispatch, "CHANNEL_UPDATE")
}

func TestEntitlementsForTestsAreMadeAndDeleted(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	if err := b.EntitlementTestCreate(b.d.AppID, &discordgo.EntitlementTest{SKUID: "900", OwnerID: b.s.Guild, OwnerType: discordgo.EntitlementOwnerTypeGuildSubscription}); err != nil {
		t.Fatal(err)
	}
	list, err := b.Entitlements(b.d.AppID, &discordgo.EntitlementFilterOptions{GuildID: b.s.Guild})
	if err != nil || len(list) != 1 || list[0].SKUID != "900" {
		t.Fatalf("list %v, %v", list, err)
	}
	if err := b.EntitlementTestDelete(b.d.AppID, list[0].ID); err != nil {
		t.Error(err)
	}
	wantCode(t, b.EntitlementTestDelete(b.d.AppID, list[0].ID), 10074)
}

func TestMessagesAreReadAsPeopleReadThem(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	m, err := b.ChannelMessageSendComplex(b.s.General, &discordgo.MessageSend{Content: "one", AllowedMentions: quiet(),
		Embeds: []*discordgo.MessageEmbed{{Title: "two", Description: "three", Author: &discordgo.MessageEmbedAuthor{Name: "by"},
			Fields: []*discordgo.MessageEmbedField{{Name: "four", Value: "five"}}, Footer: &discordgo.MessageEmbedFooter{Text: "six"}}},
		Components: []discordgo.MessageComponent{row(discordgo.Button{Label: "Go", CustomID: "go", Style: discordgo.PrimaryButton},
			discordgo.Button{Label: "Read", Style: discordgo.LinkButton, URL: "https://example.org"})}})
	if err != nil {
		t.Fatal(err)
	}
	kept, found := b.d.Message(m.ID)
	if want := "one\nby\ntwo\nthree\nfour\nfive\nsix"; !found || kept.Text() != want {
		t.Errorf("text %q, want %q", kept.Text(), want)
	}
	if kept.Button("Go") != "go" || kept.Button("Read") != "" || kept.Button("None") != "" || len(kept.Pressable()) != 2 {
		t.Errorf("buttons %+v", kept.Pressable())
	}
	if _, err := b.d.Click(b.s.Alice, m.ID, ""); err == nil {
		t.Error("a link was pressed")
	}
	b.good(t)
}
