// Command aiprep is a chat bot that coaches people for AI/ML engineering
// interviews on Discord and Telegram. "aiprep play" tries it in the terminal.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program with its surroundings as arguments. It returns the
// exit code: 0, or 1 after one clear line on stderr.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{env: env, stdin: stdin, stdout: stdout, stderr: stderr}
	root := &cobra.Command{
		Use:           "aiprep",
		Short:         "Coach people for AI/ML engineering interviews, on Discord and Telegram",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVar(&p.configFile, "config", "", "read the configuration from this `file` (default "+defaultConfigFile+" if there is one)")
	root.AddCommand(p.playCommand(), p.serveCommand(), p.contentCommand(), p.configCommand(),
		p.backupCommand(), p.restoreCommand(), p.compactCommand(), p.rebuildCommand(), p.healthCommand(), p.flagsCommand(), p.itemCommand(), p.blockCommand(), p.unblockCommand(), p.unlockCommand(), p.keyCommand(), p.encryptCommand(), p.versionCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "aiprep: %v\n", err)
		return 1
	}
	return 0
}

// program is what every subcommand is given.
type program struct {
	env            []string
	stdin          io.Reader
	stdout, stderr io.Writer
	configFile     string
}

func (p *program) config() (Config, error) { return loadConfig(p.configFile, p.env) }
