package bots

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a token that no log, error or dump shows: whatever prints or
// encodes it gets three stars. Only Reveal returns what it holds.
type Secret string

const hidden = "***"

// Reveal returns the secret itself, for the one request that needs it.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret.
func (s Secret) String() string { return hidden }

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return hidden }

// Format hides the secret from every verb of package fmt, also from wrong ones.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the secret from package slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret from JSON, YAML and their like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
