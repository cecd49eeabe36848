package bottest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits of polls (https://core.telegram.org/bots/api#sendpoll).
const (
	maxQuestion    = 300
	maxOptions     = 12
	maxOption      = 100
	maxExplanation = 200
	maxExplainFeed = 2
	maxDescription = 1024
	minPollSeconds = 5
	maxPollSeconds = 2_628_000
)

type tgPoll struct {
	TelegramPoll
	message *TelegramMessage // the chat's own; nil until it is sent
	votes   map[int64][]int  // by user or, for anonymous administrators, chat
}

type pollOptionInput struct {
	Text  string           `json:"text"`
	Mode  string           `json:"text_parse_mode"`
	Marks []TelegramEntity `json:"text_entities"`
	Media any              `json:"media"`
}

func (t *Telegram) sendPoll(c *tgCall) (any, *tgError) {
	return t.send(c, false, func(m *TelegramMessage, r *tgRoom) *tgError {
		p := &tgPoll{votes: map[int64][]int{}}
		for _, step := range []func(*tgCall, *tgPoll) *tgError{pollQuestion, pollOptions, pollKind, pollExplanation, t.pollTimes} {
			if fail := step(c, p); fail != nil {
				return fail
			}
		}
		if r.Type == "channel" && !p.Anonymous {
			return violation("non-anonymous polls can't be sent to channel chats")
		}
		if c.has("media") || c.has("explanation_media") {
			return violation("poll media are not implemented by the fake")
		}
		p.ID = strconv.FormatInt(t.number(), 10)
		t.polls[p.ID] = p
		m.Poll = &p.TelegramPoll
		return nil
	})
}

func pollQuestion(c *tgCall, p *tgPoll) (fail *tgError) {
	p.Question, p.QuestionEntities, fail = c.formatted("question", "question_parse_mode", "question_entities", 1, maxQuestion)
	if fail == nil {
		fail = onlyEmoji(p.QuestionEntities, "question")
	}
	if fail == nil {
		p.Description, p.DescriptionMarks, fail = c.formatted("description", "description_parse_mode", "description_entities", 0, maxDescription)
	}
	return fail
}

// onlyEmoji: questions and options take custom emoji and nothing else.
func onlyEmoji(marks []TelegramEntity, what string) *tgError {
	for _, e := range marks {
		if e.Type != "custom_emoji" {
			return violation("poll %s can have custom emoji entities only, not %s", what, e.Type)
		}
	}
	return nil
}

func pollOptions(c *tgCall, p *tgPoll) *tgError {
	var list []pollOptionInput
	if _, fail := c.object("options", &list); fail != nil {
		return fail
	}
	if n := len(list); n < 1 || n > maxOptions {
		return violation("poll must have 1-%d answer options", maxOptions).because("poll has %d options, want 1-%d", n, maxOptions)
	}
	for i, o := range list {
		text, marks, fail := formattedText(o.Text, o.Mode, o.Marks, 1, maxOption, "poll option")
		if fail == nil {
			fail = onlyEmoji(marks, "option")
		}
		if fail == nil && o.Media != nil {
			fail = violation("poll media are not implemented by the fake")
		}
		if fail != nil {
			return fail
		}
		p.Options = append(p.Options, TelegramPollOption{PersistentID: fmt.Sprintf("o%d", i), Text: text, Entities: marks})
	}
	return nil
}

func pollKind(c *tgCall, p *tgPoll) *tgError {
	p.Type = c.text("type")
	if p.Type == "" {
		p.Type = "regular"
	}
	if p.Type != "regular" && p.Type != "quiz" {
		return violation("unsupported poll type specified")
	}
	quiz := p.Type == "quiz"
	p.Anonymous = c.flag("is_anonymous", true)
	p.Multiple = c.flag("allows_multiple_answers", false)
	p.Revoting = c.flag("allows_revoting", !quiz)
	p.MembersOnly = c.flag("members_only", false)
	p.Closed = c.flag("is_closed", false)
	given, fail := c.object("correct_option_ids", &p.Correct)
	switch {
	case fail != nil:
		return fail
	case !quiz && given:
		return violation("correct_option_ids can be given for quizzes only")
	case quiz && len(p.Correct) == 0:
		return violation("Correct quiz option list must be non-empty")
	case quiz && !p.Multiple && len(p.Correct) != 1:
		return violation("a quiz with one answer must have one correct option")
	}
	for i, id := range p.Correct {
		if id < 0 || id >= len(p.Options) {
			return violation("Wrong quiz correct_option_id").because("correct_option_ids: %d with %d options", id, len(p.Options))
		}
		if i > 0 && id <= p.Correct[i-1] {
			return violation("Correct quiz option list must be increasing")
		}
	}
	return nil
}

func pollExplanation(c *tgCall, p *tgPoll) (fail *tgError) {
	p.Explanation, p.ExplanationMarks, fail = c.formatted("explanation", "explanation_parse_mode", "explanation_entities", 0, maxExplanation)
	switch {
	case fail != nil:
		return fail
	case p.Explanation != "" && p.Type != "quiz":
		return violation("explanation can be given for quizzes only")
	case strings.Count(p.Explanation, "\n") > maxExplainFeed:
		return violation("explanation has more than %d line feeds", maxExplainFeed)
	}
	return nil
}

func (t *Telegram) pollTimes(c *tgCall, p *tgPoll) *tgError {
	var fail *tgError
	if p.OpenPeriod, fail = c.small("open_period"); fail != nil {
		return fail
	}
	if p.CloseDate, fail = c.integer("close_date"); fail != nil {
		return fail
	}
	left := p.CloseDate - t.now().Unix()
	switch {
	case c.has("open_period") && c.has("close_date"):
		return violation("open_period and close_date can't be used together")
	case c.has("open_period") && (p.OpenPeriod < minPollSeconds || p.OpenPeriod > maxPollSeconds):
		return violation("open_period must be %d-%d", minPollSeconds, maxPollSeconds)
	case c.has("close_date") && (left < minPollSeconds || left > maxPollSeconds):
		return violation("close_date must be %d-%d seconds ahead", minPollSeconds, maxPollSeconds)
	}
	if p.OpenPeriod > 0 {
		p.CloseDate = t.now().Unix() + int64(p.OpenPeriod)
	}
	return nil
}

func (t *Telegram) stopPoll(c *tgCall) (any, *tgError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, m, fail := t.target(c, "with poll to stop")
	if fail != nil {
		return nil, fail
	}
	markup, fail := c.markup(r.Type, false)
	switch {
	case fail != nil:
		return nil, fail
	case m.Poll == nil:
		return nil, refuse("message is not a poll")
	case !m.own:
		return nil, refuse("poll can't be stopped")
	case m.Poll.Closed:
		return nil, refuse("poll has already been closed")
	}
	m.Keyboard, m.Markup = markup.inline, markup.raw
	m.Edits++
	t.closePoll(t.polls[m.Poll.ID])
	return t.polls[m.Poll.ID].outside(), nil
}

// outside is the poll as updates and stopPoll show it: without its description,
// which only messages carry (https://core.telegram.org/bots/api#poll).
func (p *tgPoll) outside() TelegramPoll {
	c := p.TelegramPoll
	c.Description, c.DescriptionMarks = "", nil
	c.Options = slices.Clone(p.Options)
	return c
}

func (t *Telegram) closePoll(p *tgPoll) {
	p.Closed = true
	t.push("poll", "poll "+p.ID, pollLife, p.outside())
	t.touch()
}

// closePolls closes those whose time is over; it needs t.mu.
func (t *Telegram) closePolls() {
	for _, p := range t.polls {
		if p.message != nil && !p.Closed && p.CloseDate > 0 && p.CloseDate <= t.now().Unix() {
			t.closePoll(p)
		}
	}
}

// Vote lets a person choose options, numbered from 0 in the order they were sent
// in; none takes the vote back. It fails where a client would not offer it. The
// bot gets the poll and, unless it is anonymous, the answer; the returned id is
// that of the poll_answer update, 0 when none was sent.
func (t *Telegram) Vote(user int64, m TelegramMessage, options ...int) (int64, error) {
	return t.vote(user, m, options, false)
}

// VoteAsChat is Vote by an anonymous administrator: the answer names the group
// and no person.
func (t *Telegram) VoteAsChat(user int64, m TelegramMessage, options ...int) (int64, error) {
	return t.vote(user, m, options, true)
}

func (t *Telegram) vote(user int64, m TelegramMessage, options []int, asChat bool) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closePolls()
	r, person, err := t.visitor(user, m.Chat.ID)
	if err != nil {
		return 0, fmt.Errorf("vote: %w", err)
	}
	own := r.messages[m.ID]
	if own == nil || own.Poll == nil || t.polls[own.Poll.ID] == nil {
		return 0, fmt.Errorf("vote: message %d of chat %d is no poll", m.ID, m.Chat.ID)
	}
	p := t.polls[own.Poll.ID]
	voter := user
	if asChat {
		if !r.isAdmin(user) || !r.members[user].anonymous {
			return 0, fmt.Errorf("vote: %d is no anonymous administrator", user)
		}
		voter = r.ID
	}
	if err := p.choose(voter, options); err != nil {
		return 0, err
	}
	t.touch()
	t.push("poll", "poll "+p.ID, pollLife, p.outside())
	if p.Anonymous {
		return 0, nil
	}
	answer := map[string]any{"poll_id": p.ID, "option_ids": nonNil(options), "option_persistent_ids": p.persistent(options)}
	if asChat {
		answer["voter_chat"] = r.TelegramChat
	} else {
		answer["user"] = person.TelegramUser
	}
	return t.push("poll_answer", "poll "+p.ID, pollLife, answer), nil
}

