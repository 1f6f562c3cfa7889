package web_test

import (
	"bytes"
	"html"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var ogImage = regexp.MustCompile(`property="og:image" content="([^"]+)"`)

// TestCards follows the addresses of the pictures for previews of links and reads them.
func TestCards(t *testing.T) {
	server, _ := site(t, hostile)
	for name, path := range map[string]string{
		"incident": "/incidents/lumen-voice/k03ne", "open": "/incidents/lumen-voice/vq7d2", "guess": "/incidents/quaymail/m-4471", "work": "/incidents/kestrel-db/mw-88",
		"provider": "/providers/lumen-voice", "unreadable": "/providers/halyard-dns", "hostile": hostilePath,
	} {
		_, page := get(t, server.URL+path)
		m := ogImage.FindStringSubmatch(page)
		if m == nil || !strings.HasPrefix(m[1], server.URL) {
			t.Errorf("%s names no picture of ours: %v", path, m)
			continue
		}
		address := html.UnescapeString(m[1])
		resp, body := get(t, address)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "image/png" {
			t.Errorf("%s: status %d, type %s", m[1], resp.StatusCode, resp.Header.Get("Content-Type"))
			continue
		}
		img, err := png.Decode(bytes.NewReader([]byte(body)))
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		colours := map[[3]uint32]bool{}
		for x := range img.Bounds().Dx() {
			for y := range img.Bounds().Dy() {
				r, g, b, _ := img.At(x, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
		}
		if size := img.Bounds().Size(); size.X != 1200 || size.Y != 630 || len(colours) < 20 || len(body) > 100<<10 {
			t.Errorf("%s: %v, %d colours, %d bytes", m[1], size, len(colours), len(body))
		}
		if dir := os.Getenv("DOWNWIND_SHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, "card-"+name+".png"), []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, path := range []string{"/incidents/lumen-voice/nothing/card.png", "/providers/nobody-at-all/card.png", "/incidents/lumen-voice/k03ne.md/card.png"} {
		if resp, _ := get(t, server.URL+path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
}
