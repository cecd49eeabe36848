package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"aiprep/engine/seal"
)

func TestParseKey(t *testing.T) {
	key := bytes.Repeat([]byte{0xfb, 0xff, 0x01, 0x7e}, 8)
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"base64", base64.StdEncoding.EncodeToString(key), true},
		{"base64 without padding", base64.RawStdEncoding.EncodeToString(key), true},
		{"base64 for urls", base64.URLEncoding.EncodeToString(key), true},
		{"hexadecimal", hex.EncodeToString(key), true},
		{"capital hexadecimal", strings.ToUpper(hex.EncodeToString(key)), true},
		{"white space around", "\r\n \t" + hex.EncodeToString(key) + " \r\n", true},
		{"empty", " \n", false},
		{"too short", base64.StdEncoding.EncodeToString(key[:31]), false},
		{"too long", base64.StdEncoding.EncodeToString(append(key, 1)), false},
		{"short hexadecimal", hex.EncodeToString(key[:31]), false},
		{"raw bytes", string(key), false},
		{"a passphrase", "correct horse battery staple", false},
		{"two lines", base64.StdEncoding.EncodeToString(key) + "\n" + base64.StdEncoding.EncodeToString(key), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := seal.ParseKey([]byte(test.text))
			if test.ok && (err != nil || !bytes.Equal(got, key)) {
				t.Errorf("got %x, %v", got, err)
			}
			if !test.ok && err == nil {
				t.Errorf("got %x and no error", got)
			}
			if content := strings.TrimSpace(test.text); err != nil && content != "" && strings.Contains(err.Error(), content) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
	if bytes.Equal(seal.NewKey(), seal.NewKey()) {
		t.Error("two new keys are equal")
	}
}
