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
	back    bool   // the Stars went back
	charge  string // the payment's id, once paid
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

// Forward lets somebody have a copy of an invoice in their private chat, with its
// pay button: what clients make of one without a start parameter, and what
// somebody with a client of their own may make of any.
func (t *Telegram) Forward(m TelegramMessage, user int64) (TelegramMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from, to := t.rooms[m.Chat.ID], t.rooms[user]
	if from == nil || to == nil || from.messages[m.ID] == nil {
		return TelegramMessage{}, fmt.Errorf("forward: there is no message %d in chat %d, or no chat %d", m.ID, m.Chat.ID, user)
	}
	own := from.messages[m.ID]
	copied := t.store(to, &TelegramMessage{From: own.From, Invoice: own.Invoice, Keyboard: own.Keyboard, payload: own.payload})
	t.touch()
	return copied.view(), nil
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
		cart.charge = "stx" + base36(t.number())
		t.sales = append(t.sales, cart)
		t.service(t.rooms[cart.invoice.Chat.ID], cart.user, TelegramMessage{Payment: cart.receipt()})
	}
	t.touch()
	return true, nil
}

func (c *tgCart) receipt() *TelegramReceipt {
	return &TelegramReceipt{Currency: c.invoice.Invoice.Currency, Total: c.invoice.Invoice.Total, Payload: c.payload, ChargeID: c.charge, ProviderCharge: c.payload}
}

// Charge is the id of the payment, "" before the bot agreed to it.
func (p *TelegramPayment) Charge() string {
	p.t.mu.Lock()
	defer p.t.mu.Unlock()
	return p.t.carts[p.QueryID].charge
}

// refundStarPayment gives Stars back
// (https://core.telegram.org/bots/api#refundstarpayment).
func (t *Telegram) refundStarPayment(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sales {
		if s.charge != c.text("telegram_payment_charge_id") || strconv.FormatInt(s.user, 10) != c.text("user_id") {
			continue
		}
		if s.back {
			return nil, refuse("CHARGE_ALREADY_REFUNDED")
		}
		s.back = true
		t.service(t.rooms[s.invoice.Chat.ID], s.user, TelegramMessage{Refund: s.receipt()})
		t.touch()
		return true, nil
	}
	return nil, refuse("CHARGE_ID_INVALID")
}

// getStarTransactions lists payments and what was given back, oldest first
// (https://core.telegram.org/bots/api#getstartransactions).
func (t *Telegram) getStarTransactions(c *tgCall) (any, *tgError) {
	offset, fail := c.small("offset")
	if fail != nil {
		return nil, fail
	}
	limit, fail := c.small("limit")
	if fail != nil {
		return nil, fail
	}
	if limit == 0 {
		limit = 100
	}
	if limit < 1 || limit > 100 || offset < 0 {
		return nil, violation("LIMIT_INVALID")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := []any{}
	for _, s := range t.sales {
		user := map[string]any{"type": "user", "transaction_type": "invoice_payment", "user": t.userOf(s.user), "invoice_payload": s.payload}
		all = append(all, map[string]any{"id": s.charge, "amount": s.invoice.Invoice.Total, "date": s.at.Unix(), "source": user})
		if s.back {
			all = append(all, map[string]any{"id": s.charge, "amount": s.invoice.Invoice.Total, "date": s.at.Unix(), "receiver": user})
		}
	}
	all = all[min(offset, len(all)):]
	return map[string]any{"transactions": all[:min(limit, len(all))]}, nil
}
