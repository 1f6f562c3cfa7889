package npm

import (
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// indent counts leading spaces.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func unquote(s string) string { return strings.Trim(s, `"'`) }

// pnpmLock reads the importers (or, before version 6 without workspaces, the top level) line by line; packages deeper
// are transitive.
func pnpmLock(in stackparse.Input, out *stackparse.Result) {
	registry(out, 0, "pnpm-lock.yaml")
	section, group := "", ""
	groupAt, entryAt := 0, 0
	var last *stackparse.Fact
	in.ByteLines(func(line int, text []byte) {
		n := 0
		for n < len(text) && text[n] == ' ' {
			n++
		}
		if n > 0 && section != "importers" && (section != "packages" || n != 2) {
			return // nine lines of ten: what the packages are made of
		}
		t := strings.TrimSpace(string(text))
		if t == "" || t[0] == '#' || strings.HasPrefix(t, "<<<<<<<") || strings.HasPrefix(t, "=======") || strings.HasPrefix(t, ">>>>>>>") {
			return // of a conflict both sides are read
		}
		key, value, isKey := cutKey(t)
		if n == 0 {
			section, group = "", ""
			if isKey {
				section = key
			}
			if isGroup(key) {
				section, group, groupAt, entryAt = "importers", key, 0, 0
			}
			return
		}
		switch section {
		case "importers":
			switch {
			case isGroup(key) && (group == "" || n <= groupAt):
				group, groupAt, entryAt = key, n, 0
			case group != "" && n <= groupAt:
				group = ""
			case group != "" && (entryAt == 0 || n == entryAt) && isKey:
				entryAt = n
				f := stackparse.Fact{Kind: "npm", Name: key, Line: line, Version: value, Dev: group == "devDependencies"}
				if group == "optionalDependencies" {
					f.State = stackparse.Faint
				}
				if strings.HasPrefix(value, "link:") {
					out.Dependencies++
					last = nil
					return
				}
				out.Add(f)
				last = &out.Facts[len(out.Facts)-1]
			case last != nil && n > entryAt && (key == "specifier" || key == "version"):
				if real, ok := strings.CutPrefix(value, "npm:"); ok {
					last.Show = last.Name
					last.Name, last.Version = splitAt(real)
				} else if last.Version == "" {
					last.Version = version(value)
				}
			}
		case "packages":
			if n == 2 && isKey {
				out.Dependencies++
				name, v := pnpmKey(key)
				if in.Known("npm", name) {
					out.Facts = append(out.Facts, stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: v, Transitive: true})
				}
			}
		}
	})
}

func isGroup(key string) bool {
	return key == "dependencies" || key == "devDependencies" || key == "optionalDependencies"
}

func cutKey(t string) (key, value string, ok bool) {
	if len(t) > 0 && (t[0] == '\'' || t[0] == '"') {
		end := strings.IndexByte(t[1:], t[0])
		if end < 0 || !strings.HasPrefix(t[end+2:], ":") {
			return "", "", false
		}
		return t[1 : end+1], unquote(strings.TrimSpace(t[end+3:])), true
	}
	i := strings.Index(t, ": ")
	if i < 0 {
		if !strings.HasSuffix(t, ":") {
			return "", "", false
		}
		return t[:len(t)-1], "", true
	}
	return t[:i], unquote(strings.TrimSpace(t[i+2:])), true
}

// pnpmKey splits "/@scope/name@1.2.3(peer)", "/name/1.2.3_peer" and "name@1.2.3".
func pnpmKey(key string) (name, version string) {
	key = strings.TrimPrefix(key, "/")
	key, _, _ = strings.Cut(key, "(")
	if i := strings.LastIndexByte(key, '@'); i > 0 {
		return key[:i], key[i+1:]
	}
	if i := strings.LastIndexByte(key, '/'); i > 0 && !(key[0] == '@' && strings.Count(key, "/") == 1) {
		return key[:i], key[i+1:]
	}
	return key, ""
}

// yarnLock reads classic and berry lockfiles. Neither has a list of direct entries, but berry names the workspaces
// with their own dependencies.
func yarnLock(in stackparse.Input, out *stackparse.Result) {
	registry(out, 0, "yarn.lock")
	beside := in.Beside("package.json")
	workspace, deps := false, false
	in.ByteLines(func(line int, text []byte) {
		if len(text) == 0 || text[0] == '#' || text[0] == ' ' && !workspace {
			return // four lines of five: what the packages are made of
		}
		n := indent(string(text))
		t := strings.TrimSpace(string(text))
		if n == 0 {
			workspace, deps = strings.Contains(t, "@workspace:"), false
			if !strings.HasSuffix(t, ":") || strings.HasPrefix(t, "__metadata") {
				return
			}
			out.Dependencies++
			first, _, _ := strings.Cut(t, ",")
			name, spec := splitSpec(unquote(strings.TrimSuffix(first, ":")))
			show := ""
			if real, ok := strings.CutPrefix(spec, "npm:"); ok && strings.Contains(real, "@") && !strings.HasPrefix(real, "^") {
				if r, _ := splitAt(real); r != "" {
					show, name = name, r
				}
			}
			if !workspace && in.Known("npm", name) {
				f := stackparse.Fact{Kind: "npm", Name: name, Show: show, Line: line, State: stackparse.Faint, Transitive: beside}
				out.Facts = append(out.Facts, f)
			}
			return
		}
		if n == 2 {
			deps = t == "dependencies:"
			return
		}
		if deps && n == 4 {
			key, value, ok := cutKey(t)
			if !ok || strings.HasPrefix(value, "workspace:") {
				return
			}
			// The lockfile does not tell development from production; the manifests do.
			f := stackparse.Fact{Kind: "npm", Name: key, Line: line, Version: version(strings.TrimPrefix(value, "npm:")), State: stackparse.Faint, Transitive: beside}
			if real, ok := strings.CutPrefix(value, "npm:"); ok && strings.LastIndexByte(real, '@') > 0 {
				f.Show = f.Name
				f.Name, f.Version = splitAt(real)
			}
			if in.Known("npm", f.Name) {
				out.Facts = append(out.Facts, f)
			}
		}
	})
}