// choose counts a vote.
func (p *tgPoll) choose(voter int64, options []int) error {
	_, voted := p.votes[voter]
	switch {
	case p.Closed:
		return fmt.Errorf("vote: poll %s is closed", p.ID)
	case voted && !p.Revoting:
		return fmt.Errorf("vote: poll %s takes no second answer", p.ID)
	case len(options) == 0 && !voted:
		return fmt.Errorf("vote: there is no vote to take back in poll %s", p.ID)
	case len(options) > 1 && !p.Multiple:
		return fmt.Errorf("vote: poll %s takes one answer", p.ID)
	}
	for _, o := range options {
		if o < 0 || o >= len(p.Options) {
			return fmt.Errorf("vote: poll %s has no option %d", p.ID, o)
		}
	}
	if delete(p.votes, voter); len(options) > 0 {
		p.votes[voter] = slices.Clone(options)
	}
	for i := range p.Options {
		p.Options[i].Voters = 0
	}
	for _, list := range p.votes {
		for _, o := range list {
			p.Options[o].Voters++
		}
	}
	p.Voters = len(p.votes)
	return nil
}

func (p *tgPoll) persistent(options []int) []string {
	out := []string{}
	for _, o := range options {
		out = append(out, p.Options[o].PersistentID)
	}
	return out
}

func nonNil(list []int) []int { return append([]int{}, list...) }
