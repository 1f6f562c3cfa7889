package feeds

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

func TestPlainText(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"plain stays", "All good.", "All good."},
		{"blanks collapse", "  a \t b\u00a0 c  ", "a b c"},
		{"line breaks stay", "first\r\nsecond\n\n\n\nthird", "first\nsecond\n\nthird"},
		{"paragraphs", "<p>One.</p><p>Two.</p>", "One.\n\nTwo."},
		{"break tags", "One<br />Two<BR>Three", "One\nTwo\nThree"},
		{"source breaks are spaces between blocks", "<p>One\nline</p>", "One line"},
		{"list", "Affected:<ul><li>API</li><li>SIP</li></ul>done", "Affected:\n\n- API\n- SIP\n\ndone"},
		{"entities", "Fish &amp; chips &mdash; 5&nbsp;&euro;", "Fish & chips — 5 €"},
		{"escaped twice", "a&amp;nbsp;b &amp;amp; c", "a b & c"},
		{"script and style dropped", "a<script>alert('</b>')</script><style>p{}</style>b", "ab"},
		{"unclosed script", "a<script>evil", "a"},
		{"not a tag", "delays in <eu-west-1> and 3 < 4", "delays in <eu-west-1> and 3 < 4"},
		{"comment", "a<!-- hidden -->b", "ab"},
		{"quoted angle bracket", `<a href="x>y">link</a>`, "link"},
		{"unclosed tag", "a <b", "a <b"},
		{"markdown stays", "**Title:** _x_ [y](z)", "**Title:** _x_ [y](z)"},
		{"control and hidden characters", "a\x00\x1b[31mb\u200bc\u202ed", "a[31mbcd"},
		{"heading in upper case", "<H3>Status: RESOLVED</H3>text", "Status: RESOLVED\n\ntext"},
		{"empty", "", ""},
		{"only tags", "<p></p><br>", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := PlainText(tc.in); got != tc.want {
				t.Errorf("PlainText(%q)\n got %q\nwant %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestPlainLineHasNoControlCharacters(t *testing.T) {
	for _, in := range []string{"a\x1b]0;title\ab", "a\nb", " a  b ", "<p>a</p><p>b</p>", "a\u2028b"} {
		if got := PlainLine(in); strings.ContainsAny(got, "\x1b\a\n\r\u2028") || strings.Contains(got, "  ") {
			t.Errorf("PlainLine(%q) = %q", in, got)
		}
	}
}

func FuzzPlainText(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "a &amp;nbsp; b", "<script>", "<a href='>'>", "<!--", "&#x110000;", "<" + strings.Repeat("a", 100), "\xff<br>\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := PlainText(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("invalid UTF-8 out of valid text %q", s)
		}
		if strings.ContainsAny(got, "\x00\x1b\r") {
			t.Errorf("control characters left in %q", got)
		}
		if strings.TrimSpace(got) != got {
			t.Errorf("blanks left at the ends of %q", got)
		}
		_ = PlainLine(s)
	})
}

func TestParseTime(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"RFC 3339", "2026-03-04T09:12:00Z", "2026-03-04T09:12:00Z"},
		{"offset and fraction", "2026-02-03T04:05:06.789+01:00", "2026-02-03T03:05:06.789Z"},
		{"no zone is UTC", "2026-03-04T09:12:00", "2026-03-04T09:12:00Z"},
		{"epoch in quotes", "1789993600", "2026-09-21T12:26:40Z"},
		{"blank instead of T", "2026-03-04 09:12:00", "2026-03-04T09:12:00Z"},
		{"offset without colon", "2026-03-04 09:12:00+0530", "2026-03-04T03:42:00Z"},
		{"as Go prints it", "2026-03-04 09:12:00.5 +0100 CET", "2026-03-04T08:12:00.5Z"},
		{"date only", "2026-03-04", "2026-03-04T00:00:00Z"},
		{"RFC 822", "Wed, 04 Mar 2026 09:12:00 GMT", "2026-03-04T09:12:00Z"},
		{"wrong weekday", "Mon, 04 Mar 2026 09:12:00 +0900", "2026-03-04T00:12:00Z"},
		{"no weekday, no seconds, zone name", "4 Mar 2026 10:00 CET", "2026-03-04T09:00:00Z"},
		{"daylight saving by name", "Sat, 15 Aug 2026 01:02:03 PDT", "2026-08-15T08:02:03Z"},
		{"zone Z in RFC 822", "Thu, 16 Apr 2026 18:42:11 Z", "2026-04-16T18:42:11Z"},
		{"American", "March 4, 2026 3:05 PM EST", "2026-03-04T20:05:00Z"},
		{"midnight", "Mar 4, 2026 12:05 AM UTC", "2026-03-04T00:05:00Z"},
		{"two digit year", "04 Mar 26 09:12 UT", "2026-03-04T09:12:00Z"},
		{"ordinal", "4th March 2026, 09:12 UTC", "2026-03-04T09:12:00Z"},
		{"year last", "Wed Mar 4 09:12:00 UTC 2026", "2026-03-04T09:12:00Z"},
		{"leap day", "29 Feb 2024 00:00 GMT", "2024-02-29T00:00:00Z"},
		{"year one is none", "0001-01-01T00:00:00Z", ""},
		{"no value", "<no value>", ""},
		{"impossible day", "31 Feb 2026 00:00 GMT", ""},
		{"yesterday", "yesterday", ""},
		{"empty", "", ""},
		{"numbers only", "02/03/2026", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := ParseTime(tc.in)
			text := ""
			if ok {
				text = got.Format(time.RFC3339Nano)
			}
			if text != tc.want || ok && got.Location() != time.UTC {
				t.Errorf("ParseTime(%q) = %q, want %q", tc.in, text, tc.want)
			}
		})
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-03-04T09:12:00Z", "Wed, 04 Mar 2026 09:12:00 GMT", "Mar 4, 2026 12:05 AM UTC", "9999-99-99", "1 jan 1 1:1 +99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := ParseTime(s); ok && (got.Year() < 1989 || got.Year() > 10000) {
			t.Errorf("ParseTime(%q) = %v", s, got)
		}
	})
}

