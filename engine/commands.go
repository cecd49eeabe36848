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

// commands builds the one table of everything that can be typed or pressed, in
// the words of a language; u adds what belongs to unlocking.
func (c *catalogue) commands(u *Unlocking) ([]Command, map[string]verb) {
	scope := Option{Name: "scope", Kind: TopicOption, Summary: c.say(wOptScope)}
	topic := Option{Name: "topic", Kind: TopicOption, Summary: c.say(wOptTopic)}
	page := Option{Name: "page", Kind: NumberOption, Summary: c.say(wOptPage)}
	typed := func(name string, w word, opts ...Option) Command {
		return Command{Name: name, Summary: c.say(w), Options: opts, Pressed: ShowsReplace}
	}
	inServer := func(cmd Command) Command { cmd.Where = ServerOnly; return cmd }
	costly := func(cmd Command) Command { cmd.Costly = true; return cmd }
	all := []verb{
		{Command: typed("start", wCmdStart, Option{Name: "link", Kind: TextOption, Summary: c.say(wOptLink)}), run: (*turn).start},
		{Command: typed("daily", wCmdDaily), run: (*turn).daily},
		{Command: costly(typed("test", wCmdTest, scope)), run: (*turn).startTest},
		{Command: costly(typed("review", wCmdReview, c.reviewOption())), run: (*turn).review},
		{Command: typed("learn", wCmdLearn, topic, page), run: (*turn).learn, reads: true},
		{Command: typed("topics", wCmdTopics, page, Option{Name: "category", Kind: TopicOption, Summary: c.say(wOptCategory)}), run: (*turn).topics, reads: true},
		{Command: typed("stats", wCmdStats, topic), run: (*turn).stats, reads: true},
		{Command: typed("streak", wCmdStreak, c.streakOption()), run: (*turn).streaks, reads: true},
		{Command: costly(inServer(typed("board", wCmdBoard, c.boardOption()))), run: (*turn).board, reads: true},
		{Command: typed("settings", wCmdSettings, c.personOptions()...), run: (*turn).settings},
		{Command: admin(typed("setup", wCmdSetup, c.setupOptions()...)), run: (*turn).setup},
		{Command: admin(typed("pause", wCmdPause, Option{Name: "days", Kind: NumberOption, Summary: c.say(wOptPause)})), run: (*turn).pause},
		{Command: admin(typed("skip", wCmdSkip)), run: (*turn).skip},
		{Command: admin(typed("resume", wCmdResume)), run: (*turn).resume},
		{Command: typed(verbStop, wCmdCancel), run: (*turn).stop},
		{Command: typed(verbWhy, wCmdWhy), run: (*turn).why, reads: true},
		{Command: typed("privacy", wCmdPrivacy), run: (*turn).privacy, reads: true},
		{Command: costly(typed("export", wCmdExport)), run: (*turn).export, reads: true},
		{Command: costly(typed("link", wCmdLink, Option{Name: "code", Kind: TextOption, Summary: c.say(wOptCode)})), run: (*turn).link},
		{Command: costly(typed("erase", wCmdErase)), run: (*turn).erase},
		{Command: typed("help", wCmdHelp), run: (*turn).help, reads: true},
	}
	if u != nil {
		code := Option{Name: "code", Kind: TextOption, Summary: c.say(wOptUnlock)}
		all = append(all, verb{Command: typed("unlock", wCmdUnlock, code), run: (*turn).unlock})
	}
	if u != nil && u.Support != "" {
		all = append(all,
			verb{Command: typed("paysupport", wCmdPaySupport), run: (*turn).support, reads: true},
			verb{Command: typed("terms", wCmdTerms), run: (*turn).terms, reads: true},
		)
	}
	all = append(all, pressed()...)
	table := make([]Command, 0, len(all))
	verbs := make(map[string]verb, len(all))
	for _, v := range all {
		table = append(table, v.Command)
		verbs[v.Name] = v
	}
	return table, verbs
}

// admin makes a command one of those who manage the server.
func admin(cmd Command) Command {
	cmd.Who, cmd.Where = Admins, ServerOnly
	return cmd
}

// pressed are the verbs of buttons, and of what the platform reports.
func pressed() []verb {
	hidden := func(name string, pressed Shows) Command {
		return Command{Name: name, Hidden: true, Pressed: pressed}
	}
	return []verb{
		{Command: hidden(verbPick, ShowsReplace), run: (*turn).pick},
		{Command: hidden(verbNext, ShowsReplace), run: (*turn).next},
		{Command: hidden(verbVote, ShowsWhisper), run: (*turn).vote},
		{Command: hidden(verbMine, ShowsReplace), run: (*turn).vote},
		{Command: admin(hidden(verbSet, ShowsReplace)), run: (*turn).set},
		{Command: hidden(verbMy, ShowsReplace), run: (*turn).my},
		{Command: hidden(verbFlag, ShowsReplace), run: (*turn).report},
		{Command: hidden(VerbBallot, ShowsWhisper), run: (*turn).ballot, system: true},
		{Command: hidden(verbLine, ShowsWhisper), run: (*turn).line, reads: true},
		{Command: hidden(verbJoined, ShowsWhisper), run: (*turn).joined, system: true},
		{Command: hidden(verbLeft, ShowsWhisper), run: (*turn).left, system: true},
		{Command: hidden(verbMoved, ShowsWhisper), run: (*turn).moved, system: true},
		// Also when nothing is sold any more: what was paid was paid.
		{Command: Command{Name: VerbPaid, Hidden: true, Shows: ShowsPost}, run: (*turn).paid, system: true},
		{Command: Command{Name: VerbRefunded, Hidden: true, Shows: ShowsPost}, run: (*turn).refunded, system: true},
	}
}

