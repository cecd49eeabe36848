package telegram

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"aiprep/bots"
	"aiprep/bots/bottest"
	"aiprep/engine"
)

// newShop is a world whose bot sells everything for 350 Stars.
func newShop(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, bottest.TelegramOptions{}, nil)
	var err error
	w.engine, err = engine.New(t.Context(), engine.Config{
		Store: w.store, Bank: testBank(), Log: slog.New(slog.NewTextHandler(w.log, nil)), Secret: bytes.Repeat([]byte{7}, 32),
		Unlock: &engine.Unlocking{TestsPerDay: 1, Stars: 350, Support: "help@example.org"},
	})
	w.must(err)
	w.cfg.Engine = w.engine
	return w
}

// offered is the invoice that /unlock answers with.
func (w *world) offered(user int64) bottest.TelegramMessage {
	w.Helper()
	m := w.next(user, w.text(user, user, "/unlock"))
	if m.Invoice == nil {
		w.Fatalf("/unlock answers with %q", m.Words())
	}
	return m
}

// pays pays an invoice and returns why not, or "".
func (w *world) pays(user int64, m bottest.TelegramMessage) string {
	w.Helper()
	p, err := w.tg.Pay(user, m)
	w.must(err)
	if err := p.Done(w.soon()); err != nil {
		return err.Error()
	}
	return ""
}

// hears waits for a message of the bot with these words.
func (w *world) hears(user int64, words string) bottest.TelegramMessage {
	w.Helper()
	m, err := w.tg.WaitMessage(w.soon(), user, func(m bottest.TelegramMessage) bool { return m.Bot() && strings.Contains(m.Words(), words) })
	w.must(err)
	return m
}

// charges counts the payments that the engine knows, and those given back.
func (w *world) charges() (n, back int) {
	w.Helper()
	list, err := w.engine.Charges(w.Context())
	w.must(err)
	for _, c := range list {
		if n++; c.Back {
			back++
		}
	}
	return n, back
}

func TestStarsUnlockEverything(t *testing.T) {
	w := newShop(t)
	w.run()
	w.start(ann)
	w.start(bob)
	m := w.offered(ann)
	if m.Invoice.Total != 350 || m.Invoice.Currency != "XTR" || m.Invoice.StartParameter != "unlock" {
		t.Errorf("invoice %+v", m.Invoice)
	}
	if why := w.pays(ann, m); why != "" {
		t.Fatal(why)
	}
	done := w.hears(ann, "Everything is unlocked")
	w.press(ann, done, "Test me")
	if why := w.pays(ann, m); !strings.Contains(why, "already. You were not charged") {
		t.Errorf("a second payment: %q", why)
	}
	// The report comes again, under its own number and under another.
	paid := w.payment(ann)
	for _, fresh := range []bool{false, true} {
		_, err := w.tg.Double(paid.UpdateID, fresh)
		w.must(err)
	}
	w.clean()
	if n, _ := w.charges(); n != 1 {
		t.Errorf("%d payments", n)
	}
	w.text(ann, ann, "/paysupport")
	w.hears(ann, paid.Payment.ChargeID)
	w.text(ann, ann, "/terms")
	w.hears(ann, "no subscription")
	w.clean()
}

// payment is the message that says that somebody paid.
func (w *world) payment(user int64) bottest.TelegramMessage {
	w.Helper()
	m, err := w.tg.WaitMessage(w.soon(), user, func(m bottest.TelegramMessage) bool { return m.Payment != nil })
	w.must(err)
	return m
}

func TestARefundEndsTheUnlock(t *testing.T) {
	w := newShop(t)
	w.run()
	w.start(ann)
	if why := w.pays(ann, w.offered(ann)); why != "" {
		t.Fatal(why)
	}
	w.hears(ann, "Everything is unlocked")
	charge := w.payment(ann).Payment.ChargeID
	till := NewCashier(bots.Secret(w.tg.Token), w.tg.URL())
	for range 2 { // the second is none
		w.must(till.Refund(t.Context(), "1001", charge))
	}
	w.hears(ann, "The payment was given back")
	if err := till.Refund(t.Context(), "1001", "stxnone"); err == nil || strings.Contains(err.Error(), w.tg.Token) {
		t.Errorf("refund of nothing: %v", err)
	}
	list, err := till.Payments(t.Context())
	w.must(err)
	if len(list) != 1 || !list[0].Back || list[0].User != "1001" || list[0].Stars != 350 || list[0].Charge != charge {
		t.Errorf("payments %+v", list)
	}
	if n, back := w.charges(); n != 1 || back != 1 {
		t.Errorf("%d payments, %d given back", n, back)
	}
	w.offered(ann) // it is on offer again
	w.clean()
}

