package picture

import (
	"math"
	"strconv"
)

// bars draws scores with their ranges on one scale.
func (s *sheet) bars(bars []Bar) {
	if len(bars) == 0 {
		return
	}
	bars = bars[:min(len(bars), 8)]
	low, top := bars[0].Low, bars[0].Top
	for _, b := range bars {
		low, top = min(low, b.Low), max(top, b.Top)
	}
	const from, wide = 390, Width - margin - 390 - 90
	at := func(v int) float32 { return from + float32(v-low)/float32(max(1, top-low))*wide }
	for _, b := range bars {
		y := s.y + barHigh/2
		write(s.img, s.pen.fit(b.Label, 28, from-margin-20, s.pen.regular), margin, y+9, ink)
		s.rect(from, y-9, wide, 18, panel)
		s.rect(at(b.Low), y-9, max(4, at(b.Top)-at(b.Low)), 18, soft)
		s.rect(at(b.Mean)-4, y-15, 8, 30, strong)
		write(s.img, s.pen.shape(strconv.Itoa(b.Mean), 28, s.pen.bold), from+wide+18, y+9, ink)
		s.y += barHigh
	}
	s.y += gap
}

// chart draws a score over time inside its range.
func (s *sheet) chart(name string, line []Point) {
	if len(line) < 2 {
		return
	}
	low, top := math.MaxInt, math.MinInt
	for _, p := range line {
		low, top = min(low, p.Mean-p.Half), max(top, p.Mean+p.Half)
	}
	const wide = Width - 2*margin
	s.rect(margin, s.y, wide, chartHigh, panel)
	at := func(n, v int) [2]float32 {
		x := margin + float32(n)/float32(len(line)-1)*wide
		return [2]float32{x, s.y + chartHigh - 12 - float32(v-low)/float32(max(1, top-low))*(chartHigh-24)}
	}
	var band [][2]float32
	for n, p := range line {
		band = append(band, at(n, p.Mean+p.Half))
	}
	for n := len(line) - 1; n >= 0; n-- {
		band = append(band, at(n, line[n].Mean-line[n].Half))
	}
	s.shape(soft, band...)
	for n := 1; n < len(line); n++ {
		s.stroke(at(n-1, line[n-1].Mean), at(n, line[n].Mean))
	}
	write(s.img, s.pen.fit(name, 24, wide-24, s.pen.regular), margin+12, s.y+30, faint)
	s.y += chartHigh + gap
}

// stroke draws a thick line.
func (s *sheet) stroke(a, b [2]float32) {
	const half = 2.5
	dx, dy := b[0]-a[0], b[1]-a[1]
	long := float32(math.Hypot(float64(dx), float64(dy)))
	if long == 0 {
		return
	}
	ox, oy := -dy/long*half, dx/long*half
	s.shape(strong, [2]float32{a[0] + ox, a[1] + oy}, [2]float32{b[0] + ox, b[1] + oy}, [2]float32{b[0] - ox, b[1] - oy}, [2]float32{a[0] - ox, a[1] - oy})
}

// ranks draws a board.
func (s *sheet) ranks(ranks []Rank) {
	if len(ranks) == 0 {
		return
	}
	const name, wide = margin + 70, 420
	for _, r := range ranks[:min(len(ranks), 10)] {
		y, colour := s.y+rankHigh/2, soft
		if r.Own {
			colour = warm
		}
		write(s.img, s.pen.shape(r.Place, 28, s.pen.bold), margin, y+9, faint)
		write(s.img, s.pen.fit(r.Name, 28, 300, s.pen.regular), name, y+9, ink)
		s.rect(name+310, y-9, wide-80, 18, panel)
		s.rect(name+310, y-9, max(0, min(1, r.Share))*(wide-80), 18, colour)
		write(s.img, s.pen.shape(r.Points, 28, s.pen.bold), name+310+wide-60, y+9, ink)
		s.y += rankHigh
	}
	s.y += gap
}

// calendar draws days as squares, a week a column.
func (s *sheet) calendar(name string, days []Day) {
	if len(days) == 0 {
		return
	}
	write(s.img, s.pen.fit(name, 24, Width-2*margin, s.pen.regular), margin, s.y+24, faint)
	for n, d := range days {
		x, y := margin+float32(n/7)*(square+4), s.y+40+float32(n%7)*(square+4)
		switch d {
		case DayKept:
			s.rect(x, y, square, square, strong)
		case DaySaved:
			s.rect(x, y, square, square, cool)
		case DayMissed: // a frame, not an alarm
			s.rect(x, y, square, square, soft)
			s.rect(x+3, y+3, square-6, square-6, ground)
		default:
			s.rect(x, y, square, square, panel)
		}
	}
	s.y += 40 + 7*(square+4) + gap
}
