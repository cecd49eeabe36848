package discord

import (
	"context"
	"errors"
	"net/http"

	"aiprep/engine"
)

// lookFor finds out which of some people are no members any more. The list of
// members takes a privileged intent, so each is asked about, and the answer is
// good for a day. Where Discord cannot say, a person counts as there.
func (b *Bot) lookFor(ctx context.Context, p engine.Place, ids []string) (s engine.Sight) {
	for _, id := range ids {
		if !isID(id) || !isID(p.Server) {
			continue
		}
		there, known := b.members.Get(p.Server+" "+id, b.now())
		if !known {
			_, err := b.call(ctx, request{
				method: http.MethodGet, path: "/guilds/" + p.Server + "/members/" + id, route: "GET /guilds/" + p.Server,
			})
			var refused *apiError
			there = !(errors.As(err, &refused) && refused.Status == http.StatusNotFound)
			if err == nil || !there {
				b.members.Put(p.Server+" "+id, there, b.now())
			}
		}
		if !there {
			s.Left = append(s.Left, id)
		}
	}
	return s
}
