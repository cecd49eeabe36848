package telegram

import (
	"context"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

// held is an engine that waits until it is let go.
type held struct {
	*engine.Engine
	free chan struct{}
}

func (h *held) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	if in.Verb == "stats" {
		<-h.free
	}
	return h.Engine.Handle(ctx, in)
}

// Who waits for longer than a moment in private sees that the bot is at work.
func TestASlowAnswerShowsTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	e := &held{w.engine, make(chan struct{})}
	w.cfg.Engine = e
	w.run()
	w.start(bob)
	m := w.text(bob, bob, "/stats")
	if _, err := w.tg.WaitCalls(w.soon(), "sendChatAction", 1); err != nil {
		t.Error(err)
	}
	close(e.free)
	w.next(bob, m)
	w.clean()
}
