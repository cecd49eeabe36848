package telegram

// The engine's hints, in the words that the tests' people read.
const (
	hintWroteYou  = "I answered you in private."
	hintTapToRead = "My answer is for your eyes only."
	hintMore      = "More in private: @"
	hintFailed    = "Something went wrong. Please try again."
)
