package discord

const hintEmpty = "…" // Discord takes no empty message
