package bottest

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"
)

// deletable is how long a message may be deleted
// (https://core.telegram.org/bots/api#deletemessage).
const deletable = 48 * time.Hour

// target finds the message of an edit or a deletion; verb stands in refusals.
func (t *Telegram) target(c *tgCall, verb string) (*tgRoom, *TelegramMessage, *tgError) {
	if c.has("inline_message_id") {
		return nil, nil, violation("inline messages are not implemented by the fake")
	}
	if !c.has("chat_id") || !c.has("message_id") {
		return nil, nil, violation("message identifier is not specified")
	}
	r, fail := t.reach(c.text("chat_id"))
	if fail != nil {
		return nil, nil, fail
	}
	id, fail := c.small("message_id")
	if fail != nil {
		return nil, nil, fail
	}
	m := r.messages[id]
	if m == nil {
		return nil, nil, refuse("message %s not found", verb)
	}
	return r, m, nil
}

// edit does what the editing methods share: fill changes a copy of the message.
func (t *Telegram) edit(c *tgCall, fill func(m *TelegramMessage) *tgError) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, old, fail := t.target(c, "to edit")
	where := "private"
	var m TelegramMessage
	if old != nil {
		where, m = r.Type, old.view()
		m.ReplyTo, m.Poll = old.ReplyTo, old.Poll // the chat's own, not copies
	}
	markup, bad := c.markup(where, m.Invoice != nil)
	if bad == nil && (old == nil || old.own) {
		bad = fill(&m)
	}
	if bad == nil {
		bad = c.unused()
	}
	if bad != nil && (bad.problem != "" || fail == nil) {
		return nil, bad
	}
	switch {
	case fail != nil:
		return nil, fail
	case !old.own:
		return nil, refuse("message can't be edited")
	case markup.given && markup.inline == nil && !isEmptyKeyboard(markup.raw):
		return nil, violation("inline keyboard expected")
	}
	// Without reply_markup an edit takes the keyboard away.
	m.Keyboard, m.Markup = markup.inline, markup.raw
	if sameContent(old, &m) {
		return nil, refuse("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if old.Keyboard != nil {
		m.before = append(m.before, *old.Keyboard)
	}
	m.Edits++
	m.EditDate = t.now().Unix()
	*old = m
	t.touch()
	return old.view(), nil
}

func isEmptyKeyboard(raw json.RawMessage) bool {
	var k struct {
		Rows []any `json:"inline_keyboard"`
	}
	return json.Unmarshal(raw, &k) == nil && k.Rows != nil && len(k.Rows) == 0
}

// sameContent compares what a reader sees.
func sameContent(a, b *TelegramMessage) bool {
	content := func(m *TelegramMessage) []byte {
		return mustJSON([]any{m.Text, m.Entities, m.Caption, m.CaptionEntities, m.CaptionAbove, m.Photo,
			m.Document, m.RichSent, m.Keyboard})
	}
	return bytes.Equal(content(a), content(b))
}

func (t *Telegram) editMessageText(c *tgCall) (any, *tgError) {
	return t.edit(c, func(m *TelegramMessage) *tgError {
		if c.has("rich_message") == c.has("text") {
			return violation("message text is empty").because("want exactly one of text and rich_message")
		}
		if c.has("rich_message") {
			m.Text, m.Entities = "", nil
			return c.rich(m)
		}
		text, marks, fail := c.formatted("text", "parse_mode", "entities", 1, maxText)
		if fail != nil {
			return fail
		}
		if m.ID != 0 && m.Text == "" && m.RichSent == nil {
			return refuse("there is no text in the message to edit")
		}
		m.Text, m.Entities, m.Rich, m.RichSent = text, marks, nil, nil
		return nil
	})
}

func (t *Telegram) editMessageCaption(c *tgCall) (any, *tgError) {
	return t.edit(c, func(m *TelegramMessage) *tgError {
		text, marks, fail := c.formatted("caption", "parse_mode", "caption_entities", 0, maxCaption)
		if fail != nil {
			return fail
		}
		if m.ID != 0 && m.Photo == nil && m.Document == nil {
			return refuse("there is no caption in the message to edit")
		}
		m.Caption, m.CaptionEntities = text, marks
		m.CaptionAbove = c.flag("show_caption_above_media", m.CaptionAbove)
		return nil
	})
}

func (t *Telegram) editMessageMedia(c *tgCall) (any, *tgError) {
	return t.edit(c, func(m *TelegramMessage) *tgError {
		var media struct {
			Type, Media, Caption string
			Mode                 string           `json:"parse_mode"`
			Marks                []TelegramEntity `json:"caption_entities"`
			Above                bool             `json:"show_caption_above_media"`
		}
		if given, fail := c.object("media", &media); fail != nil || !given {
			return violation("can't parse InputMedia").because("media: %+v", fail)
		}
		text, marks, fail := formattedText(media.Caption, media.Mode, media.Marks, 0, maxCaption, "caption")
		if fail != nil {
			return fail
		}
		if m.ID != 0 && m.Poll != nil {
			return refuse("message can't be edited")
		}
		m.Photo, m.Document, m.Text, m.Entities, m.Rich, m.RichSent = nil, nil, "", nil, nil, nil
		switch media.Type {
		case "photo":
			m.Photo, fail = t.photo(c, "media", media.Media)
		case "document":
			m.Document, fail = t.document(c, "media", media.Media)
		default:
			fail = violation("media of type %q is not implemented by the fake", media.Type)
		}
		m.Caption, m.CaptionEntities, m.CaptionAbove = text, marks, media.Above
		return fail
	})
}

func (t *Telegram) editMessageReplyMarkup(c *tgCall) (any, *tgError) {
	return t.edit(c, func(*TelegramMessage) *tgError { return nil })
}

func (t *Telegram) deleteMessage(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, m, fail := t.target(c, "to delete")
	if fail != nil {
		return nil, fail
	}
	age := t.now().Sub(time.Unix(m.Date, 0))
	may := m.own || r.Type == "private" || r.isAdmin(t.me.ID)
	if !may || age > deletable {
		return nil, refuse("message can't be deleted")
	}
	t.remove(r, m.ID)
	return true, nil
}

func (t *Telegram) remove(r *tgRoom, id int) {
	delete(r.messages, id)
	r.order = slices.DeleteFunc(r.order, func(x int) bool { return x == id })
	t.touch()
}
