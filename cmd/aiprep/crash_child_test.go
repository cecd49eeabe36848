package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take that a test waits for.
const patience = 30 * time.Second

// soon is a context that ends when a test has waited long enough.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// waitFor asks again and again until something is so.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx := soon(t)
	every := time.NewTicker(10 * time.Millisecond)
	defer every.Stop()
	for !ok() {
		select {
		case <-every.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// goBuild builds a program of this module and returns its file.
func goBuild(t testing.TB, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(pkg)+".exe")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// storeDir is a folder whose name is short enough for a socket in it.
func storeDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "aiprep")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// child is one life of the real program, "aiprep serve" as a process.
type child struct {
	cmd    *exec.Cmd
	socket string
	log    lockedBuffer
	dead   chan struct{} // closed when the process has ended
}

// serveChild starts serve over the store in dir, in its own surroundings: env
// is all that it sees. What is left of it ends with the test.
func serveChild(t testing.TB, bin, dir string, env ...string) *child {
	t.Helper()
	store := filepath.Join(dir, "aiprep.db")
	c := &child{cmd: exec.Command(bin, "serve"), socket: store + ".sock", dead: make(chan struct{})}
	c.cmd.Dir = dir
	c.cmd.Env = append(env, "AIPREP_STORE_FILE="+store)
	if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "AIPREP_ADMIN_LISTEN=") }) {
		c.cmd.Env = append(c.cmd.Env, "AIPREP_ADMIN_LISTEN=")
	}
	c.cmd.Stderr = &c.log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait() // ProcessState tells
		close(c.dead)
	}()
	t.Cleanup(func() {
		c.kill()
		if t.Failed() {
			t.Logf("serve wrote:\n%s", c.log.tail())
		}
	})
	return c
}

// ready waits until serve says that it is.
func (c *child) ready(ctx context.Context) error {
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for {
		_, err := askServe(ctx, c.socket, http.MethodGet, "/readyz", nil)
		if err == nil {
			return nil
		}
		select {
		case <-every.C:
		case <-c.dead:
			return fmt.Errorf("serve ended: %v: %s", c.cmd.ProcessState, c.log.tail())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// kill ends the process as a power cut would, and waits until it is gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may be gone
	<-c.dead
}

// term asks the process to end, as every supervisor does, and waits for it.
func (c *child) term(t testing.TB) {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("serve was gone before SIGTERM: %v: %s", err, c.log.tail())
	}
	select {
	case <-c.dead:
	case <-time.After(patience):
		_ = c.cmd.Process.Signal(syscall.SIGQUIT) // for the stacks
		<-c.dead
		t.Fatalf("serve does not end after SIGTERM:\n%s", c.log.tail())
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("after SIGTERM the exit code is %d:\n%s", code, c.log.tail())
	}
}

// lockedBuffer is a buffer that may be read while a process writes to it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// tail is the end of what was written.
func (b *lockedBuffer) tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.buf.String()
	return all[max(0, len(all)-16_000):]
}
