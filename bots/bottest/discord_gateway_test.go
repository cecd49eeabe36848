package bottest

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// wire is a bare gateway client.
type wire struct {
	t  *testing.T
	ws *websocket.Conn
}

// dial connects without saying anything.
func dial(t *testing.T, d *Discord) *wire {
	t.Helper()
	ws, resp, err := websocket.DefaultDialer.Dial(d.gatewayURL()+"/?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // empty after an upgrade
	t.Cleanup(func() { _ = ws.Close() })
	if err := ws.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return &wire{t, ws}
}

// next reads one payload.
func (w *wire) next() (frame, error) {
	var f frame
	err := w.ws.ReadJSON(&f)
	return f, err
}

// want reads one payload and fails unless it is this opcode and event.
func (w *wire) want(op int, event string) frame {
	w.t.Helper()
	f, err := w.next()
	if err != nil {
		w.t.Fatalf("waiting for op %d %s: %v", op, event, err)
	}
	name := ""
	if f.Type != nil {
		name = *f.Type
	}
	if f.Op != op || name != event {
		w.t.Fatalf("got op %d %s, want op %d %s", f.Op, name, op, event)
	}
	return f
}

// say sends one payload.
func (w *wire) say(op int, data any) {
	w.t.Helper()
	if err := w.ws.WriteJSON(map[string]any{"op": op, "d": data}); err != nil {
		w.t.Fatal(err)
	}
}

// identify goes as far as the events after READY and returns the session's id.
func (w *wire) identify(token string, intents int) string {
	w.t.Helper()
	w.want(opHello, "")
	w.say(opIdentify, obj{"token": token, "intents": intents, "properties": obj{}})
	var ready struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal(w.want(opDispatch, "READY").Data, &ready); err != nil {
		w.t.Fatal(err)
	}
	return ready.Session
}

// wantClose reads until the connection ends and checks its code.
func (w *wire) wantClose(want int) {
	w.t.Helper()
	for {
		_, err := w.next()
		if err == nil {
			continue
		}
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != want {
			w.t.Errorf("the connection ended with %v, want code %d", err, want)
		}
		return
	}
}

func TestOnlyIdentifiedIntentsGetEvents(t *testing.T) {
	for _, c := range []struct {
		name    string
		intents int
		want    []string
	}{
		{"none", 0, []string{"ENTITLEMENT_CREATE"}},
		{"guilds", IntentGuilds, []string{"GUILD_CREATE", "CHANNEL_CREATE", "ENTITLEMENT_CREATE"}},
		{"messages", IntentGuildMessages, []string{"MESSAGE_CREATE", "ENTITLEMENT_CREATE"}},
		{"members", IntentGuildMembers, []string{"GUILD_MEMBER_REMOVE", "ENTITLEMENT_CREATE"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{Privileged: IntentGuildMembers})
			w := dial(t, b.d)
			w.identify(b.d.Token, c.intents)
			b.d.AddChannel(b.s.Guild, Channel{Name: "new"})
			said := b.d.Say(b.s.Alice, b.s.General, "secret words")
			b.d.RemoveMember(b.s.Guild, b.s.Bob)
			b.d.Grant(Entitlement{SKU: "1", User: b.s.Alice})
			if _, err := b.d.Click(b.s.Alice, said, "x"); err == nil {
				t.Error("a message without buttons was pressed")
			}
			var got []string
			for len(got) == 0 || got[len(got)-1] != "ENTITLEMENT_CREATE" {
				f, err := w.next()
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(f.Data), "secret words") {
					t.Error("the words came without the intent for them")
				}
				got = append(got, *f.Type)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("events %v, want %v", got, c.want)
			}
			if b.d.Intents() != c.intents {
				t.Errorf("recorded intents %d, want %d", b.d.Intents(), c.intents)
			}
		})
	}
}

