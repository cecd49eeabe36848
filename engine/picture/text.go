package picture

import (
	"bytes"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

//go:embed fonts/*.ttf
var fontFiles embed.FS

// Artist draws cards. It is safe for concurrent use.
type Artist struct {
	regular, bold []*font.Font // in the order in which they are asked for a character
	cache         *cache
}

// New reads the built-in fonts, and after them any others, TTF or OTF, for what
// the built-in ones do not have.
func New(more ...[]byte) (*Artist, error) {
	a := &Artist{cache: newCache(cached)}
	add := func(raw []byte, to ...*[]*font.Font) error {
		face, err := font.ParseTTF(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("read font: %w", err)
		}
		for _, list := range to {
			*list = append(*list, face.Font)
		}
		return nil
	}
	if err := add(goregular.TTF, &a.regular); err != nil {
		return nil, err
	}
	if err := add(gobold.TTF, &a.bold); err != nil {
		return nil, err
	}
	files, err := fontFiles.ReadDir("fonts")
	if err != nil {
		return nil, fmt.Errorf("read fonts: %w", err)
	}
	for _, f := range files {
		raw, err := fontFiles.ReadFile("fonts/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read fonts: %w", err)
		}
		more = slices.Insert(more, 0, raw)
	}
	for _, raw := range more {
		if err := add(raw, &a.regular, &a.bold); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// dot stands for a character that no font has.
const dot = '·'

// pen writes text on one picture. A face is used by one goroutine only, so
// every picture has its own.
type pen struct {
	regular, bold faces
	shaper        shaping.HarfbuzzShaper
	segments      shaping.Segmenter
}

type faces []*font.Face

func (a *Artist) pen() *pen {
	p := &pen{}
	for _, f := range a.regular {
		p.regular = append(p.regular, font.NewFace(f))
	}
	for _, f := range a.bold {
		p.bold = append(p.bold, font.NewFace(f))
	}
	return p
}

// ResolveFace finds the first face that has a character.
func (f faces) ResolveFace(r rune) *font.Face {
	for _, face := range f {
		if _, ok := face.NominalGlyph(r); ok {
			return face
		}
	}
	return f[0]
}

// known puts a dot in the place of every character that no face has, and drops
// what has no form of its own.
func (f faces) known(s string) []rune {
	var out []rune
	for _, r := range s {
		has := slices.ContainsFunc(f, func(face *font.Face) bool {
			_, ok := face.NominalGlyph(r)
			return ok
		})
		dotted := len(out) > 0 && out[len(out)-1] == dot
		switch {
		case r == '\u200d' && dotted: // joins what is not drawn
		case has:
			out = append(out, r)
		case r >= '\ufe00' && r <= '\ufe0f' || r >= 0x1f3fb && r <= 0x1f3ff: // variants
		case !dotted:
			out = append(out, dot)
		}
	}
	return out
}

// line is shaped text, its runs in the order in which they stand.
type line struct {
	runs  []shaping.Output
	width float32 // pixels
}

func (p *pen) shape(s string, size float32, f faces) line {
	text := f.known(s)
	if len(text) == 0 {
		return line{}
	}
	in := shaping.Input{
		Text: text, RunEnd: len(text), Direction: di.DirectionLTR, Size: fixed.Int26_6(size * 64),
		Language: language.NewLanguage("en"),
	}
	var l line
	var right []shaping.Output // a stretch that is read from the right
	flush := func() {
		slices.Reverse(right)
		l.runs, right = append(l.runs, right...), nil
	}
	for _, part := range p.segments.Split(in, f) {
		out := p.shaper.Shape(part)
		l.width += float32(out.Advance) / 64
		if part.Direction == di.DirectionRTL {
			right = append(right, out)
			continue
		}
		flush()
		l.runs = append(l.runs, out)
	}
	flush()
	return l
}

// fit shapes text and cuts it with an ellipsis where it is wider than allowed.
func (p *pen) fit(s string, size, width float32, f faces) line {
	l := p.shape(s, size, f)
	for r := []rune(s); l.width > width && len(r) > 1; {
		r = r[:len(r)-1-len(r)/16]
		l = p.shape(string(r)+"…", size, f)
	}
	return l
}

// write draws a line with its baseline at y, from x on.
func write(dst draw.Image, l line, x, y float32, c color.Color) {
	if len(l.runs) == 0 {
		return
	}
	size := float32(l.runs[0].Size) / 64
	box := image.Rect(int(x)-2, int(y-size*1.3), int(x+l.width)+3, int(y+size*0.6)).Intersect(dst.Bounds())
	if box.Empty() {
		return
	}
	ras := vector.NewRasterizer(box.Dx(), box.Dy())
	penX := x - float32(box.Min.X)
	base := y - float32(box.Min.Y)
	for _, run := range l.runs {
		scale := float32(run.Size) / 64 / float32(run.Face.Upem())
		for _, g := range run.Glyphs {
			if o, ok := run.Face.GlyphData(g.GlyphID).(font.GlyphOutline); ok {
				outline(ras, o, penX+float32(g.XOffset)/64, base-float32(g.YOffset)/64, scale)
			}
			penX += float32(g.Advance) / 64
		}
	}
	ras.Draw(dst, box, image.NewUniform(c), image.Point{})
}

// outline adds a glyph to a path. Fonts count upwards, pictures downwards.
func outline(ras *vector.Rasterizer, o font.GlyphOutline, x, y, scale float32) {
	at := func(p ot.SegmentPoint) (float32, float32) { return x + p.X*scale, y - p.Y*scale }
	for _, s := range o.Segments {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		cx, cy := at(s.Args[2])
		switch s.Op {
		case ot.SegmentOpMoveTo:
			ras.ClosePath()
			ras.MoveTo(ax, ay)
		case ot.SegmentOpLineTo:
			ras.LineTo(ax, ay)
		case ot.SegmentOpQuadTo:
			ras.QuadTo(ax, ay, bx, by)
		case ot.SegmentOpCubeTo:
			ras.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	ras.ClosePath()
}
