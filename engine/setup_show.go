package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"aiprep/content"
)

// What setup can show, beside the form.
const (
	setupCheck   = "check"
	setupPreview = "preview"
	setupExcuse  = "excuse"
)

func (t *turn) showSetup(what string, args ...string) (Reply, error) {
	switch what {
	case setupCheck:
		return t.checkSetup()
	case setupPreview:
		return t.preview()
	case setupExcuse:
		return t.excuse(strings.Join(args, ""))
	}
	return Reply{}, t.sorry(wUnknownCommand)
}

// checkSetup is the doctor: what would keep the next post from appearing, and
// what to do about it.
func (t *turn) checkSetup() (Reply, error) {
	s := &t.space
	if t.in.Sight == nil {
		return Reply{Look: &Query{Place: s.Place}}, nil
	}
	fine := s.State == stateOn
	line := func(ok bool, w word, slots ...any) content.Block {
		mark := "✅"
		if !ok {
			mark, fine = "⚠️", false
		}
		return content.Block{Kind: content.ListItem, Mark: mark, Spans: flat(t.text(w, slots...))}
	}
	var text content.Text
	switch s.State {
	case stateOn:
		text = append(text, line(true, wCheckOn))
	case stateSuspended:
		text = append(text, line(false, wCheckSuspended, "why", t.words.whySuspended(s.Why)))
	default:
		text = append(text, line(false, wCheckOff))
	}
	text = append(text, t.sightLines(line)...)
	zone := zoneOf(s.Zone)
	text = append(text, line(true, wCheckZone, "zone", s.Zone, "now", t.in.At.In(zone).Format("15:04")))
	if n := len(t.schedule().pool()); n == 0 {
		text = append(text, line(false, wCheckEmpty))
	} else {
		text = append(text, line(true, wCheckPool, "n", n))
	}
	if s.Posted != 0 {
		text = append(text, line(true, wCheckLast, "date", t.words.date(s.Posted)))
	}
	if at := time.Unix(s.FaultAt, 0); s.Fault != "" && s.State == stateOn && DateOf(at, zone) > s.Posted {
		text = append(text, line(false, wCheckFault, "when", t.words.when(at, zone), "why", t.whyFailed(s.Fault)))
	}
	m := &Message{Title: t.say(wCheckBad), Text: text}
	if fine {
		m.Title = t.say(wCheckGood)
	}
	if s.State == stateOn {
		m.Text = append(m.Text, t.nextPosts()...)
	}
	m.Buttons = [][]Button{{t.button(wSetupCheck, verbSet, string(s.Token), setupCheck), t.button(wDone, verbSet, string(s.Token), "form")}}
	return t.show(m), nil
}

// sightLines say what the bot may do where the challenge is posted.
func (t *turn) sightLines(line func(bool, word, ...any) content.Block) content.Text {
	see := t.in.Sight
	switch {
	case see.Gone:
		return content.Text{line(false, wCheckGone)}
	case see.Unclear:
		return content.Text{line(false, wCheckUnclear)}
	case len(see.Lacks) == 0:
		return content.Text{line(true, wCheckRights)}
	}
	var text content.Text
	for _, r := range see.Lacks {
		text = append(text, line(false, map[Right]word{ToSend: wLackSend, ToReply: wLackReply, ToRead: wLackRead, ToFile: wLackFile}[r]))
	}
	return text
}

// whyFailed says in words why a post did not arrive.
func (t *turn) whyFailed(kind string) string {
	switch kind {
	case Unknown.String():
		return t.say(wFailedUnknown)
	case Refused.String():
		return t.say(wFailedRefused)
	}
	return t.words.whySuspended(kind)
}

// maxPeeks is how many previews a server's record keeps.
const maxPeeks = 20

