package web

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"downwind"
)

// Cards are the pictures that chat programs and social pages show beside a link: the title, and the time line or the last
// ninety days. Provider text reaches them as drawn letters only.

// The size that Open Graph readers expect, and the margin.
const (
	cardWidth, cardHeight = 1200, 630
	cardLeft              = 72
	cardInner             = cardWidth - 2*cardLeft
)

// cardColours are those of the light pages.
var cardColours = sync.OnceValue(func() map[string]color.RGBA {
	return map[string]color.RGBA{
		"paper": {0xfa, 0xf9, 0xf6, 0xff}, "ink": {0x1c, 0x21, 0x26, 0xff}, "soft": {0x56, 0x5e, 0x66, 0xff}, "line": {0xde, 0xdb, 0xd3, 0xff},
		"accent": {0x12, 0x59, 0x5b, 0xff}, "crit": {0xa3, 0x20, 0x1a, 0xff}, "major": {0xc9, 0x7a, 0x1c, 0xff}, "minor": {0xb8, 0x9a, 0x20, 0xff},
		"watch": {0x2c, 0x52, 0x82, 0xff}, "ok": {0x1f, 0x6a, 0x43, 0xff}, "work": {0x47, 0x59, 0x64, 0xff}, "calm": {0x47, 0x59, 0x64, 0xff}, "page": {0xb7, 0xbf, 0xc6, 0xff},
		"window": {0xa3, 0x20, 0x1a, 0xff}, "guess": {0xb8, 0x9a, 0x20, 0xff}, "replay": {0x12, 0x59, 0x5b, 0xff}, "h0": {0xea, 0xee, 0xf1, 0xff}, "hn": {0xc9, 0xd1, 0xd8, 0xff},
		"h1": {0xd9, 0xc1, 0x4f, 0xff}, "h2": {0xdd, 0x93, 0x3a, 0xff}, "h3": {0xa3, 0x20, 0x1a, 0xff},
	}
})

// cardFonts are parsed at the first card.
var cardFonts = sync.OnceValues(func() ([2]*opentype.Font, error) {
	var fonts [2]*opentype.Font
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			return fonts, fmt.Errorf("font of cards: %w", err)
		}
		fonts[i] = f
	}
	return fonts, nil
})

// A canvas is a card in the making.
type canvas struct {
	img   *image.RGBA
	fonts [2]*opentype.Font
}

func newCanvas() (*canvas, error) {
	fonts, err := cardFonts()
	if err != nil {
		return nil, err
	}
	c := &canvas{img: image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight)), fonts: fonts}
	c.box(0, 0, cardWidth, cardHeight, "paper")
	return c, nil
}

// box fills a rectangle.
func (c *canvas) box(x, y, w, h int, colour string) {
	draw.Draw(c.img, image.Rect(x, y, x+w, y+h), image.NewUniform(cardColours()[colour]), image.Point{}, draw.Src)
}

// frame draws the border of a rectangle.
func (c *canvas) frame(x, y, w, h int, colour string) {
	const thick = 3
	c.box(x, y, w, thick, colour)
	c.box(x, y+h-thick, w, thick, colour)
	c.box(x, y, thick, h, colour)
	c.box(x+w-thick, y, thick, h, colour)
}

func (c *canvas) face(size float64, bold bool) (font.Face, error) {
	f := c.fonts[0]
	if bold {
		f = c.fonts[1]
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
}

// text writes one line with its base at y and returns where it ends.
func (c *canvas) text(x, y int, size float64, bold bool, colour, words string) (int, error) {
	face, err := c.face(size, bold)
	if err != nil {
		return x, err
	}
	d := font.Drawer{Dst: c.img, Src: image.NewUniform(cardColours()[colour]), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(drawable(face, words))
	return d.Dot.X.Ceil(), face.Close()
}

// drawable drops the letters that the font does not have.
func drawable(face font.Face, words string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if _, ok := face.GlyphAdvance(r); !ok {
			return -1
		}
		return r
	}, oneLine(words))), " ")
}

// lines breaks words into at most n lines that fit the card; what is left over ends in an ellipsis.
func (c *canvas) lines(size float64, n int, words string) ([]string, error) {
	face, err := c.face(size, true)
	if err != nil {
		return nil, err
	}
	var out []string
	line := ""
	for _, word := range strings.Fields(drawable(face, words)) {
		longer := strings.TrimSpace(line + " " + word)
		switch {
		case font.MeasureString(face, longer).Ceil() <= cardInner:
			line = longer
		case len(out) == n-1:
			return append(out, clip(line, max(1, len(line)-1))+"…"), face.Close()
		default:
			if line != "" {
				out = append(out, line)
			}
			line = clip(word, 40)
		}
	}
	return append(out, line), face.Close()
}

// head writes what every card begins with: a band in the tone, the name, the state, the title. It returns where it ends.
func (c *canvas) head(tone, name, state, title string) (int, error) {
	c.box(0, 0, 24, cardHeight, tone)
	x, err := c.text(cardLeft, 96, 34, true, "accent", clip(oneLine(name), 40))
	if err != nil {
		return 0, err
	}
	if _, err := c.text(x+28, 96, 30, false, tone, state); err != nil {
		return 0, err
	}
	lines, err := c.lines(56, 3, title)
	if err != nil {
		return 0, err
	}
	y := 104
	for _, line := range lines {
		y += 68
		if _, err := c.text(cardLeft, y, 56, true, "ink", line); err != nil {
			return 0, err
		}
	}
	return y, nil
}

func (c *canvas) foot(words string) error {
	if _, err := c.text(cardLeft, cardHeight-44, 26, false, "soft", words); err != nil {
		return err
	}
	_, err := c.text(cardWidth-cardLeft-128, cardHeight-44, 26, true, "accent", "downwind")
	return err
}

