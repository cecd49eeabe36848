package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aiprep/engine"
)

func (p *program) flagsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "flags",
		Short: "Show the questions that people say something is wrong with",
		Long: `Show the questions that people say something is wrong with, the most flagged
first, with what they wrote. Nobody is named. A flag is gone when the question
gets a new revision.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []engine.Flagged
			if err := p.onStore(cmd.Context(), "flags", nil, &list); err != nil {
				return fmt.Errorf("flags: %w", err)
			}
			if asJSON {
				enc := json.NewEncoder(p.stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(list)
			}
			return printFlags(p.stdout, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return cmd
}

func printFlags(w io.Writer, list []engine.Flagged) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "no question is flagged")
		return err
	}
	for _, f := range list {
		var said []string
		for _, kind := range slices.Sorted(maps.Keys(f.Kinds)) {
			said = append(said, fmt.Sprintf("%s %d", kind, f.Kinds[kind]))
		}
		line := strings.Join(said, ", ")
		if f.State != "" {
			line = strings.TrimPrefix(line+"; "+f.State, "; ")
		}
		if f.Why != "" {
			line += fmt.Sprintf(" (%s)", f.Why)
		}
		if _, err := fmt.Fprintf(w, "%s rev %d: %s\n", f.Item, f.Rev, line); err != nil {
			return err
		}
		for _, words := range f.Words {
			if _, err := fmt.Fprintf(w, "    %q\n", words); err != nil { // quoted: it came from outside
				return err
			}
		}
	}
	return nil
}
