package main

import (
	"bytes"
	"io"
	"log/slog"

	"aiprep/bots"
)

// newLog writes to w what the settings ask for, with the tokens cut out of
// every line whoever wrote them.
func newLog(w io.Writer, c LogConfig, secrets ...bots.Secret) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // Validate has read it before
	out := scrubber{out: w}
	for _, s := range secrets {
		if s.Reveal() != "" {
			out.secrets = append(out.secrets, []byte(s.Reveal()))
		}
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, opts))
	}
	return slog.New(slog.NewTextHandler(out, opts))
}

// scrubber is the last guard: libraries put tokens into the errors they
// return, and one of them may reach a log line.
type scrubber struct {
	out     io.Writer
	secrets [][]byte
}

func (s scrubber) Write(line []byte) (int, error) {
	clean := line
	for _, secret := range s.secrets {
		clean = bytes.ReplaceAll(clean, secret, []byte("***"))
	}
	if _, err := s.out.Write(clean); err != nil {
		return 0, err
	}
	return len(line), nil
}
