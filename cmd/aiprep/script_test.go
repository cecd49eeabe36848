package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/rogpeppe/go-internal/testscript"
	bolt "go.etcd.io/bbolt"

	"aiprep/bots/bottest"
	"aiprep/engine"
	"aiprep/engine/boltstore"
)

// scriptPatience is how long a script waits for what another process does.
const scriptPatience = 30 * time.Second

// scriptCommands are what scripts have beside testscript's own commands.
func scriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	world := &telegrams{open: map[*testscript.TestScript]*bottest.Telegram{}}
	return map[string]func(*testscript.TestScript, bool, []string){
		"golden":   golden,
		"telegram": world.start,   // starts a fake and points serve at it
		"says":     world.says,    // says USER TEXT: writes to the bot in private
		"presses":  world.presses, // presses USER LABEL: a button of the bot's newest message
		"reads":    world.reads,   // reads USER REGEXP: waits until the bot's words are seen
		"pays":     world.pays,    // somebody pays the newest invoice in their chat
		"charge":   world.charge,  // sets CHARGE to the number of somebody's payment
		"handled":  world.handled, // waits until the bot has acknowledged everything
		"refused":  world.refused, // the fake refuses the bot's token from now on
		"ready":    ready,         // waits until serve says so
		"get":      get,           // get PATH: of the admin port, to stdout
		"until":    until,         // until PATH TEXT: waits until the admin port shows it
		"term":     terminate,     // sends SIGTERM to what runs in the background
		"taken":    taken,         // taken VAR: sets it to an address that is in use
		"damage":   damage,        // damage newer-file|newer-records|count|full FILE
	}
}

// telegrams holds the fake of each script that asked for one.
type telegrams struct {
	mu   sync.Mutex
	open map[*testscript.TestScript]*bottest.Telegram
}

// start runs a fake Telegram for this script, with the people 7, 8 and 7300007, and
// sets the variables that let serve find it.
func (w *telegrams) start(ts *testscript.TestScript, _ bool, _ []string) {
	tg, err := bottest.ListenTelegram(bottest.TelegramOptions{})
	ts.Check(err)
	ts.Defer(tg.Close)
	tg.AddUser(bottest.TelegramUser{ID: 7, FirstName: "Ann"})
	tg.AddUser(bottest.TelegramUser{ID: 8, FirstName: "Ben"})
	tg.AddUser(bottest.TelegramUser{ID: 7300007, FirstName: "Annabella"}) // a name and an id that nothing else contains
	port, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(port.Close())
	ts.Setenv("ADMIN", port.Addr().String())
	ts.Setenv("TOKEN", tg.Token)
	ts.Setenv("AIPREP_ADMIN_LISTEN", port.Addr().String())
	ts.Setenv("AIPREP_TELEGRAM_TOKEN", tg.Token)
	ts.Setenv("AIPREP_TELEGRAM_SERVER", tg.URL())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[ts] = tg
}

func (w *telegrams) of(ts *testscript.TestScript, args []string, n int) (*bottest.Telegram, int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	tg := w.open[ts]
	if tg == nil || len(args) < n {
		ts.Fatalf("no fake Telegram, or too few arguments: %q", args)
	}
	if n == 0 {
		return tg, 0
	}
	user, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	return tg, user
}

func (w *telegrams) says(ts *testscript.TestScript, _ bool, args []string) {
	tg, user := w.of(ts, args, 2)
	_, err := tg.Text(user, user, strings.Join(args[1:], " "))
	ts.Check(err)
}

func (w *telegrams) presses(ts *testscript.TestScript, _ bool, args []string) {
	tg, user := w.of(ts, args, 2)
	label := strings.Join(args[1:], " ")
	said := tg.FromBot(user)
	for _, m := range slices.Backward(said) {
		if _, err := tg.PressLabel(user, m, label); err == nil {
			return
		}
	}
	ts.Fatalf("no message of the bot has the button %q", label)
}

func (w *telegrams) reads(ts *testscript.TestScript, _ bool, args []string) {
	tg, user := w.of(ts, args, 2)
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	want, err := regexp.Compile(strings.Join(args[1:], " "))
	ts.Check(err)
	_, err = tg.WaitMessage(ctx, user, func(m bottest.TelegramMessage) bool {
		return m.Bot() && want.MatchString(m.Words())
	})
	ts.Check(err)
}

func (w *telegrams) pays(ts *testscript.TestScript, neg bool, args []string) {
	tg, user := w.of(ts, args, 1)
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	m, err := tg.WaitMessage(ctx, user, func(m bottest.TelegramMessage) bool { return m.Invoice != nil })
	ts.Check(err)
	p, err := tg.Pay(user, m)
	ts.Check(err)
	if err := p.Done(ctx); (err != nil) != neg {
		ts.Fatalf("paid: %v", err)
	}
}

