package discord

import (
	"slices"

	"aiprep/engine"
)

// Types of callbacks
// (https://discord.com/developers/docs/interactions/receiving-and-responding).
const (
	callMessage     = 4
	callDefer       = 5
	callDeferUpdate = 6
	callUpdate      = 7
	callSuggest     = 8
	callForm        = 9
)

// how is the way a step takes.
type how uint8

const (
	byCallback   how = iota // the first word; its type is in step.call
	byOriginal              // an edit of what the first word was about
	byFollowUp              // one message more
	byEdit                  // an edit of the message pressed, as of any message
	byWithdrawal            // the deferral is taken back
)

// step is one request of an answer.
type step struct {
	how    how
	call   int
	msg    *payload
	form   *form
	hidden bool // only one person sees the message
	edits  bool // it takes the pressed message's place: if that is gone, it is sent anew
}

// promise is the deferral that was sent: none, a message to come, or an update.
type promise struct {
	call   int
	hidden bool
}

// promiseOf is the deferral that keeps open what a command shows.
func (ev event) promiseOf(c engine.Command) promise {
	shows := c.Shows
	if ev.pressed {
		shows = c.Pressed
	}
	switch {
	case shows == engine.ShowsReplace && ev.in.Own:
		return promise{call: callDeferUpdate}
	case shows == engine.ShowsPost:
		return promise{call: callDefer}
	}
	return promise{call: callDefer, hidden: ev.open}
}

// plan turns a reply into steps, given the deferral that was already sent, if
// any. There is always at least one step.
func (ev event) plan(r engine.Reply, made promise) []step {
	form := r.Ask != nil && made.call == 0 && !ev.written && r.Replace == nil
	said := ev.messages(r, form, made)
	switch {
	case form:
		f := renderForm(*r.Ask)
		return append([]step{{how: byCallback, call: callForm, form: &f}}, said...)
	case made.call == callDefer:
		return ev.redeem(said, made)
	case made.call == callDeferUpdate:
		for i := range said {
			if said[i].edits {
				said[i].how = byOriginal
			}
		}
		return said
	case len(said) == 0 && ev.pressed:
		return []step{{how: byCallback, call: callDeferUpdate}}
	case len(said) == 0:
		said = ev.pages(engine.Message{}, ev.open)
	}
	said[0].how, said[0].call = byCallback, callMessage
	if said[0].edits {
		said[0].call = callUpdate
	}
	return said
}

// messages are the parts of a reply, each as a follow-up: the replacement first,
// for only one word can be the first and only the first can replace.
func (ev event) messages(r engine.Reply, form bool, made promise) []step {
	var said []step
	if r.Replace != nil {
		// What is shown in the place of a hidden message, or of none, is hidden.
		pages := ev.pages(*r.Replace, ev.open && (ev.hidden || !ev.pressed))
		pages[0].edits = ev.pressed && !(made.call == callDefer && ev.hidden) // no way leads to a hidden message then
		said = append(said, pages...)
	}
	if r.Whisper != nil {
		said = append(said, ev.pages(*r.Whisper, ev.open)...)
	}
	if r.Ask != nil && !form {
		door := formDoor(*r.Ask)
		said = append(said, step{how: byFollowUp, msg: &door, hidden: ev.open})
	}
	if r.Post != nil {
		said = append(said, ev.pages(*r.Post, false)...)
	}
	return said
}

func (ev event) pages(m engine.Message, hidden bool) []step {
	var steps []step
	for _, p := range render(m) {
		steps = append(steps, step{how: byFollowUp, msg: &p, hidden: hidden})
	}
	return steps
}

// redeem puts into the deferral's place the first message that may stand there.
// Without one the deferral is withdrawn, and before all else: Discord would put
// the next message there, with the deferral's visibility.
func (ev event) redeem(said []step, made promise) []step {
	kept := false
	for i := range said {
		switch one := said[i]; {
		case one.edits:
			said[i].how = byEdit
		case !kept && one.hidden == made.hidden:
			one.how, kept = byOriginal, true
			said = slices.Insert(slices.Delete(said, i, i+1), 0, one)
		}
	}
	if !kept {
		return append([]step{{how: byWithdrawal}}, said...)
	}
	return said
}
