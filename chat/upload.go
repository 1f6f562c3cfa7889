package chat

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
)

// Limits of an upload, the same over every way in.
const (
	MaxFiles     = 10
	MaxFileSize  = 5 << 20
	MaxTotalSize = 20 << 20
)

// Kinds of small values that are kept for a while.
const (
	tempBefore   = "chat-stack-before" // the stack before an import, for the discard button
	tempSettings = "chat-settings"
	tempDone     = "chat-done"
)

// A File is one uploaded file. Its bytes are read once and never kept.
type File struct {
	Name string
	Data []byte
	// Refused says why the platform's side could not read it; Data is then empty.
	Refused string
}

// Import reads files and pasted domains into the team's stack; with store false it shows what they hold and keeps nothing.
func (h *Handler) Import(ctx context.Context, who Caller, files []File, domains string, store bool) Answer {
	if !h.rate.take(who.Platform+who.Workspace+who.User, h.Clock.Now()) {
		return plainf("That was more than %d commands in a minute. Please wait a moment.", commandsPerMinute)
	}
	p, err := h.place(ctx, who)
	if err != nil {
		return h.failed(who, "find this channel's team", err)
	}
	if store {
		if a, ok := p.mayChange(); !ok {
			return a
		}
	}
	a, err := h.read(ctx, p, files, domains, store)
	if err != nil {
		return h.failed(who, "read the files", err)
	}
	h.logChange(p, "stack import", a)
	return a
}

