package engine

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a container has no zone files
)

// Date is a civil date as days since 1970-01-01. It has no zone: a challenge
// date is a name, and instants are derived from it.
type Date int32

// DateOf returns the local date of t in loc.
func DateOf(t time.Time, loc *time.Location) Date {
	y, m, d := t.In(loc).Date()
	return dateFrom(y, m, d)
}

func dateFrom(y int, m time.Month, d int) Date {
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// noon is the date's noon in UTC. Dates are stepped in UTC only: AddDate on a
// zoned time can stand still for ever where a date does not exist.
func (d Date) noon() time.Time { return time.Unix(int64(d)*86400+43200, 0).UTC() }

func (d Date) String() string { return d.noon().Format(time.DateOnly) }

// Weekday returns the date's day of the week.
func (d Date) Weekday() time.Weekday { return d.noon().Weekday() }

// At returns the instant of the local time hh:mm on d in loc. A skipped local
// time gives the first valid instant after it, a doubled one the first of the
// two; ok is false when the date does not exist there at all.
func (d Date) At(hh, mm int, loc *time.Location) (at time.Time, ok bool) {
	y, m, day := d.noon().Date()
	wall := time.Date(y, m, day, hh, mm, 0, 0, time.UTC)
	t := time.Date(y, m, day, hh, mm, 0, 0, loc)
	if t.Hour() == hh && t.Minute() == mm && t.Day() == day {
		if start, _ := t.ZoneBounds(); !start.IsZero() {
			_, before := start.Add(-1).Zone()
			if c := wall.Add(-time.Duration(before) * time.Second).In(loc); c.Before(start) {
				return c, true
			}
		}
		return t, true
	}
	_, off := t.Zone()
	edge, end := t.ZoneBounds()
	// The end is wrong on 31 December of leap years with embedded zone data
	// (golang/go#81583), so it is read only where it can be right.
	if t.UTC().Add(time.Duration(off)*time.Second).Before(wall) && end.After(t) {
		edge = end
	}
	exists := DateOf(edge.Add(-1), loc) >= d || DateOf(edge, loc) <= d
	return edge, exists
}

// Days is a set of weekdays, bit 0 being Sunday.
type Days uint8

// Every day, and the working week.
const (
	EveryDay Days = 1<<7 - 1
	Weekdays Days = 1<<time.Monday | 1<<time.Tuesday | 1<<time.Wednesday | 1<<time.Thursday | 1<<time.Friday
)

// Has reports whether d falls on one of the days.
func (s Days) Has(d Date) bool { return s&(1<<d.Weekday()) != 0 }

var dayNames = [...]string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

func (s Days) String() string {
	if s == Weekdays {
		return "Mon-Fri"
	}
	var names []string
	for i := range 7 {
		day := (i + 1) % 7
		if s&(1<<day) != 0 {
			names = append(names, dayNames[day])
		}
	}
	return strings.Join(names, ",")
}

// ParseDays reads "Mon-Fri", "Sat,Sun", "daily" and the like.
func ParseDays(s string) (Days, error) {
	low := strings.ToLower(strings.TrimSpace(s))
	switch low {
	case "daily", "all", "every", "everyday":
		return EveryDay, nil
	case "weekdays":
		return Weekdays, nil
	}
	var set Days
	for part := range strings.SplitSeq(low, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, ok := dayNumber(from)
		b, ok2 := a, true
		if ranged {
			b, ok2 = dayNumber(to)
		}
		if !ok || !ok2 {
			return 0, fmt.Errorf("read days %q: write for example Mon-Fri or Sat,Sun", s)
		}
		for d := a; ; d = (d + 1) % 7 {
			set |= 1 << d
			if d == b {
				break
			}
		}
	}
	return set, nil
}

func dayNumber(s string) (int, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 3 {
		return 0, false
	}
	full := [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	for i, name := range full {
		if strings.HasPrefix(name, s) {
			return i, true
		}
	}
	return 0, false
}

// ParseClock reads a time of day such as 9:00 or 18:30.
func ParseClock(s string) (hh, mm int, err error) {
	t, err := time.Parse("15:04", strings.TrimSpace(s))
	if err != nil {
		return 0, 0, fmt.Errorf("read time %q: write hours and minutes, for example 09:00", s)
	}
	return t.Hour(), t.Minute(), nil
}

//go:embed zones.txt
var zoneList string

// zones lists the IANA zone names worth suggesting.
func zones() []string { return strings.Fields(zoneList) }

// ParseZone finds an IANA zone by its exact name, by its case-folded name or
// by an unambiguous city such as "berlin".
func ParseZone(s string) (*time.Location, error) {
	if z := findZone(s); z != "" {
		return time.LoadLocation(z)
	}
	near := SuggestZones(s, 3)
	if len(near) == 0 {
		return nil, fmt.Errorf("no time zone is called %q: write an IANA name such as Europe/Berlin", s)
	}
	return nil, fmt.Errorf("no time zone is called %q: did you mean %s?", s, strings.Join(near, ", "))
}

// findZone is the zone that s names without doubt, or "".
func findZone(s string) string {
	want := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), " ", "_"))
	found, city := "", 0
	for _, z := range zones() {
		low := strings.ToLower(z)
		if low == want {
			return z
		}
		if low[strings.LastIndexByte(low, '/')+1:] == want {
			found, city = z, city+1
		}
	}
	if city != 1 {
		return ""
	}
	return found
}

// longestName is longer than any zone's name; nothing beyond it is compared.
const longestName = 64

// SuggestZones returns at most n zones for what a person has written so far,
// best first: those that contain it, then those whose city is spelt nearly so.
func SuggestZones(s string, n int) []string {
	want := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), " ", "_"))
	if len(want) > longestName {
		return nil
	}
	city := want[strings.LastIndexByte(want, '/')+1:]
	var starts, contains, near []string
	for _, z := range zones() {
		low := strings.ToLower(z)
		last := low[strings.LastIndexByte(low, '/')+1:]
		switch {
		case strings.HasPrefix(low, want) || strings.HasPrefix(last, want):
			starts = append(starts, z)
		case strings.Contains(low, want):
			contains = append(contains, z)
		case len(city) > 3 && editDistance(city, last) <= 2:
			near = append(near, z)
		}
	}
	all := append(append(starts, contains...), near...)
	return all[:min(n, len(all))]
}

// editDistance is the Levenshtein distance in bytes; zone names are ASCII.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
