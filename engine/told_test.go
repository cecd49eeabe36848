package engine_test

import "testing"

// A word that no option takes is told back, and nothing of the line is saved.
func TestALeftoverWordChangesNothing(t *testing.T) {
	c := newChat(t)
	c.types("ann", "", "settings zone=Asia/Tokyo")
	c.wants(c.types("ann", "", "settings level=mid foo=bar").Whisper, "foo=bar", "zone, level, daily, language, rest, vacation, share")
	c.wants(c.types("ann", "", "settings").Whisper, "Asia/Tokyo", "questions: any")
	c.types("admin", "g", "setup time=09:00")
	c.wants(c.types("admin", "g", "setup time=10:00 tpics=all").Whisper, "tpics=all", "topics")
	c.wants(c.types("admin", "g", "setup").Whisper, "09:00")
}

// A setting that is changed during a pause does not end it; its button does.
func TestASettingDoesNotEndAPause(t *testing.T) {
	c := newChat(t)
	c.types("admin", "g", "setup time=09:00 zone=UTC")
	m := c.types("admin", "g", "pause").Whisper
	c.wants(c.types("admin", "g", "setup time=10:00").Whisper, "paused", "10:00")
	r := c.press("admin", "g", m, "w", "Turn on")
	c.wants(r.Replace, "challenge: on", "10:00")
}

// Where no daily runs nobody is told that one does.
func TestWithoutADailyNobodySpeaksOfOne(t *testing.T) {
	c := newChat(t)
	for _, line := range []string{"start", "why", "daily"} {
		c.wants(c.types("ann", "g", line).Whisper, "No daily challenge runs here yet", "/setup")
	}
	c.wants(c.types("ann", "", "why").Whisper, "/daily draws it")
}
