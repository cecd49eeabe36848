package engine

// Hint is something that an adapter has to say by itself.
type Hint uint8

// The hints.
const (
	HintFailed        Hint = iota // what was asked for did not work
	HintWroteYou                  // the answer is in the private chat
	HintTapToRead                 // the answer waits in private
	HintMore                      // more in the private chat with the bot whose name follows
	HintOpenChat                  // a button: open the private chat
	HintReadInPrivate             // a button: read the answer there
)

// Hint says h in the words of a language, by its BCP 47 tag.
func (e *Engine) Hint(h Hint, lang string) string {
	return e.in(lang).say([...]word{wFailed, wWroteYou, wTapToRead, wMoreInPrivate, wOpenChat, wReadInPrivate}[h])
}
