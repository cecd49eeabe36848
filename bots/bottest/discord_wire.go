package bottest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// This file spells the state as Discord's JSON.

// stamp formats a time as Discord does; the zero time is null.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

func (d *Discord) wireUser(id string) map[string]any {
	p := d.world.people[id]
	if p == nil {
		p = &Person{ID: id, Name: "Deleted User"}
	}
	return map[string]any{"id": id, "username": p.Name, "global_name": p.Name, "discriminator": "0", "avatar": nil, "bot": p.Bot, "public_flags": 0}
}

func (d *Discord) wireMember(m *Member) map[string]any {
	out := map[string]any{
		"user": d.wireUser(m.User), "roles": append([]string{}, m.Roles...), "joined_at": stamp(m.Joined),
		"deaf": false, "mute": false, "flags": 0, "nick": nil, "avatar": nil, "pending": false,
	}
	if m.Nick != "" {
		out["nick"] = m.Nick
	}
	return out
}

func (d *Discord) wireRoles(g *guild) []map[string]any {
	out := []map[string]any{}
	for id, name := range g.roles {
		out = append(out, map[string]any{
			"id": id, "name": name, "permissions": strconv.FormatInt(PermsMember, 10), "position": 0, "color": 0,
			"hoist": false, "managed": false, "mentionable": false, "flags": 0,
		})
	}
	return out
}

func (d *Discord) wireGuild(g *guild) map[string]any {
	return map[string]any{
		"id": g.ID, "name": g.Name, "preferred_locale": g.Locale, "owner_id": "1", "roles": d.wireRoles(g), "emojis": []any{},
		"features": []string{"COMMUNITY"}, "verification_level": 0, "default_message_notifications": 0,
		"explicit_content_filter": 0, "mfa_level": 0, "premium_tier": 0, "nsfw_level": 0, "afk_timeout": 300, "system_channel_flags": 0,
	}
}

// wireGuildCreate is GUILD_CREATE, or its unavailable form in an outage.
func (d *Discord) wireGuildCreate(g *guild) map[string]any {
	if g.Outage {
		return map[string]any{"id": g.ID, "unavailable": true}
	}
	out := d.wireGuild(g)
	channels, threads := []any{}, []any{}
	for _, id := range g.order {
		c := d.world.channels[id]
		switch {
		case !c.isThread():
			channels = append(channels, d.wireChannel(c))
		case !c.Archived:
			threads = append(threads, d.wireChannel(c))
		}
	}
	out["channels"], out["threads"] = channels, threads
	out["members"], out["member_count"] = []any{d.wireMember(g.members[d.BotID])}, len(g.members)
	out["joined_at"], out["large"], out["unavailable"] = stamp(g.members[d.BotID].Joined), false, false
	out["voice_states"], out["presences"], out["stage_instances"], out["guild_scheduled_events"] = []any{}, []any{}, []any{}, []any{}
	return out
}

func (d *Discord) wireChannel(c *Channel) map[string]any {
	out := map[string]any{"id": c.ID, "type": c.Type, "flags": 0, "last_message_id": nil}
	for _, m := range slices.Backward(d.world.feed[c.ID]) {
		if !m.Ephemeral() {
			out["last_message_id"] = m.ID
			break
		}
	}
	if c.Type == DMChannel {
		out["recipients"] = []any{d.wireUser(c.Recipient)}
		return out
	}
	out["guild_id"], out["name"], out["position"], out["nsfw"] = c.GuildID, c.Name, 0, false
	mask := d.mask(c)
	out["permission_overwrites"] = []any{map[string]any{ // for the bot itself
		"id": d.BotID, "type": 1, "allow": strconv.FormatInt(mask, 10), "deny": strconv.FormatInt(^mask&(1<<50-1), 10),
	}}
	if c.ParentID != "" {
		out["parent_id"] = c.ParentID
	}
	if c.isThread() {
		out["owner_id"] = d.BotID
		out["thread_metadata"] = map[string]any{
			"archived": c.Archived, "locked": c.Locked, "auto_archive_duration": 4320, "archive_timestamp": stamp(d.now()),
		}
		out["applied_tags"] = append([]string{}, c.AppliedTags...)
	}
	if c.Type == ForumChannel {
		tags := []map[string]any{}
		for _, t := range c.Tags {
			tags = append(tags, map[string]any{"id": t.ID, "name": t.Name, "moderated": false, "emoji_id": nil, "emoji_name": nil})
		}
		out["available_tags"] = tags
		if c.RequireTag {
			out["flags"] = 1 << 4
		}
	}
	return out
}

func (d *Discord) wireMessage(m *Message) map[string]any {
	out := map[string]any{
		"id": m.ID, "channel_id": m.ChannelID, "author": d.wireUser(m.AuthorID), "content": m.Content, "type": 0,
		"timestamp": stamp(m.At), "edited_timestamp": stamp(m.EditedAt), "tts": false, "pinned": false, "flags": m.Flags,
		"embeds": append([]Embed{}, m.Embeds...), "attachments": append([]Attachment{}, m.Attachments...),
		"mention_everyone": false, "mention_roles": []string{},
	}
	mentions := []any{}
	for _, id := range m.Pings {
		switch {
		case id == "everyone" || id == "here":
			out["mention_everyone"] = true
		case d.world.people[id] != nil:
			mentions = append(mentions, d.wireUser(id))
		default:
			out["mention_roles"] = append(out["mention_roles"].([]string), id)
		}
	}
	out["mentions"] = mentions
	out["components"] = append([]Component{}, m.Components...)
	if m.Nonce != "" {
		out["nonce"] = m.Nonce
	}
	if m.Poll != nil {
		out["poll"] = m.Poll
	}
	if m.AuthorID == d.BotID {
		out["application_id"] = d.AppID
	}
	if it := d.world.interactions[m.InteractionID]; it != nil {
		out["webhook_id"] = d.AppID
		out["type"] = 20
		out["interaction_metadata"] = map[string]any{
			"id": it.ID, "type": it.kind, "user": d.wireUser(it.User),
			"authorizing_integration_owners": it.owners,
		}
	}
	return out
}

func (d *Discord) wireEntitlement(e *Entitlement) map[string]any {
	out := map[string]any{
		"id": e.ID, "sku_id": e.SKU, "application_id": d.AppID, "type": e.Type, "deleted": e.Deleted,
		"starts_at": stamp(e.Starts), "ends_at": stamp(e.Ends), "consumed": e.Consumed,
	}
	if e.User != "" {
		out["user_id"] = e.User
	}
	if e.Guild != "" {
		out["guild_id"] = e.Guild
	}
	return out
}

// raw marshals what can always be marshalled.
func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in the fake itself
	}
	return data
}
