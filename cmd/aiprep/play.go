package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"aiprep/bots/console"
	"aiprep/engine"
)

func (p *program) playCommand() *cobra.Command {
	var file, extra string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Chat in this terminal: no account, token or server needed",
		Long: `Chat in this terminal with the embedded questions and guides.

Without --store everything is forgotten at the end. Lines from a file or a pipe
are played as a script: the clock starts on 2026-01-05 09:00 UTC, moves ten
seconds a line, and the same script always plays the same.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.play(cmd.Context(), file, extra) },
	}
	cmd.Flags().StringVar(&file, "store", "", "keep what is played in this `file`")
	cmd.Flags().StringVar(&extra, "extra", "", "add the questions and guides in this `folder`")
	return cmd
}

// savePlayed keeps a file that the bot sent among the temporary ones.
func savePlayed(name string, data []byte) (path string, err error) {
	f, err := os.CreateTemp("", "*-"+filepath.Base(name))
	if err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	return f.Name(), nil
}

// playStart is when a script's clock starts.
var playStart = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func (p *program) play(ctx context.Context, file, extra string) (err error) {
	if file == "" {
		dir, err := os.MkdirTemp("", "aiprep-play-")
		if err != nil {
			return fmt.Errorf("make a place to play: %w", err)
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, "play.db")
	}
	bank, err := loadContent("", extra)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, StoreConfig{File: file})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	cfg := engine.Config{Store: store, Bank: bank}
	con := console.Config{In: p.stdin, Out: p.stdout, Save: savePlayed}
	if f, ok := p.stdin.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		con.Start, con.Save = playStart, nil
		cfg.Secret = make([]byte, 32) // a script repeats; what is played is no secret
	}
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return err
	}
	con.Engine, con.Advance = e, e.Advance
	return console.New(con).Run(ctx)
}
