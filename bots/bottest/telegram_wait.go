package bottest

import (
	"context"
	"fmt"
	"time"
)

// WaitMessage waits until a chat shows a message that ok accepts and returns the
// newest such.
func (t *Telegram) WaitMessage(ctx context.Context, chat int64, ok func(TelegramMessage) bool) (TelegramMessage, error) {
	var out TelegramMessage
	err := t.Wait(ctx, fmt.Sprintf("a message in chat %d", chat), func() bool {
		list := t.Visible(chat)
		for i := len(list) - 1; i >= 0; i-- {
			if ok(list[i]) {
				out = list[i]
				return true
			}
		}
		return false
	})
	return out, err
}

// WaitBot waits for the bot's next message in a chat after the one given, whose
// zero value stands for the chat's beginning.
func (t *Telegram) WaitBot(ctx context.Context, chat int64, after TelegramMessage) (TelegramMessage, error) {
	var out TelegramMessage
	err := t.Wait(ctx, fmt.Sprintf("a message of the bot in chat %d after %d", chat, after.ID), func() bool {
		for _, m := range t.FromBot(chat) {
			if m.ID > after.ID {
				out = m
				return true
			}
		}
		return false
	})
	return out, err
}

// WaitCalls waits until a method was called with success n times or more, and
// returns the parameters of all those calls.
func (t *Telegram) WaitCalls(ctx context.Context, method string, n int) ([]map[string]any, error) {
	var out []map[string]any
	err := t.Wait(ctx, fmt.Sprintf("%d calls of %s", n, method), func() bool {
		out = t.Calls(method)
		return len(out) >= n
	})
	return out, err
}

// TelegramBadRequest is a fault that answers 400 with a description such as
// "chat not found".
func TelegramBadRequest(description string) FaultKind {
	return telegramStatus(tgReply{Code: 400, Desc: "Bad Request: " + description})
}

// TelegramMigrated is a fault that answers 400 with migrate_to_chat_id.
func TelegramMigrated(to int64) FaultKind {
	return telegramStatus(tgReply{Code: 400, Desc: "Bad Request: group chat was upgraded to a supergroup chat", Params: &tgParams{MigrateTo: to}})
}

// TelegramServerError is a fault that answers 500 in Telegram's own JSON, which
// proves that nothing was done.
func TelegramServerError() FaultKind {
	return telegramStatus(tgReply{Code: 500, Desc: "Internal Server Error"})
}

// TelegramConflict is a fault that answers 409 as to the older of two pollers.
func TelegramConflict() FaultKind {
	return telegramStatus(tgReply{Code: 409, Desc: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"})
}

func telegramStatus(r tgReply) FaultKind {
	return Status{Code: r.Code, Body: string(mustJSON(r)), ContentType: "application/json"}
}

// telegramFault builds a fault from the words of the control interface.
func telegramFault(kind string, retry time.Duration, text string, code int, to int64, hang bool) (FaultKind, error) {
	switch kind {
	case "rate_limited":
		return RateLimited{RetryAfter: retry}, nil
	case "bad_gateway":
		return BadGateway{}, nil
	case "accept_then_timeout":
		return AcceptThenTimeout{Hang: hang}, nil
	case "dropped":
		return Dropped{Hang: hang}, nil
	case "forbidden":
		return Forbidden{Code: 403, Message: text}, nil
	case "bad_request":
		return TelegramBadRequest(text), nil
	case "migrated":
		return TelegramMigrated(to), nil
	case "server_error":
		return TelegramServerError(), nil
	case "conflict":
		return TelegramConflict(), nil
	case "status":
		return Status{Code: code, Body: text}, nil
	}
	return nil, fmt.Errorf("unknown kind of fault %q", kind)
}
