package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aiprep/bots/telegram"
	"aiprep/engine"
)

// unlockHow is what is to be done about unlocks.
type unlockHow struct {
	Do   string      `json:"do"` // grant, revoke, codes, list, charges or payments
	Who  engine.User `json:"who"`
	Note string      `json:"note,omitempty"`
	N    int         `json:"n,omitempty"`

	Payments []telegram.Payment `json:"payments,omitempty"`
}

// unlockDone is what came of it.
type unlockDone struct {
	Codes []string          `json:"codes,omitempty"`
	All   []engine.Unlocked `json:"all,omitempty"`
	Open  int               `json:"open"` // codes that nobody has used

	Charges []engine.Charge `json:"charges,omitempty"`
}

// mostCodes is how many codes are made at once.
const mostCodes = 1000

func (p *program) unlockCommand() *cobra.Command {
	cmd := group("unlock", "Give, take and list lifetime access")
	cmd.Long = `Give, take and list lifetime access, where unlock.mode is sell: docs/unlock.md.`
	var note string
	grant := &cobra.Command{
		Use: "grant PLATFORM:ID", Short: "Unlock everything for a person", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.unlockOne(cmd.Context(), unlockHow{Do: "grant", Note: note}, args[0], "unlocked")
		},
	}
	grant.Flags().StringVar(&note, "note", "", "what it stands for, for the list")
	cmd.AddCommand(grant, &cobra.Command{
		Use: "revoke PLATFORM:ID", Short: "Take an unlock back", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.unlockOne(cmd.Context(), unlockHow{Do: "revoke"}, args[0], "no longer unlocked")
		},
	}, &cobra.Command{
		Use: "codes N", Short: "Make codes that each unlock one person", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.unlockCodes(cmd.Context(), args[0]) },
	}, &cobra.Command{
		Use: "list", Short: "List who has unlocked everything", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.unlockList(cmd.Context()) },
	}, p.reportCommand(), p.refundCommand(), p.syncCommand())
	return cmd
}

func (p *program) unlockOne(ctx context.Context, how unlockHow, who, done string) error {
	platform, id, ok := strings.Cut(who, ":")
	if !ok || id == "" || !slices.Contains([]string{"discord", "telegram", "console"}, platform) {
		return fmt.Errorf("%s %s: write discord:ID or telegram:ID, with the platform's own id", how.Do, who)
	}
	how.Who = engine.User{Platform: platform, ID: id}
	if err := p.onStore(ctx, "unlock", how, &unlockDone{}); err != nil {
		return fmt.Errorf("%s %s: %w", how.Do, who, err)
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", who, done)
	return nil
}

func (p *program) unlockCodes(ctx context.Context, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > mostCodes {
		return fmt.Errorf("codes %s: write a number from 1 to %d", count, mostCodes)
	}
	var out unlockDone
	if err := p.onStore(ctx, "unlock", unlockHow{Do: "codes", N: n}, &out); err != nil {
		return fmt.Errorf("codes %d: %w", n, err)
	}
	for _, c := range out.Codes {
		fmt.Fprintln(p.stdout, c)
	}
	return nil
}

func (p *program) unlockList(ctx context.Context) error {
	var out unlockDone
	if err := p.onStore(ctx, "unlock", unlockHow{Do: "list"}, &out); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	for _, u := range out.All {
		line := fmt.Sprintf("%s by %s since %s", strings.Join(u.Accounts, " "), u.Origin, u.At.Format(time.DateOnly))
		if u.Ref != "" {
			line += fmt.Sprintf(" %q", u.Ref)
		}
		fmt.Fprintln(p.stdout, line)
	}
	fmt.Fprintf(p.stdout, "unlocked: %d, unused codes: %d\n", len(out.All), out.Open)
	return nil
}

// doUnlock does what was asked.
func doUnlock(ctx context.Context, eng *engine.Engine, how unlockHow, now time.Time) (out unlockDone, err error) {
	switch how.Do {
	case "grant":
		err = eng.GrantUnlock(ctx, how.Who, engine.UnlockByOperator, how.Note, now)
	case "revoke":
		err = eng.RevokeUnlock(ctx, how.Who)
	case "codes":
		out.Codes, err = eng.UnlockCodes(ctx, min(how.N, mostCodes), now)
	case "list":
		out.All, out.Open, err = eng.Unlocks(ctx)
	case "charges":
		out.Charges, err = eng.Charges(ctx)
	case "payments":
		err = recordPayments(ctx, eng, how.Payments)
	default:
		err = fmt.Errorf("%q is nothing that is done to unlocks", how.Do)
	}
	return out, err
}
