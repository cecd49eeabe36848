package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/content"
	"aiprep/engine"
)

// How long an answer is worth anything, and how often one that provably did not
// arrive is tried again.
const (
	answerWithin = time.Minute
	answerTries  = 5
)

// show shows all parts of a reply, in the background.
func (b *Bot) show(ev event, r engine.Reply) {
	ev.in.Locale = r.Lang
	b.acknowledge(ev, r)
	if r.Replace != nil {
		b.replace(ev, *r.Replace)
	}
	if r.Post != nil {
		b.publish(ev, *r.Post)
	}
	if r.Whisper != nil {
		b.whisper(ev, *r.Whisper)
	}
	if r.Ask != nil {
		if me, ok := ev.privateChat(); ok {
			b.say(me, []part{question(*r.Ask)}, nil, nil)
		}
	}
}

// sorry tells a person that their doing failed, where only they see it.
func (b *Bot) sorry(ev event) {
	switch {
	case ev.query != "":
		b.answerPress(ev.query, tg.AnswerCallbackQueryParams{Text: b.engine.Hint(engine.HintFailed, ev.in.Locale), ShowAlert: true})
	case !ev.in.Event && ev.here.Chat > 0:
		b.say(ev.here, pages("", content.Plain(b.engine.Hint(engine.HintFailed, ev.in.Locale))), nil, nil)
	}
}

// more are the words behind an alert that has no room for all.
func (b *Bot) more(lang string) string { return b.engine.Hint(engine.HintMore, lang) + b.me.username }

// acknowledge answers a press, once: with an alert when there is a whisper that
// nobody else may read, else with nothing.
func (b *Bot) acknowledge(ev event, r engine.Reply) {
	if ev.query == "" {
		return
	}
	var answer tg.AnswerCallbackQueryParams
	switch {
	case ev.here.Chat > 0:
	case r.Whisper != nil:
		text, whole := alert(*r.Whisper, b.more(r.Lang))
		answer.Text, answer.ShowAlert = text, true
		// Who could not be written to, and presses again, is led to the private chat.
		if link, ok := b.linkTo(ev); ok && !whole && b.closed.has(ev.pressKey()) {
			answer = tg.AnswerCallbackQueryParams{URL: link}
		}
	case r.Ask != nil:
		answer.Text = b.engine.Hint(engine.HintWroteYou, r.Lang)
	}
	b.answerPress(ev.query, answer)
}

// answerPress ends the progress bar of a press. It goes past the outbox: a chat
// that must keep silent may still answer presses.
func (b *Bot) answerPress(query string, answer tg.AnswerCallbackQueryParams) {
	answer.CallbackQueryID = query
	b.outbox.work.Go(func() {
		defer b.survive()
		ctx, cancel := context.WithTimeout(b.life, answerWithin)
		defer cancel()
		err := b.retry(ctx, true, func() error {
			_, err := b.call(ctx, askWithin, func(ctx context.Context) error {
				_, err := b.lib.AnswerCallbackQuery(ctx, &answer)
				return err
			})
			return err
		})
		if is(err, "query is too old") { // an old press after a pause of ours, or a repeat
			err = nil
		}
		b.told("press", err)
	})
}

// replace edits the message that was pressed; what does not fit follows it, and
// if the message cannot be edited any more all of it is sent anew.
func (b *Bot) replace(ev event, m engine.Message) {
	parts := render(m)
	chat, id, err := readRef(ev.in.On)
	if err != nil || ev.gone || parts[0].Photo != nil || parts[0].File != nil || parts[0].Offer != nil {
		b.say(ev.here, parts, nil, nil)
		return
	}
	b.queue(chat, func(ctx context.Context) {
		err := b.retry(ctx, true, func() error { return b.edit(ctx, chat, id, parts[0], answerWithin) })
		rest := parts[1:]
		if pe := classify(err, engine.Place{}); err != nil && pe.Kind == engine.Lost {
			rest, err = parts, nil
		}
		if err == nil {
			err = b.deliver(ctx, ev.here, rest, nil)
		}
		b.told("replace", err)
	})
}

// publish posts a message for everybody in the place that the event is about.
func (b *Bot) publish(ev event, m engine.Message) {
	to, err := addressOf(ev.in.In)
	if err != nil {
		b.told("post", err)
		return
	}
	if to.Chat == ev.here.Chat {
		to = ev.here
	}
	b.say(to, render(m), nil, nil)
}

// whisper shows a message to one person. In their private chat it is a message
// like any other. In public nobody else may read a word of it, so it goes to the
// private chat, and the group sees no more than the way there.
func (b *Bot) whisper(ev event, m engine.Message) {
	me, ok := ev.privateChat()
	switch {
	case ev.in.Event:
		return // nobody asked
	case ev.here.Chat > 0:
		b.say(ev.here, render(m), nil, nil)
	case ev.query != "":
		b.whisperPressed(ev, me, m)
	case !ok:
		b.signpost(ev, engine.HintTapToRead)
	default:
		b.say(me, render(m), nil, func(err error) {
			if err != nil {
				b.signpost(ev, engine.HintTapToRead)
				return
			}
			b.signpost(ev, engine.HintWroteYou)
		})
	}
}

