package discord

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"aiprep/engine"
)

// Rights in a channel
// (https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags).
const (
	viewChannel   = 1 << 10
	sendMessages  = 1 << 11
	attachFiles   = 1 << 15
	readHistory   = 1 << 16
	sendInThreads = 1 << 38
)

// overwrite is what a channel grants or takes beside a server's own rules.
type overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"` // 0 a role, 1 a member
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

// look finds out what the bot may do where posts go, or who is still there.
func (b *Bot) look(ctx context.Context, q engine.Query) engine.Sight {
	p := q.Place
	if len(q.Members) > 0 {
		return b.lookFor(ctx, p, q.Members)
	}
	if !isID(p.Chat) || !isID(p.Server) {
		return engine.Sight{Gone: true}
	}
	c, err := b.channel(ctx, p.Chat)
	rules := c
	if err == nil && c.thread() { // a thread has the rules of the channel it hangs on
		rules, err = b.channel(ctx, c.Parent)
	}
	var refused *apiError
	if errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusForbidden) || err == nil && c.Guild != p.Server {
		return engine.Sight{Gone: true}
	}
	held, rights, bad := b.rights(ctx, p.Server, b.me.user)
	if err != nil || bad != nil {
		return engine.Sight{Unclear: true}
	}
	return sight(c, within(rights, held, b.me.user, p.Server, rules.Rules))
}

// sight names what is lacking.
func sight(c channelInfo, rights uint64) engine.Sight {
	if rights&viewChannel == 0 {
		return engine.Sight{Gone: true}
	}
	need := []struct {
		bit   uint64
		right engine.Right
	}{{sendMessages, engine.ToSend}, {readHistory, engine.ToRead}, {attachFiles, engine.ToFile}}
	if c.thread() {
		need[0].bit, need[0].right = sendInThreads, engine.ToReply
	}
	var s engine.Sight
	for _, n := range need {
		if rights&n.bit == 0 {
			s.Lacks = append(s.Lacks, n.right)
		}
	}
	return s
}

// within applies a channel's rules, as Discord does: first those for everybody,
// then those for the member's roles together, then those for the member.
func within(rights uint64, held map[string]bool, member, server string, rules []overwrite) uint64 {
	if rights&administrator != 0 {
		return ^uint64(0)
	}
	apply := func(is func(overwrite) bool) {
		var allow, deny uint64
		for _, o := range rules {
			if is(o) {
				a, _ := strconv.ParseUint(o.Allow, 10, 64)
				d, _ := strconv.ParseUint(o.Deny, 10, 64)
				allow, deny = allow|a, deny|d
			}
		}
		rights = rights&^deny | allow
	}
	apply(func(o overwrite) bool { return o.Type == 0 && o.ID == server })
	apply(func(o overwrite) bool { return o.Type == 0 && o.ID != server && held[o.ID] })
	apply(func(o overwrite) bool { return o.Type == 1 && o.ID == member })
	return rights
}
