package seal

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// KeySize is the size of a key in bytes.
const KeySize = 32

const (
	idSize  = 4
	version = 1
	// headerSize is what stands before the nonce: version and key id.
	headerSize = 1 + idSize
	overhead   = headerSize + chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead
)

// errUnsealed is returned for a value that the key does not open.
var errUnsealed = errors.New("it was changed, moved from another key or is no sealed value")

// NewKey returns a fresh random key in the form ParseKey reads: one line of
// base64 for a key file.
func NewKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key) // never fails: crypto/rand ends the program instead
	return append(base64.StdEncoding.AppendEncode(nil, key), '\n')
}

// ParseKey reads the content of a key file: 32 bytes in base64 (44
// characters, or 43 without padding, either alphabet) or in hexadecimal (64
// characters), with white space around. Its errors never show the content.
func ParseKey(text []byte) ([]byte, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, errors.New("read key: the key file is empty; make a key first")
	}
	if len(text) == hex.EncodedLen(KeySize) {
		key := make([]byte, KeySize)
		if _, err := hex.Decode(key, text); err == nil {
			return key, nil
		}
	}
	text = bytes.TrimRight(text, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if key, err := encoding.Strict().DecodeString(string(text)); err == nil && len(key) == KeySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("read key: want 32 bytes as one line of base64 (44 characters) or hexadecimal (64), got %d characters that are neither", len(text))
}

// sealer seals and opens values under one key.
type sealer struct {
	id   [idSize]byte
	aead cipher.AEAD
}

func newSealer(key []byte) (*sealer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a key has %d bytes, not %d; read the key file with ParseKey", KeySize, len(key))
	}
	secret, err := hkdf.Key(sha256.New, key, nil, "aiprep seal 1: values", chacha20poly1305.KeySize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	id, err := hkdf.Key(sha256.New, key, nil, "aiprep seal 1: key id", idSize)
	if err != nil {
		return nil, fmt.Errorf("derive key id: %w", err)
	}
	aead, err := chacha20poly1305.NewX(secret)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return &sealer{id: [idSize]byte(id), aead: aead}, nil
}

// seal returns value sealed for the record key.
func (s *sealer) seal(key, value []byte) []byte {
	out := make([]byte, headerSize+chacha20poly1305.NonceSizeX, overhead+len(value))
	out[0] = version
	copy(out[1:], s.id[:])
	nonce := out[headerSize:]
	rand.Read(nonce)
	return s.aead.Seal(out, nonce, value, boundTo(out[:headerSize], key))
}

// open returns the value that was sealed for the record key. An empty value
// is not nil.
func (s *sealer) open(key, sealed []byte) ([]byte, error) {
	nonce, text := sealed[headerSize:][:chacha20poly1305.NonceSizeX], sealed[headerSize+chacha20poly1305.NonceSizeX:]
	value, err := s.aead.Open(make([]byte, 0, len(text)), nonce, text, boundTo(sealed[:headerSize], key))
	if err != nil {
		return nil, errUnsealed
	}
	return value, nil
}

// boundTo is what a value is authenticated with.
func boundTo(header, key []byte) []byte {
	return append(header[:headerSize:headerSize], key...)
}

// keyID returns the id of the key that sealed a value.
func keyID(sealed []byte) (id [idSize]byte, err error) {
	if len(sealed) < overhead || sealed[0] != version {
		return id, errUnsealed
	}
	return [idSize]byte(sealed[1:headerSize]), nil
}
