package bottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"
)

// How long the server keeps updates (tdlib/telegram-bot-api, Client.cpp, the
// add_new_* functions).
const (
	messageLife  = 24 * time.Hour
	pollLife     = 24 * time.Hour
	callbackLife = 150 * time.Second
)

// maxQueue is the number of updates the server keeps for one bot (tdlib/td,
// tddb/td/db/TQueue.cpp).
const maxQueue = 100_000

type tgUpdate struct {
	id      int64
	kind    string
	lane    string // updates of one lane reach a webhook in order
	expires time.Time
	body    json.RawMessage
	// again marks a copy under an old id: it is delivered once more whatever the
	// offset says.
	again bool

	fails  int       // webhook deliveries that failed
	after  time.Time // no webhook delivery before that
	flying bool
}

// tgQueue is the bot's queue of updates, in order of id; t.mu guards it.
type tgQueue struct {
	next    int64
	list    []*tgUpdate
	past    map[int64]*tgUpdate
	allowed []string    // nil means the default
	lost    int         // dropped because the queue was full or their time was over
	poll    chan string // tells the waiting poller why it is thrown out

	lastOffset int64
	lastStart  time.Time
	lastEnd    time.Time
}

// notByDefault are the kinds a bot gets only when it asks for them
// (https://core.telegram.org/bots/api#getupdates).
func notByDefault(kind string) bool {
	return kind == "chat_member" || kind == "message_reaction" || kind == "message_reaction_count"
}

func (q *tgQueue) wants(kind string) bool {
	if len(q.allowed) == 0 {
		return !notByDefault(kind)
	}
	return slices.Contains(q.allowed, kind)
}

// push queues an update and returns its id, 0 when the bot does not get it. It
// needs t.mu.
func (t *Telegram) push(kind, lane string, life time.Duration, payload any) int64 {
	q := &t.queue
	if !q.wants(kind) {
		return 0
	}
	if len(q.list) >= maxQueue {
		q.lost++
		return 0
	}
	inner := mustJSON(payload)
	id := q.next
	q.next++
	u := &tgUpdate{id: id, kind: kind, lane: lane, expires: t.now().Add(life),
		body: json.RawMessage(`{"update_id":` + strconv.FormatInt(id, 10) + `,"` + kind + `":` + string(inner) + `}`)}
	q.add(u)
	t.touch()
	return id
}

func (q *tgQueue) add(u *tgUpdate) {
	i := sort.Search(len(q.list), func(i int) bool { return q.list[i].id > u.id })
	q.list = slices.Insert(q.list, i, u)
	if q.past == nil {
		q.past = map[int64]*tgUpdate{}
	}
	q.past[u.id] = u
}

// expire drops updates whose time is over.
func (q *tgQueue) expire(now time.Time) {
	q.list = slices.DeleteFunc(q.list, func(u *tgUpdate) bool {
		old := !u.expires.After(now) && !u.flying
		if old {
			q.lost++
		}
		return old
	})
}

// batch applies an offset as the server does and returns up to limit updates.
func (q *tgQueue) batch(offset int64, limit int, now time.Time) []*tgUpdate {
	q.expire(now)
	head := q.next
	if len(q.list) > 0 {
		head = q.list[0].id
	}
	switch {
	case offset < 0:
		// The last -offset updates; those before them are forgotten.
		keep := min(int(-offset), len(q.list))
		q.list = slices.Delete(q.list, 0, len(q.list)-keep)
	case offset > q.next+10 || offset > 0 && offset < head-maxQueue:
		// Nonsense: the server starts again from the head.
	case offset > 0:
		q.list = slices.DeleteFunc(q.list, func(u *tgUpdate) bool { return u.id < offset && !u.again })
	}
	out := slices.Clone(q.list[:min(limit, len(q.list))])
	q.list = slices.DeleteFunc(q.list, func(u *tgUpdate) bool { return u.again && slices.Contains(out, u) })
	return out
}

// TelegramPoison is an update for Poison: well formed, of a kind of media that
// appeared after the client's library was written, so that the library refuses to
// decode the batch that holds it.
const TelegramPoison = `{"message":{"message_id":1,"date":1796083200,"chat":{"id":1001,"type":"private","first_name":"Ann"},` +
	`"caption":"poison","paid_media":{"star_count":1,"paid_media":[{"type":"hologram"}]}}}`

// Poison queues an update exactly as given but for its update_id, which the fake
// sets: something that the client's library cannot decode. It returns the id.
func (t *Telegram) Poison(raw string) (int64, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		return 0, fmt.Errorf("queue a poisonous update: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.queue.next
	t.queue.next++
	all["update_id"] = json.RawMessage(strconv.FormatInt(id, 10))
	body, err := json.Marshal(all)
	if err != nil {
		return 0, fmt.Errorf("queue a poisonous update: %w", err)
	}
	t.queue.add(&tgUpdate{id: id, kind: "poison", lane: "poison", expires: t.now().Add(messageLife), body: body})
	t.touch()
	return id, nil
}

// Double delivers an update again, delivered before or not: under its own id, or
// with fresh under a new one. It returns the id of the copy.
func (t *Telegram) Double(id int64, fresh bool) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.queue.past[id]
	if !ok {
		return 0, fmt.Errorf("deliver update %d again: there was none", id)
	}
	twin := &tgUpdate{id: id, kind: u.kind, lane: u.lane, body: u.body, again: true, expires: t.now().Add(messageLife)}
	if fresh {
		twin.again = false
		twin.id = t.queue.next
		t.queue.next++
		var all map[string]json.RawMessage
		if err := json.Unmarshal(u.body, &all); err != nil {
			return 0, fmt.Errorf("deliver update %d again: %w", id, err)
		}
		all["update_id"] = json.RawMessage(strconv.FormatInt(twin.id, 10))
		body, err := json.Marshal(all)
		if err != nil {
			return 0, fmt.Errorf("deliver update %d again: %w", id, err)
		}
		twin.body = body
	}
	t.queue.add(twin)
	t.touch()
	return twin.id, nil
}

// JumpUpdates sets the id of the next update. The server does so after a week of
// silence, to any number; a lower one needs an empty queue.
func (t *Telegram) JumpUpdates(next int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if next <= 0 || next < t.queue.next && len(t.queue.list) > 0 {
		return errors.New("jump to an update id: it is below those that wait")
	}
	t.queue.next = next
	return nil
}

// Pending is the number of updates that were not acknowledged yet.
func (t *Telegram) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue.expire(t.now())
	return len(t.queue.list)
}

// Lost is the number of updates that nobody ever gets: their time was over or
// the queue was full.
func (t *Telegram) Lost() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue.expire(t.now())
	return t.queue.lost
}

// Update returns an update as it was queued, for tests that replay it.
func (t *Telegram) Update(id int64) (json.RawMessage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, ok := t.queue.past[id]
	if !ok {
		return nil, false
	}
	return slices.Clone(u.body), true
}

// Updates returns every update ever queued, by id.
func (t *Telegram) Updates() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := make([]int64, 0, len(t.queue.past))
	for id := range t.queue.past {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	out := make([]json.RawMessage, 0, len(ids))
	for _, id := range ids {
		out = append(out, slices.Clone(t.queue.past[id].body))
	}
	return out
}
