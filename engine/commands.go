package engine

import "aiprep/content"

// Verbs of buttons; people never type them.
const (
	verbLine   = "line"   // a line of plain text
	verbPick   = "pick"   // answer a question of a test
	verbNext   = "next"   // go on with a test
	verbStop   = "cancel" // stop a test, or being asked
	verbVote   = "vote"   // answer the public daily
	verbMine   = "mine"   // answer one's own copy of the daily
	verbWhy    = "why"    // the whole explanation; typed, why today's question was chosen
	verbFlag   = "flag"   // say what is wrong with a question
	verbSet    = "set"    // change one thing of a server's daily
	verbMy     = "my"     // change one thing of one's own settings
	verbJoined = "joined" // the bot was added, or may write again
	verbLeft   = "left"   // the bot was removed, or may no longer write
	verbMoved  = "moved"  // the place has a new address
)

// commands builds the one table of everything that can be typed or pressed.
func (e *Engine) commands() ([]Command, map[string]verb) {
	scope := Option{Name: "scope", Kind: TopicOption, Summary: e.words.say(wOptScope)}
	topic := Option{Name: "topic", Kind: TopicOption, Summary: e.words.say(wOptTopic)}
	page := Option{Name: "page", Kind: NumberOption, Summary: e.words.say(wOptPage)}
	typed := func(name string, w word, opts ...Option) Command {
		return Command{Name: name, Summary: e.words.say(w), Options: opts, Pressed: ShowsReplace}
	}
	admin := func(c Command) Command {
		c.Who, c.Where = Admins, ServerOnly
		return c
	}
	inServer := func(c Command) Command { c.Where = ServerOnly; return c }
	costly := func(c Command) Command { c.Costly = true; return c }
	hidden := func(name string, pressed Shows) Command {
		return Command{Name: name, Hidden: true, Pressed: pressed}
	}
	all := []verb{
		{Command: typed("start", wCmdStart, Option{Name: "link", Kind: TextOption, Summary: e.words.say(wOptLink)}), run: (*turn).start},
		{Command: typed("daily", wCmdDaily), run: (*turn).daily},
		{Command: costly(typed("test", wCmdTest, scope)), run: (*turn).startTest},
		{Command: costly(typed("review", wCmdReview, e.reviewOption())), run: (*turn).review},
		{Command: typed("learn", wCmdLearn, topic, page), run: (*turn).learn, reads: true},
		{Command: typed("topics", wCmdTopics, page, Option{Name: "category", Kind: TopicOption, Summary: e.words.say(wOptCategory)}), run: (*turn).topics, reads: true},
		{Command: typed("stats", wCmdStats, topic), run: (*turn).stats, reads: true},
		{Command: typed("streak", wCmdStreak, e.streakOption()), run: (*turn).streaks, reads: true},
		{Command: costly(inServer(typed("board", wCmdBoard, e.boardOption()))), run: (*turn).board, reads: true},
		{Command: typed("settings", wCmdSettings, e.personOptions()...), run: (*turn).settings},
		{Command: admin(typed("setup", wCmdSetup, e.setupOptions()...)), run: (*turn).setup},
		{Command: admin(typed("pause", wCmdPause, Option{Name: "days", Kind: NumberOption, Summary: e.words.say(wOptPause)})), run: (*turn).pause},
		{Command: admin(typed("skip", wCmdSkip)), run: (*turn).skip},
		{Command: admin(typed("resume", wCmdResume)), run: (*turn).resume},
		{Command: typed(verbStop, wCmdCancel), run: (*turn).stop},
		{Command: typed(verbWhy, wCmdWhy), run: (*turn).why, reads: true},
		{Command: typed("privacy", wCmdPrivacy), run: (*turn).privacy, reads: true},
		{Command: costly(typed("export", wCmdExport)), run: (*turn).export, reads: true},
		{Command: costly(typed("link", wCmdLink, Option{Name: "code", Kind: TextOption, Summary: e.words.say(wOptCode)})), run: (*turn).link},
		{Command: costly(typed("erase", wCmdErase)), run: (*turn).erase},
		{Command: typed("help", wCmdHelp), run: (*turn).help, reads: true},

		{Command: hidden(verbPick, ShowsReplace), run: (*turn).pick},
		{Command: hidden(verbNext, ShowsReplace), run: (*turn).next},
		{Command: hidden(verbVote, ShowsWhisper), run: (*turn).vote},
		{Command: hidden(verbMine, ShowsReplace), run: (*turn).vote},
		{Command: admin(hidden(verbSet, ShowsReplace)), run: (*turn).set},
		{Command: hidden(verbMy, ShowsReplace), run: (*turn).my},
		{Command: hidden(verbFlag, ShowsReplace), run: (*turn).report},
		{Command: hidden(verbLine, ShowsWhisper), run: (*turn).line, reads: true},
		{Command: hidden(verbJoined, ShowsWhisper), run: (*turn).joined, system: true},
		{Command: hidden(verbLeft, ShowsWhisper), run: (*turn).left, system: true},
		{Command: hidden(verbMoved, ShowsWhisper), run: (*turn).moved, system: true},
	}
	table := make([]Command, 0, len(all))
	verbs := make(map[string]verb, len(all))
	for _, v := range all {
		table = append(table, v.Command)
		verbs[v.Name] = v
	}
	return table, verbs
}

