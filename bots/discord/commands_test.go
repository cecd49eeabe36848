package discord

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"aiprep/bots/bottest"
	"aiprep/engine"
)

func TestSlashCommandsOfATable(t *testing.T) {
	var many []engine.Choice
	for n := range 30 {
		many = append(many, engine.Choice{Value: strings.Repeat("v", n+1), Label: "choice"})
	}
	table := []engine.Command{
		{Name: "all", Summary: "Every kind of option", Options: []engine.Option{
			{Name: "text", Summary: "Anything", Kind: engine.TextOption},
			{Name: "few", Summary: "One of few", Kind: engine.ChoiceOption, Choices: []engine.Choice{{Value: "a", Label: "The letter A"}}},
			{Name: "many", Summary: "One of many", Kind: engine.ChoiceOption, Choices: many},
			{Name: "zone", Summary: "A zone", Kind: engine.ZoneOption},
			{Name: "time", Summary: "A time", Kind: engine.TimeOption},
			{Name: "topic", Summary: "A topic", Kind: engine.TopicOption},
			{Name: "days", Summary: "Days", Kind: engine.DaysOption},
			{Name: "channel", Summary: "A channel", Kind: engine.PlaceOption},
			{Name: "role", Summary: "A role", Kind: engine.RoleOption},
			{Name: "number", Summary: "A number", Kind: engine.NumberOption, Required: true},
		}},
		{Name: "manage", Summary: strings.Repeat("long ", 40), Who: engine.Admins, Where: engine.ServerOnly},
		{Name: "alone", Where: engine.PrivateOnly},
		{Name: "press", Hidden: true},
	}
	golden(t, "commands", slashCommands(table, nil), "")
}

// A person reads the commands in their own language where there is one.
func TestCommandsAreDescribedInEveryLanguage(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	for _, c := range slashCommands(b.engine.Commands(), b.tables()) {
		for _, l := range []discordgo.Locale{"de", "es-ES", "es-419"} {
			if text := (*c.DescriptionLocalizations)[l]; text == "" || text == c.Description {
				t.Errorf("/%s in %s: %q", c.Name, l, text)
			}
			for _, o := range c.Options {
				if text := o.DescriptionLocalizations[l]; text == "" || text == o.Description {
					t.Errorf("/%s %s in %s: %q", c.Name, o.Name, l, text)
				}
				for _, choice := range o.Choices {
					if choice.NameLocalizations[l] == "" {
						t.Errorf("/%s %s %s has no name in %s", c.Name, o.Name, choice.Value, l)
					}
				}
			}
		}
	}
}

func TestTheEnginesCommandsAreDiscords(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	body, err := json.Marshal(slashCommands(w.engine.Commands(), w.make().tables()))
	w.must(err)
	if spec() == nil {
		t.Skip("the official description is not here")
	}
	bad, odd, err := spec().Check("PUT /applications/{application_id}/commands", body)
	if err != nil || len(bad)+len(odd) > 0 {
		t.Errorf("against the official description: %v %v %v", bad, odd, err)
	}
}

func TestCommandsAreRegisteredOnlyWhenTheyChanged(t *testing.T) {
	w := newWorld(t, bottest.DiscordOptions{}, nil)
	b := w.make()
	register := func(want string) {
		t.Helper()
		if got, err := b.registerNow(w.soon()); got != want || err != nil {
			t.Errorf("registered: %s, %v, want %s", got, err, want)
		}
	}
	register("set")
	register("same")
	w.must(w.d.WaitCommands(w.soon(), "", "help"))
	path := "/applications/" + w.d.AppID + "/commands"
	answer, err := b.call(w.soon(), request{method: "GET", path: path, route: "commands"})
	w.must(err)
	var have []map[string]any
	w.must(json.Unmarshal(answer, &have))
	_, err = b.call(w.soon(), request{method: "PATCH", path: path + "/" + have[0]["id"].(string), route: "commands", body: map[string]string{"description": "changed by hand"}})
	w.must(err)
	register("set")
	register("same")
	w.d.Inject(bottest.Fault{Match: "GET /applications/*/commands", Times: 2, Kind: bottest.BadGateway{}})
	register("same")
	w.d.Inject(bottest.Fault{Match: "GET /applications/*/commands", Kind: bottest.Forbidden{Code: 50001, Message: "Missing Access"}})
	if got, err := b.registerNow(w.soon()); got != "error" || err == nil {
		t.Errorf("refused: %s, %v", got, err)
	}
	w.clean()
}
