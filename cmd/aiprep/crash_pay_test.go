package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/content"
	"aiprep/engine"
)

// paySKU is what is sold on the fake Discord.
const paySKU = "900"

// payRounds is how often somebody pays and the process is killed: AIPREP_PAYMENTS,
// or 28.
func payRounds(t *testing.T) int {
	n := 28
	if testing.Short() {
		n = 7
	}
	if s := os.Getenv("AIPREP_PAYMENTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("AIPREP_PAYMENTS is %q: write a number", s)
		}
	}
	return n
}

// TestKillsLoseNoPayment kills the real program around payments: before it agrees
// to one, while Telegram takes the money, before and after it says thanks, and
// whenever it happens to be. Everybody who paid has everything, once, and nobody
// else has.
func TestKillsLoseNoPayment(t *testing.T) {
	s := newPayStage(t)
	for n := range payRounds(t) {
		s.stars(n)
		s.entitlement(n)
		if t.Failed() {
			t.Fatalf("in round %d", n+1)
		}
	}
	s.check()
}

// payStage is a shop on both platforms.
type payStage struct {
	*testing.T
	telegram *telegramStage
	discord  *discordStage
	bin, dir string
	rng      *rand.Rand
	payments map[int64]*bottest.TelegramPayment
	bought   map[string]string // entitlements by person
}

func newPayStage(t *testing.T) *payStage {
	return &payStage{
		T: t, telegram: newTelegramStage(t), discord: newDiscordStage(t), bin: goBuild(t, "."), dir: storeDir(t),
		rng: rand.New(rand.NewPCG(3, 4)), payments: map[int64]*bottest.TelegramPayment{}, bought: map[string]string{},
	}
}

// serve starts a process whose line to Telegram may be tripped.
func (s *payStage) serve(tr *trip) (*child, *wire, func()) {
	s.Helper()
	var live *child
	born := make(chan struct{})
	end := func() { <-born; live.kill() }
	tg, dc := newWire(s.T, s.telegram.address(), tr, end), newWire(s.T, s.discord.address(), nil, end)
	env := append(s.telegram.env(tg.URL), s.discord.env(dc.URL)...)
	live = serveChild(s.T, s.bin, s.dir, append(env, "AIPREP_UNLOCK_MODE=sell", "AIPREP_UNLOCK_STARS=350",
		"AIPREP_UNLOCK_DISCORD_SKU="+paySKU, "AIPREP_UNLOCK_DISCORD_USD_CENTS=490", "AIPREP_UNLOCK_SUPPORT=help@example.org")...)
	close(born)
	if err := live.ready(soon(s.T)); err != nil {
		s.Fatal(err)
	}
	return live, tg, func() {
		live.kill()
		tg.cut()
		dc.cut()
	}
}

// stars has a new person pay on Telegram, and kills the process on the way.
func (s *payStage) stars(n int) {
	s.Helper()
	user := int64(30_000 + n)
	if err := s.telegram.AddUser(bottest.TelegramUser{ID: user, FirstName: fmt.Sprint("Payer ", n)}); err != nil {
		s.Fatal(err)
	}
	tr := s.trip(n, user)
	live, line, end := s.serve(tr)
	defer end()
	if _, err := s.telegram.Start(user, "unlock"); err != nil {
		s.Fatal(err)
	}
	m, err := s.telegram.WaitMessage(soon(s.T), user, func(m bottest.TelegramMessage) bool { return m.Invoice != nil })
	if err != nil {
		s.Fatal(err)
	}
	if s.payments[user], err = s.telegram.Pay(user, m); err != nil {
		s.Fatal(err)
	}
	if n%7 == 6 {
		<-time.After(time.Duration(s.rng.IntN(20)) * time.Millisecond)
		return
	}
	select {
	case <-line.hit:
	case <-time.After(patience):
		s.Fatalf("serve never got as far as %d:\n%s", n%7, live.log.tail())
	}
}

// trip is what the process dies of in round n.
func (s *payStage) trip(n int, user int64) *trip {
	tr := &trip{when: moment(n % 3)}
	switch n % 7 {
	case 0, 1, 2:
		tr.hits = func(r *http.Request, _ []byte) bool { return called(r, "answerPreCheckoutQuery") }
	case 3, 4, 5:
		tr.hits = func(r *http.Request, body []byte) bool {
			return called(r, "sendMessage") && strings.Contains(string(body), "Everything is unlocked") && strings.Contains(string(body), strconv.FormatInt(user, 10))
		}
	default:
		return nil
	}
	return tr
}

// entitlement has a new person buy on Discord a moment before the process dies.
func (s *payStage) entitlement(n int) {
	s.Helper()
	user := s.discord.AddPerson(bottest.Person{Name: fmt.Sprint("buyer", n)})
	s.discord.AddMember(s.discord.home.Server, bottest.Member{User: user})
	_, _, end := s.serve(nil)
	defer end()
	s.bought[user] = s.discord.Grant(bottest.Entitlement{SKU: paySKU, User: user})
	<-time.After(time.Duration(s.rng.IntN(15)) * time.Millisecond)
}

// check compares who paid with who has everything.
func (s *payStage) check() {
	live, _, end := s.serve(nil)
	defer end()
	if err := s.telegram.Acknowledged(soon(s.T)); err != nil {
		s.Fatal(err)
	}
	if err := s.discord.WaitCommands(soon(s.T), "", "unlock"); err != nil {
		s.Fatal(err)
	}
	for user := range s.bought { // who bought while nobody heard it presses something
		it, err := s.discord.Slash(user, s.discord.home.Chat, "unlock")
		if err != nil {
			s.Fatal(err)
		}
		r, err := it.WaitShown(soon(s.T))
		if err != nil || !strings.Contains(r.Message.Text(), "Everything is unlocked") {
			s.Errorf("bought on discord, and shown %+v, %v", r.Message, err)
		}
	}
	live.term(s.T)
	store, err := openStore(s.Context(), StoreConfig{File: filepath.Join(s.dir, "aiprep.db")})
	if err != nil {
		s.Fatal(err)
	}
	defer store.Close()
	bank, err := content.Default()
	if err != nil {
		s.Fatal(err)
	}
	e, err := engine.New(s.Context(), engine.Config{Store: store, Bank: bank})
	if err != nil {
		s.Fatal(err)
	}
	s.compare(e)
	for _, p := range append(s.telegram.problems(), s.discord.problems()...) {
		s.Error(p)
	}
}

func (s *payStage) compare(e *engine.Engine) {
	charges, err := e.Charges(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	unlocks, _, err := e.Unlocks(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	want := map[string]string{} // the payment that each account is to have
	for user, p := range s.payments {
		if p.Charge() != "" {
			want["telegram:"+strconv.FormatInt(user, 10)] = p.Charge()
		}
	}
	taken := len(want)
	for user, id := range s.bought {
		want["discord:"+user] = id
	}
	for _, u := range unlocks {
		if len(u.Accounts) != 1 || want[u.Accounts[0]] != u.Ref {
			s.Errorf("unlocked for %v by %q", u.Accounts, u.Ref)
		}
	}
	if len(unlocks) != len(want) || len(charges) != len(want) {
		s.Errorf("%d payments were made: %d are recorded, and %d people have everything", len(want), len(charges), len(unlocks))
	}
	s.Logf("%d rounds: Telegram took %d payments, Discord %d; each unlocked one person, once", len(s.payments), taken, len(s.bought))
	if taken == 0 || taken == len(s.payments) && len(s.payments) >= 7 {
		s.Error("no round ended before, or none after, the money was taken")
	}
}
