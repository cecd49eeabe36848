package content

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	packFile  = "bank/storage/page-cache.yaml"
	guideFile = "guides/storage/page-cache.md"
)

// goodTree returns a copy of testdata/good that a test may spoil.
func goodTree(t *testing.T) fstest.MapFS {
	t.Helper()
	tree := fstest.MapFS{}
	for _, name := range []string{taxonomyFile, packFile, guideFile} {
		data, err := os.ReadFile("testdata/good/" + name)
		if err != nil {
			t.Fatal(err)
		}
		tree[name] = &fstest.MapFile{Data: data}
	}
	return tree
}

// edit replaces old, which must be there once, in one file of tree.
func edit(t *testing.T, tree fstest.MapFS, name, old, replacement string) {
	t.Helper()
	text := string(tree[name].Data)
	if strings.Count(text, old) != 1 {
		t.Fatalf("%s has %q %d times, want once", name, old, strings.Count(text, old))
	}
	tree[name] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, replacement, 1))}
}

func day(s string) time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestLoadReadsEverything(t *testing.T) {
	bank, err := Load(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	want := &Item{
		ID: "page-cache.002", Rev: 2, Topic: "page-cache", Level: Mid, Cognitive: Apply, Difficulty: 0.9, HasDifficulty: true,
		Stem: "Each worker maps the same 6 GB index read-only. Eight of them run on a host with 32 GB. Give the memory that the mapped pages take, to the nearest size below.",
		Code: &Code{Lang: "python", Text: "with open(path) as f:\n    index = mmap.mmap(f.fileno(), 0,\n                      prot=mmap.PROT_READ)"},
		Options: []Option{
			{Key: "6", Text: "6 GB", Correct: true, Why: "The mappings share one copy of each page.", Line: 43},
			{Key: "12", Text: "12 GB", Misconception: "mapped-and-cached", Why: "A mapping is the cached page itself, not a second copy.", Line: 44},
			{Key: "48", Text: "48 GB", Misconception: "mapping-copies", Why: "Nothing is copied while nobody writes.", Line: 45},
		},
		Short:    "Mappings of one file share the cached pages.",
		Full:     "A read-only mapping points at pages of the page cache, so any number of readers need each page once.",
		Sources:  []Source{{Title: "mmap(2), Linux manual", Version: "6.9"}},
		ValidFor: &ValidFor{Checked: day("2026-12-01"), ReviewBy: day("2027-06-01"), Versions: "Linux >= 5.0"},
		LintOK:   map[string]string{"L13": "an instruction reads better than a question here"},
		Fixed:    true, Status: Live, File: packFile, Line: 30,
	}
	if diff := cmp.Diff(want, bank.Item("page-cache.002")); diff != "" {
		t.Errorf("page-cache.002 (-want +got):\n%s", diff)
	}
	third := bank.Item("page-cache.003")
	if diff := cmp.Diff(&Withdrawal{day("2026-12-01"), "depends on the file system"}, third.Withdrawn); diff != "" {
		t.Errorf("withdrawn (-want +got):\n%s", diff)
	}
	if third.HasDifficulty || third.ValidFor != nil || third.Fixed {
		t.Errorf("page-cache.003 has what its file does not say: %+v", third)
	}
	if diff := cmp.Diff([]string{"page-cache.002"}, bank.Item("page-cache.001").Enemies); diff != "" {
		t.Errorf("enemies (-want +got):\n%s", diff)
	}
}

func TestLoadReadsGuides(t *testing.T) {
	bank, err := Load(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	g := bank.Topic("page-cache").Guide
	if g.Topic != "page-cache" || g.Title != "Page cache" || !g.Checked.Equal(day("2026-12-01")) || !g.ReviewBy.Equal(day("2027-06-01")) {
		t.Errorf("front matter read as %q, %q, %v, %v", g.Topic, g.Title, g.Checked, g.ReviewBy)
	}
	var ids []string
	for _, s := range g.Sections {
		ids = append(ids, s.ID)
	}
	if diff := cmp.Diff(SectionIDs(), ids); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"write-ahead-log", "backpressure"}, g.Related); diff != "" {
		t.Errorf("related (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Linux kernel documentation: page cache", "open(2), Linux manual"}, g.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	how := g.Section("how")
	if how.Title != "How it works" || !strings.HasPrefix(how.Text, "```\nread") || !strings.HasSuffix(how.Text, "on the device.") {
		t.Errorf("how it works: %+v", how)
	}
	if g.Section("nothing") != nil {
		t.Error("a guide has a section that no guide has")
	}
}

func TestBankFindsThingsByID(t *testing.T) {
	bank, err := Load(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	if c := bank.Category("networks"); c == nil || c.Title != "Networks & Wires" || c.Topics[0].ID != "backpressure" {
		t.Errorf("category networks: %+v", c)
	}
	if a, b := bank.Topic("page-cache"), bank.Topic("storage/page-cache"); a == nil || a != b || a.Path() != "storage/page-cache" {
		t.Errorf("short and long id find %v and %v", a, b)
	}
	if bank.Topic("networks/page-cache") != nil || bank.Topic("disk") != nil || bank.Category("disk") != nil || bank.Item("disk.001") != nil {
		t.Error("something is found that is not there")
	}
	empty := bank.Topic("write-ahead-log")
	if empty.Title != "Write ahead log" || len(empty.Items) != 0 || empty.Offered() {
		t.Errorf("a topic without a pack: %+v", empty)
	}
	if live := bank.Topic("page-cache").Live(); len(live) != 2 || live[0].ID != "page-cache.001" {
		t.Errorf("live items: %v", live)
	}
	if got := bank.Item("page-cache.002").Key(); got != 0 {
		t.Errorf("Key() = %d", got)
	}
}

func TestSuggest(t *testing.T) {
	bank, err := Default()
	if err != nil && !errors.As(err, new(Problems)) {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"model-compilaton":     "model-compilation",
		"Model Compilation":    "model-compilation",
		"paged attention":      "kv-cache-and-paged-attention",
		"quantisation":         "quantization",
		"moe":                  "moe-and-reasoning-models",
		"ml_fundamentals":      "ml-fundamentals",
		"speculative decoding": "speculative-decoding",
	} {
		if got := bank.Suggest(word); len(got) == 0 || got[0] != want || len(got) > 3 {
			t.Errorf("Suggest(%q) = %v, want %s first", word, got, want)
		}
	}
	for _, word := range []string{"", "zzzzzzzzzz", "-"} {
		if got := bank.Suggest(word); len(got) != 0 {
			t.Errorf("Suggest(%q) = %v", word, got)
		}
	}
}

func TestEmbeddedTaxonomyIsComplete(t *testing.T) {
	bank, err := Default()
	if err != nil && !errors.As(err, new(Problems)) {
		t.Fatal(err)
	}
	topics, levels := 0, map[Level]int{}
	for _, c := range bank.Categories {
		topics += len(c.Topics)
		for _, topic := range c.Topics {
			for _, l := range topic.Levels {
				levels[l]++
			}
			if len(topic.Levels) == 0 {
				t.Errorf("%s is asked at no level", topic.Path())
			}
		}
	}
	if len(bank.Categories) != 16 || topics != 153 {
		t.Errorf("%d categories with %d topics, want 16 with 153", len(bank.Categories), topics)
	}
	if diff := cmp.Diff(Levels(), bank.Topic("inference-compilation/model-compilation").Levels); diff != "" {
		t.Errorf("levels of the sample topic (-want +got):\n%s", diff)
	}
}

func TestLoadGivesTheRestBesideProblems(t *testing.T) {
	tree := goodTree(t)
	tree["bank/networks/backpressure.yaml"] = &fstest.MapFile{Data: []byte("topic: [\n")}
	bank, err := Load(tree)
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("Load: %v", err)
	}
	if bank.Item("page-cache.001") == nil || bank.Topic("page-cache").Guide == nil {
		t.Error("a broken pack takes the others with it")
	}
	for _, p := range problems {
		if p.File != "bank/networks/backpressure.yaml" {
			t.Errorf("unexpected %v", p)
		}
	}
}

func TestLoadReportsAllProblemsInOrder(t *testing.T) {
	tree := goodTree(t)
	edit(t, tree, packFile, "rev: 2", "rev: 0")
	edit(t, tree, packFile, "cognitive: trade-off", "cognitive: guess")
	edit(t, tree, guideFile, "## Patterns", "## Pattern")
	_, err := Load(tree)
	if err == nil {
		t.Fatal("Load: no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d problems, want 4:\n%v", len(lines), err)
	}
	for n, want := range []string{packFile + ":31: ", packFile + ":57: ", guideFile + ": ", guideFile + ":27: "} {
		if !strings.HasPrefix(lines[n], want) {
			t.Errorf("problem %d is %q, want it at %s", n, lines[n], want)
		}
	}
}

func TestLoadNeedsATaxonomy(t *testing.T) {
	tree := goodTree(t)
	delete(tree, taxonomyFile)
	if bank, err := Load(tree); bank != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load = %v, %v", bank, err)
	}
}

