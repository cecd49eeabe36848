package bottest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
)

// heard connects a bare gateway client and collects the interactions that it gets,
// decoded by discordgo; nobody answers them.
func (b *bot) heard(t *testing.T) <-chan *discordgo.Interaction {
	t.Helper()
	got := make(chan *discordgo.Interaction, 32)
	w := dial(t, b.d)
	w.identify(b.d.Token, 0)
	go func() {
		defer close(got)
		for {
			f, err := w.next()
			if err != nil {
				return
			}
			if f.Type == nil || *f.Type != "INTERACTION_CREATE" {
				continue
			}
			i := &discordgo.Interaction{}
			if err := json.Unmarshal(f.Data, i); err != nil {
				t.Errorf("decode %s: %v", f.Data, err)
			}
			got <- i
		}
	}()
	return got
}

// answer responds with a callback of our own JSON.
func (b *bot) answer(i *discordgo.Interaction, query string, body map[string]any) ([]byte, error) {
	url := discordgo.EndpointInteractionResponse(i.ID, i.Token)
	return b.RequestWithBucketID("POST", url+query, body, url)
}

func TestInteractionsMustBeAnsweredInTime(t *testing.T) {
	var clock Clock
	b := newBot(t, DiscordOptions{Now: clock.Now})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	slash := func() *discordgo.Interaction {
		t.Helper()
		if _, err := b.d.Slash(b.s.Alice, b.s.General, "go"); err != nil {
			t.Fatal(err)
		}
		return <-got
	}
	plain := obj{"type": 4, "data": text("x")}
	late := slash()
	clock.Advance(3001 * time.Millisecond)
	_, err := b.answer(late, "", plain)
	wantCode(t, err, 10062)
	_, err = b.InteractionResponse(late)
	wantCode(t, err, 10015) // never answered, so there is no webhook

	timely := slash()
	clock.Advance(2 * time.Second)
	if _, err := b.answer(timely, "", plain); err != nil {
		t.Errorf("after two seconds: %v", err)
	}
	_, err = b.answer(timely, "", plain)
	wantCode(t, err, 40060)
	if _, err := b.InteractionResponse(timely); err != nil {
		t.Error(err)
	}
	clock.Advance(15 * time.Minute)
	_, err = b.InteractionResponse(timely)
	wantCode(t, err, 50027)
	_, err = b.answer(&discordgo.Interaction{ID: "1", Token: "none"}, "", plain)
	wantCode(t, err, 10062)
	_, err = b.InteractionResponse(&discordgo.Interaction{AppID: b.d.AppID, Token: "none"})
	wantCode(t, err, 10015)
	b.good(t)
}

func TestCallbacksMustFitTheInteraction(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "go"); err != nil {
		t.Fatal(err)
	}
	i := <-got
	for _, kind := range []int{1, 6, 7, 8} {
		body := obj{"type": kind}
		if kind == 8 {
			body["data"] = obj{"choices": arr{}}
		}
		_, err := b.answer(i, "", body)
		wantCode(t, err, 50035)
	}
	_, err := b.answer(i, "", obj{"type": 4, "data": text(x(2001))})
	wantCode(t, err, 50035)
	_, err = b.answer(i, "", obj{"type": 4, "data": text("")})
	wantCode(t, err, 50006)
	b.d.ForgetRequests()
	if _, err := b.answer(i, "", obj{"type": 5, "data": obj{"flags": FlagEphemeral | FlagComponentsV2}}); err != nil {
		t.Errorf("after refusals the interaction is still open: %v", err)
	}
	if p := strings.Join(b.d.Problems(), ""); !strings.Contains(p, "EPHEMERAL") {
		t.Errorf("a deferral with another flag gave problems %q", p)
	}
}

func TestWithResponseReturnsTheMessage(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "go"); err != nil {
		t.Fatal(err)
	}
	data, err := b.answer(<-got, "?with_response=true", obj{"type": 4, "data": text("x")})
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Resource struct {
			Message discordgo.Message `json:"message"`
		} `json:"resource"`
	}
	if err := json.Unmarshal(data, &body); err != nil || body.Resource.Message.Content != "x" || body.Resource.Message.ID == "" {
		t.Errorf("response %s, %v", data, err)
	}
}

func TestDeferredWebhookPostEditsTheWaitingMessage(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	it, err := b.d.Slash(b.s.Alice, b.s.General, "go")
	if err != nil {
		t.Fatal(err)
	}
	i := <-got
	if _, err := b.answer(i, "", obj{"type": 5, "data": obj{"flags": FlagEphemeral}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "first", AllowedMentions: quiet()}); err != nil {
		t.Fatal(err)
	}
	r, err := it.WaitShown(ctx(t))
	if err != nil || len(r.FollowUps) != 0 || r.Message.Content != "first" || !r.Ephemeral {
		t.Errorf("response %+v, %v", r, err)
	}
	if err := b.InteractionResponseDelete(i); err != nil {
		t.Error(err)
	}
	_, err = b.InteractionResponse(i)
	wantCode(t, err, 10008)
	b.good(t)
}

