package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tg "github.com/go-telegram/bot"

	"aiprep/engine"
)

// askWithin is how long a question about a member may take.
const askWithin = 5 * time.Second

// resolve completes an event with what only the engine and Telegram know: which
// place it is about, and whether the person manages that place.
func (b *Bot) resolve(ctx context.Context, ev *event) error {
	switch {
	case ev.isLine():
		if err := b.awaited(ctx, ev); err != nil {
			return err
		}
	case ev.in.Verb == "start" && len(ev.in.Args) == 1 && ev.in.In.Private():
		return b.follow(ctx, ev)
	}
	cmd, _ := b.engine.Command(ev.in.Verb)
	if cmd.Who == engine.Admins && ev.in.In.Private() && ev.in.On != "" {
		place, ok, err := b.engine.Origin(ctx, ev.in.Args)
		if err != nil {
			return fmt.Errorf("find origin: %w", err)
		}
		if ok && place.Platform == platform {
			ev.in.In = place
		}
	}
	ev.keepAtHome(cmd)
	if cmd.Who != engine.Admins || ev.in.In.Private() || ev.in.Event {
		return nil
	}
	r, err := b.rank(ctx, ev)
	ev.in.Admin = r == manager
	return err
}

// awaited makes a line of text the answer to what was asked, if it was.
func (b *Bot) awaited(ctx context.Context, ev *event) error {
	ev.in.Verb = ""
	action, in, ok, err := b.engine.Awaited(ctx, ev.in.From, ev.in.At)
	if err != nil {
		return fmt.Errorf("find what was asked: %w", err)
	}
	if fields := strings.Fields(action); ok && len(fields) > 0 && in.Platform == platform {
		ev.in.In, ev.in.Verb = in, fields[0]
		ev.in.Args = append(fields[1:], ev.in.Args...)
	}
	return nil
}

// follow reads a deep link: what was said in a group is said again in private,
// with the rights that the person has in that group.
func (b *Bot) follow(ctx context.Context, ev *event) error {
	group, thread, action, ok := readLink(ev.in.Args[0])
	if !ok {
		return nil // the engine's own kind of link
	}
	there := *ev
	there.in.In = engine.Place{Platform: platform, Server: strconv.FormatInt(group, 10), Chat: strconv.FormatInt(group, 10)}
	if thread != 0 {
		there.in.In.Thread = strconv.Itoa(thread)
	}
	there.in.Verb, there.in.Args = action[0], action[1:]
	cmd, known := b.engine.Command(action[0])
	r, err := b.rank(ctx, &there)
	if err != nil {
		return err
	}
	if !known || r == stranger {
		ev.in.Args = nil // a greeting
		return nil
	}
	there.in.Admin = r == manager
	*ev = there
	ev.keepAtHome(cmd)
	return nil
}

// keepAtHome takes away every value of a place option but those within the
// group itself: a chat's number is no secret, and who manages one group must not
// make the bot write in another.
func (ev *event) keepAtHome(cmd engine.Command) {
	for _, o := range cmd.Options {
		if o.Kind != engine.PlaceOption {
			continue
		}
		ev.in.Args = slices.DeleteFunc(slices.Clone(ev.in.Args), func(a string) bool {
			value, named := strings.CutPrefix(a, o.Name+"=")
			home, _, _ := strings.Cut(value, "/")
			return named && value != "here" && home != ev.in.In.Chat
		})
	}
}

// rank is what a person is in a group.
type rank uint8

const (
	stranger rank = iota
	member
	manager
)

// rank asks Telegram what the person is in the event's group, each time anew.
func (b *Bot) rank(ctx context.Context, ev *event) (rank, error) {
	if ev.alias { // only administrators can hide behind the group
		return manager, nil
	}
	group, err := strconv.ParseInt(ev.in.In.Server, 10, 64)
	if err != nil {
		return stranger, nil
	}
	person, err := strconv.ParseInt(ev.in.From.ID, 10, 64)
	if err != nil {
		return stranger, nil
	}
	result, err := b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.GetChatMember(ctx, &tg.GetChatMemberParams{ChatID: group, UserID: person})
		return err
	})
	var refused *apiError
	if errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 403) {
		return b.amongManagers(ctx, group, person)
	}
	if err != nil {
		return stranger, fmt.Errorf("check the rights of a member: %w", err)
	}
	var m struct {
		Status   string `json:"status"`
		IsMember bool   `json:"is_member"`
	}
	if err := json.Unmarshal(result, &m); err != nil {
		return stranger, fmt.Errorf("check the rights of a member: %w", err)
	}
	switch {
	case m.Status == "creator", m.Status == "administrator":
		return manager, nil
	case m.Status == "member", m.Status == "restricted" && m.IsMember:
		return member, nil
	}
	return stranger, nil
}

// amongManagers is the other way to ask: where members are hidden, Telegram
// tells a simple member only who manages the group.
func (b *Bot) amongManagers(ctx context.Context, group, person int64) (rank, error) {
	result, err := b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.GetChatAdministrators(ctx, &tg.GetChatAdministratorsParams{ChatID: group})
		return err
	})
	var refused *apiError
	if errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 403) {
		return stranger, nil // we are not there ourselves
	}
	if err != nil {
		return stranger, fmt.Errorf("check the rights of a member: %w", err)
	}
	var managers []struct {
		User sender `json:"user"`
	}
	if err := json.Unmarshal(result, &managers); err != nil {
		return stranger, fmt.Errorf("check the rights of a member: %w", err)
	}
	for _, m := range managers {
		if m.User.ID == person {
			return manager, nil
		}
	}
	return stranger, nil
}
