package content

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// schemas are the schema of packs and that of a guide's front matter.
type schemas struct{ pack, frontMatter *jsonschema.Schema }

func compile(t *testing.T) schemas {
	t.Helper()
	c := jsonschema.NewCompiler()
	pack, err := c.Compile("schema/pack.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	frontMatter, err := c.Compile("schema/pack.schema.json#/$defs/front_matter")
	if err != nil {
		t.Fatal(err)
	}
	return schemas{pack, frontMatter}
}

// validate checks the YAML in a content file against its schema.
func (s schemas) validate(name string, data []byte) error {
	schema := s.pack
	if path.Ext(name) == ".md" {
		schema = s.frontMatter
		_, rest, _ := strings.Cut(string(data), "---\n")
		head, _, _ := strings.Cut(rest, "---\n")
		data = []byte(head)
	}
	var v any
	if err := yaml.Load(data, &v); err != nil {
		return err
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		return err
	}
	return schema.Validate(v)
}

func TestSchemaAcceptsWhatLoadAccepts(t *testing.T) {
	schema, tree := compile(t), goodTree(t)
	for _, name := range []string{packFile, guideFile} {
		if err := schema.validate(name, tree[name].Data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bank, err := Load(embedded)
	if err != nil {
		t.Skipf("the built-in bank does not load, see TestEmbedded")
	}
	for _, c := range bank.Categories {
		for _, topic := range c.Topics {
			for _, name := range []string{"bank/" + topic.Path() + ".yaml", "guides/" + topic.Path() + ".md"} {
				data, err := fs.ReadFile(embedded, name)
				if err != nil {
					continue // not written yet
				}
				if err := schema.validate(name, data); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestSchemaRejectsWhatLoadRejects tries the spoilt packs and guides whose
// fault a schema can see.
func TestSchemaRejectsWhatLoadRejects(t *testing.T) {
	schema, seen := compile(t), 0
	for _, tt := range append(spoiltPacks(), spoiltGuides()...) {
		if !tt.schema {
			continue
		}
		seen++
		t.Run(tt.name, func(t *testing.T) {
			tree := goodTree(t)
			edit(t, tree, tt.file, tt.old, tt.bad)
			if err := schema.validate(tt.file, tree[tt.file].Data); err == nil {
				t.Error("the schema accepts it")
			}
		})
	}
	if seen < 20 {
		t.Errorf("%d examples concern the schema, want at least 20", seen)
	}
}
