// Package discord is the Discord side of the bot. The engine decides what is
// said and who sees it; this package only carries it.
//
//	gateway ─► receive (pure) ─► resolve ─► Engine.Handle ─► plan (pure) ─► render (pure) ─► callback, follow-ups
//	gateway.go  receive.go       resolve.go  serve.go         plan.go        render.go        answer.go  client.go
//
// Three promises shape it.
//
//   - Nobody sees "did not respond". Discord waits three seconds for a first
//     word: an engine that takes longer than half of that is covered by a
//     deferral, and what it says then takes the deferral's place.
//   - Nothing is posted twice. A message that goes out unasked carries its
//     delivery's key as a nonce that Discord enforces for a few minutes; later
//     its button is looked for in the channel's history.
//   - A connection that is no longer any good is left. Every one gets a fresh
//     session, is watched from outside, and has no say once it was given up.
//
// Of github.com/bwmarrin/discordgo it uses the gateway and the types. REST goes
// through a client of its own: the library's limiter sleeps with a lock held and
// heeds no context, repeats a POST that may have arrived, knows no limit for the
// whole bot, has no field for a nonce, and keeps a bucket for ever for each
// interaction.
package discord
