package bottest

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// endpoint serves interactions over HTTP, verifying with discordgo if it should.
func endpoint(t *testing.T, d *Discord, verify bool, answer func(http.ResponseWriter, *discordgo.Interaction)) string {
	t.Helper()
	key, err := hex.DecodeString(d.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if verify && !discordgo.VerifyInteraction(r, ed25519.PublicKey(key)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		i := &discordgo.Interaction{}
		if err := json.NewDecoder(r.Body).Decode(i); err != nil {
			t.Errorf("decode interaction: %v", err)
		}
		w.Header().Set("Content-Type", "application/json")
		if i.Type == discordgo.InteractionPing {
			_, _ = io.WriteString(w, `{"type":1}`) // the probe reports what it gets
			return
		}
		answer(w, i)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestInteractionsMayComeOverHTTP(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	for _, c := range []struct {
		name    string
		answer  func(http.ResponseWriter, *discordgo.Interaction)
		problem string // "" if the person sees an answer
	}{
		{"in the body", func(w http.ResponseWriter, _ *discordgo.Interaction) {
			_ = json.NewEncoder(w).Encode(obj{"type": 4, "data": text("hello")}) // the test sees what came
		}, ""},
		{"by the callback route", func(w http.ResponseWriter, i *discordgo.Interaction) {
			w.WriteHeader(http.StatusAccepted)
			if _, err := b.answer(i, "", obj{"type": 4, "data": text("hello")}); err != nil {
				t.Error(err)
			}
		}, ""},
		{"over a limit", func(w http.ResponseWriter, _ *discordgo.Interaction) {
			_ = json.NewEncoder(w).Encode(obj{"type": 4, "data": text(x(2001))}) // the test sees what came
		}, "/data/content"},
		{"with an error", func(w http.ResponseWriter, _ *discordgo.Interaction) { w.WriteHeader(500) }, "500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.d.ForgetRequests()
			url := endpoint(t, b.d, true, c.answer)
			if err := b.d.Probe(ctx(t), url); err != nil {
				t.Fatal(err)
			}
			b.d.DeliverTo(url)
			it, err := b.d.Slash(b.s.Alice, b.s.General, "go")
			if err != nil {
				t.Fatal(err)
			}
			if c.problem == "" {
				if r, err := it.Wait(ctx(t)); err != nil || r.Message.Content != "hello" {
					t.Errorf("response %+v, %v", r, err)
				}
				b.good(t)
				return
			}
			if err := b.d.WaitRequests(ctx(t), "ANSWER /interactions/*", 1); err != nil {
				t.Fatal(err)
			}
			if p := strings.Join(b.d.Problems(), "\n"); !strings.Contains(p, c.problem) || it.Response().Type != 0 {
				t.Errorf("problems %q, response %+v", p, it.Response())
			}
		})
	}
}

func TestEndpointsThatDoNotVerifyAreFoundOut(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	if err := b.d.Probe(ctx(t), endpoint(t, b.d, false, nil)); err == nil {
		t.Error("an endpoint that takes forged requests passed")
	}
}
