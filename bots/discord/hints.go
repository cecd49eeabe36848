package discord

// The few words that only this platform needs; all others are the engine's.
const (
	hintFailed = "Something went wrong. Please try again."
	hintEmpty  = "…" // Discord takes no empty message
)
