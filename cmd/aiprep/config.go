package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"aiprep/bots"
)

// Config is the operator's file. Every key can also be set by an environment
// variable: store.file is AIPREP_STORE_FILE, and so on; the environment wins.
// A token or key can be named by a file (token_file), as container platforms
// hand out secrets.
type Config struct {
	Store    StoreConfig    `yaml:"store"`
	Content  ContentConfig  `yaml:"content"`
	Daily    DailyConfig    `yaml:"daily"`
	Privacy  PrivacyConfig  `yaml:"privacy"`
	Pictures PicturesConfig `yaml:"pictures"`
	Unlock   UnlockConfig   `yaml:"unlock"`
	Discord  DiscordConfig  `yaml:"discord"`
	Telegram TelegramConfig `yaml:"telegram"`
	Admin    AdminConfig    `yaml:"admin"`
	Log      LogConfig      `yaml:"log"`
}

// StoreConfig says where everything is kept.
type StoreConfig struct {
	File      string `yaml:"file"`
	KeyFile   string `yaml:"key_file"`
	MaxSizeMB int    `yaml:"max_size_mb"`
	BackupDir string `yaml:"backup_dir"`
	// BackupEvery is how often serve makes a backup; 0 leaves it to the operator.
	BackupEvery time.Duration `yaml:"backup_every"`
	BackupKeep  int           `yaml:"backup_keep"`
	Socket      string        `yaml:"socket"`
}

// ContentConfig says what is asked beside what is built in.
type ContentConfig struct {
	Extra string `yaml:"extra"`
}

// DailyConfig concerns the daily challenge of every server.
type DailyConfig struct {
	CatchUp time.Duration `yaml:"catch_up"`
}

// PicturesConfig concerns the cards that show scores.
type PicturesConfig struct {
	FontsDir string `yaml:"fonts_dir"`
}

// fonts reads the operator's fonts, in the order of their names.
func (c PicturesConfig) fonts() (all [][]byte, err error) {
	if c.FontsDir == "" {
		return nil, nil
	}
	files, err := os.ReadDir(c.FontsDir)
	if err != nil {
		return nil, fmt.Errorf("read pictures.fonts_dir: %w", err)
	}
	for _, f := range files {
		if ext := strings.ToLower(filepath.Ext(f.Name())); ext != ".ttf" && ext != ".otf" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(c.FontsDir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("read pictures.fonts_dir: %w", err)
		}
		all = append(all, raw)
	}
	return all, nil
}

// PrivacyConfig says how long what is about people is kept.
type PrivacyConfig struct {
	KeepMonths int `yaml:"keep_months"`
}

// keep is the time for which the silent are kept, less than 0 for ever.
func (c PrivacyConfig) keep() time.Duration {
	if c.KeepMonths == 0 {
		return -1
	}
	return time.Duration(c.KeepMonths) * 30 * 24 * time.Hour
}

// TelegramConfig is Telegram. Without a token it is off.
type TelegramConfig struct {
	Token      bots.Secret `yaml:"token"`
	TokenFile  string      `yaml:"token_file"`
	Server     string      `yaml:"server"`
	Updates    string      `yaml:"updates"`
	WebhookURL string      `yaml:"webhook_url"`
	Listen     string      `yaml:"listen"`
}

// Ways in which updates come.
const (
	byPoll    = "poll"
	byWebhook = "webhook"
)

// DiscordConfig is Discord. Without a token it is off.
type DiscordConfig struct {
	Token        bots.Secret `yaml:"token"`
	TokenFile    string      `yaml:"token_file"`
	Server       string      `yaml:"server"`
	Interactions string      `yaml:"interactions"`
	Listen       string      `yaml:"listen"`
	Shards       string      `yaml:"shards"`
	Crosspost    bool        `yaml:"crosspost"`
}

// Ways in which interactions come.
const (
	byGateway = "gateway"
	byHTTP    = "http"
)

// shards is the number of connections, 0 for what Discord says.
func (c DiscordConfig) shards() (int, error) {
	if c.Shards == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(c.Shards)
	if err != nil || n < 1 || n > 1000 {
		return 0, fmt.Errorf("discord.shards is %q: write auto, or a number of connections", c.Shards)
	}
	return n, nil
}

