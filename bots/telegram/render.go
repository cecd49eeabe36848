package telegram

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"aiprep/content"
	"aiprep/engine"
)

// Limits of what is sent.
const (
	maxText     = 4096   // UTF-16 units, https://core.telegram.org/bots/api#sendmessage
	maxCaption  = 1024   // UTF-16 units, https://core.telegram.org/bots/api#sendphoto
	maxTitle    = 256    // our own: a title is one line
	maxRow      = 8      // buttons; clients show no more
	maxButtons  = 100    // refused as "reply markup is too long" beyond, like
	maxMarkup   = 10_000 // bytes of JSON
	maxAction   = 64     // bytes, https://core.telegram.org/bots/api#inlinekeyboardbutton
	maxAlert    = 200    // UTF-16 units, https://core.telegram.org/bots/api#answercallbackquery
	maxInputTip = 64     // UTF-16 units, https://core.telegram.org/bots/api#forcereply
)

// part is one Telegram message. At most one of Photo and File is set; Text is
// then the caption. Text has no markup: Marks say how it looks, with offsets
// and lengths in UTF-16 units.
type part struct {
	Text     string                 `json:"text,omitempty"`
	Marks    []models.MessageEntity `json:"entities,omitempty"`
	Photo    []byte                 `json:"photo,omitempty"`
	File     *engine.File           `json:"file,omitempty"`
	Offer    *engine.Offer          `json:"offer,omitempty"` // instead of a text
	Keyboard *keyboard              `json:"reply_markup,omitempty"`
	Ask      *models.ForceReply     `json:"force_reply,omitempty"` // instead of a keyboard
}

// keyboard is an InlineKeyboardMarkup. The library's buttons have a field for
// every action, and Telegram wants exactly one in each.
type keyboard struct {
	Rows [][]button `json:"inline_keyboard"`
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
	Pay  bool   `json:"pay,omitempty"`
}

// render makes the Telegram messages that show m, at least one. A text too
// long for one goes on in the next; the buttons are below the last.
func render(m engine.Message) []part {
	title, text := plainLine(m.Title, maxTitle), clean(m.Text)
	var parts []part
	switch {
	case m.Offer != nil && m.Offer.Stars > 0:
		return []part{invoice(*m.Offer, m.Buttons)}
	case m.Image != nil:
		whole := text
		if alt := strings.TrimSpace(m.Image.Alt); alt != "" {
			whole = content.Join(text, clean(content.Plain(alt)))
		}
		if titled(title, whole) <= maxCaption {
			parts = []part{caption(title, whole)}
		} else {
			parts = append([]part{caption("", clean(content.Plain(m.Image.Alt)).Cut(maxCaption))}, pages(title, text)...)
		}
		parts[0].Photo = m.Image.PNG
	case m.File != nil:
		if titled(title, text) <= maxCaption {
			parts = []part{caption(title, text)}
		} else {
			parts = append(pages(title, text), part{})
		}
		parts[len(parts)-1].File = m.File
	default:
		parts = pages(title, text)
	}
	parts[len(parts)-1].Keyboard = buttons(m.Buttons)
	return parts
}

// renderOne makes the one message that shows m where there can be only one: a
// text too long for it is cut.
func renderOne(m engine.Message) part {
	title := plainLine(m.Title, maxTitle)
	most := maxText
	if m.Image != nil || m.File != nil {
		most = maxCaption
	}
	text := clean(m.Text)
	if m.Image != nil && titled(title, text) > most {
		m.Image = &engine.Image{PNG: m.Image.PNG} // the text says more than the words for the picture
	}
	if titled(title, text) > most {
		m.Text = text.Cut(most - titled(title, nil) - len(titleGap))
	}
	parts := render(m)
	first := parts[0]
	first.Keyboard = parts[len(parts)-1].Keyboard
	return first
}

// question makes the message that asks for a line of text.
func question(p engine.Prompt) part {
	text := content.Join(content.Plain(p.Label))
	if p.Hint != "" {
		text = text.Append(content.Span{Text: "\n" + p.Hint, Style: content.Mono})
	}
	one := renderOne(engine.Message{Title: p.Title, Text: text})
	one.Ask = &models.ForceReply{ForceReply: true, InputFieldPlaceholder: plainLine(p.Hint, maxInputTip)}
	return one
}

