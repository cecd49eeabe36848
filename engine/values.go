package engine

import "aiprep/engine/skill"

// This file holds what the records of records.go say.

// person is what is kept of one person beside the answers.
type person struct {
	Name    string `cbor:"1,keyasint,omitempty"`
	Zone    string `cbor:"2,keyasint,omitempty"`
	Level   int    `cbor:"3,keyasint,omitempty"` // 0 any, else content.Level+1
	Since   int64  `cbor:"4,keyasint,omitempty"`
	Answers uint32 `cbor:"5,keyasint,omitempty"` // also the next sequence number
	Tests   uint32 `cbor:"6,keyasint,omitempty"`
	Right   uint32 `cbor:"7,keyasint,omitempty"`
	Streak  streak `cbor:"8,keyasint"`
	Consent int    `cbor:"10,keyasint,omitempty"` // to anonymous copies of answers

	Spaces   []membership `cbor:"9,keyasint,omitempty"`  // servers answered in, newest first, at most 8
	Joined   Date         `cbor:"11,keyasint,omitempty"` // the first date answered in any server
	Accounts []string     `cbor:"12,keyasint,omitempty"` // keys of the accounts that are this person
	On       []accountID  `cbor:"19,keyasint,omitempty"` // the same accounts as the platforms know them
	Private  []ID         `cbor:"13,keyasint,omitempty"` // spaces that are this person's private chats
	Hidden   bool         `cbor:"15,keyasint,omitempty"` // does not want to be on boards
	Seen     int64        `cbor:"18,keyasint,omitempty"` // when they last wrote something, Unix seconds
	Lang     string       `cbor:"20,keyasint,omitempty"` // their own choice; "" follows the platform
	FreeOn   Date         `cbor:"21,keyasint,omitempty"` // the date on which Free counts
	Free     int          `cbor:"22,keyasint,omitempty"` // free tests begun
	Best     int          `cbor:"17,keyasint,omitempty"` // the longest streak of those who became this person
	Rescored []string     `cbor:"16,keyasint,omitempty"` // withdrawn questions that they were scored again without, and not told yet
	Rests    []rest       `cbor:"14,keyasint,omitempty"` // rest days and vacations, by when they were chosen
}

// accountID is an account's own id on its platform: boards ask whether its owner
// is still a member.
type accountID struct {
	_        struct{} `cbor:",toarray"`
	Platform string
	ID       string
}

