package engine_test

import (
	"strings"
	"testing"
	"time"

	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// till is a shop that sells on both platforms.
type till struct{ *chat }

func newTill(t *testing.T) till {
	t.Helper()
	store := storetest.Twice(storetest.Memory())
	t.Cleanup(func() { store.Close() })
	c := till{&chat{T: t, store: store, now: monday, posts: &platform{edits: map[engine.Ref]engine.Message{}}}}
	c.open(350)
	return c
}

func (c till) open(stars int) {
	c.Helper()
	e, err := engine.New(c.Context(), engine.Config{
		Store: c.store, Bank: contenttest.Bank(), Secret: make([]byte, 32),
		Unlock: &engine.Unlocking{TestsPerDay: 1, Stars: stars, SKU: "900", Support: "help@example.org"},
	})
	if err != nil {
		c.Fatal(err)
	}
	c.e = e
}

// on is what somebody does on a platform; who is platform:id.
func (c till) on(who string, verb string, change func(*engine.Input), args ...string) engine.Reply {
	c.Helper()
	c.now = c.now.Add(time.Minute)
	platform, id, _ := strings.Cut(who, ":")
	in := engine.Input{From: engine.User{Platform: platform, ID: id}, In: engine.Place{Platform: platform, Chat: id}, Verb: verb, Args: args}
	if change != nil {
		change(&in)
	}
	return c.do(in)
}

func event(in *engine.Input) { in.Event = true }

func owning(ids ...string) func(*engine.Input) {
	return func(in *engine.Input) { list := append([]string{}, ids...); in.Owns = &list }
}

// unlocked reports whether somebody has everything.
func (c till) unlocked(who string, change func(*engine.Input)) bool {
	c.Helper()
	return strings.Contains(c.on(who, "unlock", change).Whisper.Title, "Everything is unlocked")
}

// offer is what /unlock offers.
func (c till) offer(who string) engine.Offer {
	c.Helper()
	m := c.on(who, "unlock", nil).Whisper
	if m.Offer == nil {
		c.Fatalf("no offer beside %q", m.Text)
	}
	return *m.Offer
}

func (c till) checkout(who, payload string, stars int) string {
	c.Helper()
	platform, id, _ := strings.Cut(who, ":")
	why, err := c.e.Checkout(c.Context(), engine.User{Platform: platform, ID: id}, payload, stars, "en")
	if err != nil {
		c.Fatal(err)
	}
	return why
}

func (c till) charges() map[string]engine.Charge {
	c.Helper()
	list, err := c.e.Charges(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	all := map[string]engine.Charge{}
	for _, x := range list {
		all[x.ID] = x
	}
	return all
}

const (
	tgAnn = "telegram:1001"
	tgBen = "telegram:1002"
	dcAnn = "discord:2001"
)

// The limit leads to the offer; it is paid by whom it was made for, once.
func TestAnOfferIsPaidOnce(t *testing.T) {
	c := newTill(t)
	c.on(tgAnn, "test", nil)
	c.on(tgAnn, "cancel", nil)
	limit := c.on(tgAnn, "test", nil).Whisper
	c.wants(limit, "Today's free test is done", "always free")
	if first := limit.Buttons[0]; len(first) != 1 || first[0].Action != "unlock" || limit.Offer != nil {
		t.Errorf("the limit has %+v first, offer %v", first, limit.Offer)
	}
	o := c.offer(tgAnn)
	if o.Stars != 350 || o.SKU != "" || len(o.Title) > 32 || len([]rune(o.Text)) > 255 || len(o.Payload) > 128 {
		t.Errorf("offer %+v", o)
	}
	for name, refused := range map[string]string{
		"somebody else": c.checkout(tgBen, o.Payload, 350),
		"another price": c.checkout(tgAnn, o.Payload, 1),
		"forged":        c.checkout(tgAnn, strings.Replace(o.Payload, ".350.", ".1.", 1), 1),
		"nothing":       c.checkout(tgAnn, "", 350),
	} {
		if !strings.Contains(refused, "not charged") {
			t.Errorf("%s: %q", name, refused)
		}
	}
	if why := c.checkout(tgAnn, o.Payload, 350); why != "" {
		t.Fatalf("refused: %s", why)
	}
	paid := c.on(tgAnn, engine.VerbPaid, event, "stx1", o.Payload, "350")
	c.wants(paid.Post, "Everything is unlocked")
	c.wants(c.on(tgAnn, engine.VerbPaid, event, "stx1", o.Payload, "350").Post, "Everything is unlocked") // the update came again
	if got := c.charges(); len(got) != 1 || got["stx1"].Stars != 350 || got["stx1"].Payer != "1001" {
		t.Errorf("charges %+v", got)
	}
	if !c.unlocked(tgAnn, nil) || c.unlocked(tgBen, nil) {
		t.Error("unlocked for another than ann")
	}
	if why := c.checkout(tgAnn, o.Payload, 350); !strings.Contains(why, "already") {
		t.Errorf("a second payment: %q", why)
	}
	c.wants(c.on(tgAnn, "paysupport", nil).Whisper, "help@example.org", "stx1")
	c.wants(c.on(tgAnn, "terms", nil).Whisper, "help@example.org", "no subscription")
}

// Only the platform reports payments, and a price that changed ends old offers.
func TestPaymentsAreReportedByThePlatformAlone(t *testing.T) {
	c := newTill(t)
	o := c.offer(tgAnn)
	c.on(tgAnn, engine.VerbPaid, nil, "stx1", o.Payload, "350")
	c.on(tgAnn, engine.VerbRefunded, nil, "stx1")
	if c.unlocked(tgAnn, nil) || len(c.charges()) != 0 {
		t.Error("a person reported their own payment")
	}
	c.open(500)
	if why := c.checkout(tgAnn, o.Payload, 350); !strings.Contains(why, "no longer valid") {
		t.Errorf("an old price: %q", why)
	}
	c.open(0)
	if why := c.checkout(tgAnn, o.Payload, 350); !strings.Contains(why, "Nothing is sold") {
		t.Errorf("nothing sold: %q", why)
	}
	if m := c.on(tgAnn, "unlock", nil).Whisper; m.Offer != nil {
		t.Error("an offer where nothing is sold")
	}
}

// Whatever is the matter with the offer, money that was taken unlocks something.
func TestMoneyTakenIsNeverForNothing(t *testing.T) {
	c := newTill(t)
	o := c.offer(tgAnn)
	c.wants(c.on(tgBen, engine.VerbPaid, event, "stx1", o.Payload, "350").Post, "Everything is unlocked")
	if !c.unlocked(tgAnn, nil) || c.unlocked(tgBen, nil) {
		t.Error("paid by ben for ann: not ann's")
	}
	c.on("telegram:1003", engine.VerbPaid, event, "stx2", "of an older store", "350")
	if !c.unlocked("telegram:1003", nil) {
		t.Error("paid with an unknown offer: not unlocked")
	}
	m := c.on(tgAnn, engine.VerbPaid, event, "stx3", o.Payload, "350").Post
	c.wants(m, "You had it already", "/paysupport")
	c.on(tgAnn, engine.VerbRefunded, event, "stx1") // one of two goes back
	if !c.unlocked(tgAnn, nil) {
		t.Error("the other payment still stands")
	}
	c.wants(c.on(tgAnn, engine.VerbRefunded, event, "stx3").Post, "given back")
	c.on(tgAnn, engine.VerbRefunded, event, "stx3")
	if c.unlocked(tgAnn, nil) {
		t.Error("both were given back")
	}
	if got := c.charges(); !got["stx1"].Back || !got["stx3"].Back || got["stx2"].Back || got["stx1"].Payer != "" {
		t.Errorf("charges %+v", got)
	}
}

// On Discord what somebody owns comes with everything they do.
func TestWhatDiscordSaysIsOwned(t *testing.T) {
	c := newTill(t)
	m := c.on(dcAnn, "unlock", owning()).Whisper
	if m.Offer == nil || m.Offer.SKU != "900" || m.Offer.Payload != "" {
		t.Errorf("offer %+v", m.Offer)
	}
	if !c.unlocked(dcAnn, owning("e1")) || !c.unlocked(dcAnn, nil) || !c.unlocked(dcAnn, owning("e1")) {
		t.Error("owned and not unlocked")
	}
	c.on(dcAnn, engine.VerbPaid, event, "e1", "", "0") // the event comes late
	if got := c.charges(); len(got) != 1 {
		t.Errorf("charges %+v", got)
	}
	if c.unlocked(dcAnn, owning()) || c.unlocked(dcAnn, nil) {
		t.Error("given back, and still unlocked")
	}
	c.on(dcAnn, engine.VerbPaid, event, "e2", "", "0")
	if !c.unlocked(dcAnn, nil) {
		t.Error("bought again, and not unlocked")
	}
	c.on(dcAnn, engine.VerbRefunded, event, "e2")
	if c.unlocked(dcAnn, nil) {
		t.Error("e2 was deleted")
	}
}

// An unlock is the person's, on every account; who erases themselves leaves a
// payment without a name, which does not count for them on Telegram again.
func TestAnUnlockGoesWithThePerson(t *testing.T) {
	c := newTill(t)
	c.on(tgAnn, engine.VerbPaid, event, "stx1", c.offer(tgAnn).Payload, "350")
	if c.unlocked(dcAnn, owning()) {
		t.Error("unlocked before the accounts are joined")
	}
	_, code, _ := strings.Cut(c.on(dcAnn, "link", nil).Whisper.Title, "code: ")
	join := c.on(tgAnn, "link", nil, code).Whisper
	c.now = c.now.Add(time.Minute)
	for _, row := range join.Buttons {
		for _, b := range row {
			if strings.HasPrefix(b.Label, "Yes") {
				f := strings.Fields(b.Action)
				c.on(tgAnn, f[0], nil, f[1:]...)
			}
		}
	}
	c.now = c.now.Add(time.Minute)
	confirm := c.on(dcAnn, "link", nil, code).Whisper
	for _, row := range confirm.Buttons {
		for _, b := range row {
			if f := strings.Fields(b.Action); strings.HasPrefix(b.Label, "Yes") {
				c.on(dcAnn, f[0], nil, f[1:]...)
			}
		}
	}
	if !c.unlocked(dcAnn, owning()) || !c.unlocked(tgAnn, nil) {
		t.Error("joined, and not unlocked on both")
	}
	if err := c.e.ErasePerson(t.Context(), engine.User{Platform: "telegram", ID: "1001"}); err != nil {
		t.Fatal(err)
	}
	if got := c.charges()["stx1"]; got.ID == "" || got.Payer != "" {
		t.Errorf("after erasing: %+v", got)
	}
	if c.unlocked(tgAnn, nil) {
		t.Error("erased, and unlocked")
	}
	c.on(tgAnn, engine.VerbPaid, event, "stx1", "", "350")
	if c.unlocked(tgAnn, nil) {
		t.Error("the old payment counts again")
	}
}

// Who is shut out is not sold anything; where only codes are, there are no payments
// to write about; and what was paid counts also when nothing is sold any more.
func TestTheEdgesOfTheShop(t *testing.T) {
	c := newTill(t)
	o := c.offer(tgAnn)
	if err := c.e.Block(t.Context(), engine.Blocked{Platform: "telegram", ID: "1001"}); err != nil {
		t.Fatal(err)
	}
	if why := c.checkout(tgAnn, o.Payload, 350); why == "" {
		t.Error("sold to somebody who is shut out")
	}
	if err := c.e.Unblock(t.Context(), engine.Blocked{Platform: "telegram", ID: "1001"}); err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]*engine.Unlocking{"codes only": {TestsPerDay: 1}, "off": nil} {
		e, err := engine.New(t.Context(), engine.Config{Store: c.store, Bank: contenttest.Bank(), Unlock: u})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Command("paysupport"); ok {
			t.Errorf("%s: /paysupport without anybody to write to", name)
		}
		c.e = e
		c.on(tgAnn, engine.VerbPaid, event, "stx "+name, o.Payload, "350")
	}
	if got := c.charges(); len(got) != 2 {
		t.Errorf("charges %+v", got)
	}
	c.open(350)
	if !c.unlocked(tgAnn, nil) {
		t.Error("paid, and not unlocked")
	}
}
