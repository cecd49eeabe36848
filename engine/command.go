package engine

// Command is one row of the table from which menus, slash commands,
// autocomplete, console help and the README's list are made. Button verbs
// stand in the same table, Hidden.
type Command struct {
	Name    string // 1..32 of a-z and 0-9
	Summary string // <= 100 characters
	Options []Option
	Who     Who
	Where   Where
	Shows   Shows // what the typed command answers with
	Pressed Shows // what a press of a button with this verb answers with
	Hidden  bool  // no menu lists it
	Costly  bool  // counts against the smaller of a person's two limits
}

// Option is one thing a command can be told.
type Option struct {
	Name     string
	Summary  string
	Kind     OptionKind
	Choices  []Choice // Kind Choose: all of them
	Required bool
	Many     bool // several values, with commas or blanks between
}

// Choice is one value that an Option of kind Choose takes.
type Choice struct{ Value, Label string }

// OptionKind says what an Option's value is.
type OptionKind uint8

// The kinds of Option.
const (
	TextOption   OptionKind = iota // anything; takes the rest of a typed line
	ChoiceOption                   // one of Choices
	ZoneOption                     // an IANA time zone
	TimeOption                     // HH:MM
	TopicOption                    // a topic or category
	PlaceOption                    // a channel of the server
	RoleOption                     // a role of the server
	DaysOption                     // weekdays such as Mon-Fri
	NumberOption                   // a whole number
)

// Who may use a command.
type Who uint8

// Everyone, or those who manage the server.
const (
	Everyone Who = iota
	Admins
)

// Where a command works.
type Where uint8

// The places.
const (
	Anywhere Where = iota
	PrivateOnly
	ServerOnly
)

// Shows says which part of a Reply a command fills, so that an adapter can
// promise the right kind of answer before it has one.
type Shows uint8

// The parts.
const (
	ShowsWhisper Shows = iota
	ShowsReplace
	ShowsPost
)