// AdminConfig is the listener for health and metrics.
type AdminConfig struct {
	Listen string `yaml:"listen"`
}

// LogConfig says what is logged, and how.
type LogConfig struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// Default returns the settings that hold where the file says nothing.
func Default() Config {
	return Config{
		Store:    StoreConfig{File: "aiprep.db", BackupEvery: 24 * time.Hour, BackupKeep: 7},
		Daily:    DailyConfig{CatchUp: 6 * time.Hour},
		Privacy:  PrivacyConfig{KeepMonths: 24},
		Unlock:   UnlockConfig{Mode: unlockOff, TestsPerDay: 1},
		Discord:  DiscordConfig{Server: "https://discord.com", Interactions: byGateway, Listen: "127.0.0.1:8078", Shards: "auto"},
		Telegram: TelegramConfig{Server: "https://api.telegram.org", Updates: byPoll, Listen: "127.0.0.1:8079"},
		Admin:    AdminConfig{Listen: "127.0.0.1:8077"},
		Log:      LogConfig{Level: "info", Format: "text"},
	}
}

// defaultConfigFile is read when --config is not given and the file exists.
const defaultConfigFile = "config.yaml"

// loadConfig reads the file ("" means config.yaml if there is one), then the
// environment, then the files that hold secrets, and checks the result.
func loadConfig(file string, env []string) (Config, error) {
	c := Default()
	raw, err := os.ReadFile(file)
	if file == "" {
		raw, err = os.ReadFile(defaultConfigFile)
		if errors.Is(err, fs.ErrNotExist) {
			raw, err = nil, nil
		}
		file = defaultConfigFile
	}
	if err != nil {
		return c, fmt.Errorf("read configuration: %w", err)
	}
	if len(raw) > 0 {
		if err := configError(file, yaml.Load(raw, &c, yaml.WithKnownFields(), yaml.WithUniqueKeys())); err != nil {
			return c, err
		}
	}
	if err := fromEnvironment(reflect.ValueOf(&c).Elem(), "AIPREP", env); err != nil {
		return c, err
	}
	if err := unknownVariables(env); err != nil {
		return c, err
	}
	if err := c.readTokens(); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// readToken takes a token from its file, if one is named. White space around a
// token is what copying leaves.
func readToken(name string, token bots.Secret, file string) (bots.Secret, error) {
	token = bots.Secret(strings.TrimSpace(token.Reveal()))
	if file == "" {
		return token, nil
	}
	if token != "" {
		return "", fmt.Errorf("%s has both token and token_file: keep one", name)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read %s.token_file: %w", name, err)
	}
	if token = bots.Secret(strings.TrimSpace(string(raw))); token == "" {
		return "", fmt.Errorf("read %s.token_file: %s is empty", name, file)
	}
	return token, nil
}

// readTokens takes both tokens from their files.
func (c *Config) readTokens() error {
	var bad, worse error
	c.Discord.Token, bad = readToken("discord", c.Discord.Token, c.Discord.TokenFile)
	c.Telegram.Token, worse = readToken("telegram", c.Telegram.Token, c.Telegram.TokenFile)
	return errors.Join(bad, worse)
}

// fromEnvironment sets every field whose variable is present.
func fromEnvironment(v reflect.Value, prefix string, env []string) error {
	for i := range v.NumField() {
		f := v.Field(i)
		name := prefix + "_" + strings.ToUpper(v.Type().Field(i).Tag.Get("yaml"))
		if f.Kind() == reflect.Struct {
			if err := fromEnvironment(f, name, env); err != nil {
				return err
			}
			continue
		}
		value, ok := lookup(env, name)
		if !ok {
			continue
		}
		if f.Kind() == reflect.String {
			f.SetString(value)
		} else if err := yaml.Load([]byte(value), f.Addr().Interface()); err != nil {
			return fmt.Errorf("read environment variable %s: write %s", name, wanted(f.Type().String()))
		}
	}
	return nil
}

// unknownVariables finds a variable that is meant for a section of the file and
// names none of its keys. Other AIPREP_ variables are not ours to judge.
func unknownVariables(env []string) error {
	known := map[string]bool{}
	sections := map[string]bool{}
	config := reflect.TypeFor[Config]()
	for i := range config.NumField() {
		section := "AIPREP_" + strings.ToUpper(config.Field(i).Tag.Get("yaml"))
		sections[section] = true
		for _, key := range configKeys(config.Field(i).Type) {
			known[section+"_"+strings.ToUpper(key)] = true
		}
	}
	var errs []error
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if known[name] {
			continue
		}
		for section := range sections {
			if key, ok := strings.CutPrefix(name, section+"_"); ok {
				errs = append(errs, fmt.Errorf("read environment variable %s: %s", name, unknown(strings.ToLower(key))))
			}
		}
	}
	return errors.Join(errs...)
}

