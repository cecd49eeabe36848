// Command fakes runs the fake Discord and the fake Telegram as a program, so that
// a bot can be tried by hand, or driven by tests in other processes, without any
// account:
//
//	go run ./bots/bottest/cmd/fakes -discord 127.0.0.1:8081 -telegram 127.0.0.1:8082
//
// It prints one JSON object with the addresses, tokens and ids of a small world,
// and runs until it is interrupted. Both servers take orders under /_control/.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"aiprep/bots/bottest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// server is one running fake.
type server struct {
	about any // printed at the start
	close func()
}

// startTelegram runs a fake Telegram, empty: its people and chats are made under
// /_control/.
func startTelegram(addr string) (server, error) {
	t, err := bottest.ListenTelegram(bottest.TelegramOptions{Addr: addr})
	if err != nil {
		return server{}, err
	}
	about := map[string]any{"url": t.URL(), "token": t.Token, "control": t.URL() + "/_control/"}
	return server{about, t.Close}, nil
}

// run starts what the flags ask for and waits for ctx to end.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fakes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	discord := flags.String("discord", "", "address of the fake Discord, as 127.0.0.1:8081; empty leaves it out")
	telegram := flags.String("telegram", "", "address of the fake Telegram, as 127.0.0.1:8082; empty leaves it out")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	about := map[string]any{}
	for _, f := range []struct {
		name, addr string
		start      func(addr string) (server, error)
	}{
		{"discord", *discord, startDiscord},
		{"telegram", *telegram, startTelegram},
	} {
		if f.addr == "" {
			continue
		}
		s, err := f.start(f.addr)
		if err != nil {
			fmt.Fprintln(stderr, "fakes:", err)
			return 1
		}
		defer s.close()
		about[f.name] = s.about
	}
	if len(about) == 0 {
		fmt.Fprintln(stderr, "fakes: name an address with -discord or -telegram")
		return 2
	}
	out := json.NewEncoder(stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(about); err != nil {
		fmt.Fprintln(stderr, "fakes: print addresses:", err)
		return 1
	}
	<-ctx.Done()
	return 0
}
