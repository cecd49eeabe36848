package discord

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

const testKey = "ABCDEFGHJKMNP"

// delivery is what goes out unasked to a channel.
func (w *world) delivery(channel string) engine.Delivery { return w.keyed(channel, testKey) }

func (w *world) keyed(channel, key string) engine.Delivery {
	return engine.Delivery{
		Key: key, To: engine.Place{Platform: platform, Server: w.Guild, Chat: channel},
		Message: engine.Message{Title: "Daily", Text: content.Parse("What is *this*?"), Buttons: [][]engine.Button{{
			{Label: "A", Action: "vote " + key + " a"}, {Label: "B", Action: "vote " + key + " b"},
		}}},
	}
}

func kindOf(err error) engine.PostKind {
	var pe *engine.PostError
	if err == nil || !errors.As(err, &pe) {
		return 255
	}
	return pe.Kind
}

func TestTheSameKeyPostsOnce(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	first, err := b.Post(w.soon(), w.delivery(w.General))
	w.must(err)
	again, err := b.Post(w.soon(), w.delivery(w.General))
	w.must(err)
	if first != again || first.Ref == "" {
		t.Errorf("posted as %q and %q", first.Ref, again.Ref)
	}
	if n := len(w.d.Visible(w.General, w.Bob)); n != 1 {
		t.Errorf("bob sees %d messages", n)
	}
	w.clean()
}

func TestWhatBecameOfAnEarlierAttempt(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	b.now = func() time.Time { return time.Now().Add(3 * time.Minute) }
	thread := w.d.AddChannel(w.Guild, bottest.Channel{Name: "thread", Type: bottest.PublicThread, ParentID: w.General})
	unread := w.d.AddChannel(w.Guild, bottest.Channel{Name: "unread"})
	w.d.SetBotPermissions(unread, bottest.PermsBot&^bottest.PermReadHistory)
	busy := w.d.AddChannel(w.Guild, bottest.Channel{Name: "busy"})
	began := time.Now()
	for i := range historyMax*historyAt + 1 {
		w.d.Say(w.Bob, busy, "line "+strconv.Itoa(i))
	}
	chatty := w.d.AddChannel(w.Guild, bottest.Channel{Name: "chatty"})
	for range historyAt + 50 {
		w.d.Say(w.Bob, chatty, "a line")
	}
	gone := w.d.AddChannel(w.Guild, bottest.Channel{Name: "gone"})
	w.d.RemoveChannel(gone)
	shut := w.d.AddChannel(w.Guild, bottest.Channel{Name: "shut"})
	w.d.SetBotPermissions(shut, 0)
	for i, c := range []struct {
		name, channel string
		post          bool
		ago           time.Duration // of the attempt, before the bot's clock
		want          engine.Finding
	}{
		{"it arrived", w.General, true, 3 * time.Minute, engine.Found},
		{"it arrived among many others", chatty, true, 3 * time.Minute, engine.Found},
		{"it arrived in a thread", thread, true, 3 * time.Minute, engine.Found},
		{"it arrived as a forum post", w.Forum, true, 3 * time.Minute, engine.Found},
		{"nothing arrived", w.News, false, 3 * time.Minute, engine.Absent},
		{"the nonce is still known", w.News, true, 100 * time.Second, engine.Absent},
		{"the history is not ours to read", unread, true, 3 * time.Minute, engine.CannotTell},
		{"too much was written since", busy, false, 3 * time.Minute, engine.CannotTell},
		{"the channel is gone", gone, false, 3 * time.Minute, engine.Absent},
		{"the channel is shut", shut, false, 3 * time.Minute, engine.CannotTell},
	} {
		d := w.keyed(c.channel, testKey+string(rune('A'+i)))
		var sent engine.Receipt
		if c.post {
			var err error
			sent, err = b.Post(w.soon(), d)
			w.must(err)
		}
		d.Tried = began.Add(3*time.Minute - c.ago)
		got, finding, _ := b.Find(w.soon(), d)
		if finding != c.want || (finding == engine.Found) != (got.Ref != "") || finding == engine.Found && got != sent {
			t.Errorf("%s: %v %q, want %v %q", c.name, finding, got.Ref, c.want, sent.Ref)
		}
		d.Key = "ANOTHERKEY234"
		if _, finding, _ := b.Find(w.soon(), d); finding == engine.Found {
			t.Errorf("%s: another delivery was taken for it", c.name)
		}
	}
	w.clean()
}

