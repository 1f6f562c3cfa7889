package scan_test

import (
	"bytes"
	"testing"

	"downwind/stackparse/internal/scan"
)

func TestTreesAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		read func([]byte) (*scan.Node, []scan.Problem)
		text string
	}{
		"JSON": {scan.JSON, `{"a": "b"}`},
		"TOML": {scan.TOML, "a = \"b\"\n"},
		"XML":  {scan.XML, "<a>b</a>"},
	} {
		if n, probs := c.read([]byte(c.text)); n.Get("a").Str() != "b" || len(probs) != 0 {
			t.Errorf("%s: %+v, %+v", name, n, probs)
		}
		large := append([]byte(c.text), bytes.Repeat([]byte("\n"), 16<<20)...)
		if n, probs := c.read(large); n.Get("a") != nil || len(probs) != 1 || probs[0].Summary != "more than 16 MB of "+name+": not read" {
			t.Errorf("%s of 16 MB: %+v, %+v", name, n, probs)
		}
	}
}
