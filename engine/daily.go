package engine

import (
	"slices"

	"aiprep/content"
)

// daily serves the command: the open challenge of this server, or the
// person's own of today in a private chat.
func (t *turn) daily() (Reply, error) {
	if t.in.In.Private() {
		return t.privateDaily()
	}
	if t.space.Open == 0 {
		return t.noDaily()
	}
	return t.ownCopy(t.spaceID, t.space.Open)
}

// noDaily says when the next challenge comes, or how to get one.
func (t *turn) noDaily() (Reply, error) {
	if t.space.State == statePaused {
		return t.show(&Message{Title: t.say(wPausedTitle), Text: t.text(wPaused)}), nil
	}
	if t.space.State != stateOn {
		return t.show(&Message{Text: t.text(wDailyNotSetUp)}), nil
	}
	_, at, ok := t.schedule().next(t.in.At)
	if !ok {
		return t.show(&Message{Text: t.text(wDailyNotSetUp)}), nil
	}
	return t.show(&Message{Text: t.text(wDailyNext, "when", t.words.when(at, zoneOf(t.space.Zone)), "zone", t.space.Zone)}), nil
}

// privateDaily draws today's question for a private chat when it is first
// asked for. It stays open until the person's day is over.
func (t *turn) privateDaily() (Reply, error) {
	if err := t.enrol(); err != nil {
		return Reply{}, err
	}
	if err := t.settle(); err != nil {
		return Reply{}, err
	}
	today, err := t.privateDate()
	if err != nil {
		return Reply{}, err
	}
	var o occurrence
	found, err := get(t.tx, keyOcc(t.spaceID, today), &o)
	if err != nil {
		return Reply{}, err
	}
	if !found {
		t.space.Level = t.person.Level
		p, err := t.schedule().pickItem(today)
		if err != nil {
			return Reply{}, err
		}
		if p.item == nil {
			return Reply{}, t.sorry(wNoQuestions)
		}
		end, _ := (today + 1).At(0, 0, t.zone())
		o = t.schedule().occurrence(p, today)
		o.State, o.Posted, o.Closes = occPosted, t.in.At.Unix(), end.Add(grace).Unix()
		if err := t.schedule().saveOccurrence(today, o); err != nil {
			return Reply{}, err
		}
		t.space.Last = max(t.space.Last, today)
		if err := t.saveSpace(); err != nil {
			return Reply{}, err
		}
	}
	if err := t.takeNow(&o); err != nil {
		return Reply{}, err
	}
	return t.ownCopy(t.spaceID, today)
}

// privateDate is the date that a private daily is for: today's, or within the
// hours of grace yesterday's when a streak hangs on it.
func (t *turn) privateDate() (Date, error) {
	today, d := t.today(), t.openSince()
	if d == today || t.person.Streak.Last != d-1 || t.person.rests(d) {
		return today, nil
	}
	return d, nil
}

// ownCopy shows one person the challenge of a date, or their verdict.
func (t *turn) ownCopy(space ID, d Date) (Reply, error) {
	var o occurrence
	if found, err := get(t.tx, keyOcc(space, d), &o); err != nil || !found {
		return Reply{}, orSorry(err, t.sorry(wDailyOver))
	}
	item := t.e.bank.Item(o.Item)
	if !asked(item, o.Rev, len(o.Order)) {
		return Reply{}, t.sorry(wQuestionGone)
	}
	var mk mark
	answered, err := t.marked(space, d, &mk)
	if err != nil {
		return Reply{}, err
	}
	if answered {
		m, err := t.dailyVerdict(item, o, mk, false)
		return t.show(m), err
	}
	m := &Message{
		Title:   t.say(wDailyTitle, "topic", t.e.bank.Topic(item.Topic).Title, "level", item.Level.String()),
		Text:    question(item, o.Order),
		Buttons: t.words.letters(verbMine, o.Token, "", len(o.Order)),
		Quiz:    quizOf(item, o.Order),
	}
	if t.private(space) && d < t.today() {
		m.Text = append(t.text(wYesterdays), m.Text...)
	}
	return t.show(m), nil
}

func (t *turn) marked(space ID, d Date, mk *mark) (bool, error) {
	if t.id == "" {
		return false, nil
	}
	return get(t.tx, keyMark(space, d, t.id), mk)
}

func orSorry(err, sorry error) error {
	if err != nil {
		return err
	}
	return sorry
}