// A checkout is answered while the engine is busy with something else, on the
// press that it is stuck in and on all behind it.
func TestACheckoutWaitsForNobody(t *testing.T) {
	w := newShop(t)
	free := make(chan struct{})
	stuck := make(chan struct{})
	w.cfg.Engine = &stubborn{Engine: w.engine, stuck: stuck, until: free}
	w.launch(func(b *Bot) { b.peek = 5 * time.Millisecond })
	<-w.bot.Ready()
	w.start(ann)
	m := w.offered(ann)
	w.text(ann, ann, "/stats")
	<-stuck
	if why := w.pays(ann, m); why != "" {
		t.Error(why)
	}
	if n, _ := w.charges(); n != 0 {
		t.Error("the payment is recorded while the batch before it is not done")
	}
	close(free)
	w.hears(ann, "Everything is unlocked")
	w.clean()
}

// stubborn is an engine that takes its time over /stats.
type stubborn struct {
	bots.Engine
	stuck chan struct{}
	until chan struct{}
}

func (s *stubborn) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	if in.Verb == "stats" {
		close(s.stuck)
		<-s.until
	}
	return s.Engine.Handle(ctx, in)
}

// A payment whose report comes after a restart counts.
func TestAPaymentReportedAfterARestart(t *testing.T) {
	w := newShop(t)
	w.run()
	w.start(ann)
	m := w.offered(ann)
	w.cfg.Engine = &deaf{w.engine}
	w.must(w.stop())
	w.launch(nil) // this one agrees, and handles nothing after it
	<-w.bot.Ready()
	if why := w.pays(ann, m); why != "" {
		t.Fatal(why)
	}
	w.must(w.stop())
	w.cfg.Engine = w.engine
	w.launch(nil)
	w.hears(ann, "Everything is unlocked")
	if n, _ := w.charges(); n != 1 {
		t.Errorf("%d payments", n)
	}
	w.lawful()
}

// deaf is an engine that fails at payments and cannot set anything aside either,
// so that they come again.
type deaf struct{ bots.Engine }

func (d *deaf) Handle(ctx context.Context, in engine.Input) (engine.Reply, error) {
	if in.Verb == engine.VerbPaid {
		return engine.Reply{}, context.DeadlineExceeded
	}
	return d.Engine.Handle(ctx, in)
}

func (d *deaf) SetAside(context.Context, string, string, time.Time, []byte, string) error {
	return context.DeadlineExceeded
}

// An invoice that is forwarded leads to the bot, whose own offer is for whoever
// comes; one of somebody else is refused in plain words.
func TestAnInvoiceIsForOnePerson(t *testing.T) {
	w := newShop(t)
	w.run()
	w.start(ann)
	w.start(bob)
	m := w.offered(ann)
	copied, err := w.tg.Forward(m, bob)
	w.must(err)
	if why := w.pays(bob, copied); !strings.Contains(why, "made for somebody else. You were not charged") {
		t.Errorf("bob pays ann's: %q", why)
	}
	asked, err := w.tg.Start(bob, "unlock")
	w.must(err)
	own := w.next(bob, asked)
	if own.Invoice == nil {
		t.Fatalf("the link of a forwarded invoice leads to %q", own.Words())
	}
	if why := w.pays(bob, own); why != "" {
		t.Error(why)
	}
	w.hears(bob, "Everything is unlocked")
	w.clean()
}

// What is offered in a group is shown in the private chat.
func TestAnOfferIsPrivate(t *testing.T) {
	w := newShop(t)
	w.must(w.tg.AddBot(ann, group, false))
	w.run()
	w.start(ann)
	w.text(ann, group, "/unlock@prep_test_bot")
	_, err := w.tg.WaitMessage(w.soon(), ann, func(m bottest.TelegramMessage) bool { return m.Invoice != nil })
	w.must(err)
	for _, m := range w.tg.FromBot(group) {
		if m.Invoice != nil {
			t.Error("an invoice in the group")
		}
	}
	w.clean()
}
