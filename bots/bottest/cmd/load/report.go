package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"sync"
	"time"
)

// figures are how long acts took, and what went wrong.
type figures struct {
	begun  time.Time
	length time.Duration

	mu     sync.Mutex
	took   map[string][]time.Duration // by platform
	failed map[string]int             // by error
}

func (f *figures) add(platform string, took time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.took == nil {
		f.took, f.failed = map[string][]time.Duration{}, map[string]int{}
	}
	if err != nil {
		f.failed[platform+": "+numbers.ReplaceAllString(err.Error(), "#")]++
		return
	}
	f.took[platform] = append(f.took[platform], took)
}

// numbers make errors differ that are the same.
var numbers = regexp.MustCompile(`\d{3,}`)

func (f *figures) print(out io.Writer) {
	var all []time.Duration
	for _, list := range f.took {
		all = append(all, list...)
	}
	fmt.Fprintf(out, "%-9s %8s %9s %9s %9s %9s\n", "", "acts/s", "p50", "p99", "p99.9", "most")
	for _, name := range []string{"telegram", "discord", "both"} {
		list := f.took[name]
		if name == "both" {
			list = all
		}
		slices.Sort(list)
		fmt.Fprintf(out, "%-9s %8.1f %9s %9s %9s %9s\n", name, float64(len(list))/f.length.Seconds(),
			quantile(list, .5), quantile(list, .99), quantile(list, .999), quantile(list, 1))
	}
	failed := 0
	for _, n := range f.failed {
		failed += n
	}
	fmt.Fprintf(out, "%d acts answered, %d not\n", len(all), failed)
	for text, n := range f.failed {
		fmt.Fprintf(out, "  %d times %s\n", n, text)
	}
}

// quantile reads one from a sorted list.
func quantile(sorted []time.Duration, q float64) string {
	if len(sorted) == 0 {
		return "-"
	}
	at := sorted[int(math.Ceil(q*float64(len(sorted))))-1]
	return fmt.Sprintf("%.1f ms", float64(at)/float64(time.Millisecond))
}
