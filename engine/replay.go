package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aiprep/engine/skill"
)

// replay is one person computed again from their answers: what the engine did
// at each of them, in the same order, with the same functions.
type replay struct {
	model   skill.Model
	history *history
	posted  *postedDays
	gone    func(item string, rev int) bool // withdrawn

	id        ID
	next      []byte // where the answers not yet taken in begin
	answers   int
	me        person // of which only what is derived is filled in
	abilities abilities
	seen      map[string]seen
	cards     map[string]card
	boards    map[ID]*standing
	days      []Date   // kept, ascending
	now       int64    // of the answer being taken in, Unix seconds
	void      []answer // to challenges whose question was withdrawn since
	unknown   error    // why the abilities cannot be computed, or nil
}

func (r *rebuild) newReplay(id ID) *replay {
	return &replay{
		model: r.model, history: r.history, posted: r.posted, gone: r.withdrawn,
		id: id, next: keyAnswer(id, 0),
		abilities: abilities{General: r.model.NewGeneral()}, seen: map[string]seen{}, cards: map[string]card{}, boards: map[ID]*standing{},
	}
}

// answerPage is how many answers are read in one View.
const answerPage = 500

// read takes in the answers that were not there before.
func (p *replay) read(ctx context.Context, s Store) error {
	if err := p.readRests(ctx, s); err != nil {
		return err
	}
	_, end := prefixRange(keyPerson(p.id, "answer/"))
	for {
		page, err := pageOf(ctx, s, p.next, end, answerPage)
		if err != nil {
			return fmt.Errorf("read answers: %w", err)
		}
		for _, r := range page {
			var seq uint32
			var a answer
			if _, err := fmt.Sscanf(string(r.Key[len(end)-1:]), "/%08x", &seq); err != nil {
				return fmt.Errorf("read answers: key %q: %w", r.Key, err)
			}
			if _, err := decode(r.Value, &a); err != nil {
				return err
			}
			if a.Epoch > p.history.newest {
				if err := p.history.extend(ctx, s); err != nil {
					return err
				}
			}
			if err := p.add(ctx, seq, a); err != nil {
				return err
			}
			p.next = after(r.Key)
		}
		if len(page) < answerPage {
			return nil
		}
	}
}

// readRests takes in the person's days off, which are facts: they never change
// for a date that was judged.
func (p *replay) readRests(ctx context.Context, s Store) error {
	var me person
	err := s.View(ctx, func(tx Tx) error {
		me = person{}
		_, err := get(tx, keyMe(p.id), &me)
		return err
	})
	p.me.Rests = me.Rests
	return err
}

// add does what record, and for a daily count, did with this answer.
func (p *replay) add(ctx context.Context, seq uint32, a answer) error {
	at := time.UnixMilli(a.At)
	p.now = at.Unix()
	was := p.seen[a.Item]
	if p.gone(a.Item, a.Rev) {
		if a.Kind == kindDaily && !a.Private {
			p.void = append(p.void, a)
		}
		a.Counted = false
	}
	if a.Counted && p.unknown == nil {
		n, err := p.history.of(p.model, a)
		if err != nil {
			p.unknown = fmt.Errorf("answer %d: %w", seq, err)
		} else {
			p.abilities.drift(p.model, at)
			try := skill.Attempt{Last: lastOf(was), Daily: a.Kind == kindDaily}
			p.abilities.learn(p.model, topicOfItem(a.Item), n, try, a.Right, at, a.Zone)
		}
	}
	p.remind(a)
	p.seen[a.Item] = seen{At: at.Unix(), Right: a.Right, N: was.N + 1}
	p.answers++
	p.me.Answers = seq + 1
	if a.Right {
		p.me.Right++
	}
	if a.Kind != kindDaily {
		return nil
	}
	if !a.Private {
		p.me.remember(a.Space, a.Date)
		if p.boards[a.Space] == nil {
			p.boards[a.Space] = &standing{}
		}
		p.boards[a.Space].add(a.Date, pointsOf(a))
	}
	where, found := slices.BinarySearch(p.days, a.Date)
	if found {
		return nil
	}
	p.days = slices.Insert(p.days, where, a.Date)
	return p.me.keep(a.Date, at.Unix(), replayedDiary{ctx, p})
}

// topicOfItem is the topic in an item's id, which outlives the item.
func topicOfItem(id string) string {
	return id[:max(0, strings.LastIndexByte(id, '.'))]
}

// replayedDiary is a diary of the answers taken in so far.
type replayedDiary struct {
	ctx context.Context
	*replay
}

func (p replayedDiary) kept(from, to Date) ([]Date, error) {
	low, _ := slices.BinarySearch(p.days, from)
	high, _ := slices.BinarySearch(p.days, to)
	return p.days[low:high], nil
}

func (p replayedDiary) postings(space ID, from, to Date) ([]posting, error) {
	all, err := p.posted.of(p.ctx, space, p.now)
	by := func(o posting, d Date) int { return int(o.date - d) }
	low, _ := slices.BinarySearchFunc(all, from, by)
	high, _ := slices.BinarySearchFunc(all, to, by)
	return all[low:max(low, high)], err
}

// postedDays remembers when each space's challenges were posted.
type postedDays struct {
	store  Store
	spaces map[ID]loadedDays
}

type loadedDays struct {
	at   int64 // when they were read, Unix seconds
	list []posting
}

// of returns a space's postings, as an answer at an instant saw them.
func (d *postedDays) of(ctx context.Context, space ID, at int64) ([]posting, error) {
	known, ok := d.spaces[space]
	if ok && at <= known.at {
		return known.list, nil
	}
	known = loadedDays{at: max(at, wallNow().Unix())}
	from, to := prefixRange([]byte("s/" + string(space) + "/occ/"))
	for {
		page, err := pageOf(ctx, d.store, from, to, answerPage)
		if err != nil {
			return nil, fmt.Errorf("read challenges: %w", err)
		}
		list, err := postingsOf(page)
		if err != nil {
			return nil, err
		}
		known.list = append(known.list, list...)
		if len(page) < answerPage {
			d.spaces[space] = known
			return known.list, nil
		}
		from = after(page[len(page)-1].Key)
	}
}