// titleGap parts a title from the text.
const titleGap = "\n\n"

// titled is the length of a title and a text together.
func titled(title string, text content.Text) int {
	n := units(title)
	if n > 0 && len(text) > 0 {
		n += len(titleGap)
	}
	return n + text.Len()
}

func caption(title string, text content.Text) part {
	var w writer
	w.title(title, len(text) > 0)
	w.text(text)
	return part{Text: w.b.String(), Marks: w.marks}
}

// pages makes the messages of a text, at least one. None is empty.
func pages(title string, text content.Text) []part {
	var parts []part
	room := maxText - titled(title, nil) - len(titleGap)
	for _, piece := range text.Split(room) {
		parts = append(parts, caption(title, piece))
		title = ""
	}
	if len(parts) == 0 {
		parts = []part{caption(title, nil)}
	}
	for i := range parts {
		if strings.TrimSpace(parts[i].Text) == "" {
			parts[i] = part{Text: "…"} // an empty message is refused
		}
	}
	return parts
}

// writer collects a text and its entities.
type writer struct {
	b     strings.Builder
	n     int // UTF-16 units so far
	marks []models.MessageEntity
}

func (w *writer) plain(s string) {
	w.b.WriteString(s)
	w.n += units(s)
}

// styled writes s and marks it with each of the given entities.
func (w *writer) styled(s string, marks ...models.MessageEntity) {
	from := w.n
	w.plain(s)
	w.mark(from, marks...)
}

func (w *writer) mark(from int, marks ...models.MessageEntity) {
	for _, e := range marks {
		if e.Offset, e.Length = from, w.n-from; e.Length > 0 {
			w.marks = append(w.marks, e)
		}
	}
}

func (w *writer) title(title string, more bool) {
	w.styled(title, models.MessageEntity{Type: models.MessageEntityTypeBold})
	if title != "" && more {
		w.plain(titleGap)
	}
}

// text writes what t.String() would return, and marks it.
func (w *writer) text(t content.Text) {
	quote := -1 // where the open quotation began
	endQuote := func() {
		if quote >= 0 {
			w.mark(quote, models.MessageEntity{Type: models.MessageEntityTypeBlockquote})
			quote = -1
		}
	}
	for n, b := range t {
		if b.Kind != content.Quote {
			endQuote()
		}
		if n > 0 {
			w.plain(gap(t[n-1], b))
		}
		if b.Kind == content.Quote && quote < 0 {
			quote = w.n
		}
		w.plain(lead(b))
		for _, s := range b.Spans {
			w.styled(s.Text, look(b, s)...)
		}
	}
	endQuote()
}

// look chooses the entities of a span. Code stands alone: Telegram allows no
// other entity in it or around it, but a quotation.
func look(b content.Block, s content.Span) []models.MessageEntity {
	switch {
	case b.Kind == content.CodeBlock:
		return []models.MessageEntity{{Type: models.MessageEntityTypePre, Language: b.Lang}}
	case code(s):
		return []models.MessageEntity{{Type: models.MessageEntityTypeCode}}
	}
	var marks []models.MessageEntity
	add := func(on bool, e models.MessageEntityType) {
		if on {
			marks = append(marks, models.MessageEntity{Type: e})
		}
	}
	if webLink(s.URL) {
		marks = append(marks, models.MessageEntity{Type: models.MessageEntityTypeTextLink, URL: s.URL})
	}
	add(s.Style&content.Bold != 0 || b.Kind == content.Heading, models.MessageEntityTypeBold)
	add(s.Style&content.Italic != 0, models.MessageEntityTypeItalic)
	add(s.Style&content.Strike != 0, models.MessageEntityTypeStrikethrough)
	return marks
}

// code says whether a span is shown as code, which a link never is: Telegram
// finds no mention in code, but does in a link.
func code(s content.Span) bool { return s.Style&content.Mono != 0 && s.URL == "" }

