package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"aiprep/engine"
)

// resolve completes an event with what only the engine and Discord know: which
// server a button in a private chat belongs to, and whether the person manages
// it. In a server Discord itself says so with every press.
func (b *Bot) resolve(ctx context.Context, ev *event) error {
	cmd, _ := b.engine.Command(ev.in.Verb)
	ev.keepAtHome(cmd)
	if cmd.Who != engine.Admins || !ev.in.In.Private() || ev.in.On == "" {
		return nil
	}
	place, ok, err := b.engine.Origin(ctx, ev.in.Args)
	if err != nil {
		return fmt.Errorf("find origin: %w", err)
	}
	if !ok || place.Platform != platform || !isID(place.Server) || !isID(ev.in.From.ID) {
		return nil
	}
	ev.in.In = place
	ev.in.Admin, err = b.manages(ctx, place.Server, ev.in.From.ID)
	return err
}

// keepAtHome takes away the channels that an address names: what a form sends
// back can be forged, and who manages one server must not make the bot write in
// another. A typed command's channels are known to be the server's own.
func (ev *event) keepAtHome(cmd engine.Command) {
	if !ev.addressed {
		return
	}
	for _, o := range cmd.Options {
		if o.Kind == engine.PlaceOption {
			ev.in.Args = slices.DeleteFunc(ev.in.Args, func(a string) bool {
				value, named := strings.CutPrefix(a, o.Name+"=")
				return named && value != "here"
			})
		}
	}
}

// guildInfo is the part of a server that is used.
type guildInfo struct {
	Owner string `json:"owner_id"`
	Roles []struct {
		ID     string `json:"id"`
		Rights string `json:"permissions"`
	} `json:"roles"`
}

// manages asks Discord whether a person manages a server. Who is not, or no
// longer, a member does not; nor does anybody where we are not.
func (b *Bot) manages(ctx context.Context, server, person string) (bool, error) {
	_, rights, err := b.rights(ctx, server, person)
	return rights&(administrator|manageGuild) != 0, err
}

// rights asks Discord what a member may do in a server as a whole, and which
// roles they have. Who is no member may do nothing.
func (b *Bot) rights(ctx context.Context, server, person string) (held map[string]bool, rights uint64, err error) {
	var guild guildInfo
	var member struct {
		Roles []string `json:"roles"`
	}
	for path, into := range map[string]any{"/guilds/" + server: &guild, "/guilds/" + server + "/members/" + person: &member} {
		answer, err := b.call(ctx, request{method: http.MethodGet, path: path, route: "GET /guilds/" + server})
		var refused *apiError
		if errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusForbidden) {
			return nil, 0, nil
		}
		if err == nil {
			err = json.Unmarshal(answer, into)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("check the rights of a member: %w", err)
		}
	}
	held = map[string]bool{server: true} // everybody has the role with the server's own id
	for _, id := range member.Roles {
		held[id] = true
	}
	for _, role := range guild.Roles {
		if n, err := strconv.ParseUint(role.Rights, 10, 64); err == nil && held[role.ID] {
			rights |= n
		}
	}
	if guild.Owner == person {
		rights |= administrator
	}
	return held, rights, nil
}
