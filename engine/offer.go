package engine

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"aiprep/content"
)

// Offer is something to buy, once and for good. An adapter shows it by the means
// of its platform, and leaves it out where that has none.
type Offer struct {
	Title   string // <= 32 characters
	Text    string // <= 255 characters, plain
	Stars   int    // the price on Telegram, in Telegram Stars
	Payload string // comes back with the payment; <= 128 bytes
	SKU     string // Discord's id of what is sold
}

// What a platform reports of payments. The Input's From is who paid, in their
// private chat.
const (
	// VerbPaid has the arguments charge, payload and amount: the payment's id, the
	// Offer's Payload ("" where the platform carries none) and its price.
	VerbPaid = "paid"
	// VerbRefunded has the argument charge: this payment was given back.
	VerbRefunded = "refunded"
)

// Where payments come from.
const (
	onTelegram = "telegram"
	onDiscord  = "discord"
)

// sells reports whether something is sold on a platform.
func (u *Unlocking) sells(platform string) bool {
	return platform == onTelegram && u.Stars > 0 || platform == onDiscord && u.SKU != ""
}

// offer is what the person may buy where they are, or nil.
func (t *turn) offer() *Offer {
	u := t.e.unlocking
	if !u.sells(t.in.From.Platform) {
		return nil
	}
	o := &Offer{Title: t.say(wOfferTitle), Text: t.text(wOfferText).String()}
	if t.in.From.Platform == onDiscord {
		o.SKU = u.SKU
	} else {
		o.Stars, o.Payload = u.Stars, payloadOf(t.e.secret, t.id, u.Stars)
	}
	return o
}

// payloadOf says for whom an offer was made and at what price, and proves that we
// did: "<person>.<stars>.<proof>".
func payloadOf(secret []byte, id ID, stars int) string {
	what := string(id) + "." + strconv.Itoa(stars)
	return what + "." + idCode.EncodeToString(mac(secret, "offer", what)[:16])
}

// readPayload is its inverse; ok is false for one that we did not make.
func readPayload(secret []byte, payload string) (id ID, stars int, ok bool) {
	f := strings.Split(payload, ".")
	if len(f) != 3 {
		return "", 0, false
	}
	stars, err := strconv.Atoi(f[1])
	if err != nil || !hmac.Equal([]byte(payload), []byte(payloadOf(secret, ID(f[0]), stars))) {
		return "", 0, false
	}
	return ID(f[0]), stars, true
}

// Checkout is asked before a payment is taken. It returns "" or why there must be
// none, in words for who wants to pay. It writes nothing, so it waits for nobody.
func (e *Engine) Checkout(ctx context.Context, u User, payload string, stars int, lang string) (refused string, err error) {
	here := Input{From: u, In: Place{Platform: u.Platform, Chat: u.ID}}
	if e.unlocking == nil || e.unlocking.Stars == 0 || e.shutOutOf(here) {
		return e.in(lang).text(wCheckoutClosed).String(), nil
	}
	id, price, ok := readPayload(e.secret, payload)
	say := func(w word) (string, error) { return e.in(lang).text(w).String(), nil }
	if !ok || price != stars || price != e.unlocking.Stars {
		return say(wCheckoutOld)
	}
	reason := word("")
	err = e.store.View(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyAccount(e.secret, u.Platform, u.ID), keyUnlock(id))
		switch {
		case err != nil:
			return err
		case string(vals[0]) != string(id):
			reason = wCheckoutOther
		case vals[1] != nil:
			reason = wCheckoutHave
		}
		return nil
	})
	if err != nil || reason == "" {
		return "", err
	}
	return say(reason)
}

// charge is a payment. It stays when the person erases themselves, without a word
// on who they were: for the books, and so that it never counts again.
type charge struct {
	ID     string `cbor:"1,keyasint"` // the platform's
	Origin string `cbor:"2,keyasint"` // the platform
	At     int64  `cbor:"3,keyasint"` // Unix seconds
	Stars  int    `cbor:"4,keyasint,omitempty"`
	Payer  string `cbor:"5,keyasint,omitempty"` // the platform's id of the account
	Back   bool   `cbor:"6,keyasint,omitempty"` // it was given back
}

