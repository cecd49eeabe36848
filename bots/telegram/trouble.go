package telegram

import (
	"errors"
	"math/rand/v2"
	"time"
)

// How to go on after a poll that failed.
const (
	firstPause   = 500 * time.Millisecond
	longPause    = 30 * time.Second
	patience     = 3 // refusals of a token that was good before
	conflictSaid = 10 * time.Minute
)

// troubles decides how to go on after failed polls.
type troubles struct {
	bot     *Bot
	pause   time.Duration
	refused int       // times in a row
	fine    bool      // the token was good once
	said    time.Time // when a conflict was last logged
}

// over forgets the trouble after a success.
func (t *troubles) over() {
	if t.pause > 0 {
		t.bot.log.Info("telegram answers again")
	}
	*t = troubles{bot: t.bot, fine: true, said: t.said}
}

// with returns how long to pause after err, or a fatal error.
func (t *troubles) with(err error) (time.Duration, error) {
	b := t.bot
	t.pause = min(max(2*t.pause, firstPause), longPause)
	pause := t.pause/2 + rand.N(t.pause/2) // two that were stopped together do not come back together
	var refused *apiError
	if !errors.As(err, &refused) || refused.Plain {
		b.count("poll", platform, "unreachable")
		b.log.Warn("telegram cannot be reached", "err", err, "retry", pause)
		return pause, nil
	}
	switch refused.Status {
	case 401, 404:
		b.count("poll", platform, "unauthorized")
		if t.refused++; !t.fine || t.refused >= patience {
			return 0, errors.New("telegram refuses the bot's token: put the one that @BotFather shows into telegram.token")
		}
	case 409:
		b.count("poll", platform, "conflict")
		if now := time.Now(); now.Sub(t.said) > conflictSaid {
			t.said = now
			b.log.Error("another program takes this bot's updates: stop it, or remove its webhook, or use a token of your own", "err", err)
		}
	case 429:
		b.count("poll", platform, "later")
		pause = max(pause, refused.After)
	default:
		b.count("poll", platform, "error")
		b.log.Warn("telegram fails", "err", err, "retry", pause)
	}
	return pause, nil
}
