package discord

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"aiprep/bots/bottest"
	"aiprep/content/contenttest"
	"aiprep/engine"
	"aiprep/engine/storetest"
)

// Every talk through a fake Discord: each word and each button that the engine
// replied is seen, and no whisper by others.
func TestTalks(t *testing.T) {
	talks, err := bottest.LoadTalks("../../engine/testdata/talk")
	if err != nil {
		t.Fatal(err)
	}
	for _, talk := range talks {
		t.Run(talk.Name, func(t *testing.T) {
			d := newTalkDriver(t, talk, false)
			bottest.Play(t, talk, d, d.rec)
			d.clean()
		})
		t.Run(talk.Name+" by requests", func(t *testing.T) {
			d := newTalkDriver(t, talk, true)
			bottest.Play(t, talk, d, d.rec)
			d.clean()
		})
	}
}

// talkDriver plays people on a fake Discord.
type talkDriver struct {
	*world
	rec    *bottest.Witness
	people map[string]string
	rooms  map[string]string // channel by server, and by person for private chats
	guilds map[string]string
	inside map[string]bool                 // "server person": who is a member
	asked  map[string]*bottest.Interaction // by person: what opened the modal
	bought []string                        // entitlements
	events bool                            // the gateway tells of purchases
	modals map[string]string               // by person: the words of the last modal

	mu  sync.Mutex
	now time.Time
}

// newTalkDriver starts the bot; byRequests chooses the way in without a gateway.
func newTalkDriver(t *testing.T, talk bottest.Talk, byRequests bool) *talkDriver {
	d := &talkDriver{
		people: map[string]string{}, rooms: map[string]string{}, guilds: map[string]string{}, inside: map[string]bool{},
		asked: map[string]*bottest.Interaction{}, modals: map[string]string{}, now: bottest.TalkStart, events: !byRequests,
	}
	e, err := engine.New(t.Context(), engine.Config{Store: storetest.Memory(), Bank: contenttest.Bank(), Secret: make([]byte, 32), Unlock: talk.Unlocking()})
	if err != nil {
		t.Fatal(err)
	}
	d.rec = bottest.NewWitness(e)
	d.world = newWorld(t, bottest.DiscordOptions{Now: d.Now}, func(c *Config) { c.Engine, c.Now, c.SKU = d.rec, d.Now, bottest.TalkSKU })
	d.engine = e
	if byRequests {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		d.must(err)
		d.cfg.Interactions = l
		d.d.DeliverTo("http://" + l.Addr().String())
	}
	d.make()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.bot.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v", err)
		}
	})
	<-d.bot.Ready()
	if !byRequests {
		d.must(d.d.WaitConnected(d.soon(), 1))
	}
	d.must(d.d.WaitCommands(d.soon(), "", "help"))
	return d
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

// room returns a person and the channel where they are; who comes to a server
// first manages it.
func (d *talkDriver) room(who, server string) (user, channel string) {
	user, known := d.people[who]
	if !known {
		user = d.d.AddPerson(bottest.Person{Name: who, Installed: true})
		d.people[who] = user
		d.rooms[who] = d.d.DM(user)
	}
	if server == "" {
		return user, d.rooms[who]
	}
	perms := bottest.PermsMember
	if _, ok := d.rooms[server]; !ok {
		d.guilds[server] = d.d.AddGuild(bottest.Guild{Name: server})
		d.rooms[server] = d.d.AddChannel(d.guilds[server], bottest.Channel{Name: "general", Type: bottest.TextChannel})
		perms |= bottest.PermManageGuild
		d.rec.Take()
	}
	if key := server + " " + who; !d.inside[key] {
		d.inside[key] = true
		d.d.AddMember(d.guilds[server], bottest.Member{User: user, Permissions: perms})
	}
	return user, d.rooms[server]
}

func (d *talkDriver) Type(ctx context.Context, who, server, line string) error {
	user, channel := d.room(who, server)
	if !strings.HasPrefix(line, "/") {
		return d.submit(ctx, who, line)
	}
	words := strings.Fields(line[1:])
	cmd, ok := d.rec.Command(words[0])
	if !ok {
		return bottest.ErrNoSuchThing
	}
	var opts []bottest.Opt
	given, _ := engine.Bind(cmd, words[1:])
	for name, value := range given {
		var v any = value
		for _, o := range cmd.Options {
			if o.Name != name {
				continue
			}
			if n, err := strconv.Atoi(value); err == nil && o.Kind == engine.NumberOption {
				v = n
			}
			if o.Kind == engine.ChoiceOption && !slices.ContainsFunc(o.Choices, func(c engine.Choice) bool { return c.Value == value }) {
				return bottest.ErrNoSuchThing // the client offers the choices only
			}
		}
		opts = append(opts, bottest.Opt{Name: name, Value: v})
	}
	it, err := d.d.Slash(user, channel, words[0], opts...)
	if errors.Is(err, bottest.ErrNotOffered) {
		return bottest.ErrNoSuchThing // the client does not let them
	}
	return d.wait(ctx, who, it, err)
}

