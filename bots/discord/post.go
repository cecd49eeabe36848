package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"aiprep/engine"
)

// Discord's numbers for what can go wrong
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json).
const (
	codeUnknownChannel     = 10003
	codeUnknownGuild       = 10004
	codeUnknownMessage     = 10008
	codeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeAnnouncementEdits  = 20022
	codeChannelWrites      = 20028
	codeOldEdits           = 30046
	codeManyDMs            = 40003
	codeForum              = 40058
	codeAcknowledged       = 40060
	codeTagRequired        = 40067
	codeNoAccess           = 50001
	codeNoDM               = 50007
	codeNoText             = 50008 // for a forum, too
	codeNoPermission       = 50013
	codeWrongChannel       = 50024
	codeBadHookToken       = 50027
	codeArchived           = 50083
	codeNoMutualServer     = 50278
	codeLocked             = 160005
	codeManyThreads        = 160006
	codeAutoMod            = 200000
)

// How long a message that goes out unasked waits for its turn before the engine
// is told to come back, and when to come back where Discord does not say.
const (
	postWaits  = 5 * time.Second
	lostPause  = 5 * time.Second
	longPause  = time.Minute
	hourlyWait = 15 * time.Minute
)

// Post implements engine.Poster. What is too long for one message is cut, so
// that a delivery either is there or is not. In a forum the message begins a
// post of its own.
func (b *Bot) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	channel, pe := b.channelOf(ctx, d.To)
	if pe != nil {
		return engine.Receipt{}, pe
	}
	p := renderOne(d.Message)
	p.Nonce, p.Enforce = d.Key, d.Key != ""
	answer, err := b.call(ctx, request{
		method: http.MethodPost, path: "/channels/" + channel + "/messages", route: "POST /channels/" + channel + "/messages",
		body: p, files: p.files, most: postWaits,
	})
	if isForum(err) {
		return b.postInForum(ctx, channel, d.Message, p)
	}
	if err != nil {
		return engine.Receipt{}, classify(err)
	}
	var sent struct {
		ID      string `json:"id"`
		Channel string `json:"channel_id"` // a repeated nonce may tell of another
	}
	if err := json.Unmarshal(answer, &sent); err != nil || !isID(sent.ID) || !isID(sent.Channel) {
		return engine.Receipt{}, &engine.PostError{Kind: engine.Unknown, Err: errors.New("discord sent no message id")}
	}
	if b.crosspost {
		b.publish(ctx, sent.Channel, sent.ID)
	}
	return engine.Receipt{Ref: refOf(sent.Channel, sent.ID)}, nil
}

// publish lets a post go on to the servers that follow an announcement channel.
// In another channel Discord refuses that, which is no trouble; nor is it one
// when it fails, for the post is there.
func (b *Bot) publish(ctx context.Context, channel, message string) {
	_, err := b.call(ctx, request{
		method: http.MethodPost, path: "/channels/" + channel + "/messages/" + message + "/crosspost",
		route: "POST /channels/" + channel + "/messages/crosspost", most: postWaits,
	})
	outcome := "ok"
	if err != nil {
		outcome = classify(err).Kind.String()
	}
	b.count("crosspost", platform, outcome)
}

// channelOf is the channel of a place. That of a private chat which is known by
// the person only is asked for; nothing was posted if that fails.
func (b *Bot) channelOf(ctx context.Context, p engine.Place) (string, *engine.PostError) {
	person, own := strings.CutPrefix(p.Chat, ownChat)
	switch {
	case isID(p.Chat):
		return p.Chat, nil
	case !own || !isID(person):
		return "", &engine.PostError{Kind: engine.Gone, Err: errors.New("read place: no channel")}
	}
	answer, err := b.call(ctx, request{
		method: http.MethodPost, path: "/users/@me/channels", route: "POST /users/@me/channels",
		body: map[string]string{"recipient_id": person}, most: postWaits,
	})
	var chat struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &chat)
	}
	if err != nil || !isID(chat.ID) {
		pe := classify(err)
		if pe.Kind == engine.Unknown {
			pe.Kind, pe.After = engine.Later, lostPause
		}
		return "", pe
	}
	return chat.ID, nil
}

// isForum reports whether a message was refused because the channel is not made
// of messages.
func isForum(err error) bool {
	var refused *apiError
	return errors.As(err, &refused) && (refused.Code == codeForum || refused.Code == codeNoText)
}

// Edit implements engine.Poster.
func (b *Bot) Edit(ctx context.Context, _ engine.Place, ref engine.Ref, m engine.Message) error {
	channel, message, err := readRef(ref)
	if err != nil {
		return &engine.PostError{Kind: engine.Lost, Err: err}
	}
	r := editRequest(channel, message, renderOne(m))
	r.most = postWaits
	_, err = b.call(ctx, r)
	var refused *apiError
	if errors.As(err, &refused) && refused.Code == codeArchived {
		// A thread that nobody wrote in for days: wake it, then it can be edited.
		if _, err = b.call(ctx, request{
			method: http.MethodPatch, path: "/channels/" + channel, route: "PATCH /channels/" + channel,
			body: map[string]bool{"archived": false}, most: postWaits,
		}); err == nil {
			_, err = b.call(ctx, r)
		}
	}
	if err != nil {
		return classify(err)
	}
	return nil
}

// editRequest puts p in the place of a message.
func editRequest(channel, message string, p payload) request {
	return request{
		method: http.MethodPatch, path: "/channels/" + channel + "/messages/" + message,
		route: "PATCH /channels/" + channel + "/messages", body: p, files: p.files,
	}
}

