package bottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tgOrder is the body of every POST to the control interface; each command uses
// some of its fields.
type tgOrder struct {
	// Who, where, what.
	ID           int64   `json:"id"`
	By           int64   `json:"by"`
	User         int64   `json:"user"`
	Chat         int64   `json:"chat"`
	Message      int     `json:"message"`
	Text         string  `json:"text"`
	Data         string  `json:"data"`
	Label        string  `json:"label"`
	Stale        bool    `json:"stale"`
	Options      []int   `json:"options"`
	Thread       int     `json:"thread"`
	ReplyTo      int     `json:"reply_to"`
	Anonymous    bool    `json:"anonymous"`
	FirstName    string  `json:"first_name"`
	LastName     string  `json:"last_name"`
	Username     string  `json:"username"`
	LanguageCode string  `json:"language_code"`
	Type         string  `json:"type"`
	Title        string  `json:"title"`
	IsForum      bool    `json:"is_forum"`
	Owner        int64   `json:"owner"`
	Members      []int64 `json:"members"`
	Bot          string  `json:"bot"` // "", member or administrator
	Do           string  `json:"do"`
	On           bool    `json:"on"`
	// Faults, clock, queue.
	Match      string          `json:"match"`
	Times      int             `json:"times"`
	Kind       string          `json:"kind"`
	RetryAfter int             `json:"retry_after"`
	Code       int             `json:"code"`
	To         int64           `json:"to"`
	Hang       bool            `json:"hang"`
	Advance    string          `json:"advance"`
	Next       int64           `json:"next"`
	Fresh      bool            `json:"fresh"`
	Update     json.RawMessage `json:"update"`
}

type tgCommand func(t *Telegram, o tgOrder) (any, error)

// orders are the commands under POST /_control/.
func orders() map[string]tgCommand {
	return map[string]tgCommand{
		"user": func(t *Telegram, o tgOrder) (any, error) {
			return nil, t.AddUser(TelegramUser{ID: o.ID, FirstName: o.FirstName, LastName: o.LastName, Username: o.Username, LanguageCode: o.LanguageCode})
		},
		"chat": orderChat,
		"text": orderText,
		"press": func(t *Telegram, o tgOrder) (any, error) {
			m := TelegramMessage{ID: o.Message, Chat: TelegramChat{ID: o.Chat}}
			press, by := t.Press, o.Data
			if o.Stale {
				press = t.PressStale
			} else if o.Label != "" {
				press, by = t.PressLabel, o.Label
			}
			p, err := press(o.User, m, by)
			if err != nil {
				return nil, err
			}
			return map[string]any{"query_id": p.QueryID, "update_id": p.UpdateID}, nil
		},
		"vote": func(t *Telegram, o tgOrder) (any, error) {
			id, err := t.vote(o.User, TelegramMessage{ID: o.Message, Chat: TelegramChat{ID: o.Chat}}, o.Options, o.Anonymous)
			return map[string]any{"update_id": id}, err
		},
		"member": orderMember,
		"topic":  orderTopic,
		"fault": func(t *Telegram, o tgOrder) (any, error) {
			kind, err := telegramFault(o.Kind, time.Duration(o.RetryAfter)*time.Second, o.Text, o.Code, o.To, o.Hang)
			if err == nil {
				t.Inject(Fault{Match: o.Match, Times: o.Times, Kind: kind})
			}
			return nil, err
		},
		"clock": func(t *Telegram, o tgOrder) (any, error) {
			d, err := time.ParseDuration(o.Advance)
			if err == nil {
				t.Advance(d)
			}
			return map[string]any{"now": t.Now().Format(time.RFC3339Nano)}, err
		},
		"offset": func(t *Telegram, o tgOrder) (any, error) { return nil, t.JumpUpdates(o.Next) },
		"double": func(t *Telegram, o tgOrder) (any, error) {
			id, err := t.Double(o.ID, o.Fresh)
			return map[string]any{"update_id": id}, err
		},
		"poison": func(t *Telegram, o tgOrder) (any, error) {
			id, err := t.Poison(string(o.Update))
			return map[string]any{"update_id": id}, err
		},
		"forget": func(t *Telegram, _ tgOrder) (any, error) { t.ForgetRequests(); t.ClearFaults(); return nil, nil },
	}
}

func orderChat(t *Telegram, o tgOrder) (any, error) {
	err := t.AddChat(TelegramChat{ID: o.ID, Type: o.Type, Title: o.Title, Username: o.Username, IsForum: o.IsForum}, o.Owner, o.Members...)
	if err == nil && o.Bot != "" {
		err = t.AddBot(o.Owner, o.ID, o.Bot == statusAdmin)
	}
	return nil, err
}

func orderText(t *Telegram, o tgOrder) (any, error) {
	var opts []TelegramTextOption
	if o.Thread != 0 {
		opts = append(opts, TelegramThread(o.Thread))
	}
	if o.ReplyTo != 0 {
		opts = append(opts, TelegramReply(o.ReplyTo))
	}
	if o.Anonymous {
		opts = append(opts, TelegramAnonymous())
	}
	m, err := t.Text(o.User, o.Chat, o.Text, opts...)
	return map[string]any{"message_id": m.ID, "update_id": m.UpdateID}, err
}

