package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A bot may be free to try: so many tests a day, and all of them for whoever has
// unlocked it, once and for good. Dailies, reviews, streaks, export and erase are
// never behind it.

// Unlocking is what an operator gives for free, and what the rest costs.
type Unlocking struct {
	TestsPerDay int
	Stars       int    // the price on Telegram in Telegram Stars; 0 sells nothing there
	SKU         string // Discord's id of a durable one-time SKU; "" sells nothing there
	Support     string // how who paid reaches the operator
}

// unlocked is a person's right to everything.
type unlocked struct {
	Origin string `cbor:"1,keyasint"`
	Ref    string `cbor:"2,keyasint,omitempty"` // what the origin calls it, for example a charge
	At     int64  `cbor:"3,keyasint"`           // Unix seconds
	// By is the account that paid, as platform:id, and More are payments beside the
	// one in Ref, as origin:ref.
	By   string   `cbor:"4,keyasint,omitempty"`
	More []string `cbor:"5,keyasint,omitempty"`
}

// Origins of an unlock; a payment's is its platform.
const (
	UnlockByOperator = "operator"
	UnlockByCode     = "code"
)

// codeRecord is a code that was made; it goes when it is used.
type codeRecord struct {
	At int64 `cbor:"1,keyasint"` // Unix seconds
}

// unlockCodeLen is how many characters a code has: 60 random bits.
const unlockCodeLen = 12

// limited answers a new test when today's free ones are used up, and counts it
// otherwise. A test that is under way is never touched.
func (t *turn) limited() (Reply, bool, error) {
	free := t.e.unlocking
	if free == nil {
		return Reply{}, false, nil
	}
	if err := t.enrol(); err != nil {
		return Reply{}, false, err
	}
	if _, found, err := t.rights(); err != nil || found {
		return Reply{}, false, err
	}
	if today := t.today(); t.person.FreeOn != today {
		t.person.FreeOn, t.person.Free = today, 0
	}
	if t.person.Free >= free.TestsPerDay {
		return t.showLimit(), true, nil
	}
	t.person.Free++
	return Reply{}, false, t.savePerson()
}

func (t *turn) showLimit() Reply {
	m := &Message{Title: t.say(wLimitTitle), Text: t.text(wLimit, "n", t.e.unlocking.TestsPerDay)}
	free := []Button{t.button(wDailyButton, "daily"), t.button(wReviewButton, "review")}
	if t.e.unlocking.sells(t.in.From.Platform) {
		m.Buttons = [][]Button{{t.button(wUnlockBuy, "unlock")}, free}
	} else {
		m.Buttons = [][]Button{free, {t.button(wUnlockCode, "unlock", unlockAsk)}}
	}
	return t.show(m)
}

// unlockAsk is the button that asks for a code.
const unlockAsk = "ask"

// unlock serves unlock, unlock <code> and the button unlock ask.
func (t *turn) unlock() (Reply, error) {
	if err := t.enrol(); err != nil {
		return Reply{}, err
	}
	have, found, err := t.rights()
	if err != nil {
		return Reply{}, err
	}
	if found {
		m := &Message{Title: t.say(wUnlockedTitle), Text: t.text(wUnlockedSince, "date", t.words.date(DateOf(time.Unix(have.At, 0), t.zone())))}
		return t.show(m), t.tx.Delete(keyAsk(t.id))
	}
	code := unlockCode(strings.TrimPrefix(strings.Join(t.in.Args, ""), "code="))
	switch code {
	case "":
		m := &Message{Title: t.say(wUnlockTitle), Text: t.text(wUnlock, "n", t.e.unlocking.TestsPerDay), Offer: t.offer()}
		m.Buttons = [][]Button{{t.button(wUnlockCode, "unlock", unlockAsk)}}
		return t.show(m), nil
	case strings.ToUpper(unlockAsk):
		return Reply{Ask: &Prompt{Action: "unlock", Title: t.say(wUnlockCode), Label: t.say(wAskUnlock), Hint: "ABCD EFGH IJKL"}}, nil
	}
	key := keyCode(t.e.secret, code)
	vals, err := t.tx.Get(key)
	if err != nil {
		return Reply{}, err
	}
	if vals[0] == nil {
		return Reply{}, t.sorry(wUnlockUnknown)
	}
	if err := errors.Join(t.tx.Delete(key), t.tx.Delete(keyAsk(t.id)), put(t.tx, keyUnlock(t.id), unlocked{Origin: UnlockByCode, At: t.in.At.Unix()})); err != nil {
		return Reply{}, fmt.Errorf("unlock: %w", err)
	}
	m := &Message{Title: t.say(wUnlockedTitle), Text: t.text(wUnlockedNow)}
	m.Buttons = [][]Button{{t.button(wTestMe, "test")}}
	return t.show(m), nil
}

