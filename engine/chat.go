package engine

import (
	"context"
	"time"

	"aiprep/content"
)

// User is an account on a platform, as the adapter sees it.
type User struct {
	Platform string // "discord", "telegram", "console"
	ID       string // the platform's own id
	Name     string // the display name of this moment; shown, never trusted
}

// Place is where something is said. A private chat has no Server.
type Place struct {
	Platform string
	Server   string // a guild or a group; "" in a private chat
	Chat     string // the channel, group or private chat
	Thread   string // a thread or topic within Chat, or ""
}

// Private reports whether only one person reads this place.
func (p Place) Private() bool { return p.Server == "" }

// Ref names one sent message for ever: the adapter's own spelling of chat and
// message id. The engine stores it and hands it back, nothing else.
type Ref string

// Input is one thing that a person did: a command typed, a button pressed, a
// line of text that was asked for. Handle is a function of (store, Input), so
// a stored Input replays.
type Input struct {
	ID     string    // the platform's id of the event: for logs and the set-aside list, never for counting
	At     time.Time // when it was done
	Late   bool      // At is only the time of receipt
	From   User
	In     Place
	On     Ref    // the message pressed, or ""
	Poll   string // the id of the native quiz that On is, or ""
	Own    bool   // nobody but From sees On: only such a message may be replaced
	Admin  bool   // the adapter checked, for this event, that From manages In.Server
	Event  bool   // the platform reports this, no person asked for it: joined, left, moved
	Verb   string
	Args   []string
	Locale string // BCP 47 tag as the platform sends it, or ""
	Sight  *Sight // what was found where a Reply had asked to Look, or nil
	// Owns lists the ids of From's payments for the Offer, where the platform says
	// them with every event; nil where it does not.
	Owns *[]string
}

// Sight is what the platform says of a place: what the bot may do there, or who
// is still there.
type Sight struct {
	Unclear bool     // the platform could not be asked
	Gone    bool     // the place is not there, or the bot cannot see it
	Lacks   []Right  // what the bot would need there and has not
	Left    []string // ids of those asked about who are no members any more
}

// Query is what a Reply wants to know of the platform.
type Query struct {
	Place   Place
	Members []string // ids of people: only whether they are still there; none: what the bot may do
}

// Right is something that the bot must be allowed to do in a place.
type Right uint8

// The rights that posting takes.
const (
	ToSend  Right = iota // write messages, or begin posts in a forum
	ToReply              // write in threads
	ToRead               // read what was written, to find its own posts again
	ToFile               // send files
)

// Reply is the engine's whole answer to one Input. Any of its parts may be
// nil; an adapter shows all that are not.
type Reply struct {
	Whisper *Message // only the presser sees it
	Replace *Message // takes the place of the message that the button sits on
	Post    *Message // a new message that everyone in the place sees
	Ask     *Prompt  // a line of text is wanted
	// Look asks what the bot may do in a place, or who is there, of which the
	// Reply then speaks: the adapter finds out and hands the same Input in
	// again with its Sight. See Answer.
	Look *Query
	Lang string // the language that it speaks, for hints beside it
}

// Answer hands an Input in and, when the Reply asks for it, once more with what
// look found.
func Answer(ctx context.Context, e interface {
	Handle(context.Context, Input) (Reply, error)
}, in Input, look func(context.Context, Query) Sight) (Reply, error) {
	r, err := e.Handle(ctx, in)
	if err != nil || r.Look == nil {
		return r, err
	}
	seen := look(ctx, *r.Look)
	in.Sight = &seen
	return e.Handle(ctx, in)
}

// Prompt asks for one line of text. What the person writes comes back as the
// last of Args under Action's verb, also after a restart.
type Prompt struct {
	Action string // as Button.Action
	Title  string // <= 45 characters
	Label  string // what to write, <= 45 characters
	Hint   string // an example, <= 100 characters
}

// Message is what is said, without a word on how a platform shows it.
type Message struct {
	Title   string // one short line, or ""
	Text    content.Text
	Image   *Image
	File    *File
	Buttons [][]Button
	Offer   *Offer // something to buy beside it
	Quiz    *Quiz  // set when the message is a question; Text and Buttons stand for themselves without it
	Ping    *Role  // the only mention that may ever resolve
}

// Button is pressed or opens a link; exactly one of Action and URL is set.
type Button struct {
	Label  string // <= 34 characters
	Action string // verb, token and at most one short argument; <= 64 bytes
	URL    string
}

// Quiz lets a platform with native quizzes use them.
type Quiz struct {
	Options []string
	Key     int    // index of the right option
	Explain string // <= 200 characters, <= 2 line feeds

	// Native asks a platform that has quizzes to use one where Question and
	// Options fit it. What a person chooses comes back under VerbBallot with the
	// quiz's id (Receipt.Poll) and the option's index.
	Native   bool
	Question string // plain, with nothing but words in it; "" where it takes more
}

// VerbBallot is an answer to a native quiz. The platform reports it: Input.Event
// is set, From is the voter, and In is their private chat.
const VerbBallot = "ballot"

// Image is a PNG with words for those who cannot see it.
type Image struct {
	PNG []byte
	Alt string // <= 1024 characters
}

// File is a document to download.
type File struct {
	Name string
	Data []byte
}

// Role is a group of members that a server asked to be mentioned.
type Role struct{ ID string }

// Delivery is one message that goes out unasked.
type Delivery struct {
	Key     string // the same for every attempt at the same message; <= 25 characters of A-Z and 2-7
	To      Place
	Message Message
	Tried   time.Time // an earlier attempt whose outcome is unknown, or zero
}

// Receipt is what a platform says of a sent message.
type Receipt struct {
	Ref  Ref
	Poll string // the id of a native poll, or ""
}

// Poster sends and edits messages that nobody asked for. An error may be a
// *PostError; any other error counts as Unknown.
type Poster interface {
	Post(ctx context.Context, d Delivery) (Receipt, error)
	Edit(ctx context.Context, to Place, ref Ref, m Message) error
}

// Finder is a Poster that can tell what became of an earlier attempt.
// Absent also means "posting again under the same Key is safe".
type Finder interface {
	Find(ctx context.Context, d Delivery) (Receipt, Finding, error)
}

// Finding is the outcome of Find.
type Finding uint8

// What Find may say.
const (
	CannotTell Finding = iota
	Found
	Absent
)

// PostError says why a message could not be sent or edited, and what to do.
type PostError struct {
	Kind  PostKind
	After time.Duration // Later: wait at least this long
	To    Place         // Moved: the new place
	Err   error
}

// PostKind classes a PostError.
type PostKind uint8

// The kinds. Every kind but Unknown proves that nothing was delivered.
const (
	Unknown   PostKind = iota // it may have arrived
	Later                     // try again after After
	Forbidden                 // the bot may not write here
	Gone                      // the place no longer exists
	Lost                      // the message to edit no longer exists
	Moved                     // the place has a new address, To
	Refused                   // the platform does not take this content
)

func (k PostKind) String() string {
	return [...]string{"unknown", "later", "forbidden", "gone", "lost", "moved", "refused"}[k]
}

func (e *PostError) Error() string {
	if e.Err == nil {
		return e.Kind.String()
	}
	return e.Kind.String() + ": " + e.Err.Error()
}

func (e *PostError) Unwrap() error { return e.Err }
