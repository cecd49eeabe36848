package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	tg "github.com/go-telegram/bot"

	"aiprep/engine"
)

// look finds out what the bot may do where posts go, or who is still there.
func (b *Bot) look(ctx context.Context, q engine.Query) engine.Sight {
	p := q.Place
	if len(q.Members) > 0 {
		return b.lookFor(ctx, p, q.Members)
	}
	chat, err := strconv.ParseInt(p.Chat, 10, 64)
	if err != nil {
		return engine.Sight{Gone: true}
	}
	result, err := b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.GetChatMember(ctx, &tg.GetChatMemberParams{ChatID: chat, UserID: b.me.id})
		return err
	})
	var refused *apiError
	if errors.As(err, &refused) && (refused.Status == 400 || refused.Status == 403) {
		return engine.Sight{Gone: true}
	}
	var m membership
	if err == nil {
		err = json.Unmarshal(result, &m)
	}
	if err != nil {
		return engine.Sight{Unclear: true}
	}
	if m.Status != "member" {
		return m.sight()
	}
	// A simple member may do what the group allows everybody.
	result, err = b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.GetChat(ctx, &tg.GetChatParams{ChatID: chat})
		return err
	})
	var group struct {
		Permissions *membership `json:"permissions"`
	}
	if err == nil {
		err = json.Unmarshal(result, &group)
	}
	if err != nil {
		return engine.Sight{Unclear: true}
	}
	if group.Permissions == nil {
		return engine.Sight{}
	}
	group.Permissions.Status, group.Permissions.IsMember = "restricted", true
	return group.Permissions.sight()
}

// membership is the part of a ChatMember, or of ChatPermissions, that is used
// (https://core.telegram.org/bots/api#chatmember).
type membership struct {
	Status   string `json:"status"`
	IsMember bool   `json:"is_member"`
	Send     bool   `json:"can_send_messages"`
	Photos   bool   `json:"can_send_photos"`
	Files    bool   `json:"can_send_documents"`
	Post     *bool  `json:"can_post_messages"` // administrators of channels only
}

// sight names what is lacking.
func (m membership) sight() engine.Sight {
	switch {
	case m.Status == "left", m.Status == "kicked", m.Status == "restricted" && !m.IsMember:
		return engine.Sight{Gone: true}
	case m.Status == "administrator" && m.Post != nil && !*m.Post:
		return engine.Sight{Lacks: []engine.Right{engine.ToSend}}
	case m.Status != "restricted":
		return engine.Sight{}
	}
	var s engine.Sight
	if !m.Send {
		s.Lacks = append(s.Lacks, engine.ToSend)
	}
	if !m.Photos || !m.Files {
		s.Lacks = append(s.Lacks, engine.ToFile)
	}
	return s
}
