// Package boltstore keeps an engine.Store in one bbolt file.
//
// # Life of an Update
//
//	caller goroutines                      writer goroutine
//	Update(fn) --- queue ----------------> take one call, open a transaction
//	   run fn <--- your turn --------------
//	   fn done --- kept / failed --------> failed: undo what fn wrote
//	                                       anyone else waiting? their turn
//	                                       nobody: write, fsync, meta, fsync
//	   return <--- the commit's result ---
//
// There is no timer: whoever waits while the disk is busy shares the next
// commit, so one caller is as fast as a bare bbolt Update and many callers
// share the two fsyncs. fn runs in the goroutine that called Update, so a
// panic (or a runtime.Goexit) in it unwinds through its own caller with its
// own stack, and the rest of the group does not notice. A failing fn costs
// its neighbours nothing either: its writes are undone inside the
// transaction instead of running everybody again.
//
// # Views
//
// A View pins its snapshot. While it lasts, no page freed after it began can
// be used again, so the file grows with every commit, and a commit that has
// to map a larger file waits for it. Measured with 64 writers: one View held
// open cut the throughput to a tenth and grew the file from 0.3 to 1.2 GB in
// ten seconds. Keep a View under 50 ms, page with Scan, never wait for a
// network inside one, and never call View, Update or Close inside fn: a
// nested Update or Close waits for itself for ever.
//
// # The file
//
// Two buckets: "meta" holds the key "format" (a big-endian uint32), "kv"
// holds every record. The file is created complete or not at all, with mode
// 0600, and locked while it is open: one process, one file.
//
// Opening walks every page first with bounded reads. bbolt itself follows
// page numbers blindly, partly in a goroutine of its own, where a damaged
// page ends the process instead of the call.
package boltstore
