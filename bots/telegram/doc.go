// Package telegram is the Telegram side of the bot. The engine decides what is
// said and who sees it; this package only carries it.
//
//	getUpdates ─► receive (pure) ─► resolve ─► Engine.Handle ─► answer ─► outbox ─► render (pure) ─► pace ─► Telegram
//	  poll.go      receive.go        resolve.go                 answer.go  outbox.go   render.go       pace.go   client.go
//
// Three promises shape it.
//
//   - Nothing is lost. The offset, which tells Telegram to forget updates, moves
//     only when each of them was handled and committed, or set aside.
//   - Nobody waits for another. Chats are served in parallel, and each has its
//     own queue of what is to be said, so one that is told to slow down holds up
//     no other.
//   - What is private stays private. In a group a person is answered by an alert
//     or in their private chat, and the group sees no word of it.
//
// Of github.com/go-telegram/bot it uses the types and the methods, but not the
// update loop: that acknowledges updates before they are handled, and one update
// that it cannot decode stops it. Answers are decoded here, and no more of them
// than is used, for the same reason.
package telegram
