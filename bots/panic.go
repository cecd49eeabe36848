package bots

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panicked logs a panic that cost one event and not the process, and returns it
// as an error. Its value may hold what a person wrote, so only the runtime's own
// are shown.
func Panicked(log *slog.Logger, p any) error {
	what := fmt.Sprintf("%T", p)
	if err, ok := p.(interface {
		error
		RuntimeError()
	}); ok {
		what = err.Error()
	}
	log.Error("panic survived", "panic", what, "stack", string(debug.Stack()))
	return errors.New("panic: " + what)
}
