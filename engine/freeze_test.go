package engine_test

import (
	"fmt"
	"testing"
	"time"

	"aiprep/engine"
)

// plays lets a person answer the private daily on each of the days, counted
// from the first Monday, at noon.
func (c *chat) plays(who string, days ...int) *engine.Message {
	c.Helper()
	var m *engine.Message
	for _, d := range days {
		c.until(monday.Add(time.Duration(24*d+4) * time.Hour))
		m = c.press(who, "", c.types(who, "", "daily").Whisper, engine.Ref(fmt.Sprint("w", d)), "A").Replace
	}
	return m
}

func upTo(from, to int) (days []int) {
	for d := from; d < to; d++ {
		days = append(days, d)
	}
	return days
}

// recounted fails unless a count from the first kept date gives so many days.
func (c *chat) recounted(who string, want int) {
	c.Helper()
	got, err := c.e.Recount(c.Context(), engine.User{Platform: "test", ID: who})
	if err != nil || got != want {
		c.Errorf("counted anew %s has %d days, %v; want %d", who, got, err, want)
	}
}

// sound fails unless a rebuild finds what is stored.
func (c *chat) sound() {
	c.Helper()
	if got := c.rebuild(true); got.Left() != 0 {
		c.Error(got.Text())
	}
}

// Seven days in a row earn a freeze, which covers a missed day by itself and
// says so; the day after counts on.
func TestAFreezeCoversAMissedDay(t *testing.T) {
	c := newChat(t)
	c.wants(c.plays("ann", upTo(0, 7)...), "7 days in a row", "you earned a freeze")
	c.wants(c.types("ann", "", "streak").Whisper, "1 freeze in hand")
	c.until(monday.Add((8*24 + 4) * time.Hour)) // day 7 was missed
	c.wants(c.types("ann", "", "streak").Whisper, "7 days in a row")
	c.wants(c.types("ann", "", "streak why").Whisper, "Mon 12 Jan: missed, a freeze covered it", "Sun 11 Jan: answered", "Tue 13 Jan: still open")
	c.wants(c.plays("ann", 8), "8 days in a row", "1 freeze covered the day you missed")
	c.sound()
}

// Two freezes are held at most, they cover two days, and a third one missed
// begins anew; the longest stays.
func TestFreezesRunOut(t *testing.T) {
	c := newChat(t)
	c.plays("ann", upTo(0, 21)...)
	c.wants(c.types("ann", "", "streak").Whisper, "21 days in a row", "2 freezes in hand")
	c.wants(c.plays("ann", 23), "22 days in a row", "2 freezes covered the days you missed")
	c.plays("ann", upTo(24, 29)...)
	c.wants(c.types("ann", "", "streak").Whisper, "27 days in a row")
	c.wants(c.plays("ann", 32), "1 day")
	c.wants(c.types("ann", "", "streak").Whisper, "Longest so far: 27 days")
	c.sound()
}

// Days off and a vacation break nothing; what was missed before they were
// chosen stays missed.
func TestRestBreaksNothing(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings rest=Sat,Sun")
	c.wants(c.plays("ann", 0, 1, 2, 3, 4, 7), "6 days in a row")
	c.wants(c.types("ann", "", "settings vacation=5").Whisper, "Away until", "Sat,Sun")
	c.wants(c.plays("ann", 13), "7 days in a row") // days 8 to 12 away
	c.until(monday.Add((16*24 + 4) * time.Hour))   // 14 saved by the freeze, 15 missed
	c.types("ann", "", "settings vacation=10")
	c.wants(c.plays("ann", 16), "1 day")
	c.sound()
}

// However often somebody changes their mind, what was judged stays judged.
func TestManyChangesOfRestForgetNone(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings rest=Sat,Sun")
	c.plays("ann", 0, 1, 2, 3, 4, 7)
	c.wants(c.types("ann", "", "settings rest=none").Whisper, "Days off: none")
	for day := 8; day < 70; day++ {
		c.plays("ann", day)
		c.types("ann", "", "settings rest="+[]string{"Mon", "none"}[day%2])
		c.types("ann", "", "settings rest=Tue") // the last word of a day counts
		c.types("ann", "", "settings rest=none")
	}
	c.wants(c.types("ann", "", "streak").Whisper, "68 days in a row")
	why := c.types("ann", "", "streak why").Whisper
	c.wants(why, "answered")
	c.recounted("ann", 68)
	c.sound()
}

func TestWordsThatAreNoRest(t *testing.T) {
	c := newChat(t)
	c.wants(c.types("ann", "", "settings rest=daily").Whisper, "can't read the days")
	c.wants(c.types("ann", "", "settings vacation=soon").Whisper, "0 to 60")
	c.wants(c.types("ann", "", "settings vacation=99").Whisper, "0 to 60")
	c.types("ann", "", "settings vacation=9")
	c.wants(c.types("ann", "", "settings vacation=0").Whisper, "Days off: none")
}

// For three hours after midnight yesterday's private daily can be had and
// answered, when a streak hangs on it.
func TestGraceAfterMidnight(t *testing.T) {
	c := newChat(t)
	c.plays("ann", 0)
	c.until(monday.Add((24 + 17) * time.Hour)) // Wednesday 01:00
	c.wants(c.types("ann", "", "streak").Whisper, "1 day in a row")
	late := c.types("ann", "", "daily").Whisper
	c.wants(late, "Yesterday's question")
	m := c.press("ann", "", late, "w", "A").Replace
	c.wants(m, "2 days in a row")
	m = c.press("ann", "", c.types("ann", "", "daily").Whisper, "w", "A").Replace
	c.wants(m, "3 days in a row") // and today's
	c.until(monday.Add((3*24 + 19 + 1) * time.Hour))
	c.wants(c.types("ann", "", "streak").Whisper, "No streak") // Friday 04:00, without Thursday
	c.sound()
}

// A server's quorum that is missed costs a freeze that all share, and a
// milestone is celebrated once.
func TestAServerSharesItsFreezes(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup 09:00")
	answer := func(d int) {
		t.Helper()
		c.until(monday.Add(time.Duration(24*d+2) * time.Hour))
		c.press("ann", "g", c.last(), engine.Ref(fmt.Sprint("m", len(c.posts.sent))), "A")
	}
	for d := range 7 {
		answer(d)
	}
	c.wants(c.types("admin", "g", "streak").Whisper, "This server: 7 days", "1 shared freeze in hand")
	c.until(monday.Add((7*24 + 2) * time.Hour)) // reveals the seventh
	feast := c.posts.edits["m7"]
	c.wants(&feast, "7 days in a row, together!")
	c.until(monday.Add((8*24 + 2) * time.Hour)) // the eighth had no answer
	frozen := c.posts.edits["m8"]
	c.wants(&frozen, "a shared freeze covered the day", "7 days")
	answer(8)
	c.wants(c.types("admin", "g", "streak").Whisper, "This server: 8 days")
	c.until(monday.Add((10*24 + 2) * time.Hour)) // the tenth had none, and no freeze is left
	c.wants(c.types("admin", "g", "streak").Whisper, "This server: 0 days")
	for d := 10; d < 18; d++ {
		answer(d)
	}
	again := c.posts.edits["m17"]
	c.wants(&again, "Server streak: 7 days") // no second feast
	c.sound()
}