func (c *canvas) encode() ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := e.Encode(&b, c.img); err != nil {
		return nil, fmt.Errorf("card: %w", err)
	}
	return b.Bytes(), nil
}

// drawLine draws the lanes of a time line below y.
func (c *canvas) drawLine(t *timeline, y int) error {
	const lane = 64
	y += 44
	bottom := min(y+lane*len(t.Lanes), cardHeight-130)
	for _, k := range t.Ticks {
		x := cardLeft + int(k.X/100*cardInner)
		c.box(x, y, 2, bottom-y, "line")
		if _, err := c.text(min(x-30, cardWidth-cardLeft-70), bottom+30, 24, false, "soft", k.Label); err != nil {
			return err
		}
	}
	for _, l := range t.Lanes {
		if y+lane > bottom {
			break
		}
		if _, err := c.text(cardLeft, y+24, 22, false, "soft", l.Label); err != nil {
			return err
		}
		for _, b := range l.Bars {
			x, w := cardLeft+int(b.X/100*cardInner), max(6, int(b.W/100*cardInner))
			if l.Class == "replay" {
				c.frame(x, y+32, w, 24, "replay")
			} else {
				c.box(x, y+32, w, 24, l.Class)
			}
		}
		for _, m := range l.Marks {
			c.box(cardLeft+int(m.X/100*cardInner)-4, y+28, 8, 32, "work")
		}
		y += lane
	}
	c.box(cardLeft, bottom, cardInner, 2, "soft")
	return nil
}

// incidentCard draws an incident.
func (s *Server) incidentCard(rec downwind.IncidentRecord) ([]byte, error) {
	inc, g := &rec.Incident, s.opt.Explain(rec, nil)
	c, err := newCanvas()
	if err != nil {
		return nil, err
	}
	state := phaseWord(inc.Phase)
	if inc.Kind == downwind.KindIncident {
		state += ", " + impactWord(inc.Impact)
	}
	y, err := c.head(toneOf(inc), s.providerName(inc.Provider), state, inc.Title)
	if err != nil {
		return nil, err
	}
	if t := drawTimeline(rec, g, s.now()); t != nil {
		if err := c.drawLine(t, y); err != nil {
			return nil, err
		}
	}
	foot := shortTime(began(rec))
	for _, w := range g.Windows {
		if w.Source == downwind.FromProse {
			foot = "By its words: " + periodWords(w.Start, w.End)
			break
		}
	}
	if err := c.foot(foot); err != nil {
		return nil, err
	}
	return c.encode()
}

func (s *Server) showIncidentCard(w http.ResponseWriter, r *http.Request) error {
	rec, format, err := s.findIncident(r)
	if err != nil {
		return err
	}
	if format != "" {
		return downwind.ErrNotFound
	}
	key := fmt.Sprintf("%s %d", rec.Incident.Key(), rec.VersionID)
	return s.writeCard(w, r, key, rec.Incident.Phase.Over(), func() ([]byte, error) { return s.incidentCard(rec) })
}

// showProviderCard draws a provider's last ninety days.
func (s *Server) showProviderCard(w http.ResponseWriter, r *http.Request) error {
	p, err := s.knownProvider(r.PathValue("slug"))
	if err != nil {
		return err
	}
	return s.writeCard(w, r, "", false, func() ([]byte, error) {
		v, err := s.providerView(r, p)
		if err != nil {
			return nil, err
		}
		return providerCard(v)
	})
}

func providerCard(v *providerView) ([]byte, error) {
	c, err := newCanvas()
	if err != nil {
		return nil, err
	}
	tone, title := "ok", "Reports nothing open"
	switch {
	case len(v.Open) > 0:
		tone, title = v.Open[0].Tone(), countWord(len(v.Open), "open incident", "open incidents")
	case v.SourceWord != "read":
		tone, title = "calm", "Its status page "+v.SourceWord
		if v.SourceWord == "not read yet" || v.SourceWord == "stale" {
			title = "Its status page is " + v.SourceWord
		}
	}
	if _, err := c.head(tone, v.Name, "", title); err != nil {
		return nil, err
	}
	const width, height, gapX, gapY = 58, 34, 16, 6
	for i, week := range v.Heat.Weeks {
		for j, day := range week.Days {
			if day.In {
				c.box(cardLeft+i*(width+gapX), 226+j*(height+gapY), width, height, day.Class)
			}
		}
	}
	foot := fmt.Sprintf("Last %d days: %s", v.Heat.Days, countWord(v.Heat.Incidents, "incident", "incidents"))
	if err := c.foot(foot); err != nil {
		return nil, err
	}
	return c.encode()
}

// cardCache keeps cards of what is over; it forgets all when it is full.
type cardCache struct {
	mu    sync.Mutex
	cards map[string][]byte
}

// cardSlots bounds the cards kept, about 30 kB each.
const cardSlots = 200

func (c *cardCache) get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, ok := c.cards[key]
	return body, ok
}

func (c *cardCache) put(key string, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cards == nil || len(c.cards) >= cardSlots {
		c.cards = map[string][]byte{}
	}
	c.cards[key] = body
}

// writeCard sends a card, from memory where it does not change any more.
func (s *Server) writeCard(w http.ResponseWriter, r *http.Request, key string, keep bool, make func() ([]byte, error)) error {
	body, ok := s.drawn.get(key)
	if !ok || !keep {
		var err error
		if body, err = make(); err != nil {
			return err
		}
		if keep {
			s.drawn.put(key, body)
		}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	return answer(w, r, "image/png", body)
}