// vote serves an answer button of a daily challenge, on the public message or
// on one's own copy. The first answer stands, whatever is pressed after it.
func (t *turn) vote() (Reply, error) {
	space, d, o, err := t.delivery()
	if err != nil {
		return Reply{}, err
	}
	if err := t.mayAnswer(space); err != nil {
		return Reply{}, err
	}
	item := t.e.bank.Item(o.Item)
	if !asked(item, o.Rev, len(o.Order)) {
		return Reply{}, t.sorry(wQuestionGone)
	}
	if err := t.adopt(space, d, &o); err != nil {
		return Reply{}, err
	}
	var mk mark
	answered, err := t.marked(space, d, &mk)
	if err != nil {
		return Reply{}, err
	}
	if answered {
		m, err := t.dailyVerdict(item, o, mk, false)
		if err == nil {
			m.Text = append(t.text(wAlreadyAnswered, "letter", t.shown(item, o, mk.Option)), m.Text...)
		}
		return t.show(m), err
	}
	if o.State == occClosed || t.private(space) && t.dayOver(d, o) {
		return t.closedDaily(item, o)
	}
	option, right, ok := chosen(item, o.Order, t.in.Args[1])
	if !ok {
		return Reply{}, t.sorry(wDailyOver)
	}
	mk = mark{Option: option, Right: right}
	if err := t.count(item, o, space, d, &mk); err != nil {
		return Reply{}, err
	}
	m, err := t.dailyVerdict(item, o, mk, false)
	return t.show(m), err
}

func (t *turn) private(space ID) bool { return space == t.spaceID && t.in.In.Private() }

// mayAnswer refuses a delivery of another place. A token says which delivery is
// meant and is no right: a private one is answered in its own chat, a server's
// in that server or, from the copy that was whispered there, in private.
func (t *turn) mayAnswer(id ID) error {
	if id == t.spaceID {
		return nil
	}
	var s space
	if _, err := get(t.tx, keySpace(id), &s); err != nil {
		return err
	}
	if t.cmd.Name == verbVote || s.Place.Private() || !t.in.In.Private() {
		return t.sorry(wDailyOver)
	}
	return nil
}

// dayOver reports whether a private daily can no longer be answered: its day
// is over where it was opened, and where the person is now.
func (t *turn) dayOver(d Date, o occurrence) bool {
	return t.in.At.Unix() >= o.Closes && DateOf(t.in.At, t.zone()) > d
}

// shown is the letter a person pressed, or the words for "I don't know".
func (t *turn) shown(i *content.Item, o occurrence, option string) string {
	if option == dontKnow {
		return t.say(wDontKnow)
	}
	return letterOf(i, o.Order, option)
}

// delivery finds what an answer button belongs to. A public button works only
// in the place it was made for.
func (t *turn) delivery() (space ID, d Date, o occurrence, err error) {
	if len(t.in.Args) < 2 {
		return "", 0, o, t.sorry(wDailyOver)
	}
	var to tokenFor
	found, err := get(t.tx, keyToken(ID(t.in.Args[0])), &to)
	if err != nil {
		return "", 0, o, err
	}
	if !found || to.Date == 0 {
		return "", 0, o, t.sorry(wDailyOver)
	}
	found, err = get(t.tx, keyOcc(to.Space, to.Date), &o)
	if err != nil || !found || string(o.Token) != t.in.Args[0] {
		return "", 0, o, orSorry(err, t.sorry(wDailyOver))
	}
	return to.Space, to.Date, o, nil
}

// adopt learns from a press on the public message that the message exists:
// the post was in doubt, or was posted again.
func (t *turn) adopt(space ID, d Date, o *occurrence) error {
	if t.cmd.Name != verbVote || t.in.On == "" || o.State == occClosed {
		return nil
	}
	for _, r := range o.Refs {
		if r == t.in.On {
			return nil
		}
	}
	if len(o.Refs) >= 4 {
		return nil
	}
	if t.in.Poll != "" {
		t.quiz = t.in.Poll
		if err := t.schedule().asks(t.in.Poll, d); err != nil {
			return err
		}
	}
	return t.schedule().sent(d, o, t.in.On)
}

