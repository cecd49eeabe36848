package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// privacy says what is kept, why and for how long, with the ways out.
func (t *turn) privacy() (Reply, error) {
	return t.show(&Message{
		Title: t.say(wPrivacyTitle),
		Text:  t.text(wPrivacy),
		Buttons: [][]Button{
			{t.button(wExportButton, "export"), t.button(wSettingsButton, "settings")},
			{t.button(wEraseButton, "erase")},
		},
	}), nil
}

// dossier is everything about one person, as export hands it out.
type dossier struct {
	Exported string            `json:"exported"` // RFC 3339
	Account  map[string]string `json:"account"`
	Accounts []string          `json:"accounts"` // platform:id of each
	Settings map[string]string `json:"settings"`
	Since    string            `json:"since"`
	Off      []map[string]any  `json:"days_off"`
	Streak   map[string]any    `json:"streak"`
	Scores   map[string]any    `json:"scores"`
	Days     []string          `json:"days_kept"`
	Notebook []map[string]any  `json:"notebook"`
	Flags    []map[string]any  `json:"flags"`
	Answers  []map[string]any  `json:"answers"`
}

// export hands out all that is kept about the person, as JSON.
func (t *turn) export() (Reply, error) {
	if t.id == "" {
		return t.show(&Message{Text: t.text(wNothingKept)}), nil
	}
	d, err := t.dossier()
	if err != nil {
		return Reply{}, err
	}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return Reply{}, fmt.Errorf("export: %w", err)
	}
	return t.show(&Message{
		Title: t.say(wExportTitle),
		Text:  t.text(wExportText, "n", len(d.Answers)),
		File:  &File{Name: "aiprep-export.json", Data: data},
	}), nil
}

