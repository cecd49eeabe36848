package bottest

import "encoding/json"

// TelegramUser is a User object of the Bot API.
type TelegramUser struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`
}

// TelegramChat is a Chat object of the Bot API. Type is private, group,
// supergroup or channel; ids of groups are negative, those of supergroups and
// channels start with -100.
type TelegramChat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	Username  string `json:"username,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	IsForum   bool   `json:"is_forum,omitempty"`
}

// TelegramEntity is a MessageEntity; Offset and Length count UTF-16 units.
type TelegramEntity struct {
	Type          string        `json:"type"`
	Offset        int           `json:"offset"`
	Length        int           `json:"length"`
	URL           string        `json:"url,omitempty"`
	User          *TelegramUser `json:"user,omitempty"`
	Language      string        `json:"language,omitempty"`
	CustomEmojiID string        `json:"custom_emoji_id,omitempty"`
	UnixTime      int64         `json:"unix_time,omitempty"`
	TimeFormat    string        `json:"date_time_format,omitempty"`
}

// TelegramButton is one button of an inline keyboard. Other holds the actions
// that the fake keeps but does not perform, such as web_app.
type TelegramButton struct {
	Text     string                     `json:"text"`
	Style    string                     `json:"style,omitempty"`
	Data     string                     `json:"callback_data,omitempty"`
	URL      string                     `json:"url,omitempty"`
	Pay      bool                       `json:"pay,omitempty"`
	CopyText *TelegramCopyText          `json:"copy_text,omitempty"`
	Disabled *struct{}                  `json:"disabled,omitempty"`
	Other    map[string]json.RawMessage `json:"-"`
}

// TelegramCopyText is the text that a button copies.
type TelegramCopyText struct {
	Text string `json:"text"`
}

// TelegramKeyboard is an inline keyboard, row by row.
type TelegramKeyboard struct {
	Rows [][]TelegramButton `json:"inline_keyboard"`
}

// TelegramPhoto is one size of a photo.
type TelegramPhoto struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Size     int    `json:"file_size,omitempty"`
}

// TelegramDocument is a general file.
type TelegramDocument struct {
	FileID   string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Name     string `json:"file_name,omitempty"`
	MIME     string `json:"mime_type,omitempty"`
	Size     int    `json:"file_size,omitempty"`
}

// TelegramPoll is a Poll object.
type TelegramPoll struct {
	ID               string               `json:"id"`
	Question         string               `json:"question"`
	QuestionEntities []TelegramEntity     `json:"question_entities,omitempty"`
	Options          []TelegramPollOption `json:"options"`
	Voters           int                  `json:"total_voter_count"`
	Closed           bool                 `json:"is_closed"`
	Anonymous        bool                 `json:"is_anonymous"`
	Type             string               `json:"type"`
	Multiple         bool                 `json:"allows_multiple_answers"`
	Revoting         bool                 `json:"allows_revoting"`
	MembersOnly      bool                 `json:"members_only"`
	Correct          []int                `json:"correct_option_ids,omitempty"`
	Explanation      string               `json:"explanation,omitempty"`
	ExplanationMarks []TelegramEntity     `json:"explanation_entities,omitempty"`
	OpenPeriod       int                  `json:"open_period,omitempty"`
	CloseDate        int64                `json:"close_date,omitempty"`
	// Description is there only in polls inside messages.
	Description      string           `json:"description,omitempty"`
	DescriptionMarks []TelegramEntity `json:"description_entities,omitempty"`
}

// TelegramPollOption is one answer option of a poll.
type TelegramPollOption struct {
	PersistentID string           `json:"persistent_id"`
	Text         string           `json:"text"`
	Entities     []TelegramEntity `json:"text_entities,omitempty"`
	Voters       int              `json:"voter_count"`
}

// TelegramInvoice is an Invoice object.
type TelegramInvoice struct {
	Title          string `json:"title"`
	Description    string `json:"description"`
	StartParameter string `json:"start_parameter"`
	Currency       string `json:"currency"`
	Total          int    `json:"total_amount"`
}

// TelegramReceipt is a SuccessfulPayment object, or a RefundedPayment one.
type TelegramReceipt struct {
	Currency       string `json:"currency"`
	Total          int    `json:"total_amount"`
	Payload        string `json:"invoice_payload"`
	ChargeID       string `json:"telegram_payment_charge_id"`
	ProviderCharge string `json:"provider_payment_charge_id"`
}

