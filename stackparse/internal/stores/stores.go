// Package stores finds in source code where clients of S3 are made: those that a literal points at another address, and those
// that are given a region and no address.
package stores

import (
	"bytes"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/scan"
)

// A Client is a client of S3 in a program.
type Client struct {
	Line int
	// Show is the call that makes a plain client. It is empty for one that is pointed at Address, which is as written.
	Show, Address string
}

const (
	// most bounds the addresses that are looked at in a file, maxCall the bytes of a call and of what its address stands in.
	most    = 40
	maxCall = 1500
)

var (
	// pointed is what follows the beginning of a key for addresses, up to the literal: "endpoint_url=", "endpoint => env('X', ",
	// "BaseEndpoint = aws.String(", "Endpoint(".
	pointed = pattern.New(`^\w*["']?\]?\s*(?:=>|:=|[:=(])[^"'` + "`" + `\n,;{}=>]*?(?:["'][A-Z][A-Z0-9_]*["']\)?\s*(?:,|\|\||\?\?|or)\s*)?["'` + "`" + `]((?:https?://)?[^"'` + "`" + `\s/]+)[^"'` + "`" + `\s]*["'` + "`" + `]`)
	// storeCall is how programs name what they make for S3.
	storeCall = pattern.New(`(?:^|[^A-Za-z0-9])[sS]3(?:[^0-9A-Za-z]|$)|[sS]3(?:Client|Config|Options|Storage|Store|Adapter|Client[A-Z])|AmazonS3`)
	// storeHost is how hosts of stores that speak as S3 does are named.
	storeHost = pattern.New(`(?:^|[/.-])(?:s3|r2|obs|oss|digitaloceanspaces|wasabisys|backblazeb2|[a-z]*objects?|object-?st[a-z]+|r2\.cloudflarestorage)[.-]`)
	// standIn are words by which programs speak of what developers have in place of a store.
	standIn  = pattern.New(`(?i)local|minio|mock|fake|emulat`)
	forTrial = pattern.New(`(?i)\b(?:is_?)?(?:dev|test)|debug`)
	// otherwise is the address that counts where the one before does not.
	otherwise = pattern.New("^\\s*:\\s*[\"'`]((?:https?://)?[^\"'`\\s/]+)")
	// plainCall makes a client whose settings follow in brackets.
	plainCall = pattern.New(`\bnew (?:AWS\.)?S3(?:Client)?\(|\b(?:boto3|aioboto3|\w*session)\.(?:client|resource)\(\s*(?:service_name\s*=\s*)?["']s3["']|\bAws::S3::(?:Client|Resource)\.new\(|\bnew S3Client\(\[`)
)

// keys begin the names of settings that hold an address.
var keys = [...]string{"ndpoint", "NDPOINT", "erviceURL"}

// Find returns the clients of a text that speaks of S3.
func Find(text []byte) (out []Client) {
	for _, key := range keys {
		for at, n := 0, 0; n < most; n++ {
			i := bytes.Index(text[at:], []byte(key))
			if i < 0 {
				break
			}
			begin := at + i
			at = begin + len(key)
			if c, ok := away(text, begin, at); ok {
				out = append(out, c)
			}
		}
	}
	if table(out) {
		return nil
	}
	return append(out, plain(text)...)
}

// table reports whether addresses are of several vendors, among whom the program lets people choose.
func table(list []Client) bool {
	for _, c := range list {
		if domain(c.Address) != domain(list[0].Address) {
			return true
		}
	}
	return false
}

// domain is the end of an address, by which vendors differ.
func domain(address string) string {
	last := strings.LastIndexByte(address, '.')
	return address[strings.LastIndexAny(address[:max(last, 0)], "./")+1:]
}

