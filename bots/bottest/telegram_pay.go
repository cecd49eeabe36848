package bottest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Limits of invoices (https://core.telegram.org/bots/api#sendinvoice) and of the
// answer to a payment (https://core.telegram.org/bots/api#answerprecheckoutquery).
const (
	maxInvoiceTitle = 32
	maxInvoiceText  = 255
	maxPayload      = 128 // bytes
	checkoutWithin  = 10 * time.Second
)

// tgCart is one attempt to pay.
type tgCart struct {
	id      string
	user    int64
	invoice *TelegramMessage
	payload string
	at      time.Time
	done    bool
	paid    bool
	message string // why not
}

// sendInvoice takes invoices in Telegram Stars only: digital goods have no other
// currency (https://telegram.org/tos/bot-developers#6-2-transaction-systems).
func (t *Telegram) sendInvoice(c *tgCall) (any, *tgError) {
	hasBoard := c.has("reply_markup")
	sent, fail := t.send(c, hasBoard, func(m *TelegramMessage, r *tgRoom) *tgError {
		var prices []struct {
			Label  string
			Amount int
		}
		if _, fail := c.object("prices", &prices); fail != nil {
			return fail
		}
		title, text, payload := units(c.text("title")), units(c.text("description")), len(c.text("payload"))
		switch {
		case title < 1 || title > maxInvoiceTitle:
			return violation("title of an invoice: %d characters, want 1-%d", title, maxInvoiceTitle)
		case text < 1 || text > maxInvoiceText:
			return violation("description of an invoice: %d characters, want 1-%d", text, maxInvoiceText)
		case payload < 1 || payload > maxPayload:
			return violation("INVOICE_PAYLOAD_INVALID").because("payload of %d bytes, want 1-%d", payload, maxPayload)
		case c.text("currency") != "XTR" || c.text("provider_token") != "":
			return violation("CURRENCY_TOTAL_AMOUNT_INVALID").because("the fake sells for XTR only, without a provider token")
		case len(prices) != 1 || prices[0].Amount < 1 || prices[0].Label == "":
			return violation("invoices in Telegram Stars must have exactly one price")
		}
		m.Invoice = &TelegramInvoice{Title: c.text("title"), Description: c.text("description"),
			StartParameter: c.text("start_parameter"), Currency: "XTR", Total: prices[0].Amount}
		m.payload = c.text("payload")
		return nil
	})
	return sent, fail
}

// TelegramPayment is one attempt to pay, to wait for what becomes of it.
type TelegramPayment struct {
	QueryID  string
	UpdateID int64
	t        *Telegram
}

// Pay lets a person press the pay button of an invoice.
func (t *Telegram) Pay(user int64, m TelegramMessage) (*TelegramPayment, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, p, err := t.visitor(user, m.Chat.ID)
	if err != nil {
		return nil, fmt.Errorf("pay: %w", err)
	}
	own := r.messages[m.ID]
	if own == nil || own.Invoice == nil {
		return nil, fmt.Errorf("pay: message %d is no invoice", m.ID)
	}
	cart := &tgCart{id: strconv.FormatInt(t.number(), 10), user: user, invoice: own, payload: own.payload, at: t.now()}
	t.carts[cart.id] = cart
	out := &TelegramPayment{QueryID: cart.id, t: t}
	out.UpdateID = t.push("pre_checkout_query", "user "+strconv.FormatInt(user, 10), callbackLife, map[string]any{
		"id": cart.id, "from": p.TelegramUser, "currency": own.Invoice.Currency, "total_amount": own.Invoice.Total, "invoice_payload": cart.payload})
	t.touch()
	return out, nil
}

// Done waits for the bot's answer. When it agreed, the chat has a message with
// successful_payment; when not, the error holds the bot's words.
func (p *TelegramPayment) Done(ctx context.Context) error {
	var refused string
	err := p.t.Wait(ctx, "an answer to pre-checkout query "+p.QueryID, func() bool {
		p.t.mu.Lock()
		defer p.t.mu.Unlock()
		cart := p.t.carts[p.QueryID]
		refused = cart.message
		return cart.done
	})
	if err == nil && refused != "" {
		err = errors.New("the bot refused the payment: " + refused)
	}
	return err
}

func (t *Telegram) answerPreCheckoutQuery(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ok := c.flag("ok", false)
	if !ok && c.text("error_message") == "" {
		return nil, violation("error_message is required when ok is false")
	}
	cart := t.carts[c.text("pre_checkout_query_id")]
	if cart == nil || cart.done || t.now().Sub(cart.at) > checkoutWithin {
		return nil, refuse("query is too old and response timeout expired or query ID is invalid")
	}
	cart.done, cart.paid, cart.message = true, ok, c.text("error_message")
	if ok {
		// The message stands where the invoice does and comes from the payer.
		r := t.rooms[cart.invoice.Chat.ID]
		t.service(r, cart.user, TelegramMessage{Payment: &TelegramReceipt{Currency: cart.invoice.Invoice.Currency,
			Total: cart.invoice.Invoice.Total, Payload: cart.payload, ChargeID: "stx" + base36(t.number()), ProviderCharge: cart.payload}})
	}
	t.touch()
	return true, nil
}
