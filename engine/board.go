package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"aiprep/content"
	"aiprep/engine/picture"
)

// A server's board ranks those who answered its challenges in a period. Points
// make guessing worth nothing: right is 1, "I don't know" is 0, and a wrong one
// of k options costs 1/(k-1).

// onePoint is a right answer; points are kept in thousandths.
const onePoint = 1000

// score is what was gathered in one period.
type score struct {
	Points int64  `cbor:"1,keyasint,omitempty"` // thousandths
	N      uint32 `cbor:"2,keyasint,omitempty"` // challenges answered
}

// standing is one person's score in one server. It follows from the answers.
type standing struct {
	All   score  `cbor:"1,keyasint"`
	Month score  `cbor:"2,keyasint"`
	Week  score  `cbor:"3,keyasint"`
	In    [2]int `cbor:"4,keyasint"` // the month and the week that are counted
}

// pointsOf is what an answer is worth. One to a question that the person has
// met lately is worth nothing, as it moves no score either.
func pointsOf(a answer) int64 {
	switch {
	case !a.Counted || a.Option == dontKnow:
		return 0
	case a.Right:
		return onePoint
	}
	return -onePoint / int64(max(1, len(a.Order)-1))
}

// monthOf and weekOf number the periods that a date lies in.
func monthOf(d Date) int { return d.noon().Year()*12 + int(d.noon().Month()) - 1 }

func weekOf(d Date) int {
	year, week := d.noon().ISOWeek()
	return year*100 + week
}

// add counts an answer to the challenge of a date. One to a date of an earlier
// period still counts for all time.
func (s *standing) add(d Date, points int64) {
	plus := func(x *score) { x.Points, x.N = x.Points+points, x.N+1 }
	plus(&s.All)
	for n, of := range [2]int{monthOf(d), weekOf(d)} {
		period := &s.Month
		if n == 1 {
			period = &s.Week
		}
		if of > s.In[n] {
			s.In[n], *period = of, score{}
		}
		if of == s.In[n] {
			plus(period)
		}
	}
}

// rank counts an answer for the server's board.
func (t *turn) rank(space ID, a answer) error {
	var s standing
	if _, err := get(t.tx, keyBoard(space, t.id), &s); err != nil {
		return err
	}
	s.add(a.Date, pointsOf(a))
	return put(t.tx, keyBoard(space, t.id), s)
}

// What board can be told.
const (
	boardDay   = "day"
	boardWeek  = "week"
	boardMonth = "month"
	boardAll   = "all"
	boardWhy   = "why"
)

// ranked is one line of a board.
type ranked struct {
	id ID
	score
	place int // 1 is best; who has as many points shares it
}

// boardLength is how many lines a board shows, and boardSpare how many more
// people are looked at for the case that some have left.
const (
	boardLength = 10
	boardSpare  = 5
)

// board serves board [day|week|month|all|why].
func (t *turn) board() (Reply, error) {
	args, err := t.knownArgs()
	if err != nil {
		return Reply{}, err
	}
	period := cmp.Or(args["period"], boardWeek)
	m := &Message{Buttons: t.boardButtons(period)}
	if period == boardWhy {
		m.Title, m.Text = t.say(wBoardWhyTitle), t.text(wBoardWhy)
		return t.show(m), nil
	}
	all, when, err := t.standings(period)
	if err != nil {
		return Reply{}, err
	}
	m.Title = when
	rows, err := t.boardRows(all)
	if err != nil {
		return Reply{}, err
	}
	if ids := rows.members(t.in.In.Platform); t.in.Sight == nil && len(ids) > 0 {
		return Reply{Look: &Query{Place: t.in.In, Members: ids}}, nil
	}
	t.boardLines(m, rows)
	if period == boardWeek {
		t.boardCard(m)
	}
	return t.show(m), nil
}

func (t *turn) boardButtons(shown string) [][]Button {
	var row []Button
	for _, c := range t.words.boardOption().Choices {
		if c.Value != shown {
			row = append(row, Button{Label: c.Label, Action: "board " + c.Value})
		}
	}
	return [][]Button{row}
}

// standings lists a period's scores, best first, and the board's title.
func (t *turn) standings(period string) (all []ranked, title string, err error) {
	today := DateOf(t.in.At, zoneOf(t.space.Zone))
	switch period {
	case boardDay:
		return t.dayStandings(today)
	case boardMonth:
		title = t.say(wBoardMonth)
	case boardAll:
		title = t.say(wBoardAll)
	default:
		title = t.say(wBoardWeek)
	}
	open := map[ID]int64{}
	if d := t.space.Open; d != 0 && samePeriod(period, d, today) {
		if open, err = t.openMarks(d); err != nil {
			return nil, "", err
		}
	}
	prefix := keyBoard(t.spaceID, "")
	err = eachBelow(t.tx, prefix, func(r Record) error {
		var s standing
		if _, err := decode(r.Value, &s); err != nil {
			return err
		}
		got := s.All
		switch {
		case period == boardMonth && s.In[0] == monthOf(today):
			got = s.Month
		case period == boardWeek && s.In[1] == weekOf(today):
			got = s.Week
		case period != boardAll:
			return nil // did not answer in this period
		}
		id := ID(r.Key[len(prefix):])
		if points, ok := open[id]; ok {
			got.Points, got.N = got.Points-points, got.N-1
		}
		if got.N > 0 {
			all = append(all, ranked{id: id, score: got})
		}
		return nil
	})
	return places(all), title, err
}

// samePeriod reports whether both dates lie in one period of a board.
func samePeriod(period string, a, b Date) bool {
	switch period {
	case boardAll:
		return true
	case boardMonth:
		return monthOf(a) == monthOf(b)
	}
	return weekOf(a) == weekOf(b)
}

