package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"aiprep/content"
)

// setup serves the command. Settings given with it are saved and switch the
// daily on, but for one that was paused: that is started by resume alone.
// Without any it shows the form.
func (t *turn) setup() (Reply, error) {
	if err := t.openSetup(); err != nil {
		return Reply{}, err
	}
	args, err := t.knownArgs()
	if err != nil {
		return Reply{}, err
	}
	changed := false
	for _, o := range t.cmd.Options {
		value, given := args[o.Name]
		if !given || value == "" || o.Name == "show" {
			continue
		}
		if err := t.change(o.Name, value); err != nil {
			return Reply{}, err
		}
		changed = true
	}
	if show := args["show"]; show != "" {
		return t.showSetup(show)
	}
	if changed && t.space.State != statePaused && !t.paused() {
		return t.switchOn()
	}
	return t.form()
}

// openSetup makes sure that the space and the token of its buttons exist.
func (t *turn) openSetup() error {
	if err := t.settle(); err != nil {
		return err
	}
	s := &t.space
	if s.Token != "" {
		return nil
	}
	s.Token = idFrom(mac(t.e.secret, "setup", string(t.spaceID)))
	s.Hour, s.Days = 9, EveryDay
	if s.Zone == "" {
		s.Zone = t.zone().String()
	}
	if err := put(t.tx, keyToken(s.Token), tokenFor{Space: t.spaceID}); err != nil {
		return err
	}
	return t.saveSpace()
}

// set serves the form's buttons: set <token> <what> [value].
func (t *turn) set() (Reply, error) {
	if len(t.in.Args) < 2 || t.space.Token == "" || t.in.Args[0] != string(t.space.Token) {
		return Reply{}, t.sorry(wSetupElsewhere)
	}
	what, value := t.in.Args[1], strings.Join(t.in.Args[2:], " ")
	switch what {
	case "form":
		return t.form()
	case "pick":
		return t.picker(value)
	case "ask":
		if value != "time" && value != "zone" && value != "days" {
			return Reply{}, t.sorry(wUnknownCommand)
		}
		return Reply{Ask: t.askSetting(value)}, nil
	case "channel":
		// A channel comes from the platform's own picker, through setup; what
		// reaches set may be forged, and can only mean the place it comes from.
		if value != "here" {
			return Reply{}, t.sorry(wSetupElsewhere)
		}
	case "on":
		return t.switchOn()
	case setupCheck, setupPreview, setupExcuse:
		return t.showSetup(what, t.in.Args[2:]...)
	case "role":
		if value != "none" {
			return Reply{}, t.sorry(wSetupElsewhere)
		}
	case "now":
		return t.postNow()
	case "pause":
		return t.pause()
	case "topic":
		if err := t.tickTopic(t.in.Args[2:]); err != nil {
			return Reply{}, err
		}
		return t.picker("topics")
	}
	if err := t.change(what, value); err != nil {
		return Reply{}, err
	}
	if t.id != "" {
		if err := t.tx.Delete(keyAsk(t.id)); err != nil {
			return Reply{}, err
		}
	}
	return t.form()
}

// change validates and saves one setting, and plans the next post anew.
func (t *turn) change(what, value string) error {
	s := &t.space
	switch what {
	case "time":
		hh, mm, err := ParseClock(value)
		if err != nil {
			return t.sorry(wBadTime, "value", value)
		}
		s.Hour, s.Minute = hh, mm
	case "zone":
		zone, err := t.readZone(value)
		if err != nil {
			return err
		}
		s.Zone = zone
	case "days":
		days, err := ParseDays(t.words.readDays(value))
		if err != nil {
			return t.sorry(wBadDays, "value", value)
		}
		s.Days = days
	case "level":
		level, err := t.parseLevel(value)
		if err != nil {
			return err
		}
		s.Level = level
	case "quorum":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1000 {
			return t.sorry(wQuorumRange)
		}
		s.Quorum = n
		if err := t.meetOpenDay(); err != nil {
			return err
		}
	case "channel":
		// A channel comes from the platform's own picker. A press can be
		// forged, so it can only mean the place where it is made.
		if t.pressed() && value != "here" {
			return t.sorry(wSetupElsewhere)
		}
		s.Place.Chat, s.Place.Thread = splitPlace(value, t.in.In)
	case "topics":
		return t.changeTopics(value)
	default:
		if err := t.changeLook(what, value); err != nil {
			return err
		}
	}
	return t.schedule().replan()
}

