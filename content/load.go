package content

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// The folders hold a .gitkeep beside the content, so that they embed even when
// they are empty; Load passes over names that begin with a dot. The YAML files
// are taxonomy.yaml and, in a release that has one, numbers.yaml.
//
//go:embed *.yaml all:bank all:guides
var embedded embed.FS

// Default loads the content that is built into the program. It gives the same
// as Load of this package's folder.
func Default() (*Bank, error) { return Load(embedded) }

// Load reads taxonomy.yaml, bank/<category>/<topic>.yaml and
// guides/<category>/<topic>.md of fsys. A topic of the taxonomy without a pack
// has no items. numbers.yaml, if it is there, is what answers taught of items.
//
// What is wrong with the files comes back as one Problems error that names
// every fault of every file. Beside it Load returns what could be read, so that
// a tool can go on to Lint it; do not ask people from such a bank. Errors of
// fsys itself come back with a nil Bank.
func Load(fsys fs.FS) (*Bank, error) {
	data, err := fs.ReadFile(fsys, taxonomyFile)
	if err != nil {
		return nil, fmt.Errorf("read taxonomy: %w", err)
	}
	categories, problems := readTaxonomy(data)
	bank := NewBank(categories)

	files, misplaced, err := contentFiles(fsys)
	if err != nil {
		return nil, err
	}
	problems = append(problems, misplaced...)
	parsed, err := readAll(fsys, files)
	if err != nil {
		return nil, err
	}
	for _, p := range parsed {
		problems = append(problems, p.problems...)
		problems = append(problems, bank.put(p)...)
	}
	bank = NewBank(bank.Categories)
	problems = append(problems, bank.crossCheck()...)
	wrong, err := bank.learn(fsys)
	if err != nil {
		return nil, err
	}
	if problems = append(problems, wrong...); len(problems) > 0 {
		problems.sort()
		return bank, problems
	}
	return bank, nil
}

// file is one parsed content file.
type file struct {
	name     string
	pack     *pack  // of a file in bank
	guide    *Guide // of a file in guides
	problems Problems
}

// contentFiles lists the packs and guides, and the files that are neither.
func contentFiles(fsys fs.FS) (files []string, misplaced Problems, err error) {
	for _, root := range []string{"bank", "guides"} {
		err := fs.WalkDir(fsys, root, func(name string, e fs.DirEntry, err error) error {
			switch {
			case name == root && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case e.IsDir() || strings.HasPrefix(e.Name(), "."):
				return nil
			case strings.Count(name, "/") == 2 && path.Ext(name) == suffix(root):
				files = append(files, name)
			default:
				misplaced = append(misplaced, Problem{File: name, Text: fmt.Sprintf(
					"move or remove this file: %s holds <category>/<topic>%s", root, suffix(root))})
			}
			return nil
		})
		if err != nil {
			return nil, nil, fmt.Errorf("list content: %w", err)
		}
	}
	return files, misplaced, nil
}

func suffix(root string) string {
	if root == "guides" {
		return ".md"
	}
	return ".yaml"
}

// readAll parses the named files, several at once, and returns them in order.
func readAll(fsys fs.FS, names []string) ([]file, error) {
	parsed, errs := make([]file, len(names)), make([]error, len(names))
	next := make(chan int, len(names))
	for n := range names {
		next <- n
	}
	close(next)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := range next {
				parsed[n], errs[n] = readFile(fsys, names[n])
			}
		})
	}
	workers.Wait()
	return parsed, errors.Join(errs...)
}

func readFile(fsys fs.FS, name string) (file, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return file{}, fmt.Errorf("read content: %w", err)
	}
	f := file{name: name}
	if strings.HasPrefix(name, "guides/") {
		f.guide, f.problems = readGuide(name, data)
		return f, nil
	}
	p, problems := readPack(name, data)
	f.pack, f.problems = &p, problems
	return f, nil
}

// put puts a file's content into the topic that its path names.
func (b *Bank) put(f file) Problems {
	name := topicOf(f.name)
	t := b.Topic(name)
	if t == nil {
		return Problems{{File: f.name, Text: b.unknownPlace(name)}}
	}
	if f.guide != nil {
		t.Guide = f.guide
		if len(t.Items) == 0 && f.guide.Title != "" {
			t.Title = f.guide.Title // packs come first, so there is none
		}
		return nil
	}
	t.Items = f.pack.items
	if f.pack.title != "" {
		t.Title = f.pack.title
	}
	return nil
}

func (b *Bank) unknownPlace(name string) string {
	_, short, _ := strings.Cut(name, "/")
	if t := b.Topic(short); t != nil {
		return fmt.Sprintf("move this file: the taxonomy has %q as %q", short, t.Path())
	}
	var paths []string
	for _, id := range b.Suggest(short) {
		if t := b.Topic(id); t != nil {
			paths = append(paths, t.Path())
		}
	}
	hint := ""
	if len(paths) > 0 {
		hint = "; near it are " + strings.Join(paths, ", ")
	}
	return fmt.Sprintf("rename this file: the taxonomy has no topic %q%s", name, hint)
}

// crossCheck reports what only shows when all files are read: an id given
// twice and a name that nothing has.
func (b *Bank) crossCheck() Problems {
	var problems Problems
	for _, c := range b.Categories {
		for _, t := range c.Topics {
			for _, i := range t.Items {
				problems = append(problems, b.crossCheckItem(i)...)
			}
			if t.Guide != nil {
				problems = append(problems, b.crossCheckGuide(t)...)
			}
		}
	}
	return problems
}

func (b *Bank) crossCheckItem(i *Item) Problems {
	var problems Problems
	fail := func(format string, args ...any) {
		problems = append(problems, Problem{i.File, i.Line, fmt.Sprintf(format, args...)})
	}
	if first := b.items[i.ID]; first != i && i.ID != "" {
		fail("renumber this item: %s is taken on line %d of %s", i.ID, first.Line, first.File)
	}
	for n, id := range i.Enemies {
		switch {
		case id == i.ID:
			fail("remove %s from its own enemies", id)
		case b.items[id] == nil:
			fail("remove %q from enemies: no item has that id", id)
		case slices.Contains(i.Enemies[:n], id):
			fail("remove the second %s from enemies", id)
		}
	}
	return problems
}