func lookup(env []string, name string) (string, bool) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v, true
		}
	}
	return "", false
}

// Validate checks what can be checked without opening anything, and says for
// each fault what to write instead.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Store.File == "" {
		bad("store.file is empty: name the file that keeps everything, for example aiprep.db")
	}
	if c.Store.MaxSizeMB < 0 {
		bad("store.max_size_mb is %d: write 0 for no limit, or a number of megabytes", c.Store.MaxSizeMB)
	}
	if c.Store.BackupEvery < 0 || c.Store.BackupEvery > 0 && c.Store.BackupEvery < time.Minute {
		bad("store.backup_every is %v: write a time such as 24h, or 0s for none", c.Store.BackupEvery)
	}
	if c.Store.BackupKeep < 1 {
		bad("store.backup_keep is %d: write how many backups to keep, at least 1", c.Store.BackupKeep)
	}
	if c.Daily.CatchUp < 0 || c.Daily.CatchUp > 24*time.Hour {
		bad("daily.catch_up is %v: write a time from 0s to 24h", c.Daily.CatchUp)
	}
	if c.Privacy.KeepMonths < 0 || c.Privacy.KeepMonths > 1200 {
		bad("privacy.keep_months is %d: write a number of months, or 0 to keep everything until it is erased", c.Privacy.KeepMonths)
	}
	errs = append(errs, c.Unlock.validate()...)
	errs = append(errs, c.validatePlatforms()...)
	if c.Admin.Listen != "" {
		host, _, err := net.SplitHostPort(c.Admin.Listen)
		if ip := net.ParseIP(host); err != nil || (host != "localhost" && (ip == nil || !ip.IsLoopback())) {
			bad("admin.listen is %q: write a loopback address such as 127.0.0.1:8077, or nothing to switch it off", c.Admin.Listen)
		}
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		bad("log.level is %q: write debug, info, warn or error", c.Log.Level)
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		bad("log.format is %q: write text or json", c.Log.Format)
	}
	return errors.Join(errs...)
}

// validatePlatforms checks what concerns Discord and Telegram.
func (c Config) validatePlatforms() (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	server := func(key, address string) {
		if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
			bad("%s is %q: write an address that begins with https://", key, address)
		}
	}
	server("discord.server", c.Discord.Server)
	if _, err := c.Discord.shards(); err != nil {
		errs = append(errs, err)
	}
	if c.Discord.Interactions != byGateway && c.Discord.Interactions != byHTTP {
		bad("discord.interactions is %q: write gateway or http", c.Discord.Interactions)
	}
	if _, _, err := net.SplitHostPort(c.Discord.Listen); err != nil && c.Discord.Interactions == byHTTP {
		bad("discord.listen is %q: write an address such as 127.0.0.1:8078, to which your proxy passes Discord's requests", c.Discord.Listen)
	}
	server("telegram.server", c.Telegram.Server)
	if c.Telegram.Updates != byPoll && c.Telegram.Updates != byWebhook {
		bad("telegram.updates is %q: write poll or webhook", c.Telegram.Updates)
	}
	if c.Telegram.Updates == byWebhook && c.Telegram.Token != "" && !strings.HasPrefix(c.Telegram.WebhookURL, "https://") {
		bad("telegram.webhook_url is %q: write the address, beginning with https://, at which your proxy takes Telegram's updates", c.Telegram.WebhookURL)
	}
	return errs
}

// socketPath is where a running serve takes an operator's commands.
func (c Config) socketPath() string {
	if c.Store.Socket != "" {
		return c.Store.Socket
	}
	return filepath.Clean(c.Store.File) + ".sock"
}