// unlockCode is a code as it was made, however it was written down.
func unlockCode(s string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(s))
}

// ErrNoPerson says that an account has never used the bot.
var ErrNoPerson = errors.New("this account has never written to the bot")

// GrantUnlock unlocks everything for the person behind an account. Granted twice
// it is granted once.
func (e *Engine) GrantUnlock(ctx context.Context, u User, origin, ref string, now time.Time) error {
	return e.onPerson(ctx, u, func(tx Tx, id ID) error {
		var have unlocked
		if found, err := get(tx, keyUnlock(id), &have); err != nil || found {
			return err
		}
		return put(tx, keyUnlock(id), unlocked{Origin: origin, Ref: ref, At: now.Unix()})
	})
}

// RevokeUnlock takes an unlock back.
func (e *Engine) RevokeUnlock(ctx context.Context, u User) error {
	return e.onPerson(ctx, u, func(tx Tx, id ID) error { return tx.Delete(keyUnlock(id)) })
}

func (e *Engine) onPerson(ctx context.Context, u User, do func(Tx, ID) error) error {
	return e.store.Update(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyAccount(e.secret, u.Platform, u.ID))
		if err != nil {
			return err
		}
		if vals[0] == nil {
			return ErrNoPerson
		}
		return do(tx, ID(string(vals[0])))
	})
}

// UnlockCodes makes codes that each unlock one person. They are shown once: the
// store keeps only what proves them.
func (e *Engine) UnlockCodes(ctx context.Context, n int, now time.Time) ([]string, error) {
	codes := make([]string, n)
	for k := range codes {
		raw := make([]byte, 16)
		rand.Read(raw)
		codes[k] = idCode.EncodeToString(raw)[:unlockCodeLen]
	}
	err := e.store.Update(ctx, func(tx Tx) error {
		for _, c := range codes {
			if err := put(tx, keyCode(e.secret, c), codeRecord{At: now.Unix()}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("make codes: %w", err)
	}
	for k, c := range codes {
		codes[k] = c[:4] + "-" + c[4:8] + "-" + c[8:]
	}
	return codes, nil
}

// Unlocked is one unlock.
type Unlocked struct {
	Accounts []string  `json:"accounts"` // platform:id
	Origin   string    `json:"origin"`
	Ref      string    `json:"ref,omitempty"`
	At       time.Time `json:"at"`
}

// Unlocks lists who has unlocked everything, and how many codes are unused.
func (e *Engine) Unlocks(ctx context.Context) (list []Unlocked, codes int, err error) {
	err = e.rebuilding(e.store, false).each(ctx, "p/", func(ctx context.Context, id ID) error {
		return e.store.View(ctx, func(tx Tx) error {
			var u unlocked
			if found, err := get(tx, keyUnlock(id), &u); err != nil || !found {
				return err
			}
			var p person
			if _, err := get(tx, keyMe(id), &p); err != nil {
				return err
			}
			row := Unlocked{Origin: u.Origin, Ref: u.Ref, At: time.Unix(u.At, 0).UTC()}
			for _, a := range p.On {
				row.Accounts = append(row.Accounts, a.Platform+":"+a.ID)
			}
			list = append(list, row)
			return nil
		})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list unlocks: %w", err)
	}
	err = e.store.View(ctx, func(tx Tx) error {
		codes = 0
		return eachBelow(tx, []byte("code/"), func(Record) error { codes++; return nil })
	})
	return list, codes, err
}