func (h *Handler) read(ctx context.Context, p *place, files []File, domains string, store bool) (Answer, error) {
	if h.Stacks == nil {
		return plainf("This Downwind cannot read files."), nil
	}
	byName, refused := admit(files)
	hosts := splitDomains(domains)
	if len(byName) == 0 && len(hosts) == 0 {
		lines := append([][]notify.Run{words("There is nothing to read. Attach up to ", fmt.Sprintf("%d files", MaxFiles), " (package.json, lockfiles, go.mod, *.tf, .env, …) or paste domains.")}, refused...)
		return private(say(lines...)), nil
	}
	stack := downwind.Stack{}
	if len(byName) > 0 {
		stack = h.Stacks.ReadFiles(ctx, byName)
	}
	if len(hosts) > 0 {
		stack = mergeStacks(stack, h.Stacks.ReadDomains(ctx, hosts))
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if !store {
		m := h.stackMessage(p, stack, refused, "Nothing was stored.")
		m.Title = plural(len(stack.Providers), "provider") + " found"
		return private(m), nil
	}
	before := p.team.Stack
	merged := mergeStacks(before, stack)
	if err := h.Store.SaveStack(ctx, p.team.ID, merged, p.By(), h.Clock.Now()); err != nil {
		return Answer{}, err
	}
	p.team.Stack = merged
	key, err := h.remember(ctx, p, before)
	if err != nil {
		return Answer{}, err
	}
	return h.imported(ctx, p, stack, refused, key)
}

// remember keeps the stack before an import for a day, for Discard.
func (h *Handler) remember(ctx context.Context, p *place, before downwind.Stack) (string, error) {
	raw, err := json.Marshal(struct {
		Team  string
		Stack downwind.Stack
	}{p.team.ID, before})
	if err != nil {
		return "", err
	}
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	key := hex.EncodeToString(b[:])
	_, err = h.Store.PutTemp(ctx, tempBefore, key, raw, h.Clock.Now().Add(24*time.Hour))
	return key, err
}

// imported makes the answer to an import: the result, a choice of providers, and the button that subscribes.
func (h *Handler) imported(ctx context.Context, p *place, read downwind.Stack, refused [][]notify.Run, key string) (Answer, error) {
	m := h.stackMessage(p, read, refused, "Originals deleted, only the names below are kept.")
	a := Answer{Private: m}
	subs, err := h.Store.Subscriptions(ctx, p.dest.ID)
	if err != nil {
		return Answer{}, err
	}
	if len(read.Providers) > 0 {
		a.Public = say(words(bold(p.By()), fmt.Sprintf(" gave team %s a stack: %s, %s read.", p.team.Name,
			plural(len(p.team.Stack.Providers), "provider"), plural(len(read.Files), "file"))))
	}
	subscribed := false
	for _, s := range subs {
		subscribed = subscribed || s.Target == downwind.TargetStack || s.Target == downwind.TargetAll
	}
	switch {
	case subscribed:
		with(m, small(words("This channel is subscribed to the stack already; the new providers count from now on.")))
	case len(p.team.Stack.Providers) > 0:
		m.Actions = append(m.Actions, notify.Action{
			Label: "Subscribe this channel to " + plural(len(p.team.Stack.Providers), "provider"),
			ID:    notify.ActionID(verbYes, "subscribe stack"), Style: "primary",
		})
		a.Select = h.pickSelect(read)
	}
	m.Actions = append(m.Actions, notify.Action{Label: "Discard", ID: notify.ActionID(verbDiscard, key)})
	return a, nil
}

// pickSelect offers single providers, the sure ones first.
func (h *Handler) pickSelect(s downwind.Stack) *Select {
	sel := &Select{ID: notify.ActionID(verbPick, "stack"), Placeholder: "Or choose single providers"}
	for _, grade := range []downwind.Confidence{downwind.Sure, downwind.Likely, downwind.Guess} {
		for _, u := range s.Providers {
			if u.Confidence != grade || len(sel.Options) == 25 {
				continue
			}
			label := h.useName(u)
			if grade == downwind.Guess {
				label += " (guess)"
			}
			sel.Options = append(sel.Options, Choice{Label: label, Value: u.Provider, Description: strings.Join(matches(u, 3), ", ")})
		}
	}
	if len(sel.Options) == 0 {
		return nil
	}
	return sel
}

// admit checks number and size, and gives files plain names.
func admit(files []File) (map[string][]byte, [][]notify.Run) {
	out := map[string][]byte{}
	var refused [][]notify.Run
	total := 0
	for i, f := range files {
		name := fileName(f.Name)
		why := f.Refused
		switch {
		case why != "":
		case i >= MaxFiles:
			why = fmt.Sprintf("more than %d files", MaxFiles)
		case len(f.Data) > MaxFileSize:
			why = "larger than 5 MiB"
		case total+len(f.Data) > MaxTotalSize:
			why = "more than 20 MiB together"
		}
		if why != "" {
			refused = append(refused, words(code(name), " not read: ", their(why)))
			continue
		}
		total += len(f.Data)
		unique := name
		for n := 2; ; n++ {
			if _, taken := out[unique]; !taken {
				break
			}
			unique = fmt.Sprintf("%d/%s", n, name)
		}
		out[unique] = f.Data
	}
	return out, refused
}

// fileName strips paths and what could disturb a message from an uploaded file's name.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(clean(s), `\`, "/"))
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[len(s)-120:], "")
	}
	if s == "" || s == "." || s == "/" || s == ".." {
		return "file"
	}
	return s
}

// maxDomains bounds what is read of a pasted list.
const maxDomains = 500

// splitDomains reads hosts from pasted text: one or more a line, addresses too.
func splitDomains(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range tokenize(strings.ReplaceAll(s, ";", " ")) {
		for _, v := range t.values {
			got, err := target(v)
			if err != nil {
				continue
			}
			host := got.Text
			switch got.Kind {
			case TargetURL:
				_, host, _ = strings.Cut(host, "://")
				host, _, _ = strings.Cut(host, "/")
				host, _, _ = strings.Cut(host, "?")
				host, _, _ = strings.Cut(host, ":")
			case TargetDomain:
			default:
				continue
			}
			if host = strings.ToLower(host); host != "" && !seen[host] && len(out) < maxDomains {
				seen[host] = true
				out = append(out, host)
			}
		}
	}
	return out
}