// lead and gap ask content.Text what String puts before a block's spans and
// between two blocks, so that the layout is decided in one place.
func lead(b content.Block) string {
	return content.Text{{Kind: b.Kind, Level: b.Level, Mark: b.Mark}}.String()
}

func gap(a, b content.Block) string {
	x, y := content.Block{Kind: a.Kind}, content.Block{Kind: b.Kind}
	s := content.Text{x, y}.String()
	return s[len(lead(x)) : len(s)-len(lead(y))]
}

// clean returns t as Telegram can take it: valid UTF-8, and without anything
// that Telegram would take for a mention. Its lengths are what is sent.
func clean(t content.Text) content.Text {
	out := make(content.Text, 0, len(t))
	for _, b := range t {
		b.Mark = valid(b.Mark)
		b.Lang = valid(b.Lang)
		spans := make([]content.Span, 0, len(b.Spans))
		for _, s := range b.Spans {
			s.Text = valid(s.Text)
			if b.Kind != content.CodeBlock && !code(s) {
				s.Text = unmention(s.Text)
			}
			spans = append(spans, s)
		}
		b.Spans = spans
		out = append(out, b)
	}
	return out
}

// valid drops what no client shows and replaces what is no UTF-8.
func valid(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, s)
}

// unmention puts a word joiner, which is invisible, behind each "@": Telegram
// itself looks for mentions in every text, and they notify people.
func unmention(s string) string { return strings.ReplaceAll(s, "@", "@\u2060") }

// plainLine is s as one clean line of at most n UTF-16 units.
func plainLine(s string, n int) string {
	s = strings.Join(strings.Fields(unmention(valid(s))), " ")
	return content.Text{{Spans: []content.Span{{Text: s}}}}.Cut(n).String()
}

// buttons lays a keyboard out within Telegram's limits; what cannot be a
// button is left out.
func buttons(rows [][]engine.Button) *keyboard {
	k := &keyboard{}
	count, size := 0, len(`{"inline_keyboard":[]}`)
	for _, row := range rows {
		var line []button
		for _, b := range row {
			one, ok := toButton(b)
			if !ok {
				continue
			}
			raw, err := json.Marshal(one)
			if size += len(raw) + len(`[],`); err != nil || count == maxButtons || size > maxMarkup {
				continue
			}
			count++
			if line = append(line, one); len(line) == maxRow {
				k.Rows, line = append(k.Rows, line), nil
			}
		}
		if len(line) > 0 {
			k.Rows = append(k.Rows, line)
		}
	}
	if len(k.Rows) == 0 {
		return nil
	}
	return k
}

func toButton(b engine.Button) (button, bool) {
	label := plainLine(b.Label, maxInputTip)
	switch {
	case label == "":
		return button{}, false
	case b.Action != "":
		return button{Text: label, Data: b.Action}, len(b.Action) <= maxAction
	}
	return button{Text: label, URL: b.URL}, webLink(b.URL)
}

// webLink reports whether Telegram takes a link: the whole message is refused
// for one that it does not.
func webLink(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && strings.Contains(u.Hostname(), ".") &&
		!strings.ContainsAny(link, " \n\t")
}

// alert is what a press in public shows of a whisper: its beginning in at most
// 200 characters, and where there is more. whole reports that nothing was left out.
func alert(m engine.Message, more string) (text string, whole bool) {
	title := plainLine(m.Title, maxTitle)
	text = strings.TrimSpace(title + "\n" + clean(m.Text).String())
	if units(text) <= maxAlert && len(m.Buttons) == 0 && m.Image == nil && m.File == nil && m.Offer == nil {
		return text, true
	}
	more = "\n" + more
	room := maxAlert - units(more)
	title = plainLine(title, room)
	if left := room - units(title) - 1; left > 0 && len(m.Text) > 0 {
		title = strings.TrimSpace(title + "\n" + clean(m.Text).Cut(left).String())
	}
	return strings.TrimSpace(title + more), false
}

// units is the length of s in UTF-16 units, which is how Telegram counts.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
