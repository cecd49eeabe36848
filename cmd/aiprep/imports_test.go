package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// listed is what "go list -deps -json" says of one package. Imports and Deps
// leave out what only tests import: there a fake, a store in memory or the
// question bank may be needed.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string // all packages that end up in a program with it
}

// room is one row of the table in docs/architecture.md: what a package may
// import, and what must not even come along with what it imports.
type room struct {
	path  string
	may   []string // module paths and packages beside the standard library
	never []string // the same, anywhere in Deps
}

func rooms() []room {
	platforms := []string{"github.com/bwmarrin/discordgo", "github.com/go-telegram/bot"}
	stores := []string{"go.etcd.io/bbolt", "github.com/jackc/pgx"}
	ours := []string{"aiprep/"}
	fakes := []string{"aiprep/bots/bottest", "aiprep/content/contenttest", "aiprep/engine/storetest", "testing"}
	adapter := func(name string, libraries ...string) room {
		var others []string
		for _, o := range []string{"aiprep/bots/console", "aiprep/bots/discord", "aiprep/bots/telegram"} {
			if o != "aiprep/bots/"+name {
				others = append(others, o)
			}
		}
		return room{
			path:  "aiprep/bots/" + name,
			may:   append(libraries, "aiprep/bots", "aiprep/content", "aiprep/engine"),
			never: slices.Concat(others, stores, fakes, []string{"aiprep/engine/boltstore", "aiprep/engine/seal", "aiprep/cmd/"}),
		}
	}
	return []room{
		{"aiprep/content", []string{"go.yaml.in/yaml/v4", "github.com/yuin/goldmark", "golang.org/x/text"}, slices.Concat(ours, platforms, stores, fakes, []string{"net/http"})},
		{"aiprep/engine/skill", nil, slices.Concat(ours, fakes, []string{"net/http", "os"})},
		{"aiprep/engine/picture", []string{"golang.org/x/image", "github.com/go-text/typesetting"}, slices.Concat(ours, platforms, stores, fakes, []string{"net/http"})},
		{
			"aiprep/engine",
			[]string{"aiprep/content", "aiprep/engine/skill", "aiprep/engine/picture", "github.com/fxamacker/cbor/v2", "go.yaml.in/yaml/v4", "golang.org/x/text", "golang.org/x/time"},
			slices.Concat(platforms, stores, fakes, []string{"net/http", "aiprep/bots", "aiprep/bots/", "aiprep/engine/boltstore", "aiprep/engine/seal", "aiprep/cmd/"}),
		},
		{"aiprep/engine/boltstore", []string{"aiprep/engine", "go.etcd.io/bbolt"}, slices.Concat(platforms, fakes, []string{"aiprep/bots", "aiprep/bots/", "aiprep/cmd/", "net/http"})},
		{"aiprep/engine/seal", []string{"aiprep/engine", "golang.org/x/crypto"}, slices.Concat(platforms, stores, fakes, []string{"aiprep/bots", "aiprep/bots/", "aiprep/cmd/", "net/http"})},
		{"aiprep/bots", []string{"aiprep/engine"}, slices.Concat(platforms, stores, fakes, []string{"aiprep/bots/", "aiprep/engine/boltstore", "aiprep/engine/seal", "aiprep/cmd/"})},
		adapter("console"),
		adapter("telegram", "github.com/go-telegram/bot", "golang.org/x/time"),
		adapter("discord", "github.com/bwmarrin/discordgo", "github.com/gorilla/websocket", "golang.org/x/time"),
	}
}

// under reports whether an import is one of the list: the name itself, what is
// below it if that is a module, or anything that begins with it if it ends in
// a slash.
func under(imp string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		below := strings.HasPrefix(imp, l+"/") && !strings.HasPrefix(l, "aiprep/")
		return imp == l || below || strings.HasSuffix(l, "/") && strings.HasPrefix(imp, l)
	})
}

func TestImportsPointOneWay(t *testing.T) {
	all := listPackages(t)
	for _, r := range rooms() {
		p, ok := all[r.path]
		if !ok {
			t.Errorf("%s is gone: take it out of the table", r.path)
			continue
		}
		for _, imp := range p.Imports {
			if !all[imp].Standard && !under(imp, r.may) {
				t.Errorf("%s must not import %s", r.path, imp)
			}
		}
		for _, dep := range p.Deps {
			if under(dep, r.never) {
				t.Errorf("%s must not depend on %s", r.path, dep)
			}
		}
	}
}

// Outside cmd nobody sees the whole house: no package brings two adapters
// together, or an adapter and a store.
func TestOnlyCmdImportsEveryRoom(t *testing.T) {
	for path, p := range listPackages(t) {
		if !strings.HasPrefix(path, "aiprep/") || strings.HasPrefix(path, "aiprep/cmd/") {
			continue
		}
		adapters, stores := 0, 0
		for _, dep := range append([]string{path}, p.Deps...) {
			if under(dep, []string{"aiprep/bots/console", "aiprep/bots/discord", "aiprep/bots/telegram"}) {
				adapters++
			}
			if under(dep, []string{"aiprep/engine/boltstore", "aiprep/engine/seal"}) {
				stores++
			}
		}
		if adapters > 1 || adapters == 1 && stores > 0 {
			t.Errorf("%s wires %d adapters and %d stores: only cmd may", path, adapters, stores)
		}
	}
}

// The program carries neither fakes nor test helpers.
func TestProgramCarriesNoTestHelpers(t *testing.T) {
	helpers := []string{
		"aiprep/bots/bottest", "aiprep/content/contenttest", "aiprep/engine/storetest", "testing",
		"github.com/google/go-cmp", "pgregory.net/rapid", "go.uber.org/goleak", "github.com/santhosh-tekuri/jsonschema/v6",
	}
	for _, dep := range listPackages(t)["aiprep/cmd/aiprep"].Deps {
		if under(dep, helpers) {
			t.Errorf("the program carries %s", dep)
		}
	}
}

func listPackages(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("list packages: %s", exit.Stderr)
		}
		t.Fatalf("list packages: %v", err)
	}
	all := map[string]listed{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatalf("read package list: %v", err)
		}
		all[p.ImportPath] = p
	}
}