// classify says what an error means for a message. Only what may have been
// delivered is Unknown.
func classify(err error) *engine.PostError {
	pe := &engine.PostError{Kind: engine.Unknown, Err: err}
	var refused *apiError
	var lost *wireError
	var turn *tooLong
	switch {
	case errors.As(err, &turn):
		pe.Kind, pe.After = engine.Later, turn.Wait
	case errors.As(err, &lost):
		if !lost.Sent {
			pe.Kind, pe.After = engine.Later, lostPause
		}
	case errors.As(err, &refused):
		pe.Kind, pe.After = refused.class()
	default: // ctx ended while waiting for a turn
		pe.Kind, pe.After = engine.Later, lostPause
	}
	return pe
}

// class puts Discord's refusal into one of the engine's kinds.
func (e *apiError) class() (engine.PostKind, time.Duration) {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return engine.Later, e.After
	case e.Status >= 500 || e.Status < 400:
		if e.Plain { // a proxy may have passed the request on
			return engine.Unknown, 0
		}
		return engine.Later, lostPause
	case e.Status == http.StatusUnauthorized:
		return engine.Later, longPause // the whole bot is in trouble, not this message
	}
	switch e.Code {
	case codeUnknownChannel, codeUnknownGuild:
		return engine.Gone, 0
	case codeUnknownMessage:
		return engine.Lost, 0
	case codeNoAccess, codeNoPermission, codeNoDM, codeNoMutualServer, codeNoText, codeWrongChannel, codeArchived, codeLocked:
		return engine.Forbidden, 0
	case codeAnnouncementEdits, codeChannelWrites, codeOldEdits, codeManyDMs:
		return engine.Later, longPause
	case codeManyThreads:
		return engine.Later, hourlyWait
	case codeAutoMod: // this message, not the bot
		return engine.Refused, 0
	}
	switch {
	case e.Status == http.StatusForbidden:
		return engine.Forbidden, 0
	case e.Status == http.StatusNotFound, e.Plain: // no such route: the whole bot again
		return engine.Later, longPause
	}
	return engine.Refused, 0
}

// channelInfo is the part of a channel that is used
// (https://discord.com/developers/docs/resources/channel#channel-object).
type channelInfo struct {
	ID     string `json:"id"`
	Guild  string `json:"guild_id"`
	Parent string `json:"parent_id"`
	Type   int    `json:"type"`
	Flags  int    `json:"flags"`
	Last   string `json:"last_message_id"`
	Tags   []struct {
		ID string `json:"id"`
	} `json:"available_tags"`
	Rules []overwrite `json:"permission_overwrites"`
}

// Types of channels.
const (
	textChannel         = 0
	announcementChannel = 5
	announcementThread  = 10
	publicThread        = 11
	privateThread       = 12
	forumChannel        = 15
	mediaChannel        = 16
)

func (c channelInfo) forum() bool { return c.Type == forumChannel || c.Type == mediaChannel }

func (c channelInfo) thread() bool {
	return c.Type == announcementThread || c.Type == publicThread || c.Type == privateThread
}

func (b *Bot) channel(ctx context.Context, id string) (channelInfo, error) {
	var c channelInfo
	answer, err := b.call(ctx, request{method: http.MethodGet, path: "/channels/" + id, route: "GET /channels/" + id, most: postWaits})
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(answer, &c); err != nil {
		return c, fmt.Errorf("read channel: %w", err)
	}
	return c, nil
}

// postLife is how long a forum shows a post in which nobody writes: longer than
// a day, so that its message can still be edited when the next one comes.
const postLife = 3 * 24 * 60 // minutes, one of those that Discord knows

// requiresTag marks a forum in which every post has a tag.
const requiresTag = 1 << 4

// postInForum begins a post in a forum. There is no nonce for posts.
func (b *Bot) postInForum(ctx context.Context, channel string, m engine.Message, p payload) (engine.Receipt, error) {
	info, err := b.channel(ctx, channel)
	if err != nil {
		// Nothing was posted, whatever became of the question.
		pe := classify(err)
		if pe.Kind == engine.Unknown {
			pe.Kind, pe.After = engine.Later, lostPause
		}
		return engine.Receipt{}, pe
	}
	if !info.forum() {
		return engine.Receipt{}, &engine.PostError{Kind: engine.Forbidden, Err: errors.New("nobody can write in this kind of channel")}
	}
	p.Nonce, p.Enforce = "", false
	post := struct {
		Name    string   `json:"name"`
		Life    int      `json:"auto_archive_duration"`
		Tags    []string `json:"applied_tags,omitempty"`
		Message payload  `json:"message"`
	}{Name: orEmpty(oneLine(m.Title, maxPostName)), Life: postLife, Message: p}
	if info.Flags&requiresTag != 0 && len(info.Tags) > 0 {
		post.Tags = []string{info.Tags[0].ID}
	}
	answer, err := b.call(ctx, request{
		method: http.MethodPost, path: "/channels/" + channel + "/threads", route: "POST /channels/" + channel + "/threads",
		body: post, files: p.files, most: postWaits,
	})
	if err != nil {
		return engine.Receipt{}, classify(err)
	}
	var made channelInfo
	if err := json.Unmarshal(answer, &made); err != nil || !isID(made.ID) {
		return engine.Receipt{}, &engine.PostError{Kind: engine.Unknown, Err: errors.New("discord sent no post id")}
	}
	return engine.Receipt{Ref: refOf(made.ID, made.ID)}, nil // a post's first message has the post's id
}

// maxPostName is the longest name of a post in a forum.
const maxPostName = 100
