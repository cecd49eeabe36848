package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"aiprep/content"
	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

// openEngine opens the store while serve does not run.
func openEngine(ctx context.Context, p plan) (e *engine.Engine, closing func() error, err error) {
	bank, err := content.Default()
	if err != nil {
		return nil, nil, err
	}
	var key []byte
	if p.key != "" {
		raw, err := os.ReadFile(p.key)
		if err != nil {
			return nil, nil, err
		}
		if key, err = seal.ParseKey(raw); err != nil {
			return nil, nil, err
		}
	}
	file, err := boltstore.Open(filepath.Join(p.store, "aiprep.db"), boltstore.Options{})
	if err != nil {
		return nil, nil, err
	}
	store, err := seal.Open(ctx, file, key)
	if err == nil {
		e, err = engine.New(ctx, engine.Config{Store: store, Bank: bank})
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return e, file.Close, nil
}

// setUp has a challenge due in every server, a moment ago, so that serve posts it
// when it starts.
func setUp(ctx context.Context, p plan, servers []engine.Place) (err error) {
	e, closing, err := openEngine(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closing()) }()
	zone := "UTC"
	if h := time.Now().UTC().Hour(); h < 1 || h > 20 {
		zone = "Asia/Tokyo" // no date ends while this runs
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return err
	}
	minute := time.Now().In(loc).Truncate(time.Minute)
	for _, at := range servers {
		_, err := e.Handle(ctx, engine.Input{
			ID: "setup", At: minute.Add(-time.Second), Admin: true, Verb: "setup", Args: []string{"time=" + minute.Format("15:04"), "zone=" + zone, "days=" + minute.Format("Mon")},
			From: engine.User{Platform: at.Platform, ID: "admin of " + at.Server}, In: at,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// comparison is what people were told beside what is stored.
type comparison struct {
	told, pressed, stored, odd int
	lost                       int // told and not stored
	doubled                    int // stored more often than pressed
	wrong                      int // people whose right answers are not as many as they were told
}

// readStore opens the store that serve has closed and asks it about everybody.
func readStore(ctx context.Context, p plan, c *crowd) (_ *comparison, err error) {
	e, closing, err := openEngine(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closing()) }()
	out := &comparison{}
	for _, one := range c.people {
		stored, right, err := answersOf(ctx, e, one)
		if err != nil {
			return nil, err
		}
		out.add(one, stored, right)
	}
	return out, nil
}

// add compares one person's answers, item by item.
func (c *comparison) add(p *person, stored map[string]int, right int) {
	c.odd += p.odd
	same := true
	for item := range union(p.pressed, stored) {
		told, pressed, kept := p.told[item], p.pressed[item], stored[item]
		c.told, c.pressed, c.stored = c.told+told, c.pressed+pressed, c.stored+kept
		c.lost += max(told-kept, 0)
		c.doubled += max(kept-pressed, 0)
		same = same && told == kept
	}
	if same && right != p.right {
		c.wrong++
	}
}

func union(a, b map[string]int) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}

// answersOf counts what the store holds of one person, by item, as their export
// says it.
func answersOf(ctx context.Context, e *engine.Engine, p *person) (stored map[string]int, right int, err error) {
	stored = map[string]int{}
	r, err := e.Handle(ctx, engine.Input{
		ID: "load", At: time.Now(), Verb: "export",
		From: engine.User{Platform: p.at.name(), ID: p.id}, In: engine.Place{Platform: p.at.name(), Chat: p.id},
	})
	if err != nil {
		return nil, 0, err
	}
	var file *engine.File
	for _, m := range []*engine.Message{r.Whisper, r.Post, r.Replace} {
		if m != nil && m.File != nil {
			file = m.File
		}
	}
	if file == nil {
		return stored, 0, nil // never wrote
	}
	var d struct {
		Answers []struct {
			Item  string `json:"item"`
			Right bool   `json:"right"`
		} `json:"answers"`
	}
	if err := json.Unmarshal(file.Data, &d); err != nil {
		return nil, 0, err
	}
	for _, a := range d.Answers {
		stored[a.Item]++
		if a.Right {
			right++
		}
	}
	return stored, right, nil
}

// print says what was found, and fails if anything was lost or doubled.
func (c *comparison) print(out io.Writer, problems []string) error {
	fmt.Fprintf(out, "answers: %d pressed, %d told, %d stored; lost %d, doubled %d, people told otherwise than stored %d; %d acts answered by something else\n",
		c.pressed, c.told, c.stored, c.lost, c.doubled, c.wrong, c.odd)
	for _, p := range problems[:min(len(problems), 10)] {
		fmt.Fprintln(out, "against a platform's rules:", p)
	}
	switch {
	case c.lost+c.doubled+c.wrong > 0:
		return errors.New("what was told is not what is stored")
	case len(problems) > 0:
		return fmt.Errorf("%d requests were against a platform's rules", len(problems))
	case c.told == 0:
		return errors.New("nobody answered anything")
	}
	return nil
}