// openMarks are the points given for the challenge that is still open: a board
// that held them would tell how others answered.
func (t *turn) openMarks(d Date) (map[ID]int64, error) {
	open := map[ID]int64{}
	prefix := keyMark(t.spaceID, d, "")
	return open, eachBelow(t.tx, prefix, func(r Record) error {
		var mk mark
		_, err := decode(r.Value, &mk)
		open[ID(r.Key[len(prefix):])] = mk.Points
		return err
	})
}

// dayStandings are the scores of the newest challenge that is closed: those of
// an open one would tell what others answered.
func (t *turn) dayStandings(today Date) (all []ranked, title string, err error) {
	last := Date(0)
	recs, err := t.tx.Scan(keyOcc(t.spaceID, today-30), keyOcc(t.spaceID, today+2), 40)
	if err != nil {
		return nil, "", fmt.Errorf("read challenges: %w", err)
	}
	for _, r := range recs {
		var o occurrence
		if _, err := decode(r.Value, &o); err != nil {
			return nil, "", err
		}
		if d, err := parseDateKey(r.Key); err == nil && o.State == occClosed {
			last = d
		}
	}
	if last == 0 {
		return nil, t.say(wBoardNoDay), nil
	}
	prefix := keyMark(t.spaceID, last, "")
	err = eachBelow(t.tx, prefix, func(r Record) error {
		var mk mark
		if _, err := decode(r.Value, &mk); err != nil {
			return err
		}
		all = append(all, ranked{id: ID(r.Key[len(prefix):]), score: score{Points: mk.Points, N: 1}})
		return nil
	})
	return places(all), t.say(wBoardDay, "date", t.words.date(last)), err
}

// places sorts a board and gives each line its place.
func places(all []ranked) []ranked {
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.Points, a.Points) })
	for n := range all {
		all[n].place = n + 1
		if n > 0 && all[n].Points == all[n-1].Points {
			all[n].place = all[n-1].place
		}
	}
	return all
}

// boardRow is a line that a board may show.
type boardRow struct {
	ranked
	person
	own bool
}

type boardRows []boardRow

// boardRows reads who may be shown: the best, without those who do not want to
// be, and the person who asks. Some more than are shown, since a few of them may
// have left.
func (t *turn) boardRows(all []ranked) (rows boardRows, err error) {
	for _, r := range all {
		own := r.id == t.id && t.id != ""
		if len(rows) >= boardLength+boardSpare && !own {
			continue
		}
		var p person
		found, err := get(t.tx, keyMe(r.id), &p)
		if err != nil {
			return nil, err
		}
		if own || found && !p.Hidden {
			rows = append(rows, boardRow{r, p, own})
		}
	}
	return rows, nil
}

// members are the platform's ids of those whose names would be shown to others.
func (rows boardRows) members(platform string) (ids []string) {
	for _, r := range rows {
		if !r.own {
			ids = append(ids, r.on(platform)...)
		}
	}
	return ids
}

// hasLeft reports whether none of the person's accounts is a member any more.
func (t *turn) hasLeft(p person) bool {
	ids := p.on(t.in.In.Platform)
	return t.in.Sight != nil && len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool {
		return !slices.Contains(t.in.Sight.Left, id)
	})
}

// boardLines writes the rows of those who are still there.
func (t *turn) boardLines(m *Message, rows boardRows) {
	shown := 0
	for _, r := range rows {
		left := t.hasLeft(r.person)
		if !r.own && (left || shown >= boardLength) {
			continue
		}
		name := cmp.Or(plainName(r.Name), "?")
		t.ranks = append(t.ranks, picture.Rank{
			Place: strconv.Itoa(r.place) + ".", Name: name, Points: decimal(r.Points),
			Share: float32(r.Points) / float32(max(1, rows[0].Points)), Own: r.own,
		})
		if r.own {
			name = t.say(wBoardYou, "name", name)
		}
		shown++
		m.Text = append(m.Text, content.Block{Kind: content.ListItem, Mark: strconv.Itoa(r.place) + ".", Spans: []content.Span{
			{Text: name + ": "}, {Text: decimal(r.Points), Style: content.Bold}, {Text: " · " + t.say(wBoardAnswered, "n", int(r.N))},
		}})
	}
	if shown == 0 {
		m.Text = t.text(wBoardEmpty)
	}
}

// boardName is how many characters of a display name a board shows.
const boardName = 32

// plainName is a display name without what could turn or break the line that
// it stands in: controls, marks of direction, line ends.
func plainName(name string) string {
	r := []rune(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, name)), " "))
	if len(r) > boardName {
		r = append(r[:boardName-1], '…')
	}
	return string(r)
}

// decimal writes thousandths with one digit after the point.
func decimal(points int64) string {
	return strconv.FormatFloat(float64(points)/onePoint, 'f', 1, 64)
}

// boardsOf compares the person's standings.
func (r *rebuild) boardsOf(tx Tx, p *replay, f *findings) error {
	for space, want := range p.boards {
		vals, err := tx.Get(keySpace(space), keyBoard(space, p.id))
		if err != nil {
			return fmt.Errorf("read standing: %w", err)
		}
		if vals[0] == nil { // the server is erased
			continue
		}
		var have standing
		if _, err := decode(vals[1], &have); err != nil {
			return err
		}
		if f.compare(ofBoards, have == *want, "person %s in %s: %+v, by the facts %+v", p.id, space, have, *want) && r.repair {
			if err := put(tx, keyBoard(space, p.id), *want); err != nil {
				return err
			}
		}
	}
	return nil
}
