package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/engine"
)

// blockHow is who is to be shut out, or let in again; nobody means: list them.
type blockHow struct {
	Who engine.Blocked `json:"who"`
	Off bool           `json:"off,omitempty"`
}

func (p *program) blockCommand() *cobra.Command {
	var server bool
	var why string
	cmd := &cobra.Command{
		Use:   "block [PLATFORM:ID]",
		Short: "Shut a person or a server out, or list who is",
		Long: `Shut a person out by the platform's own id, such as telegram:4711, or with
--server a server or group. What they have done is kept. Without an id the
blocked ones are listed.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listBlocked(cmd.Context())
			}
			return p.block(cmd.Context(), args[0], blockHow{Who: engine.Blocked{Server: server, Why: why}})
		},
	}
	cmd.Flags().BoolVar(&server, "server", false, "the id is that of a server or group")
	cmd.Flags().StringVar(&why, "why", "", "the reason, for the list")
	return cmd
}

func (p *program) unblockCommand() *cobra.Command {
	var server bool
	cmd := &cobra.Command{
		Use:   "unblock PLATFORM:ID",
		Short: "Let a blocked person or server in again",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.block(cmd.Context(), args[0], blockHow{Who: engine.Blocked{Server: server}, Off: true})
		},
	}
	cmd.Flags().BoolVar(&server, "server", false, "the id is that of a server or group")
	return cmd
}

func (p *program) block(ctx context.Context, who string, how blockHow) error {
	verb, done := "block", "blocked"
	if how.Off {
		verb, done = "unblock", "let in again"
	}
	platform, id, ok := strings.Cut(who, ":")
	if !ok || id == "" || !slices.Contains([]string{"discord", "telegram", "console"}, platform) {
		return fmt.Errorf("%s %s: write discord:ID or telegram:ID, with the platform's own id", verb, who)
	}
	how.Who.Platform, how.Who.ID, how.Who.At = platform, id, time.Now()
	var list []engine.Blocked
	if err := p.onStore(ctx, "block", how, &list); err != nil {
		return fmt.Errorf("%s %s: %w", verb, who, err)
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", who, done)
	return nil
}

func (p *program) listBlocked(ctx context.Context) error {
	var list []engine.Blocked
	if err := p.onStore(ctx, "block", blockHow{}, &list); err != nil {
		return fmt.Errorf("block: %w", err)
	}
	if len(list) == 0 {
		fmt.Fprintln(p.stdout, "nobody is blocked")
	}
	for _, b := range list {
		what := "person"
		if b.Server {
			what = "server"
		}
		fmt.Fprintf(p.stdout, "%s %s:%s since %s %q\n", what, b.Platform, b.ID, b.At.Format(time.DateOnly), b.Why)
	}
	return nil
}

// doBlock does what was asked and returns who is blocked then.
func doBlock(ctx context.Context, eng *engine.Engine, how blockHow) ([]engine.Blocked, error) {
	var err error
	switch {
	case how.Who.ID == "":
	case how.Off:
		if err = eng.Unblock(ctx, how.Who); errors.Is(err, engine.ErrNotBlocked) {
			err = engine.ErrNotBlocked
		}
	default:
		err = eng.Block(ctx, how.Who)
	}
	if err != nil {
		return nil, err
	}
	return eng.Blocks(ctx)
}