func TestLoadPassesOverHiddenFiles(t *testing.T) {
	tree := goodTree(t)
	tree["bank/.gitkeep"] = &fstest.MapFile{}
	tree["bank/storage/.page-cache.yaml.swp"] = &fstest.MapFile{Data: []byte("x")}
	if _, err := Load(tree); err != nil {
		t.Error(err)
	}
}

func TestLoadIsTheSameEachTime(t *testing.T) {
	tree := generated(60)
	maps.Copy(tree, fstest.MapFS{"bank/bulk/nowhere.yaml": {Data: []byte("topic: x\n")}, "bank/x.txt": {}})
	_, first := Load(tree)
	for range 5 {
		if _, again := Load(tree); again.Error() != first.Error() {
			t.Fatalf("first:\n%v\nagain:\n%v", first, again)
		}
	}
}

// failingFS fails to read one file or folder.
type failingFS struct {
	fstest.MapFS
	name string
}

func (f failingFS) Open(name string) (fs.File, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

func (f failingFS) ReadFile(name string) ([]byte, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadFile(name)
}

func (f failingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadDir(name)
}

func TestLoadTellsAFailingDiskFromBadContent(t *testing.T) {
	for _, name := range []string{taxonomyFile, packFile, guideFile, "bank/storage"} {
		bank, err := Load(failingFS{goodTree(t), name})
		if bank != nil || !errors.Is(err, fs.ErrPermission) || errors.As(err, new(Problems)) {
			t.Errorf("%s unreadable: Load = %v, %v", name, bank, err)
		}
	}
}

func TestLoadReportsFilesWithoutAPack(t *testing.T) {
	for text, want := range map[string]string{
		"":             "mend the YAML",
		"# later\n":    "mend the YAML",
		"- a\n- b\n":   "write the pack as keys with values, not as a list",
		"just words\n": "write the pack as keys with values, not as a plain value",
	} {
		tree := goodTree(t)
		delete(tree, guideFile)
		tree[packFile] = &fstest.MapFile{Data: []byte(text)}
		if _, err := Load(tree); err == nil || !strings.HasPrefix(err.Error(), packFile+":") || !strings.Contains(err.Error(), want) {
			t.Errorf("a pack of %q: %v, want %s", text, err, want)
		}
	}
}

func TestLoadLimitsIDs(t *testing.T) {
	topic := strings.Repeat("long-", 9) + "id"
	tree := fstest.MapFS{
		taxonomyFile:                {Data: []byte("version: 1\ncategories:\n  - {id: c, title: C, topics: [{id: " + topic + ", levels: [mid]}]}\n")},
		"bank/c/" + topic + ".yaml": {Data: []byte("topic: c/" + topic + "\ntitle: T\nitems:\n  - id: " + topic + ".001\n")},
	}
	if _, err := Load(tree); err == nil || !strings.Contains(err.Error(), ":4: shorten id to 48 characters: it has 51") {
		t.Errorf("Load: %v", err)
	}
}
