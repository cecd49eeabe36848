package bottest

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg" // the formats that sendPhoto is given here
	_ "image/png"
	"slices"
	"strings"
	"time"
)

// Limits of messages (https://core.telegram.org/bots/api#sendmessage and the
// pages of the other methods).
const (
	maxText      = 4096
	maxCaption   = 1024
	maxPhotoSize = 10 << 20
	maxFileSize  = 50 << 20
	maxPhotoSide = 10_000 // width and height together
	maxPhotoSkew = 20
	maxRich      = 32_768
)

type tgFile struct {
	upload tgUpload
	data   []byte
	kind   string // photo or document
	width  int
	height int
}

// send does what all methods share that add a message: fill puts the content in,
// then the chat, the topic, the reply and the keyboard are checked.
func (t *Telegram) send(c *tgCall, invoice bool, fill func(m *TelegramMessage, r *tgRoom) *tgError) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := &TelegramMessage{own: true, Silent: c.flag("disable_notification", false), Protected: c.flag("protect_content", false)}
	r, fail := t.reach(c.text("chat_id"))
	// Content is checked for an unreachable chat too: a wrong request stays wrong.
	where := r
	if r == nil {
		where = &tgRoom{TelegramChat: TelegramChat{Type: "private"}}
	}
	markup, bad := c.markup(where.Type, invoice)
	if bad == nil {
		bad = fill(m, where)
	}
	if bad == nil {
		bad = c.unused()
	}
	if bad == nil && c.has("ephemeral_message_parameters") {
		bad = violation("ephemeral messages are not implemented by the fake")
	}
	if bad != nil && (bad.problem != "" || fail == nil) {
		return nil, bad
	}
	if fail != nil {
		return nil, fail
	}
	if fail := t.mayWrite(c, r, m); fail != nil {
		return nil, fail
	}
	m.Keyboard, m.Markup = markup.inline, markup.raw
	me := t.me
	if m.From = &me; r.Type == "channel" {
		chat := r.TelegramChat
		m.From, m.SenderChat = nil, &chat
	}
	r.rival = false
	t.store(r, m)
	t.sends = append(t.sends, tgSend{at: t.now(), chat: r.ID, group: r.Type != "private"})
	if m.Poll != nil {
		t.polls[m.Poll.ID].message = m
	}
	return m.view(), nil
}

// mayWrite checks thread, rights, reply and pace for a message about to be sent.
func (t *Telegram) mayWrite(c *tgCall, r *tgRoom, m *TelegramMessage) *tgError {
	thread, fail := c.small("message_thread_id")
	if fail != nil {
		return fail
	}
	if fail := r.topic(thread, r.isAdmin(t.me.ID)); fail != nil {
		return fail
	}
	m.Thread = thread
	if r.Type == "channel" && !r.isAdmin(t.me.ID) {
		return refuse("need administrator rights in the channel chat")
	}
	if r.muted && !r.isAdmin(t.me.ID) {
		return refuse("not enough rights to send %s to the chat", writes(m))
	}
	if m.ReplyTo, fail = c.replyTo(r); fail != nil {
		return fail
	}
	if m.ReplyTo != nil && m.Thread == 0 {
		m.Thread = m.ReplyTo.Thread // an answer stays in its topic
	}
	return t.pace(r)
}

// writes names a message's content as the server's refusals do.
func writes(m *TelegramMessage) string {
	switch {
	case m.Poll != nil:
		return "polls"
	case m.Photo != nil:
		return "photos"
	case m.Document != nil:
		return "documents"
	case m.Invoice != nil:
		return "invoices"
	}
	return "text messages"
}

func (c *tgCall) replyTo(r *tgRoom) (*TelegramMessage, *tgError) {
	var p struct {
		Message int             `json:"message_id"`
		Chat    json.RawMessage `json:"chat_id"`
		Without bool            `json:"allow_sending_without_reply"`
		Quote   string          `json:"quote"`
	}
	given, fail := c.object("reply_parameters", &p)
	if fail != nil || !given {
		return nil, fail
	}
	if len(p.Chat) > 0 && strings.Trim(string(p.Chat), `"`) != c.text("chat_id") {
		return nil, violation("replies to other chats are not implemented by the fake")
	}
	m := r.messages[p.Message]
	switch {
	case m == nil && p.Without:
		return nil, nil
	case m == nil:
		return nil, refuse("message to be replied not found")
	case p.Quote != "" && !strings.Contains(m.Text+m.Caption, p.Quote):
		return nil, refuse("QUOTE_TEXT_INVALID")
	}
	return m, nil
}

func (t *Telegram) sendMessage(c *tgCall) (any, *tgError) {
	return t.send(c, false, func(m *TelegramMessage, _ *tgRoom) (fail *tgError) {
		m.Text, m.Entities, fail = c.formatted("text", "parse_mode", "entities", 1, maxText)
		return fail
	})
}

func (t *Telegram) sendPhoto(c *tgCall) (any, *tgError) {
	return t.send(c, false, func(m *TelegramMessage, _ *tgRoom) (fail *tgError) {
		m.CaptionAbove = c.flag("show_caption_above_media", false)
		if m.Caption, m.CaptionEntities, fail = c.formatted("caption", "parse_mode", "caption_entities", 0, maxCaption); fail != nil {
			return fail
		}
		m.Photo, fail = t.photo(c, "photo", c.text("photo"))
		return fail
	})
}

