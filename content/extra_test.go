package content

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// extraItem is an item of an operator, as YAML in a list.
func extraItem(id, level, stem string) string {
	return `  - id: ` + id + `
    rev: 1
    level: ` + level + `
    cognitive: apply
    difficulty: 0.5
    stem: "` + stem + `"
    options:
      - {key: one, text: "Look at the log of the proxy", correct: true, why: "It shows the cause."}
      - {key: two, text: "Look at the wiring of the rack", why: "It did not move."}
      - {key: tre, text: "Look at the rota of the week", why: "It explains nothing."}
    explain: {short: "The log tells.", full: "The log of the proxy holds the cause of every refused request."}
    sources: [{title: "Our runbook"}]
    status: live
`
}

func extraPack(topic, title string, items ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("topic: " + topic + "\ntitle: " + title + "\nitems:\n" + strings.Join(items, ""))}
}

func goodBank(t *testing.T) *Bank {
	t.Helper()
	b, err := Load(os.DirFS("testdata/good"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExtendAddsAnOperatorsTopicsAndItems(t *testing.T) {
	b := goodBank(t)
	before := len(b.Topic("page-cache").Items)
	got, err := b.Extend(fstest.MapFS{
		"bank/storage/page-cache.yaml": extraPack("storage/page-cache", "Pages, as we say",
			extraItem("page-cache.500", "mid", "Reads of cold files got slow after an upgrade. What is looked at first?")),
		"bank/storage/object-store.yaml": extraPack("storage/object-store", "Object store",
			extraItem("object-store.500", "senior", "After a move to another region a bucket answers late. What is looked at first?"),
			extraItem("object-store.501", "junior", "Some clients cannot upload files above one gigabyte. Which knob do they turn?")),
		"bank/custom/our-proxy.yaml": extraPack("custom/our-proxy", "Our proxy",
			extraItem("our-proxy.999", "mid", "Who is refused by the proxy in Oslo, and what is looked at first?")),
		"guides/storage/object-store.md": {Data: []byte(strings.NewReplacer("storage/page-cache", "storage/object-store",
			"title: Page cache", "title: Object store", "write-ahead-log", "page-cache").Replace(string(goodTree(t)[guideFile].Data)))},
		"README.md": {Data: []byte("ours")},
	}, "ours")
	if err != nil {
		t.Fatal(err)
	}
	if i := got.Item("page-cache.500"); i == nil || i.Topic != "page-cache" || i.File != "ours/bank/storage/page-cache.yaml" || i.Line != 4 {
		t.Errorf("page-cache.500 is %+v", i)
	}
	if topic := got.Topic("page-cache"); len(topic.Items) != before+1 || topic.Title != b.Topic("page-cache").Title {
		t.Errorf("page-cache has %d items and the title %q", len(topic.Items), topic.Title)
	}
	store := got.Topic("storage/object-store")
	if store == nil || store.Title != "Object store" || store.Guide == nil || len(store.Items) != 2 {
		t.Fatalf("object-store is %+v", store)
	}
	if diff := cmp.Diff([]Level{Junior, Senior}, store.Levels); diff != "" {
		t.Errorf("levels of a new topic (-want +got):\n%s", diff)
	}
	if c := got.Category("custom"); c == nil || c.Title != "Custom topics" || got.Categories[len(got.Categories)-1] != c {
		t.Errorf("custom is %+v", c)
	}
	if len(b.Topic("page-cache").Items) != before || b.Topic("object-store") != nil || b.Item("page-cache.500") != nil || b.Category("custom") != nil {
		t.Error("the bank that was extended is not as it was")
	}
}

func TestExtendNamesWhatIsWrong(t *testing.T) {
	const stem = "A request is refused at night. What is looked at first?"
	good := func(id string) string { return extraItem(id, "mid", stem) }
	pages := goodTree(t)
	tests := []struct {
		name string
		tree fstest.MapFS
		want string
	}{
		{"the id of an item that is built in", fstest.MapFS{"bank/storage/page-cache.yaml": extraPack("storage/page-cache", "Page cache", good("page-cache.001"))},
			"ours/bank/storage/page-cache.yaml:4: renumber this item: page-cache.001 is taken on line 4 of bank/storage/page-cache.yaml"},
		{"a number that a release may take", fstest.MapFS{"bank/storage/page-cache.yaml": extraPack("storage/page-cache", "Page cache", good("page-cache.499"))},
			"ours/bank/storage/page-cache.yaml:4: renumber page-cache.499 from page-cache.500 on: lower numbers are for what is built in"},
		{"an id given twice", fstest.MapFS{"bank/custom/x.yaml": extraPack("custom/x", "X", good("x.500"), good("x.500"))},
			"ours/bank/custom/x.yaml:17: renumber this item: x.500 is taken on line 4 of ours/bank/custom/x.yaml"},
		{"a guide that is built in", fstest.MapFS{guideFile: pages[guideFile]},
			"ours/guides/storage/page-cache.md: remove this guide: storage/page-cache has one already"},
		{"a category that does not exist", fstest.MapFS{"bank/storgae/x.yaml": extraPack("storgae/x", "X", good("x.500"))},
			`ours/bank/storgae/x.yaml: move this file to the folder of a category, or to custom: there is no category "storgae"; did you mean "storage"?`},
		{"a topic of another category", fstest.MapFS{"bank/custom/page-cache.yaml": extraPack("custom/page-cache", "X", good("page-cache.500"))},
			`ours/bank/custom/page-cache.yaml: move or rename this file: the topic "page-cache" is "storage/page-cache" already`},
		{"a topic with a category's name", fstest.MapFS{"bank/custom/storage.yaml": extraPack("custom/storage", "X", good("storage.500"))},
			`ours/bank/custom/storage.yaml: name this file by lower-case words with hyphens that no category has, not "storage"`},
		{"a topic whose name is none", fstest.MapFS{"bank/custom/My_topic.yaml": extraPack("custom/My_topic", "X")},
			`ours/bank/custom/My_topic.yaml: name this file by`},
		{"a file in the wrong place", fstest.MapFS{"bank/x.yaml": extraPack("x", "X")},
			"ours/bank/x.yaml: move or remove this file: bank holds <category>/<topic>.yaml"},
		{"a fault of form", fstest.MapFS{"bank/custom/x.yaml": extraPack("custom/x", "X", strings.Replace(good("x.500"), "rev: 1", "rve: 1", 1))},
			`ours/bank/custom/x.yaml:5: remove the unknown key "rve" of the item; did you mean "rev"?`},
		{"an error of lint", fstest.MapFS{"bank/custom/x.yaml": extraPack("custom/x", "X", strings.Replace(good("x.500"), "at night", "by @everyone", 1))},
			"ours/bank/custom/x.yaml:4: L25 x.500: "},
		{"an enemy that does not exist", fstest.MapFS{"bank/custom/x.yaml": extraPack("custom/x", "X", good("x.500")+"    enemies: [x.501]\n")},
			`ours/bank/custom/x.yaml:4: remove "x.501" from enemies: no item has that id`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := goodBank(t).Extend(tt.tree, "ours")
			var problems Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestExtendRefusesAFolderWithoutContent(t *testing.T) {
	_, err := goodBank(t).Extend(fstest.MapFS{"questions.yaml": {Data: []byte("x")}}, "ours")
	if err == nil || !strings.Contains(err.Error(), "ours has neither bank/<category>/<topic>.yaml nor") {
		t.Errorf("error %v", err)
	}
}

// A bot must start on the day after a review_by; the check command complains.
func TestExtendTakesItemsThatAreDueForReview(t *testing.T) {
	old := extraItem("x.500", "mid", "A request is refused at night. What is looked at first?") +
		"    valid_for: {checked: \"2001-01-01\", review_by: \"2001-06-01\"}\n"
	b, err := goodBank(t).Extend(fstest.MapFS{"bank/custom/x.yaml": extraPack("custom/x", "X", old)}, "ours")
	if err != nil {
		t.Fatal(err)
	}
	report := Lint(b, day("2026-12-01"))
	for _, f := range report.Findings {
		if f.Rule == "L20" && f.Item == "x.500" && f.Class == Fault {
			return
		}
	}
	t.Error("Lint says nothing of its age")
}

// What is built in keeps off the numbers of operators.
func TestEmbeddedNumbersLeaveRoomForOperators(t *testing.T) {
	b, err := Default()
	if err != nil && !errors.As(err, new(Problems)) {
		t.Fatal(err)
	}
	for i := range b.reviewable() {
		if _, number, _ := strings.Cut(i.ID, "."); number >= extraFrom {
			t.Errorf("%s:%d: number %s below %s", i.File, i.Line, i.ID, extraFrom)
		}
	}
	if c := b.Category(customID); c != nil {
		t.Errorf("the taxonomy has the category %q, which is for operators", c.ID)
	}
}
