package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"aiprep/content"
)

func (p *program) contentCommand() *cobra.Command {
	var asJSON bool
	var dir string
	check := &cobra.Command{
		Use:   "check",
		Short: "Check every question and guide, and print the bank's figures",
		Long: `Check every question and guide, and print the bank's figures.

What is wrong comes as file:line and what to do about it; errors make the exit
code 1, warnings do not. With --dir the files of a folder are checked as they
are now, without building the program anew.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.checkContent(dir, asJSON) },
	}
	check.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	check.Flags().StringVar(&dir, "dir", "", "check this `folder` (with taxonomy.yaml, bank and guides) instead of the embedded content")
	cmd := group("content", "Look after questions and guides")
	cmd.AddCommand(check, p.sheetCommand(), p.gradeCommand())
	return cmd
}

func (p *program) checkContent(dir string, asJSON bool) error {
	bank, err := loadContent(dir)
	if err != nil {
		return err
	}
	report := content.Lint(bank, time.Now())
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(report); err != nil {
			return fmt.Errorf("print report: %w", err)
		}
	} else {
		fmt.Fprint(p.stdout, report.Text())
	}
	if report.Errors > 0 {
		return fmt.Errorf("content has %s", counted(report.Errors, "error"))
	}
	return nil
}

// loadContent reads a folder's content, or the embedded content for "". Every
// fault of form stands on a line of its own, as editors and CI read it.
func loadContent(dir string) (*content.Bank, error) {
	load := content.Default
	if dir != "" {
		load = func() (*content.Bank, error) { return content.Load(os.DirFS(dir)) }
	}
	bank, err := load()
	var problems content.Problems
	if errors.As(err, &problems) {
		return nil, fmt.Errorf("%s to put right:\n%w", counted(len(problems), "problem"), err)
	}
	return bank, err
}
