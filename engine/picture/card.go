package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"golang.org/x/image/vector"
)

// Card is what a picture shows. Every part but the title may be empty; what is
// empty takes no room. Scores are points on one scale.
type Card struct {
	Title    string
	Subtitle string
	Bars     []Bar // at most 8 are drawn
	Line     []Point
	LineName string
	Days     []Day // the oldest first; whole weeks look best
	DaysName string
	Ranks    []Rank // at most 10 are drawn
}

// Bar is a score with its range.
type Bar struct {
	Label          string
	Low, Mean, Top int
}

// Point is a score at a time, with half of the width of its range.
type Point struct{ Mean, Half int }

// Day is one square of the calendar.
type Day uint8

// What became of a day.
const (
	DayNone Day = iota // nothing to answer, or not yet
	DayKept
	DaySaved // by a freeze, or off
	DayMissed
)

// Rank is a line of a board.
type Rank struct {
	Place  string
	Name   string
	Points string
	Share  float32 // 0..1 of the longest bar
	Own    bool
}

// Size of a card in pixels. Phones show it at some 40 % of that, so no writing
// is smaller than 24 pixels.
const (
	Width  = 900
	margin = 40
)

// The colours are readable on a dark and on a light chat alike, because the
// card brings its own ground.
var (
	ground = color.RGBA{0x1c, 0x24, 0x33, 0xff}
	panel  = color.RGBA{0x29, 0x33, 0x47, 0xff}
	ink    = color.RGBA{0xf2, 0xf5, 0xfa, 0xff}
	faint  = color.RGBA{0xa9, 0xb6, 0xcc, 0xff}
	strong = color.RGBA{0x4f, 0xc3, 0xf7, 0xff}
	soft   = color.RGBA{0x2f, 0x5d, 0x7d, 0xff}
	warm   = color.RGBA{0xff, 0xb7, 0x4d, 0xff}
	cool   = color.RGBA{0x7e, 0x8c, 0xd8, 0xff}
)

// Draw renders a card as PNG.
func (a *Artist) Draw(c Card) ([]byte, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("draw card: %w", err)
	}
	if png, ok := a.cache.get(string(raw)); ok {
		return png, nil
	}
	img := image.NewRGBA(image.Rect(0, 0, Width, c.height()))
	draw.Draw(img, img.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	s := &sheet{img: img, pen: a.pen(), y: margin}
	s.head(c)
	s.bars(c.Bars)
	s.chart(c.LineName, c.Line)
	s.ranks(c.Ranks)
	s.calendar(c.DaysName, c.Days)
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw card: %w", err)
	}
	a.cache.put(string(raw), b.Bytes())
	return b.Bytes(), nil
}

// Heights of the parts.
const (
	headHigh  = 96
	barHigh   = 54
	chartHigh = 200
	rankHigh  = 54
	square    = 26
	gap       = 24
)

func (c Card) height() int {
	h := 2*margin + headHigh
	if n := min(len(c.Bars), 8); n > 0 {
		h += n*barHigh + gap
	}
	if len(c.Line) > 1 {
		h += chartHigh + gap
	}
	if n := min(len(c.Ranks), 10); n > 0 {
		h += n*rankHigh + gap
	}
	if len(c.Days) > 0 {
		h += 40 + 7*(square+4) + gap
	}
	return h - gap
}

// sheet is a card being drawn, from the top down.
type sheet struct {
	img *image.RGBA
	pen *pen
	y   float32
}

func (s *sheet) head(c Card) {
	write(s.img, s.pen.fit(c.Title, 44, Width-2*margin, s.pen.bold), margin, s.y+40, ink)
	write(s.img, s.pen.fit(c.Subtitle, 26, Width-2*margin, s.pen.regular), margin, s.y+80, faint)
	s.y += headHigh
}

// rect fills a rectangle.
func (s *sheet) rect(x, y, w, h float32, c color.Color) {
	draw.Draw(s.img, image.Rect(int(x), int(y), int(x+w), int(y+h)), image.NewUniform(c), image.Point{}, draw.Over)
}

// shape fills a polygon.
func (s *sheet) shape(c color.Color, points ...[2]float32) {
	box := image.Rectangle{}
	for n, p := range points {
		r := image.Rect(int(p[0])-1, int(p[1])-1, int(p[0])+2, int(p[1])+2)
		if n == 0 {
			box = r
		}
		box = box.Union(r)
	}
	if box = box.Intersect(s.img.Bounds()); box.Empty() {
		return
	}
	ras := vector.NewRasterizer(box.Dx(), box.Dy())
	for n, p := range points {
		x, y := p[0]-float32(box.Min.X), p[1]-float32(box.Min.Y)
		if n == 0 {
			ras.MoveTo(x, y)
		} else {
			ras.LineTo(x, y)
		}
	}
	ras.ClosePath()
	ras.Draw(s.img, box, image.NewUniform(c), image.Point{})
}