// submit sends a line through the modal that asks for it.
func (d *talkDriver) submit(ctx context.Context, who, line string) error {
	it := d.asked[who]
	if it == nil {
		return bottest.ErrNoSuchThing // a bot without the intent reads no text
	}
	r := it.Response()
	values := map[string]string{}
	for _, c := range textInputs(r.Modal.Components) {
		values[c.CustomID] = line
	}
	next, err := d.d.Submit(it, values)
	return d.wait(ctx, who, next, err)
}

// wait waits until the adapter has replied, and keeps a modal that it opened.
func (d *talkDriver) wait(ctx context.Context, who string, it *bottest.Interaction, err error) error {
	if err != nil {
		return err
	}
	r, err := it.Wait(ctx)
	if err != nil {
		return err
	}
	if r.Modal != nil {
		d.asked[who] = it
		d.modals[who] = r.Modal.Title
		for _, c := range textInputs(r.Modal.Components) {
			d.modals[who] += "\n" + c.Label + "\n" + c.Placeholder
		}
	}
	return d.rec.Wait(ctx)
}

func (d *talkDriver) Press(ctx context.Context, who, server, button string) error {
	user, channel := d.room(who, server)
	all := d.d.Visible(channel, user)
	for i := len(all) - 1; i >= 0; i-- {
		n := 0
		pressable := all[i].Pressable()
		for _, b := range pressable {
			letter := len(b.Label) == 1 && b.Label >= "A" && b.Label <= "Z"
			if !letter {
				n++
			}
			if letter && strings.EqualFold(b.Label, button) || !letter && strconv.Itoa(n) == button {
				it, err := d.d.Click(user, all[i].ID, b.CustomID)
				return d.wait(ctx, who, it, err)
			}
		}
		if _, err := strconv.Atoi(button); err == nil && len(pressable) > 0 {
			break
		}
	}
	return fmt.Errorf("nothing to press for %q", button)
}

func (d *talkDriver) Sees(who, server string) []bottest.Seen {
	var seen []bottest.Seen
	channel := d.rooms[server]
	if server == "" {
		channel = d.rooms[who]
	}
	if channel == "" {
		return nil
	}
	for _, m := range d.d.Visible(channel, d.people[who]) {
		s := bottest.Seen{Text: m.Text()}
		for _, b := range m.Pressable() {
			s.Buttons = append(s.Buttons, b.Label)
		}
		seen = append(seen, s)
	}
	return append(seen, bottest.Seen{Text: d.modals[who]})
}

// textInputs finds the text inputs of a modal.
func textInputs(all []bottest.Component) []bottest.Component {
	var found []bottest.Component
	for _, c := range all {
		if c.Type == talkInput {
			found = append(found, c)
		}
		if c.Component != nil {
			found = append(found, textInputs([]bottest.Component{*c.Component})...)
		}
		found = append(found, textInputs(c.Components)...)
	}
	return found
}

// talkInput is the type of a text input [components/reference].
const talkInput = 4

// Buy implements bottest.Buyer: it presses the premium button that is seen, which
// is Discord's affair from there on.
func (d *talkDriver) Buy(ctx context.Context, who string) error {
	user := d.people[who]
	list := d.d.Visible(d.rooms[who], user)
	if len(list) == 0 || sold(list[len(list)-1]) == "" {
		return fmt.Errorf("%s is offered nothing", who)
	}
	d.bought = append(d.bought, d.d.Grant(bottest.Entitlement{SKU: sold(list[len(list)-1]), User: user}))
	return d.told(ctx)
}

// Refund implements bottest.Buyer.
func (d *talkDriver) Refund(ctx context.Context, _ string) error {
	d.d.Revoke(d.bought[len(d.bought)-1])
	return d.told(ctx)
}

// told waits until the bot has heard of a purchase. Discord has told the person
// itself, so nothing is shown.
func (d *talkDriver) told(ctx context.Context) error {
	if !d.events {
		return nil
	}
	err := d.rec.Wait(ctx)
	d.rec.Take()
	return err
}