func (t *turn) dossier() (*dossier, error) {
	s, err := t.streakNow()
	if err != nil {
		return nil, err
	}
	d := &dossier{
		Exported: t.in.At.UTC().Format(time.RFC3339),
		Account:  map[string]string{"platform": t.in.From.Platform, "id": t.in.From.ID, "name": t.person.Name},
		Settings: map[string]string{
			"zone": t.zone().String(), "level": t.levelName(t.person.Level),
			"share_anonymous_copies": strconv.FormatBool(t.person.Consent == consentYes),
			"on_boards":              strconv.FormatBool(!t.person.Hidden),
			"language":               t.person.Lang,
		},
		Since:  time.Unix(t.person.Since, 0).UTC().Format(time.RFC3339),
		Streak: map[string]any{"current": s.Current, "longest": s.Longest},
	}
	for _, a := range t.person.On {
		d.Accounts = append(d.Accounts, a.Platform+":"+a.ID)
	}
	if d.Settings["private_daily"], err = t.dailyTime(); err != nil {
		return nil, err
	}
	for _, r := range t.person.Rests {
		d.Off = append(d.Off, map[string]any{"from": r.From.String(), "to": endOf(r), "days": r.Days.String()})
	}
	if d.Scores, err = t.scoresForExport(); err != nil {
		return nil, err
	}
	if d.Notebook, err = t.cardsForExport(); err != nil {
		return nil, err
	}
	if d.Flags, err = t.flagsForExport(); err != nil {
		return nil, err
	}
	err = eachDate(t.tx, keyPerson(t.id, "day/"), func(day Date, _ []byte) error {
		d.Days = append(d.Days, day.String())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, eachBelow(t.tx, keyPerson(t.id, "answer/"), func(r Record) error {
		var a answer
		if _, err := decode(r.Value, &a); err != nil {
			return err
		}
		d.Answers = append(d.Answers, map[string]any{
			"item": a.Item, "revision": a.Rev, "option": a.Option, "right": a.Right, "kind": a.Kind,
			"at": time.UnixMilli(a.At).UTC().Format(time.RFC3339), "zone": a.Zone, "date": a.Date.String(),
			"counted": a.Counted, "predicted": a.P,
		})
		return nil
	})
}

// endOf is the last date of a rest, or "" while it goes on.
func endOf(r rest) string {
	if r.To == 0 {
		return ""
	}
	return r.To.String()
}

func (t *turn) scoresForExport() (map[string]any, error) {
	ab, err := t.abilities()
	if err != nil {
		return nil, err
	}
	row := func(mean, low, high float64) map[string]int {
		return map[string]int{"score": points(mean), "low": points(low), "high": points(high)}
	}
	g := t.e.model.GeneralScore(ab.General)
	scores := map[string]any{"overall": row(g.Mean, g.Low, g.High)}
	for id := range ab.Topics {
		s := t.e.model.Score(ab.General, ab.topic(t.e.model, id, t.in.At), t.e.world())
		scores[id] = row(s.Mean, s.Low, s.High)
	}
	return scores, nil
}

func (t *turn) cardsForExport() ([]map[string]any, error) {
	prefix := keyCard(t.id, "")
	var cards []map[string]any
	err := eachBelow(t.tx, prefix, func(r Record) error {
		var c card
		if _, err := decode(r.Value, &c); err != nil {
			return err
		}
		cards = append(cards, map[string]any{"item": string(r.Key[len(prefix):]), "due": c.Due.String(), "missed": c.Missed})
		return nil
	})
	return cards, err
}

func (t *turn) flagsForExport() ([]map[string]any, error) {
	var flags []map[string]any
	err := eachBelow(t.tx, []byte("flag/"), func(r Record) error {
		item, own := strings.CutSuffix(string(r.Key[len("flag/"):]), "/"+string(t.id))
		if !own {
			return nil
		}
		var f flag
		if _, err := decode(r.Value, &f); err != nil {
			return err
		}
		flags = append(flags, map[string]any{"item": item, "revision": f.Rev, "kind": f.Kind, "words": f.Text})
		return nil
	})
	return flags, err
}

// eraseWindow is how long the second step of erase is open, at least.
const eraseWindow = 10 * time.Minute

// eraseToken is the right to the second step: only the person's own button
// carries it, and it grows old.
func (t *turn) eraseToken(ago time.Duration) string {
	window := t.in.At.Add(-ago).Unix() / int64(eraseWindow/time.Second)
	return string(idFrom(mac(t.e.secret, "erase", string(t.id), strconv.FormatInt(window, 10))))
}

// erase asks once more, and with its own token erases the person.
func (t *turn) erase() (Reply, error) {
	if t.id == "" {
		return t.show(&Message{Text: t.text(wNothingKept)}), nil
	}
	token := strings.Join(t.in.Args, "")
	if token == "" || token != t.eraseToken(0) && token != t.eraseToken(eraseWindow) {
		return t.show(&Message{
			Title: t.say(wEraseTitle),
			Text:  t.text(wEraseAsk, "n", int(t.person.Answers)),
			Buttons: [][]Button{
				{t.button(wExportFirst, "export"), t.button(wEraseYes, "erase", t.eraseToken(0))},
			},
		}), nil
	}
	if err := t.flush(); err != nil {
		return Reply{}, err
	}
	if err := t.e.erasePerson(t.tx, t.id); err != nil {
		return Reply{}, err
	}
	if err := eraseAsides(t.tx, t.in.From); err != nil {
		return Reply{}, err
	}
	t.id = "" // nothing is written about them any more
	return t.show(&Message{Title: t.say(wErased), Text: t.text(wErasedText)}), nil
}

// eraseAsides deletes the set-aside updates in which the account is named.
func eraseAsides(tx Tx, who User) error {
	named := regexp.MustCompile(`(^|[^0-9A-Za-z_])` + regexp.QuoteMeta(who.ID) + `($|[^0-9A-Za-z_])`)
	return eachBelow(tx, []byte("aside/"), func(r Record) error {
		var a aside
		if _, err := decode(r.Value, &a); err != nil {
			return err
		}
		if !bytes.Contains(r.Key, []byte("/"+who.Platform+":")) || !named.Match(a.Raw) {
			return nil
		}
		return tx.Delete(r.Key)
	})
}
