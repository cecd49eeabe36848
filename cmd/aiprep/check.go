package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"aiprep/content"
	"aiprep/engine/seal"
)

func (p *program) contentCommand() *cobra.Command {
	var asJSON bool
	check := &cobra.Command{
		Use:   "check",
		Short: "Check every question and guide, and print the bank's figures",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.checkContent(asJSON) },
	}
	check.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd := &cobra.Command{Use: "content", Short: "Look after questions and guides"}
	cmd.AddCommand(check)
	return cmd
}

func (p *program) checkContent(asJSON bool) error {
	bank, err := content.Default()
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
		return fmt.Errorf("content has %d errors", report.Errors)
	}
	return nil
}

func (p *program) configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look after the configuration"}
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Check the configuration and say what would run",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return p.checkConfig() },
	})
	return cmd
}

func (p *program) checkConfig() error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if _, err := readKey(cfg.Store.KeyFile); err != nil {
		return err
	}
	onOff := func(set bool) string {
		if set {
			return "on"
		}
		return "off (no token)"
	}
	fmt.Fprintf(p.stdout, "configuration is fine\n  store     %s\n  discord   %s\n  telegram  %s\n  admin     %s\n",
		cfg.Store.File, onOff(cfg.Discord.Token != ""), onOff(cfg.Telegram.Token != ""), cfg.Admin.Listen)
	if cfg.Discord.Token == "" && cfg.Telegram.Token == "" {
		return errors.New("no platform has a token: \"aiprep serve\" says how to get one")
	}
	return nil
}

func (p *program) keyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Make a new key for store.key_file",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.stdout.Write(seal.NewKey())
			return err
		},
	}
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.stdout, "aiprep", version())
			return err
		},
	}
}

// version is what the Go toolchain recorded of this build.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
