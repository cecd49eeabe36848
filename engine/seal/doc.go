// Package seal is an engine.Store over another one that encrypts values.
//
// # What it protects
//
// Whoever reads the file, a backup or the disk without the key learns the
// keys of the records, the length of the values and when they change, but no
// value. Keys stay plain because the store must keep them in order; the
// engine keeps names and platform ids out of them. A value that was changed,
// or moved to another key, is refused when it is read. A whole record put
// back to an older state is not noticed.
//
// # A sealed value
//
//	byte 0       version, 1
//	bytes 1-4    key id: which key sealed it, derived from that key
//	bytes 5-28   nonce, random
//	the rest     XChaCha20-Poly1305 of the value, with its 16-byte tag
//
// The first five bytes and the record's key are authenticated with it. The
// key of 32 bytes in the key file is not used itself: HKDF-SHA-256 derives
// the cipher's key and the key id. With nonces of 192 bits a key may seal any
// number of values; AES-GCM, faster on some machines, must not seal more than
// 2^32 under random nonces, which a large bot writes in weeks.
//
// # The check record
//
// Keys that begin with "\x00seal/" belong to this package: Scan leaves them
// out and every other use of them is an error. A sealed store has one such
// record, "\x00seal/key/" + the id of its key in hexadecimal. It tells at once,
// and before anything is written, a wrong key and a key for a store that is not
// sealed.
//
// # The first key, and a new one
//
// Copy writes a store into another one, so that no value under the old key, or
// none, is left behind on any page of the file.
package seal