func TestAPostThatDiscordAcceptedAndDidNotConfirmIsThereOnce(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.AcceptThenTimeout{}})
	if _, err := b.Post(w.soon(), w.delivery(w.General)); kindOf(err) != engine.Unknown {
		t.Errorf("a post without an answer: %v", err)
	}
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.BadGateway{}})
	if _, err := b.Post(w.soon(), w.delivery(w.General)); kindOf(err) != engine.Unknown {
		t.Errorf("a post that the proxy answered: %v", err)
	}
	if n := w.requests("POST", "/messages"); n != 2 {
		t.Errorf("posting twice made %d requests", n)
	}
	_, err := b.Post(w.soon(), w.delivery(w.General))
	w.must(err)
	if n := len(w.d.Visible(w.General, w.Bob)); n != 1 {
		t.Errorf("bob sees %d messages", n)
	}
	w.clean()
}

func TestTheEngineAndTheBotPostADailyOnceThroughA502(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.AcceptThenTimeout{}})
	daily := publicDaily(w) // the message is there, though the bot does not know it
	r := w.shown(w.click(w.Alice, daily.ID, "A"))
	if !strings.Contains(r.Message.Content, "The right one is right.") {
		t.Errorf("the verdict on a message in doubt: %q", r.Message.Content)
	}
	w.clean()
}

func TestHowAFailedPostIsClassed(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	locked := w.d.AddChannel(w.Guild, bottest.Channel{Name: "locked", Type: bottest.PublicThread, ParentID: w.General, Archived: true, Locked: true})
	category := w.d.AddChannel(w.Guild, bottest.Channel{Name: "category", Type: bottest.CategoryChannel})
	mute := w.d.AddChannel(w.Guild, bottest.Channel{Name: "mute"})
	w.d.SetBotPermissions(mute, bottest.PermViewChannel)
	unseen := w.d.AddChannel(w.Guild, bottest.Channel{Name: "unseen"})
	w.d.SetBotPermissions(unseen, 0)
	gone := w.d.AddChannel(w.Guild, bottest.Channel{Name: "gone"})
	w.d.RemoveChannel(gone)
	status := func(code int, body, kind string) bottest.FaultKind {
		return bottest.Status{Code: code, Body: body, ContentType: kind}
	}
	for _, c := range []struct {
		name, channel string
		fault         bottest.FaultKind
		want          engine.PostKind
	}{
		{"no right to write", mute, nil, engine.Forbidden},
		{"no right to see", unseen, nil, engine.Forbidden},
		{"the channel is gone", gone, nil, engine.Gone},
		{"no channel", "general", nil, engine.Gone},
		{"a category", category, nil, engine.Forbidden},
		{"a locked thread", locked, nil, engine.Forbidden},
		{"who refuses messages", w.General, bottest.Forbidden{Code: 50007, Message: "Cannot send messages to this user"}, engine.Forbidden},
		{"a bot without a token", w.General, status(401, `{"message":"401: Unauthorized","code":0}`, "application/json"), engine.Later},
		{"a filter", w.General, status(400, `{"message":"Blocked","code":200000}`, "application/json"), engine.Refused},
		{"a bad form", w.General, status(400, `{"message":"Invalid Form Body","code":50035}`, "application/json"), engine.Refused},
		{"a breakdown", w.General, status(503, `{"message":"503: Service Unavailable","code":0}`, "application/json"), engine.Later},
		{"a proxy's breakdown", w.General, status(500, `<html>`, "text/html"), engine.Unknown},
		{"a broken connection", w.General, bottest.Dropped{}, engine.Unknown},
	} {
		if c.fault != nil {
			w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: c.fault})
		}
		if _, err := b.Post(w.soon(), w.delivery(c.channel)); kindOf(err) != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	w.clean()
}

func TestAnUnreachableDiscordGotNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + l.Addr().String()
	l.Close()
	w := newWorld(t, bottest.DiscordOptions{}, func(cfg *Config) { cfg.BaseURL = address })
	_, err = w.make().Post(w.soon(), w.delivery(w.General))
	if kindOf(err) != engine.Later {
		t.Errorf("a post that never left: %v", err)
	}
}

func TestATimedOutPostIsUnknownAndAWaitingOneIsNot(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.Dropped{Hang: true}})
	ctx, cancel := context.WithTimeout(w.Context(), 700*time.Millisecond)
	defer cancel()
	if _, err := b.Post(ctx, w.delivery(w.General)); kindOf(err) != engine.Unknown {
		t.Errorf("a post that hung: %v", err)
	}
	if _, err := b.Post(ctx, w.delivery(w.General)); kindOf(err) != engine.Later {
		t.Errorf("a post that was not begun: %v", err)
	}
}

func TestALimitedRouteIsLeftAloneAndTheOthersAreNot(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.RateLimited{RetryAfter: time.Hour}})
	var pe *engine.PostError
	for range 2 {
		_, err := b.Post(w.soon(), w.delivery(w.General))
		if !errors.As(err, &pe) || pe.Kind != engine.Later || pe.After < 59*time.Minute {
			t.Errorf("a limited post: %v", err)
		}
	}
	if n := w.requests("POST", "/channels/"+w.General+"/messages"); n != 1 {
		t.Errorf("a limited channel was asked %d times", n)
	}
	_, err := b.Post(w.soon(), w.delivery(w.News))
	w.must(err)
}

