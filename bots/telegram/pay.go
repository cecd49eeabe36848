package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/bots"
	"aiprep/engine"
)

// Payments are in Telegram Stars, the only currency that Telegram allows for what
// is used inside a bot (https://core.telegram.org/bots/payments-stars).
const (
	stars = "XTR"

	maxInvoiceTitle = 32  // https://core.telegram.org/bots/api#sendinvoice
	maxInvoiceText  = 255 // UTF-16 units

	// startUnlock is where a forwarded invoice leads: with it a copy has a link to
	// us in place of a button that pays for somebody else.
	startUnlock = "unlock"
)

// checkout is a PreCheckoutQuery: somebody is about to pay.
type checkout struct {
	ID       string `json:"id"`
	From     sender `json:"from"`
	Currency string `json:"currency"`
	Total    int    `json:"total_amount"`
	Payload  string `json:"invoice_payload"`
}

// payment is the part of a SuccessfulPayment, and of a RefundedPayment, that is
// used.
type payment struct {
	Currency string `json:"currency"`
	Total    int    `json:"total_amount"`
	Payload  string `json:"invoice_payload"`
	Charge   string `json:"telegram_payment_charge_id"`
}

// Telegram gives up a payment that nobody agreed to within ten seconds, so a
// checkout goes ahead of every queue, and is looked for while a batch takes long.
const (
	checkoutWithin = 8 * time.Second
	peekEvery      = 3 * time.Second
)

// checkouts answers the checkouts of a batch, in the background. They are done
// with at once: if the answer is lost, nothing is paid.
func (b *Bot) checkouts(batch []json.RawMessage) {
	for _, raw := range batch {
		if !bytes.Contains(raw, []byte(`"pre_checkout_query"`)) {
			continue
		}
		var u struct {
			ID       int64     `json:"update_id"`
			Checkout *checkout `json:"pre_checkout_query"`
		}
		if json.Unmarshal(raw, &u) != nil || u.Checkout == nil || u.ID == 0 || b.seen.has(u.ID) {
			continue // handle sees to what is amiss
		}
		b.seen.add(u.ID)
		b.outbox.work.Go(func() {
			defer b.survive()
			b.told("checkout", b.answerCheckout(*u.Checkout))
		})
	}
}

func (b *Bot) answerCheckout(c checkout) error {
	ctx, cancel := context.WithTimeout(b.life, checkoutWithin)
	defer cancel()
	why, err := b.engine.Checkout(ctx, c.From.user(), c.Payload, c.Total, c.From.Locale)
	if err != nil || c.Currency != stars {
		b.log.Error("checkout refused", "err", err, "currency", c.Currency)
		why = b.engine.Hint(engine.HintFailed, c.From.Locale)
	}
	return b.retry(ctx, true, func() error {
		_, err := b.call(ctx, askWithin, func(ctx context.Context) error {
			_, err := b.lib.AnswerPreCheckoutQuery(ctx, &tg.AnswerPreCheckoutQueryParams{PreCheckoutQueryID: c.ID, OK: why == "", ErrorMessage: why})
			return err
		})
		return err
	})
}

// watching does something that may take long, and meanwhile looks for checkouts
// behind the batch that begins at offset. It confirms nothing.
func (b *Bot) watching(ctx context.Context, offset int64, do func()) {
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(b.peek)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if batch, err := b.getUpdates(ctx, offset, batchLimit, 0); err == nil {
				b.checkouts(batch)
			}
		}
	})
	do()
	close(done)
	watch.Wait()
}

// paid reads the report of a payment, or of one that was given back, which stands
// in the private chat with who paid.
func (ev *event) paid(m message) error {
	if m.Chat.Type != "private" {
		return errors.New("read payment: it is in no private chat")
	}
	ev.in.From = engine.User{Platform: platform, ID: strconv.FormatInt(m.Chat.ID, 10)}
	if m.From != nil && m.From.ID == m.Chat.ID {
		ev.in.From, ev.in.Locale = m.From.user(), m.From.Locale
	}
	ev.in.Event = true
	if m.Paid != nil {
		ev.in.Verb, ev.in.Args = engine.VerbPaid, []string{m.Paid.Charge, m.Paid.Payload, strconv.Itoa(m.Paid.Total)}
	} else {
		ev.in.Verb, ev.in.Args = engine.VerbRefunded, []string{m.Refunded.Charge}
	}
	return nil
}