func TestComponentsV2MayComeWithTheEditAfterADeferral(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	got := b.heard(t)
	it, err := b.d.Slash(b.s.Alice, b.s.General, "go")
	if err != nil {
		t.Fatal(err)
	}
	i := <-got
	if _, err := b.answer(i, "", obj{"type": 5}); err != nil {
		t.Fatal(err)
	}
	url := discordgo.EndpointInteractionResponseActions(i.AppID, i.Token)
	if _, err := b.RequestWithBucketID("PATCH", url, obj{"flags": FlagComponentsV2, "components": texts(1, 3), "allowed_mentions": obj{"parse": arr{}}}, url); err != nil {
		t.Fatal(err)
	}
	r, err := it.WaitShown(ctx(t))
	if err != nil || r.Message.Text() != "xxx" || r.Message.Flags != FlagComponentsV2 {
		t.Errorf("response %+v, %v", r.Message, err)
	}
	b.good(t)
}

func TestModalIsOpenedAndSubmitted(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	got := b.heard(t)
	m, err := b.send(b.s.General, obj{"content": "?", "components": rows(1), "allowed_mentions": obj{"parse": arr{}}})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := b.d.Click(b.s.Bob, m.ID, "r0-0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.d.Submit(opened, nil); err == nil {
		t.Error("a modal was submitted that nobody opened")
	}
	i := <-got
	modal := func(title string) *discordgo.InteractionResponse {
		return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal, Data: &discordgo.InteractionResponseData{
			CustomID: "why", Title: title, Components: []discordgo.MessageComponent{row(discordgo.TextInput{CustomID: "reason", Label: "What is wrong?", Style: discordgo.TextInputShort, Required: true, MinLength: 3, MaxLength: 10})}}}
	}
	wantCode(t, b.InteractionRespond(i, modal(x(46))), 50035)
	b.d.ForgetRequests()
	if err := b.InteractionRespond(i, modal("Report")); err != nil {
		t.Fatal(err)
	}
	r, err := opened.Wait(ctx(t))
	if err != nil || r.Modal == nil || r.Modal.Title != "Report" {
		t.Fatalf("response %+v, %v", r, err)
	}
	for name, values := range map[string]map[string]string{
		"nothing": {}, "too short": {"reason": "no"}, "too long": {"reason": x(11)}, "another input": {"reason": "wrong", "x": "y"},
	} {
		if _, err := b.d.Submit(opened, values); err == nil {
			t.Errorf("%s was submitted", name)
		}
	}
	sent, err := b.d.Submit(opened, map[string]string{"reason": "the key"})
	if err != nil {
		t.Fatal(err)
	}
	i = <-got
	input := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow).Components[0].(*discordgo.TextInput)
	if i.ModalSubmitData().CustomID != "why" || input.Value != "the key" || i.Message.ID != m.ID {
		t.Errorf("submission %+v, %+v", i.ModalSubmitData(), input)
	}
	if _, err := b.answer(i, "", obj{"type": 7, "data": text("thanks")}); err != nil {
		t.Fatal(err)
	}
	if r, err := sent.Wait(ctx(t)); err != nil || r.Message.ID != m.ID || r.Message.Content != "thanks" {
		t.Errorf("response %+v, %v", r.Message, err)
	}
	b.good(t)
}

func TestLabelledInputsOfModalsComeBackInTheirLabels(t *testing.T) {
	list := []Component{
		{Type: compTextDisplay, Content: "Please"},
		{Type: compLabel, Label: "Zone", Component: &Component{Type: compTextInput, CustomID: "zone", Style: 1}},
		{Type: compLabel, Label: "Level", Component: &Component{Type: compRadioGroup, CustomID: "level", Options: []SelectOption{{Value: "a"}, {Value: "b"}}}},
		{Type: compLabel, Label: "Topics", Component: &Component{Type: compCheckboxGroup, CustomID: "topics", Options: []SelectOption{{Value: "x"}, {Value: "y"}}}},
	}
	out, err := answers(list, map[string]string{"zone": "Europe/Rome", "level": "b", "topics": "x,y"}, map[string]bool{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`{"component":{"custom_id":"zone","id":0,"type":4,"value":"Europe/Rome"},"id":0,"type":18}`,
		`"custom_id":"level","id":0,"type":21,"value":"b"`, `"type":22,"values":["x","y"]`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s lacks %s", data, part)
		}
	}
	if _, err := answers(list, map[string]string{"zone": "z", "level": "c", "topics": "x"}, map[string]bool{}); err == nil {
		t.Error("a value that is not offered was chosen")
	}
}

