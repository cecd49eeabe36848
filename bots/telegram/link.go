package telegram

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// A deep link brings a person from a group into the private chat and says there
// again what they said in the group: "in-<group>-<topic>-<action>". Numbers are
// in base 36, the group's without its sign; the action, a verb and its
// arguments, is in base64url. It is an address, not a right: who follows it is
// checked as anybody else.

const (
	linkPrefix = "in-"
	maxPayload = 64 // https://core.telegram.org/bots/features#deep-linking
	website    = "https://t.me/"
)

// deepLink returns the payload of a link; ok is false when it would be too
// long.
func deepLink(group int64, thread int, action []string) (payload string, ok bool) {
	payload = linkPrefix + strconv.FormatInt(-group, 36) + "-" + strconv.FormatInt(int64(thread), 36) + "-" +
		base64.RawURLEncoding.EncodeToString([]byte(strings.Join(action, " ")))
	return payload, group < 0 && len(payload) <= maxPayload && len(action) > 0
}

// readLink is the inverse of deepLink. Anybody can write a payload: ok means
// that it has the form, not that it is true.
func readLink(payload string) (group int64, thread int, action []string, ok bool) {
	rest, ok := strings.CutPrefix(payload, linkPrefix)
	fields := strings.SplitN(rest, "-", 3)
	if !ok || len(fields) != 3 {
		return 0, 0, nil, false
	}
	group, err := strconv.ParseInt(fields[0], 36, 64)
	if err != nil || group <= 0 {
		return 0, 0, nil, false
	}
	topic, err := strconv.ParseInt(fields[1], 36, 32)
	if err != nil || topic < 0 {
		return 0, 0, nil, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(fields[2])
	if action = strings.Fields(valid(string(raw))); err != nil || len(action) == 0 {
		return 0, 0, nil, false
	}
	return -group, int(topic), action, true
}
