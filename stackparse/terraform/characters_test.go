package terraform

import (
	"bytes"
	"testing"

	stand "github.com/apparentlymart/go-textseg/v15/textseg"
	"github.com/apparentlymart/go-textseg/v17/textseg"
)

// FuzzCharacters holds internal/textseg, which go.mod puts in the place of a library of HCL, against the newer version of it.
func FuzzCharacters(f *testing.F) {
	for _, s := range []string{"", "a", "ab", "\r\n", "\r\r\n", "e\u0301x", "a\u200d", "🇩🇪🇫", "👩‍👩‍👧 x", "\x80a", "a\xff", "한글", "\u0600a"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, atEOF bool) {
		n, got, err := stand.ScanGraphemeClusters(data, atEOF)
		m, want, errWant := textseg.ScanGraphemeClusters(data, atEOF)
		if n != m || !bytes.Equal(got, want) || err != errWant {
			t.Errorf("%q, %v: got %d %q %v, want %d %q %v", data, atEOF, n, got, err, m, want, errWant)
		}
	})
}
