// Package compose reads Docker Compose files, Dockerfiles and devcontainer definitions.
package compose

import (
	"context"
	"path"
	"strings"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "compose".
func (Parser) Name() string { return "compose" }

var (
	devName     = pattern.New(`(?i)(?:^|[-_.])(?:dev|development|test|testing|local|ci|e2e)(?:[-_.]|$)`)
	composeName = pattern.New(`^(?:.*[-_.])?(?:docker-)?compose(?:[-_.].*)?\.ya?ml$|^docker-stack.*\.ya?ml$|^stack\.ya?ml$`)
	dockerName  = pattern.New(`^(?i)(?:Dockerfile|Containerfile)(?:[._-].*)?$|.*[._-](?:Dockerfile|Containerfile)$`)
)

// Claims takes compose files, Dockerfiles and Containerfiles, and the files of other tools that build images.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return builder(p) || composeName.MatchString(base) || dockerName.MatchString(base) && !strings.HasSuffix(base, ".dockerignore")
}

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if builder(in.Path) {
		pushed(in, out)
		return
	}
	if !composeName.MatchString(base) {
		out.Kind = "dockerfile"
		dockerfile(in, out)
		return
	}
	docs, probs := scan.YAML(in.Data)
	out.Problems(probs)
	if len(probs) > 0 && len(docs) == 0 {
		salvage(in, out)
	}
	dev := devName.MatchString(strings.TrimSuffix(base, path.Ext(base)))
	found := false
	for _, n := range docs {
		services := n.Get("services")
		found = found || services != nil
		if services == nil && n.Get("version") == nil {
			services = n // version 1: services stand at the top
		}
		services.Each(func(_ string, _ int, s *scan.Node) { service(s, dev, out) })
	}
	if !found && len(out.Facts) == 0 {
		out.Kind = stackparse.Unread // "stack.yaml" is also a name of CloudFormation's templates
	}
}

// emulators are images of software that stands in for a cloud, whose own settings say nothing of one.
var emulators = pattern.New(`(?i)(?:^|/)(?:localstack|minio|moto|motoserver|azurite|elasticmq|dynamodb-local|fake-gcs-server|fake-sqs|goaws|stripe-mock|adobe/s3mock|s3mock|ministack)(?:[/:@-]|$)|emulator`)

func service(s *scan.Node, dev bool, out *stackparse.Result) {
	if img := s.Get("image"); img.Str() != "" {
		out.Add(stackparse.Fact{Kind: "image", Name: img.Str(), Line: img.Line, Dev: dev})
		if emulators.MatchString(img.Str()) {
			return
		}
	}
	set := func(name, value string, line int, bare bool) {
		out.Setting(stackparse.Setting{Name: name, Value: value, Line: line, Secret: bare, Dev: dev})
	}
	env := s.Get("environment")
	if env != nil && env.Kind == scan.Map {
		env.Each(func(k string, line int, v *scan.Node) { set(k, v.Str(), line, v.Kind == scan.Null) })
	} else {
		for _, e := range env.All() {
			k, v, ok := strings.Cut(e.Str(), "=")
			set(k, v, e.Line, !ok)
		}
	}
	s.Get("build", "args").Each(func(k string, line int, v *scan.Node) { set(k, v.Str(), line, false) })
	if l := s.Get("logging", "driver"); l != nil {
		switch l.Str() {
		case "awslogs":
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: "cloudwatch", Name: l.Str(), Line: l.Line, Dev: dev})
			if r := s.Get("logging", "options", "awslogs-region"); r != nil {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: "awslogs-region", Regions: []string{r.Str()}, Line: r.Line})
			}
		case "gcplogs":
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "google-cloud", Service: "logging", Name: l.Str(), Line: l.Line, Dev: dev})
		}
	}
	command := func(n *scan.Node) {
		for _, c := range n.All() {
			if strings.Contains(c.Str(), "://") {
				out.Value(stackparse.Setting{Name: "command", Line: c.Line, Dev: dev}, c.Str(), stackparse.Firm)
			}
		}
	}
	command(s.Get("command"))
	command(s.Get("entrypoint"))
}

var (
	imageLine = pattern.New(`^\s*(?:-\s*)?["']?image["']?\s*:\s*["']?([^\s"'#]+)`)
	envLine   = pattern.New(`^\s*(?:-\s*)?["']?([A-Z][A-Z0-9_]{2,})["']?\s*[:=]\s*(.*)$`)
)

// salvage reads a file that is no YAML line by line.
func salvage(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		if m := imageLine.FindStringSubmatch(text); m != nil {
			out.Add(stackparse.Fact{Kind: "image", Name: m[1], Line: line})
		} else if m := envLine.FindStringSubmatch(text); m != nil {
			out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line})
		}
	})
}

var (
	fromLine  = pattern.New(`(?i)^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?`)
	copyFrom  = pattern.New(`(?i)^\s*COPY\s+.*--from=(\S+)`)
	dockerEnv = pattern.New(`(?i)^\s*(ENV|ARG)\s+([A-Za-z_][A-Za-z0-9_]*)(?:=|\s+)?(.*)$`)
)

func dockerfile(in stackparse.Input, out *stackparse.Result) {
	stages, args := map[string]bool{}, map[string]string{}
	scan.Lines(in.Data, func(line int, text string) {
		word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		switch strings.ToUpper(word) {
		case "FROM", "COPY", "ENV", "ARG":
		default:
			return
		}
		if m := fromLine.FindStringSubmatch(text); m != nil {
			ref := expand(m[1], args)
			if !stages[strings.ToLower(ref)] && ref != "scratch" {
				out.Add(stackparse.Fact{Kind: "image", Name: ref, Show: m[1], Line: line, State: stackparse.Loose})
			}
			if m[2] != "" {
				stages[strings.ToLower(m[2])] = true
			}
			return
		}
		if m := copyFrom.FindStringSubmatch(text); m != nil && strings.ContainsAny(m[1], "/:") {
			out.Add(stackparse.Fact{Kind: "image", Name: expand(m[1], args), Show: m[1], Line: line, State: stackparse.Loose})
			return
		}
		if m := dockerEnv.FindStringSubmatch(text); m != nil {
			v := strings.Trim(strings.TrimSpace(m[3]), `"'`)
			if strings.EqualFold(m[1], "ARG") {
				args[m[2]] = v
				if v == "" {
					out.Setting(stackparse.Setting{Name: m[2], Line: line})
					return
				}
			}
			out.Setting(stackparse.Setting{Name: m[2], Value: v, Line: line})
		}
	})
}

var argRef = pattern.New(`\$\{?([A-Za-z_]\w*)(?::-([^}]*))?\}?`)

// expand fills in build arguments that have a default.
func expand(ref string, args map[string]string) string {
	return argRef.ReplaceAllStringFunc(ref, func(s string) string {
		m := argRef.FindStringSubmatch(s)
		if v := args[m[1]]; v != "" {
			return v
		}
		if m[2] != "" {
			return m[2]
		}
		return "${" + m[1] + "}"
	})
}
