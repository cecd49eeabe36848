package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"aiprep/engine"
)

// rebuildHow is what is asked of a rebuild.
type rebuildHow struct{ VerifyOnly bool }

func (p *program) rebuildCommand() *cobra.Command {
	var verify bool
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Compute scores, streaks and counts again from the answers, and repair them",
		Long: `Compute everything that follows from the facts again (the answers, the
item numbers they were asked under, and what was posted when), compare it with
what is stored, and repair what differs: scores, streaks, counts. People may
go on answering meanwhile. With --verify nothing is written.

The exit code is 1 when a difference is left.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.rebuild(cmd.Context(), verify) },
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "only compare")
	return cmd
}

func (p *program) rebuild(ctx context.Context, verify bool) error {
	var report engine.Report
	if err := p.onStore(ctx, "rebuild", rebuildHow{VerifyOnly: verify}, &report); err != nil {
		return fmt.Errorf("rebuild: %w", err)
	}
	if _, err := fmt.Fprint(p.stdout, report.Text()); err != nil {
		return err
	}
	switch n := report.Left(); {
	case n > 0 && verify:
		return fmt.Errorf("rebuild: %s: \"aiprep rebuild\" repairs", counted(n, "difference"))
	case n > 0:
		return fmt.Errorf("rebuild: %s could not be repaired", counted(n, "difference"))
	}
	return nil
}