// paid serves the report of a payment. Money was taken, so whatever else is the
// matter somebody gets what it was for: whom the offer was made for, or who paid.
func (t *turn) paid() (Reply, error) {
	if len(t.in.Args) != 3 || t.in.Args[0] == "" {
		return Reply{}, errors.New("a payment without its id")
	}
	id, payload := t.in.Args[0], t.in.Args[1]
	stars, _ := strconv.Atoi(t.in.Args[2]) // Discord says none
	vals, err := t.tx.Get(keyCharge(t.e.secret, t.in.From.Platform, id))
	if err != nil {
		return Reply{}, err
	}
	if vals[0] != nil && t.id == "" && t.in.From.Platform == onTelegram {
		return Reply{}, nil // of somebody who erased themselves since
	}
	if err := t.enrol(); err != nil {
		return Reply{}, err
	}
	whose := t.id
	if to, _, ok := readPayload(t.e.secret, payload); ok {
		vals, err := t.tx.Get(keyMe(to))
		if err != nil {
			return Reply{}, err
		}
		if vals[0] != nil {
			whose = to
		}
	} else if payload != "" {
		t.e.log.Warn("payment for an offer that this store did not make: unlocked for who paid", "charge", id)
	}
	twice, err := t.grant(whose, charge{ID: id, Origin: t.in.From.Platform, At: t.in.At.Unix(), Stars: stars, Payer: t.in.From.ID})
	if err != nil {
		return Reply{}, err
	}
	if twice {
		return Reply{Post: &Message{Title: t.say(wPaidTwiceTitle), Text: t.text(wPaidTwice)}}, nil
	}
	if vals, err := t.tx.Get(keyUnlock(whose)); err != nil || vals[0] == nil {
		return Reply{}, err // an old report of what was given back
	}
	return Reply{Post: &Message{
		Title: t.say(wUnlockedTitle), Text: t.text(wUnlockedNow), Buttons: [][]Button{{t.button(wTestMe, "test")}},
	}}, nil
}

// grant unlocks everything for a payment. The same payment never counts again; a
// second one of somebody who has everything is kept to be given back.
func (t *turn) grant(id ID, c charge) (twice bool, err error) {
	key := keyCharge(t.e.secret, c.Origin, c.ID)
	var known charge
	found, err := get(t.tx, key, &known)
	if err != nil {
		return false, err
	}
	// What Discord says somebody owns they own, also after they erased themselves.
	anew := found && known.Payer == "" && !known.Back && c.Origin == onDiscord
	if found && !anew {
		return false, nil
	}
	var have unlocked
	if twice, err = get(t.tx, keyUnlock(id), &have); err != nil {
		return false, err
	}
	if twice {
		have.More = append(have.More, c.Origin+":"+c.ID)
		t.e.log.Warn("paid twice: give one back", "charge", c.ID)
	} else {
		have = unlocked{Origin: c.Origin, Ref: c.ID, At: c.At, By: c.Origin + ":" + c.Payer}
	}
	return twice, errors.Join(put(t.tx, key, c), put(t.tx, keyUnlock(id), have))
}

// refunded serves the report that a payment was given back.
func (t *turn) refunded() (Reply, error) {
	if len(t.in.Args) == 0 {
		return Reply{}, nil
	}
	lost, err := t.takeBack(t.in.From.Platform, t.in.Args[0])
	if err != nil || !lost || t.e.unlocking == nil {
		return Reply{}, err
	}
	return Reply{Post: &Message{Title: t.say(wRefundedTitle), Text: t.text(wRefunded, "n", t.e.unlocking.TestsPerDay)}}, nil
}

// takeBack notes that a payment was given back, and ends the unlock that it was
// for. It reports whether there was one.
func (t *turn) takeBack(origin, id string) (lost bool, err error) {
	key := keyCharge(t.e.secret, origin, id)
	var c charge
	found, err := get(t.tx, key, &c)
	if err != nil || !found || c.Back {
		return false, err
	}
	c.Back, c.Payer = true, ""
	if err := put(t.tx, key, c); err != nil || t.id == "" { // who paid may be gone
		return false, err
	}
	var have unlocked
	if found, err = get(t.tx, keyUnlock(t.id), &have); err != nil || !found {
		return false, err
	}
	ref := origin + ":" + id
	switch {
	case have.Origin+":"+have.Ref != ref:
		have.More = without(have.More, ref)
	case len(have.More) > 0: // they had paid twice
		have.Origin, have.Ref, _ = strings.Cut(have.More[0], ":")
		have.More = have.More[1:]
	default:
		return true, t.tx.Delete(keyUnlock(t.id))
	}
	return false, put(t.tx, keyUnlock(t.id), have)
}