// away returns the client that a key points elsewhere; begin and end are those of the key's word.
func away(text []byte, begin, end int) (c Client, ok bool) {
	const longest = 400
	m := pointed.FindSubmatch(text[end:min(len(text), end+longest)])
	if m == nil {
		return c, false
	}
	line := bytes.LastIndexByte(text[:begin], '\n') + 1
	before := strings.TrimSpace(string(text[line:begin]))
	address := string(m[1])
	trial := standIn.MatchString(before) || standIn.MatchString(address) || forTrial.MatchString(before) || forTrial.Match(m[0][:len(m[0])-len(m[1])])
	if other := otherwise.FindSubmatch(text[end+len(m[0]) : min(len(text), end+2*longest)]); trial && other != nil {
		address, trial = string(other[1]), standIn.Match(other[1])
	}
	if aside(before) || trial || !strings.Contains(address, ".") {
		return c, false
	}
	word := begin
	for word > line && (text[word-1] == '_' || text[word-1] == '.' || letter(text[word-1])) {
		word--
	}
	name := strings.ToLower(string(text[word:begin]))
	if !strings.Contains(name, "s3") && !storeHost.MatchString(address) && !storeCall.Match(chain(text, begin)) && !within(text, word) {
		return c, false
	}
	if scan.Quoted(text, begin) {
		return c, false
	}
	return Client{Line: 1 + bytes.Count(text[:end], []byte{'\n'}), Address: address}, true
}

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// aside reports whether what stands before a place on its line makes it a comment.
func aside(before string) bool {
	for _, s := range [...]string{"//", "*", "#", "/*", "<!--"} {
		if strings.HasPrefix(before, s) {
			return true
		}
	}
	return strings.Contains(before, " // ") || strings.Contains(before, " # ")
}

// within reports whether a place stands in the settings of a client of S3: in brackets behind its name, up to three of them
// around each other. Bodies of functions are no settings.
func within(text []byte, at int) bool {
	const around = 3
	depth, opened := 0, 0
	for i := at - 1; i >= 0 && at-i < maxCall && opened < around; i-- {
		switch text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth > 0 {
				depth--
				continue
			}
			opened++
			h := head(text, i)
			if storeCall.Match(h) {
				return true
			}
			if bytes.HasSuffix(h, []byte(")")) || bytes.HasSuffix(h, []byte("=>")) {
				return false
			}
			if opened == 1 && storeCall.Match(text[i:at]) {
				return true
			}
		}
	}
	return false
}

// head is what stands before a bracket: on its line, or on the one before where it has a line of its own.
func head(text []byte, at int) []byte {
	const longest = 80
	h := bytes.TrimRight(text[max(0, at-longest):at], " \t\r\n")
	return h[bytes.LastIndexByte(h, '\n')+1:]
}

// chain is the line of a place, and those before it on which its chain of calls began.
func chain(text []byte, at int) []byte {
	start := at
	for at-start < maxCall {
		start = bytes.LastIndexByte(text[:start], '\n') + 1
		if start == 0 || !bytes.HasPrefix(bytes.TrimSpace(text[start:at]), []byte(".")) {
			break
		}
		start--
	}
	return text[max(0, start):at]
}

// plain finds the clients that are told a region, and no address.
func plain(text []byte) (out []Client) {
	for _, m := range plainCall.FindAllIndex(text, 20) {
		line := bytes.LastIndexByte(text[:m[0]], '\n') + 1
		args := settings(text, m[1])
		low := bytes.ToLower(args)
		bare := len(bytes.TrimSpace(args)) == 0 && bytes.HasSuffix(text[:m[1]], []byte{'3', text[m[1]-1]}) // boto3.client("s3")
		if aside(strings.TrimSpace(string(text[line:m[0]]))) || !bare && !bytes.Contains(low, []byte("region")) ||
			bytes.Contains(low, []byte("endpoint")) || bytes.Contains(args, []byte("...")) || bytes.Contains(args, []byte("**")) {
			continue
		}
		out = append(out, Client{Line: 1 + bytes.Count(text[:m[0]], []byte{'\n'}), Show: string(text[m[0]:m[1]])})
	}
	return out
}

// settings is the text from a place in brackets to where they close.
func settings(text []byte, at int) []byte {
	depth := 1
	for i := at; i < len(text) && i-at < maxCall; i++ {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return text[at:i]
			}
		}
	}
	return text[at:min(len(text), at+maxCall)]
}
