package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"
)

func newArtist(t testing.TB) *Artist {
	t.Helper()
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// full is a card with every part.
func full() Card {
	c := Card{
		Title: "Overall 1506 (1229–1783)", Subtitle: "Анна · 142 answers", LineName: "Score over time", DaysName: "Ten weeks",
		Bars: []Bar{{"Model compilation", 1300, 1420, 1540}, {"Quantization", 1200, 1490, 1780}, {"KV cache and paged attention with a long name", 1450, 1600, 1700}},
	}
	for n := range 24 {
		c.Line = append(c.Line, Point{1500 + n*n%170 + n*4, 260 - n*7})
	}
	for n := range 70 {
		c.Days = append(c.Days, Day((n*n/3+n)%4))
	}
	return c
}

// board is a card with names in many scripts.
func board() Card {
	c := Card{Title: "This week", Subtitle: "Eleven answered"}
	for n, name := range []string{"Zoë", "Владимир", "محمد علي", "דניאל", "अनुराग शर्मा", "สมชาย", "Αλέξανδρος", "Հայկ", "გიორგი", "田中さん 🎉"} {
		c.Ranks = append(c.Ranks, Rank{Place: string(rune('0'+(n+1)%10)) + ".", Name: name, Points: "4.7", Share: 1 - float32(n)/12, Own: n == 2})
	}
	return c
}

// Every part is drawn where it belongs: the card is as high as its parts, it is
// no empty ground, and the same card gives the same bytes.
func TestACardIsDrawn(t *testing.T) {
	a := newArtist(t)
	for name, c := range map[string]Card{"full": full(), "board": board(), "title": {Title: "Nothing yet"}} {
		got, err := a.Draw(c)
		if err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv("AIPREP_PICTURES"); dir != "" {
			if err := os.WriteFile(dir+"/"+name+".png", got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		img, err := png.Decode(bytes.NewReader(got))
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size != image.Pt(Width, c.height()) {
			t.Errorf("%s: %v, want %d x %d", name, size, Width, c.height())
		}
		inked := 0
		for y := range c.height() {
			for x := range Width {
				if img.At(x, y) != color.Color(ground) {
					inked++
				}
			}
		}
		if inked < 2000 {
			t.Errorf("%s: %d pixels are drawn", name, inked)
		}
		again, err := newArtist(t).Draw(c)
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("%s: another artist draws otherwise, %v", name, err)
		}
		if len(got) > 200_000 {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// ink is how many pixels a line of text covers.
func (a *Artist) ink(s string) int {
	p := a.pen()
	img := image.NewRGBA(image.Rect(0, 0, 600, 60))
	write(img, p.fit(s, 28, 560, p.regular), 10, 40, color.White)
	n := 0
	for i := 3; i < len(img.Pix); i += 4 {
		if img.Pix[i] > 100 {
			n++
		}
	}
	return n
}

// A name in any script is written, or a dot stands for what no font has; none
// runs over its place and none panics.
func TestNamesInAnyScript(t *testing.T) {
	a := newArtist(t)
	p := a.pen()
	for _, r := range board().Ranks {
		if got := a.ink(r.Name); got < 20 {
			t.Errorf("%q covers %d pixels", r.Name, got)
		}
	}
	for name, want := range map[string]string{
		"田中さん": "·", "🎉": "·", "👩‍👩‍👧": "·", "a田中b": "a·b", "ok": "ok", "": "", "e\u0301": "e\u0301",
	} {
		if got := string(p.regular.known(name)); got != want && !strings.HasPrefix(name, "e") {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	for _, evil := range []string{"\u202eevil", strings.Repeat("W", 3000), strings.Repeat("ﷺ", 400), "\x00\x01", "a\u0300\u0301\u0302\u0303\u0304\u0305", string([]byte{0xff, 0xfe})} {
		if l := p.fit(evil, 28, 300, p.regular); l.width > 300 {
			t.Errorf("%.20q is %v pixels wide", evil, l.width)
		}
	}
	// Joined letters are narrower than the same letters apart.
	joined, apart := p.shape("محمد", 28, p.regular), p.shape("م ح م د", 28, p.regular)
	if joined.width >= apart.width {
		t.Errorf("arabic letters are not joined: %v and %v", joined.width, apart.width)
	}
}

func FuzzNames(f *testing.F) {
	a := newArtist(f)
	for _, r := range board().Ranks {
		f.Add(r.Name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if _, err := a.Draw(Card{Title: name, Ranks: []Rank{{Name: name, Points: name, Share: 2}}}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPicturesAreKept(t *testing.T) {
	c := newCache(2)
	for _, key := range []string{"a", "b", "a", "c"} {
		if _, ok := c.get(key); !ok {
			c.put(key, []byte(key))
		}
	}
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, ok := c.get(key); ok != want {
			t.Errorf("%s is kept: %v", key, ok)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	a := newArtist(b)
	for name, c := range map[string]Card{"stats": full(), "board": board()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a.cache = newCache(cached)
				if _, err := a.Draw(c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			if _, err := a.Draw(full()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
