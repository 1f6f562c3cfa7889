package proof

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// unbase64 reads standard base64 of which there is one form only: padded, no line ends, unused bits zero.
func unbase64(s string) ([]byte, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil {
		return nil, err
	}
	if base64.StdEncoding.EncodedLen(len(b)) != len(s) {
		return nil, errors.New("line ends in base64")
	}
	return b, nil
}

// strictJSON decodes what every JSON reader understands alike: UTF-8, no name twice, names exactly as documented,
// nothing unknown, nothing behind it. Leniency there would let two verifiers judge two different things.
func strictJSON(data []byte, into any) error {
	if !utf8.Valid(data) {
		return errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := namesOnce(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	d = json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// maxDepth is deeper than any of our documents.
const maxDepth = 16

// namesOnce reads one value and refuses objects with a name twice or one that is not plain small letters.
func namesOnce(d *json.Decoder, depth int) error {
	if depth > maxDepth {
		return errors.New("nested too deeply")
	}
	tok, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := tok.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == '{' {
			tok, err := d.Token()
			if err != nil {
				return err
			}
			name, ok := tok.(string)
			if !ok || !plainName(name) {
				return fmt.Errorf("unknown name %v", tok)
			}
			if seen[name] {
				return fmt.Errorf("%q stands twice", name)
			}
			seen[name] = true
		}
		if err := namesOnce(d, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func plainName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && r != '_' {
			return false
		}
	}
	return s != ""
}
