package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/content"
)

// checkFlags say what is checked, and how it is told.
type checkFlags struct {
	dir, extra, review string
	asJSON, strict     bool
}

func (p *program) contentCommand() *cobra.Command {
	var flags checkFlags
	check := &cobra.Command{
		Use:   "check",
		Short: "Check every question and guide, and print the bank's figures",
		Long: `Check every question and guide, and print the bank's figures.

What is wrong comes as file:line and what to do about it; errors make the exit
code 1, warnings do not. With --dir the files of a folder are checked as they
are now, without building the program anew. Where content/review is at hand, or
a folder is named with --review, the figures say what its answers prove.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.checkContent(flags) },
	}
	check.Flags().BoolVar(&flags.asJSON, "json", false, "print one JSON object")
	check.Flags().StringVar(&flags.dir, "dir", "", "check this `folder` (with taxonomy.yaml, bank and guides) instead of the embedded content")
	check.Flags().StringVar(&flags.extra, "extra", "", "add the questions and guides in this `folder`, as content.extra does")
	check.Flags().StringVar(&flags.review, "review", "", "the `folder` with the answers of reviewers (default "+reviewDir+" if there is one)")
	check.Flags().BoolVar(&flags.strict, "strict", false, "fail unless reviews prove the keys, see docs/authoring.md")
	cmd := group("content", "Look after questions and guides")
	cmd.AddCommand(check, p.sheetCommand(), p.gradeCommand(), p.itemHealthCommand(), p.itemNumbersCommand())
	return cmd
}

// checked is all that content check prints.
type checked struct {
	content.Report
	Review *content.ReviewReport `json:"review,omitempty"`
}

func (p *program) checkContent(f checkFlags) error {
	bank, err := loadContent(f.dir, f.extra)
	if err != nil {
		return err
	}
	attempts, found, err := readReview(f.review)
	if err != nil {
		return err
	}
	if f.strict && !found {
		return fmt.Errorf("check reviews: there is no %s here: name the folder with --review", reviewDir)
	}
	c := checked{Report: content.Lint(bank, time.Now())}
	if found {
		review := content.Review(bank, attempts)
		c.Review = &review
	}
	if err := p.printChecked(c, f.asJSON); err != nil {
		return err
	}
	var faults []string
	if c.Errors > 0 {
		faults = append(faults, "has "+counted(c.Errors, "error"))
	}
	if f.strict && len(c.Review.Missed) > 0 {
		faults = append(faults, "misses "+counted(len(c.Review.Missed), "bar"))
	}
	if len(faults) > 0 {
		return errors.New("content " + strings.Join(faults, " and "))
	}
	return nil
}

func (p *program) printChecked(c checked, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(p.stdout)
		enc.SetIndent("", "  ")
		if err := enc.Encode(c); err != nil {
			return fmt.Errorf("print report: %w", err)
		}
		return nil
	}
	fmt.Fprint(p.stdout, c.Text())
	if c.Review != nil {
		fmt.Fprint(p.stdout, c.Review.Text())
	}
	return nil
}

// readReview reads a folder of answers; for "" the usual one, if it exists.
func readReview(dir string) (attempts []content.Attempt, found bool, err error) {
	named := dir != ""
	if !named {
		dir = reviewDir
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read reviews: %w", err)
	case !info.IsDir():
		return nil, false, fmt.Errorf("read reviews: %s is not a folder", dir)
	}
	attempts, err = content.ReadAttempts(os.DirFS(dir))
	var problems content.Problems
	if errors.As(err, &problems) {
		return nil, false, fmt.Errorf("%s to put right in %s:\n%w", counted(len(problems), "problem"), dir, err)
	}
	return attempts, true, err
}

// loadContent reads a folder's content, or the embedded content for "", and adds
// an operator's own folder unless extra is "". Every fault of form stands on a
// line of its own, as editors and CI read it.
func loadContent(dir, extra string) (*content.Bank, error) {
	load := content.Default
	if dir != "" {
		load = func() (*content.Bank, error) { return content.Load(os.DirFS(dir)) }
	}
	bank, err := load()
	if err == nil && extra != "" {
		bank, err = bank.Extend(os.DirFS(extra), extra)
	}
	var problems content.Problems
	if errors.As(err, &problems) {
		return nil, fmt.Errorf("%s to put right:\n%w", counted(len(problems), "problem"), err)
	}
	return bank, err
}
