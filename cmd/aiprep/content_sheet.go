package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/content"
)

// sheetFlags say which questions a sheet asks, and in which order.
type sheetFlags struct {
	dir, extra, level, part string
	topics                  []string
	seed                    uint64
}

func (f *sheetFlags) add(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "the `number` that decides the order of questions and options")
	cmd.Flags().StringSliceVar(&f.topics, "topics", nil, "only these `topics`, parted by commas")
	cmd.Flags().StringVar(&f.level, "level", "", "only this `level`: junior, mid or senior")
	cmd.Flags().StringVar(&f.part, "part", "", "only part `k/n` of the questions, to share them out")
	cmd.Flags().StringVar(&f.dir, "dir", "", "take the questions from this `folder` instead of the embedded content")
	cmd.Flags().StringVar(&f.extra, "extra", "", "add the questions in this `folder`, as content.extra does")
	if err := cmd.MarkFlagRequired("seed"); err != nil {
		panic(err) // the flag is defined above
	}
}

func (f *sheetFlags) sheet(optionsOnly bool) (*content.Sheet, error) {
	sel := content.Selection{Topics: f.topics}
	if f.level != "" {
		var ok bool
		if sel.Level, ok = content.ParseLevel(f.level); !ok {
			return nil, fmt.Errorf("--level is %q: write junior, mid or senior", f.level)
		}
	}
	if f.part != "" {
		k, n, _ := strings.Cut(f.part, "/")
		var errK, errN error
		sel.Part, errK = strconv.Atoi(k)
		sel.Parts, errN = strconv.Atoi(n)
		if errK != nil || errN != nil || sel.Part < 1 || sel.Parts < sel.Part {
			return nil, fmt.Errorf("--part is %q: write the part and the number of parts, such as 1/8", f.part)
		}
	}
	bank, err := loadContent(f.dir, f.extra)
	if err != nil {
		return nil, err
	}
	return content.NewSheet(bank, f.seed, optionsOnly, sel)
}

func (p *program) sheetCommand() *cobra.Command {
	var flags sheetFlags
	var optionsOnly bool
	cmd := &cobra.Command{
		Use:   "sheet --seed N",
		Short: "Print questions without their keys, for someone to answer blind",
		Long: `Print questions without their keys, for someone to answer blind.

Draft and live questions come in an order that the seed decides, each with its
name, stem, code and lettered options. The answers are lines of a name, a tab
and a letter, for "aiprep content grade".`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := flags.sheet(optionsOnly)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(p.stdout, s.Text())
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&optionsOnly, "options-only", false, "leave out stem and code, and put numbers in place of ids")
	return cmd
}

// gradeFlags say whose answers are graded, and where they are kept.
type gradeFlags struct {
	sheetFlags
	printed, review string
	run             content.Run
}

func (p *program) gradeCommand() *cobra.Command {
	var flags gradeFlags
	var kind string
	cmd := &cobra.Command{
		Use:   "grade --seed N --solver NAME ANSWERS.tsv",
		Short: "Record the answers to a sheet below content/review",
		Long: `Record the answers to a sheet below content/review.

Give the seed and the selection of the sheet, or the printed sheet itself with
--sheet; then answers to questions that were changed since are left out.
Nothing is recorded unless every question is answered once, with one of its
letters. "aiprep content check" works out what the answers prove.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			flags.run.Kind, flags.run.File = content.ReviewKind(kind), args[0]
			return p.grade(flags)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&flags.run.Solver, "solver", "", "who answered, by a neutral `name` such as solver-a")
	cmd.Flags().StringVar(&kind, "kind", string(content.Blind), "how they answered: "+content.ReviewKindNames())
	cmd.Flags().BoolVar(&flags.run.NoFix, "no-fix", false, "the solver took no part in mending these questions; only such answers prove keys")
	cmd.Flags().StringVar(&flags.printed, "sheet", "", "the printed sheet's `file`")
	cmd.Flags().StringVar(&flags.review, "review", reviewDir, "record in this `folder`")
	cmd.MarkFlagsMutuallyExclusive("sheet", "topics")
	cmd.MarkFlagsMutuallyExclusive("sheet", "level")
	cmd.MarkFlagsMutuallyExclusive("sheet", "part")
	if err := cmd.MarkFlagRequired("solver"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (p *program) grade(f gradeFlags) error {
	answers, err := os.ReadFile(f.run.File)
	if err != nil {
		return fmt.Errorf("read answers: %w", err)
	}
	sheet, err := f.sheet(f.run.Kind == content.OptionsOnly)
	if err != nil {
		return err
	}
	var stale []string
	if f.printed != "" {
		text, err := os.ReadFile(f.printed)
		if err != nil {
			return fmt.Errorf("read sheet: %w", err)
		}
		sheet, stale = sheet.Only(content.SheetNames(text))
	}
	attempts, err := sheet.Grade(f.run, answers, stale)
	var problems content.Problems
	if errors.As(err, &problems) {
		return fmt.Errorf("nothing recorded, %s to put right:\n%w", counted(len(problems), "problem"), err)
	}
	if err != nil {
		return err
	}
	file, err := record(f.review, time.Now(), attempts)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s recorded in %s\n", counted(len(attempts), "answer"), file)
	for _, name := range stale {
		fmt.Fprintf(p.stdout, "left out, changed since the sheet was printed: %s\n", name)
	}
	return nil
}

// reviewDir is where a source tree keeps the answers of reviewers.
const reviewDir = "content/review"

// record appends to the file of the day and returns its name. The folder above
// dir must exist, so that a command run in the wrong place leaves no trace.
func record(dir string, now time.Time, attempts []content.Attempt) (file string, err error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("record answers: run this where the source code is, or name a folder with --review: %w", err)
	}
	file = filepath.Join(dir, now.UTC().Format(time.DateOnly)+".tsv")
	_, err = os.Stat(file)
	fresh := errors.Is(err, fs.ErrNotExist)
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return "", fmt.Errorf("record answers: %w", err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	// One write, so that two graders at a time do not mix their rows.
	if _, err := out.Write(content.FormatAttempts(attempts, fresh)); err != nil {
		return "", fmt.Errorf("record answers: %w", err)
	}
	return file, nil
}
