package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// serve is the program under load, as a process.
type serve struct {
	cmd   *exec.Cmd
	admin string
	begun time.Time
	log   tail
	dead  chan struct{} // closed when it has ended
	took  time.Duration // until it was ready
}

// launch starts it.
func launch(p plan, env []string) (*serve, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		return nil, err
	}
	s := &serve{cmd: exec.Command(p.bin, "serve"), admin: l.Addr().String(), dead: make(chan struct{})}
	if err := l.Close(); err != nil {
		return nil, err
	}
	s.cmd.Dir = p.store
	s.cmd.Env = append(p.environ(), append(env, "AIPREP_ADMIN_LISTEN="+s.admin)...)
	s.cmd.Stderr = &s.log
	s.begun = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // ProcessState tells
		close(s.dead)
	}()
	return s, nil
}

// environ is what every command on the store is told.
func (p plan) environ() []string {
	env := []string{"AIPREP_STORE_FILE=" + filepath.Join(p.store, "aiprep.db")}
	if p.key != "" {
		env = append(env, "AIPREP_STORE_KEY_FILE="+p.key)
	}
	return env
}

// startServe starts it and waits until it says that it is ready.
func startServe(ctx context.Context, p plan, env []string) (*serve, error) {
	s, err := launch(p, env)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for {
		if resp, err := http.Get("http://" + s.admin + "/readyz"); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				s.took = time.Since(s.begun)
				return s, nil
			}
		}
		select {
		case <-every.C:
		case <-s.dead:
			return nil, fmt.Errorf("serve ended: %v\n%s", s.cmd.ProcessState, s.log.String())
		case <-ctx.Done():
			s.kill()
			return nil, fmt.Errorf("wait for serve: %w\n%s", ctx.Err(), s.log.String())
		}
	}
}

// memory says what the process holds, where the system tells.
func (s *serve) memory() string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return "memory not known here"
	}
	var out []string
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "RssAnon") || strings.HasPrefix(line, "VmHWM") {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(out, ", ")
}

// term asks it to end and waits.
func (s *serve) term() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("stop serve: %w\n%s", err, s.log.String())
	}
	select {
	case <-s.dead:
	case <-time.After(time.Minute):
		s.kill()
		return errors.New("serve did not end within a minute")
	}
	if !s.cmd.ProcessState.Success() {
		return fmt.Errorf("serve ended: %v\n%s", s.cmd.ProcessState, s.log.String())
	}
	return nil
}

func (s *serve) kill() {
	_ = s.cmd.Process.Kill() // it may be gone
	<-s.dead
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailLen = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if n := t.buf.Len() - tailLen; n > 0 {
		t.buf.Next(n)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