// preview shows an admin the next challenge, with its solution. It is chosen
// now if it was not yet, and whoever has seen it gets no points for it.
func (t *turn) preview() (Reply, error) {
	s := &t.space
	if s.State != stateOn {
		return Reply{}, t.sorry(wNotRunning)
	}
	if err := t.enrol(); err != nil {
		return Reply{}, err
	}
	var pending job
	if _, err := get(t.tx, s.Job, &pending); err != nil {
		return Reply{}, err
	}
	if pending.Kind == jobChoose {
		if err := t.tx.Delete(s.Job); err != nil {
			return Reply{}, fmt.Errorf("preview: %w", err)
		}
		if err := t.schedule().choose(pending.Date, time.Unix(pending.Due, 0)); err != nil {
			return Reply{}, err
		}
	}
	var o occurrence
	found, err := get(t.tx, keyOcc(t.spaceID, pending.Date), &o)
	item := t.e.bank.Item(o.Item)
	if err != nil || !found || !asked(item, o.Rev, len(o.Order)) {
		return Reply{}, orSorry(err, t.sorry(wNoPreview))
	}
	if !slices.Contains(o.Peeked, t.id) {
		o.Peeked = append(o.Peeked, t.id)
		s.Peeks = append(s.Peeks, peek{Item: o.Item, Who: t.id})
		s.Peeks = s.Peeks[max(0, len(s.Peeks)-maxPeeks):]
		if err := put(t.tx, keyOcc(t.spaceID, pending.Date), o); err != nil {
			return Reply{}, err
		}
		if err := t.saveSpace(); err != nil {
			return Reply{}, err
		}
	}
	m := &Message{Title: t.say(wPreviewTitle, "when", t.words.when(time.Unix(pending.Due, 0), zoneOf(s.Zone)))}
	m.Text = append(t.text(wPreviewNote), question(item, o.Order)...)
	m.Text = append(m.Text, t.text(wPreviewKey, "letter", letterOf(item, o.Order, item.Options[item.Key()].Key))...)
	m.Text = append(m.Text, content.Parse(item.Full)...)
	m.Buttons = [][]Button{{t.button(wSkipButton, "skip"), t.button(wDone, verbSet, string(s.Token), "form")}}
	return t.show(m), nil
}

// excusable is how many dates back a day can be excused.
const excusable = 14

// excuse makes a past challenge break nobody's streak: a question was broken,
// or the server had other things to do. It is written down with its time.
func (t *turn) excuse(date string) (Reply, error) {
	today := DateOf(t.in.At, zoneOf(t.space.Zone))
	m := &Message{Title: t.say(wExcuseTitle), Text: t.text(wExcuse)}
	var row []Button
	for d := today; d > today-excusable; d-- {
		var o occurrence
		if _, err := get(t.tx, keyOcc(t.spaceID, d), &o); err != nil {
			return Reply{}, err
		}
		if o.Posted == 0 || o.Excused != 0 {
			continue
		}
		if d.String() == date {
			return t.excuseDay(d, o)
		}
		if o.State == occClosed && len(row) < 6 {
			row = append(row, Button{Label: t.words.date(d), Action: strings.Join([]string{verbSet, string(t.space.Token), setupExcuse, d.String()}, " ")})
		}
	}
	if len(row) == 0 {
		m.Text = t.text(wExcuseNone)
	}
	m.Buttons = append(grid(row, 3), []Button{t.button(wDone, verbSet, string(t.space.Token), "form")})
	return t.show(m), nil
}

func (t *turn) excuseDay(d Date, o occurrence) (Reply, error) {
	o.Excused = t.in.At.Unix()
	if err := put(t.tx, keyOcc(t.spaceID, d), o); err != nil {
		return Reply{}, err
	}
	s, err := streakOf(t.tx, t.spaceID)
	if err != nil {
		return Reply{}, err
	}
	t.space.Streak = s
	if err := t.saveSpace(); err != nil {
		return Reply{}, err
	}
	if err := putRecount(t.tx, recount{Space: t.spaceID}); err != nil {
		return Reply{}, err
	}
	t.putJobs = true
	t.e.log.Info("day excused", "platform", t.in.In.Platform, "space", t.spaceID, "date", d.String())
	m := &Message{Title: t.say(wExcused, "date", t.words.date(d)), Text: t.text(wExcusedText, "n", s.Current)}
	m.Buttons = [][]Button{{t.button(wDone, verbSet, string(t.space.Token), "form")}}
	return t.show(m), nil
}
