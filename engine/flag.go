package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aiprep/content"
)

// flag is what one person says is wrong with one question. It is kept for the
// operator, who sees no names.
type flag struct {
	Rev  int    `cbor:"1,keyasint"`
	Kind string `cbor:"2,keyasint"`
	Text string `cbor:"3,keyasint,omitempty"` // <= 400 characters
	At   int64  `cbor:"4,keyasint"`           // Unix seconds
}

type flagKind struct {
	kind string
	say  word
}

// flagKinds are what can be wrong with a question, and how that is said.
func flagKinds() []flagKind {
	return []flagKind{{"key", wFlagKey}, {"unclear", wFlagUnclear}, {"outdated", wFlagOutdated}, {"typo", wFlagTypo}}
}

// flagNote is the step in which a person adds words of their own.
const flagNote = "note"

// report serves the button below an explanation: flag <item>, then
// flag <item> <kind>, then flag <item> note <words>. Only who answered the
// question may say something about it.
func (t *turn) report() (Reply, error) {
	if len(t.in.Args) == 0 || t.id == "" {
		return Reply{}, t.sorry(wQuestionGone)
	}
	item := t.e.bank.Item(t.in.Args[0])
	var was seen
	found, err := get(t.tx, keyItem(t.id, t.in.Args[0]), &was)
	if err != nil || item == nil || !found {
		return Reply{}, orSorry(err, t.sorry(wQuestionGone))
	}
	if len(t.in.Args) == 1 {
		m := t.flagForm(item)
		return t.show(m), t.wayOn(m)
	}
	var f flag
	key := keyFlag(item.ID, t.id)
	if _, err := get(t.tx, key, &f); err != nil {
		return Reply{}, err
	}
	kind, words := t.in.Args[1], strings.TrimSpace(strings.Join(t.in.Args[2:], " "))
	switch {
	case kind == flagNote && words == "":
		return Reply{Ask: &Prompt{
			Action: verbFlag + " " + item.ID + " " + flagNote,
			Title:  t.say(wAskFlagTitle), Label: t.say(wAskFlag), Hint: t.say(wHintFlag),
		}}, nil
	case kind == flagNote:
		f.Text, f.Kind = words, cmp.Or(f.Kind, "unclear")
		if err := t.tx.Delete(keyAsk(t.id)); err != nil {
			return Reply{}, fmt.Errorf("flag: %w", err)
		}
	case slices.ContainsFunc(flagKinds(), func(k flagKind) bool { return k.kind == kind }):
		f.Kind = kind
	default:
		return Reply{}, t.sorry(wUnknownCommand)
	}
	f.Rev, f.At = item.Rev, t.in.At.Unix()
	if err := put(t.tx, key, f); err != nil {
		return Reply{}, err
	}
	if err := t.pauseFlagged(item); err != nil {
		return Reply{}, err
	}
	m := &Message{Title: t.say(wFlagged), Text: t.text(wFlaggedText)}
	if f.Text == "" {
		m.Buttons = [][]Button{{t.button(wFlagWords, verbFlag, item.ID, flagNote)}}
	}
	return t.show(m), t.wayOn(m)
}

// wayOn adds the button that goes on with a test which is under way.
func (t *turn) wayOn(m *Message) error {
	run, err := t.currentTest()
	if err != nil || run.Token == "" || run.Done {
		return err
	}
	m.Buttons = append(m.Buttons, []Button{t.button(wNext, verbNext, string(run.Token), strconv.Itoa(len(run.Steps)))})
	return nil
}

func (t *turn) flagForm(item *content.Item) *Message {
	m := &Message{Title: t.say(wFlagTitle)}
	m.Text = content.Text{{Kind: content.Quote, Spans: flat(content.Parse(shortStem(item)))}}
	var row []Button
	for _, k := range flagKinds() {
		row = append(row, t.button(k.say, verbFlag, item.ID, k.kind))
	}
	m.Buttons = grid(row, 2)
	return m
}

// eraseFlags deletes what a person said about questions.
func eraseFlags(tx Tx, id ID) error {
	return eachBelow(tx, []byte("flag/"), func(r Record) error {
		if !strings.HasSuffix(string(r.Key), "/"+string(id)) {
			return nil
		}
		return tx.Delete(r.Key)
	})
}

// Flagged is one question that people say something is wrong with.
type Flagged struct {
	Item  string         `json:"item"`
	Rev   int            `json:"rev"`   // the revision asked now, 0 if the item is gone
	Kinds map[string]int `json:"kinds"` // how many people say what, of that revision
	Words []string       `json:"words,omitempty"`
	State string         `json:"state,omitempty"` // paused or withdrawn
	Why   string         `json:"why,omitempty"`   // of the state
}

// Flags lists the flagged questions, the most flagged first, and those that are
// paused or withdrawn. It names nobody. Flags of an earlier revision are left
// out: the item was changed since.
func (e *Engine) Flags(ctx context.Context) ([]Flagged, error) {
	byItem := map[string]*Flagged{}
	of := func(item *content.Item) *Flagged {
		if byItem[item.ID] == nil {
			byItem[item.ID] = &Flagged{Item: item.ID, Rev: item.Rev, Kinds: map[string]int{}}
		}
		return byItem[item.ID]
	}
	err := e.store.View(ctx, func(tx Tx) error {
		clear(byItem)
		return eachBelow(tx, []byte("flag/"), func(r Record) error {
			var f flag
			if _, err := decode(r.Value, &f); err != nil {
				return err
			}
			id, _, _ := strings.Cut(string(r.Key[len("flag/"):]), "/")
			item := e.bank.Item(id)
			if item == nil || item.Rev != f.Rev {
				return nil
			}
			of(item).Kinds[f.Kind]++
			if f.Text != "" {
				of(item).Words = append(of(item).Words, f.Text)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list flags: %w", err)
	}
	for id, h := range *e.held.Load() {
		if item := e.bank.Item(id); item != nil && e.paused(item) {
			of(item).State, of(item).Why = h.State, h.Why
		}
	}
	list := make([]Flagged, 0, len(byItem))
	for _, f := range byItem {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Flagged) int {
		return cmp.Or(cmp.Compare(b.people(), a.people()), strings.Compare(a.Item, b.Item))
	})
	return list, nil
}

func (f Flagged) people() (n int) {
	for _, k := range f.Kinds {
		n += k
	}
	return n
}
