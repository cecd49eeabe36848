package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"aiprep/engine/picture"
	"aiprep/engine/seal"
)

// group is a command that only holds others. A name that none of them has is
// an error, not a request for help.
func group(name, short string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no command %q: see \"aiprep %s --help\"", name+" "+args[0], name)
		}
		return cmd.Help()
	}}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *program) configCommand() *cobra.Command {
	cmd := group("config", "Look after the configuration")
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
	admin, sealed := cfg.Admin.Listen, "not encrypted"
	if admin == "" {
		admin = "off"
	}
	if cfg.Store.KeyFile != "" {
		sealed = "encrypted with " + cfg.Store.KeyFile
	}
	extra := "built in"
	if cfg.Content.Extra != "" {
		if _, err := loadContent("", cfg.Content.Extra); err != nil {
			return err
		}
		extra += " and in " + cfg.Content.Extra
	}
	fonts, err := cfg.Pictures.fonts()
	if err != nil {
		return err
	}
	if _, err := picture.New(fonts...); err != nil {
		return fmt.Errorf("read pictures.fonts_dir: %w", err)
	}
	if err := needFolder("store.file", filepath.Dir(cfg.Store.File)); err != nil {
		return err
	}
	if cfg.Store.BackupDir != "" {
		if err := needFolder("store.backup_dir", cfg.Store.BackupDir); err != nil {
			return err
		}
	}
	state := "configuration is fine"
	if cfg.Discord.Token == "" && cfg.Telegram.Token == "" {
		state = "every setting can be read, but no platform has a token"
	}
	fmt.Fprintf(p.stdout, state+"\n  store     %s, %s\n  content   %s\n  discord   %s\n  telegram  %s\n  admin     %s\n",
		cfg.Store.File, sealed, extra, onOff(cfg.Discord.Token != ""), onOff(cfg.Telegram.Token != ""), admin)
	if cfg.Discord.Token == "" && cfg.Telegram.Token == "" {
		return errors.New("no platform has a token: \"aiprep serve\" says how to get one")
	}
	return nil
}

// needFolder says what to do about a folder that a setting needs.
func needFolder(key, dir string) error {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		return fmt.Errorf("%s needs the folder %s: make it, or name another (%w)", key, dir, err)
	}
	return nil
}

func (p *program) keyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "key [FILE]",
		Short: "Make a new key for store.key_file, in a file that only you can read",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := p.stdout.Write(seal.NewKey())
				return err
			}
			return p.writeKey(args[0])
		},
	}
}

// writeKey never replaces a file: with a lost key a store is lost.
func (p *program) writeKey(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write key: %s exists already, and a store may need it: name a new file", file)
	}
	if err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	_, err = f.Write(seal.NewKey())
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	fmt.Fprintf(p.stdout, "%s is written; keep a copy away from the store, since without it nothing can be read\n", file)
	return nil
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
