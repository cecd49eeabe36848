package discord

import (
	"strings"
	"sync"
	"testing"
	"time"

	"aiprep/bots/bottest"
)

// Every server's events come over the connection that it belongs to, direct
// messages over the first, and the bot is ready when all are.
func TestServersAreSpreadOverConnections(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{Shards: 3, Concurrency: 2}, nil)
	var mu sync.Mutex
	seen := map[[2]int]int{}
	w.d.OnIdentify(func(c *bottest.Conn, _ int) bottest.Action {
		mu.Lock()
		defer mu.Unlock()
		if c.Identify.Shard != nil {
			seen[*c.Identify.Shard]++
		}
		return bottest.Action{}
	})
	w.run(nil)
	mu.Lock()
	for id := range 3 {
		if seen[[2]int{id, 3}] != 1 {
			t.Errorf("connection %d introduced itself %d times: %v", id, seen[[2]int{id, 3}], seen)
		}
	}
	mu.Unlock()
	if !w.shown(w.slash(w.Alice, w.General, "help")).Ephemeral {
		t.Error("a server's command is not answered")
	}
	dm := w.d.DM(w.Bob)
	if w.shown(w.slash(w.Bob, dm, "help")).Message.Content == "" {
		t.Error("a direct command is not answered")
	}
	w.clean()
}

// A connection that breaks is replaced alone.
func TestOneConnectionBreaksAlone(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{Shards: 2}, nil)
	w.run(nil)
	_, before, _ := w.d.GatewayCounts()
	w.d.CloseAll(4000)
	w.until("both are back", func() bool { _, n, _ := w.d.GatewayCounts(); return n >= before+2 })
	w.until("commands are answered", func() bool { return w.d.Connected() >= 2 })
	if !w.shown(w.slash(w.Alice, w.General, "help")).Ephemeral {
		t.Error("a command is not answered")
	}
	w.clean()
}

// When Discord wants more connections than it said before, it is asked again.
func TestMoreConnectionsAreWanted(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{Shards: 2}, nil)
	w.d.OnIdentify(func(_ *bottest.Conn, n int) bottest.Action {
		if n == 1 {
			return bottest.Action{Do: bottest.CloseWith, Code: 4011}
		}
		return bottest.Action{}
	})
	w.run(nil)
	w.clean()
}

// The last introductions of a day are not spent: with them the token would go.
func TestTheLastIntroductionsAreNotSpent(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{MaxIdentifies: reserve}, nil)
	w.launch(func(b *Bot) { b.timing.first = time.Hour })
	w.until("it waits", func() bool { return w.counts.get("gateway spent") == 1 })
	if connects, identifies, _ := w.d.GatewayCounts(); connects+identifies != 0 {
		t.Errorf("%d connections, %d introductions", connects, identifies)
	}
	if log := w.log.String(); !strings.Contains(log, "too many connections to discord today") {
		t.Errorf("the log says:\n%s", log)
	}
}

// A token that is reset while the bot runs ends it with what to do, also when
// only REST says so.
func TestATokenResetWhileRunningEndsRun(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	w.run(nil)
	w.d.Inject(bottest.Fault{Match: "GET /gateway/bot", Times: -1, Kind: bottest.Status{Code: 401, Body: `{"message":"401: Unauthorized","code":0}`, ContentType: "application/json"}})
	w.d.CloseAll(4000)
	w.until("it ends", func() bool { return w.counts.get("gateway refused") == 1 })
	err := w.stop()
	w.stop = func() error { return nil }
	if err == nil || !strings.Contains(err.Error(), "discord.token") {
		t.Errorf("Run() = %v", err)
	}
}
