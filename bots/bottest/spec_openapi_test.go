package bottest

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

// loadedSpec reads the description once for all tests of the package.
var loadedSpec = sync.OnceValues(FindSpec)

// officialSpec returns the description or skips the test.
func officialSpec(t testing.TB) *Spec {
	t.Helper()
	s, err := loadedSpec()
	if errors.Is(err, ErrNoDiscordSpec) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBodiesAreHeldAgainstTheOfficialDescription(t *testing.T) {
	s := officialSpec(t)
	const post, callback = "POST /channels/{channel_id}/messages", "POST /interactions/{interaction_id}/{interaction_token}/callback"
	button := func(s string) string {
		return `{"components":[{"type":1,"components":[{"type":2,"style":1,` + s + `}]}]}`
	}
	for _, c := range []struct{ name, operation, body, bad, odd string }{
		{"a good message", post, `{"content":"x","nonce":"1","enforce_nonce":true,"allowed_mentions":{"parse":[]}}`, "", ""},
		{"a wrong type", post, `{"content":5}`, "content", ""},
		{"a misspelt key", post, `{"contents":"x"}`, "", "contents"},
		{"a good button", post, button(`"label":"A","custom_id":"a"`), "", ""},
		{"a long label", post, button(`"label":"` + strings.Repeat("x", 81) + `","custom_id":"a"`), "components/0/components/0/label", ""},
		{"a misspelt key of a button", post, button(`"label":"A","customid":"a"`), "", "customid"},
		{"six buttons", post, `{"components":[{"type":1,"components":[` + strings.Repeat(`{"type":2,"style":1,"custom_id":"a"},`, 5) + `{"type":2,"style":1,"custom_id":"a"}]}]}`, "components/0/components", ""},
		{"an unknown component", post, `{"components":[{"type":99}]}`, "components/0", ""},
		{"an update with what discordgo adds", callback, `{"type":7,"data":{"tts":false,"content":"","components":null,"embeds":null}}`, "", ""},
		{"an update with tts", callback, `{"type":7,"data":{"tts":true}}`, "", "tts"},
		{"a modal without title", callback, `{"type":9,"data":{"custom_id":"a","components":[]}}`, "title", ""},
		{"an edit with discordgo's leaks", "PATCH /channels/{channel_id}/messages/{message_id}", `{"content":"x","ID":"1","Channel":"2"}`, "", ""},
		{"permissions in text", "POST /applications/{application_id}/commands", `{"name":"a","description":"b","default_member_permissions":"32"}`, "", ""},
		{"permissions that are no number", "POST /applications/{application_id}/commands", `{"name":"a","description":"b","default_member_permissions":"x"}`, "default_member_permissions", ""},
		{"no described body", "GET /users/@me", `{"x":1}`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad, odd, err := s.Check(c.operation, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, v := range bad {
				lines = append(lines, strings.Join(v.Path, "/")+": "+v.Message)
			}
			for what, x := range map[string]struct{ got, want string }{"bad": {strings.Join(lines, "\n"), c.bad}, "odd": {strings.Join(odd, "\n"), c.odd}} {
				if (x.got == "") != (x.want == "") || !strings.Contains(x.got, x.want) {
					t.Errorf("%s: %q, want %q", what, x.got, x.want)
				}
			}
		})
	}
}
