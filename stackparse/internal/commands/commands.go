// Package commands finds the command lines by which pipelines and scripts run a tool against its vendor.
package commands

import (
	"path"
	"strings"

	"downwind/internal/pattern"
)

// most bounds the words of a command that are looked up.
const most = 4

// A Command is a tool with the words after it.
type Command struct {
	// Name is the tool and up to three words, without flags where the catalogue knows it so.
	Name string
	// Show is what stands in the line: the tool, the word after it, and of the command lines of clouds what is done
	// ("aws ecs update-service").
	Show string
	// Region is the value of --region, --location, --zone and their like behind it, as Region returns it.
	Region string
}

// A Finder finds commands in one line after the other.
type Finder struct {
	known func(name string) bool
	words []word
}

// New returns a Finder of the commands that known holds to be those of a vendor. With a space behind a tool it is asked for any
// command of that tool.
func New(known func(name string) bool) *Finder { return &Finder{known: known} }

// Find returns the commands of a line. A tool that is known by itself counts only where a command can stand, so that its name in
// prose or as an argument is none.
func (f *Finder) Find(line string) (out []Command) {
	f.words = split(line, f.words[:0])
	for i, w := range f.words {
		tool := toolName(w.text)
		if tool == "" {
			continue
		}
		rest := f.words[i+1:]
		name, ok := tool, f.known(tool)
		if ok && !starts(f.words[:i]) {
			continue
		}
		if len(rest) > 0 && f.known(spaced(line, w, tool)) {
			forms := phrases(tool, rest)
			if ok {
				name = forms[1]
			}
			for _, form := range forms {
				if !ok && f.known(form) {
					name, ok = form, true
				}
			}
		}
		if !ok {
			continue
		}
		end := w.end
		if name != tool && len(rest) > 0 {
			end = rest[0].end
			if len(rest) > 1 && verbose[tool] && verb.MatchString(rest[0].text) && end+1 == rest[1].start && verb.MatchString(rest[1].text) {
				end = rest[1].end
			}
		}
		region := Region(line[w.start:])
		out = append(out, Command{Name: name, Show: line[w.start:end], Region: region})
		out = append(out, f.with(tool, name, rest, region)...)
	}
	return out
}

// spaced is the tool that a word names with a space behind it, as it mostly stands in the line.
func spaced(line string, w word, tool string) string {
	if len(tool) == len(w.text) && line[w.end] == ' ' {
		return line[w.start : w.end+1]
	}
	return tool + " "
}

// with are the flags of a command that say what else it makes use of ("gcloud --set-secrets"), where known has them;
// found is the command, which may be known by a flag itself. A tool that is known by itself is known with any flag.
func (f *Finder) with(tool, found string, rest []word, region string) (out []Command) {
	if f.known(tool) {
		return nil
	}
	for _, w := range rest {
		if joint(w.text) {
			break
		}
		flag, _, _ := strings.Cut(w.text, "=")
		if name := tool + " " + flag; strings.HasPrefix(flag, "--") && !strings.HasPrefix(found, name) && f.known(name) {
			out = append(out, Command{Name: name, Show: flag, Region: region})
		}
	}
	return out
}

// verbose are tools whose third word says what is done, after what it is done to.
var verbose = map[string]bool{"aws": true, "gcloud": true, "az": true, "doctl": true, "oci": true, "linode-cli": true, "scw": true, "wrangler": true}

// verb is a word that can say so.
var verb = pattern.New(`^[a-z][a-z0-9-]+$`)

// Region returns the value of the flag that says where a command works, "" where there is none. It may be the name of a
// variable ("$REGION", "${{ env.REGION }}"), or several with commas between them.
func Region(line string) string {
	for _, flag := range []string{"--region", "--regions", "--region-id", "--location", "--zone", "-l", "-r"} {
		if len(flag) == 2 && !short[flag+" "+line[:max(strings.IndexByte(line, ' '), 0)]] {
			continue
		}
		value := flagged(line, flag)
		if value == "" {
			continue
		}
		if flag == "--regions" {
			return strings.Join(places.FindAllString(valuesOf(value), -1), ",")
		}
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			if inner, _, closed := strings.Cut(value[1:], value[:1]); closed && !strings.ContainsAny(inner, "${<") {
				return inner // a name of several words
			}
			value = value[1:]
		}
		if m := variable.FindString(value); m != "" {
			return m
		}
		return listed(value)
	}
	return ""
}

