package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"aiprep/engine"
)

// itemVerdict is what the operator decides of a question.
type itemVerdict struct {
	Item string `json:"item"`
	Do   string `json:"do"` // pause, release or withdraw
	Why  string `json:"why,omitempty"`
}

// itemDone says what a decision did.
type itemDone struct {
	People int `json:"people"` // who were scored again
}

func (p *program) itemCommand() *cobra.Command {
	cmd := group("item", "Pause, release or withdraw a question")
	cmd.Long = `Pause, release or withdraw a question of this store. "aiprep flags" shows what
people say and what was paused by itself.`
	add := func(do, short, done string) {
		var why string
		sub := &cobra.Command{
			Use:   do + " ITEM",
			Short: short,
			Args:  cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				var out itemDone
				if err := p.onStore(cmd.Context(), "item", itemVerdict{Item: args[0], Do: do, Why: why}, &out); err != nil {
					return fmt.Errorf("%s %s: %w", do, args[0], err)
				}
				fmt.Fprintf(p.stdout, "%s: %s\n", args[0], done)
				if do == "withdraw" {
					fmt.Fprintf(p.stdout, "scored again without it: %d people\n", out.People)
				}
				return nil
			},
		}
		if do != "release" {
			sub.Flags().StringVar(&why, "why", "", "the reason, for aiprep flags")
		}
		cmd.AddCommand(sub)
	}
	add("pause", "Have nobody asked a question until it is released", "paused")
	add("release", "Have a paused question asked again", "asked again")
	add("withdraw", "Have a question count for nobody, also where it was answered", "withdrawn")
	return cmd
}

// decideItem does what the operator decided.
func decideItem(ctx context.Context, eng *engine.Engine, v itemVerdict, now time.Time) (itemDone, error) {
	switch v.Do {
	case "pause":
		return itemDone{}, eng.PauseItem(ctx, v.Item, v.Why, now)
	case "release":
		return itemDone{}, eng.ReleaseItem(ctx, v.Item, now)
	case "withdraw":
		if err := eng.WithdrawItem(ctx, v.Item, v.Why, now); err != nil {
			return itemDone{}, err
		}
		n, err := eng.Rescore(ctx)
		return itemDone{People: n}, err
	}
	return itemDone{}, fmt.Errorf("%q is nothing that is done to a question", v.Do)
}
