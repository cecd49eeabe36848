package content

import (
	"math"
	"slices"
	"testing"
)

func TestParseInterval(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		text      string
		low, high float64
		unit      string
		ok        bool
	}{
		{"24 GB", 24e9, 24e9, "bytes", true},
		{"about 1,200", 1200, 1200, "", true},
		{"$0.50", 0.5, 0.5, "", true},
		{"-3", -3, -3, "", true},
		{"−3", -3, -3, "", true},
		{"1e-4", 1e-4, 1e-4, "", true},
		{"3/4", 0.75, 0.75, "", true},
		{"7B", 7e9, 7e9, "", true},
		{"10-20 ms", 0.01, 0.02, "seconds", true},
		{"10 to 20 %", 10, 20, "%", true},
		{"less than 5 %", -inf, 5, "%", true},
		{"≥ 8 hosts", 8, inf, "host", true},
		{"`16`", 16, 16, "", true},
		{"2 tokens per step", 2, 2, "tokens per step", true},
		{"none of it", 0, 0, "", false},
		{"O(n)", 0, 0, "", false},
		{"8 because the cache holds one copy", 8, 8, "", false},
		{"4-bit weights", 0, 0, "", false},
	}
	for _, tt := range tests {
		span, unit, ok := parseInterval(tt.text)
		if ok != tt.ok || ok && (!near(span.low, tt.low) || !near(span.high, tt.high) || unit != tt.unit) {
			t.Errorf("parseInterval(%q) = %v, %q, %v; want %v..%v %q, %v", tt.text, span, unit, ok, tt.low, tt.high, tt.unit, tt.ok)
		}
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }

// The quantiles are those of the tables in Abramowitz and Stegun, 26.8.
func TestChiSquareTail(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		df   int
		want float64
	}{
		{3.84146, 1, 0.05}, {5.99146, 2, 0.05}, {7.81473, 3, 0.05}, {9.48773, 4, 0.05}, {11.0705, 5, 0.05},
		{13.2767, 4, 0.01}, {11.3449, 3, 0.01}, {0, 3, 1},
	} {
		if got := chiSquareTail(tt.x, tt.df); math.Abs(got-tt.want) > 1e-5 {
			t.Errorf("chiSquareTail(%v, %d) = %v, want %v", tt.x, tt.df, got, tt.want)
		}
	}
}

func TestWithoutCode(t *testing.T) {
	for s, want := range map[string]string{
		"plain":              "plain",
		"a `b` c `d`":        "a  c ",
		"a ``b ` c`` d":      "a  d",
		"an open ` tick":     "an open ` tick",
		"`all`":              "",
		"x ```y``` z ` open": "x  z ` open",
	} {
		if got := withoutCode(s); got != want {
			t.Errorf("withoutCode(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for s, want := range map[string]string{
		"Why?":                                   "Why?",
		"It falls by 0.5. What is done?":         "What is done?",
		"It falls. It rises by 1.5 ms. By what?": "By what?",
		"What falls by 0.5 at once?":             "What falls by 0.5 at once?",
		"One line\nWhat is done?":                "What is done?",
	} {
		if got := question(s); got != want {
			t.Errorf("question(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	got := wordsOf("The all-reduce isn't `only` slow - it's (very) slow.")
	want := []string{"the", "all-reduce", "isn't", "slow", "it's", "very", "slow"}
	if !slices.Equal(got, want) {
		t.Errorf("wordsOf = %q, want %q", got, want)
	}
}

func TestGradeGrowsWithSentencesAndWords(t *testing.T) {
	easy := grade("The cat sat. The dog ran.")
	long := grade("The cat sat on the mat and the dog ran to the man who had the hat and the bag.")
	heavy := grade("Administrative irregularities necessitate immediate organizational accountability.")
	if !(easy < long && long < heavy) || easy > 2 || heavy < 20 {
		t.Errorf("grades %v, %v, %v", easy, long, heavy)
	}
	if g := grade("`code`"); g != 0 {
		t.Errorf("grade of code alone = %v", g)
	}
}

func TestOpensTag(t *testing.T) {
	for s, want := range map[string]bool{
		"a <b> c": true, "</b>": true, "<!-- x -->": true, "a < b > c": false, "x <y": false, "2<3": false, "vector<int> x": true,
	} {
		if got := opensTag(s); got != want {
			t.Errorf("opensTag(%q) = %v", s, got)
		}
	}
}

func TestProductIn(t *testing.T) {
	p := newPatterns()
	for s, want := range map[string]string{
		"call `torch.compile` once":       "torch",
		"a GPT-4o model":                  "GPT",
		"serve Qwen2.5 on two hosts":      "Qwen",
		"two H100s":                       "H100",
		"an H100 with 80 GB":              "H100",
		"(vLLM)":                          "vLLM",
		"weights on Hugging Face":         "Hugging Face",
		"a llama.cpp server":              "llama.cpp",
		"FlashAttention-2 kernels":        "FlashAttention",
		"a torch in the dark":             "torch",
		"a spark, a ray and an attention": "",
		"top-k of 0.5 in FP8":             "",
	} {
		if got := p.productIn(s); got != want {
			t.Errorf("productIn(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestNumbersOfOneFamilyCompare(t *testing.T) {
	ascending := []string{"3 ns", "2 µs", "1 ms", "4 s", "2 minutes", "3 h", "1 day"}
	for n := 1; n < len(ascending); n++ {
		a, _, _ := parseInterval(ascending[n-1])
		b, unit, ok := parseInterval(ascending[n])
		if !ok || unit != "seconds" || compare(a, b) >= 0 {
			t.Errorf("%s is not below %s", ascending[n-1], ascending[n])
		}
	}
	for _, pair := range [][2]string{{"900 KB", "1 MB"}, {"900 MB", "1 GB"}, {"900 GB", "1 TB"}, {"9 k", "1 M"}, {"7 million", "1 billion"}} {
		a, u, _ := parseInterval(pair[0])
		b, v, ok := parseInterval(pair[1])
		if !ok || u != v || compare(a, b) >= 0 {
			t.Errorf("%s is not below %s", pair[0], pair[1])
		}
	}
}