func TestIdentifyIsRefusedWithItsCode(t *testing.T) {
	for _, c := range []struct {
		name string
		data obj
		want int
	}{
		{"wrong token", obj{"token": "x", "intents": 1}, 4004},
		{"privileged intent", obj{"token": "TOKEN", "intents": IntentMessageContent}, 4014},
		{"unknown intent", obj{"token": "TOKEN", "intents": 1 << 30}, 4013},
		{"bad shard", obj{"token": "TOKEN", "intents": 1, "shard": []int{2, 2}}, 4010},
		{"wrong type", obj{"token": 5}, 4002},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBot(t, DiscordOptions{})
			w := dial(t, b.d)
			w.want(opHello, "")
			if c.data["token"] == "TOKEN" {
				c.data["token"] = b.d.Token
			}
			w.say(opIdentify, c.data)
			w.wantClose(c.want)
		})
	}
}

func TestBadPayloadsCloseTheConnection(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	w := dial(t, b.d)
	w.want(opHello, "")
	w.say(3, obj{})
	w.wantClose(4003)
	w = dial(t, b.d)
	w.identify(b.d.Token, 0)
	w.say(opIdentify, obj{"token": b.d.Token})
	w.wantClose(4005)
	w = dial(t, b.d)
	w.identify(b.d.Token, 0)
	w.say(99, nil)
	w.wantClose(4001)
	w = dial(t, b.d)
	w.identify(b.d.Token, 0)
	w.say(3, x(5000))
	w.wantClose(4002)
	w = dial(t, b.d)
	w.identify(b.d.Token, 0)
	for range 121 {
		w.say(opHeartbeat, nil)
	}
	w.wantClose(4008)
}

func TestResumeReplaysWhatWasMissed(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	w := dial(t, b.d)
	id := w.identify(b.d.Token, IntentGuildMessages)
	b.d.CloseAll(0)
	if err := b.d.WaitConnected(ctx(t), 0); err != nil {
		t.Fatal(err)
	}
	b.d.Say(b.s.Alice, b.s.General, "missed")
	w = dial(t, b.d)
	w.want(opHello, "")
	w.say(opResume, obj{"token": b.d.Token, "session_id": id, "seq": 1})
	w.want(opDispatch, "MESSAGE_CREATE")
	w.want(opDispatch, "RESUMED")
	b.d.InvalidSession(true)
	if f := w.want(opInvalidSession, ""); string(f.Data) != "true" {
		t.Errorf("op 9 says %s", f.Data)
	}
	w = dial(t, b.d)
	w.want(opHello, "")
	w.say(opResume, obj{"token": b.d.Token, "session_id": id, "seq": 99})
	w.wantClose(4007)
	w = dial(t, b.d)
	w.want(opHello, "")
	w.say(opResume, obj{"token": b.d.Token, "session_id": "gone", "seq": 1})
	if f := w.want(opInvalidSession, ""); string(f.Data) != "false" {
		t.Errorf("op 9 says %s", f.Data)
	}
	if connects, identifies, resumes := b.d.GatewayCounts(); connects != 4 || identifies != 1 || resumes != 3 {
		t.Errorf("counted %d connections, %d identifies, %d resumes", connects, identifies, resumes)
	}
}

func TestANormalCloseEndsTheSession(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	w := dial(t, b.d)
	id := w.identify(b.d.Token, 0)
	text := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := w.ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := b.d.WaitConnected(ctx(t), 0); err != nil {
		t.Fatal(err)
	}
	w = dial(t, b.d)
	w.want(opHello, "")
	w.say(opResume, obj{"token": b.d.Token, "session_id": id, "seq": 1})
	w.want(opInvalidSession, "")
}

func TestHooksScriptTheGateway(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	script := []Action{{Do: CloseWith, Code: 4000}, {Do: Invalidate}, {Do: AskReconnect}, {Do: ReadyTwice}, {Do: SendText, Text: "{"}}
	b.d.OnIdentify(func(c *Conn, n int) Action {
		if c.Identify.Intents != IntentGuildMessages {
			t.Errorf("hook saw intents %d", c.Identify.Intents)
		}
		return script[n-1]
	})
	try := func() *wire {
		w := dial(t, b.d)
		w.want(opHello, "")
		w.say(opIdentify, obj{"token": b.d.Token, "intents": IntentGuildMessages})
		return w
	}
	try().wantClose(4000)
	try().want(opInvalidSession, "")
	try().want(opReconnect, "")
	w := try()
	w.want(opDispatch, "READY")
	w.want(opDispatch, "READY")
	if _, err := try().next(); err == nil {
		t.Error("broken JSON was read")
	}
	b.d.OnConnect(func(*Conn, int) Action { return Action{Do: CloseWith, Code: 4000} })
	dial(t, b.d).wantClose(4000)
}