func (w *telegrams) charge(ts *testscript.TestScript, _ bool, args []string) {
	tg, user := w.of(ts, args, 1)
	for _, m := range tg.Visible(user) {
		if m.Payment != nil {
			ts.Setenv("CHARGE", m.Payment.ChargeID)
			return
		}
	}
	ts.Fatalf("%d has paid nothing", user)
}

func (w *telegrams) handled(ts *testscript.TestScript, _ bool, args []string) {
	tg, _ := w.of(ts, args, 0)
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	ts.Check(tg.Acknowledged(ctx))
}

func (w *telegrams) refused(ts *testscript.TestScript, _ bool, args []string) {
	tg, _ := w.of(ts, args, 0)
	tg.Inject(bottest.Fault{Match: "*", Times: 1000, Kind: bottest.Status{
		Code: 401, ContentType: "application/json",
		Body: `{"ok":false,"error_code":401,"description":"Unauthorized"}`,
	}})
}

// ready waits until the serve of this script takes updates.
func ready(ts *testscript.TestScript, _ bool, _ []string) {
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	for {
		_, err := askServe(ctx, ts.MkAbs("aiprep.db.sock"), http.MethodGet, "/readyz", nil)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("serve is not ready: %v", err)
		case <-time.After(20 * time.Millisecond): // polls a condition
		}
	}
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	client := http.Client{Timeout: scriptPatience}
	res, err := client.Get("http://" + ts.Getenv("ADMIN") + args[0])
	if neg {
		if err == nil {
			ts.Fatalf("%s answers", args[0])
		}
		return
	}
	ts.Check(err)
	defer res.Body.Close()
	_, err = io.Copy(ts.Stdout(), res.Body)
	ts.Check(err)
}

// taken sets a variable to an address that someone listens on.
func taken(ts *testscript.TestScript, _ bool, args []string) {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ts.Check(port.Close()) })
	ts.Setenv(args[0], port.Addr().String())
}

// until polls a path of the admin port until it shows what is looked for.
func until(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), scriptPatience)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ts.Getenv("ADMIN")+args[0], nil)
		ts.Check(err)
		res, err := http.DefaultClient.Do(req)
		ts.Check(err)
		body, err := io.ReadAll(res.Body)
		ts.Check(errors.Join(err, res.Body.Close()))
		if strings.Contains(string(body), args[1]) {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%s never shows %q:\n%s", args[0], args[1], body)
		case <-time.After(20 * time.Millisecond): // polls a condition
		}
	}
}

func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}

// damage makes a store file that cannot be used as it is.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[1])
	switch args[0] {
	case "newer-file":
		db, err := bolt.Open(file, 0o600, nil)
		ts.Check(err)
		ts.Check(db.Update(func(tx *bolt.Tx) error {
			return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.BigEndian.AppendUint32(nil, 99))
		}))
		ts.Check(db.Close())
	case "newer-records":
		s, err := boltstore.Open(file, boltstore.Options{})
		ts.Check(err)
		ts.Check(s.Update(context.Background(), func(tx engine.Tx) error {
			return tx.Put([]byte("meta/format"), []byte{99})
		}))
		ts.Check(s.Close())
	case "count":
		s, err := boltstore.Open(file, boltstore.Options{})
		ts.Check(err)
		ts.Check(s.Update(context.Background(), miscount))
		ts.Check(s.Close())
	case "full":
		ts.Check(fill(file, 40<<20))
	default:
		ts.Fatalf("damage: unknown kind %q", args[0])
	}
}

// miscount makes the record of one person count four answers.
func miscount(tx engine.Tx) error {
	recs, err := tx.Scan([]byte("p/"), []byte("p0"), 1000)
	if err != nil {
		return err
	}
	for _, r := range recs {
		if !strings.HasSuffix(string(r.Key), "/me") {
			continue
		}
		var me map[int]any
		if err := cbor.Unmarshal(r.Value[1:], &me); err != nil {
			return err
		}
		me[5] = 4
		raw, err := cbor.Marshal(me)
		if err != nil {
			return err
		}
		return tx.Put(r.Key, append([]byte{r.Value[0]}, raw...))
	}
	return errors.New("nobody is in the store")
}

// fill writes into a store until not even a small record finds room below size,
// also after the file was opened anew, which finds pages that were freed.
func fill(file string, size int) error {
	for n, written := 0, 1; written > 0; n++ {
		s, err := boltstore.Open(file, boltstore.Options{MaxSize: size})
		if err != nil {
			return err
		}
		written = 0
		for _, value := range []int{50_000, 100} {
			for err = nil; err == nil; written++ {
				err = s.Update(context.Background(), func(tx engine.Tx) error {
					return tx.Put(fmt.Appendf(nil, "zz/filler/%d/%d/%d", n, value, written), make([]byte, value))
				})
			}
			written-- // the last one failed
			if !errors.Is(err, boltstore.ErrFull) {
				return errors.Join(err, s.Close())
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