// levelChoices are the values of a level option: any, junior, mid, senior.
func (e *Engine) levelChoices() []Choice {
	choices := []Choice{{Value: "any", Label: e.words.say(wLevelAny)}}
	for _, l := range content.Levels() {
		choices = append(choices, Choice{Value: l.String(), Label: l.String()})
	}
	return choices
}

func (e *Engine) reviewOption() Option {
	return Option{Name: "what", Kind: ChoiceOption, Summary: e.words.say(wOptReview), Choices: []Choice{
		{Value: reviewDue, Label: e.words.say(wReviewDueOnly)}, {Value: reviewAll, Label: e.words.say(wReviewAll)},
		{Value: reviewAnki, Label: e.words.say(wReviewAnki)}, {Value: reviewCSV, Label: e.words.say(wReviewCSV)},
	}}
}

func (e *Engine) boardOption() Option {
	return Option{Name: "period", Kind: ChoiceOption, Summary: e.words.say(wOptPeriod), Choices: []Choice{
		{Value: boardWeek, Label: e.words.say(wPeriodWeek)}, {Value: boardDay, Label: e.words.say(wPeriodDay)},
		{Value: boardMonth, Label: e.words.say(wPeriodMonth)}, {Value: boardAll, Label: e.words.say(wPeriodAll)},
		{Value: boardWhy, Label: e.words.say(wPeriodWhy)},
	}}
}

func (e *Engine) streakOption() Option {
	return Option{Name: "what", Kind: ChoiceOption, Summary: e.words.say(wOptStreak), Choices: []Choice{
		{Value: "why", Label: e.words.say(wStreakWhy)},
	}}
}

func (e *Engine) personOptions() []Option {
	return []Option{
		{Name: "zone", Kind: ZoneOption, Summary: e.words.say(wOptZone)},
		{Name: "level", Kind: ChoiceOption, Choices: e.levelChoices(), Summary: e.words.say(wOptLevel)},
		{Name: "daily", Kind: TimeOption, Summary: e.words.say(wOptDaily)},
		{Name: "rest", Kind: DaysOption, Summary: e.words.say(wOptRest)},
		{Name: "vacation", Kind: NumberOption, Summary: e.words.say(wOptVacation)},
		{Name: "share", Kind: ChoiceOption, Summary: e.words.say(wOptShare), Choices: []Choice{
			{Value: "yes", Label: e.words.say(wYes)}, {Value: "no", Label: e.words.say(wNo)},
		}},
		{Name: "board", Kind: ChoiceOption, Summary: e.words.say(wOptBoard), Choices: []Choice{
			{Value: "show", Label: e.words.say(wBoardShow)}, {Value: "hide", Label: e.words.say(wBoardHide)},
		}},
	}
}

func (e *Engine) setupOptions() []Option {
	return []Option{
		{Name: "show", Kind: ChoiceOption, Summary: e.words.say(wOptShow), Choices: []Choice{
			{Value: setupCheck, Label: e.words.say(wSetupCheck)}, {Value: setupPreview, Label: e.words.say(wSetupPreview)},
			{Value: setupExcuse, Label: e.words.say(wSetupExcuse)},
		}},
		{Name: "time", Kind: TimeOption, Summary: e.words.say(wOptTime)},
		{Name: "zone", Kind: ZoneOption, Summary: e.words.say(wOptZone)},
		{Name: "days", Kind: DaysOption, Summary: e.words.say(wOptDays)},
		{Name: "level", Kind: ChoiceOption, Choices: e.levelChoices(), Summary: e.words.say(wOptLevel)},
		{Name: "quorum", Kind: NumberOption, Summary: e.words.say(wOptQuorum)},
		{Name: "channel", Kind: PlaceOption, Summary: e.words.say(wOptChannel)},
		{Name: "role", Kind: RoleOption, Summary: e.words.say(wOptRole)},
		{Name: "topics", Kind: TopicOption, Many: true, Summary: e.words.say(wOptTopics)},
	}
}
