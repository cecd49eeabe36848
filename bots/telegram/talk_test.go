package telegram

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"aiprep/bots/bottest"
	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// Every talk through a fake Telegram: each word and each button that the
// engine replied is seen, and no whisper by others.
func TestTalks(t *testing.T) {
	talks, err := bottest.LoadTalks("../../engine/testdata/talk")
	if err != nil {
		t.Fatal(err)
	}
	for _, talk := range talks {
		for name, change := range map[string]func(*world){talk.Name: nil, talk.Name + " by webhook": (*world).byWebhook} {
			t.Run(name, func(t *testing.T) {
				d := newTalkDriverBy(t, talk, change)
				bottest.Play(t, talk, d, d.rec)
				if p := d.tg.Problems(); len(p) > 0 {
					t.Errorf("the fake found problems:\n%s", strings.Join(p, "\n"))
				}
			})
		}
	}
}

// talkDriver plays people on a fake Telegram.
type talkDriver struct {
	*world
	rec     *bottest.Witness
	people  map[string]int64
	groups  map[string]int64
	charges []string // what was paid

	mu  sync.Mutex
	now time.Time
}

func newTalkDriver(t *testing.T) *talkDriver { return newTalkDriverBy(t, bottest.Talk{}, nil) }

// newTalkDriverBy starts the bot; change, if not nil, chooses another way in.
func newTalkDriverBy(t *testing.T, talk bottest.Talk, change func(*world)) *talkDriver {
	d := &talkDriver{people: map[string]int64{}, groups: map[string]int64{}, now: bottest.TalkStart}
	d.world = newWorld(t, bottest.TelegramOptions{Now: d.Now}, nil)
	e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: contenttest.Bank(), Secret: make([]byte, 32), Unlock: talk.Unlocking()})
	d.must(err)
	d.engine = e
	d.rec = bottest.NewWitness(e)
	d.cfg.Engine, d.cfg.Now = d.rec, d.Now
	if change != nil {
		change(d.world)
	}
	d.start()
	return d
}

// start runs the bot without its pace: a talk's clock is not the real one.
func (d *talkDriver) start() {
	d.Helper()
	bot, err := New(d.cfg)
	d.must(err)
	bot.pace.all.SetLimit(rate.Inf)
	d.bot = bot
	ctx, cancel := context.WithCancel(d.Context())
	done := make(chan error, 1)
	go func() { done <- bot.Run(ctx) }()
	d.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			d.Errorf("Run() = %v", err)
		}
	})
	<-bot.Ready()
}

func (d *talkDriver) Now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *talkDriver) Until(ctx context.Context, at time.Time) error {
	d.mu.Lock()
	d.now = at
	d.mu.Unlock()
	return d.engine.Advance(ctx, map[string]engine.Poster{platform: d.bot}, at)
}

// unpaced lets a chat be written to at a talk's speed.
func (d *talkDriver) unpaced(chat int64) {
	d.bot.pace.mu.Lock()
	defer d.bot.pace.mu.Unlock()
	c := d.bot.pace.chat(chat, time.Now())
	c.second.SetLimit(rate.Inf)
	if c.minute != nil {
		c.minute.SetLimit(rate.Inf)
	}
}

// person returns an account, made and with its private chat opened when it is
// first needed.
func (d *talkDriver) person(ctx context.Context, who string) (int64, error) {
	if id, ok := d.people[who]; ok {
		return id, nil
	}
	id := int64(7000 + len(d.people))
	d.people[who] = id
	d.unpaced(id)
	if err := d.tg.AddUser(bottest.TelegramUser{ID: id, FirstName: who}); err != nil {
		return 0, err
	}
	m, err := d.tg.Start(id, "")
	if err != nil {
		return 0, err
	}
	if _, err := d.tg.WaitBot(ctx, id, m); err != nil {
		return 0, err
	}
	d.rec.Take()
	return id, nil
}

// room returns a group, whose first member owns it.
func (d *talkDriver) room(ctx context.Context, who, server string) (user, chat int64, err error) {
	if user, err = d.person(ctx, who); err != nil || server == "" {
		return user, user, err
	}
	if chat, ok := d.groups[server]; ok {
		_ = d.tg.Join(user, chat) // they may be in it already
		return user, chat, nil
	}
	chat = int64(-9000 - len(d.groups))
	d.groups[server] = chat
	d.unpaced(chat)
	if err := d.tg.AddChat(bottest.TelegramChat{ID: chat, Type: "group", Title: server}, user); err != nil {
		return 0, 0, err
	}
	err = d.tg.AddBot(user, chat, false)
	if err == nil {
		err = d.tg.Acknowledged(ctx)
	}
	d.rec.Take()
	return user, chat, err
}

