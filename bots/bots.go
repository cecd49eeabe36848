// Package bots holds what the adapters share: the engine as they see it.
// Nothing here knows a platform.
package bots

import (
	"context"
	"time"

	"aiprep/engine"
)

// Engine is the part of *engine.Engine that an adapter calls. Tests put a
// recorder in between.
type Engine interface {
	Handle(context.Context, engine.Input) (engine.Reply, error)
	Commands() []engine.Command
	CommandsIn(lang string) []engine.Command
	Languages() []string
	Command(name string) (engine.Command, bool)
	Complete(ctx context.Context, option engine.Option, prefix string) []engine.Choice
	Awaited(ctx context.Context, u engine.User, at time.Time) (action string, in engine.Place, ok bool, err error)
	Checkout(ctx context.Context, u engine.User, payload string, stars int, lang string) (refused string, err error)
	Hint(h engine.Hint, lang string) string
	Origin(ctx context.Context, args []string) (engine.Place, bool, error)
	SetAside(ctx context.Context, platform, id string, at time.Time, raw []byte, reason string) error
}

// HandleWithin is how long an adapter gives Handle before it sets the event
// aside.
const HandleWithin = 10 * time.Second