// on lists the person's ids on a platform.
func (p *person) on(platform string) (ids []string) {
	for _, a := range p.On {
		if a.Platform == platform {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// What a person said of anonymous copies; saying nothing means no.
const (
	consentYes = 1
	consentNo  = 2
)

// streak counts kept days in a row. Longest never falls.
type streak struct {
	Current int  `cbor:"1,keyasint,omitempty"`
	Longest int  `cbor:"2,keyasint,omitempty"`
	Last    Date `cbor:"3,keyasint,omitempty"` // the last kept date
	Freezes int  `cbor:"4,keyasint,omitempty"` // held, as of Last
	Froze   int  `cbor:"5,keyasint,omitempty"` // how many freezes were used up to Last
	Earned  bool `cbor:"6,keyasint,omitempty"` // Last earned one
}

// rest is a time in which a person is not expected to answer.
type rest struct {
	From Date `cbor:"1,keyasint"`
	To   Date `cbor:"2,keyasint,omitempty"` // the last date; 0 means until further notice
	Days Days `cbor:"3,keyasint"`
}

// abilities are a person's numbers in the adaptive model, and when they last
// changed (Unix seconds), for the drift of idle time.
type abilities struct {
	General skill.General           `cbor:"1,keyasint"`
	At      int64                   `cbor:"2,keyasint,omitempty"`
	Topics  map[string]topicAbility `cbor:"3,keyasint,omitempty"`
	Curve   []curvePoint            `cbor:"4,keyasint,omitempty"` // the general score, a date a point
}

type topicAbility struct {
	Topic skill.Topic `cbor:"1,keyasint"`
	At    int64       `cbor:"2,keyasint,omitempty"`
}

// answer is a fact: what a person said to one question. It is never changed.
type answer struct {
	Item     string  `cbor:"1,keyasint"`
	Rev      int     `cbor:"2,keyasint"`
	Option   string  `cbor:"3,keyasint"` // the option's key, or dontKnow
	Right    bool    `cbor:"4,keyasint,omitempty"`
	Kind     string  `cbor:"5,keyasint"` // kindTest, kindDaily or kindReview
	At       int64   `cbor:"6,keyasint"` // Unix milliseconds
	Zone     string  `cbor:"7,keyasint,omitempty"`
	Date     Date    `cbor:"8,keyasint,omitempty"` // challenge date of a daily, local date of a test
	Delivery ID      `cbor:"9,keyasint"`
	Order    []int   `cbor:"10,keyasint,omitempty"`
	Epoch    uint32  `cbor:"11,keyasint,omitempty"`
	P        float64 `cbor:"12,keyasint"`
	Counted  bool    `cbor:"13,keyasint,omitempty"` // moved the abilities
	Late     bool    `cbor:"14,keyasint,omitempty"` // At is the time of receipt

	Space   ID          `cbor:"15,keyasint,omitempty"` // of a daily: whose challenge it was
	Private bool        `cbor:"16,keyasint,omitempty"` // Space is the person's own private chat
	Peeked  bool        `cbor:"18,keyasint,omitempty"` // had previewed the challenge
	Prior   *skill.Item `cbor:"17,keyasint,omitempty"` // the item's numbers, where the epoch has none of this revision
}

// Kinds of answer, and the option that nobody has to guess.
const (
	kindTest   = "test"
	kindDaily  = "daily"
	kindReview = "review"
	dontKnow   = "dk"
)

// seen is what a person last did with one item.
type seen struct {
	At    int64  `cbor:"1,keyasint"` // Unix seconds
	Right bool   `cbor:"2,keyasint,omitempty"`
	N     uint32 `cbor:"3,keyasint"`
}

// test is one run of five questions.
type test struct {
	Token  ID        `cbor:"1,keyasint"`
	Scope  string    `cbor:"2,keyasint,omitempty"` // topic, category or "" for the person's own mix
	Steps  []step    `cbor:"3,keyasint,omitempty"`
	Done   bool      `cbor:"4,keyasint,omitempty"`
	Asked  bool      `cbor:"6,keyasint,omitempty"` // its summary asks for consent
	Before []float64 `cbor:"5,keyasint,omitempty"` // score mean, low, high at the start
	Review string    `cbor:"7,keyasint,omitempty"` // of a review: reviewDue or reviewAll
	Of     int       `cbor:"8,keyasint,omitempty"` // how many questions; 0 means testLength
}

// step is one question of a test.
type step struct {
	Item    string `cbor:"1,keyasint"`
	Rev     int    `cbor:"2,keyasint"`
	Order   []int  `cbor:"3,keyasint"`
	Option  string `cbor:"4,keyasint,omitempty"` // "" until answered
	Right   bool   `cbor:"5,keyasint,omitempty"`
	Counted bool   `cbor:"6,keyasint,omitempty"`
	Review  bool   `cbor:"7,keyasint,omitempty"` // its review was due
}

// space is a server or a private chat.
type space struct {
	Place  Place    `cbor:"1,keyasint"` // where posts go
	Zone   string   `cbor:"2,keyasint,omitempty"`
	Hour   int      `cbor:"3,keyasint,omitempty"`
	Minute int      `cbor:"4,keyasint,omitempty"`
	Days   Days     `cbor:"5,keyasint,omitempty"`
	Topics []string `cbor:"6,keyasint,omitempty"`  // topics or categories; empty means all
	Level  int      `cbor:"7,keyasint,omitempty"`  // 0 any, else content.Level+1
	Quorum int      `cbor:"8,keyasint,omitempty"`  // 0 means 1
	State  string   `cbor:"9,keyasint,omitempty"`  // "" never set up, on, paused, suspended
	Why    string   `cbor:"10,keyasint,omitempty"` // of a suspension
	Job    []byte   `cbor:"11,keyasint,omitempty"` // key of the pending choose or post job
	Last   Date     `cbor:"12,keyasint,omitempty"` // newest date posted or missed: nothing at or before it is posted
	Posted Date     `cbor:"13,keyasint,omitempty"` // newest date really posted
	Open   Date     `cbor:"14,keyasint,omitempty"` // date of the delivery still open, or 0
	Streak streak   `cbor:"15,keyasint"`
	Token  ID       `cbor:"16,keyasint,omitempty"` // names this space in an admin's buttons

	Milestone int    `cbor:"17,keyasint,omitempty"` // the longest streak that was celebrated
	Feast     Date   `cbor:"18,keyasint,omitempty"` // the date that reached it
	Role      string `cbor:"20,keyasint,omitempty"` // is mentioned with every post
	Fault     string `cbor:"21,keyasint,omitempty"` // the kind of the last failed post
	FaultAt   int64  `cbor:"22,keyasint,omitempty"` // Unix seconds
	Polls     bool   `cbor:"28,keyasint,omitempty"` // answers come by native quizzes, where there are any
	Seen      int64  `cbor:"26,keyasint,omitempty"` // when its settings were last touched, Unix seconds
	Lang      string `cbor:"27,keyasint,omitempty"` // of what is posted; "" is English
	Admin     ID     `cbor:"24,keyasint,omitempty"` // who set it up
	Owner     ID     `cbor:"25,keyasint,omitempty"` // whose private daily it is
	Peeks     []peek `cbor:"23,keyasint,omitempty"` // who has previewed what, the newest few
	Until     Date   `cbor:"19,keyasint,omitempty"` // nothing is posted for this date or one before: a pause with an end, or a skip
}

// peek is a preview of a challenge that was still to come.
type peek struct {
	Item string `cbor:"1,keyasint"`
	Who  ID     `cbor:"2,keyasint"`
}

// States of a space.
const (
	stateOn        = "on"
	statePaused    = "paused"
	stateSuspended = "suspended"
)

// Why a space is suspended, beside the kinds of PostError.
const (
	whyRemoved = "removed"
	whyEmpty   = "empty"
	whyBlocked = "blocked"
)

// occurrence is the challenge of one space and one date.
type occurrence struct {
	Token   ID     `cbor:"1,keyasint"`
	Item    string `cbor:"2,keyasint"`
	Rev     int    `cbor:"3,keyasint"`
	Order   []int  `cbor:"4,keyasint"`
	State   string `cbor:"5,keyasint"`
	Message []byte `cbor:"6,keyasint,omitempty"` // the rendered Message; retries send these bytes
	To      Place  `cbor:"7,keyasint"`
	Refs    []Ref  `cbor:"8,keyasint,omitempty"`
	Due     int64  `cbor:"9,keyasint"` // Unix seconds
	Posted  int64  `cbor:"10,keyasint,omitempty"`
	Closes  int64  `cbor:"11,keyasint,omitempty"`
	Again   bool   `cbor:"12,keyasint,omitempty"` // posted a second time after a doubt
	Answers int    `cbor:"13,keyasint,omitempty"` // counted when it closed
	For     reason `cbor:"14,keyasint"`
	Peeked  []ID   `cbor:"15,keyasint,omitempty"` // who had seen the question before
	Excused int64  `cbor:"16,keyasint,omitempty"` // since when it breaks no streak, Unix seconds
}

// reason is why a challenge was chosen.
type reason struct {
	Members int     `cbor:"1,keyasint,omitempty"` // active ones looked at
	Fresh   int     `cbor:"2,keyasint,omitempty"` // items that could have been chosen
	P       float64 `cbor:"3,keyasint,omitempty"` // predicted share of right answers
}

// States of an occurrence.
const (
	occChosen  = "chosen"
	occClaimed = "claimed"
	occPosted  = "posted"
	occClosed  = "closed"
	occMissed  = "missed"
)

// spaceDay is a fact: how many took part on one date of a space, counted up
// to the quorum. It names nobody and stays when a person is erased.
type spaceDay struct {
	N   int  `cbor:"1,keyasint,omitempty"`
	Met bool `cbor:"2,keyasint,omitempty"`
}

// mark is one person's answer to one occurrence; it makes the answer unique.
type mark struct {
	Option  string `cbor:"1,keyasint"`
	Right   bool   `cbor:"2,keyasint,omitempty"`
	Seq     uint32 `cbor:"3,keyasint"`
	Counted bool   `cbor:"4,keyasint,omitempty"`
	Points  int64  `cbor:"5,keyasint,omitempty"` // thousandths
}

// tokenFor says what a token in a button stands for.
type tokenFor struct {
	Space ID   `cbor:"1,keyasint,omitempty"`
	Date  Date `cbor:"2,keyasint,omitempty"`
}

// ask is a line of text that is awaited from a person.
type ask struct {
	Action string `cbor:"1,keyasint"`
	In     Place  `cbor:"2,keyasint"`
	At     int64  `cbor:"3,keyasint"`
}

// exposure counts how often items were served in the tests of one topic; old
// tests fade out, so that about the last 200 count.
type exposure struct {
	Tests float64            `cbor:"1,keyasint"`
	Items map[string]float64 `cbor:"2,keyasint,omitempty"`
}

// job is something that goes out unasked, in one of its states.
type job struct {
	Kind   string `cbor:"1,keyasint"`
	Space  ID     `cbor:"2,keyasint"`
	Date   Date   `cbor:"3,keyasint"`
	State  string `cbor:"4,keyasint,omitempty"` // "" ready, claimed, unknown
	Due    int64  `cbor:"5,keyasint"`           // when it was first due, Unix seconds
	Tried  int64  `cbor:"6,keyasint,omitempty"` // when the attempt in doubt began, Unix seconds
	Looked int64  `cbor:"9,keyasint,omitempty"` // when the doubt was first looked into, Unix seconds
	Tries  int    `cbor:"7,keyasint,omitempty"`
	Body   []byte `cbor:"8,keyasint,omitempty"` // a rendered Message
}

// Kinds and states of job.
const (
	jobChoose  = "choose"
	jobPost    = "post"
	jobRemind  = "remind"
	jobWord    = "word"
	jobReveal  = "close" // before post in the order of keys: a delivery closes, then the next goes out
	jobClaimed = "claimed"
	jobUnknown = "unknown"
)

// aside is an update that could not be handled, kept for a week.
type aside struct {
	Raw    []byte `cbor:"1,keyasint"`
	Reason string `cbor:"2,keyasint"`
}
