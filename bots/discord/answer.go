package discord

import (
	"context"
	"errors"
	"net/http"
	"time"

	"aiprep/engine"
)

// How long an answer is worth anything, and how often one that did not arrive is
// tried again. Discord takes a first word for 3 s and more words for 15 min.
const (
	answerWithin = time.Minute
	answerTries  = 3
	tryPause     = 200 * time.Millisecond
)

// hold promises an answer, before Discord gives up on us.
func (b *Bot) hold(ctx context.Context, ev event) (promise, error) {
	cmd, _ := b.engine.Command(ev.in.Verb)
	p := ev.promiseOf(cmd)
	err := b.take(ctx, ev, step{how: byCallback, call: p.call, hidden: p.hidden})
	b.told("defer", err)
	return p, err
}

// show shows all parts of a reply. A part that fails does not keep the others
// back, unless Discord says that nobody waits any more.
func (b *Bot) show(ctx context.Context, ev event, r engine.Reply, made promise) {
	first := made.call == 0
	for _, s := range ev.plan(r, made) {
		if first && s.how != byCallback { // the first word was refused
			s.how, s.call = byCallback, callMessage
		}
		err := b.take(ctx, ev, s)
		if s.edits && refusal(err) && !tooLate(err) { // it cannot be edited any more
			s.edits, s.hidden, s.how = false, ev.open, byFollowUp
			if first {
				s.how, s.call = byCallback, callMessage
			}
			err = b.take(ctx, ev, s)
		}
		b.told("answer", err)
		if tooLate(err) {
			return
		}
		first = first && err != nil
	}
}

// take takes one step, again and again while Discord is in trouble and doing it
// twice is as good as once.
func (b *Bot) take(ctx context.Context, ev event, s step) error {
	r := b.request(ev, s)
	for try := 1; ; try++ {
		err := b.say(ctx, ev, s, r)
		var refused *apiError
		wait := tryPause
		if errors.As(err, &refused) {
			switch {
			case try > 1 && s.how == byCallback && refused.Code == codeAcknowledged:
				return nil // the try before had arrived
			case refused.Status == http.StatusTooManyRequests:
				wait = max(wait, refused.After)
			case ev.word != nil && s.how != byCallback && refused.Status == http.StatusNotFound && try < answerTries:
				// Discord may not have read our first word yet.
			case refused.Status/100 == 4:
				return err
			}
		}
		if err == nil || try == answerTries || s.how == byFollowUp && classify(err).Kind == engine.Unknown {
			return err
		}
		if sleep(ctx, wait) != nil {
			return err
		}
	}
}

// say makes the request of a step, or speaks the first word into the answer that
// Discord waits for. An answer carries no files, so a message with one is
// promised there and follows.
func (b *Bot) say(ctx context.Context, ev event, s step, r request) error {
	if s.how != byCallback || ev.word == nil {
		_, err := b.call(ctx, r)
		return err
	}
	if len(r.files) == 0 {
		return ev.word.give(ctx, r.body)
	}
	promised := step{how: byCallback, call: callDefer, hidden: s.hidden}
	if s.call == callUpdate {
		promised.call = callDeferUpdate
	}
	if err := ev.word.give(ctx, b.request(ev, promised).body); err != nil {
		return err
	}
	s.how = byOriginal
	return b.take(ctx, ev, s)
}

// request spells a step.
func (b *Bot) request(ev event, s step) request {
	hook := "/webhooks/" + ev.app + "/" + ev.token
	flags := 0
	if s.hidden {
		flags = hiddenFlag
	}
	r := request{method: http.MethodPost, hook: true}
	if s.msg != nil {
		r.files = s.msg.files
	}
	message := func(flags int) any {
		p := *s.msg
		p.Flags = flags
		return p
	}
	switch s.how {
	case byCallback:
		r.path, r.route = "/interactions/"+ev.in.ID+"/"+ev.token+"/callback", "callback"
		r.within = b.wordWithin
		body := callback{Type: s.call}
		switch {
		case s.form != nil:
			body.Data = s.form
		case s.call == callUpdate:
			body.Data = message(0)
		case s.msg != nil:
			body.Data = message(flags)
		case flags != 0:
			body.Data = map[string]int{"flags": flags}
		}
		r.body = body
	case byFollowUp:
		r.path, r.route, r.body = hook, "follow-up", message(flags)
	case byOriginal:
		r.method, r.path, r.route, r.body = http.MethodPatch, hook+"/messages/@original", "original", message(0)
	case byWithdrawal:
		r.method, r.path, r.route = http.MethodDelete, hook+"/messages/@original", "original"
	case byEdit:
		channel, id, _ := readRef(ev.in.On) // receive made it
		r = editRequest(channel, id, *s.msg)
	}
	return r
}

// callback is the first word on an interaction.
type callback struct {
	Type int `json:"type"`
	Data any `json:"data,omitempty"`
}

// suggest answers a person who is filling in an option.
func (b *Bot) suggest(ctx context.Context, ev event) {
	type choice struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	choices := []choice{}
	cmd, _ := b.engine.Command(ev.in.Verb)
	for _, o := range cmd.Options {
		if o.Name != ev.option {
			continue
		}
		for _, c := range b.engine.Complete(ctx, o, ev.prefix) {
			name := oneLine(c.Label, maxChoice)
			if len(choices) < maxChoices && name != "" && c.Value != "" && units(c.Value) <= maxChoice {
				choices = append(choices, choice{name, c.Value})
			}
		}
	}
	b.told("suggest", b.callBack(ctx, ev, callback{callSuggest, map[string]any{"choices": choices}}))
}

// open opens the form that a message offered.
func (b *Bot) open(ctx context.Context, ev event) {
	b.told("answer", b.callBack(ctx, ev, callback{callForm, renderForm(*ev.prompt)}))
}

func (b *Bot) callBack(ctx context.Context, ev event, body callback) error {
	r := b.request(ev, step{how: byCallback})
	r.body = body
	return b.say(ctx, ev, step{how: byCallback}, r)
}

// refusal reports whether Discord understood and did not want to.
func refusal(err error) bool {
	var refused *apiError
	return errors.As(err, &refused) && !refused.Plain && refused.Status/100 == 4 && refused.Status != http.StatusTooManyRequests
}

// tooLate reports whether nobody waits for an answer any more: it came too late,
// or somebody else gave it.
func tooLate(err error) bool {
	var refused *apiError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code {
	case codeUnknownInteraction, codeAcknowledged, codeUnknownWebhook, codeBadHookToken:
		return true
	}
	return false
}

// told counts how an answer went, and logs what somebody should look at.
func (b *Bot) told(what string, err error) {
	switch {
	case err == nil:
		b.count(what, platform, "ok")
	case tooLate(err):
		b.count(what, platform, "late")
		b.log.Debug("answer not shown", "what", what, "err", err)
	case b.life.Err() != nil:
		b.count(what, platform, "ended")
	default:
		kind := classify(err).Kind.String()
		b.count(what, platform, kind)
		b.log.Warn("answer not shown", "what", what, "outcome", kind, "err", err)
	}
}