func TestAGlobalLimitStopsAll(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	w.d.Inject(bottest.Fault{Match: "POST /channels/*/messages", Kind: bottest.RateLimited{RetryAfter: time.Hour, Global: true}})
	for _, channel := range []string{w.General, w.News} {
		if _, err := b.Post(w.soon(), w.delivery(channel)); kindOf(err) != engine.Later {
			t.Errorf("a globally limited post: %v", err)
		}
	}
	if n := w.requests("POST", "/messages"); n != 1 {
		t.Errorf("a globally limited bot asked %d times", n)
	}
}

func TestAShortLimitIsWaitedFor(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{RouteLimit: 1, RoutePer: 100 * time.Millisecond}, nil)
	b := w.make()
	for i := range 4 {
		d := w.delivery(w.General)
		d.Key += strconv.Itoa(i)
		_, err := b.Post(w.soon(), d)
		w.must(err)
	}
	w.clean() // none of them was too early
}

func TestAnEditReplacesTheWholeMessage(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	d := w.delivery(w.General)
	d.Message.Image = &engine.Image{PNG: []byte("png"), Alt: "a picture"}
	sent, err := b.Post(w.soon(), d)
	w.must(err)
	_, id, _ := readRef(sent.Ref)
	if m, _ := w.d.Message(id); len(m.Attachments) != 1 || m.Attachments[0].Description != "a picture" {
		t.Errorf("the picture: %+v", m.Attachments)
	}
	w.must(b.Edit(w.soon(), d.To, sent.Ref, engine.Message{Text: content.Plain(strings.Repeat("over ", 450))}))
	m, _ := w.d.Message(id)
	if m.Content != "" || len(m.Embeds) != 1 || len(m.Components) != 0 || len(m.Attachments) != 0 {
		t.Errorf("after the edit: %+v", m)
	}
	w.d.EraseMessage(id)
	if err := b.Edit(w.soon(), d.To, sent.Ref, engine.Message{Text: content.Plain("over")}); kindOf(err) != engine.Lost {
		t.Errorf("an edit of an erased message: %v", err)
	}
	if err := b.Edit(w.soon(), d.To, "nonsense", engine.Message{}); kindOf(err) != engine.Lost {
		t.Errorf("an edit of nothing: %v", err)
	}
	w.clean()
}

func TestAForumGetsAPostOfItsOwnThatCanBeEditedLater(t *testing.T) {
	for _, code := range []int{50008, 40058} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			w := newWorld(t, bottest.DiscordOptions{ForumCode: code}, nil)
			b := w.make()
			tagged := w.d.AddChannel(w.Guild, bottest.Channel{
				Name: "tagged", Type: bottest.ForumChannel, RequireTag: true, Tags: []bottest.Tag{{ID: "77", Name: "daily"}},
			})
			for _, forum := range []string{w.Forum, tagged} {
				sent, err := b.Post(w.soon(), w.delivery(forum))
				w.must(err)
				thread, id, _ := readRef(sent.Ref)
				if m, ok := w.d.Message(id); !ok || m.ChannelID != thread || m.Button("A") == "" {
					t.Errorf("the post: %+v", m)
				}
				w.d.ChangeChannel(thread, func(c *bottest.Channel) { c.Archived = true })
				w.must(b.Edit(w.soon(), w.delivery(forum).To, sent.Ref, engine.Message{Text: content.Plain("closed")}))
				if m, _ := w.d.Message(id); m.Content != "closed" {
					t.Errorf("the post after a rest: %q", m.Content)
				}
			}
			w.clean()
		})
	}
}

func TestARoleIsPingedOnlyByPost(t *testing.T) {
	var role string
	w := newWorld(t, bottest.DiscordOptions{MentionsUnchecked: true}, nil)
	role = w.d.AddRole(w.Guild, "daily")
	b := w.make()
	d := w.delivery(w.General)
	d.Message.Text = content.Plain("@everyone <@" + w.Bob + "> <@&" + role + ">")
	sent, err := b.Post(w.soon(), d)
	w.must(err)
	_, id, _ := readRef(sent.Ref)
	if m, _ := w.d.Message(id); len(m.Pings) != 0 {
		t.Errorf("words ping %v", m.Pings)
	}
	d.Key, d.Message.Ping = "OTHERKEY", &engine.Role{ID: role}
	sent, err = b.Post(w.soon(), d)
	w.must(err)
	_, id, _ = readRef(sent.Ref)
	if m, _ := w.d.Message(id); len(m.Pings) != 1 || m.Pings[0] != role {
		t.Errorf("the role asked for: pings %v", m.Pings)
	}
}
