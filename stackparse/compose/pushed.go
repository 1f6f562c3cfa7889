package compose

import (
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// builder says whether a file is that of a tool which builds images and puts them out: Buildx, Earthly, Tilt.
func builder(p string) bool {
	switch base := path.Base(p); base {
	case "Earthfile", "Tiltfile":
		return true
	default:
		return strings.HasPrefix(base, "docker-bake.") && (strings.HasSuffix(base, ".hcl") || strings.HasSuffix(base, ".json"))
	}
}

// reference is an image that names its registry, or a registry with a folder in it.
var reference = pattern.New(`(?:^|[\s"'=,(])((?:[a-z0-9-]+\.)+[a-z]{2,}/[\w./:-]+)`)

// pushed reads the images that such a tool makes.
func pushed(in stackparse.Input, out *stackparse.Result) {
	out.Kind = "images"
	scan.Lines(in.Data, func(line int, text string) {
		if t := strings.TrimSpace(text); t == "" || t[0] == '#' {
			return
		}
		for _, m := range reference.FindAllStringSubmatch(text, 8) {
			out.Add(stackparse.Fact{Kind: "image", Name: m[1], Line: line, State: stackparse.Loose})
		}
	})
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}