// mergeStacks lays newly read files over a stack: a file of the same name is replaced, everything else stays.
func mergeStacks(old, add downwind.Stack) downwind.Stack {
	fresh := map[string]bool{}
	for _, f := range add.Files {
		fresh[f.Path] = true
	}
	keep := func(es []downwind.Evidence) []downwind.Evidence {
		var out []downwind.Evidence
		for _, e := range es {
			if !fresh[e.File] {
				out = append(out, e)
			}
		}
		return out
	}
	out := downwind.Stack{Dropped: add.Dropped, Unknown: append(keep(old.Unknown), add.Unknown...)}
	for _, f := range old.Files {
		if !fresh[f.Path] {
			out.Files = append(out.Files, f)
		}
	}
	out.Files = append(out.Files, add.Files...)
	for _, u := range old.Providers {
		stays := keep(u.Evidence)
		if len(stays) == 0 && len(u.Evidence) > 0 && !u.Manual {
			continue
		}
		u.Evidence = stays
		out.Providers = append(out.Providers, u)
	}
	for _, u := range add.Providers {
		have := out.Use(u.Provider)
		if have == nil {
			out.Providers = append(out.Providers, u)
			continue
		}
		if rank(u.Confidence) > rank(have.Confidence) {
			have.Confidence = u.Confidence
		}
		have.Evidence = append(clip(have.Evidence), u.Evidence...)
		have.Services = union(have.Services, u.Services)
		have.Regions = union(have.Regions, u.Regions)
	}
	sort.SliceStable(out.Providers, func(i, j int) bool { return out.Providers[i].Provider < out.Providers[j].Provider })
	for _, m := range []map[string][]downwind.Evidence{old.SelfHosted, add.SelfHosted} {
		for slug, es := range m {
			if out.SelfHosted == nil {
				out.SelfHosted = map[string][]downwind.Evidence{}
			}
			out.SelfHosted[slug] = append(keepIf(es, func(e downwind.Evidence) bool { return !seenIn(out.SelfHosted[slug], e) }), out.SelfHosted[slug]...)
		}
	}
	return out
}

func clip(es []downwind.Evidence) []downwind.Evidence { return es[:len(es):len(es)] }

func keepIf(es []downwind.Evidence, ok func(downwind.Evidence) bool) []downwind.Evidence {
	var out []downwind.Evidence
	for _, e := range es {
		if ok(e) {
			out = append(out, e)
		}
	}
	return out
}

func seenIn(es []downwind.Evidence, e downwind.Evidence) bool {
	for _, x := range es {
		if x == e {
			return true
		}
	}
	return false
}

func rank(c downwind.Confidence) int {
	switch c {
	case downwind.Sure:
		return 3
	case downwind.Likely:
		return 2
	case downwind.Guess:
		return 1
	}
	return 0
}

// useName is the provider's own spelling where anybody knows it.
func (h *Handler) useName(u downwind.Use) string {
	if u.Name != "" && u.Name != u.Provider {
		return u.Name
	}
	return h.nameOf(u.Provider)
}

// matches lists the names in files that show a use, each once.
func matches(u downwind.Use, n int) []string {
	var out []string
	for _, e := range u.Evidence {
		if e.Match != "" && !contains(out, e.Match) && len(out) < n {
			out = append(out, e.Match)
		}
	}
	return out
}

