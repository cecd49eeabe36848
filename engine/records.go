package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// This file is the only place that spells a key or knows how a record is
// written. Keys are readable text; values are one version byte and CBOR with
// integer keys, so fields may be added and never renumbered.
//
//	meta/format                          version of the whole file
//	meta/secret                          32 random bytes: HMAC key of everything below
//	meta/clock                           since when the clock has gone on evenly
//	account/<hmac>                       -> person
//	place/<hmac>                         -> space
//	token/<token>                        what a button's token stands for
//	p/<person>/me                        person
//	p/<person>/skill                     abilities
//	p/<person>/test                      the current or last test
//	p/<person>/unlock                    the right to everything
//	p/<person>/ask                       a line of text that is awaited
//	p/<person>/item/<item>               what the person last did with an item
//	p/<person>/card/<item>               when a missed item is asked again
//	p/<person>/day/<date>                a kept challenge date
//	p/<person>/answer/<seq>              answer (append-only)
//	s/<space>/me                         space
//	s/<space>/occ/<date>                 occurrence: the challenge of one date
//	s/<space>/used/<item>                date of the item's last use here
//	mark/<space>/<date>/<person>         one person's answer to one occurrence
//	board/<space>/<person>               one person's points in a server
//	day/<space>/<date>                   quorum of one date; stays for ever
//	flag/<item>/<person>                 what a person says is wrong with a question
//	code/<hmac>                          an unlock code that nobody has used
//	charge/<hmac>                        a payment
//	poll/<hmac>                          the challenge that a native quiz asks
//	ballot/<hmac>/<hmac>                 an answer to a quiz that is not known yet
//	block/<account or place>             who the operator has shut out
//	link/<code>                          a code that joins two accounts
//	recount/<item or space>              people being scored again
//	held/<item>                          a question that is paused or withdrawn
//	fold/<time>/<random>                 anonymous copy of an answer, until it is folded
//	epoch/<n>                            what one fold changed
//	numbers                              all item numbers as of the newest epoch
//	tally/<item>                         how an item was answered, for its health
//	served/<topic>                       exposure of the topic's items in tests
//	job/<due>/<kind>/<key>               something that goes out unasked
//	aside/<time>/<platform>:<id>         an update that could not be handled

// formatVersion is the version of the file as a whole.
const formatVersion = 1

// ID is 64 random bits in 13 characters: a person, a space or a token.
type ID string

var idCode = base32.StdEncoding.WithPadding(base32.NoPadding)

// idLen is the length of an ID as text.
const idLen = 13

func idFrom(sum []byte) ID { return ID(idCode.EncodeToString(sum[:8])) }

// mac derives bytes from the store's secret. Nobody outside can compute them,
// and the same parts give the same bytes, so a replay gives the same ids.
func mac(secret []byte, purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, secret)
	var n [4]byte
	for _, p := range append([]string{purpose}, parts...) {
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return h.Sum(nil)
}

var (
	keyFormat = []byte("meta/format")
	keySecret = []byte("meta/secret")

	keyNumbers = []byte("numbers")
	keyClock   = []byte("meta/clock")
)

func keyAccount(secret []byte, platform, id string) []byte {
	return []byte("account/" + idCode.EncodeToString(mac(secret, "account", platform, id)[:16]))
}

// keyPlace names a place's alias. A server is one space however many channels
// it has; a private chat is a space of its own.
func keyPlace(secret []byte, p Place) []byte {
	id := p.Server
	if p.Private() {
		id = "private:" + p.Chat
	}
	return []byte("place/" + idCode.EncodeToString(mac(secret, "place", p.Platform, id)[:16]))
}

func keyToken(t ID) []byte               { return []byte("token/" + string(t)) }
func keyPerson(p ID, kind string) []byte { return []byte("p/" + string(p) + "/" + kind) }
func keyMe(p ID) []byte                  { return keyPerson(p, "me") }
func keySkill(p ID) []byte               { return keyPerson(p, "skill") }
func keyTest(p ID) []byte                { return keyPerson(p, "test") }
func keyAsk(p ID) []byte                 { return keyPerson(p, "ask") }
func keyItem(p ID, item string) []byte   { return keyPerson(p, "item/"+item) }
func keyCard(p ID, item string) []byte   { return keyPerson(p, "card/"+item) }
func keyDay(p ID, d Date) []byte         { return keyPerson(p, "day/"+dateKey(d)) }
func keyAnswer(p ID, seq uint32) []byte  { return keyPerson(p, fmt.Sprintf("answer/%08x", seq)) }
func keySpace(s ID) []byte               { return []byte("s/" + string(s) + "/me") }
func keyOcc(s ID, d Date) []byte         { return []byte("s/" + string(s) + "/occ/" + dateKey(d)) }
func keyUsed(s ID, item string) []byte   { return []byte("s/" + string(s) + "/used/" + item) }
func keySpaceDay(s ID, d Date) []byte    { return []byte("day/" + string(s) + "/" + dateKey(d)) }
func keyServed(topic string) []byte      { return []byte("served/" + topic) }
func keyTally(item string) []byte        { return []byte("tally/" + item) }
func keyEpoch(n uint32) []byte           { return fmt.Appendf(nil, "epoch/%08x", n) }