// levelChoices are the values of a level option: any, junior, mid, senior.
func (c *catalogue) levelChoices() []Choice {
	choices := []Choice{{Value: "any", Label: c.say(wLevelAny)}}
	for _, l := range content.Levels() {
		choices = append(choices, Choice{Value: l.String(), Label: l.String()})
	}
	return choices
}

func (c *catalogue) reviewOption() Option {
	return Option{Name: "what", Kind: ChoiceOption, Summary: c.say(wOptReview), Choices: []Choice{
		{Value: reviewDue, Label: c.say(wReviewDueOnly)}, {Value: reviewAll, Label: c.say(wReviewAll)},
		{Value: reviewAnki, Label: c.say(wReviewAnki)}, {Value: reviewCSV, Label: c.say(wReviewCSV)},
	}}
}

func (c *catalogue) boardOption() Option {
	return Option{Name: "period", Kind: ChoiceOption, Summary: c.say(wOptPeriod), Choices: []Choice{
		{Value: boardWeek, Label: c.say(wPeriodWeek)}, {Value: boardDay, Label: c.say(wPeriodDay)},
		{Value: boardMonth, Label: c.say(wPeriodMonth)}, {Value: boardAll, Label: c.say(wPeriodAll)},
		{Value: boardWhy, Label: c.say(wPeriodWhy)},
	}}
}

func (c *catalogue) streakOption() Option {
	return Option{Name: "what", Kind: ChoiceOption, Summary: c.say(wOptStreak), Choices: []Choice{
		{Value: "why", Label: c.say(wStreakWhy)},
	}}
}

func (c *catalogue) personOptions() []Option {
	return []Option{
		{Name: "zone", Kind: ZoneOption, Summary: c.say(wOptZone)},
		{Name: "level", Kind: ChoiceOption, Choices: c.levelChoices(), Summary: c.say(wOptLevel)},
		{Name: "daily", Kind: TimeOption, Summary: c.say(wOptDaily)},
		{Name: "language", Kind: ChoiceOption, Choices: c.languageChoices(), Summary: c.say(wOptLanguage)},
		{Name: "rest", Kind: DaysOption, Summary: c.say(wOptRest)},
		{Name: "vacation", Kind: NumberOption, Summary: c.say(wOptVacation)},
		{Name: "share", Kind: ChoiceOption, Summary: c.say(wOptShare), Choices: []Choice{
			{Value: "yes", Label: c.say(wYes)}, {Value: "no", Label: c.say(wNo)},
		}},
		{Name: "board", Kind: ChoiceOption, Summary: c.say(wOptBoard), Choices: []Choice{
			{Value: "show", Label: c.say(wBoardShow)}, {Value: "hide", Label: c.say(wBoardHide)},
		}},
	}
}

func (c *catalogue) setupOptions() []Option {
	return []Option{
		{Name: "show", Kind: ChoiceOption, Summary: c.say(wOptShow), Choices: []Choice{
			{Value: setupCheck, Label: c.say(wSetupCheck)}, {Value: setupPreview, Label: c.say(wSetupPreview)},
			{Value: setupExcuse, Label: c.say(wSetupExcuse)},
		}},
		{Name: "time", Kind: TimeOption, Summary: c.say(wOptTime)},
		{Name: "zone", Kind: ZoneOption, Summary: c.say(wOptZone)},
		{Name: "days", Kind: DaysOption, Summary: c.say(wOptDays)},
		{Name: "level", Kind: ChoiceOption, Choices: c.levelChoices(), Summary: c.say(wOptLevel)},
		{Name: "language", Kind: ChoiceOption, Choices: c.languageChoices(), Summary: c.say(wOptPostLanguage)},
		{Name: "quorum", Kind: NumberOption, Summary: c.say(wOptQuorum)},
		{Name: "channel", Kind: PlaceOption, Summary: c.say(wOptChannel)},
		{Name: "answers", Kind: ChoiceOption, Summary: c.say(wOptAnswers), Choices: []Choice{
			{Value: answersButtons, Label: c.say(wAnswersButtons)}, {Value: answersPoll, Label: c.say(wAnswersPoll)},
		}},
		{Name: "role", Kind: RoleOption, Summary: c.say(wOptRole)},
		{Name: "topics", Kind: TopicOption, Many: true, Summary: c.say(wOptTopics)},
	}
}

// languageChoices are the values of a language option, each in its own words.
func (c *catalogue) languageChoices() []Choice {
	choices := []Choice{{Value: langAuto, Label: c.say(wLangAuto)}}
	for _, l := range languages() {
		choices = append(choices, Choice{Value: l, Label: languageName(l)})
	}
	return choices
}
