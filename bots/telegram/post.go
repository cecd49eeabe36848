package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tg "github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"aiprep/engine"
)

// address is where a message goes: a chat, and in a forum a topic.
type address struct {
	Chat   int64
	Thread int
}

// addressOf reads a place. Only numbers are addresses: a name could belong to
// anybody tomorrow.
func addressOf(p engine.Place) (address, error) {
	chat, err := strconv.ParseInt(p.Chat, 10, 64)
	if err != nil || chat == 0 {
		return address{}, fmt.Errorf("read place: %q is no chat", p.Chat)
	}
	if p.Thread == "" {
		return address{Chat: chat}, nil
	}
	thread, err := strconv.Atoi(p.Thread)
	if err != nil || thread <= 0 {
		return address{}, fmt.Errorf("read place: %q is no topic", p.Thread)
	}
	return address{Chat: chat, Thread: thread}, nil
}

// refOf spells a message as "<chat>:<message>"; readRef is its inverse.
func refOf(chat int64, message int) engine.Ref {
	return engine.Ref(strconv.FormatInt(chat, 10) + ":" + strconv.Itoa(message))
}

// pollMark ends the reference of a poll, which is revealed otherwise than a text.
const pollMark = ":poll"

func pollRef(chat int64, message int) engine.Ref { return refOf(chat, message) + pollMark }

func isPoll(r engine.Ref) bool { return strings.HasSuffix(string(r), pollMark) }

func readRef(r engine.Ref) (chat int64, message int, err error) {
	c, m, ok := strings.Cut(strings.TrimSuffix(string(r), pollMark), ":")
	if chat, err = strconv.ParseInt(c, 10, 64); err == nil && ok {
		message, err = strconv.Atoi(m)
	}
	if err != nil || !ok || message <= 0 {
		return 0, 0, fmt.Errorf("read message reference %q: want chat:message", r)
	}
	return chat, message, nil
}

// How long one request may take, and how long a message that goes out unasked
// waits for its chat's turn before the engine is told to come back.
const (
	sendWithin = 30 * time.Second
	fileWithin = 2 * time.Minute
	postWaits  = 5 * time.Second
)

// Post implements engine.Poster. What is too long for one message is cut, so
// that a delivery either is there or is not.
func (b *Bot) Post(ctx context.Context, d engine.Delivery) (engine.Receipt, error) {
	to, err := addressOf(d.To)
	if err != nil {
		return engine.Receipt{}, &engine.PostError{Kind: engine.Gone, Err: err}
	}
	if q, ok := quizPoll(d.Message); ok {
		if r, err := b.sendPoll(ctx, to, q); err == nil || !noPolls(err) {
			if err != nil {
				return r, classify(err, d.To)
			}
			return r, nil
		}
	}
	id, err := b.send(ctx, to, renderOne(d.Message), nil, postWaits)
	if err != nil {
		return engine.Receipt{}, classify(err, d.To)
	}
	return engine.Receipt{Ref: refOf(to.Chat, id)}, nil
}

// Edit implements engine.Poster. An edit that changes nothing is a success.
func (b *Bot) Edit(ctx context.Context, to engine.Place, ref engine.Ref, m engine.Message) error {
	chat, message, err := readRef(ref)
	if err != nil {
		return &engine.PostError{Kind: engine.Lost, Err: err}
	}
	change := func() error { return b.edit(ctx, chat, message, renderOne(m), postWaits) }
	if isPoll(ref) {
		change = func() error { return b.revealPoll(ctx, to, chat, message, m) }
	}
	if err := change(); err != nil {
		return b.failed("edit", to, err)
	}
	b.count("edit", platform, "ok")
	return nil
}

func (b *Bot) failed(what string, to engine.Place, err error) error {
	pe := classify(err, to)
	b.count(what, platform, pe.Kind.String())
	return pe
}

// send sends one message, when its chat's turn comes within most, and returns
// its id. answers is a message to answer, or nil.
func (b *Bot) send(ctx context.Context, to address, p part, answers *models.ReplyParameters, most time.Duration) (int, error) {
	if err := b.pace.wait(ctx, to.Chat, false, most); err != nil {
		return 0, err
	}
	result, err := b.call(ctx, within(p), func(ctx context.Context) error { return b.sendPart(ctx, to, p, answers) })
	if err != nil {
		b.slowDown(to.Chat, err)
		return 0, err
	}
	var sent struct {
		ID int `json:"message_id"`
	}
	if err := json.Unmarshal(result, &sent); err != nil || sent.ID == 0 {
		return 0, &wireError{Sent: true, Err: errors.New("telegram sent no message id")}
	}
	return sent.ID, nil
}

func within(p part) time.Duration {
	if p.Photo != nil || p.File != nil {
		return fileWithin
	}
	return sendWithin
}