func (t *Telegram) sendDocument(c *tgCall) (any, *tgError) {
	return t.send(c, false, func(m *TelegramMessage, _ *tgRoom) (fail *tgError) {
		if m.Caption, m.CaptionEntities, fail = c.formatted("caption", "parse_mode", "caption_entities", 0, maxCaption); fail != nil {
			return fail
		}
		m.Document, fail = t.document(c, "document", c.text("document"))
		return fail
	})
}

// sendRichMessage records the message: its blocks are not laid out.
func (t *Telegram) sendRichMessage(c *tgCall) (any, *tgError) {
	return t.send(c, false, func(m *TelegramMessage, _ *tgRoom) *tgError { return c.rich(m) })
}

// rich reads rich_message. The stored message shows its source as one paragraph.
func (c *tgCall) rich(m *TelegramMessage) *tgError {
	var raw json.RawMessage
	if _, fail := c.object("rich_message", &raw); fail != nil {
		return fail
	}
	var body struct{ HTML, Markdown string }
	if err := json.Unmarshal(raw, &body); err != nil {
		return violation("can't parse rich message JSON object")
	}
	text := body.HTML + body.Markdown
	switch {
	case (body.HTML == "") == (body.Markdown == ""):
		return violation("rich_message must have exactly one of html and markdown")
	case units(text) > maxRich:
		return violation("message is too long").because("rich_message: %d characters, at most %d", units(text), maxRich)
	}
	shown, err := json.Marshal(map[string]any{"blocks": []any{map[string]any{"type": "paragraph", "text": text}}})
	if err != nil {
		return violation("can't parse rich message JSON object")
	}
	m.Rich, m.RichSent = shown, raw
	return nil
}

// known finds a file sent before.
func (t *Telegram) known(value, kind string) (string, tgFile, *tgError) {
	if strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") {
		return "", tgFile{}, violation("files by address are not implemented by the fake")
	}
	f, ok := t.files[value]
	if !ok || f.kind != kind {
		return "", tgFile{}, refuse("wrong file identifier/HTTP URL specified")
	}
	return value, f, nil
}

// keepFile stores an upload and returns its id.
func (t *Telegram) keepFile(f tgFile) string {
	id := "BQACAgIAAx" + base36(t.number()) + "AAF"
	t.files[id] = f
	return id
}

func (t *Telegram) photo(c *tgCall, name, value string) ([]TelegramPhoto, *tgError) {
	up, fail := c.upload(name, value)
	if fail != nil {
		return nil, fail
	}
	var id string
	var f tgFile
	if up == nil {
		if id, f, fail = t.known(value, "photo"); fail != nil {
			return nil, fail
		}
	} else {
		cfg, _, err := image.DecodeConfig(bytes.NewReader(up.data))
		switch {
		case len(up.data) > maxPhotoSize:
			return nil, violation("file is too big").because("%s: %d bytes, a photo has at most 10 MB", name, len(up.data))
		case err != nil:
			return nil, violation("IMAGE_PROCESS_FAILED").because("%s: %v", name, err)
		case cfg.Width+cfg.Height > maxPhotoSide || max(cfg.Width, cfg.Height) > maxPhotoSkew*min(cfg.Width, cfg.Height):
			return nil, violation("PHOTO_INVALID_DIMENSIONS").because("%s: %d x %d", name, cfg.Width, cfg.Height)
		}
		f = tgFile{upload: *up, data: up.data, kind: "photo", width: cfg.Width, height: cfg.Height}
		id = t.keepFile(f)
	}
	return []TelegramPhoto{{FileID: id, UniqueID: "U" + id[len(id)-10:], Width: f.width, Height: f.height, Size: len(f.data)}}, nil
}

func (t *Telegram) document(c *tgCall, name, value string) (*TelegramDocument, *tgError) {
	up, fail := c.upload(name, value)
	if fail != nil {
		return nil, fail
	}
	var id string
	var f tgFile
	if up == nil {
		if id, f, fail = t.known(value, "document"); fail != nil {
			return nil, fail
		}
	} else {
		if len(up.data) > maxFileSize {
			return nil, violation("file is too big").because("%s: %d bytes, at most 50 MB", name, len(up.data))
		}
		f = tgFile{upload: *up, data: slices.Clone(up.data), kind: "document"}
		id = t.keepFile(f)
	}
	return &TelegramDocument{FileID: id, UniqueID: "U" + id[len(id)-10:], Name: f.upload.name, MIME: f.upload.mime, Size: len(f.data)}, nil
}

// chatActions are the values of sendChatAction
// (https://core.telegram.org/bots/api#sendchataction).
func chatActions() []string {
	return []string{"typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
		"upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note"}
}

func (t *Telegram) sendChatAction(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(chatActions(), c.text("action")) {
		return nil, violation("wrong parameter action in request")
	}
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, fail
	}
	if r.Type == "channel" {
		return nil, violation("chat actions don't work in channels")
	}
	thread, fail := c.small("message_thread_id")
	if fail == nil {
		fail = r.topic(thread, r.isAdmin(t.me.ID))
	}
	return true, fail
}

// tgSend is one message the bot sent, for the pace.
type tgSend struct {
	at    time.Time
	chat  int64
	group bool
}
