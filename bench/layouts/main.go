// Command layouts draws pictures of the real layouts for docs/: it renders the golden payloads of notify/slack and
// notify/discord to HTML as the platforms show them, and photographs them in a headless Chromium.
//
//	go run ./bench/layouts -out docs/img
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// layout is one picture.
type layout struct {
	// platform is the folder under notify, golden the name of its golden files, in order.
	platform, name string
	golden         []string
}

var layouts = []layout{
	{"slack", "new", []string{"new-root"}},
	{"slack", "thread", []string{"update-reply", "severity-reply"}},
	{"slack", "resolved", []string{"resolved-reply"}},
	{"slack", "postmortem", []string{"postmortem-reply"}},
	{"slack", "edit", []string{"edit-reply"}},
	{"slack", "maintenance", []string{"maintenance-root"}},
	{"slack", "reminder", []string{"reminder-reply"}},
	{"slack", "stack", []string{"stack"}},
	{"discord", "new", []string{"new-root"}},
	{"discord", "thread", []string{"update-reply", "severity-reply"}},
	{"discord", "resolved", []string{"resolved-reply"}},
	{"discord", "postmortem", []string{"postmortem-reply"}},
	{"discord", "edit", []string{"edit-reply"}},
	{"discord", "maintenance", []string{"maintenance-root"}},
	{"discord", "reminder", []string{"reminder-reply"}},
	{"discord", "stack", []string{"stack"}},
}

func main() {
	out := flag.String("out", "docs/img", "folder for the pictures")
	root := flag.String("root", ".", "root of the module")
	chromium := flag.String("chromium", "/usr/bin/chromium", "the browser")
	flag.Parse()
	if err := run(*root, *out, *chromium); err != nil {
		fmt.Fprintln(os.Stderr, "layouts:", err)
		os.Exit(1)
	}
}

func run(root, out, chromium string) error {
	if _, err := os.Stat(chromium); err != nil {
		return fmt.Errorf("no browser at %s: install Debian's package chromium or name another with -chromium", chromium)
	}
	dir, err := os.MkdirTemp("", "layouts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, l := range layouts {
		page, err := render(root, l)
		if err != nil {
			return fmt.Errorf("%s %s: %w", l.platform, l.name, err)
		}
		file := filepath.Join(dir, l.platform+"-"+l.name+".html")
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			return err
		}
		if err := photograph(chromium, dir, file, filepath.Join(out, l.platform+"-"+l.name+".png")); err != nil {
			return fmt.Errorf("photograph %s %s: %w", l.platform, l.name, err)
		}
	}
	return nil
}

// backdrop is the colour of the page around the picture, by which it is cut out.
var backdrop = color.RGBA{R: 255, G: 0, B: 255, A: 255}

// width and height are of the window; no picture is taller.
const width, height = 720, 3000

// photograph writes the page as a picture, cut to its content.
func photograph(chromium, dir, page, out string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	shot := filepath.Join(dir, "shot.png")
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--screenshot="+shot, fmt.Sprintf("--window-size=%d,%d", width, height), "file://"+page)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, msg)
	}
	f, err := os.Open(shot)
	if err != nil {
		return err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return err
	}
	bottom := img.Bounds().Max.Y
	for bottom > 0 && color.RGBAModel.Convert(img.At(0, bottom-1)) == backdrop {
		bottom--
	}
	small := image.NewPaletted(image.Rect(0, 0, width, bottom), palette.Plan9)
	draw.Draw(small, small.Bounds(), img, image.Point{}, draw.Src)
	w, err := os.Create(out)
	if err != nil {
		return err
	}
	defer w.Close()
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(w, small); err != nil {
		return err
	}
	return w.Close()
}

// render renders the messages of one picture to a page.
func render(root string, l layout) (string, error) {
	var body strings.Builder
	for _, name := range l.golden {
		raw, err := os.ReadFile(filepath.Join(root, "notify", l.platform, "testdata", name+".json"))
		if err != nil {
			return "", err
		}
		var part string
		switch l.platform {
		case "slack":
			part, err = slackHTML(raw)
		case "discord":
			part, err = discordHTML(raw)
		default:
			err = errors.New("unknown platform")
		}
		if err != nil {
			return "", err
		}
		body.WriteString(part)
	}
	return "<!DOCTYPE html><meta charset=utf-8><style>" + css + "</style><div id=picture class=" + l.platform + ">" + body.String() + "</div>", nil
}

