package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"aiprep/content"
	"aiprep/engine/picture"
	"aiprep/engine/skill"
)

// Config is what an Engine needs. Store and Bank are required.
type Config struct {
	Store Store
	Bank  *content.Bank
	Log   *slog.Logger
	// Count is told of every outcome worth a metric: what happened, where,
	// and how. Nil counts nothing.
	Count func(what, platform, outcome string)
	// Secret, 32 bytes, takes the place of a random one in an empty store:
	// for tests and for a play that shall repeat.
	Secret []byte
	// CatchUp is how late a missed daily may still be posted; 0 means 6 h.
	CatchUp time.Duration
	// Keep is how long a silent person or a lost server is kept; 0 means 24
	// months, less than 0 for ever.
	Keep time.Duration
	// Unlock limits what is free; nil means that everything is.
	Unlock *Unlocking
	// Fonts, TTF or OTF, write on pictures what the built-in ones can't.
	Fonts [][]byte
}

// Engine holds the rules. It is safe for concurrent use and remembers nothing
// but what stands in its Store, save the limiter's buckets.
type Engine struct {
	store      Store
	bank       *content.Bank
	log        *slog.Logger
	count      func(what, platform, outcome string)
	catchUp    time.Duration
	secret     []byte
	catalogues map[string]*catalogue // by language
	model      skill.Model
	current    atomic.Pointer[numbers] // the newest epoch
	held       atomic.Pointer[heldItems]
	blocks     atomic.Pointer[blockedKeys]
	keep       time.Duration
	artist     *picture.Artist

	unlocking *Unlocking
	tables    map[string][]Command // by language
	verbs     map[string]verb
	limits    *limiter
	wake      chan struct{} // a job was put: RunSchedule looks again

	rescore sync.Mutex // one Rescore at a time

	mu     sync.Mutex
	flight map[string]bool // keys of jobs being worked on
}

// New opens the records in cfg.Store, which it sets up when it is empty, and
// returns an Engine over them. It fails when a newer aiprep wrote the store.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	catalogues, err := loadCatalogues()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		unlocking: cfg.Unlock,
		store:     cfg.Store, bank: cfg.Bank, log: cfg.Log, count: cfg.Count, catchUp: cfg.CatchUp,
		catalogues: catalogues, tables: map[string][]Command{}, model: skill.Default(), limits: newLimiter(),
		wake: make(chan struct{}, 1), flight: map[string]bool{},
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.count == nil {
		e.count = func(string, string, string) {}
	}
	if e.catchUp == 0 {
		e.catchUp = 6 * time.Hour
	}
	if e.keep = cfg.Keep; e.keep == 0 {
		e.keep = keepFor
	}
	for lang, c := range catalogues {
		table, verbs := c.commands(e.unlocking)
		e.tables[lang] = table
		if lang == reference {
			e.verbs = verbs
		}
	}
	if e.artist, err = picture.New(cfg.Fonts...); err != nil {
		return nil, err
	}
	if e.secret, err = openRecords(ctx, cfg.Store, cfg.Secret); err != nil {
		return nil, err
	}
	if err := errors.Join(e.loadHeld(ctx), e.loadBlocks(ctx)); err != nil {
		return nil, err
	}
	return e, cfg.Store.View(ctx, func(tx Tx) error {
		n, err := e.loadNumbers(tx)
		e.current.Store(n)
		return err
	})
}

const secretLen = 32