func without(list []string, one string) (rest []string) {
	for _, s := range list {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

// rights reads what the person has unlocked, after it was brought in line with
// what the platform says that they own.
func (t *turn) rights() (have unlocked, found bool, err error) {
	if found, err = get(t.tx, keyUnlock(t.id), &have); err != nil || t.in.Owns == nil {
		return have, found, err
	}
	owns := *t.in.Owns
	mine := found && have.Origin == t.in.From.Platform && have.By == t.in.From.Platform+":"+t.in.From.ID
	switch {
	case !found && len(owns) > 0:
		_, err = t.grant(t.id, charge{ID: owns[0], Origin: t.in.From.Platform, At: t.in.At.Unix(), Payer: t.in.From.ID})
	case mine && len(without(owns, have.Ref)) == len(owns): // given back while nobody told us
		_, err = t.takeBack(have.Origin, have.Ref)
	default:
		return have, found, nil
	}
	if err != nil {
		return have, found, err
	}
	found, err = get(t.tx, keyUnlock(t.id), &have)
	return have, found, err
}

// eraseCharges leaves of the person's payments only that there were.
func (e *Engine) eraseCharges(tx Tx, id ID) error {
	var have unlocked
	found, err := get(tx, keyUnlock(id), &have)
	if err != nil || !found {
		return err
	}
	for _, ref := range append(have.More, have.Origin+":"+have.Ref) {
		origin, charged, _ := strings.Cut(ref, ":")
		key := keyCharge(e.secret, origin, charged)
		var c charge
		if found, err := get(tx, key, &c); err != nil {
			return err
		} else if found {
			c.Payer = ""
			if err := put(tx, key, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// support serves paysupport: how to get money back, and the numbers that takes.
func (t *turn) support() (Reply, error) {
	text := t.text(wSupport, "contact", t.e.unlocking.Support)
	var have unlocked
	if t.id != "" {
		if _, err := get(t.tx, keyUnlock(t.id), &have); err != nil {
			return Reply{}, err
		}
	}
	refs := have.More
	if have.Origin == onTelegram || have.Origin == onDiscord {
		refs = append([]string{have.Origin + ":" + have.Ref}, refs...)
	}
	for _, ref := range refs {
		_, number, _ := strings.Cut(ref, ":")
		text = content.Join(text, t.text(wSupportCharge, "charge", number))
	}
	return t.show(&Message{Title: t.say(wSupportTitle), Text: text}), nil
}

// terms serves terms: what is sold, by whom and on what conditions.
func (t *turn) terms() (Reply, error) {
	return t.show(&Message{
		Title: t.say(wTermsTitle), Text: t.text(wTerms, "contact", t.e.unlocking.Support),
		Buttons: [][]Button{{t.button(wUnlockBuy, "unlock")}},
	}), nil
}

// Charge is one payment.
type Charge struct {
	ID     string    `json:"id"`
	Origin string    `json:"origin"`
	At     time.Time `json:"at"`
	Stars  int       `json:"stars,omitempty"`
	Payer  string    `json:"payer,omitempty"` // the platform's id; "" when it was given back or they erased themselves
	Back   bool      `json:"back,omitempty"`
}

// Charges lists every payment, in no order.
func (e *Engine) Charges(ctx context.Context) (list []Charge, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		list = nil
		return eachBelow(tx, []byte("charge/"), func(r Record) error {
			var c charge
			if _, err := decode(r.Value, &c); err != nil {
				return err
			}
			list = append(list, Charge{c.ID, c.Origin, time.Unix(c.At, 0).UTC(), c.Stars, c.Payer, c.Back})
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list payments: %w", err)
	}
	return list, nil
}
