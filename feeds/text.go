package feeds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"downwind"
)

// Bounds of what is parsed. No status page known needs more than a fifth of them; they keep a hostile answer of a few
// megabytes from becoming gigabytes of structs.
const (
	// MaxDepth is how deep JSON and XML may nest.
	MaxDepth = 64
	// maxElements is how many list elements a JSON body may have, over all lists.
	maxElements = 150_000
	// maxTags is how many elements an XML body may have.
	maxTags = 40_000
)

// ToUTF8 converts a body to UTF-8 without a byte order mark. The mark wins, then the bytes themselves (UTF-16 shows), then
// the XML declaration, then the header; what is valid UTF-8 stays, whatever was declared. The result is always valid
// UTF-8, and an XML declaration in it names UTF-8.
func ToUTF8(raw []byte, contentType string) []byte {
	if enc := utf16Of(raw); enc != nil {
		if out, err := enc.NewDecoder().Bytes(raw); err == nil {
			raw = out
		}
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	declared := xmlEncoding(raw)
	if !utf8.Valid(raw) {
		raw = decodeDeclared(raw, declared, contentType)
	}
	if declared != "" && !strings.EqualFold(declared, "utf-8") {
		raw = renameEncoding(raw, declared)
	}
	return raw
}

// decodeDeclared converts bytes that are not UTF-8 by the declared charset, the header's, or windows-1252.
func decodeDeclared(raw []byte, declared, contentType string) []byte {
	names := []string{declared}
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		names = append(names, params["charset"])
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		enc, canonical := charset.Lookup(name)
		if enc == nil {
			continue
		}
		if canonical == "utf-8" {
			return bytes.ToValidUTF8(raw, []byte("\ufffd"))
		}
		if out, err := enc.NewDecoder().Bytes(raw); err == nil && utf8.Valid(out) {
			return out
		}
	}
	if out, err := charmap.Windows1252.NewDecoder().Bytes(raw); err == nil && utf8.Valid(out) {
		return out
	}
	return bytes.ToValidUTF8(raw, []byte("\ufffd"))
}

// utf16Of recognises UTF-16 by its mark or by the zero bytes around a first "<", "{" or "[".
func utf16Of(raw []byte) encoding.Encoding {
	if len(raw) < 2 {
		return nil
	}
	switch {
	case raw[0] == 0xfe && raw[1] == 0xff:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case raw[0] == 0xff && raw[1] == 0xfe:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case raw[0] == 0 && (raw[1] == '<' || raw[1] == '{' || raw[1] == '['):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case raw[1] == 0 && (raw[0] == '<' || raw[0] == '{' || raw[0] == '['):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	}
	return nil
}

// xmlDeclaration returns the span of the XML declaration at the start of the body.
func xmlDeclaration(raw []byte) []byte {
	head := bytes.TrimLeft(raw[:min(len(raw), 512)], " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return nil
	}
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return nil
	}
	return head[:end]
}

func xmlEncoding(raw []byte) string {
	decl := xmlDeclaration(raw)
	i := bytes.Index(decl, []byte("encoding"))
	if i < 0 {
		return ""
	}
	rest := bytes.TrimLeft(decl[i+len("encoding"):], " \t\r\n=")
	if len(rest) < 2 || (rest[0] != '"' && rest[0] != '\'') {
		return ""
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return ""
	}
	return string(rest[1 : 1+end])
}

// renameEncoding writes UTF-8 in place of the declared encoding, so that no parser decodes twice.
func renameEncoding(raw []byte, declared string) []byte {
	i := bytes.Index(raw[:min(len(raw), 600)], []byte(declared))
	if i < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw)+8)
	out = append(out, raw[:i]...)
	out = append(out, "UTF-8"...)
	return append(out, raw[i+len(declared):]...)
}

// CheckJSON refuses JSON that is cut, nested deeper than MaxDepth, or that has absurdly many list elements.
func CheckJSON(body []byte) error {
	depth, elements := 0, 0
	var isList [MaxDepth + 1]bool
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			end := endOfText(body, i+1)
			if end < 0 {
				return fmt.Errorf("JSON cut off after %d bytes: %w", len(body), downwind.ErrUnreadable)
			}
			i = end
		case '{', '[':
			if depth++; depth > MaxDepth {
				return fmt.Errorf("JSON nested deeper than %d at byte %d: %w", MaxDepth, i, downwind.ErrUnreadable)
			}
			if isList[max(depth, 0)] = body[i] == '['; isList[max(depth, 0)] {
				elements++
			}
		case '}', ']':
			depth--
		case ',':
			if isList[max(depth, 0)] {
				if elements++; elements > maxElements {
					return fmt.Errorf("JSON with more than %d list elements: %w", maxElements, downwind.ErrUnreadable)
				}
			}
		}
	}
	if depth > 0 {
		return fmt.Errorf("JSON cut off after %d bytes: %w", len(body), downwind.ErrUnreadable)
	}
	return nil
}

// endOfText finds the quote that ends a JSON text which begins at i, -1 where there is none.
func endOfText(b []byte, i int) int {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		slashes := 0
		for end-1-slashes >= i && b[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// plainText returns the text of a JSON string; most have no escapes and need no second look.
func plainText(b []byte) (string, error) {
	if len(b) >= 2 && bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1]), nil
	}
	var v string
	err := json.Unmarshal(b, &v)
	return v, err
}

// DecodeJSON unmarshals a whole body into v; the error says where it stopped. A field of another type than v wants ({} for a
// list, text for a number) is left out, since platforms send such things; a body that is of another type as a whole is not
// of this platform.
func DecodeJSON(body []byte, v any) error {
	if err := CheckJSON(body); err != nil {
		return err
	}
	err := json.Unmarshal(body, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		return nil
	}
	if err != nil {
		return fmt.Errorf("not the JSON of this platform: %w: %w", err, downwind.ErrUnreadable)
	}
	return nil
}

// ownDocument reads a body that `feed --json` wrote.
func ownDocument(body []byte) (downwind.Document, bool) {
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) || !Has(body, 4096, `"schema"`, downwind.DocumentSchema) {
		return downwind.Document{}, false
	}
	var doc downwind.Document
	if CheckJSON(body) != nil || schemaOf(body) != downwind.DocumentSchema {
		return doc, false
	}
	return doc, doc.UnmarshalJSON(body) == nil // json.Unmarshal would first read all twice more, to find where the document ends
}

// schemaOf returns the field "schema" of a JSON object, which is the first where we wrote it; what comes after it is not read.
func schemaOf(body []byte) string {
	in := json.NewDecoder(bytes.NewReader(body))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			return ""
		}
		if key == "schema" {
			var schema string
			_ = json.Unmarshal(value, &schema) // of another type: no schema
			return schema
		}
	}
	return ""
}

// Str is a JSON string that platforms also send as number, boolean or null; null is empty.
type Str string

// UnmarshalJSON implements json.Unmarshaler; objects and lists become empty.
func (s *Str) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) == 0 || b[0] == 'n' || b[0] == '{' || b[0] == '[':
		*s = ""
	case b[0] == '"':
		v, err := plainText(b)
		if err != nil {
			return err
		}
		*s = Str(v)
	default:
		*s = Str(b)
	}
	return nil
}

// List is a JSON list that platforms also send as null, {} or not at all; read with DecodeJSON all of them are empty.
type List[T any] []T
