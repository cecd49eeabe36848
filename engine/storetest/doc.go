// Package storetest holds what every engine.Store is measured by, and two
// stores for the tests of the engine.
//
// Run is the contract of engine.Store as tests. Beyond the words in the
// interface it asks for:
//
//   - keys of 1 to 1024 bytes and values of up to 1 MiB work; the empty key is
//     refused with an error;
//   - a panic or runtime.Goexit in fn rolls back, goes on to the caller of
//     View or Update, and leaves the store in order;
//   - a transaction used after its fn returned answers with an error;
//   - after Close, calls fail with an error that is fs.ErrClosed.
//
// Memory is a store without a file that is stricter than the contract, and
// Twice makes any store run every Update's fn twice. Engine tests that pass
// on Twice(Memory()) hold no slice too long and have no side effects in fn.
package storetest