// count makes the answer to a daily a fact: mark, log, day, quorum.
func (t *turn) count(item *content.Item, o occurrence, space ID, d Date, mk *mark) error {
	if err := t.enrol(); err != nil {
		return err
	}
	shared := !t.private(space)
	if shared {
		t.person.remember(space, d)
	}
	a := answer{
		Option: mk.Option, Right: mk.Right, Kind: kindDaily,
		Date: d, Delivery: o.Token, Order: o.Order, Space: space, Private: !shared,
		Peeked: slices.Contains(o.Peeked, t.id),
	}
	out, err := t.record(item, a)
	if err != nil {
		return err
	}
	a.Counted = out.counted
	mk.Seq, mk.Counted, mk.Points = out.seq, out.counted, pointsOf(a)
	if err := put(t.tx, keyMark(space, d, t.id), mk); err != nil {
		return err
	}
	if err := t.keepDay(d); err != nil {
		return err
	}
	if !shared {
		return nil
	}
	if err := t.rank(space, a); err != nil {
		return err
	}
	return t.quorum(space, d)
}

// quorum counts one more member of a server's day until the day is met; after
// that the row is only read.
func (t *turn) quorum(id ID, d Date) error {
	var day spaceDay
	if _, err := get(t.tx, keySpaceDay(id, d), &day); err != nil || day.Met {
		return err
	}
	var s space
	if _, err := get(t.tx, keySpace(id), &s); err != nil {
		return err
	}
	day.N++
	met := s.meet(&day, d)
	if err := put(t.tx, keySpaceDay(id, d), day); err != nil || !met {
		return err
	}
	if id == t.spaceID {
		t.space = s
	}
	return put(t.tx, keySpace(id), s)
}

// meet counts a day for the server's streak once enough members took part.
func (s *space) meet(day *spaceDay, d Date) bool {
	if day.Met || day.N < max(1, s.Quorum) {
		return false
	}
	day.Met = true
	s.Streak.grow(d, 0)
	if n := s.Streak.Current; n > s.Milestone && milestone(n) {
		s.Milestone, s.Feast = n, d
	}
	return true
}

// meetOpenDay looks at the open day anew after the quorum was changed: enough
// may have answered already.
func (t *turn) meetOpenDay() error {
	d := t.space.Open
	if d == 0 {
		return nil
	}
	var day spaceDay
	if _, err := get(t.tx, keySpaceDay(t.spaceID, d), &day); err != nil {
		return err
	}
	if !t.space.meet(&day, d) {
		return nil
	}
	return put(t.tx, keySpaceDay(t.spaceID, d), day)
}

// dailyVerdict says how the answer went and what it did for the streak.
func (t *turn) dailyVerdict(item *content.Item, o occurrence, mk mark, full bool) (*Message, error) {
	s, err := t.streakNow()
	if err != nil {
		return nil, err
	}
	m := &Message{Buttons: [][]Button{{t.button(wExplain, verbWhy, string(o.Token))}}}
	if full {
		m.Buttons = [][]Button{{t.button(wFlag, verbFlag, item.ID)}}
	}
	t.later(func() { t.tellVerdict(m, item, o, mk, s, full) })
	return m, nil
}

// tellVerdict puts the words of a verdict behind those that m has.
func (t *turn) tellVerdict(m *Message, item *content.Item, o occurrence, mk mark, s streak, full bool) {
	v := t.words.verdict(item, o.Order, mk.Option, full)
	m.Title, m.Text = v.Title, append(m.Text, v.Text...)
	if s.Current > 0 {
		m.Text = append(m.Text, t.text(wStreakLine, "n", s.Current)...)
	}
	if s.Froze > 0 {
		m.Text = append(m.Text, t.text(wFroze, "n", s.Froze)...)
	}
	if s.Earned && s.Current > 0 {
		m.Text = append(m.Text, t.text(wFreezeEarned)...)
	}
	switch {
	case mk.Counted:
	case slices.Contains(o.Peeked, t.id):
		m.Text = append(m.Text, t.text(wPeeked)...)
	default:
		m.Text = append(m.Text, t.uncounted(item)...)
	}
}

// closedDaily answers a press that came after the reveal: what was right, and
// nothing is counted.
func (t *turn) closedDaily(item *content.Item, o occurrence) (Reply, error) {
	letter := letterOf(item, o.Order, item.Options[item.Key()].Key)
	return t.show(&Message{
		Title: t.say(wDailyClosed, "letter", letter),
		Text:  content.Parse(item.Short),
	}), nil
}
