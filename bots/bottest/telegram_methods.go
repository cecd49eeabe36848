package bottest

import (
	"strconv"
	"strings"
)

// tgHandler does one method. A result with a nil error is the answer's result.
type tgHandler func(*Telegram, *tgCall) (any, *tgError)

// methods are those that the fake performs, by name.
func methods() map[string]tgHandler {
	m := map[string]tgHandler{
		"getMe":                  (*Telegram).getMe,
		"getUpdates":             (*Telegram).getUpdates,
		"setWebhook":             (*Telegram).setWebhook,
		"deleteWebhook":          (*Telegram).deleteWebhook,
		"getWebhookInfo":         (*Telegram).getWebhookInfo,
		"sendMessage":            (*Telegram).sendMessage,
		"sendPhoto":              (*Telegram).sendPhoto,
		"sendDocument":           (*Telegram).sendDocument,
		"sendPoll":               (*Telegram).sendPoll,
		"stopPoll":               (*Telegram).stopPoll,
		"sendInvoice":            (*Telegram).sendInvoice,
		"sendRichMessage":        (*Telegram).sendRichMessage,
		"sendChatAction":         (*Telegram).sendChatAction,
		"editMessageText":        (*Telegram).editMessageText,
		"editMessageCaption":     (*Telegram).editMessageCaption,
		"editMessageMedia":       (*Telegram).editMessageMedia,
		"editMessageReplyMarkup": (*Telegram).editMessageReplyMarkup,
		"deleteMessage":          (*Telegram).deleteMessage,
		"answerCallbackQuery":    (*Telegram).answerCallbackQuery,
		"answerPreCheckoutQuery": (*Telegram).answerPreCheckoutQuery,
		"refundStarPayment":      (*Telegram).refundStarPayment,
		"getStarTransactions":    (*Telegram).getStarTransactions,
		"setMyCommands":          (*Telegram).setMyCommands,
		"getMyCommands":          (*Telegram).getMyCommands,
		"deleteMyCommands":       (*Telegram).deleteMyCommands,
		"getChat":                (*Telegram).getChat,
		"getChatMember":          (*Telegram).getChatMember,
		"getChatAdministrators":  (*Telegram).getChatAdministrators,
		"leaveChat":              (*Telegram).leaveChat,
	}
	for name, text := range map[string]profileText{
		"setMyName":             {"name", maxName, func(p *tgProfile) map[string]string { return p.name }},
		"setMyDescription":      {"description", maxProfile, func(p *tgProfile) map[string]string { return p.about }},
		"setMyShortDescription": {"short_description", maxProfileShort, func(p *tgProfile) map[string]string { return p.short }},
	} {
		m[name] = func(t *Telegram, c *tgCall) (any, *tgError) { return t.setProfile(c, text) }
	}
	return m
}

// lookup finds a method whatever its letters' case. name is empty for a method
// that does not exist; the handler is nil for one that the fake does not perform.
func (t *Telegram) lookup(method string) (tgHandler, string) {
	if t.api != nil {
		name := t.api.names[strings.ToLower(method)]
		return t.methods[name], name
	}
	for name, h := range t.methods {
		if strings.EqualFold(name, method) {
			return h, name
		}
	}
	return nil, ""
}

func base36(n int64) string { return strconv.FormatInt(n, 36) }
