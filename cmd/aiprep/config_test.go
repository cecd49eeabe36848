package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"aiprep/bots"
)

const exampleFile = "../../config.example.yaml"

// reveal lets cmp look at secrets, which hide themselves otherwise.
var reveal = cmp.Transformer("reveal", func(s bots.Secret) string { return s.Reveal() })

func TestExampleHoldsTheDefaults(t *testing.T) {
	raw, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var c Config
	if err := yaml.Load(raw, &c, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), c, reveal); diff != "" {
		t.Errorf("config.example.yaml (+) differs from Default() (-):\n%s", diff)
	}
}

func TestExampleNamesEveryKey(t *testing.T) {
	raw, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var written map[string]map[string]any
	if err := yaml.Load(raw, &written); err != nil {
		t.Fatal(err)
	}
	for _, key := range leaves(reflect.TypeFor[Config](), "") {
		section, name, _ := strings.Cut(key.name, ".")
		if _, ok := written[section][name]; !ok {
			t.Errorf("config.example.yaml does not mention %s", key.name)
		}
	}
}

// leaf is one setting.
type leaf struct {
	name string // as in the file, with a dot: store.file
	path []int  // fields from Config down
	kind reflect.Type
}

func leaves(t reflect.Type, prefix string, path ...int) []leaf {
	var all []leaf
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(append([]int{}, path...), i)
		if f.Type.Kind() == reflect.Struct {
			all = append(all, leaves(f.Type, prefix+f.Tag.Get("yaml")+".", at...)...)
			continue
		}
		all = append(all, leaf{prefix + f.Tag.Get("yaml"), at, f.Type})
	}
	return all
}

// Every key can be set by its variable, and sets nothing else.
func TestEveryKeyCanBeSetByEnvironment(t *testing.T) {
	t.Chdir(t.TempDir()) // where there is no config.yaml
	if err := os.WriteFile("secret", []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	special := map[string][2]string{ // value, and what it becomes
		"discord.server": {"http://127.0.0.1:1", "http://127.0.0.1:1"}, "telegram.server": {"http://127.0.0.1:1", "http://127.0.0.1:1"},
		"discord.token_file": {"secret", "secret"}, "telegram.token_file": {"secret", "secret"},
		"discord.interactions": {"http", "http"}, "discord.shards": {"3", "3"},
		"telegram.updates": {"webhook", "webhook"}, "telegram.webhook_url": {"https://bot.example.org/", "https://bot.example.org/"},
		"unlock.mode": {"sell", "sell"}, "unlock.discord_sku": {"900", "900"},
		"admin.listen": {"127.0.0.1:9", "127.0.0.1:9"}, "log.level": {"debug", "debug"}, "log.format": {"json", "json"},
	}
	for _, l := range leaves(reflect.TypeFor[Config](), "") {
		t.Run(l.name, func(t *testing.T) {
			value := [2]string{"other", "other"}
			switch l.kind {
			case reflect.TypeFor[int]():
				value = [2]string{"7", "7"}
			case reflect.TypeFor[bool]():
				value = [2]string{"true", "true"}
			case reflect.TypeFor[time.Duration]():
				value = [2]string{"90m", "1h30m0s"}
			}
			if v, ok := special[l.name]; ok {
				value = v
			}
			variable := "AIPREP_" + strings.ToUpper(strings.ReplaceAll(l.name, ".", "_"))
			got, err := loadConfig("", []string{"PATH=/bin", variable + "=" + value[0]})
			if err != nil {
				t.Fatal(err)
			}
			field := reflect.ValueOf(&got).Elem().FieldByIndex(l.path)
			text := fmt.Sprint(field.Interface())
			if s, secret := field.Interface().(bots.Secret); secret {
				text = s.Reveal()
			}
			if text != value[1] {
				t.Errorf("%s=%s gives %q", variable, value[0], text)
			}
			want := Default()
			reflect.ValueOf(&want).Elem().FieldByIndex(l.path).Set(field)
			if strings.HasSuffix(l.name, ".token_file") { // and the token that it holds
				token := append(append([]int{}, l.path[:1]...), 0)
				reflect.ValueOf(&want).Elem().FieldByIndex(token).SetString("from-a-file")
			}
			if diff := cmp.Diff(want, got, reveal); diff != "" {
				t.Errorf("%s sets more than its key:\n%s", variable, diff)
			}
		})
	}
}

// However the configuration is printed, a token is not in it; and a log line
// that a library wrote with the token inside is cleaned.
func TestTokensAreNeverPrinted(t *testing.T) {
	const token = "123456:SECRET-token_value"
	c := Default()
	c.Telegram.Token, c.Discord.Token = token, token
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.Dump(c)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	for _, format := range []string{"text", "json"} {
		l := newLog(&log, LogConfig{Level: "debug", Format: format}, c.Discord.Token, c.Telegram.Token)
		l.Error("call", "config", c, "token", c.Telegram.Token, "err", fmt.Errorf("Post %q: EOF", "https://api.telegram.org/bot"+token+"/getMe"))
	}
	for name, printed := range map[string]string{
		"%v": fmt.Sprintf("%v", c), "%+v": fmt.Sprintf("%+v", c), "%#v": fmt.Sprintf("%#v", c),
		"%s": fmt.Sprintf("%s", c.Telegram), "%x": fmt.Sprintf("%x", c.Telegram.Token),
		"JSON": string(asJSON), "YAML": string(asYAML), "log": log.String(),
	} {
		if strings.Contains(printed, token) || strings.Contains(printed, fmt.Sprintf("%x", token)) {
			t.Errorf("%s prints the token: %s", name, printed)
		}
		if printed == "" {
			t.Errorf("%s prints nothing", name)
		}
	}
}
