package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"aiprep/content"
)

// start greets, and follows a deep link such as test_model-compilation.
func (t *turn) start() (Reply, error) {
	link := t.args()["link"]
	if link == "unlock" && t.e.unlocking != nil { // a forwarded offer leads here
		t.in.Args = nil
		t.cmd, _ = t.e.Command(link)
		return t.unlock()
	}
	if verb, arg, ok := strings.Cut(link, "_"); ok {
		switch verb {
		case "test", "learn":
			t.in.Args = []string{arg}
			t.cmd, _ = t.e.Command(verb)
			if verb == "test" {
				return t.startTest()
			}
			return t.learn()
		}
	}
	if !t.in.In.Private() {
		hello := wHelloServer
		if t.space.State != stateOn {
			hello = wHelloServerOff
		}
		return t.show(&Message{Title: t.say(wHelloTitle), Text: t.text(hello), Buttons: [][]Button{
			{t.button(wDailyButton, "daily"), t.button(wTestMe, "test")},
		}}), nil
	}
	return t.show(&Message{
		Title: t.say(wHelloTitle),
		Text:  t.text(wHello, "n", len(t.e.offered(""))),
		Buttons: [][]Button{
			{t.button(wTestMe, "test"), t.button(wDailyButton, "daily")},
			{t.button(wAllTopics, "topics"), t.button(wHelpButton, "help")},
		},
	}), nil
}

// help lists the commands that work here, straight from the table.
func (t *turn) help() (Reply, error) {
	m := &Message{Title: t.say(wHelpTitle)}
	for _, c := range t.e.CommandsIn(t.words.tag.String()) {
		if c.Hidden || (c.Where == ServerOnly && t.in.In.Private()) || (c.Who == Admins && !t.in.Admin) {
			continue
		}
		m.Text = append(m.Text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: "/" + c.Name, Style: content.Bold}, {Text: " " + c.Summary},
		}})
	}
	if t.in.In.Private() {
		m.Text = append(m.Text, t.text(wHelpServer)...)
	}
	m.Buttons = [][]Button{{t.button(wTestMe, "test"), t.button(wDailyButton, "daily")}}
	return t.show(m), nil
}

// line answers plain text that nobody asked for.
func (t *turn) line() (Reply, error) {
	return Reply{Whisper: &Message{Text: t.text(wNotACommand), Buttons: [][]Button{
		{t.button(wTestMe, "test"), t.button(wHelpButton, "help")},
	}}}, nil
}

// awaitFor is how long a line that was asked for is waited for.
const awaitFor = time.Hour

// Awaited tells an adapter whether the line of text that a person wrote at an
// instant was asked for, and where. The action's verb and arguments, with the line behind them, are
// then the Input to handle.
func (e *Engine) Awaited(ctx context.Context, u User, at time.Time) (action string, in Place, ok bool, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyAccount(e.secret, u.Platform, u.ID))
		if err != nil || vals[0] == nil {
			return err
		}
		var a ask
		if ok, err = get(tx, keyAsk(ID(vals[0])), &a); err != nil {
			return err
		}
		ok = ok && at.Sub(time.Unix(a.At, 0)) < awaitFor
		action, in = a.Action, a.In
		return nil
	})
	return action, in, ok, err
}

// joined takes up posting again where the bot had been shut out.
func (t *turn) joined() (Reply, error) {
	if t.space.State != stateSuspended || t.e.shutOutOf(t.in) {
		return Reply{}, nil
	}
	t.space.State, t.space.Why = stateOn, ""
	return Reply{}, t.schedule().replan()
}

// left suspends posting; everything is kept for the day the bot is back.
func (t *turn) left() (Reply, error) {
	if t.spaceID == "" || t.space.State != stateOn {
		return Reply{}, nil
	}
	if t.in.In.Private() {
		return Reply{}, t.schedule().unsubscribe()
	}
	return Reply{}, t.schedule().suspend(whyRemoved)
}

// moved gives a place its new address, In, after the old one in Args.
func (t *turn) moved() (Reply, error) {
	if len(t.in.Args) != 1 {
		return Reply{}, nil
	}
	old := t.in.In
	old.Server, old.Chat = t.in.Args[0], t.in.Args[0]
	vals, err := t.tx.Get(keyPlace(t.e.secret, old))
	if err != nil || vals[0] == nil || slices.Equal(vals[0], []byte(t.spaceID)) {
		return Reply{}, err
	}
	id := ID(slices.Clone(vals[0]))
	var s space
	if _, err := get(t.tx, keySpace(id), &s); err != nil {
		return Reply{}, err
	}
	to := s.Place
	to.Server, to.Chat = t.in.In.Server, t.in.In.Chat
	sc := &scheduling{e: t.e, tx: t.tx, id: id, space: &s, now: t.in.At}
	if err := sc.moveTo(to); err != nil {
		return Reply{}, err
	}
	return Reply{}, sc.save()
}
