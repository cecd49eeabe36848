package telegram

// The few words that only this platform needs; all others are the engine's.
const (
	hintWroteYou    = "I answered you in private."
	hintTapToRead   = "My answer is for your eyes only."
	hintMore        = "More in private: @"
	hintFailed      = "Something went wrong. Please try again."
	labelOpenChat   = "Open our private chat"
	labelReadItHere = "Read it in private"
)