func (d *talkDriver) Type(ctx context.Context, who, server, line string) error {
	user, chat, err := d.room(ctx, who, server)
	if err != nil {
		return err
	}
	if asked, ok := d.question(user, chat); ok && !strings.HasPrefix(line, "/") {
		_, err = d.tg.Reply(user, asked, line)
	} else {
		_, err = d.tg.Text(user, chat, line)
	}
	if err != nil {
		return err
	}
	return d.rec.Wait(ctx)
}

// question finds the newest message that forces a reply.
func (d *talkDriver) question(user, chat int64) (bottest.TelegramMessage, bool) {
	all := d.read(user, chat)
	for i := len(all) - 1; i >= 0; i-- {
		if strings.Contains(string(all[i].Markup), "force_reply") {
			return all[i], true
		}
	}
	return bottest.TelegramMessage{}, false
}

// read lists what the bot said in the private chat and the group, in order.
func (d *talkDriver) read(user, chat int64) []bottest.TelegramMessage {
	all := d.tg.FromBot(user)
	if chat == user {
		return all
	}
	group := d.tg.FromBot(chat)
	merged := make([]bottest.TelegramMessage, 0, len(all)+len(group))
	for len(all) > 0 && len(group) > 0 {
		if all[0].ID < group[0].ID {
			merged, all = append(merged, all[0]), all[1:]
		} else {
			merged, group = append(merged, group[0]), group[1:]
		}
	}
	return append(append(merged, all...), group...)
}

func (d *talkDriver) Press(ctx context.Context, who, server, button string) error {
	user, chat, err := d.room(ctx, who, server)
	if err != nil {
		return err
	}
	m, data, ok := find(d.read(user, chat), button)
	if !ok {
		return fmt.Errorf("nothing to press for %q", button)
	}
	if _, err := d.tg.Press(user, m, data); err != nil {
		return err
	}
	return d.rec.Wait(ctx)
}

// find looks up what a letter or a number presses, in the recorded payloads.
func find(all []bottest.TelegramMessage, button string) (bottest.TelegramMessage, string, bool) {
	for i := len(all) - 1; i >= 0; i-- {
		n, any := 0, false
		for _, b := range all[i].Buttons() {
			if b.Data == "" {
				continue
			}
			any = true
			if len(b.Text) == 1 && b.Text >= "A" && b.Text <= "Z" {
				if strings.EqualFold(b.Text, button) {
					return all[i], b.Data, true
				}
				continue
			}
			if n++; strconv.Itoa(n) == button {
				return all[i], b.Data, true
			}
		}
		if _, err := strconv.Atoi(button); err == nil && any {
			break
		}
	}
	return bottest.TelegramMessage{}, "", false
}

func (d *talkDriver) Sees(who, server string) []bottest.Seen {
	var seen []bottest.Seen
	add := func(all []bottest.TelegramMessage) {
		for _, m := range all {
			s := bottest.Seen{Text: m.Words()}
			for _, b := range m.Buttons() {
				s.Buttons = append(s.Buttons, b.Text)
			}
			seen = append(seen, s)
		}
	}
	if chat, ok := d.groups[server]; ok {
		add(d.tg.FromBot(chat))
	}
	if user, ok := d.people[who]; ok {
		add(d.tg.FromBot(user))
		for _, a := range d.tg.Answers() {
			if a.User == user {
				seen = append(seen, bottest.Seen{Text: a.Text})
			}
		}
	}
	return seen
}

// Buy implements bottest.Buyer: it pays the newest invoice.
func (d *talkDriver) Buy(ctx context.Context, who string) error {
	user := d.people[who]
	all := d.tg.FromBot(user)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Invoice == nil {
			continue
		}
		p, err := d.tg.Pay(user, all[i])
		if err != nil {
			return err
		}
		if err := p.Done(ctx); err != nil {
			return err
		}
		d.charges = append(d.charges, p.Charge())
		return d.rec.Wait(ctx)
	}
	return fmt.Errorf("%s is offered nothing", who)
}

// Refund implements bottest.Buyer.
func (d *talkDriver) Refund(ctx context.Context, who string) error {
	last := d.charges[len(d.charges)-1]
	if err := NewCashier(d.cfg.Token, d.tg.URL()).Refund(ctx, strconv.FormatInt(d.people[who], 10), last); err != nil {
		return err
	}
	return d.rec.Wait(ctx)
}