// openRecords checks the file's version and returns its secret, making both
// for an empty store.
func openRecords(ctx context.Context, s Store, fresh []byte) ([]byte, error) {
	if len(fresh) != secretLen {
		fresh = make([]byte, secretLen)
		rand.Read(fresh)
	}
	var secret []byte
	err := s.Update(ctx, func(tx Tx) error {
		vals, err := tx.Get(keyFormat, keySecret)
		if err != nil {
			return err
		}
		if vals[0] == nil {
			secret = fresh
			if err := tx.Put(keyFormat, []byte{formatVersion}); err != nil {
				return err
			}
			return tx.Put(keySecret, fresh)
		}
		if len(vals[0]) != 1 || vals[0][0] > formatVersion || len(vals[1]) != secretLen {
			return fmt.Errorf("the store has format %v and this aiprep knows %d: use the newer aiprep that wrote it", vals[0], formatVersion)
		}
		secret = append([]byte(nil), vals[1]...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open records: %w", err)
	}
	return secret, nil
}

// Commands returns the command table: what menus, slash commands and help are
// made of.
func (e *Engine) Commands() []Command { return e.tables[reference] }

// Languages lists the languages there are words in, by their BCP 47 tags; the
// first is that of Commands.
func (e *Engine) Languages() []string { return languages() }

// CommandsIn returns the command table in the words of a language.
func (e *Engine) CommandsIn(lang string) []Command { return e.tables[cmp.Or(e.lang(lang), reference)] }

// Command finds a row of the table by its name.
func (e *Engine) Command(name string) (Command, bool) {
	v, ok := e.verbs[name]
	return v.Command, ok
}

// verb is a command and the function that serves it.
type verb struct {
	Command
	run    func(*turn) (Reply, error)
	reads  bool // writes nothing: runs in a View
	system bool // only the platform itself may report it
}

// Handle serves one Input in one transaction and returns what to say. What a
// person did wrong is a Reply; an error means the infrastructure failed, that
// nothing was written or that it is not known, and that the same Input may be
// given again.
func (e *Engine) Handle(ctx context.Context, in Input) (Reply, error) {
	in.Args = bounded(in.Args)
	v, ok := e.find(&in)
	if !ok || v.system != in.Event {
		return Reply{Whisper: &Message{Text: e.in(in.Locale).text(wUnknownCommand)}, Lang: in.Locale}, nil
	}
	if !in.Event {
		if r, stop := e.refuse(v, in); stop {
			return r, nil
		}
	}
	run := e.store.Update
	if v.reads {
		run = e.store.View
	}
	var out served
	at := e.whereabouts(in)
	err := run(ctx, func(tx Tx) (err error) {
		out, err = e.serve(ctx, tx, v, in, at)
		return err
	})
	if err != nil && out.held { // what was published is not what is stored
		err = errors.Join(err, e.loadHeld(context.WithoutCancel(ctx)))
	}
	var said *expected
	if errors.As(err, &said) { // nothing was written
		out, err = served{reply: Reply{Whisper: said.msg}}, nil
	}
	if err != nil {
		e.count("command", in.From.Platform, "error")
		return Reply{}, fmt.Errorf("handle %s: %w", v.Name, err)
	}
	for _, do := range out.after {
		do()
	}
	if out.woke {
		e.nudge()
	}
	if err := e.countBallots(ctx, in.From.Platform, out.quiz); err != nil {
		e.log.Error("waiting answers not counted", "err", err) // they wait on; this one is told
	}
	e.draw(out.drawing, out.reply)
	out.reply.Lang = cmp.Or(out.reply.Lang, in.Locale)
	e.count("command", in.From.Platform, "ok")
	e.log.Debug("handled", "verb", v.Name, "platform", in.From.Platform)
	return out.reply, nil
}

// served is what a turn came to. It holds only once its transaction is over.
type served struct {
	reply   Reply
	woke    bool // a job was put
	held    bool // an item was held
	drawing *drawing
	quiz    string // a native quiz that became known
	after   []func()
}

// whereabouts are the keys of who does something and where. They are worked out
// before the transaction, which all others wait for.
type whereabouts struct{ account, place []byte }

func (e *Engine) whereabouts(in Input) whereabouts {
	return whereabouts{keyAccount(e.secret, in.From.Platform, in.From.ID), keyPlace(e.secret, in.In)}
}

// serve runs a verb in a transaction, which may run again.
func (e *Engine) serve(ctx context.Context, tx Tx, v verb, in Input, at whereabouts) (served, error) {
	t := &turn{e: e, ctx: ctx, tx: tx, in: in, at: at, cmd: v.Command}
	if err := t.load(); err != nil {
		return served{}, err
	}
	r, err := v.run(t)
	if err == nil && r.Ask != nil {
		err = t.awaitLine(r.Ask.Action)
	}
	if err == nil && !v.reads {
		err = t.news(&r)
	}
	if err == nil {
		err = t.flush()
	}
	r.Lang = t.words.tag.String()
	return served{r, t.putJobs, t.held, t.drawing, t.quiz, t.after}, err
}

// What is longer than any command needs is cut before a transaction has to
// carry it, and before it is echoed.
const (
	maxWords = 20
	maxWord  = 400 // characters; a list of topics is one word
)

func bounded(args []string) []string {
	out := make([]string, 0, min(len(args), maxWords))
	for _, a := range args[:min(len(args), maxWords)] {
		if r := []rune(a); len(r) > maxWord {
			a = string(r[:maxWord])
		}
		out = append(out, a)
	}
	return out
}

// find resolves the verb. A line of plain text has none: it is the answer to
// what was asked, or a word of greeting.
func (e *Engine) find(in *Input) (verb, bool) {
	if in.Verb == "" {
		in.Verb = verbLine
	}
	v, ok := e.verbs[in.Verb]
	return v, ok
}

// refuse checks limits, rights and place, on every press anew.
func (e *Engine) refuse(v verb, in Input) (Reply, bool) {
	say := func(w word, s ...any) (Reply, bool) {
		return Reply{Whisper: &Message{Text: e.in(in.Locale).text(w, s...)}, Lang: in.Locale}, true
	}
	// An Input that comes again with what the platform said was paid for.
	if wait := e.limits.take(in.From, v.Costly, in.At, in.Sight == nil); wait > 0 {
		e.count("command", in.From.Platform, "limited")
		return say(wSlowDown, "n", int((wait+time.Second-1)/time.Second))
	}
	switch {
	case e.shutOutOf(in):
		e.count("command", in.From.Platform, "blocked")
		return say(wBlocked)
	case v.Where == ServerOnly && in.In.Private():
		return say(wServerOnly, "command", v.Name)
	case v.Where == PrivateOnly && !in.In.Private():
		return say(wPrivateOnly, "command", v.Name)
	case v.Who == Admins && !in.In.Private() && !in.Admin:
		return say(wAdminsOnly)
	}
	return Reply{}, false
}

// nudge tells RunSchedule that the first due time may have changed.
func (e *Engine) nudge() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// expected is trouble that a person is told about; nothing was written.
type expected struct{ msg *Message }

func (x *expected) Error() string { return x.msg.Text.String() }

// Origin tells an adapter for which place a button in a private chat was made:
// the buttons of a server's settings are sent to its admin in private. ok is
// false for an action that belongs to no other place.
func (e *Engine) Origin(ctx context.Context, args []string) (p Place, ok bool, err error) {
	err = e.store.View(ctx, func(tx Tx) error {
		for _, a := range args {
			if len(a) != idLen {
				continue
			}
			var to tokenFor
			found, err := get(tx, keyToken(ID(a)), &to)
			if err != nil || !found || to.Date != 0 {
				return err
			}
			var s space
			if ok, err = get(tx, keySpace(to.Space), &s); err != nil {
				return err
			}
			p = s.Place
			return nil
		}
		return nil
	})
	return p, ok, err
}
