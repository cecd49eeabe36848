package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// moment is a point in the life of a request between serve and a platform.
type moment int

const (
	arrived moment = iota // serve has sent it, the platform has not seen it
	served                // the platform has done it, serve does not know
	told                  // serve has the answer
)

// trip says which request is the end of the process, and when.
type trip struct {
	when moment
	hits func(r *http.Request, body []byte) bool
}

// wire is the line between one process and one platform. It passes everything
// on; the first request that hits the trip ends the process at that moment.
// Every process has wires of its own, so that nothing of a dead one is taken for
// the next one's.
type wire struct {
	*httptest.Server
	platform string // its address
	trip     *trip
	end      func()        // kills the process and waits until it is gone
	hit      chan struct{} // closed when that is done
	once     sync.Once
	out      http.Client
}

func newWire(t testing.TB, platform string, tr *trip, end func()) *wire {
	w := &wire{platform: platform, trip: tr, end: end, hit: make(chan struct{})}
	w.out.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	w.out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.cut)
	return w
}

// cut ends the line; what is on it is dropped.
func (w *wire) cut() {
	w.CloseClientConnections()
	w.Close()
	w.out.CloseIdleConnections()
}

func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the process died while it wrote
	}
	mine := false
	if w.trip != nil && w.trip.hits(r, body) {
		w.once.Do(func() { mine = true })
	}
	if mine && w.trip.when == arrived {
		w.strike()
	}
	resp, answer, err := w.pass(r, body)
	if err != nil {
		panic(http.ErrAbortHandler) // the process, or the test, is gone
	}
	if mine && w.trip.when == served {
		w.strike()
	}
	for name, values := range resp.Header {
		rw.Header()[name] = values
	}
	rw.WriteHeader(resp.StatusCode)
	_, _ = rw.Write(answer)
	if mine {
		_ = http.NewResponseController(rw).Flush()
		w.strike()
	}
}

// strike kills the process and breaks the request off.
func (w *wire) strike() {
	w.end()
	close(w.hit)
	panic(http.ErrAbortHandler)
}

// pass makes the request at the platform.
func (w *wire) pass(r *http.Request, body []byte) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, w.platform+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding")
	resp, err := w.out.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp, answer, err
}
