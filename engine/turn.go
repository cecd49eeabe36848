package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aiprep/content"
	"aiprep/engine/picture"
	"aiprep/engine/skill"
)

// turn is one Input being served inside one transaction: who, where, and the
// means to answer. A new one is made each time the transaction runs.
type turn struct {
	e     *Engine
	ctx   context.Context
	tx    Tx
	in    Input
	at    whereabouts
	cmd   Command
	words *catalogue

	id      ID // of the person; "" until enrolled
	person  person
	spaceID ID // "" until the place is known
	space   space
	putJobs bool
	dirty   bool           // the person is to be written
	quiz    string         // a native quiz that became known, whose answers may wait
	drawing *drawing       // wanted with the reply, or nil
	ranks   []picture.Rank // of a board, for its drawing
	held    bool           // an item was held
	after   []func()       // done once the transaction is over
}

// later has words found for the reply once the transaction is over: all others
// wait for that. fn reads nothing of the store.
func (t *turn) later(fn func()) { t.after = append(t.after, fn) }

// load finds the person and the space with two multi-gets.
func (t *turn) load() error {
	vals, err := t.tx.Get(t.at.account, t.at.place)
	if err != nil {
		return fmt.Errorf("find person and place: %w", err)
	}
	t.id, t.spaceID = ID(vals[0]), ID(vals[1])
	vals, err = t.tx.Get(keyMe(t.id), keySpace(t.spaceID))
	if err != nil {
		return fmt.Errorf("read person and space: %w", err)
	}
	if _, err := decode(vals[0], &t.person); err != nil {
		return err
	}
	_, err = decode(vals[1], &t.space)
	t.speak()
	return err
}

// speak chooses the language: the person's own choice, or their platform's.
func (t *turn) speak() { t.words = t.e.in(cmp.Or(t.person.Lang, t.in.Locale)) }

// enrol makes sure that the person exists.
func (t *turn) enrol() error {
	if t.id != "" {
		return nil
	}
	from := t.in.From
	at := t.in.At.Format(time.RFC3339Nano)
	t.id = idFrom(mac(t.e.secret, "person", from.Platform, from.ID, t.in.ID, at))
	t.person.Since = t.in.At.Unix()
	t.person.Zone = t.space.Zone // a first guess, changeable in settings
	key := t.at.account
	if err := t.tx.Put(key, []byte(t.id)); err != nil {
		return fmt.Errorf("enrol: %w", err)
	}
	t.person.Accounts = []string{string(key)}
	return t.savePerson()
}

// savePerson has the person written at the end of the turn: an answer changes
// them several times.
func (t *turn) savePerson() error {
	if a := (accountID{Platform: t.in.From.Platform, ID: t.in.From.ID}); !slices.Contains(t.person.On, a) {
		t.person.On = append(t.person.On, a)
	}
	t.person.Name, t.person.Seen = t.in.From.Name, max(t.person.Seen, t.in.At.Unix())
	t.dirty = true
	return nil
}

// flush writes the person if they changed. Who reads or deletes a person's record
// in the turn calls it before.
func (t *turn) flush() error {
	if !t.dirty || t.id == "" {
		return nil
	}
	t.dirty = false
	return put(t.tx, keyMe(t.id), t.person)
}

// settle makes sure that the space exists.
func (t *turn) settle() error {
	if t.spaceID != "" {
		return nil
	}
	at := t.in.At.Format(time.RFC3339Nano)
	t.spaceID = idFrom(mac(t.e.secret, "space", t.in.In.Platform, t.in.In.Server, t.in.In.Chat, t.in.ID, at))
	t.space.Place = t.in.In
	t.space.Zone = t.person.Zone
	if err := t.tx.Put(t.at.place, []byte(t.spaceID)); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	if t.id != "" && t.in.In.Private() { // so that erasing the person finds it
		t.person.Private = append(t.person.Private, t.spaceID)
		if err := t.savePerson(); err != nil {
			return err
		}
	}
	return t.saveSpace()
}

func (t *turn) saveSpace() error {
	t.space.Seen = max(t.space.Seen, t.in.At.Unix())
	return put(t.tx, keySpace(t.spaceID), t.space)
}

// schedule is the turn's jobs view: what RunSchedule shares with commands.
func (t *turn) schedule() *scheduling {
	return &scheduling{e: t.e, tx: t.tx, id: t.spaceID, space: &t.space, now: t.in.At, put: &t.putJobs}
}

// zone is the person's time zone, UTC until they choose one.
func (t *turn) zone() *time.Location { return zoneOf(t.person.Zone) }

func zoneOf(name string) *time.Location {
	if loc, err := time.LoadLocation(name); err == nil {
		return loc
	}
	return time.UTC
}

// awaitLine remembers that the person's next line of text belongs to action.
func (t *turn) awaitLine(action string) error {
	if err := t.enrol(); err != nil {
		return err
	}
	return put(t.tx, keyAsk(t.id), ask{Action: action, In: t.in.In, At: t.in.At.Unix()})
}

// pressed reports whether a button brought this Input.
func (t *turn) pressed() bool { return t.in.On != "" }

