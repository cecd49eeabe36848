package bottest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// ErrNoDiscordSpec says that the official API description is not on this machine.
var ErrNoDiscordSpec = errors.New("find the Discord API description: neither $AIPREP_SHARED/specs nor ../shared/specs beside the project holds discord-openapi.json")

// Spec is Discord's official OpenAPI description, read twice: as it stands, and
// with additionalProperties set to false on every object, which finds misspelt
// keys. It may be shared by many fakes and is safe for use by several goroutines.
type Spec struct {
	mu      sync.Mutex
	loose   *jsonschema.Compiler
	strict  *jsonschema.Compiler
	printer *message.Printer
}

// Violation is one thing in a body that the description does not allow.
type Violation struct {
	Path    []string
	Message string
}

// FindSpec loads the description from the folder that AIPREP_SHARED names, or from
// ../shared beside the project's root. The error is ErrNoDiscordSpec when there is none.
func FindSpec() (*Spec, error) {
	var folders []string
	if dir := os.Getenv("AIPREP_SHARED"); dir != "" {
		folders = append(folders, dir)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the Discord API description: %w", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			folders = append(folders, filepath.Join(dir, "..", "shared"))
			break
		}
	}
	for _, f := range folders {
		spec, err := LoadSpec(filepath.Join(f, "specs", "discord-openapi.json"))
		if !errors.Is(err, fs.ErrNotExist) {
			return spec, err
		}
	}
	return nil, ErrNoDiscordSpec
}

// LoadSpec reads the description from a file. Schemas are compiled when a body
// first needs them.
func LoadSpec(path string) (*Spec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the Discord API description: %w", err)
	}
	s := &Spec{printer: message.NewPrinter(language.English)}
	for _, c := range []struct {
		to    **jsonschema.Compiler
		close bool
	}{{&s.loose, false}, {&s.strict, true}} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if c.close {
			closeObjects(doc)
		}
		*c.to = jsonschema.NewCompiler()
		if err := (*c.to).AddResource("discord.json", doc); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	return s, nil
}

// closeObjects forbids unknown keys in every object that lists its keys.
func closeObjects(doc any) {
	switch x := doc.(type) {
	case []any:
		for _, v := range x {
			closeObjects(v)
		}
	case map[string]any:
		_, lists := x["properties"].(map[string]any)
		_, says := x["additionalProperties"]
		if lists && !says && x["type"] == "object" {
			x["additionalProperties"] = false
		}
		for _, v := range x {
			closeObjects(v)
		}
	}
}

// Check holds a JSON body against the description of an operation, named by
// "METHOD /path/{as}/{described}". bad is what Discord would refuse; odd is what it
// would silently ignore, unknown keys above all. An operation without a described
// body allows anything.
func (s *Spec) Check(operation string, body []byte) (bad []Violation, odd []string, err error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("read body: %w", err)
	}
	mend(operation, v)
	where := locate(operation, v)
	s.mu.Lock()
	defer s.mu.Unlock()
	loose, err := s.loose.Compile(where)
	var missing *jsonschema.JSONPointerNotFoundError
	if errors.As(err, &missing) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("compile the description of %s: %w", operation, err)
	}
	if bad = s.violations(loose.Validate(v)); len(bad) > 0 {
		return bad, nil, nil
	}
	strict, err := s.strict.Compile(where)
	if err != nil {
		return nil, nil, fmt.Errorf("compile the description of %s: %w", operation, err)
	}
	excuse(operation, v)
	for _, x := range s.violations(strict.Validate(v)) {
		odd = append(odd, "/"+strings.Join(x.Path, "/")+": "+x.Message)
	}
	return nil, odd, nil
}

// locate picks the schema. Unions are narrowed by what tells their members apart,
// so that errors speak of the one meant.
func locate(operation string, body any) string {
	const schema = "discord.json#/components/schemas/"
	obj, _ := body.(map[string]any)
	switch {
	case strings.HasSuffix(operation, "/callback"):
		switch fmt.Sprint(obj["type"]) {
		case "4", "5":
			return schema + "CreateMessageInteractionCallbackRequest"
		case "6", "7":
			return schema + "UpdateMessageInteractionCallbackRequest"
		case "8":
			return schema + "ApplicationCommandAutocompleteCallbackRequest"
		case "9":
			return schema + "ModalInteractionCallbackRequest"
		}
	case operation == "POST /channels/{channel_id}/threads" && obj["message"] != nil:
		return schema + "CreateForumThreadRequest"
	case operation == "POST /webhooks/{webhook_id}/{webhook_token}":
		return schema + "IncomingWebhookRequestPartial"
	}
	method, path, _ := strings.Cut(operation, " ")
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	return "discord.json#/paths/" + escape.Replace(path) + "/" + strings.ToLower(method) + "/requestBody/content/application~1json/schema"
}

