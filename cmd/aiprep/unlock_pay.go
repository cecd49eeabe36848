package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"aiprep/bots/telegram"
	"aiprep/engine"
)

func (p *program) reportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "report", Short: "List payments and what they come to", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.unlockReport(cmd.Context()) },
	}
}

func (p *program) refundCommand() *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:   "refund PAYMENT",
		Short: "Give the Stars of a payment back",
		Long: `Give the Stars of a payment back to who paid, which ends the unlock. People read
the number of their payment in /paysupport; "aiprep unlock report" lists all.

What was bought on Discord is given back by Discord, which tells the bot.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.refund(cmd.Context(), args[0], user, time.Now())
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "Telegram id of who paid, if they erased themselves since")
	return cmd
}

func (p *program) syncCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "sync",
		Short: "Ask Telegram for all payments and record what the store does not know",
		Long: `Ask Telegram for all payments and record what the store does not know: after a
restore, when people had paid since the backup.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.syncPayments(cmd.Context()) },
	}
}

// charges lists the payments, oldest first.
func (p *program) charges(ctx context.Context) ([]engine.Charge, error) {
	var out unlockDone
	if err := p.onStore(ctx, "unlock", unlockHow{Do: "charges"}, &out); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Charges, func(a, b engine.Charge) int { return a.At.Compare(b.At) })
	return out.Charges, nil
}

func (p *program) unlockReport(ctx context.Context) error {
	list, err := p.charges(ctx)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	kept, back, stars := 0, 0, 0
	for _, c := range list {
		line := fmt.Sprintf("%s %s %s", c.At.Format(time.DateOnly), c.Origin, c.ID)
		if c.Stars > 0 {
			line += fmt.Sprintf(" %d Stars", c.Stars)
		}
		if c.Payer != "" {
			line += " by " + c.Payer
		}
		if c.Back {
			line += ", given back"
			back++
		} else {
			kept++
			stars += c.Stars
		}
		fmt.Fprintln(p.stdout, line)
	}
	fmt.Fprintf(p.stdout, "payments: %d, given back: %d, Stars kept: %d\n", kept+back, back, stars)
	return nil
}

var errNoTelegram = errors.New("telegram.token is not set")

// cashier is Telegram's for payments.
func (p *program) cashier() (*telegram.Cashier, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	if cfg.Telegram.Token == "" {
		return nil, errNoTelegram
	}
	return telegram.NewCashier(cfg.Telegram.Token, cfg.Telegram.Server), nil
}

func (p *program) refund(ctx context.Context, id, user string, now time.Time) error {
	list, err := p.charges(ctx)
	if err != nil {
		return fmt.Errorf("refund: %w", err)
	}
	at := slices.IndexFunc(list, func(c engine.Charge) bool { return c.ID == id })
	switch {
	case at < 0:
		return fmt.Errorf("refund %s: there is no such payment; \"aiprep unlock report\" lists all", id)
	case list[at].Origin != "telegram":
		return fmt.Errorf("refund %s: it was paid on %s, which gives it back and then tells the bot", id, list[at].Origin)
	case list[at].Back:
		return fmt.Errorf("refund %s: it was given back already", id)
	case user == "":
		if user = list[at].Payer; user == "" {
			return fmt.Errorf("refund %s: who paid has erased themselves: name their Telegram id with --user", id)
		}
	}
	till, err := p.cashier()
	if err != nil {
		return fmt.Errorf("refund %s: %w", id, err)
	}
	if err := till.Refund(ctx, user, id); err != nil {
		return err
	}
	// Telegram tells the bot too; whichever comes first ends the unlock.
	paid := telegram.Payment{Charge: id, User: user, Stars: list[at].Stars, At: now, Back: true}
	if err := p.onStore(ctx, "unlock", unlockHow{Do: "payments", Payments: []telegram.Payment{paid}}, &unlockDone{}); err != nil {
		return fmt.Errorf("refund %s: the Stars are given back; the unlock ends when serve runs: %w", id, err)
	}
	fmt.Fprintf(p.stdout, "%s: %d Stars given back\n", id, list[at].Stars)
	return nil
}

func (p *program) syncPayments(ctx context.Context) error {
	till, err := p.cashier()
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	payments, err := till.Payments(ctx)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	before, err := p.charges(ctx)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	if err := p.onStore(ctx, "unlock", unlockHow{Do: "payments", Payments: payments}, &unlockDone{}); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	after, err := p.charges(ctx)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	fmt.Fprintf(p.stdout, "payments at Telegram: %d, new here: %d\n", len(payments), len(after)-len(before))
	return nil
}

// recordPayments tells the engine what Telegram says of payments, which changes
// nothing about those that it knows.
func recordPayments(ctx context.Context, eng *engine.Engine, list []telegram.Payment) error {
	for _, pay := range list {
		in := engine.Input{
			ID: "payment-" + pay.Charge, At: pay.At, Event: true, Verb: engine.VerbPaid,
			Args: []string{pay.Charge, pay.Payload, strconv.Itoa(pay.Stars)},
			From: engine.User{Platform: "telegram", ID: pay.User}, In: engine.Place{Platform: "telegram", Chat: pay.User},
		}
		if _, err := eng.Handle(ctx, in); err != nil {
			return err
		}
		if !pay.Back {
			continue
		}
		in.Verb, in.Args = engine.VerbRefunded, in.Args[:1]
		if _, err := eng.Handle(ctx, in); err != nil {
			return err
		}
	}
	return nil
}
