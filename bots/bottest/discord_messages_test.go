package bottest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// send posts a body of our own, for what discordgo's structs lack.
func (b *bot) send(channel string, body map[string]any) (*discordgo.Message, error) {
	url := discordgo.EndpointChannelMessages(channel)
	data, err := b.RequestWithBucketID("POST", url, body, url)
	if err != nil {
		return nil, err
	}
	m := &discordgo.Message{}
	return m, json.Unmarshal(data, m)
}

// text is a message of one line with mentions off.
func text(s string) map[string]any {
	return map[string]any{"content": s, "allowed_mentions": map[string]any{"parse": []string{}}}
}

func TestNonceReturnsTheFirstMessageForTwoMinutes(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	post := func(s string) *discordgo.Message {
		t.Helper()
		body := text(s)
		body["nonce"], body["enforce_nonce"] = "daily-1", true
		m, err := b.send(b.s.General, body)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := post("one")
	b.d.Advance(119 * time.Second)
	if again := post("two"); again.ID != first.ID || again.Content != "one" {
		t.Errorf("repeat gave %s %q, want the first message %s", again.ID, again.Content, first.ID)
	}
	b.d.EraseMessage(first.ID)
	if again := post("three"); again.ID != first.ID {
		t.Errorf("repeat after deletion gave a new message %s", again.ID)
	}
	if n := len(b.d.Visible(b.s.General, b.s.Alice)); n != 0 {
		t.Errorf("%d messages stand, want none: the deleted one is not made again", n)
	}
	b.d.Advance(2 * time.Second)
	if late := post("four"); late.ID == first.ID || late.Content != "four" {
		t.Errorf("after two minutes the nonce gave %q, want a new message", late.Content)
	}
	b.good(t)
}

func TestNonceWithoutEnforceIsOnlyALabel(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	body := text("x")
	body["nonce"] = "n"
	one, err := b.send(b.s.General, body)
	if err != nil {
		t.Fatal(err)
	}
	two, err := b.send(b.s.General, body)
	if err != nil {
		t.Fatal(err)
	}
	if one.ID == two.ID {
		t.Error("the second message was swallowed")
	}
}

func TestHistoryIsPagedNewestFirst(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	var ids []string
	for range 5 {
		m, err := b.send(b.s.General, text("x"))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	b.d.EraseMessage(ids[4])
	for _, c := range []struct {
		name                  string
		limit                 int
		before, after, around string
		want                  []string
	}{
		{"all", 100, "", "", "", []string{ids[3], ids[2], ids[1], ids[0]}},
		{"limit", 2, "", "", "", []string{ids[3], ids[2]}},
		{"before", 2, ids[3], "", "", []string{ids[2], ids[1]}},
		{"after takes the oldest first", 2, "", ids[0], "", []string{ids[2], ids[1]}},
		{"after the last", 2, "", ids[3], "", nil},
		{"around", 3, "", "", ids[1], []string{ids[2], ids[1], ids[0]}},
	} {
		list, err := b.ChannelMessages(b.s.General, c.limit, c.before, c.after, c.around)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, m := range list {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestPermissionsDecideWhatTheBotMayDo(t *testing.T) {
	embed := &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{{Title: "t"}}, AllowedMentions: quiet()}
	file := &discordgo.MessageSend{Files: []*discordgo.File{{Name: "a.txt", Reader: strings.NewReader("a")}}, AllowedMentions: quiet()}
	plain := &discordgo.MessageSend{Content: "x", AllowedMentions: quiet()}
	for _, c := range []struct {
		name string
		take int64
		send *discordgo.MessageSend
		want int
	}{
		{"all rights", 0, embed, 0},
		{"no view", PermViewChannel, plain, 50001},
		{"no send", PermSendMessages, plain, 50013},
		{"threads do not matter in a channel", PermSendInThreads, plain, 0},
		{"no embed links", PermEmbedLinks, embed, 50013},
		{"no attach files", PermAttachFiles, file, 50013},
		{"no embed links, but plain", PermEmbedLinks, plain, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			b.d.SetBotPermissions(b.s.General, PermsBot&^c.take)
			_, err := b.ChannelMessageSendComplex(b.s.General, c.send)
			wantCode(t, err, c.want)
			b.good(t)
		})
	}
}

func TestHistoryWithoutTheRightIsEmptyAndNoError(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	m, err := b.send(b.s.General, text("x"))
	if err != nil {
		t.Fatal(err)
	}
	b.d.SetBotPermissions(b.s.General, PermsBot&^PermReadHistory)
	list, err := b.ChannelMessages(b.s.General, 10, "", "", "")
	if err != nil || len(list) != 0 {
		t.Errorf("got %d messages, %v; want none and no error", len(list), err)
	}
	_, err = b.ChannelMessage(b.s.General, m.ID)
	wantCode(t, err, 50013)
}

func TestThreadsAndForums(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	_, err := b.send(b.s.Forum, text("x"))
	wantCode(t, err, 50008)
	tag := b.d.Channels(b.s.Guild)[2].Tags[0].ID
	start := func(name string, tags ...string) (*discordgo.Channel, error) {
		return b.ForumThreadStartComplex(b.s.Forum, &discordgo.ThreadStart{Name: name, AppliedTags: tags}, &discordgo.MessageSend{Content: "today", AllowedMentions: quiet()})
	}
	thread, err := start("Question 1", tag)
	if err != nil {
		t.Fatal(err)
	}
	if list := b.d.Visible(thread.ID, b.s.Alice); len(list) != 1 || list[0].Content != "today" || list[0].ID != thread.ID {
		t.Errorf("the post holds %+v", list)
	}
	b.d.ChangeChannel(b.s.Forum, func(c *Channel) { c.RequireTag = true })
	_, err = start("Question 2")
	wantCode(t, err, 40067)

	b.d.ChangeChannel(thread.ID, func(c *Channel) { c.Archived = true })
	_, err = b.ChannelMessageEditComplex(&discordgo.MessageEdit{ID: thread.ID, Channel: thread.ID, Content: new(string), AllowedMentions: quiet()})
	wantCode(t, err, 50083)
	if _, err = b.send(thread.ID, text("wakes it")); err != nil {
		t.Errorf("a send into an archived thread: %v", err)
	}
	if b.d.Channels(b.s.Guild)[3].Archived {
		t.Error("the thread is still archived")
	}
	b.d.ChangeChannel(thread.ID, func(c *Channel) { c.Archived, c.Locked = true, true })
	_, err = b.send(thread.ID, text("x"))
	wantCode(t, err, 50083)
	b.d.ChangeChannel(thread.ID, func(c *Channel) { c.Archived, c.Locked = false, false })
	b.d.SetBotPermissions(b.s.Forum, PermsBot&^PermSendInThreads)
	_, err = b.send(thread.ID, text("x"))
	wantCode(t, err, 50013)
	b.good(t)
}

func TestWhatIsGoneHasItsNumber(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	m, err := b.send(b.s.General, text("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.ChannelMessageDelete(b.s.General, m.ID); err != nil {
		t.Fatal(err)
	}
	wantCode(t, b.ChannelMessageDelete(b.s.General, m.ID), 10008)
	said := b.d.Say(b.s.Alice, b.s.General, "hi")
	_, err = b.ChannelMessageEditComplex(&discordgo.MessageEdit{ID: said, Channel: b.s.General, Content: new(string), AllowedMentions: quiet()})
	wantCode(t, err, 50005)
	wantCode(t, b.ChannelMessageDelete(b.s.General, said), 50013)
	_, err = b.GuildMember(b.s.Guild, b.s.Alice)
	wantCode(t, err, 0)
	b.d.RemoveMember(b.s.Guild, b.s.Alice)
	_, err = b.GuildMember(b.s.Guild, b.s.Alice)
	wantCode(t, err, 10007)
	b.d.RemoveChannel(b.s.General)
	_, err = b.send(b.s.General, text("x"))
	wantCode(t, err, 10003)
	b.d.SetOutage(b.s.Guild, true)
	_, err = b.send(b.s.News, text("x"))
	if rest := new(discordgo.RESTError); err == nil || code(err) != 0 {
		t.Errorf("an outage gave %v %v", err, rest)
	}
	b.d.SetOutage(b.s.Guild, false)
	b.d.RemoveGuild(b.s.Guild)
	_, err = b.send(b.s.News, text("x"))
	wantCode(t, err, 50001)
	_, err = b.Guild("123")
	wantCode(t, err, 10004)
	b.good(t)
}

func TestDirectMessagesMayBeRefused(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	ch, err := b.UserChannelCreate(b.s.Alice)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.send(ch.ID, text("hello")); err != nil {
		t.Fatal(err)
	}
	if again, err := b.UserChannelCreate(b.s.Alice); err != nil || again.ID != ch.ID {
		t.Errorf("the channel came as %v, %v; want %s again", again, err, ch.ID)
	}
	if list := b.d.Visible(ch.ID, b.s.Bob); list != nil {
		t.Errorf("bob reads alice's messages: %v", list)
	}
	b.d.ChangePerson(b.s.Alice, func(p *Person) { p.RefusesDMs = true })
	_, err = b.send(ch.ID, text("hello"))
	wantCode(t, err, 50007)
	b.good(t)
}

func TestFilesArriveAndCanBeFetched(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	png := []byte("\x89PNG not really")
	m, err := b.ChannelMessageSendComplex(b.s.General, &discordgo.MessageSend{AllowedMentions: quiet(),
		Embeds: []*discordgo.MessageEmbed{{Title: "Card", Image: &discordgo.MessageEmbedImage{URL: "attachment://card.png"}}},
		Files:  []*discordgo.File{{Name: "card.png", ContentType: "image/png", Reader: bytes.NewReader(png)}}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(m.Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Equal(got, png) {
		t.Errorf("fetched %q, %v", got, err)
	}
	b.good(t)
	if _, err := b.ChannelMessageSendComplex(b.s.General, &discordgo.MessageSend{AllowedMentions: quiet(),
		Embeds: []*discordgo.MessageEmbed{{Image: &discordgo.MessageEmbedImage{URL: "attachment://other.png"}}}}); err != nil {
		t.Fatal(err)
	}
	if p := b.d.Problems(); len(p) != 1 || !strings.Contains(p[0], "other.png") {
		t.Errorf("a picture that was never sent gave problems %q", p)
	}
}

func TestMentionsAreWatched(t *testing.T) {
	b := newBot(t, DiscordOptions{RolePings: []string{"77"}})
	everyone := "@everyone <@" + b.s.Alice + "> <@&77> <@&78>"
	for _, c := range []struct {
		name     string
		mentions any
		pings    []string
		problem  string
	}{
		{"off", map[string]any{"parse": []string{}}, nil, ""},
		{"missing", nil, []string{"everyone", b.s.Alice, "77", "78"}, "allowed_mentions is missing"},
		{"no list", map[string]any{"replied_user": false}, nil, "no parse list"},
		{"parsed", map[string]any{"parse": []string{"users"}}, []string{b.s.Alice}, "parses [users]"},
		{"a role that was asked for", map[string]any{"parse": []string{}, "roles": []string{"77"}}, []string{"77"}, ""},
		{"another role", map[string]any{"parse": []string{}, "roles": []string{"78"}}, []string{"78"}, "role 78"},
		{"users", map[string]any{"parse": []string{}, "users": []string{b.s.Alice}}, []string{b.s.Alice}, "lists users"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.d.ForgetRequests()
			body := map[string]any{"content": everyone}
			if c.mentions != nil {
				body["allowed_mentions"] = c.mentions
			}
			m, err := b.send(b.s.General, body)
			if err != nil {
				t.Fatal(err)
			}
			kept, _ := b.d.Message(m.ID)
			if c.name != "no list" && !slices.Equal(kept.Pings, c.pings) {
				t.Errorf("pings %v, want %v", kept.Pings, c.pings)
			}
			problems := strings.Join(b.d.Problems(), "\n")
			if (problems == "") != (c.problem == "") || !strings.Contains(problems, c.problem) {
				t.Errorf("problems %q, want %q", problems, c.problem)
			}
		})
	}
}

func TestCrosspostWorksOnceAndOnlyForAnnouncements(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	for channel, want := range map[string]int{b.s.News: 0, b.s.General: 50024} {
		m, err := b.send(channel, text("x"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.ChannelMessageCrosspost(channel, m.ID)
		wantCode(t, err, want)
		if want == 0 {
			_, err = b.ChannelMessageCrosspost(channel, m.ID)
			wantCode(t, err, 40033)
		}
	}
}
