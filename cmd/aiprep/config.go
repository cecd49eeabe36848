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
	"regexp"
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
	Daily    DailyConfig    `yaml:"daily"`
	Discord  PlatformConfig `yaml:"discord"`
	Telegram PlatformConfig `yaml:"telegram"`
	Admin    AdminConfig    `yaml:"admin"`
	Log      LogConfig      `yaml:"log"`
}

// StoreConfig says where everything is kept.
type StoreConfig struct {
	File      string `yaml:"file"`
	KeyFile   string `yaml:"key_file"`
	MaxSizeMB int    `yaml:"max_size_mb"`
	BackupDir string `yaml:"backup_dir"`
	Socket    string `yaml:"socket"`
}

// DailyConfig concerns the daily challenge of every server.
type DailyConfig struct {
	CatchUp time.Duration `yaml:"catch_up"`
}

// PlatformConfig is one chat platform. Without a token it is off.
type PlatformConfig struct {
	Token     bots.Secret `yaml:"token"`
	TokenFile string      `yaml:"token_file"`
	Server    string      `yaml:"server"`
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
		Store:    StoreConfig{File: "aiprep.db"},
		Daily:    DailyConfig{CatchUp: 6 * time.Hour},
		Discord:  PlatformConfig{Server: "https://discord.com"},
		Telegram: PlatformConfig{Server: "https://api.telegram.org"},
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
		if err := yaml.Load(raw, &c, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
			return c, configError(file, err)
		}
	}
	if err := fromEnvironment(reflect.ValueOf(&c).Elem(), "AIPREP", env); err != nil {
		return c, err
	}
	for name, p := range map[string]*PlatformConfig{"discord": &c.Discord, "telegram": &c.Telegram} {
		if p.TokenFile == "" {
			continue
		}
		if p.Token != "" {
			return c, fmt.Errorf("%s has both token and token_file: keep one", name)
		}
		raw, err := os.ReadFile(p.TokenFile)
		if err != nil {
			return c, fmt.Errorf("read %s.token_file: %w", name, err)
		}
		p.Token = bots.Secret(strings.TrimSpace(string(raw)))
	}
	return c, c.Validate()
}

// unknownKey finds the key's name in what the YAML library says of it.
var unknownKey = regexp.MustCompile(`field (\S+) not found in type \S+`)

// configError puts file, line and a likely spelling before each complaint.
func configError(file string, err error) error {
	var all *yaml.LoadErrors
	if !errors.As(err, &all) {
		return fmt.Errorf("%s: %w", file, err)
	}
	var msgs []error
	for _, e := range all.Errors {
		msg := e.Message
		if m := unknownKey.FindStringSubmatch(msg); m != nil {
			msg = fmt.Sprintf("there is no key %q here", m[1])
			if near := nearestKey(m[1]); near != "" {
				msg += fmt.Sprintf(": did you mean %q?", near)
			}
		}
		msgs = append(msgs, fmt.Errorf("%s:%d: %s", file, e.Mark.Line, msg))
	}
	return errors.Join(msgs...)
}

// nearestKey is the known key most like an unknown one, if any is.
func nearestKey(key string) string {
	best, score := "", 0.5
	for _, k := range configKeys(reflect.TypeFor[Config]()) {
		if s := likeness(key, k); s > score {
			best, score = k, s
		}
	}
	return best
}

// likeness is the share of neighbouring letter pairs that two words share.
func likeness(a, b string) float64 {
	pairs := func(s string) map[string]bool {
		m := map[string]bool{}
		for i := range len(s) - 1 {
			m[s[i:i+2]] = true
		}
		return m
	}
	pa, pb, both := pairs(a), pairs(b), 0
	for p := range pa {
		if pb[p] {
			both++
		}
	}
	return 2 * float64(both) / float64(max(1, len(pa)+len(pb)))
}

func configKeys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		keys = append(keys, f.Tag.Get("yaml"))
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, configKeys(f.Type)...)
		}
	}
	return keys
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
			return fmt.Errorf("read environment variable %s: it does not hold a %s", name, f.Type())
		}
	}
	return nil
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
	if c.Daily.CatchUp < 0 || c.Daily.CatchUp > 24*time.Hour {
		bad("daily.catch_up is %v: write a time from 0s to 24h", c.Daily.CatchUp)
	}
	for name, p := range map[string]PlatformConfig{"discord": c.Discord, "telegram": c.Telegram} {
		if !strings.HasPrefix(p.Server, "http://") && !strings.HasPrefix(p.Server, "https://") {
			bad("%s.server is %q: write an address that begins with https://", name, p.Server)
		}
	}
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

// socketPath is where a running serve takes an operator's commands.
func (c Config) socketPath() string {
	if c.Store.Socket != "" {
		return c.Store.Socket
	}
	return filepath.Clean(c.Store.File) + ".sock"
}