// mend changes a body where the description is known to be wrong about the wire.
func mend(operation string, body any) {
	if !strings.Contains(operation, "/commands") {
		return
	}
	each := func(v any) {
		// Typed an integer, sent as text: a bit set of more than 53 bits.
		if obj, isObj := v.(map[string]any); isObj {
			if text, isText := obj["default_member_permissions"].(string); isText && text != "" && strings.Trim(text, "0123456789") == "" {
				obj["default_member_permissions"] = json.Number(text)
			}
		}
	}
	each(body)
	if list, isList := body.([]any); isList {
		for _, v := range list {
			each(v)
		}
	}
}

// excuse drops keys that discordgo sends without being asked and Discord ignores.
func excuse(operation string, body any) {
	if strings.Contains(operation, "/commands") {
		excuseOptions(body)
		return
	}
	obj, isObj := body.(map[string]any)
	if !isObj {
		return
	}
	drop := func(from map[string]any, key string, value any) {
		if v, said := from[key]; said && v == value {
			delete(from, key)
		}
	}
	switch {
	case strings.HasSuffix(operation, "/callback"):
		// InteractionResponseData is one struct for all types: it sends tts, content,
		// components and embeds with modals, suggestions and updates too.
		data, isObj := obj["data"].(map[string]any)
		if !isObj {
			return
		}
		drop(data, "tts", false)
		if kind := fmt.Sprint(obj["type"]); kind == "8" || kind == "9" {
			drop(data, "content", "")
			drop(data, "embeds", nil)
			drop(data, "components", nil)
		}
	case operation == "POST /channels/{channel_id}/threads":
		// ThreadStart sends invitable, which only private threads have, and MessageSend
		// tts, which a post's first message has not.
		drop(obj, "invitable", false)
		if m, isObj := obj["message"].(map[string]any); isObj {
			drop(m, "tts", false)
		}
	case operation == "PATCH /channels/{channel_id}/messages/{message_id}":
		// MessageEdit has no tag on these two fields, so they leak into the body.
		delete(obj, "ID")
		delete(obj, "Channel")
	}
}

// excuseOptions drops the nulls and the false that ApplicationCommandOption, one
// struct without omitempty for all types, sends for what the option's type has not.
func excuseOptions(v any) {
	switch x := v.(type) {
	case []any:
		for _, o := range x {
			excuseOptions(o)
		}
	case map[string]any:
		if _, isOption := x["type"]; isOption {
			if x["autocomplete"] == false {
				delete(x, "autocomplete")
			}
			for _, key := range []string{"channel_types", "options", "choices"} {
				if list, said := x[key]; said && list == nil {
					delete(x, key)
				}
			}
		}
		excuseOptions(x["options"])
	}
}

// violations reads the leaves of a validation error.
func (s *Spec) violations(err error) []Violation {
	var top *jsonschema.ValidationError
	if !errors.As(err, &top) {
		return nil
	}
	return s.leaves(top)
}

// leaves collects the innermost errors. Of a union only the members whose "type"
// fits speak, for the others' complaints say nothing.
func (s *Spec) leaves(e *jsonschema.ValidationError) []Violation {
	if len(e.Causes) == 0 {
		return []Violation{{slices.Clone(e.InstanceLocation), e.ErrorKind.LocalizedString(s.printer)}}
	}
	causes := e.Causes
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		causes = slices.DeleteFunc(slices.Clone(causes), func(c *jsonschema.ValidationError) bool { return otherKind(c, len(e.InstanceLocation)) })
		if len(causes) == 0 {
			return []Violation{{slices.Clone(e.InstanceLocation), "fits none of the forms that may stand here"}}
		}
	}
	var out []Violation
	for _, c := range causes {
		out = append(out, s.leaves(c)...)
	}
	return out
}

// otherKind reports whether a union's member failed because it is for another type:
// its "type" key differs at this depth, or it wanted null.
func otherKind(e *jsonschema.ValidationError, depth int) bool {
	loc := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.Enum, *kind.Const:
		return len(loc) == depth+1 && loc[depth] == "type"
	case *kind.Type:
		return len(loc) == depth && slices.Equal(k.Want, []string{"null"})
	}
	return slices.ContainsFunc(e.Causes, func(c *jsonschema.ValidationError) bool { return otherKind(c, depth) })
}
