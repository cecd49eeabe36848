package engine

import (
	"slices"
	"strings"
)

// picker offers the values of one setting.
func (t *turn) picker(what string) (Reply, error) {
	tok := string(t.space.Token)
	values := map[string][]string{
		"time":   {"08:00", "09:00", "12:00", "15:00", "18:00", "20:00"},
		"zone":   {"UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Kolkata", "Asia/Singapore", "Asia/Tokyo"},
		"days":   {"daily", "Mon-Fri", "Sat,Sun"},
		"quorum": {"1", "2", "3", "5", "10"},
	}[what]
	var buttons []Button
	for _, v := range values {
		buttons = append(buttons, Button{Label: v, Action: strings.Join([]string{verbSet, tok, what, v}, " ")})
	}
	switch what {
	case "level":
		for _, c := range t.words.levelChoices() {
			buttons = append(buttons, Button{Label: c.Label, Action: strings.Join([]string{verbSet, tok, what, c.Value}, " ")})
		}
	case "topics":
		buttons = t.topicButtons(tok)
	case "time", "zone", "days":
		buttons = append(buttons, t.button(wOther, verbSet, tok, "ask", what))
	case "quorum":
	default:
		return Reply{}, t.sorry(wUnknownCommand)
	}
	m := &Message{Title: t.say(wPick), Text: t.text(wPickHelp, "what", what)}
	m.Buttons = append(grid(buttons, pickColumns(len(buttons))), []Button{t.button(wDone, verbSet, tok, "form")})
	return t.show(m), nil
}

// pickColumns keeps pickers within four rows, and labels readable.
func pickColumns(n int) int { return max(2, (n+3)/4) }

// topicButtons are the offered categories, a tick at those chosen.
func (t *turn) topicButtons(tok string) []Button {
	var buttons []Button
	for _, c := range t.e.bank.Categories {
		if len(t.e.offered(c.ID)) == 0 {
			continue
		}
		name, press := c.Title, "on"
		if slices.Contains(t.space.Topics, c.ID) {
			name, press = "✓ "+name, "off"
		}
		buttons = append(buttons, Button{Label: label(name), Action: strings.Join([]string{verbSet, tok, "topic", c.ID, press}, " ")})
	}
	return buttons
}

func (t *turn) askSetting(what string) *Prompt {
	action := strings.Join([]string{verbSet, string(t.space.Token), what}, " ")
	switch what {
	case "time":
		return &Prompt{Action: action, Title: t.say(wAskTimeTitle), Label: t.say(wAskTime), Hint: t.say(wHintTime)}
	case "days":
		return &Prompt{Action: action, Title: t.say(wAskDaysTitle), Label: t.say(wAskDays), Hint: t.say(wHintDays)}
	}
	return t.askZone(action)
}
