package discord

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"

	"aiprep/engine"
)

// entitlement is the part of an Entitlement that is used: somebody owns something
// that the app sells (https://discord.com/developers/docs/resources/entitlement).
type entitlement struct {
	ID      string `json:"id"`
	SKU     string `json:"sku_id"`
	User    string `json:"user_id"`
	Deleted bool   `json:"deleted"`
}

// owned lists what a person owns of what is sold, as their interaction says it;
// nil when nothing is sold here, or that cannot be read: then nothing is concluded
// from it.
func (b *Bot) owned(raw json.RawMessage, user string) *[]string {
	var list []entitlement
	if b.sku == "" || len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	ids := []string{}
	for _, e := range list {
		if b.counts(e) && e.User == user && !e.Deleted {
			ids = append(ids, e.ID)
		}
	}
	return &ids
}

// counts reports whether an entitlement is one for what is sold, of a person.
func (b *Bot) counts(e entitlement) bool {
	return b.sku != "" && e.SKU == b.sku && isID(e.ID) && isID(e.User)
}

// bought tells the engine of a purchase, or of one that was given back. Should that
// fail, the person's next interaction says the same.
func (b *Bot) bought(raw []byte, gone bool) {
	var e entitlement
	if json.Unmarshal(raw, &e) != nil || !b.counts(e) {
		return // of something else, or a server's
	}
	ev := event{in: engine.Input{
		ID: "entitlement-" + e.ID, At: b.now(), Late: true, Event: true, Verb: engine.VerbPaid, Args: []string{e.ID, "", "0"},
		From: engine.User{Platform: platform, ID: e.User}, In: engine.Place{Platform: platform, Chat: ownChat + e.User},
	}}
	if gone || e.Deleted {
		ev.in.Verb, ev.in.Args = engine.VerbRefunded, ev.in.Args[:1]
	}
	turn, leave := b.lanes.enter(e.User + " " + ev.in.In.Chat)
	if !b.enter(func() {
		defer leave()
		if o := b.ask(b.life, ev, turn); o.err != nil && b.life.Err() == nil {
			b.count("update", platform, "error")
			b.log.Warn("purchase not recorded yet: the person's next press will", "err", o.err)
			return
		}
		b.count("update", platform, "ok")
	}) {
		leave()
	}
}

// premium is the button that sells. The library's own has a label, which Discord
// refuses on this one; name, price and words are Discord's.
type premium struct{ sku string }

// Type implements discordgo.MessageComponent.
func (premium) Type() discordgo.ComponentType { return discordgo.ButtonComponent }

// MarshalJSON implements json.Marshaler.
func (p premium) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type  discordgo.ComponentType `json:"type"`
		Style discordgo.ButtonStyle   `json:"style"`
		SKU   string                  `json:"sku_id"`
	}{discordgo.ButtonComponent, discordgo.PremiumButton, p.sku})
}

// keyboard lays out the buttons of a message; what is sold comes first.
func keyboard(m engine.Message) []discordgo.ActionsRow {
	rows := buttons(m.Buttons)
	if m.Offer == nil || m.Offer.SKU == "" {
		return rows
	}
	sold := discordgo.ActionsRow{Components: []discordgo.MessageComponent{premium{m.Offer.SKU}}}
	return append([]discordgo.ActionsRow{sold}, rows[:min(len(rows), maxRows-1)]...)
}