// stackMessage shows what a stack holds: names and places, never a value.
func (h *Handler) stackMessage(p *place, s downwind.Stack, refused [][]notify.Run, kept string) *notify.Message {
	var read []any
	for i, f := range s.Files {
		if i == 12 {
			read = append(read, fmt.Sprintf(" and %d more", len(s.Files)-i))
			break
		}
		if i > 0 {
			read = append(read, ", ")
		}
		read = append(read, code(f.Path))
		if f.Kind == "" {
			read = append(read, " (not understood)")
		} else if f.Dependencies > 0 {
			read = append(read, fmt.Sprintf(" (%d)", f.Dependencies))
		}
	}
	var head [][]notify.Run
	if len(read) > 0 {
		head = append(head, words(append([]any{"Read: "}, read...)...))
	}
	head = append(head, words(kept))
	blocks := []notify.Block{small(append(head, refused...)...)}
	for _, g := range []struct {
		grade downwind.Confidence
		title string
	}{{downwind.Sure, "Sure"}, {downwind.Likely, "Likely"}, {downwind.Guess, "Guess, please confirm"}} {
		lines := h.useLines(s, g.grade)
		if len(lines) > 0 {
			title := fmt.Sprintf("%s (%d)", g.title, len(lines))
			lines = cut(lines, 20)
			if g.grade == downwind.Guess {
				lines = append(lines, words("If it is right: ", code(p.Name()+" stack confirm "+first(s, g.grade)), ", if not: ", code(p.Name()+" stack remove "+first(s, g.grade))))
			}
			blocks = append(blocks, list(title, lines...))
		}
	}
	if foot := h.stackFoot(s); len(foot) > 0 {
		blocks = append(blocks, small(foot...))
	}
	title := plural(len(s.Providers), "provider") + " found in your stack"
	if len(s.Providers) == 0 {
		title = "No providers found"
	}
	return titled(title, blocks...)
}

// stackFoot says what of the files was not counted, and why.
func (h *Handler) stackFoot(s downwind.Stack) [][]notify.Run {
	var foot [][]notify.Run
	if n := len(s.Unknown); n > 0 {
		var names []string
		for _, e := range s.Unknown {
			if len(names) < 8 && !contains(names, e.Match) {
				names = append(names, e.Match)
			}
		}
		foot = append(foot, words(fmt.Sprintf("Unknown (%d): ", n), their(strings.Join(names, ", "))))
	}
	for _, slug := range slices.Sorted(maps.Keys(s.SelfHosted)) {
		foot = append(foot, words("Run by yourselves, so not counted as a provider: ", their(h.nameOf(slug))))
	}
	if s.Dropped > 0 {
		foot = append(foot, words(plural(s.Dropped, "value")+" that looked like secrets dropped unread: not stored, not logged. If the file was shared by mistake, change them and delete it here too."))
	}
	for _, f := range s.Files {
		for _, d := range f.Diagnostics {
			if d.Severity != downwind.SeverityInfo && len(foot) < 8 {
				foot = append(foot, words(code(f.Path), ": ", their(echo(d.Summary))))
			}
		}
	}
	return foot
}

// first is the slug of the first use of a grade.
func first(s downwind.Stack, grade downwind.Confidence) string {
	for _, u := range s.Providers {
		if u.Confidence == grade {
			return u.Provider
		}
	}
	return ""
}

func (h *Handler) useLines(s downwind.Stack, grade downwind.Confidence) [][]notify.Run {
	var lines [][]notify.Run
	for _, u := range s.Providers {
		if u.Confidence != grade {
			continue
		}
		line := words(bold(h.useName(u)))
		shown := places(u.Evidence)
		for i, e := range shown[:min(2, len(shown))] {
			if i > 0 {
				line = append(line, words(",")...)
			}
			if e.Match != "" && e.Match != e.File {
				line = append(line, words(" ", code(e.Match), " in")...)
			}
			line = append(line, words(" ", code(where(e)))...)
		}
		if n := len(shown) - 2; n > 0 {
			line = append(line, words(fmt.Sprintf(" +%d", n))...)
		}
		if len(u.Regions) > 0 {
			line = append(line, words(" · ", their(strings.Join(u.Regions[:min(5, len(u.Regions))], ", ")))...)
		}
		lines = append(lines, line)
	}
	return lines
}

// where is the place of evidence: "main.tf:12".
func where(e downwind.Evidence) string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return e.File
}

// places drops evidence that reads the same.
func places(es []downwind.Evidence) []downwind.Evidence {
	seen := map[string]bool{}
	return keepIf(es, func(e downwind.Evidence) bool {
		key := e.Match + " " + where(e)
		first := !seen[key]
		seen[key] = true
		return first
	})
}