// whisperPressed sends what an alert had no room for. When a whole group votes
// at once there is no time for that: who wants more presses again.
func (b *Bot) whisperPressed(ev event, me address, m engine.Message) {
	if _, whole := alert(m, b.more(ev.in.Locale)); whole || b.closed.has(ev.pressKey()) {
		b.closed.remove(ev.pressKey())
		return
	}
	if b.outbox.crowded() {
		b.count("send", platform, "crowded")
		b.closed.add(ev.pressKey())
		return
	}
	b.say(me, render(m), nil, func(err error) {
		if pe := classify(err, engine.Place{}); err != nil && pe.Kind == engine.Forbidden {
			b.closed.add(ev.pressKey())
		}
	})
}

// signpost answers a command typed in a group with the way to the private chat.
func (b *Bot) signpost(ev event, hint engine.Hint) {
	lang := ev.in.Locale
	way := button{Text: b.engine.Hint(engine.HintOpenChat, lang), URL: website + b.me.username}
	if hint != engine.HintWroteYou {
		way.Text = b.engine.Hint(engine.HintReadInPrivate, lang)
		way.URL += "?start="
		if link, ok := b.linkTo(ev); ok {
			way.URL = link
		}
	}
	post := part{Text: b.engine.Hint(hint, lang), Keyboard: &keyboard{Rows: [][]button{{way}}}}
	b.say(ev.here, []part{post}, &models.ReplyParameters{MessageID: ev.typed, AllowSendingWithoutReply: true}, nil)
}

// linkTo is the link that repeats an event of a group in the private chat.
func (b *Bot) linkTo(ev event) (string, bool) {
	payload, ok := deepLink(ev.here.Chat, ev.here.Thread, append([]string{ev.in.Verb}, ev.in.Args...))
	return website + b.me.username + "?start=" + payload, ok
}

// privateChat is the person's own chat, which has their number.
func (ev event) privateChat() (address, bool) {
	if ev.here.Chat > 0 {
		return ev.here, true
	}
	id, err := strconv.ParseInt(ev.in.From.ID, 10, 64)
	return address{Chat: id}, err == nil && id > 0 && !ev.alias
}

// pressKey names one person's presses of one message.
func (ev event) pressKey() string { return ev.in.From.ID + " " + string(ev.in.On) }

// say queues messages for a chat; then, if not nil, hears how it went.
func (b *Bot) say(to address, parts []part, answers *models.ReplyParameters, then func(error)) {
	b.queue(to.Chat, func(ctx context.Context) {
		err := b.deliver(ctx, to, parts, answers)
		if then != nil {
			then(err)
		}
		b.told("send", err)
	})
}

// queue puts a job into a chat's queue, with a time after which its answer is
// worth nothing.
func (b *Bot) queue(chat int64, job func(context.Context)) {
	ctx, cancel := context.WithTimeout(b.life, answerWithin)
	guarded := func() {
		defer cancel()
		defer b.survive()
		job(ctx)
	}
	if !b.outbox.put(chat, guarded) {
		cancel()
		b.count("send", platform, "crowded")
	}
}

// deliver sends messages one after the other, to where the chat has moved if it
// has.
func (b *Bot) deliver(ctx context.Context, to address, parts []part, answers *models.ReplyParameters) error {
	for i, p := range parts {
		if i > 0 {
			answers = nil
		}
		err := b.retry(ctx, false, func() error {
			_, err := b.send(ctx, to, p, answers, answerWithin)
			var refused *apiError
			if errors.As(err, &refused) && refused.MoveTo != 0 {
				to = address{Chat: refused.MoveTo}
				_, err = b.send(ctx, to, p, nil, answerWithin)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// retry tries again what provably did not arrive, and with twice also what may
// have: then doing it twice must be as good as once.
func (b *Bot) retry(ctx context.Context, twice bool, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == answerTries || ctx.Err() != nil {
			return err
		}
		wait := time.Duration(0)
		switch pe := classify(err, engine.Place{}); {
		case pe.Kind == engine.Later:
			wait = min(pe.After, time.Duration(try)*lostPause/5)
			if is(err, "too many requests") {
				wait = pe.After
			}
		case pe.Kind == engine.Unknown && twice:
			wait = time.Second
		default:
			return err
		}
		if !sleep(ctx, wait) {
			return err
		}
	}
}

// sleep returns false when ctx ends first, or is known to.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// told counts how an answer went, and logs what somebody should look at.
func (b *Bot) told(what string, err error) {
	if err == nil {
		b.count(what, platform, "ok")
		return
	}
	pe := classify(err, engine.Place{})
	b.count(what, platform, pe.Kind.String())
	switch {
	case b.life.Err() != nil:
	case pe.Kind == engine.Forbidden, pe.Kind == engine.Gone:
		b.log.Debug("answer not shown", "what", what, "outcome", pe.Kind.String())
	default:
		b.log.Warn("answer not shown", "what", what, "outcome", pe.Kind.String(), "err", strings.TrimSpace(err.Error()))
	}
}
