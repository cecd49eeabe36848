package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// One person may come with two accounts. A code shown to one of them is typed
// by the other, both say yes, and the two become one person.

// link is a code that was shown.
type link struct {
	From ID     `cbor:"1,keyasint"` // who was shown the code
	Name string `cbor:"2,keyasint,omitempty"`
	On   string `cbor:"3,keyasint"` // the platform
	At   int64  `cbor:"4,keyasint"` // Unix seconds

	To     ID     `cbor:"5,keyasint,omitempty"` // who typed it and agreed
	ToName string `cbor:"6,keyasint,omitempty"`
	ToOn   string `cbor:"7,keyasint,omitempty"`
}

const (
	linkFor  = 10 * time.Minute
	codeLen  = 8 // characters: 40 random bits
	linkYes  = "yes"
	linkJoin = "join"
)

// link serves link, link <code>, and the buttons link <code> yes|join.
func (t *turn) link() (Reply, error) {
	if err := t.enrol(); err != nil {
		return Reply{}, err
	}
	if len(t.in.Args) == 0 {
		return t.showCode()
	}
	code := strings.ToUpper(strings.TrimPrefix(t.in.Args[0], "code="))
	var l link
	found, err := get(t.tx, keyLink(code), &l)
	if err != nil {
		return Reply{}, err
	}
	if !found || t.in.At.Sub(time.Unix(l.At, 0)) > linkFor || l.To != "" && t.id != l.To && t.id != l.From {
		return Reply{}, t.sorry(wLinkUnknown)
	}
	step := strings.Join(t.in.Args[1:], " ")
	if t.id == l.From {
		return t.linkHere(code, l, step)
	}
	return t.linkThere(code, l, step)
}

// showCode makes a code for the person.
func (t *turn) showCode() (Reply, error) {
	sum := mac(t.e.secret, "link", string(t.id), t.in.ID, t.in.At.Format(time.RFC3339Nano))
	code := idCode.EncodeToString(sum)[:codeLen]
	l := link{From: t.id, Name: plainName(t.in.From.Name), On: t.in.From.Platform, At: t.in.At.Unix()}
	if err := put(t.tx, keyLink(code), l); err != nil {
		return Reply{}, err
	}
	m := &Message{Title: t.say(wLinkTitle, "code", code), Text: t.text(wLinkHow, "code", code)}
	m.Buttons = [][]Button{{t.button(wLinkTyped, "link", code)}}
	return t.show(m), nil
}

// linkThere is the side that types the code.
func (t *turn) linkThere(code string, l link, step string) (Reply, error) {
	if step != linkYes && l.To == "" {
		m := &Message{Title: t.say(wLinkAskTitle, "name", l.Name, "on", platformName(l.On)), Text: t.text(wLinkAsk)}
		m.Buttons = [][]Button{{t.button(wLinkYes, "link", code, linkYes)}}
		return t.show(m), nil
	}
	l.To, l.ToName, l.ToOn = t.id, plainName(t.in.From.Name), t.in.From.Platform
	if err := put(t.tx, keyLink(code), l); err != nil {
		return Reply{}, err
	}
	return t.show(&Message{Title: t.say(wLinkWaitTitle), Text: t.text(wLinkWait)}), nil
}

// linkHere is the side that was shown the code, and has the last word.
func (t *turn) linkHere(code string, l link, step string) (Reply, error) {
	if t.in.From.Platform != l.On {
		return Reply{}, t.sorry(wLinkAlready)
	}
	if l.To == "" {
		m := &Message{Title: t.say(wLinkTitle, "code", code), Text: t.text(wLinkNotYet, "code", code)}
		m.Buttons = [][]Button{{t.button(wLinkTyped, "link", code)}}
		return t.show(m), nil
	}
	if step != linkJoin {
		m := &Message{Title: t.say(wLinkAskTitle, "name", l.ToName, "on", platformName(l.ToOn)), Text: t.text(wLinkAsk)}
		m.Buttons = [][]Button{{t.button(wLinkYes, "link", code, linkJoin)}}
		return t.show(m), nil
	}
	if err := t.tx.Delete(keyLink(code)); err != nil {
		return Reply{}, fmt.Errorf("link: %w", err)
	}
	if err := t.flush(); err != nil {
		return Reply{}, err
	}
	into, err := t.merge(t.id, l.To)
	if err != nil {
		return Reply{}, fmt.Errorf("link: %w", err)
	}
	t.id, t.person = into, person{}
	if _, err := get(t.tx, keyMe(into), &t.person); err != nil {
		return Reply{}, err
	}
	m := &Message{Title: t.say(wLinked), Text: t.text(wLinkedText, "n", int(t.person.Answers))}
	m.Buttons = [][]Button{{t.button(wStats, "stats"), t.button(wStreak, "streak")}}
	return t.show(m), nil
}

// platformName is how a platform's name is written.
func platformName(p string) string { return strings.ToUpper(p[:min(1, len(p))]) + p[min(1, len(p)):] }

// sweepLinks forgets the codes that can no longer be used.
func sweepLinks(tx Tx, now time.Time) error {
	var old [][]byte
	err := eachBelow(tx, keyLink(""), func(r Record) error {
		var l link
		if _, err := decode(r.Value, &l); err != nil {
			return err
		}
		if now.Sub(time.Unix(l.At, 0)) > linkFor {
			old = append(old, slices.Clone(r.Key))
		}
		return nil
	})
	for _, key := range old {
		if err := tx.Delete(key); err != nil {
			return fmt.Errorf("forget codes: %w", err)
		}
	}
	return err
}
