package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	tg "github.com/go-telegram/bot"

	"aiprep/engine"
)

// lookFor finds out which of some people are no members any more. Each is asked
// about, and the answer is good for a day. Where Telegram cannot say, as in a
// group that hides its members, a person counts as there.
func (b *Bot) lookFor(ctx context.Context, p engine.Place, ids []string) (s engine.Sight) {
	chat, err := strconv.ParseInt(p.Chat, 10, 64)
	if err != nil {
		return s
	}
	for _, id := range ids {
		person, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			continue
		}
		there, known := b.members.Get(p.Chat+" "+id, b.now())
		if !known {
			there, known = b.isMember(ctx, chat, person)
			if known {
				b.members.Put(p.Chat+" "+id, there, b.now())
			}
		}
		if !there {
			s.Left = append(s.Left, id)
		}
	}
	return s
}

// isMember asks about one person; known tells whether Telegram could say.
func (b *Bot) isMember(ctx context.Context, chat, person int64) (there, known bool) {
	result, err := b.call(ctx, askWithin, func(ctx context.Context) error {
		_, err := b.lib.GetChatMember(ctx, &tg.GetChatMemberParams{ChatID: chat, UserID: person})
		return err
	})
	var refused *apiError
	if errors.As(err, &refused) && refused.Status == 400 {
		return true, true // the group does not tell
	}
	var m membership
	if err != nil || json.Unmarshal(result, &m) != nil {
		return true, false
	}
	return m.Status != "left" && m.Status != "kicked" && (m.Status != "restricted" || m.IsMember), true
}