// orderMember is everything that changes who is where. The member is o.User, the
// bot when it is 0; o.By acts, o.User himself when it is 0.
func orderMember(t *Telegram, o tgOrder) (any, error) {
	by, who := o.By, o.User
	if by == 0 {
		by = who
	}
	if who == 0 {
		who = t.me.ID
	}
	switch o.Do {
	case "join":
		return nil, t.Join(o.User, o.Chat)
	case "leave":
		return nil, t.Leave(o.User, o.Chat)
	case "promote":
		return nil, t.Promote(by, o.Chat, who)
	case "demote":
		return nil, t.Demote(by, o.Chat, who)
	case "anonymous":
		return nil, t.Anonymous(o.Chat, o.User, o.On)
	case "block":
		return nil, t.Block(o.User)
	case "unblock":
		return nil, t.Unblock(o.User)
	case "deactivate":
		return nil, t.Deactivate(o.User)
	case "add_bot":
		return nil, t.AddBot(by, o.Chat, o.On)
	case "kick_bot":
		return nil, t.KickBot(by, o.Chat)
	case "mute_bot":
		return nil, t.Mute(by, o.Chat, o.On)
	case "delete_chat":
		return nil, t.DeleteChat(by, o.Chat)
	case "migrate":
		id, err := t.Migrate(by, o.Chat)
		return map[string]any{"id": id}, err
	}
	return nil, fmt.Errorf("unknown change %q", o.Do)
}

func orderTopic(t *Telegram, o tgOrder) (any, error) {
	switch o.Do {
	case "add":
		id, err := t.AddTopic(o.By, o.Chat, o.Title)
		return map[string]any{"thread": id}, err
	case "close":
		return nil, t.CloseTopic(o.By, o.Chat, o.Thread)
	case "reopen":
		return nil, t.ReopenTopic(o.By, o.Chat, o.Thread)
	case "delete":
		return nil, t.DeleteTopic(o.By, o.Chat, o.Thread)
	}
	return nil, fmt.Errorf("unknown change %q of a topic", o.Do)
}

// control serves /_control/: POST gives orders, GET asks. Answers are JSON; a
// refusal is 400 with {"error"}.
func (t *Telegram) control(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/_control/")
	var out any
	var err error
	switch r.Method {
	case http.MethodGet:
		out, err = t.asked(r, name)
	case http.MethodPost:
		out, err = t.ordered(w, r, name)
	default:
		err = errors.New("want GET or POST")
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		out = map[string]any{"error": err.Error()}
		w.WriteHeader(http.StatusBadRequest)
	} else if out == nil {
		out = map[string]any{}
	}
	_ = json.NewEncoder(w).Encode(out) // the caller may be gone
}

func (t *Telegram) ordered(w http.ResponseWriter, r *http.Request, name string) (any, error) {
	do := orders()[name]
	if do == nil {
		return nil, fmt.Errorf("unknown order %q", name)
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	var o tgOrder
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("read the order %q: %w", name, err)
	}
	return do(t, o)
}

// asked answers questions. messages takes chat, and with after and timeout waits
// until the bot has written something newer than that message id.
func (t *Telegram) asked(r *http.Request, name string) (any, error) {
	q := r.URL.Query()
	switch name {
	case "messages":
		return t.askedMessages(r)
	case "requests":
		out := []map[string]any{}
		for _, x := range t.Requests() {
			if m := q.Get("method"); m == "" || x.Path == "/"+m {
				out = append(out, map[string]any{"time": x.Time, "method": strings.TrimPrefix(x.Path, "/"),
					"params": json.RawMessage(orNull(x.Body)), "status": x.Status, "problem": x.Problem})
			}
		}
		return out, nil
	case "problems":
		return append([]string{}, t.Problems()...), nil
	case "answers":
		return t.Answers(), nil
	case "unanswered":
		return append([]string{}, t.Unanswered()...), nil
	case "rate":
		return t.Rate(), nil
	case "acknowledged":
		ctx, cancel, err := patience(r)
		if err != nil {
			return nil, err
		}
		defer cancel()
		return nil, t.Acknowledged(ctx)
	case "offset":
		t.mu.Lock()
		defer t.mu.Unlock()
		return map[string]any{"next": t.queue.next, "pending": len(t.queue.list), "lost": t.queue.lost, "polling": t.queue.poll != nil}, nil
	case "bot":
		return map[string]any{"id": t.me.ID, "username": t.Username, "token": t.Token}, nil
	}
	return nil, fmt.Errorf("unknown question %q", name)
}

func (t *Telegram) askedMessages(r *http.Request) (any, error) {
	q := r.URL.Query()
	chat, err := strconv.ParseInt(q.Get("chat"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read chat: %w", err)
	}
	if q.Has("after") {
		after, err := strconv.Atoi(q.Get("after"))
		if err != nil {
			return nil, fmt.Errorf("read after: %w", err)
		}
		ctx, cancel, err := patience(r)
		if err != nil {
			return nil, err
		}
		defer cancel()
		if _, err := t.WaitBot(ctx, chat, TelegramMessage{ID: after}); err != nil {
			return nil, err
		}
	}
	out := []map[string]any{}
	for _, m := range t.Visible(chat) {
		var one map[string]any
		d := json.NewDecoder(strings.NewReader(string(mustJSON(m))))
		d.UseNumber()
		if err := d.Decode(&one); err != nil {
			return nil, err
		}
		one["_bot"], one["_edits"], one["_update_id"] = m.Bot(), m.Edits, m.UpdateID
		if m.Markup != nil {
			one["_markup"] = m.Markup
		}
		out = append(out, one)
	}
	return out, nil
}