func TestAutocompleteSuggests(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "zone", Description: "d", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "name", Description: "d", Required: true, Autocomplete: true},
		{Type: discordgo.ApplicationCommandOptionString, Name: "other", Description: "d"},
	}})
	got := b.heard(t)
	if _, err := b.d.Autocomplete(b.s.Alice, b.s.General, "zone", Opt{"other", "x"}); err == nil {
		t.Error("an option without autocomplete asked for suggestions")
	}
	it, err := b.d.Autocomplete(b.s.Alice, b.s.General, "zone", Opt{"name", "Eur"})
	if err != nil {
		t.Fatal(err)
	}
	i := <-got
	if o := i.ApplicationCommandData().Options[0]; !o.Focused || o.StringValue() != "Eur" {
		t.Errorf("option %+v", o)
	}
	var many []*discordgo.ApplicationCommandOptionChoice
	for range 26 {
		many = append(many, &discordgo.ApplicationCommandOptionChoice{Name: "x", Value: "x"})
	}
	suggest := func(list []*discordgo.ApplicationCommandOptionChoice) error {
		return b.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Data: &discordgo.InteractionResponseData{Choices: list}})
	}
	wantCode(t, suggest(many), 50035)
	b.d.ForgetRequests()
	if err := suggest(many[:25]); err != nil {
		t.Fatal(err)
	}
	if r, err := it.Wait(ctx(t)); err != nil || len(r.Choices) != 25 {
		t.Errorf("response %+v, %v", r, err)
	}
	b.good(t)
}

func TestSelectMenusTakeWhatTheyOffer(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	got := b.heard(t)
	m, err := b.send(b.s.General, obj{"content": "?", "components": menu(3, "v"), "allowed_mentions": obj{"parse": arr{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range [][]string{{}, {"v0", "v1"}, {"w"}} {
		if _, err := b.d.Select(b.s.Alice, m.ID, "m", values...); err == nil {
			t.Errorf("%q was chosen", values)
		}
	}
	if _, err := b.d.Click(b.s.Alice, m.ID, "m"); err == nil {
		t.Error("a menu was pressed like a button")
	}
	if _, err := b.d.Select(b.s.Alice, m.ID, "m", "v1"); err != nil {
		t.Fatal(err)
	}
	if data := (<-got).MessageComponentData(); len(data.Values) != 1 || data.Values[0] != "v1" {
		t.Errorf("data %+v", data)
	}
}

func TestUserInstallsAnswerInPlacesWithoutTheBot(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	kinds := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall, discordgo.ApplicationIntegrationUserInstall}
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d", IntegrationTypes: &kinds})
	got := b.heard(t)
	away := b.d.AddGuild(Guild{Name: "Elsewhere", BotAbsent: true})
	hall := b.d.AddChannel(away, Channel{Name: "hall"})
	b.d.AddMember(away, Member{User: b.s.Alice})
	if _, err := b.d.Slash(b.s.Alice, hall, "go"); err == nil {
		t.Error("a command worked where nobody installed the app")
	}
	b.d.ChangePerson(b.s.Alice, func(p *Person) { p.Installed = true })
	if _, err := b.d.Slash(b.s.Alice, hall, "go"); err != nil {
		t.Fatal(err)
	}
	i := <-got
	if i.AuthorizingIntegrationOwners[discordgo.ApplicationIntegrationUserInstall] != b.s.Alice || len(i.AuthorizingIntegrationOwners) != 1 {
		t.Errorf("owners %v", i.AuthorizingIntegrationOwners)
	}
	if _, err := b.answer(i, "", obj{"type": 4, "data": text("x")}); err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		_, err := b.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "x", AllowedMentions: quiet()})
		wantCode(t, err, map[bool]int{n < 5: 0, n >= 5: 40094}[true])
	}
	_, err := b.send(hall, text("x"))
	wantCode(t, err, 50001)
	b.good(t)
}

func TestEntitlementsComeInPayloadsEventsAndLists(t *testing.T) {
	b := newBot(t, DiscordOptions{})
	b.register(t, &discordgo.ApplicationCommand{Name: "go", Description: "d"})
	created := make(chan string, 1)
	b.AddHandler(func(_ *discordgo.Session, e *discordgo.EntitlementCreate) { created <- e.SKUID })
	b.open(t)
	got := b.heard(t)
	id := b.d.Grant(Entitlement{SKU: "900", User: b.s.Alice})
	if sku := <-created; sku != "900" {
		t.Errorf("event for SKU %s", sku)
	}
	if _, err := b.d.Slash(b.s.Alice, b.s.General, "go"); err != nil {
		t.Fatal(err)
	}
	if i := <-got; len(i.Entitlements) != 1 || i.Entitlements[0].SKUID != "900" {
		t.Errorf("payload carries %+v", i.Entitlements)
	}
	for _, c := range []struct {
		user string
		want int
	}{{b.s.Alice, 1}, {b.s.Bob, 0}} {
		list, err := b.Entitlements(b.d.AppID, &discordgo.EntitlementFilterOptions{UserID: c.user, SkuIDs: []string{"900"}})
		if err != nil || len(list) != c.want {
			t.Errorf("list for %s: %v, %v", c.user, list, err)
		}
	}
	if err := b.EntitlementConsume(b.d.AppID, id); err != nil {
		t.Error(err)
	}
	wantCode(t, b.EntitlementConsume(b.d.AppID, "1"), 10074)
	b.d.Revoke(id)
	list, err := b.Entitlements(b.d.AppID, nil)
	if err != nil || len(list) != 0 {
		t.Errorf("after revoking: %v, %v", list, err)
	}
	b.good(t)
}
