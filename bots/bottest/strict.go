package bottest

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Strict is a transport in memory that stands for a platform: it takes so many
// requests in any second and refuses more with a 429. Inside a synctest bubble the
// seconds are simulated ones.
type Strict struct {
	// Allowed is how many requests are taken in any second.
	Allowed int
	// Answer is the body for the n-th request taken, from 1.
	Answer func(n int) string

	mu      sync.Mutex
	times   []time.Time
	refused int
}

// strictDelay is how long a request is on its way.
const strictDelay = 100 * time.Millisecond

// Refused is how many requests came too soon.
func (s *Strict) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// RoundTrip implements http.RoundTripper.
func (s *Strict) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(strictDelay):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	status, body := http.StatusOK, ""
	if k := len(s.times) - s.Allowed; k >= 0 && now.Sub(s.times[k]) < time.Second {
		s.refused++
		status, body = http.StatusTooManyRequests, `{"ok":false,"error_code":429,"description":"Too Many Requests","retry_after":1,"parameters":{"retry_after":1}}`
	} else {
		s.times = append(s.times, now)
		body = s.Answer(len(s.times))
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}
