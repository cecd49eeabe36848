package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aiprep/engine"
)

// How an earlier attempt is looked for. Discord remembers a nonce "in the past
// few minutes"; two are what can be relied on, and a request takes a while.
const (
	nonceHolds = 110 * time.Second
	clockSkew  = time.Minute // between ours and Discord's
	historyAt  = 100         // messages a page
	historyMax = 10          // pages
)

// Find implements engine.Finder. While Discord remembers the nonce, posting again
// is safe and nothing need be looked for, but in forums, which know none. Later
// our own message is looked for by its buttons, which carry the delivery's key.
func (b *Bot) Find(ctx context.Context, d engine.Delivery) (engine.Receipt, engine.Finding, error) {
	at, pe := b.channelOf(ctx, d.To)
	if pe != nil || d.Key == "" {
		return engine.Receipt{}, engine.CannotTell, nil
	}
	c, err := b.channel(ctx, at)
	var refused *apiError
	switch {
	case errors.As(err, &refused) && refused.Code == codeUnknownChannel:
		return engine.Receipt{}, engine.Absent, nil // with the channel, if it ever was there
	case err != nil:
		return engine.Receipt{}, engine.CannotTell, classify(err)
	case c.forum():
		return b.findPost(ctx, c, d)
	case b.now().Sub(d.Tried) < nonceHolds:
		return engine.Receipt{}, engine.Absent, nil
	}
	return b.findMessage(ctx, c, d)
}

// found is the part of a message that tells whether it is the one.
type found struct {
	ID     string `json:"id"`
	Author struct {
		ID string `json:"id"`
	} `json:"author"`
	Components []component `json:"components"`
}

// is reports whether the message is ours and has a button with that key.
func (m found) is(me, key string) bool {
	return m.Author.ID == me && slices.ContainsFunc(m.Components, func(c component) bool { return c.carries(key) })
}

func (c component) carries(key string) bool {
	return slices.Contains(strings.Fields(c.CustomID), key) ||
		slices.ContainsFunc(c.Components, func(inner component) bool { return inner.carries(key) })
}

// findMessage reads what was written in a channel since shortly before the first
// attempt.
func (b *Bot) findMessage(ctx context.Context, c channelInfo, d engine.Delivery) (engine.Receipt, engine.Finding, error) {
	after := idAt(d.Tried.Add(-clockSkew))
	if !newer(c.Last, after) {
		return engine.Receipt{}, engine.Absent, nil // nothing at all was
	}
	for range historyMax {
		page, err := b.history(ctx, c.ID, after)
		if err != nil {
			return engine.Receipt{}, engine.CannotTell, classify(err)
		}
		for _, m := range page {
			if m.is(b.me.user, d.Key) {
				return engine.Receipt{Ref: refOf(c.ID, m.ID)}, engine.Found, nil
			}
			if newer(m.ID, after) {
				after = m.ID
			}
		}
		switch {
		// Whoever may not read the history is shown an empty one.
		case len(page) == 0 && newer(c.Last, after):
			return engine.Receipt{}, engine.CannotTell, nil
		case len(page) < historyAt:
			return engine.Receipt{}, engine.Absent, nil
		}
	}
	return engine.Receipt{}, engine.CannotTell, nil
}

// history is a page of what was written after a message.
func (b *Bot) history(ctx context.Context, channel, after string) ([]found, error) {
	answer, err := b.call(ctx, request{
		method: http.MethodGet, route: "GET /channels/" + channel + "/messages", most: postWaits,
		path: "/channels/" + channel + "/messages?limit=" + strconv.Itoa(historyAt) + "&after=" + after,
	})
	if err != nil {
		return nil, err
	}
	var page []found
	return page, json.Unmarshal(answer, &page)
}

// findPost looks through the posts that were begun in a forum since shortly
// before the first attempt.
func (b *Bot) findPost(ctx context.Context, c channelInfo, d engine.Delivery) (engine.Receipt, engine.Finding, error) {
	after := idAt(d.Tried.Add(-clockSkew))
	answer, err := b.call(ctx, request{
		method: http.MethodGet, path: "/guilds/" + c.Guild + "/threads/active", route: "GET /guilds/" + c.Guild + "/threads", most: postWaits,
	})
	var active struct {
		Threads []channelInfo `json:"threads"`
	}
	if err == nil {
		err = json.Unmarshal(answer, &active)
	}
	if err != nil {
		return engine.Receipt{}, engine.CannotTell, classify(err)
	}
	doubt := false
	for _, t := range active.Threads {
		if t.Parent != c.ID || !newer(t.ID, after) {
			continue
		}
		answer, err := b.call(ctx, request{
			method: http.MethodGet, path: "/channels/" + t.ID + "/messages/" + t.ID, route: "GET /channels/" + t.ID + "/messages", most: postWaits,
		})
		var m found
		if err == nil {
			err = json.Unmarshal(answer, &m)
		}
		var refused *apiError
		switch {
		case errors.As(err, &refused) && refused.Code == codeUnknownMessage: // erased: not ours to repeat
		case err != nil:
			doubt = true
		case m.is(b.me.user, d.Key):
			return engine.Receipt{Ref: refOf(t.ID, t.ID)}, engine.Found, nil
		}
	}
	if doubt {
		return engine.Receipt{}, engine.CannotTell, nil
	}
	return engine.Receipt{}, engine.Absent, nil
}

// newer reports whether a is the id of something made after b.
func newer(a, b string) bool {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	return errX == nil && errY == nil && x > y
}
