package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"aiprep/content"
	"aiprep/engine"
)

func (p *program) itemHealthCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Show the questions that answers say something is wrong with",
		Long: `Show the questions that answers say something is wrong with: those on which
the able do worse, those far from their author's difficulty, and options that
hardly anybody chooses. Only first attempts in tests count, of people who
agreed; nothing is shown of a question that fewer than 20 of them answered.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.itemHealth(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (p *program) itemHealth(ctx context.Context, asJSON bool) error {
	var report engine.HealthReport
	if err := p.onStore(ctx, "item-health", nil, &report); err != nil {
		return fmt.Errorf("content health: %w", err)
	}
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(report)
	}
	_, err := fmt.Fprint(p.stdout, report.Text())
	return err
}

func (p *program) itemNumbersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "numbers",
		Short: "Print what answers taught of the questions, as content/numbers.yaml",
		Long: `Print what answers taught of the questions, as content/numbers.yaml, which a
release ships so that a new installation starts from it. Only questions that
at least 20 people answered, who agreed, are in it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []content.Learnt
			if err := p.onStore(cmd.Context(), "item-numbers", nil, &list); err != nil {
				return fmt.Errorf("content numbers: %w", err)
			}
			_, err := p.stdout.Write(content.FormatNumbers(list))
			return err
		},
	}
}
