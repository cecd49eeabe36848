package discord

import (
	"bytes"
	"strings"
	"testing"

	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

const sku = "900"

// newShop is a world whose bot sells everything as one SKU.
func newShop(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, bottest.DiscordOptions{}, func(c *Config) { c.SKU = sku })
	var err error
	w.engine, err = engine.New(t.Context(), engine.Config{
		Store: storetest.Memory(), Bank: testBank(), Secret: bytes.Repeat([]byte{7}, 32),
		Unlock: &engine.Unlocking{TestsPerDay: 1, SKU: sku, Support: "help@example.org"},
	})
	w.must(err)
	w.cfg.Engine = w.engine
	return w
}

// unlocks asks for /unlock and says what is shown.
func (w *world) unlocks(user string) bottest.Message {
	w.Helper()
	r := w.shown(w.slash(user, w.General, "unlock"))
	if r.Message == nil {
		w.Fatal("nothing is shown")
	}
	return *r.Message
}

// sold finds the premium button below a message.
func sold(m bottest.Message) (found string) {
	for _, row := range m.Components {
		for _, c := range row.Components {
			if c.Style == 6 {
				found = c.SKUID
			}
		}
	}
	return found
}

func TestAPurchaseUnlocksEverything(t *testing.T) {
	w := newShop(t)
	w.run(nil)
	if m := w.unlocks(w.Alice); sold(m) != sku {
		t.Fatalf("what is sold is not below %q", m.Text())
	}
	id := w.d.Grant(bottest.Entitlement{SKU: sku, User: w.Alice})
	w.d.Grant(bottest.Entitlement{SKU: "901", User: w.Bob}) // something else
	w.until("the purchase is recorded", func() bool {
		list, err := w.engine.Charges(t.Context())
		return err == nil && len(list) == 1 && list[0].ID == id
	})
	if m := w.unlocks(w.Alice); !strings.Contains(m.Text(), "Everything is unlocked") || sold(m) != "" {
		t.Errorf("after the purchase: %q", m.Text())
	}
	if m := w.unlocks(w.Bob); sold(m) != sku {
		t.Errorf("bob bought something else: %q", m.Text())
	}
	w.d.Revoke(id)
	w.until("it is given back", func() bool {
		list, err := w.engine.Charges(t.Context())
		return err == nil && len(list) == 1 && list[0].Back
	})
	if m := w.unlocks(w.Alice); sold(m) != sku {
		t.Errorf("after the refund: %q", m.Text())
	}
	w.clean()
}

// What was bought, or given back, while the bot was away is in the next press.
func TestAPurchaseWhileAway(t *testing.T) {
	w := newShop(t)
	id := w.d.Grant(bottest.Entitlement{SKU: sku, User: w.Alice})
	w.run(nil)
	if m := w.unlocks(w.Alice); !strings.Contains(m.Text(), "Everything is unlocked") {
		t.Errorf("bought while away: %q", m.Text())
	}
	w.must(w.stop())
	w.d.Revoke(id)
	w.run(nil)
	if m := w.unlocks(w.Alice); sold(m) != sku {
		t.Errorf("given back while away: %q", m.Text())
	}
	list, err := w.engine.Charges(t.Context())
	w.must(err)
	if len(list) != 1 || !list[0].Back {
		t.Errorf("payments %+v", list)
	}
	w.clean()
}

// The limit leads to what is sold, and never stands in the middle of a test.
func TestTheLimitLeadsToTheOffer(t *testing.T) {
	w := newShop(t)
	w.run(nil)
	w.shown(w.slash(w.Alice, w.General, "test"))
	again := w.shown(w.slash(w.Alice, w.General, "test"))
	if !strings.Contains(again.Message.Text(), "in the middle of this test") {
		t.Errorf("a test under way: %q", again.Message.Text())
	}
	w.shown(w.slash(w.Alice, w.General, "cancel"))
	limit := w.shown(w.slash(w.Alice, w.General, "test"))
	if !strings.Contains(limit.Message.Text(), "free test is done") {
		t.Fatalf("no limit: %q", limit.Message.Text())
	}
	offer := w.shown(w.click(w.Alice, limit.Message.ID, "unlock"))
	if sold(*offer.Message) != sku {
		t.Errorf("the button leads to %q", offer.Message.Text())
	}
	w.clean()
}
