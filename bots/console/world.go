package console

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"aiprep/engine"
)

// world is all that has been said, and who sees it.
type world struct {
	mu       sync.Mutex
	out      io.Writer
	said     []*said
	managers map[string]string // server -> who came first
	save     func(name string, data []byte) (string, error)
}

// said is one message in a chat.
type said struct {
	ref  engine.Ref
	in   engine.Place
	to   string // the only one who sees it, or "" for all
	what engine.Message
}

func newWorld(cfg Config) *world {
	return &world{out: cfg.Out, save: cfg.Save, managers: map[string]string{}}
}

func (w *world) printf(format string, args ...any) { fmt.Fprintf(w.out, format, args...) }

// enter notes who came to a server first: they manage it.
func (w *world) enter(server, who string) {
	if _, taken := w.managers[server]; !taken {
		w.managers[server] = who
	}
}

func (w *world) manages(server, who string) bool { return server != "" && w.managers[server] == who }

// add says a new message and returns its ref.
func (w *world) add(in engine.Place, to string, m engine.Message) engine.Ref {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &said{ref: engine.Ref("m" + strconv.Itoa(len(w.said)+1)), in: in, to: to, what: m}
	w.said = append(w.said, s)
	w.print("", s)
	return s.ref
}

// replace changes a message and reports whether it exists.
func (w *world) replace(ref engine.Ref, m engine.Message) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.said {
		if s.ref == ref {
			s.what = m
			w.print("✎ ", s)
			return true
		}
	}
	return false
}

// own reports whether one person alone sees a message.
func (w *world) own(ref engine.Ref) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.said {
		if s.ref == ref {
			return s.to != "" || s.in.Private()
		}
	}
	return false
}

// print writes a message as a terminal shows it.
func (w *world) print(mark string, s *said) {
	who := s.in.Server
	if s.to != "" {
		who = s.to
	} else if s.in.Private() {
		who = s.in.Chat
	}
	if s.to != "" && !s.in.Private() {
		who += " only"
	}
	w.printf("  %s[%s]", mark, who)
	if s.what.Title != "" {
		w.printf(" %s", s.what.Title)
	}
	w.printf("\n")
	for line := range strings.SplitSeq(s.what.Text.String(), "\n") {
		w.printf("%s\n", strings.TrimRight("  │ "+line, " "))
	}
	if i := s.what.Image; i != nil {
		w.file("picture.png", i.PNG)
		w.printf("  │ (%s)\n", i.Alt)
	}
	if f := s.what.File; f != nil {
		w.file(f.Name, f.Data)
	}
	number := 0
	for _, row := range s.what.Buttons {
		w.printf("  ")
		for _, b := range row {
			if name := b.Label; !isLetter(name) {
				number++
				w.printf("[%d %s] ", number, name)
			} else {
				w.printf("[%s] ", name)
			}
		}
		w.printf("\n")
	}
}

// file says what was sent and, where files are kept, where it is now.
func (w *world) file(name string, data []byte) {
	w.printf("  │ 📎 %s", name)
	if !strings.HasSuffix(name, ".png") { // how well a picture packs is no part of a conversation
		w.printf(" (%d bytes)", len(data))
	}
	if w.save != nil {
		path, err := w.save(name, data)
		if err != nil {
			path = err.Error()
		}
		w.printf(": %s", path)
	}
	w.printf("\n")
}

func isLetter(label string) bool { return len(label) == 1 && label[0] >= 'A' && label[0] <= 'Z' }

// button finds what a letter or a number presses: on the newest message that
// the person sees here and that has such a button.
func (w *world) button(in engine.Place, who, line string) (*engine.Button, engine.Ref) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.said) - 1; i >= 0; i-- {
		s := w.said[i]
		if s.in != in || s.to != "" && s.to != who || len(s.what.Buttons) == 0 {
			continue
		}
		if b := pressOn(s.what, line); b != nil {
			return b, s.ref
		}
		if _, err := strconv.Atoi(line); err == nil {
			return nil, "" // numbers belong to the newest buttons
		}
	}
	return nil, ""
}

func pressOn(m engine.Message, line string) *engine.Button {
	number := 0
	for _, row := range m.Buttons {
		for _, b := range row {
			if isLetter(b.Label) {
				if strings.EqualFold(b.Label, line) {
					return &b
				}
				continue
			}
			number++
			if strconv.Itoa(number) == line {
				return &b
			}
		}
	}
	return nil
}
