package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"aiprep/engine/boltstore"
)

// metrics counts outcomes, labelled by platform and outcome only.
type metrics struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
}

func newMetrics(store *boltstore.Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "aiprep_events_total", Help: "What happened, on which platform, and how it went.",
		}, []string{"event", "platform", "outcome"}),
	}
	m.registry.MustRegister(m.events, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "aiprep_store_bytes", Help: "Size of the store's file.",
		}, func() float64 { return float64(store.Stats().FileBytes) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "aiprep_store_commits_total", Help: "Commits made durable since the start.",
		}, func() float64 { return float64(store.Stats().Commits) }),
	)
	return m
}

func (m *metrics) count(event, platform, outcome string) {
	m.events.WithLabelValues(event, platform, outcome).Inc()
}

// operations are what an operator reaches: health and metrics on a loopback
// port, commands on a socket that only the owner may open.
type operations struct {
	isReady atomic.Bool
	servers []*http.Server
}

func (o *operations) ready() { o.isReady.Store(true) }

// close ends both listeners; a command under way is finished first.
func (o *operations) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, s := range o.servers {
		_ = s.Shutdown(ctx) // the process is ending
	}
}

// listen opens the admin port, if one is set, and the operator's socket.
func listen(cfg Config, s site, m *metrics, log *slog.Logger) (*operations, error) {
	o := &operations{}
	if cfg.Admin.Listen != "" {
		l, err := net.Listen("tcp", cfg.Admin.Listen)
		if err != nil {
			return nil, fmt.Errorf("listen on admin.listen: %w: choose another port, or nothing to switch it off", err)
		}
		o.serve(l, o.adminMux(m), log)
	}
	l, err := listenSocket(cfg.socketPath())
	if err != nil {
		o.close()
		return nil, err
	}
	o.serve(l, o.commandMux(s), log)
	return o, nil
}

// listenSocket opens the socket for its owner only. The store's lock is held
// already, so a socket file that is there belongs to a process that is gone.
func listenSocket(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("replace old socket: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil && len(path) > 100 { // systems allow 104 or 108
		return nil, fmt.Errorf("listen on %s: the path is too long for a socket: set store.socket to a shorter one", path)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on store.socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect store.socket: %w", err), l.Close())
	}
	return l, nil
}

func (o *operations) serve(l net.Listener, h http.Handler, log *slog.Logger) {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	o.servers = append(o.servers, s)
	go func() {
		if err := s.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("admin listener ended", "err", err)
		}
	}()
}

func (o *operations) adminMux(m *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", o.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

func (o *operations) readyz(w http.ResponseWriter, _ *http.Request) {
	if !o.isReady.Load() {
		http.Error(w, "starting", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// commandMux serves what "aiprep backup" and its like ask of a running serve.
func (o *operations) commandMux(s site) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", o.readyz)
	for name, do := range storeCommands() {
		mux.HandleFunc("POST /"+name, func(w http.ResponseWriter, r *http.Request) {
			raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			answer, err := do.run(r.Context(), s, raw)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = w.Write(answer) // when the client is gone, what it asked for is done
		})
	}
	return mux
}