func keyFold(at time.Time, random ID) []byte {
	return fmt.Appendf(nil, "fold/%016x/%s", at.UnixMilli(), random)
}

func keyMark(s ID, d Date, p ID) []byte {
	return []byte("mark/" + string(s) + "/" + dateKey(d) + "/" + string(p))
}

func keyBoard(s ID, p ID) []byte { return []byte("board/" + string(s) + "/" + string(p)) }

func keyUnlock(p ID) []byte { return keyPerson(p, "unlock") }

func keyCode(secret []byte, code string) []byte {
	return []byte("code/" + idCode.EncodeToString(mac(secret, "code", code)[:16]))
}

func keyCharge(secret []byte, platform, id string) []byte {
	return []byte("charge/" + idCode.EncodeToString(mac(secret, "charge", platform, id)[:16]))
}

func keyPoll(secret []byte, platform, id string) []byte {
	return []byte("poll/" + idCode.EncodeToString(mac(secret, "poll", platform, id)[:16]))
}

// keyBallot names a vote by its quiz, "" for all of them, and its voter.
func keyBallot(secret []byte, platform, poll, voter string) []byte {
	return []byte("ballot/" + idCode.EncodeToString(mac(secret, "poll", platform, poll)[:16]) + "/" + idCode.EncodeToString(mac(secret, "account", platform, voter)[:16]))
}

func keyBlock(of []byte) []byte { return append([]byte("block/"), of...) }

func keyLink(code string) []byte { return []byte("link/" + code) }

func keyRecount(of string) []byte { return []byte("recount/" + of) }

func keyHeld(item string) []byte { return []byte("held/" + item) }

func keyFlag(item string, p ID) []byte { return []byte("flag/" + item + "/" + string(p)) }

func dateKey(d Date) string { return d.noon().Format("20060102") }

// parseDateKey reads the date at the end of a key that ends with one.
func parseDateKey(key []byte) (Date, error) {
	s := string(key)
	t, err := time.Parse("20060102", s[strings.LastIndexByte(s, '/')+1:])
	if err != nil {
		return 0, fmt.Errorf("read date of key %q: %w", s, err)
	}
	return DateOf(t, time.UTC), nil
}

// keyJob sorts jobs by their due second.
func keyJob(due time.Time, kind, key string) []byte {
	return fmt.Appendf(nil, "job/%012x/%s/%s", due.Unix(), kind, key)
}

func keyAside(at time.Time, platform, id string) []byte {
	return fmt.Appendf(nil, "aside/%016x/%s:%s", at.UnixMilli(), platform, id)
}

// prefixRange returns the range of all keys that begin with prefix.
func prefixRange(prefix []byte) (from, to []byte) {
	to = append([]byte(nil), prefix...)
	to[len(to)-1]++ // every prefix here ends with an ASCII character
	return prefix, to
}

const recordVersion = 1

// deterministic writes equal values as equal bytes.
var deterministic = func() cbor.EncMode {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err) // the options are the library's own
	}
	return mode
}()

func encode(v any) ([]byte, error) {
	b, err := deterministic.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return append([]byte{recordVersion}, b...), nil
}

// decode reads a record into v; absent reports a nil value.
func decode(b []byte, v any) (present bool, err error) {
	if b == nil {
		return false, nil
	}
	if len(b) == 0 || b[0] > recordVersion {
		return true, fmt.Errorf("decode %T: the record was written by a newer aiprep: use that version", v)
	}
	if err := cbor.Unmarshal(b[1:], v); err != nil {
		return true, fmt.Errorf("decode %T: %w", v, err)
	}
	return true, nil
}

// get reads one record.
func get(tx Tx, key []byte, v any) (present bool, err error) {
	vals, err := tx.Get(key)
	if err != nil {
		return false, fmt.Errorf("get %s: %w", key, err)
	}
	return decode(vals[0], v)
}

// put writes one record.
func put(tx Tx, key []byte, v any) error {
	b, err := encode(v)
	if err != nil {
		return err
	}
	if err := tx.Put(key, b); err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}
