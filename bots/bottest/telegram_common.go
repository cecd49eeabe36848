package bottest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// mustJSON encodes the fake's own plain data, which can't fail.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode the fake telegram's data: %w", err))
	}
	return raw
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// patience is how long a control request waits: its timeout parameter, at most a
// minute, 10 s when absent.
func patience(r *http.Request) (context.Context, context.CancelFunc, error) {
	d := 10 * time.Second
	if s := r.URL.Query().Get("timeout"); s != "" {
		var err error
		if d, err = time.ParseDuration(s); err != nil {
			return nil, nil, fmt.Errorf("read timeout: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(d, time.Minute))
	return ctx, cancel, nil
}