// css is only as close to the platforms as a picture needs.
const css = `
*{box-sizing:border-box} body{margin:0;background:#f0f} #picture{width:720px;padding:16px 20px}
.msg{display:flex;gap:10px;margin-bottom:18px} .face{flex:none;width:38px;height:38px;border-radius:8px;background:#1d4f91;color:#fff;font:700 20px/38px sans-serif;text-align:center}
.who{font-weight:700;margin-bottom:4px} .who small{font-weight:400;color:#777;margin-left:6px} .all{flex:1;min-width:0;overflow-wrap:anywhere}
.slack{background:#fff;color:#1d1c1d;font:15px/1.46 Lato,"Noto Sans","DejaVu Sans",sans-serif}
.slack h1{font-size:18px;margin:4px 0 8px;line-height:1.3} .slack p{margin:0 0 8px} .slack .ctx{font-size:13px;color:#616061;margin:0 0 8px}
.slack code{font:13px monospace;background:#f6f6f6;border:1px solid #ddd;border-radius:3px;padding:0 3px;color:#b3184a}
blockquote{margin:2px 0;padding-left:12px;border-left:4px solid #ddd} .discord blockquote{border-color:#4e5058}
.btn{display:inline-block;border:1px solid #bbb;border-radius:4px;padding:4px 12px;margin:0 8px 8px 0;font-weight:700;font-size:13px}
.discord{background:#313338;color:#dbdee1;font:15px/1.4 "gg sans","Noto Sans","DejaVu Sans",sans-serif} .discord .face{border-radius:50%}
.embed{background:#2b2d31;border-left:4px solid;border-radius:4px;padding:10px 14px;font-size:14px} .embed h1{font-size:16px;margin:0 0 6px;color:#00a8fc}
.embed .f{margin-top:8px} .embed .f b.n{display:block;color:#f2f3f5} .embed footer{margin-top:10px;font-size:12px;color:#b5bac1}
.discord code{font:13px monospace;background:#1e1f22;border-radius:3px;padding:0 3px} .discord pre{font:13px monospace;background:#1e1f22;border-radius:4px;padding:8px;white-space:pre-wrap;margin:6px 0}
.discord .btn{background:#4e5058;border:0;color:#fff;font-weight:500;margin-top:8px} time{background:rgba(128,128,128,.18);border-radius:3px;padding:0 2px} pre .add{color:#7ee787} pre .del{color:#ff7b72}
`

func frame(inner string) string {
	return "<div class=msg><div class=face>D</div><div class=all><div class=who>Downwind<small>APP</small></div>" + inner + "</div></div>"
}

// slackHTML renders blocks.
func slackHTML(raw []byte) (string, error) {
	type text struct{ Type, Text string }
	var m struct {
		Blocks []struct {
			Type     string
			Text     text
			Elements []json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, bl := range m.Blocks {
		switch bl.Type {
		case "header":
			b.WriteString("<h1>" + html.EscapeString(bl.Text.Text) + "</h1>")
		case "section":
			b.WriteString("<p>" + mrkdwn(bl.Text.Text) + "</p>")
		case "context":
			for _, e := range bl.Elements {
				var t text
				if err := json.Unmarshal(e, &t); err != nil {
					return "", err
				}
				b.WriteString("<div class=ctx>" + mrkdwn(t.Text) + "</div>")
			}
		case "actions":
			for _, e := range bl.Elements {
				var btn struct{ Text text }
				if err := json.Unmarshal(e, &btn); err != nil {
					return "", err
				}
				b.WriteString("<span class=btn>" + html.EscapeString(btn.Text.Text) + "</span>")
			}
		}
	}
	return frame(b.String()), nil
}

// discordHTML renders embeds and buttons.
func discordHTML(raw []byte) (string, error) {
	type button struct{ Label string }
	var m struct {
		Embeds []struct {
			Title, Description string
			Color              int
			Fields             []struct{ Name, Value string }
			Footer             struct{ Text string }
		}
		Components []struct{ Components []button }
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range m.Embeds {
		fmt.Fprintf(&b, "<div class=embed style='border-color:#%06x'><h1>%s</h1>%s", e.Color, markdown(e.Title), markdown(e.Description))
		for _, f := range e.Fields {
			b.WriteString("<div class=f><b class=n>" + markdown(f.Name) + "</b>" + markdown(f.Value) + "</div>")
		}
		b.WriteString("<footer>" + html.EscapeString(e.Footer.Text) + "</footer></div>")
	}
	for _, row := range m.Components {
		b.WriteString("<div>")
		for _, c := range row.Components {
			b.WriteString("<span class=btn>" + html.EscapeString(c.Label) + "</span>")
		}
		b.WriteString("</div>")
	}
	return frame(b.String()), nil
}
