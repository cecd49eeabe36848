package engine

import (
	"cmp"
	"strings"

	"aiprep/content"
)

// settings serves the command: what a person chose for themselves.
func (t *turn) settings() (Reply, error) {
	args, err := t.knownArgs()
	if err != nil {
		return Reply{}, err
	}
	for _, name := range []string{"zone", "level", "daily", "language", "rest", "vacation", "share", "board"} {
		if args[name] == "" {
			continue
		}
		if err := t.choose(name, args[name]); err != nil {
			return Reply{}, err
		}
	}
	return t.settingsForm()
}

func (t *turn) settingsForm() (Reply, error) {
	m := &Message{Title: t.say(wSettingsTitle)}
	zone := t.zone()
	m.Text = append(m.Text, t.text(wSettingsZone, "zone", zone.String(), "now", t.in.At.In(zone).Format("15:04"))...)
	m.Text = append(m.Text, t.text(wSettingsLevel, "level", t.levelName(t.person.Level))...)
	var levels []Button
	for _, c := range t.words.levelChoices() {
		levels = append(levels, Button{Label: c.Label, Action: verbMy + " level " + c.Value})
	}
	share, change := wNo, t.button(wShareOn, verbMy, "share", "yes")
	if t.person.Consent == consentYes {
		share, change = wYes, t.button(wShareOff, verbMy, "share", "no")
	}
	m.Text = append(m.Text, t.text(wSettingsLanguage, "language", t.languageSaid(t.person.Lang))...)
	at, err := t.dailyTime()
	if err != nil {
		return Reply{}, err
	}
	daily := t.button(wDailyAt, verbMy, "ask", "daily")
	if at != "" {
		daily = t.button(wDailyOff, verbMy, "daily", "off")
	}
	m.Text = append(m.Text, t.text(wSettingsDaily, "time", cmp.Or(at, t.say(wOff)))...)
	m.Text = append(m.Text, t.restLines()...)
	onBoards, board := wYes, t.button(wBoardHide, verbMy, "board", "hide")
	if t.person.Hidden {
		onBoards, board = wNo, t.button(wBoardShow, verbMy, "board", "show")
	}
	m.Text = append(m.Text, t.text(wSettingsBoard, "shown", t.say(onBoards))...)
	m.Text = append(m.Text, t.text(wSettingsShare, "share", t.say(share))...)
	var speak []Button
	for _, c := range t.words.languageChoices() {
		speak = append(speak, Button{Label: label(c.Label), Action: verbMy + " language " + c.Value})
	}
	m.Buttons = [][]Button{levels, speak, {t.button(wChangeZone, verbMy, "ask", "zone"), t.button(wChangeRest, verbMy, "ask", "rest"), t.button(wVacation, verbMy, "ask", "vacation")}, {daily, change, board}}
	return t.show(m), nil
}

func (t *turn) levelName(level int) string {
	if level == 0 {
		return t.say(wLevelAny)
	}
	return content.Level(level).String()
}

// my changes one setting: "my level mid", "my zone Europe/Berlin", or asks for
// one with "my ask zone".
func (t *turn) my() (Reply, error) {
	if len(t.in.Args) < 2 {
		return t.settingsForm()
	}
	name, value := t.in.Args[0], strings.Join(t.in.Args[1:], " ")
	if name == "ask" {
		return Reply{Ask: t.askMine(value)}, nil
	}
	if err := t.choose(name, value); err != nil {
		return Reply{}, err
	}
	if err := t.tx.Delete(keyAsk(t.id)); err != nil {
		return Reply{}, err
	}
	return t.settingsForm()
}

// askMine asks for the line of text that a setting takes.
func (t *turn) askMine(what string) *Prompt {
	switch what {
	case "daily":
		return &Prompt{Action: verbMy + " daily", Title: t.say(wAskTimeTitle), Label: t.say(wAskTime), Hint: t.say(wHintTime)}
	case "rest":
		return &Prompt{Action: verbMy + " rest", Title: t.say(wAskRestTitle), Label: t.say(wAskRest), Hint: t.say(wHintRest)}
	case "vacation":
		return &Prompt{Action: verbMy + " vacation", Title: t.say(wAskVacationTitle), Label: t.say(wAskVacation), Hint: t.say(wHintVacation)}
	}
	return t.askZone(verbMy + " zone")
}

func (t *turn) askZone(action string) *Prompt {
	return &Prompt{Action: action, Title: t.say(wAskZoneTitle), Label: t.say(wAskZone), Hint: t.say(wHintZone)}
}

// choose validates and saves one personal setting.
func (t *turn) choose(name, value string) error {
	if err := t.enrol(); err != nil {
		return err
	}
	switch name {
	case "zone":
		zone, err := t.readZone(value)
		if err != nil {
			return err
		}
		t.person.Zone = zone
		if err := t.followPrivate(); err != nil {
			return err
		}
	case "level":
		level, err := t.parseLevel(value)
		if err != nil {
			return err
		}
		t.person.Level = level
		if err := t.followPrivate(); err != nil {
			return err
		}
	case "daily":
		return t.chooseDaily(value)
	case "language":
		lang, err := t.readLanguage(value)
		if err != nil {
			return err
		}
		t.person.Lang = lang
		t.speak()
		if err := t.followPrivate(); err != nil {
			return err
		}
	case "rest":
		return t.chooseRest(value)
	case "vacation":
		return t.chooseVacation(value)
	case "share":
		consent, ok := map[string]int{"yes": consentYes, "no": consentNo}[strings.ToLower(value)]
		if !ok {
			return t.sorry(wYesOrNo, "value", value)
		}
		t.person.Consent = consent
	case "board":
		if value != "show" && value != "hide" {
			return t.sorry(wUnknownOption, "word", value, "options", "show, hide")
		}
		t.person.Hidden = value == "hide"
	default:
		return t.sorry(wUnknownCommand)
	}
	return t.savePerson()
}

func (t *turn) parseLevel(s string) (int, error) {
	s = strings.ToLower(s)
	if s == "any" {
		return 0, nil
	}
	l, ok := content.ParseLevel(s)
	if !ok {
		return 0, t.sorry(wLevelUnknown, "level", s)
	}
	return int(l), nil
}

// readZone finds a zone, or says which ones are spelt nearly so.
func (t *turn) readZone(value string) (string, error) {
	loc, err := ParseZone(value)
	if err == nil {
		return loc.String(), nil
	}
	if near := SuggestZones(value, 3); len(near) > 0 {
		return "", t.sorry(wBadZoneNear, "value", value, "near", strings.Join(near, ", "))
	}
	return "", t.sorry(wBadZone, "value", value)
}