// flagged is what follows a flag and is its value, "" where the line has none.
func flagged(line, flag string) string {
	for rest := line; ; {
		before, after, ok := strings.Cut(rest, flag)
		if !ok || after == "" {
			return ""
		}
		if (after[0] == ' ' || after[0] == '=') && (len(flag) > 2 || strings.HasSuffix(before, " ")) {
			return strings.TrimLeft(after, " =")
		}
		rest = after
	}
}

// listed is the first word of a text, with the places that commas join to it.
func listed(text string) string {
	if i := strings.IndexAny(text, " \"'\\;&|)]"); i >= 0 {
		text = text[:i]
	}
	first, more, _ := strings.Cut(text, ",")
	for part := range strings.SplitSeq(more, ",") {
		if !verb.MatchString(part) {
			break
		}
		first += "," + part
	}
	return first
}

// places are names of places or of variables among the words of a flag.
var places = pattern.New(`\$\{?\w+\}?|[a-z][a-z0-9-]+`)

// valuesOf are the words of a flag, up to the next.
func valuesOf(text string) string {
	if i := strings.Index(text, " -"); i >= 0 {
		text = text[:i]
	}
	if i := strings.IndexAny(text, "|;&\\"); i >= 0 {
		text = text[:i]
	}
	return text
}

// short are the tools to which a flag of one letter means a place.
var short = map[string]bool{"-l az": true, "-r ibmcloud": true, "-r serverless": true, "-r sls": true, "-r fly": true, "-r flyctl": true}

// variable is the name of a variable, in the ways of shells and pipelines.
var variable = pattern.New(`^(?:\$\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$[(\[][\w.]+[)\]]|\$\w+|<<[^<>]*>>|\{\{[^{}]*\}\})`)

type word struct {
	text       string
	start, end int
}

// cuts are the bytes between words.
var cuts = [256]bool{' ': true, '\t': true, ';': true, '&': true, '|': true, '(': true, ')': true, '`': true, '"': true, '\'': true, '[': true, ']': true, ',': true}

// split appends the words of a line, cut at spaces and at what joins commands; a joint is a word of its own.
func split(line string, out []word) []word {
	for i := 0; i < len(line); {
		start := i
		for i < len(line) && !cuts[line[i]] {
			i++
		}
		if i == start {
			i++
		}
		if text := line[start:i]; joint(text) || !cuts[text[0]] {
			out = append(out, word{text, start, i})
		}
	}
	return out
}

// toolName is the name of a tool without its folder and version, "" for what can be none.
func toolName(w string) string {
	if w[0] == '-' || w[0] == '$' {
		return ""
	}
	folder := false
	for i := range len(w) {
		switch w[i] {
		case '=', '{', '}', '#':
			return ""
		case '/':
			folder = true
		}
	}
	if folder && w[0] != '@' {
		w = path.Base(w)
	}
	if i := strings.IndexByte(w, '@'); i > 0 {
		w = w[:i]
	}
	return w
}

// launchers run the tool that follows them.
var launchers = map[string]bool{
	"npx": true, "pnpx": true, "bunx": true, "pnpm": true, "yarn": true, "bun": true, "exec": true, "dlx": true, "x": true, "sudo": true, "time": true,
	"env": true, "bundle": true, "poetry": true, "uv": true, "uvx": true, "pipx": true, "run": true, "php": true, "then": true, "do": true, "else": true, "npm": true, "xargs": true, "cross-env": true,
}

// joint says whether a word joins two commands.
func joint(w string) bool { return len(w) == 1 && strings.Contains(";&|()`", w) }

// starts says whether a command can begin after the words before.
func starts(before []word) bool {
	for i := len(before) - 1; i >= 0; i-- {
		w := before[i].text
		if strings.HasPrefix(w, "-") && i > 0 || strings.Contains(w, "=") {
			continue
		}
		return launchers[w] || w == "-" || joint(w) && w != ")"
	}
	return true
}

// phrases are the forms in which a tool's words may be known: as they stand, without flags, and without flags and their values.
func phrases(tool string, rest []word) []string {
	plain, bare, valueless := []string{tool}, []string{tool}, []string{tool}
	skip := false
	for _, w := range rest[:min(len(rest), 2*most)] {
		t := w.text
		if joint(t) {
			break
		}
		if len(plain) < most {
			plain = append(plain, t)
		}
		flag := strings.HasPrefix(t, "-")
		if !flag && t != "beta" && t != "alpha" && len(bare) < most {
			bare = append(bare, t)
		}
		if !flag && !skip && len(valueless) < most {
			valueless = append(valueless, t)
		}
		skip = flag && !strings.Contains(t, "=")
	}
	return []string{strings.Join(plain, " "), strings.Join(bare, " "), strings.Join(valueless, " ")}
}