// TelegramTopic is a ForumTopicCreated object.
type TelegramTopic struct {
	Name  string `json:"name"`
	Color int    `json:"icon_color"`
}

// TelegramMessage is a message as it stands in its chat now. The JSON form is
// the Bot API's Message object; the fields without one are the fake's knowledge.
type TelegramMessage struct {
	ID              int                `json:"message_id"`
	Thread          int                `json:"message_thread_id,omitempty"`
	From            *TelegramUser      `json:"from,omitempty"`
	SenderChat      *TelegramChat      `json:"sender_chat,omitempty"`
	Date            int64              `json:"date"`
	Chat            TelegramChat       `json:"chat"`
	InTopic         bool               `json:"is_topic_message,omitempty"`
	ReplyTo         *TelegramMessage   `json:"reply_to_message,omitempty"`
	EditDate        int64              `json:"edit_date,omitempty"`
	Protected       bool               `json:"has_protected_content,omitempty"`
	Signature       string             `json:"author_signature,omitempty"`
	Text            string             `json:"text,omitempty"`
	Entities        []TelegramEntity   `json:"entities,omitempty"`
	Rich            json.RawMessage    `json:"rich_message,omitempty"`
	Document        *TelegramDocument  `json:"document,omitempty"`
	Photo           []TelegramPhoto    `json:"photo,omitempty"`
	Caption         string             `json:"caption,omitempty"`
	CaptionEntities []TelegramEntity   `json:"caption_entities,omitempty"`
	CaptionAbove    bool               `json:"show_caption_above_media,omitempty"`
	Poll            *TelegramPoll      `json:"poll,omitempty"`
	Joined          []TelegramUser     `json:"new_chat_members,omitempty"`
	Left            *TelegramUser      `json:"left_chat_member,omitempty"`
	MigrateTo       int64              `json:"migrate_to_chat_id,omitempty"`
	MigrateFrom     int64              `json:"migrate_from_chat_id,omitempty"`
	TopicCreated    *TelegramTopic     `json:"forum_topic_created,omitempty"`
	TopicClosed     *struct{}          `json:"forum_topic_closed,omitempty"`
	TopicReopened   *struct{}          `json:"forum_topic_reopened,omitempty"`
	Invoice         *TelegramInvoice   `json:"invoice,omitempty"`
	Payment         *TelegramReceipt   `json:"successful_payment,omitempty"`
	Refund          *TelegramReceipt   `json:"refunded_payment,omitempty"`
	Keyboard        *TelegramKeyboard  `json:"reply_markup,omitempty"`
	Markup          json.RawMessage    `json:"-"` // reply_markup as the bot sent it, of any kind
	RichSent        json.RawMessage    `json:"-"` // rich_message as the bot sent it
	Edits           int                `json:"-"` // how often the bot changed it
	Silent          bool               `json:"-"` // sent with disable_notification
	UpdateID        int64              `json:"-"` // the update that told the bot of it, 0 when none did
	own             bool               // written by the bot
	payload         string             // of an invoice
	before          []TelegramKeyboard // keyboards it carried before
}

// Bot reports whether the bot under test wrote the message.
func (m TelegramMessage) Bot() bool { return m.own }

// Buttons returns the buttons of the inline keyboard in reading order.
func (m TelegramMessage) Buttons() []TelegramButton {
	var out []TelegramButton
	if m.Keyboard != nil {
		for _, row := range m.Keyboard.Rows {
			out = append(out, row...)
		}
	}
	return out
}

// Words is the text that a person reads: the text, or else the caption.
func (m TelegramMessage) Words() string {
	switch {
	case m.Text != "":
		return m.Text
	case m.Invoice != nil:
		return m.Invoice.Title + "\n" + m.Invoice.Description
	}
	return m.Caption
}

// UnmarshalJSON keeps the actions that TelegramButton has no field for.
func (b *TelegramButton) UnmarshalJSON(raw []byte) error {
	type plain TelegramButton
	if err := json.Unmarshal(raw, (*plain)(b)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, known := range []string{"text", "style", "callback_data", "url", "pay", "copy_text", "disabled"} {
		delete(all, known)
	}
	if len(all) > 0 {
		b.Other = all
	}
	return nil
}

// MarshalJSON puts them back.
func (b TelegramButton) MarshalJSON() ([]byte, error) {
	type plain TelegramButton
	raw, err := json.Marshal(plain(b))
	if err != nil || len(b.Other) == 0 {
		return raw, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for k, v := range b.Other {
		all[k] = v
	}
	return json.Marshal(all)
}
