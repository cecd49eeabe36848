package content

import (
	"strings"
	"unicode"
)

// visible returns a line of Markdown roughly as a reader sees it, to compare
// lengths: without the marks of code, bold and strike.
func visible(s string) string {
	if !strings.ContainsAny(s, "`*~") {
		return s
	}
	return strings.NewReplacer("`", "", "**", "", "~~", "").Replace(s)
}

// wordsOf returns the lower-case words of Markdown, without code spans. A word
// may hold hyphens and apostrophes inside, so "all-reduce" is one.
func wordsOf(s string) []string {
	fields := strings.FieldsFunc(strings.ToLower(withoutCode(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\'' && r != '’'
	})
	out := fields[:0]
	for _, f := range fields {
		if f = strings.Trim(f, "-'’"); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// stopWord reports whether a word of five letters or more says nothing about
// a subject.
func stopWord(w string) bool {
	const list = " about above after again against because before being below between both could does doing down during each " +
		"first further gives given having other same should since some still such than that their them then there these they " +
		"this those through under until using very wants what when where which while whose will with within without would " +
		"almost already another around becomes enough every makes model models more most much needs never often once only over " +
		"rather seems several taken takes three times training two uses used user users value values works data system "
	return strings.Contains(list, " "+w+" ")
}

// absoluteWord reports whether w leaves no exception.
func absoluteWord(w string) bool {
	switch w {
	case "always", "never", "only", "all", "solely", "merely", "entirely", "guaranteed", "guarantee", "guarantees",
		"every", "none", "completely", "impossible", "invariably", "exclusively":
		return true
	}
	return false
}

// hedgeWord reports whether w leaves a way out.
func hedgeWord(w string) bool {
	switch w {
	case "can", "could", "may", "might", "often", "usually", "typically", "generally", "sometimes", "mostly", "likely",
		"depends", "depending", "tends", "tend", "partly", "possibly", "probably", "perhaps", "frequently", "rarely":
		return true
	}
	return false
}

// countWords returns how many of the words of s are of a kind.
func countWords(s string, kind func(string) bool) int {
	n := 0
	for _, w := range wordsOf(s) {
		if kind(w) {
			n++
		}
	}
	return n
}

// syllables guesses the syllables of an English word by its groups of vowels.
func syllables(w string) int {
	n, vowel := 0, false
	for _, r := range w {
		is := strings.ContainsRune("aeiouy", r)
		if is && !vowel {
			n++
		}
		vowel = is
	}
	if n > 1 && strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "le") {
		n--
	}
	return max(n, 1)
}

// sentences counts the sentences of s; a decimal point ends none.
func sentences(s string) int {
	n := 0
	runes := []rune(s)
	for k, r := range runes {
		ends := r == '.' || r == '?' || r == '!' || r == ';' || r == ':'
		if ends && (k+1 == len(runes) || unicode.IsSpace(runes[k+1])) {
			n++
		}
	}
	return max(n, 1)
}

// singular takes the plural s off a lower-case word, as far as spelling tells.
func singular(w string) string {
	if len(w) > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		return w[:len(w)-1]
	}
	return w
}
