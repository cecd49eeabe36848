// Package picture draws cards: what a person or a server sees of itself, as a
// PNG. A card is a value of words and numbers; drawing it reads no clock and no
// file, and the same card gives the same bytes.
//
// Names come in any script. The faces built in cover Latin, Greek, Cyrillic,
// Arabic, Hebrew, Devanagari, Thai, Armenian and Georgian; what no face has is
// drawn as a neutral dot, never as a box or not at all.
package picture
