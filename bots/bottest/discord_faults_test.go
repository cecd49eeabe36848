package bottest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"POST /channels/*/messages", "POST /channels/1/messages", true},
		{"POST /channels/*/messages", "POST /channels/1/messages/2", false},
		{"POST /channels/*/messages", "POST /channels/1/2/messages", false},
		{"POST /channels/**", "POST /channels/1/2/messages", true},
		{"* /gateway", "GET /gateway", true},
		{"send*", "sendMessage", true},
		{"sendMessage", "sendMessages", false},
		{"*", "", true},
		{"**/x", "a/b/x", true},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "aXbYd", false},
	} {
		if got := glob(c.pattern, c.s); got != c.want {
			t.Errorf("glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}

func TestFaultsAreUsedUpInOrder(t *testing.T) {
	var f Faults
	f.Inject(Fault{Match: "a", Kind: BadGateway{}})
	f.Inject(Fault{Match: "a", Times: 2, Kind: Forbidden{Code: 1}})
	f.Inject(Fault{Match: "b", Times: -1, Kind: Dropped{}})
	for i, want := range []FaultKind{BadGateway{}, Forbidden{Code: 1}, Forbidden{Code: 1}, nil} {
		if got := f.Take("a"); got != want {
			t.Errorf("request %d met %v, want %v", i, got, want)
		}
	}
	for range 3 {
		if f.Take("b") != (Dropped{}) {
			t.Error("a lasting fault ended")
		}
	}
	f.Clear()
	if f.Take("b") != nil {
		t.Error("a fault outlived Clear")
	}
}

func TestFaultsBreakRequests(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   FaultKind
		status int  // of the answer; 0 is none
		posted bool // the message stands all the same
		hangs  bool // until the client gives up
	}{
		{"rate limited", RateLimited{RetryAfter: 50 * time.Millisecond}, 429, false, false},
		{"global limit", RateLimited{RetryAfter: 50 * time.Millisecond, Global: true}, 429, false, false},
		{"bad gateway", BadGateway{}, 502, false, false},
		{"forbidden", Forbidden{50013, "Missing Permissions"}, 403, false, false},
		{"status", Status{Code: 500, Body: "oops", ContentType: "text/plain"}, 500, false, false},
		{"dropped", Dropped{}, 0, false, false},
		{"accepted without an answer", AcceptThenTimeout{}, 0, true, false},
		{"accepted and left hanging", AcceptThenTimeout{Hang: true}, 0, true, true},
		{"dropped and left hanging", Dropped{Hang: true}, 0, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			b.d.Inject(Fault{Match: "POST /channels/*/messages", Kind: c.kind})
			patience, giveUp := context.WithCancel(ctx(t))
			done := make(chan error, 1)
			go func() {
				_, err := b.ChannelMessageSendComplex(b.s.General, &discordgo.MessageSend{Content: "x", AllowedMentions: quiet()}, discordgo.WithRetryOnRatelimit(false), discordgo.WithContext(patience))
				done <- err
			}()
			if err := b.d.WaitRequests(ctx(t), "POST /channels/*/messages", 1); err != nil {
				t.Fatal(err)
			}
			if c.hangs {
				giveUp()
			}
			if err := <-done; err == nil {
				t.Fatal("the request succeeded")
			}
			giveUp()
			if posted := len(b.d.Visible(b.s.General, b.s.Alice)) == 1; posted != c.posted {
				t.Errorf("posted: %v, want %v", posted, c.posted)
			}
			seen := b.d.Requests()
			if len(seen) != 1 || seen[0].Status != c.status || seen[0].Path != "/channels/"+b.s.General+"/messages" {
				t.Errorf("recorded %+v", seen)
			}
			if _, err := b.send(b.s.General, text("again")); err != nil {
				t.Errorf("the next request failed: %v", err)
			}
			b.good(t)
		})
	}
}

func TestRateLimitedSaysWhenAndWhat(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	for _, global := range []bool{false, true} {
		b.d.Inject(Fault{Match: "GET /users/@me", Kind: RateLimited{RetryAfter: 1500 * time.Millisecond, Global: global}})
		req, err := http.NewRequest("GET", b.d.URL()+"/api/v10/users/@me", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := b.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the header is read
		h := resp.Header
		if h.Get("Retry-After") != "2" || (h.Get("X-RateLimit-Global") == "true") != global || (h.Get("X-RateLimit-Reset-After") == "") != global {
			t.Errorf("global %v: header %v", global, h)
		}
	}
}

func TestHeldRequestsGoOnWhenReleased(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	until := make(chan struct{})
	b.d.Inject(Fault{Kind: Held{until}})
	done := make(chan error, 1)
	go func() {
		_, err := b.send(b.s.General, text("x"))
		done <- err
	}()
	early, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := b.d.WaitVisible(early, b.s.General, b.s.Alice, func(l []Message) bool { return len(l) > 0 })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the held message stands already: %v", err)
	}
	close(until)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRouteLimitsAreCountedAndTold(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := newBot(t, DiscordOptions{RouteLimit: 2, RoutePer: 5 * time.Second, Now: func() time.Time { return now }})
	get := func(path string) *http.Response {
		t.Helper()
		req, err := http.NewRequest("GET", b.d.URL()+"/api/v9"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bot "+b.d.Token)
		resp, err := b.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close() // only the header is read
		return resp
	}
	one, other := "/channels/"+b.s.General+"/messages", "/channels/"+b.s.News+"/messages"
	for i, want := range []struct {
		path   string
		status int
		left   string
	}{{one, 200, "1"}, {one, 200, "0"}, {one, 429, "0"}, {other, 200, "1"}} {
		resp := get(want.path)
		if resp.StatusCode != want.status || resp.Header.Get("X-RateLimit-Remaining") != want.left || resp.Header.Get("X-RateLimit-Limit") != "2" || resp.Header.Get("X-RateLimit-Bucket") == "" {
			t.Errorf("request %d: %d %v", i, resp.StatusCode, resp.Header)
		}
	}
	now = now.Add(5 * time.Second)
	if resp := get(one); resp.StatusCode != 200 {
		t.Errorf("after the window: %d", resp.StatusCode)
	}
}

func TestTheGlobalLimitCountsEverything(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b := newBot(t, DiscordOptions{GlobalLimit: 1, Now: func() time.Time { return now }})
	if _, err := b.User("@me"); err != nil {
		t.Fatal(err)
	}
	_, err := b.Request("GET", discordgo.EndpointGuild(b.s.Guild), nil, discordgo.WithRetryOnRatelimit(false))
	var limit *discordgo.RateLimitError
	if !errors.As(err, &limit) {
		t.Errorf("the second request gave %v", err)
	}
}

func TestUnknownRoutesAreProblems(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	if _, err := b.Request("GET", discordgo.EndpointAPI+"nonsense", nil); err == nil {
		t.Error("nonsense was answered")
	}
	if p := b.d.Problems(); len(p) != 1 || !strings.Contains(p[0], "GET /nonsense") {
		t.Errorf("problems %q", p)
	}
}