// invoice makes the message of an offer. Its first button pays.
func invoice(o engine.Offer, rows [][]engine.Button) part {
	o.Title, o.Text = plainLine(o.Title, maxInvoiceTitle), plainLine(o.Text, maxInvoiceText)
	board := &keyboard{Rows: [][]button{{{Text: "⭐ " + strconv.Itoa(o.Stars), Pay: true}}}}
	if more := buttons(rows); more != nil {
		board.Rows = append(board.Rows, more.Rows...)
	}
	return part{Offer: &o, Keyboard: board}
}

// sendInvoice sends one.
func (b *Bot) sendInvoice(ctx context.Context, to address, p part, answers *models.ReplyParameters) error {
	_, err := b.lib.SendInvoice(ctx, &tg.SendInvoiceParams{
		ChatID: to.Chat, MessageThreadID: to.Thread, Title: p.Offer.Title, Description: p.Offer.Text, Payload: p.Offer.Payload,
		Currency: stars, Prices: []models.LabeledPrice{{Label: p.Offer.Title, Amount: p.Offer.Stars}},
		StartParameter: startUnlock, ReplyParameters: answers, ReplyMarkup: p.markup(),
	})
	return err
}

// Cashier does at Telegram what concerns payments and takes no running Bot.
type Cashier struct{ client *client }

// NewCashier returns one for a bot's token; base is the server, "" for Telegram's.
func NewCashier(token bots.Secret, base string) *Cashier {
	if base == "" {
		base = "https://api.telegram.org"
	}
	return &Cashier{&client{http: newHTTP(nil), base: strings.TrimRight(base, "/"), token: token}}
}

// Refund gives a payment back to who paid. One that was given back before is no
// error.
func (c *Cashier) Refund(ctx context.Context, user, charge string) error {
	id, err := strconv.ParseInt(user, 10, 64)
	if err != nil {
		return fmt.Errorf("refund %s: %q is no id of a person on telegram", charge, user)
	}
	_, err = c.client.get(ctx, sendWithin, "refundStarPayment", map[string]any{"user_id": id, "telegram_payment_charge_id": charge})
	if is(err, "charge_already_refunded") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("refund %s: %w", charge, c.client.edge(err))
	}
	return nil
}

// Payment is one that Telegram knows of.
type Payment struct {
	Charge, Payload, User string
	Stars                 int
	At                    time.Time
	Back                  bool // it was given back
}

// transactions is how many Telegram lists at once.
const transactions = 100

// Payments lists all that were made to the bot, oldest first.
func (c *Cashier) Payments(ctx context.Context) (list []Payment, err error) {
	back := map[string]bool{}
	for offset := 0; ; offset += transactions {
		raw, err := c.client.get(ctx, sendWithin, "getStarTransactions", map[string]any{"offset": offset, "limit": transactions})
		if err != nil {
			return nil, fmt.Errorf("list payments: %w", c.client.edge(err))
		}
		var page struct {
			List []struct {
				ID       string   `json:"id"`
				Amount   int      `json:"amount"`
				Date     int64    `json:"date"`
				Source   *partner `json:"source"`
				Receiver *partner `json:"receiver"`
			} `json:"transactions"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("list payments: %w", err)
		}
		for _, x := range page.List {
			switch {
			case x.Source != nil && x.Source.Type == "user" && x.Source.Payload != "":
				list = append(list, Payment{x.ID, x.Source.Payload, strconv.FormatInt(x.Source.User.ID, 10), x.Amount, time.Unix(x.Date, 0), false})
			case x.Receiver != nil && x.Receiver.Type == "user":
				back[x.ID] = true // a refund has its payment's id
			}
		}
		if len(page.List) < transactions {
			break
		}
	}
	for i := range list {
		list[i].Back = back[list[i].Charge]
	}
	return list, nil
}

// partner is the other side of a transaction.
type partner struct {
	Type    string `json:"type"`
	User    sender `json:"user"`
	Payload string `json:"invoice_payload"`
}