func TestStampAndStr(t *testing.T) {
	var v struct {
		A, B, C, D, E, F Stamp
		S                []Str
		L                List[int]
		M                List[int]
	}
	in := `{"A":"2026-03-04T09:12:00Z","B":1772615520,"C":1772615520000,"D":null,"E":"0001-01-01T00:00:00Z","F":{},
		"S":["x",12,null,true,{}],"L":null,"M":[1,2]}`
	if err := json.Unmarshal([]byte(in), &v); err != nil {
		t.Fatal(err)
	}
	want := time.Date(2026, 3, 4, 9, 12, 0, 0, time.UTC)
	for name, s := range map[string]Stamp{"text": v.A, "seconds": v.B, "milliseconds": v.C} {
		if !s.Equal(want) {
			t.Errorf("%s: %v, want %v", name, s, want)
		}
	}
	for name, s := range map[string]Stamp{"null": v.D, "year 1": v.E, "object": v.F} {
		if !s.IsZero() {
			t.Errorf("%s: %v, want zero", name, s)
		}
	}
	if got := strings.Join([]string{string(v.S[0]), string(v.S[1]), string(v.S[2]), string(v.S[3]), string(v.S[4])}, "|"); got != "x|12||true|" {
		t.Errorf("strings are %q", got)
	}
	if len(v.L) != 0 || len(v.M) != 2 {
		t.Errorf("lists are %v and %v", v.L, v.M)
	}
}

func TestToUTF8(t *testing.T) {
	be, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(`[{"a":"Zürich"}]`))
	le, _ := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(`{"a":"Zürich"}`))
	cases := []struct{ name, in, ctype, want string }{
		{"UTF-8", `{"a":"Zürich"}`, "", `{"a":"Zürich"}`},
		{"byte order mark", "\xef\xbb\xbf{}", "", "{}"},
		{"UTF-16 with mark", string(be), "", `[{"a":"Zürich"}]`},
		{"UTF-16 without mark", string(le), "", `{"a":"Zürich"}`},
		{"declared Latin-1", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>Z\xfcrich</a>", "", `<?xml version="1.0" encoding="UTF-8"?><a>Zürich</a>`},
		{"charset of the header", "Z\xfcrich", "text/html; charset=iso-8859-1", "Zürich"},
		{"windows-1251 declared", "<?xml version='1.0' encoding='windows-1251'?><a>\xd1\xe1\xee\xe9</a>", "", `<?xml version='1.0' encoding='UTF-8'?><a>Сбой</a>`},
		{"wrong declaration, valid UTF-8", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>Zürich</a>", "", `<?xml version="1.0" encoding="UTF-8"?><a>Zürich</a>`},
		{"declared UTF-8 with a bad byte", "<?xml version=\"1.0\" encoding=\"utf-8\"?><a>Z\xfcrich</a>", "", "<?xml version=\"1.0\" encoding=\"utf-8\"?><a>Z\ufffdrich</a>"},
		{"undeclared 1252", "it\x92s", "", "it’s"},
		{"empty", "", "", ""},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := string(ToUTF8([]byte(tc.in), tc.ctype)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzToUTF8(f *testing.F) {
	f.Add([]byte("\xff\xfe<\x00"), "text/xml; charset=utf-16")
	f.Add([]byte("<?xml encoding='koi8-r'?>\xff"), "")
	f.Fuzz(func(t *testing.T, b []byte, ctype string) {
		out := ToUTF8(b, ctype)
		if !utf8.Valid(out) {
			t.Error("result is not UTF-8")
		}
		if len(out) > 6*len(b)+64 {
			t.Errorf("%d bytes became %d", len(b), len(out))
		}
		_ = Shape(out)
		_ = CheckJSON(out)
		_ = CheckXML(out)
	})
}

func TestShape(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1}`: "json", " [1]": "json", "<?xml version='1.0'?><rss/>": "xml", "<feed/>": "xml", "<!DOCTYPE html><html>": "html",
		"<?xml version='1.0'?><html xmlns='x'>": "html", "<head><script>": "html", "OK": "", "": "",
	} {
		if got := Shape([]byte(in)); got != want {
			t.Errorf("Shape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	deepJSON := []byte(strings.Repeat("[", 10000) + strings.Repeat("]", 10000))
	if err := CheckJSON(deepJSON); err == nil || !strings.Contains(err.Error(), "deeper than 64") {
		t.Errorf("JSON of depth 10,000: %v", err)
	}
	if err := CheckJSON([]byte(`{"a":"` + strings.Repeat("[", 1000) + `"}`)); err != nil {
		t.Errorf("brackets inside text: %v", err)
	}
	deepXML := bytes.Repeat([]byte("<a>"), 10000)
	if err := CheckXML(deepXML); err == nil || !strings.Contains(err.Error(), "deeper than 64") {
		t.Errorf("XML of depth 10,000: %v", err)
	}
	wide := []byte("<r>" + strings.Repeat("<a/><b>x</b>", 5000) + "</r>")
	if err := CheckXML(wide); err != nil {
		t.Errorf("wide XML: %v", err)
	}
	for _, bad := range []string{`{"a":`, `{"a":"b`, `[1,2`} {
		if err := CheckJSON([]byte(bad)); err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("CheckJSON(%q) = %v", bad, err)
		}
	}
}