// splitPlace reads a channel: "here", an id, or chat and thread ids with a
// slash between.
func splitPlace(value string, here Place) (chat, thread string) {
	if value == "here" {
		return here.Chat, here.Thread
	}
	chat, thread, _ = strings.Cut(value, "/")
	return chat, thread
}

// changeTopics reads topics and categories with commas between, or "all".
func (t *turn) changeTopics(value string) error {
	var scopes []string
	for scope := range strings.SplitSeq(strings.ToLower(value), ",") {
		scope = strings.TrimSpace(scope)
		if scope == "all" || scope == "" {
			continue
		}
		if _, err := t.scopeTopics(scope); err != nil {
			return err
		}
		if tp := t.e.bank.Topic(scope); tp != nil {
			scope = tp.ID // one name for a topic, however it was written
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	t.space.Topics = scopes
	return t.schedule().replan()
}

// tickTopic serves set <token> topic <scope> on|off. The button says what it
// makes of the topic, so a doubled press changes nothing.
func (t *turn) tickTopic(args []string) error {
	if len(args) != 2 {
		return t.sorry(wUnknownCommand)
	}
	scope := args[0]
	if _, err := t.scopeTopics(scope); err != nil {
		return err
	}
	t.space.Topics = slices.DeleteFunc(t.space.Topics, func(s string) bool { return s == scope })
	if args[1] == "on" {
		t.space.Topics = append(t.space.Topics, scope)
	}
	return t.schedule().replan()
}

// switchOn starts posting, also after a pause or a suspension.
func (t *turn) switchOn() (Reply, error) {
	t.space.State, t.space.Why, t.space.Until = stateOn, "", 0
	t.space.Admin = ID(cmp.Or(string(t.id), string(t.space.Admin)))
	if err := t.schedule().replan(); err != nil {
		return Reply{}, err
	}
	return t.form()
}

// postNow posts today's challenge at once; it counts as today's.
func (t *turn) postNow() (Reply, error) {
	t.space.State, t.space.Why = stateOn, ""
	done, err := t.schedule().today()
	if err != nil {
		return Reply{}, err
	}
	if !done {
		return Reply{}, t.sorry(wAlreadyPosted)
	}
	t.putJobs = true
	// Today's is on its way, so the form shows what comes after it; saved it is
	// only when it was sent.
	today := DateOf(t.in.At, zoneOf(t.space.Zone))
	t.space.Last, t.space.Posted = max(t.space.Last, today), max(t.space.Posted, today)
	r, err := t.form()
	if err == nil {
		m := r.Whisper
		if m == nil {
			m = r.Replace
		}
		m.Title = t.say(wPostingNow)
	}
	return r, err
}

// pause and resume stop and start a server's daily; nothing is lost.
func (t *turn) pause() (Reply, error) {
	if t.space.State == "" {
		return Reply{}, t.sorry(wNotRunning)
	}
	args, err := t.knownArgs()
	if err != nil {
		return Reply{}, err
	}
	if days := args["days"]; days != "" {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 365 {
			return Reply{}, t.sorry(wBadPause, "value", days)
		}
		return t.pauseUntil(DateOf(t.in.At, zoneOf(t.space.Zone)) + Date(n) - 1)
	}
	t.space.State = statePaused
	if err := t.schedule().replan(); err != nil {
		return Reply{}, err
	}
	m := &Message{Title: t.say(wPausedTitle), Text: t.text(wPaused)}
	m.Buttons = [][]Button{{t.button(wTurnOn, verbSet, string(t.space.Token), "on")}}
	return t.show(m), nil
}

// pauseUntil posts nothing for the dates up to and including d; it ends by
// itself.
func (t *turn) pauseUntil(d Date) (Reply, error) {
	t.space.State, t.space.Why, t.space.Until = stateOn, "", d
	if err := t.schedule().replan(); err != nil {
		return Reply{}, err
	}
	return t.form()
}

// paused reports whether a pause with an end is under way.
func (t *turn) paused() bool {
	return t.space.State == stateOn && t.space.Until >= DateOf(t.in.At, zoneOf(t.space.Zone))
}

// skip leaves out the next challenge; the one after it comes as usual.
func (t *turn) skip() (Reply, error) {
	if t.space.State != stateOn {
		return Reply{}, t.sorry(wNotRunning)
	}
	d, _, ok := t.schedule().next(t.in.At)
	if !ok {
		return Reply{}, t.sorry(wNotRunning)
	}
	return t.pauseUntil(d)
}

func (t *turn) resume() (Reply, error) {
	if t.space.State == "" {
		return t.setup()
	}
	return t.switchOn()
}

// form shows a server's settings, the next three posts and what can be
// changed.
func (t *turn) form() (Reply, error) {
	s := &t.space
	m := &Message{Title: t.say(wSetupOff)}
	switch s.State {
	case stateOn:
		m.Title = t.say(wSetupOn)
	case statePaused:
		m.Title = t.say(wPausedTitle)
	case stateSuspended:
		m.Title = t.say(wSuspendedTitle)
		m.Text = append(m.Text, t.text(wSuspended, "why", t.words.whySuspended(s.Why))...)
	}
	if t.paused() {
		m.Title = t.say(wPausedUntil, "date", t.words.date(t.space.Until))
	}
	where := t.say(wThisChat)
	if s.Place.Chat != t.in.In.Chat || s.Place.Thread != t.in.In.Thread {
		where = t.say(wOtherChat, "id", s.Place.Chat)
	}
	topics := strings.Join(s.Topics, ", ")
	if topics == "" {
		topics = t.say(wAllTopics)
	}
	m.Text = append(m.Text, t.text(wSetupForm,
		"time", clock(s.Hour, s.Minute), "zone", s.Zone, "days", t.words.days(s.Days), "where", where,
		"topics", topics, "level", t.levelName(s.Level), "quorum", max(1, s.Quorum))...)
	if s.Lang != "" {
		m.Text = append(m.Text, t.text(wSetupLanguage, "language", languageName(s.Lang))...)
	}
	if s.Polls {
		m.Text = append(m.Text, t.text(wSetupPolls)...)
	}
	if s.Role != "" {
		m.Text = append(m.Text, t.text(wSetupRole)...)
	}
	m.Text = append(m.Text, t.nextPosts()...)
	m.Buttons = t.formButtons()
	return t.show(m), nil
}

// nextPosts lists the next three posts as they are, or would be, due.
func (t *turn) nextPosts() content.Text {
	text := t.text(wNextPosts)
	for _, sl := range t.schedule().upcoming(t.in.At, 3) {
		text = append(text, content.Block{Kind: content.ListItem, Mark: "•", Spans: []content.Span{
			{Text: t.words.when(sl.at, zoneOf(t.space.Zone))},
		}})
	}
	return text
}

func (t *turn) formButtons() [][]Button {
	tok := string(t.space.Token)
	first := t.button(wTurnOn, verbSet, tok, "on")
	if t.space.State == stateOn && !t.paused() {
		first = t.button(wPauseButton, verbSet, tok, "pause")
	}
	rows := [][]Button{{first}}
	if t.space.Posted < DateOf(t.in.At, zoneOf(t.space.Zone)) {
		rows[0] = append(rows[0], t.button(wPostNow, verbSet, tok, "now"))
	}
	if t.space.Role != "" {
		rows[0] = append(rows[0], t.button(wNoRole, verbSet, tok, "role", "none"))
	}
	return append(rows,
		[]Button{t.button(wSetTime, verbSet, tok, "pick", "time"), t.button(wSetZone, verbSet, tok, "pick", "zone"), t.button(wSetDays, verbSet, tok, "pick", "days")},
		[]Button{t.button(wSetTopics, verbSet, tok, "pick", "topics"), t.button(wSetLevel, verbSet, tok, "pick", "level"), t.button(wSetQuorum, verbSet, tok, "pick", "quorum")},
		[]Button{t.button(wSetHere, verbSet, tok, "channel", "here"), t.button(wSetupCheck, verbSet, tok, setupCheck), t.button(wSetupPreview, verbSet, tok, setupPreview)},
	)
}

func clock(hh, mm int) string {
	return strconv.Itoa(hh/10) + strconv.Itoa(hh%10) + ":" + strconv.Itoa(mm/10) + strconv.Itoa(mm%10)
}