// show answers in the way that the command's row promises.
func (t *turn) show(m *Message) Reply {
	kind := t.cmd.Shows
	if t.pressed() {
		kind = t.cmd.Pressed
	}
	switch {
	case kind == ShowsReplace && t.in.Own:
		return Reply{Replace: m}
	case kind == ShowsPost:
		return Reply{Post: m}
	}
	// What was pressed may be forged, and a message that others read is never
	// replaced for one of them.
	return Reply{Whisper: m}
}

// sorry ends the turn with a message; nothing is written.
func (t *turn) sorry(w word, s ...any) error {
	return &expected{&Message{Text: t.words.text(w, s...)}}
}

func (t *turn) say(w word, s ...any) string        { return t.words.say(w, s...) }
func (t *turn) text(w word, s ...any) content.Text { return t.words.text(w, s...) }

// button makes one button whose label stands in the catalogue.
func (t *turn) button(w word, action ...string) Button {
	return Button{Label: t.say(w), Action: strings.Join(action, " ")}
}

// args binds what was written to the command's options.
func (t *turn) args() map[string]string {
	args, _ := Bind(t.cmd, t.in.Args)
	return args
}

// knownArgs is args for a command that changes something: it refuses a word
// that no option takes, since half a wish is worse than a question.
func (t *turn) knownArgs() (map[string]string, error) {
	args, left := Bind(t.cmd, t.in.Args)
	if len(left) == 0 {
		return args, nil
	}
	var names []string
	for _, o := range t.cmd.Options {
		if len(t.cmd.Options) > 1 {
			names = append(names, o.Name)
			continue
		}
		for _, c := range o.Choices {
			names = append(names, c.Value)
		}
	}
	return nil, t.sorry(wUnknownOption, "word", left[0], "options", strings.Join(names, ", "))
}

// Bind says which option each word was meant for: name=value first, the rest
// by what fits. Text takes all that is left; left are the words of no option.
func Bind(c Command, words []string) (got map[string]string, left []string) {
	got = map[string]string{}
	var loose []string
	for _, a := range words {
		name, value, named := strings.Cut(a, "=")
		if named && slices.ContainsFunc(c.Options, func(o Option) bool { return o.Name == name }) {
			got[name] = value
			continue
		}
		loose = append(loose, a)
	}
	for i, a := range loose {
		taker := false
		for _, o := range c.Options {
			was, taken := got[o.Name]
			if taken && !o.Many || !fits(o, a) {
				continue
			}
			if got[o.Name] = a; taken { // a list: the next of its values
				got[o.Name] = was + "," + a
			}
			if o.Kind == TextOption {
				got[o.Name] = strings.Join(loose[i:], " ")
				return got, left
			}
			taker = true
			break
		}
		if !taker {
			left = append(left, a)
		}
	}
	return got, left
}

// fits reports whether a bare word can be meant for the option.
func fits(o Option, a string) bool {
	switch o.Kind {
	case ChoiceOption:
		return slices.ContainsFunc(o.Choices, func(c Choice) bool { return strings.EqualFold(c.Value, a) })
	case TimeOption: // 25:00 is meant for a time, and is told so
		hh, mm, ok := strings.Cut(a, ":")
		return ok && strings.Trim(hh+mm, "0123456789") == ""
	case ZoneOption:
		return findZone(a) != "" || strings.Contains(a, "/")
	case DaysOption:
		_, err := ParseDays(a)
		return err == nil
	case NumberOption:
		return strings.Trim(a, "0123456789") == "" && a != ""
	case PlaceOption, RoleOption:
		return false // only by name: a bare word is never a channel
	}
	return true
}

// abilities reads the person's numbers, fresh ones for a new person, with the
// idle drift since their last answer.
func (t *turn) abilities() (abilities, error) {
	a := abilities{General: t.e.model.NewGeneral()}
	if t.id == "" {
		return a, nil
	}
	if _, err := get(t.tx, keySkill(t.id), &a); err != nil {
		return a, err
	}
	a.drift(t.e.model, t.in.At)
	return a, nil
}

// drift widens the general ability by the days since the last answer that
// moved it.
func (a *abilities) drift(m skill.Model, at time.Time) {
	if a.At != 0 {
		a.General = m.IdleGeneral(a.General, max(0, float64((at.Unix()-a.At)/86400)))
	}
}

// learn takes an answer in, given the numbers it was asked under.
func (a *abilities) learn(m skill.Model, topic string, n skill.Numbers, try skill.Attempt, right bool, at time.Time, zone string) {
	general, own := m.LearnPerson(a.General, a.topic(m, topic, at), n, try, right)
	if a.Topics == nil {
		a.Topics = map[string]topicAbility{}
	}
	a.At = max(a.At, at.Unix())
	a.General, a.Topics[topic] = general, topicAbility{Topic: own, At: a.At}
	a.mark(m.GeneralScore(general), DateOf(at, zoneOf(zone)))
}

// topic returns the person's numbers on one topic, fresh ones for a new topic.
func (a abilities) topic(m skill.Model, id string, at time.Time) skill.Topic {
	tp, ok := a.Topics[id]
	if !ok {
		return m.NewTopic()
	}
	return m.IdleTopic(tp.Topic, max(0, float64((at.Unix()-tp.At)/86400)))
}
