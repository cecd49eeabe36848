package bottest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// newerYAML holds what is newer than the specification file.
//
//go:embed newer.yaml
var newerYAML []byte

// ErrNoSpec says that the specification file is not on this computer.
var ErrNoSpec = errors.New("no telegram-bot-api.json: set AIPREP_SHARED to the folder that holds specs/, or put it at ../shared/specs beside the project")

// BotAPI is the published list of the Bot API's methods and types, read from the
// file telegram-bot-api.json (PaulSonOfLars/telegram-bot-api-spec) and widened by
// newer.yaml. It is immutable and safe for use by several goroutines.
type BotAPI struct {
	// Version is the file's, such as "10.1".
	Version string
	methods map[string]apiEntry
	types   map[string]apiEntry
	names   map[string]string // lower-case method name -> name
}

type apiEntry struct {
	Name        string     `json:"name"`
	Description []string   `json:"description"`
	Fields      []apiField `json:"fields"`
	Subtypes    []string   `json:"subtypes"`
	Returns     []string   `json:"returns"`
	byName      map[string]*apiField
}

type apiField struct {
	Name        string   `json:"name"`
	Types       []string `json:"types"`
	Required    bool     `json:"required"`
	Description string   `json:"description"`
	only        string   // the one value allowed, for discriminators
}

// newerFile is the form of newer.yaml. Every entry names the Bot API version that
// brought it and the page that says so.
type newerFile struct {
	Types []struct {
		Name, Version, Page string
		Fields              []newerField
		Union               []string
	}
	Methods []struct {
		Name, Version, Page string
		Fields              []newerField
	}
	Fields []struct {
		Owners        []string
		Version, Page string
		Field         newerField `yaml:",inline"`
	}
	// Widen makes required fields optional.
	Widen []struct {
		Owner, Field, Version, Page string
	}
}

type newerField struct {
	Name     string
	Types    []string
	Required bool
}

// constant finds the value of a discriminator in its description.
var constant = regexp.MustCompile(`(?:must be|always) ["“]?([a-z0-9_]+)["”]?$`)

// FindBotAPI loads the file from $AIPREP_SHARED/specs or, walking up from the
// working directory to the folder with go.mod, from ../shared/specs beside it.
// Without a file it returns ErrNoSpec.
func FindBotAPI() (*BotAPI, error) {
	const name = "telegram-bot-api.json"
	if shared := os.Getenv("AIPREP_SHARED"); shared != "" {
		return LoadBotAPI(filepath.Join(shared, "specs", name))
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the bot api specification: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return LoadBotAPI(filepath.Join(dir, "..", "shared", "specs", name))
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil, ErrNoSpec
		}
		dir = up
	}
}

// LoadBotAPI reads a specification file; ErrNoSpec when it does not exist.
func LoadBotAPI(path string) (*BotAPI, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNoSpec
	}
	if err != nil {
		return nil, fmt.Errorf("read the bot api specification: %w", err)
	}
	var file struct {
		Version string              `json:"version"`
		Methods map[string]apiEntry `json:"methods"`
		Types   map[string]apiEntry `json:"types"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read the bot api specification: %w", err)
	}
	if len(file.Methods) == 0 || len(file.Types) == 0 {
		return nil, fmt.Errorf("read the bot api specification: %s holds no methods or no types", path)
	}
	a := &BotAPI{Version: strings.TrimPrefix(file.Version, "Bot API "), methods: file.Methods, types: file.Types,
		names: map[string]string{}}
	if err := a.widen(newerYAML); err != nil {
		return nil, fmt.Errorf("read newer.yaml: %w", err)
	}
	for name := range a.methods {
		a.names[strings.ToLower(name)] = name
	}
	for _, group := range []map[string]apiEntry{a.methods, a.types} {
		for name, e := range group {
			group[name] = e.indexed()
		}
	}
	return a, nil
}

func (e apiEntry) indexed() apiEntry {
	e.byName = map[string]*apiField{}
	for i := range e.Fields {
		f := &e.Fields[i]
		if f.Name == "type" || f.Name == "status" || f.Name == "source" {
			if m := constant.FindStringSubmatch(f.Description); m != nil {
				f.only = m[1]
			}
		}
		e.byName[f.Name] = f
	}
	return e
}

// widen adds newer.yaml. An entry that the file already has is an error, so that
// the list shrinks when the file is renewed.
func (a *BotAPI) widen(raw []byte) error {
	var n newerFile
	if err := yaml.Load(raw, &n, yaml.WithKnownFields()); err != nil {
		return err
	}
	for _, t := range n.Types {
		if err := addEntry(a.types, t.Name, t.Version, t.Page, apiEntry{Name: t.Name, Fields: newFields(t.Fields), Subtypes: t.Union}); err != nil {
			return err
		}
	}
	for _, m := range n.Methods {
		if err := addEntry(a.methods, m.Name, m.Version, m.Page, apiEntry{Name: m.Name, Fields: newFields(m.Fields)}); err != nil {
			return err
		}
	}
	for _, f := range n.Fields {
		for _, owner := range f.Owners {
			err := a.change(owner, f.Version, f.Page, func(e *apiEntry) error {
				if slices.ContainsFunc(e.Fields, func(x apiField) bool { return x.Name == f.Field.Name }) {
					return fmt.Errorf("%s.%s is in the file already", owner, f.Field.Name)
				}
				e.Fields = append(slices.Clone(e.Fields), newFields([]newerField{f.Field})...)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	for _, w := range n.Widen {
		err := a.change(w.Owner, w.Version, w.Page, func(e *apiEntry) error {
			for i := range e.Fields {
				if e.Fields[i].Name == w.Field && e.Fields[i].Required {
					e.Fields[i].Required = false
					return nil
				}
			}
			return fmt.Errorf("%s.%s is no required field of the file", w.Owner, w.Field)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func newFields(list []newerField) []apiField {
	var out []apiField
	for _, f := range list {
		out = append(out, apiField{Name: f.Name, Types: f.Types, Required: f.Required})
	}
	return out
}

func addEntry(group map[string]apiEntry, name, version, page string, e apiEntry) error {
	if _, there := group[name]; there {
		return fmt.Errorf("%s is in the file already", name)
	}
	if version == "" || page == "" {
		return fmt.Errorf("%s has no version or no page", name)
	}
	group[name] = e
	return nil
}

func (a *BotAPI) change(owner, version, page string, edit func(*apiEntry) error) error {
	group := a.methods
	e, ok := group[owner]
	if !ok {
		group = a.types
		e, ok = group[owner]
	}
	switch {
	case !ok:
		return fmt.Errorf("%s is neither a method nor a type", owner)
	case version == "" || page == "":
		return fmt.Errorf("a change of %s has no version or no page", owner)
	}
	if err := edit(&e); err != nil {
		return err
	}
	group[owner] = e
	return nil
}
