package scan_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"downwind/stackparse/internal/scan"
)

// pieces hands a text out in pieces of one size.
type pieces struct {
	b    []byte
	size int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(to[:min(len(to), p.size)], p.b)
	p.b = p.b[n:]
	return n, nil
}

var sizes = []int{1, 2, 3, 7, 64, 4096, scan.Window - 1, scan.Window, scan.Window + 1}

// tell writes down all that a stream finds: as trees, by keys and texts, and by passing over most of it.
func tell(s *scan.Stream, how int) string {
	var b strings.Builder
	switch how {
	case 0:
		for !s.Done() {
			fmt.Fprintf(&b, "%d ", s.Line())
			write(&b, s.Node())
			if s.Problem != nil {
				break
			}
		}
	case 1:
		var value func()
		value = func() {
			switch s.Peek() {
			case scan.Map:
				s.Object(func(key string, line int) { fmt.Fprintf(&b, "%d %q ", line, key); value() })
			case scan.List:
				s.Array(value)
			default:
				fmt.Fprintf(&b, "%d %q ", s.Line(), s.Text())
			}
		}
		value()
	default:
		s.Object(func(key string, line int) {
			fmt.Fprintf(&b, "%d %q ", line, key)
			if len(key)%2 == how%2 {
				s.Object(func(key string, line int) { fmt.Fprintf(&b, "%d %q ", line, key) })
			}
		})
	}
	if s.Problem != nil {
		fmt.Fprintf(&b, "! %d %s", s.Problem.Line, s.Problem.Summary)
	}
	return b.String()
}

func write(b *strings.Builder, n *scan.Node) {
	fmt.Fprintf(b, "%d:%d:%q", n.Kind, n.Line, n.Text)
	for _, f := range n.Fields {
		fmt.Fprintf(b, " %d %q ", f.Line, f.Key)
		write(b, f.Value)
	}
	for _, v := range n.Items {
		write(b, v)
	}
}

// document writes JSON as lockfiles have it, with what people and tools do to it.
func document(r *rand.Rand, depth int) string {
	space := []string{"", " ", "\n", "\r\n\t", " // a note, \"quoted\"\n", "/* one * more\n */", "\n<<<<<<< ours\n", "\n=======\n"}
	some := func() string { return space[r.IntN(len(space))] }
	words := []string{`"left-pad"`, `"\u00e9\ud83d\ude00\n\"x\" \\"`, `'single'`, `"` + strings.Repeat("aé", r.IntN(300)) + `"`, "true", "null", "-12.5e3", "bare-word", `"` + strings.Repeat(`\\`, r.IntN(9)) + `"`, `"node_modules/@a/b"`}
	word := func() string { return words[r.IntN(len(words))] }
	if depth == 0 || r.IntN(5) == 0 {
		return word()
	}
	var b strings.Builder
	list := r.IntN(3) == 0
	b.WriteString(map[bool]string{true: "[", false: "{"}[list])
	for range r.IntN(6) {
		b.WriteString(some())
		if !list {
			b.WriteString(word() + some() + ":" + some())
		}
		b.WriteString(document(r, depth-1) + some() + ",")
	}
	return b.String() + map[bool]string{true: "]", false: "}"}[list]
}

// documents are whole, cut off and damaged.
func documents() (all []string) {
	r := rand.New(rand.NewPCG(30, 11))
	for range 60 {
		d := document(r, 1+r.IntN(5))
		cut, at := r.IntN(len(d)+1), r.IntN(len(d)+1)
		all = append(all, d, d[:cut], d[:at]+string(rune("{}[]\"',:/*\\\n<"[r.IntN(13)]))+d[at:])
	}
	long := `{"a": "` + strings.Repeat("x", scan.Window-10) + `\"`
	return append(all, "", "{", `{"a`, `{"a": "\u00`, `{"a": /`, `{"a": /*`, `{"a": /* *`, `{"packages": {}} trailing`, strings.Repeat("[", 600),
		long+`b", "c": 1}`, long, `{"`+strings.Repeat("k", 3*scan.Window)+`": {"d": "`+strings.Repeat(`\\`, scan.Window)+"\n"+`"}, "e": [1, 2`, "{"+strings.Repeat(" ", 2*scan.Window)+"\n\"z\": 1}",
		strings.Repeat("\n", scan.Window-1)+"<<<<<<< ours\n{\"a\": 1}")
}

func TestStreamIsTheSameWhateverIsHeld(t *testing.T) {
	for _, text := range documents() {
		for how := range 4 {
			want := tell(scan.NewStream([]byte(text)), how)
			for _, size := range sizes {
				if size == 1 && len(text) > 1000 {
					continue // shown by the short ones
				}
				if got := tell(scan.NewStreamOf(&pieces{[]byte(text), size}), how); got != want {
					t.Fatalf("in pieces of %d, reading %d of %.300q:\n got %.600s\nwant %.600s", size, how, text, got, want)
				}
			}
		}
	}
}

func lines(read func(f func(int, []byte))) (all []string) {
	read(func(n int, text []byte) { all = append(all, fmt.Sprintf("%d %s", n, text)) })
	return all
}

func TestLinesAreTheSameWhateverIsHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	ends := []string{"\n", "\n\n", "\r\n", "\r", "", "\n \n"}
	texts := []string{"", "\n", "a", "a\r", "a\r\n", "\r\n\r\n"}
	for range 60 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(strings.Repeat("lodash@^4: é ", []int{0, 1, 3, 40, 1259, 1260, 1261, 9000}[r.IntN(8)]) + ends[r.IntN(len(ends))])
		}
		texts = append(texts, b.String())
	}
	for n := 16<<10 - 2; n < 16<<10+3; n++ { // about where lines are cut
		for _, end := range ends {
			texts = append(texts, strings.Repeat("x", n)+end, strings.Repeat("x", n)+end+"next")
		}
	}
	for _, text := range texts {
		want := lines(func(f func(int, []byte)) { scan.ByteLines([]byte(text), f) })
		for _, size := range sizes {
			got := lines(func(f func(int, []byte)) { scan.LinesOf(&pieces{[]byte(text), size}, f) })
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("in pieces of %d: %.20q … %q (%d bytes) has lines of %d bytes, want %d", size, text, text[max(len(text)-20, 0):], len(text), lengths(got), lengths(want))
			}
		}
	}
}

func lengths(lines []string) (all []int) {
	for _, l := range lines {
		all = append(all, len(l))
	}
	return all
}

// encoded are texts as editors and damage leave them.
func encoded() [][]byte {
	const text = "name: Zürich 😀\nnext\uFFFD: 1\n"
	wide := func(big bool, s string) (b []byte) {
		for _, u := range utf16.Encode([]rune(s)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return b
	}
	long := strings.Repeat("abc é ", 2_000)
	return [][]byte{
		nil, []byte(text), []byte("\ufeff" + text), []byte("a\xffb\xff\xfe\xf0\x9f"), []byte(long + text), []byte(long + "\xff\xff\xf0\x9f\x98" + long + "\xc3"), []byte(long + "\xe2\x82\xff\xe2"),
		append([]byte{0xFF, 0xFE}, wide(false, text)...), append([]byte{0xFE, 0xFF}, wide(true, long+text)...), wide(false, long+text), wide(true, text),
		append(append([]byte{0xFF, 0xFE}, wide(false, long)...), 0x3D, 0xD8, 'x', 0, 0x3D, 0xD8), append([]byte{0xFF, 0xFE}, 'x'),
		{0xFF, 0xFE},
	}
}

func TestDecoderIsDecode(t *testing.T) {
	for _, b := range encoded() {
		decodes(t, b)
	}
}

func decodes(t *testing.T, b []byte) {
	t.Helper()
	want, ok := scan.Decode(b)
	if !ok {
		return
	}
	for _, size := range sizes {
		got, err := io.ReadAll(scan.NewDecoder(&pieces{b, size}))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("in pieces of %d: %.60q decodes to %.60q (%d bytes, %v), want %.60q (%d bytes)", size, b, got, len(got), err, want, len(want))
		}
	}
}

func TestDecoderTellsErrors(t *testing.T) {
	got, err := io.ReadAll(scan.NewDecoder(iotest.TimeoutReader(&pieces{[]byte(strings.Repeat("é", 9000)), 5000})))
	if err == nil || len(got) == 0 {
		t.Errorf("read %d bytes with error %v, want some and the error", len(got), err)
	}
}

// A file is read with one window, whatever its size: what is allocated must not grow with it.
func TestLongTextsAreNotHeld(t *testing.T) {
	const entry = `"node_modules/left-pad": {"version": "1.3.0", "resolved": "https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz", "dependencies": {"a": "^1"}},` + "\n"
	for name, read := range map[string]func(io.Reader){
		"stream": func(r io.Reader) {
			s := scan.NewStreamOf(scan.NewDecoder(r))
			s.Object(func(string, int) { s.Object(func(string, int) {}) })
		},
		"lines":  func(r io.Reader) { scan.LinesOf(scan.NewDecoder(r), func(int, []byte) {}) },
		"string": func(r io.Reader) { scan.NewStreamOf(io.MultiReader(strings.NewReader(`{"a": {"`), r)).Skip() },
		"line": func(r io.Reader) {
			scan.LinesOf(&without{r}, func(int, []byte) {})
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read(io.MultiReader(strings.NewReader(`{"packages": {`), &repeat{text: []byte(entry), left: 8 << 20}, strings.NewReader("}}")))
		runtime.ReadMemStats(&after)
		grown := after.TotalAlloc - before.TotalAlloc
		if grown > 6<<20 {
			t.Errorf("%s: reading 8 MB allocates %d KB", name, grown>>10)
		}
	}
}

// repeat reads a text over and over.
type repeat struct {
	text     []byte
	at, left int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= n
	return n, nil
}

// without reads what r reads as one line.
type without struct{ r io.Reader }

func (w *without) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			p[i] = ' '
		}
	}
	return n, err
}

func FuzzPieces(f *testing.F) {
	for i, text := range documents() {
		if len(text) < 1000 {
			f.Add([]byte(text), i%9+1)
		}
	}
	for i, b := range encoded() {
		if len(b) < 1000 {
			f.Add(b, i+1)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		if size < 1 {
			return
		}
		for how := range 4 {
			want := tell(scan.NewStream(b), how)
			if got := tell(scan.NewStreamOf(&pieces{b, size}), how); got != want {
				t.Fatalf("in pieces of %d, reading %d:\n got %q\nwant %q", size, how, got, want)
			}
		}
		want := lines(func(f func(int, []byte)) { scan.ByteLines(b, f) })
		if got := lines(func(f func(int, []byte)) { scan.LinesOf(&pieces{b, size}, f) }); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in pieces of %d: %d lines, want %d", size, len(got), len(want))
		}
		decodes(t, b)
	})
}
