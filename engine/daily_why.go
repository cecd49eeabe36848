package engine

// whyDaily shows the whole explanation to someone who has answered.
func (t *turn) whyDaily() (Reply, error) {
	t.in.Args = append(t.in.Args[:min(1, len(t.in.Args))], "")
	space, d, o, err := t.delivery()
	if err != nil {
		return Reply{}, err
	}
	item := t.e.bank.Item(o.Item)
	var mk mark
	answered, err := t.marked(space, d, &mk)
	if err != nil {
		return Reply{}, err
	}
	if !asked(item, o.Rev, len(o.Order)) || !answered {
		return Reply{}, t.sorry(wDailyOver)
	}
	m, err := t.dailyVerdict(item, o, mk, true)
	return t.show(m), err
}

// whyChosen explains the choice of the open challenge, or of one's own of today.
func (t *turn) whyChosen() (Reply, error) {
	d := t.space.Open
	if t.in.In.Private() {
		d = DateOf(t.in.At, t.zone())
	}
	var o occurrence
	found, err := get(t.tx, keyOcc(t.spaceID, d), &o)
	if err != nil {
		return Reply{}, err
	}
	switch {
	case found && d != 0:
	case t.in.In.Private():
		return Reply{}, t.sorry(wWhyNone)
	default:
		return t.noDaily()
	}
	m := &Message{Title: t.say(wWhyTitle), Text: t.text(wWhyNewcomer)}
	if o.For.Members > 0 {
		m.Text = t.text(wWhyMembers, "n", o.For.Members)
	}
	m.Text = append(m.Text, t.text(wWhyChance, "n", o.For.Fresh, "p", percent(o.For.P))...)
	m.Buttons = [][]Button{{t.button(wDailyButton, "daily")}}
	return t.show(m), nil
}
