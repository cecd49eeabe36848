package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

// errNobodyServes means that no process listens on the socket.
var errNobodyServes = errors.New("no serve is running on this store")

// askServe sends a command to the running serve and returns what it answers.
func askServe(ctx context.Context, socket, method, path string, body []byte) ([]byte, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	req, err := http.NewRequestWithContext(ctx, method, "http://serve"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return nil, errNobodyServes
	}
	if err != nil {
		return nil, fmt.Errorf("ask the running serve: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	if err != nil {
		return nil, fmt.Errorf("ask the running serve: %w", err)
	}
	if res.StatusCode == http.StatusNotFound {
		return nil, errors.New("the running serve is of a version that does not know this command: stop it first, or start it anew")
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(strings.TrimSpace(string(answer)))
	}
	return answer, nil
}

func (p *program) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Ask the running serve whether it is ready",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			answer, err := askServe(cmd.Context(), cfg.socketPath(), http.MethodGet, "/readyz", nil)
			if err != nil {
				return fmt.Errorf("health: %w", err)
			}
			_, err = p.stdout.Write(answer)
			return err
		},
	}
}