func TestTooManyIdentifiesResetTheToken(t *testing.T) {
	b := newBot(t, DiscordOptions{MaxIdentifies: 2})
	for range 2 {
		dial(t, b.d).identify(b.d.Token, 0)
	}
	w := dial(t, b.d)
	w.want(opHello, "")
	w.say(opIdentify, obj{"token": b.d.Token})
	w.wantClose(4004)
	if _, err := b.User("@me"); err == nil {
		t.Error("the token still works over REST")
	}
	if p := b.d.Problems(); len(p) != 1 {
		t.Errorf("problems %q", p)
	}
}

func TestShardsGetTheirOwnGuilds(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	even, odd := b.d.AddGuild(Guild{ID: "8388608", Name: "even"}), b.d.AddGuild(Guild{ID: "4194304", Name: "odd"})
	w := dial(t, b.d)
	w.want(opHello, "")
	w.say(opIdentify, obj{"token": b.d.Token, "intents": IntentGuilds, "shard": []int{1, 2}})
	ready := string(w.want(opDispatch, "READY").Data)
	if strings.Contains(ready, even) || !strings.Contains(ready, odd) {
		t.Errorf("shard 1 of 2 got %s", ready)
	}
	if s := (&session{shard: [2]int{1, 2}}); s.has("") {
		t.Error("direct messages go to shard 1")
	}
}

// deadline gives every read of a connection a limit, as a careful bot does.
type deadline struct {
	net.Conn
	limit time.Duration
}

func (c deadline) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.limit)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func TestDiscordgoMeetsASilentGateway(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.d.Silence(true)
	b.Dialer = &websocket.Dialer{NetDial: func(network, addr string) (net.Conn, error) {
		c, err := net.Dial(network, addr)
		return deadline{c, 200 * time.Millisecond}, err
	}}
	if err := b.Open(); err == nil {
		t.Error("Open succeeded though nobody spoke")
	}
	b.d.Silence(false)
	b.Dialer = websocket.DefaultDialer
	b.open(t)
}

func TestDiscordgoReconnectsWhenAsked(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.ShouldReconnectOnError = true
	b.open(t)
	t.Cleanup(func() { b.ShouldReconnectOnError = false }) // else it comes back after Close
	b.beaten(t)
	b.d.Reconnect()
	err := b.d.await(ctx(t), func() bool { return b.d.gate.connects == 2 && b.d.connected() == 1 })
	if err != nil {
		t.Fatal(err)
	}
	if _, identifies, resumes := b.d.GatewayCounts(); identifies != 1 || resumes != 1 {
		t.Errorf("%d identifies and %d resumes, want one of each", identifies, resumes)
	}
	b.beaten(t)
}

// beaten waits until the first heartbeat of a connection is sent: one that meets
// a connection already closed makes discordgo connect once more, a second later.
func (b *bot) beaten(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := ctx(t).Done(); ; {
		b.RLock()
		ready := b.DataReady // set after the heartbeat
		b.RUnlock()
		if ready {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("no heartbeat was sent")
		}
	}
}

func TestMalformedEventsReachTheClient(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	got := make(chan *discordgo.InteractionCreate, 1)
	b.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { got <- i })
	b.open(t)
	b.d.SendRaw("INTERACTION_CREATE", json.RawMessage(`{"id":5,"type":"x"}`))
	select {
	case <-got:
	case <-ctx(t).Done():
		t.Error("the event never came")
	}
}

func TestUnauthorisedRequestsAreRefused(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	req, err := http.NewRequest("GET", b.d.URL()+"/api/v10/users/@me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot nonsense")
	resp, err := b.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d", resp.StatusCode)
	}
}