// sendPart picks the method for a message.
func (b *Bot) sendPart(ctx context.Context, to address, p part, answers *models.ReplyParameters) error {
	var err error
	switch {
	case p.Offer != nil:
		err = b.sendInvoice(ctx, to, p, answers)
	case p.Photo != nil:
		_, err = b.lib.SendPhoto(ctx, &tg.SendPhotoParams{
			ChatID: to.Chat, MessageThreadID: to.Thread, Caption: p.Text, CaptionEntities: p.Marks,
			Photo:           &models.InputFileUpload{Filename: "picture.png", Data: bytes.NewReader(p.Photo)},
			ReplyParameters: answers, ReplyMarkup: p.markup(),
		})
	case p.File != nil:
		_, err = b.lib.SendDocument(ctx, &tg.SendDocumentParams{
			ChatID: to.Chat, MessageThreadID: to.Thread, Caption: p.Text, CaptionEntities: p.Marks,
			Document:        &models.InputFileUpload{Filename: fileName(p.File.Name), Data: bytes.NewReader(p.File.Data)},
			ReplyParameters: answers, ReplyMarkup: p.markup(),
		})
	default:
		_, err = b.lib.SendMessage(ctx, &tg.SendMessageParams{
			ChatID: to.Chat, MessageThreadID: to.Thread, Text: p.Text, Entities: p.Marks,
			LinkPreviewOptions: noPreview(), ReplyParameters: answers, ReplyMarkup: p.markup(),
		})
	}
	return err
}

// edit changes one message that was sent as text.
func (b *Bot) edit(ctx context.Context, chat int64, message int, p part, most time.Duration) error {
	if err := b.pace.wait(ctx, chat, true, most); err != nil {
		return err
	}
	_, err := b.call(ctx, sendWithin, func(ctx context.Context) error {
		_, err := b.lib.EditMessageText(ctx, &tg.EditMessageTextParams{
			ChatID: chat, MessageID: message, Text: p.Text, Entities: p.Marks,
			LinkPreviewOptions: noPreview(), ReplyMarkup: p.markup(),
		})
		return err
	})
	if is(err, "message is not modified") {
		return nil
	}
	b.slowDown(chat, err)
	return err
}

// slowDown obeys a 429.
func (b *Bot) slowDown(chat int64, err error) {
	var refused *apiError
	if errors.As(err, &refused) && refused.Status == 429 {
		b.pace.hold(chat, max(refused.After, time.Second))
	}
}

// markup is the reply_markup of a part: its keyboard, force_reply, or nothing.
func (p part) markup() models.ReplyMarkup {
	switch {
	case p.Ask != nil:
		return p.Ask
	case p.Keyboard != nil:
		return p.Keyboard
	}
	return nil // no typed nil, which would be sent as null
}

func noPreview() *models.LinkPreviewOptions {
	yes := true
	return &models.LinkPreviewOptions{IsDisabled: &yes}
}

// fileName keeps a name from being read as a path or breaking the form.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\"`, r) {
			return '_'
		}
		return r
	}, valid(s))
	if s == "" {
		return "file"
	}
	return s
}

// is reports whether Telegram refused with that reason.
func is(err error, what string) bool {
	var refused *apiError
	return errors.As(err, &refused) && strings.Contains(strings.ToLower(refused.What), what)
}

// lostPause is how long to wait after a request that never reached Telegram, or
// that it failed to serve.
const lostPause = 5 * time.Second

// classify says what an error means for a message to a place. Only what may
// have been delivered is Unknown.
func classify(err error, to engine.Place) *engine.PostError {
	pe := &engine.PostError{Kind: engine.Unknown, Err: err}
	var refused *apiError
	var lost *wireError
	var turn *tooLong
	switch {
	case errors.As(err, &turn):
		pe.Kind, pe.After = engine.Later, turn.Wait
	case errors.As(err, &lost):
		if !lost.Sent {
			pe.Kind, pe.After = engine.Later, lostPause
		}
	case errors.As(err, &refused):
		refused.class(pe, to)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		pe.Kind, pe.After = engine.Later, lostPause // while waiting for a turn
	}
	return pe
}

// class puts Telegram's refusal into one of the engine's kinds
// (tdlib/telegram-bot-api, Client.cpp, check_chat and fail_query_with_error).
func (e *apiError) class(pe *engine.PostError, to engine.Place) {
	what := strings.ToLower(e.What)
	says := func(reasons ...string) bool {
		for _, r := range reasons {
			if strings.Contains(what, r) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Status == 429:
		pe.Kind, pe.After = engine.Later, max(e.After, time.Second)
	case e.MoveTo != 0:
		pe.Kind, pe.To = engine.Moved, to
		pe.To.Chat = strconv.FormatInt(e.MoveTo, 10)
		pe.To.Server, pe.To.Thread = pe.To.Chat, ""
	case e.Status >= 500 || e.Status < 400:
		if !e.Plain { // a proxy may have passed the request on
			pe.Kind, pe.After = engine.Later, lostPause
		}
	case e.Status == 401, e.Status == 404, e.Status == 409:
		pe.Kind, pe.After = engine.Later, time.Minute // the whole bot is in trouble, not this message
	case says("chat not found", "thread not found", "topic_deleted", "group chat was deleted", "user is deactivated", "peer_id_invalid"):
		pe.Kind = engine.Gone
	case says("message to edit not found", "message can't be edited", "message_id_invalid", "no text in the message to edit"):
		pe.Kind = engine.Lost
	case e.Status == 403, says("not enough rights", "have no rights", "write_forbidden", "topic_closed", "chat_restricted",
		"need administrator rights", "chat_admin_required", "plain_forbidden", "user_banned_in_channel"):
		pe.Kind = engine.Forbidden
	default:
		pe.Kind = engine.Refused
	}
}