func splitSpec(s string) (name, spec string) {
	if len(s) < 2 {
		return s, ""
	}
	if i := strings.IndexByte(s[1:], '@'); i >= 0 {
		return s[:i+1], s[i+2:]
	}
	return s, ""
}

func bunLock(in stackparse.Input, out *stackparse.Result) {
	registry(out, 0, "bun.lock")
	s := in.Stream()
	direct := map[string]bool{}
	s.Object(func(key string, _ int) {
		switch key {
		case "workspaces":
			s.Object(func(_ string, _ int) {
				s.Object(func(key string, _ int) {
					if !isGroup(key) {
						return
					}
					s.Object(func(name string, line int) {
						spec := s.Text()
						direct[name] = true
						f := stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: version(spec), Dev: key == "devDependencies"}
						if key == "optionalDependencies" {
							f.State = stackparse.Faint
						}
						dependency(f, spec, out)
					})
				})
			})
		case "packages":
			s.Object(func(name string, line int) {
				out.Dependencies++
				if !direct[name] && in.Known("npm", name) {
					out.Facts = append(out.Facts, stackparse.Fact{Kind: "npm", Name: name, Line: line, Transitive: true})
				}
			})
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
}

func denoJSON(in stackparse.Input, out *stackparse.Result) {
	n, probs := scan.JSON(in.Data)
	out.Problems(probs)
	imports := func(_ string, line int, v *scan.Node) { denoSpecifier(v.Str(), line, out) }
	n.Get("imports").Each(imports)
	n.Get("scopes").Each(func(_ string, _ int, v *scan.Node) { v.Each(imports) })
	n.Get("tasks").Each(func(_ string, line int, v *scan.Node) { script(v.Str(), line, in, out) })
	if n.Get("deploy") != nil {
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "deno", Service: "deploy", Name: "deploy", Line: n.Get("deploy").Line})
	}
}

func denoSpecifier(spec string, line int, out *stackparse.Result) {
	switch {
	case out.Full():
	case strings.HasPrefix(spec, "npm:"):
		name, v := splitAt(strings.TrimPrefix(strings.TrimPrefix(spec, "npm:"), "/"))
		if i := strings.IndexByte(v, '/'); i >= 0 {
			v = v[:i]
		}
		out.Add(stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: v})
		registry(out, line, "npm:")
	case strings.HasPrefix(spec, "jsr:"):
		out.Add(stackparse.Fact{Kind: stackparse.KindRegistry, Provider: "jsr", Name: spec, Line: line})
		name, v := splitAt(strings.TrimPrefix(strings.TrimPrefix(spec, "jsr:"), "/")) // vendors have the same names there
		out.Add(stackparse.Fact{Kind: "npm", Name: name, Line: line, Version: v})
	case strings.Contains(spec, "esm.sh/"):
		_, rest, _ := strings.Cut(spec, "esm.sh/")
		rest = strings.TrimPrefix(rest, "v135/")
		name, _ := splitAt(rest)
		out.Add(stackparse.Fact{Kind: "npm", Name: name, Line: line})
	}
}

func denoLock(in stackparse.Input, out *stackparse.Result) {
	s := in.Stream()
	if s.Peek() != scan.Map {
		out.Warn(s.Line(), "deno.lock: an object is expected")
		return
	}
	beside := in.Beside("deno.json") || in.Beside("deno.jsonc")
	specifiers := func() {
		s.Object(func(key string, line int) {
			at := len(out.Facts)
			denoSpecifier(key, line, out)
			for i := at; i < len(out.Facts); i++ {
				if out.Facts[i].Kind == "npm" {
					out.Facts[i].State, out.Facts[i].Transitive = stackparse.Faint, beside
				}
			}
		})
	}
	s.Object(func(key string, _ int) {
		switch key {
		case "specifiers":
			specifiers()
		case "packages": // until version 3
			s.Object(func(key string, _ int) {
				if key == "specifiers" {
					specifiers()
				}
			})
		}
	})
	if s.Problem != nil {
		out.Warn(s.Problem.Line, "%s", s.Problem.Summary)
	}
}
