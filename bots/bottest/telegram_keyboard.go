package bottest

import (
	"encoding/json"
	"net/url"
	"strings"
)

// Sizes of keyboards. The specification has none; the server answers "reply
// markup is too long" (tdlib/telegram-bot-api, Client.cpp, REPLY_MARKUP_TOO_LONG)
// and clients show at most eight buttons a row.
const (
	maxButtons    = 100
	maxRow        = 8
	maxMarkup     = 10_000
	maxCallback   = 64 // bytes, https://core.telegram.org/bots/api#inlinekeyboardbutton
	maxCopyText   = 256
	maxInputHint  = 64
	maxButtonText = 256 // not published; far beyond what a screen shows
)

// tgMarkup is a checked reply_markup.
type tgMarkup struct {
	raw    json.RawMessage
	inline *TelegramKeyboard // nil for the other kinds and for an empty keyboard
	given  bool
}

// markup reads and checks reply_markup for a chat of the given type; invoice
// tells whether a pay button is in place.
func (c *tgCall) markup(chatType string, invoice bool) (tgMarkup, *tgError) {
	var raw json.RawMessage
	given, fail := c.object("reply_markup", &raw)
	if fail != nil || !given {
		return tgMarkup{}, fail
	}
	if len(raw) > maxMarkup {
		return tgMarkup{}, violation("reply markup is too long").because("reply_markup: %d bytes, at most %d", len(raw), maxMarkup)
	}
	var shape map[string]json.RawMessage
	if err := json.Unmarshal(raw, &shape); err != nil || shape == nil {
		return tgMarkup{}, violation("object expected as reply markup")
	}
	m := tgMarkup{raw: raw, given: true}
	if _, inline := shape["inline_keyboard"]; inline {
		m.inline, fail = inlineKeyboard(raw, chatType, invoice)
		return m, fail
	}
	if chatType == "channel" {
		return m, violation("reply markup of this kind can't be used in channels")
	}
	return m, checkOtherMarkup(shape)
}

func checkOtherMarkup(shape map[string]json.RawMessage) *tgError {
	var hint string
	if raw, ok := shape["input_field_placeholder"]; ok {
		if err := json.Unmarshal(raw, &hint); err != nil || hint == "" || units(hint) > maxInputHint {
			return violation("input_field_placeholder must have 1-64 characters")
		}
	}
	switch {
	case shape["keyboard"] != nil:
		return checkReplyKeyboard(shape["keyboard"])
	case string(shape["remove_keyboard"]) == "true", string(shape["force_reply"]) == "true":
		return nil
	}
	return violation("can't parse reply keyboard markup JSON object").because("reply_markup: none of the four kinds")
}

func checkReplyKeyboard(raw json.RawMessage) *tgError {
	var rows [][]any
	if err := json.Unmarshal(raw, &rows); err != nil || len(rows) == 0 {
		return violation("can't parse reply keyboard: want an array of arrays of buttons")
	}
	total := 0
	for _, row := range rows {
		if total += len(row); len(row) == 0 || len(row) > maxRow || total > maxButtons {
			return violation("reply markup is too long").because("keyboard: a row of %d, %d buttons so far", len(row), total)
		}
	}
	return nil
}

func inlineKeyboard(raw json.RawMessage, chatType string, invoice bool) (*TelegramKeyboard, *tgError) {
	var rows struct {
		Rows [][]json.RawMessage `json:"inline_keyboard"`
	}
	if err := json.Unmarshal(raw, &rows); err != nil || rows.Rows == nil {
		return nil, violation("can't parse inline keyboard markup JSON object").because("inline_keyboard: want an array of arrays: %v", err)
	}
	k := &TelegramKeyboard{}
	total := 0
	for y, row := range rows.Rows {
		if total += len(row); len(row) > maxRow || total > maxButtons {
			return nil, violation("reply markup is too long").because("inline_keyboard: row %d has %d buttons, %d so far; at most %d and %d",
				y, len(row), total, maxRow, maxButtons)
		}
		if len(row) == 0 {
			return nil, violation("can't parse inline keyboard: row %d is empty", y)
		}
		var buttons []TelegramButton
		for x, one := range row {
			b, fail := inlineButton(one, chatType, invoice && y == 0 && x == 0)
			if fail != nil {
				return nil, fail
			}
			buttons = append(buttons, b)
		}
		k.Rows = append(k.Rows, buttons)
	}
	if invoice && (total == 0 || !k.Rows[0][0].Pay) {
		return nil, violation("the first button of an invoice must be a pay button")
	}
	if total == 0 {
		return nil, nil
	}
	return k, nil
}

// actions are the fields that say what a button does; exactly one must be there.
//
// go-telegram/bot up to v1.19 added an empty copy_text to every button. v1.24
// leaves it out, so no exception is made.
func actions() []string {
	return []string{"url", "callback_data", "web_app", "login_url", "switch_inline_query",
		"switch_inline_query_current_chat", "switch_inline_query_chosen_chat", "copy_text", "callback_game", "pay", "disabled"}
}

func inlineButton(raw json.RawMessage, chatType string, mayPay bool) (TelegramButton, *tgError) {
	var b TelegramButton
	var shape map[string]json.RawMessage
	if err := json.Unmarshal(raw, &b); err != nil {
		return b, violation("can't parse inline keyboard button: %v", err)
	}
	if err := json.Unmarshal(raw, &shape); err != nil {
		return b, violation("can't parse inline keyboard button: %v", err)
	}
	if b.Text == "" || units(b.Text) > maxButtonText {
		return b, violation("can't parse inline keyboard button: text of %d characters", units(b.Text))
	}
	found := ""
	for _, name := range actions() {
		if _, there := shape[name]; !there {
			continue
		}
		if found != "" {
			return b, violation("can't parse inline keyboard button: both %s and %s", found, name).
				because("button %q must have exactly one action, has %s and %s", b.Text, found, name)
		}
		found = name
	}
	return b, checkAction(b, found, chatType, mayPay)
}

func checkAction(b TelegramButton, action, chatType string, mayPay bool) *tgError {
	switch action {
	case "":
		return violation("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
	case "callback_data":
		if n := len(b.Data); n < 1 || n > maxCallback {
			return violation("BUTTON_DATA_INVALID").because("callback_data of button %q: %d bytes, want 1-%d", b.Text, n, maxCallback)
		}
	case "url":
		u, err := url.Parse(b.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "tg" || u.Host == "" {
			return violation("inline keyboard button URL '%s' is invalid: Wrong HTTP URL", b.URL)
		}
	case "web_app":
		if chatType != "private" {
			return violation("BUTTON_TYPE_INVALID").because("button %q: web_app works in private chats only", b.Text)
		}
		var app struct{ URL string }
		if err := json.Unmarshal(b.Other["web_app"], &app); err != nil || !strings.HasPrefix(app.URL, "https://") {
			return violation("inline keyboard button Web App URL '%s' is invalid: Only HTTPS links are allowed", app.URL)
		}
	case "pay":
		if !b.Pay || !mayPay {
			return violation("BUTTON_TYPE_INVALID").because("button %q: pay must be true, first, and in an invoice", b.Text)
		}
	case "callback_game":
		return violation("BUTTON_TYPE_INVALID").because("button %q: games are not implemented by the fake", b.Text)
	case "copy_text":
		if n := units(b.CopyText.Text); n < 1 || n > maxCopyText {
			return violation("BUTTON_COPY_TEXT_INVALID").because("copy_text of button %q: %d characters, want 1-%d", b.Text, n, maxCopyText)
		}
	}
	return nil
}
