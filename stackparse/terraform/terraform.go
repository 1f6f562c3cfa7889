// Package terraform reads Terraform and OpenTofu: .tf and .tf.json with variables, locals, tfvars, local modules,
// provider aliases and for_each; .terraform.lock.hcl; and, by a second parser, states (v3, v4) and plans as JSON.
// Expressions are evaluated as far as the files alone allow; what stays open is said in a diagnostic.
package terraform

import (
	"bytes"
	"context"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.TreeParser.
type Parser struct{}

// Name returns "terraform".
func (Parser) Name() string { return "terraform" }

// Claims takes .tf, .tofu, .tf.json, .tfvars, the dependency lock, settings for a backend, and Packer's files in the same language.
func (Parser) Claims(p string) bool {
	for _, s := range []string{".tf", ".tf.json", ".tfvars", ".tfvars.json", ".tofu", ".terraform.lock.hcl"} {
		if strings.HasSuffix(p, s) {
			return true
		}
	}
	return terragruntFile(p) || packerFile(p) || backendFile(p)
}

// Parse reads one file by itself.
func (p Parser) Parse(ctx context.Context, in stackparse.Input, out *stackparse.Result) {
	p.ParseTree(ctx, []stackparse.Input{in}, func(string) *stackparse.Result { return out })
}

// ParseTree reads all files, folder by folder; folders that others call as modules are read with what they are given. The parser
// of the language is a group of folders ahead of the evaluation, and what it makes of one group is gone with the next.
func (Parser) ParseTree(ctx context.Context, files []stackparse.Input, out func(string) *stackparse.Result) {
	groups, home := related(files)
	t := &tree{ctx: ctx, out: out, home: home, budget: 1500, elements: 20_000}
	ahead, done := make(chan []parse), make(chan struct{})
	defer close(done)
	go func() {
		for _, g := range groups {
			select {
			case ahead <- t.parse(g):
			case <-done:
				return
			}
		}
	}()
	for _, g := range groups {
		t.group(g, <-ahead)
	}
}

// group reads the files of folders that know nothing of all others.
func (t *tree) group(files []stackparse.Input, parsed []parse) {
	t.dirs, t.regions, t.grunt = map[string]*module{}, map[string]string{}, nil
	for i, f := range files {
		t.load(f, parsed[i])
	}
	t.handOver()
	called := map[string]bool{}
	for _, m := range t.dirs {
		for _, b := range m.blocks {
			if b.kind == "module" {
				if dir := m.local(b); dir != "" && dir != m.dir {
					called[dir] = true
				}
			}
		}
	}
	dirs := slices.Sorted(maps.Keys(t.dirs))
	t.units()
	for _, pass := range []bool{false, true} {
		for _, d := range dirs {
			if m := t.dirs[d]; called[d] == pass && !m.visited {
				t.run(m, nil, nil, 0)
			}
		}
	}
}

// handOver gives the values that stand apart from their module to it.
func (t *tree) handOver() {
	for _, dir := range slices.Sorted(maps.Keys(t.dirs)) {
		home := t.dirs[t.home[dir]]
		if home == nil || t.home[dir] == dir {
			continue
		}
		for name, v := range t.dirs[dir].vars {
			home.spare[name] = append(home.spare[name], v)
		}
		for name, list := range t.dirs[dir].spare {
			home.spare[name] = append(home.spare[name], list...)
		}
	}
}

// A tree is the modules of a group by folder.
type tree struct {
	ctx  context.Context
	dirs map[string]*module
	out  func(string) *stackparse.Result
	// home is the folder of the module that the values of a folder are for.
	home map[string]string
	// budget bounds the evaluations of modules, elements those of blocks for elements of a collection: collections nest.
	budget, elements int
	// grunt are the files of Terragrunt, regions what they say by folder.
	grunt   []gruntFile
	regions map[string]string
}

// A module is one folder.
type module struct {
	dir    string
	blocks []*block
	vars   map[string]cty.Value // from tfvars
	// spare are values from tfvars that have to be asked for, one of a stage each.
	spare   map[string][]cty.Value
	sources map[string]string // provider's local name to address
	visited bool
	open    bool // being evaluated, so that modules that call each other end
}

// A block is one top-level block, from either syntax.
type block struct {
	kind   string
	labels []string
	file   string
	line   int
	body   body
	// told says that the literals are taken in: they are the same however often the module is called.
	told bool
}

// body hides the difference between HCL and its JSON form.
type body interface {
	// attr evaluates an attribute; ok is false where there is none. open names what could not be resolved.
	attr(name string, ctx *hcl.EvalContext) (v cty.Value, line int, ok bool)
	// has says whether there is an attribute.
	has(name string) bool
	// spread returns all values that an attribute may have: both branches of an undecided condition.
	spread(name string, ctx *hcl.EvalContext) []cty.Value
	// text is the source of an attribute that is a reference ("aws.dr").
	text(name string) string
	// each visits attributes by name.
	each(f func(name string, line int))
	// inner visits nested blocks.
	inner(f func(name string, labels []string, line int, b body))
	// strings visits string literals with the key they belong to; settings visits pairs that look like variables.
	strings(f func(key, text string, line int))
	// pairs visits attributes and entries of maps whose name is wanted: name, literal value ("" when it is an expression), whether
	// it is an expression.
	pairs(wanted func(name string) bool, f func(name, value string, line int, expr bool))
	// references calls f with every provider map entry ("aws" -> "aws.dr") of an attribute.
	references(name string) map[string]string
}

func (t *tree) module(dir string) *module {
	m := t.dirs[dir]
	if m == nil {
		m = &module{dir: dir, vars: map[string]cty.Value{}, spare: map[string][]cty.Value{}, sources: map[string]string{}}
		t.dirs[dir] = m
	}
	return m
}

// A parse is what the parser of the native syntax made of one file.
type parse struct {
	body *hclsyntax.Body
	// resumed are what was read behind errors.
	resumed []*hclsyntax.Body
	diags   hcl.Diagnostics
}

// parse reads the files of the native syntax, several at a time.
func (t *tree) parse(files []stackparse.Input) []parse {
	out := make([]parse, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, max(len(files), 1)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				if f := files[i]; !strings.HasSuffix(f.Path, ".json") && t.ctx.Err() == nil {
					out[i] = parseHCL(f)
				}
			}
		})
	}
	wg.Wait()
	return out
}

func (t *tree) load(in stackparse.Input, p parse) {
	out := t.out(in.Path)
	base := path.Base(in.Path)
	m := t.module(path.Dir(in.Path))
	report(p.diags, out)
	switch {
	case base == ".terraform.lock.hcl" || strings.HasSuffix(base, ".terraform.lock.hcl"):
		out.Kind = "terraform-lock"
		lock(p.body, out)
	case strings.HasSuffix(base, ".tfvars"), strings.HasSuffix(base, ".tfvars.json"), strings.HasSuffix(base, ".pkrvars.hcl"):
		out.Kind = "tfvars"
		t.tfvars(m, in, p.body, base, out)
	case backendFile(in.Path):
		if p.body != nil {
			backendSettings(hclBody{p.body, in.Data}, out)
		}
	case strings.HasSuffix(base, ".json"):
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		m.blocks = append(m.blocks, jsonBlocks(n, in.Path)...)
	case terragruntFile(in.Path):
		t.terragrunt(p.body, in, out)
	default:
		if p.body == nil {
			return
		}
		bad := map[int]bool{}
		for _, d := range out.Diagnostics {
			bad[d.Line] = true
		}
		read := map[int]bool{}
		for _, body := range append([]*hclsyntax.Body{p.body}, p.resumed...) {
			for _, b := range body.Blocks {
				if line := b.TypeRange.Start.Line; !damaged(b, bad) && !read[line] {
					read[line] = true
					m.blocks = append(m.blocks, &block{kind: b.Type, labels: b.Labels, file: in.Path, line: line, body: hclBody{b.Body, in.Data}})
				}
			}
		}
	}
}

// damaged says whether a block holds a line that could not be parsed: what the parser made of it is a guess.
func damaged(b *hclsyntax.Block, bad map[int]bool) bool {
	for line := range bad {
		if line > b.TypeRange.Start.Line && line <= max(b.CloseBraceRange.End.Line, b.Body.SrcRange.End.Line) {
			return true
		}
	}
	return false
}

// parseHCL reads one file and keeps the blocks before an error. A fault of the library is told like damage.
func parseHCL(in stackparse.Input) (p parse) {
	defer func() {
		if recover() != nil {
			p = parse{diags: hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "not readable as HCL"}}}
		}
	}()
	if line := tooDeep(in.Data); line > 0 {
		return parse{diags: hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "nested too deeply: not read", Subject: &hcl.Range{Start: hcl.Pos{Line: line}}}}}
	}
	text := withoutUnread(in.Data)
	f, diags := hclsyntax.ParseConfig(text, in.Path, hcl.InitialPos)
	if diags.HasErrors() && &text[0] != &in.Data[0] {
		f, diags = hclsyntax.ParseConfig(in.Data, in.Path, hcl.InitialPos)
	}
	p.diags = diags
	if f != nil {
		p.body, _ = f.Body.(*hclsyntax.Body)
	}
	if diags.HasErrors() && p.body != nil {
		resume(in, &p)
	}
	return p
}

// maxResumes bounds the blocks that are read behind an error.
const maxResumes = 5000

// topBlock begins a block at the left edge of a file, where no inner block stands in formatted code.
var topBlock = pattern.New(`(?m)^(?:resource|data|module|provider|variable|locals|terraform|output)\b[^\n=]*\{`)

// resume reads on behind an error, each block that begins at the left edge for itself: the parser of the language gives
// up at the first error.
func resume(in stackparse.Input, p *parse) {
	at := len(in.Data)
	for _, d := range p.diags {
		if d.Severity == hcl.DiagError && d.Subject != nil {
			at = min(at, d.Subject.Start.Byte)
		}
	}
	starts := topBlock.FindAllIndex(in.Data[at:], maxResumes)
	line, counted := 1, 0
	for i, s := range starts {
		start, end := at+s[0], len(in.Data)
		if i+1 < len(starts) {
			end = at + starts[i+1][0]
		}
		line += bytes.Count(in.Data[counted:start], []byte("\n"))
		counted = start
		f, diags := hclsyntax.ParseConfig(in.Data[start:end], in.Path, hcl.Pos{Line: line, Column: 1, Byte: start})
		p.diags = append(p.diags, diags...)
		if f == nil {
			continue
		}
		if b, ok := f.Body.(*hclsyntax.Body); ok {
			p.resumed = append(p.resumed, b)
		}
	}
}

// report turns errors of the library into diagnostics.
func report(diags hcl.Diagnostics, out *stackparse.Result) {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			line := 0
			if d.Subject != nil {
				line = d.Subject.Start.Line
			}
			out.Warn(line, "%s", d.Summary)
		}
	}
}

func (t *tree) tfvars(m *module, in stackparse.Input, f *hclsyntax.Body, base string, out *stackparse.Result) {
	auto := strings.HasPrefix(base, "terraform.tfvars") || strings.Contains(base, ".auto.tfvars") || strings.Contains(base, ".auto.pkrvars")
	take := func(name string, v cty.Value, line int) {
		out.Dependencies++
		switch {
		case !v.IsWhollyKnown():
		case auto:
			m.vars[name] = v
		default:
			m.spare[name] = append(m.spare[name], v)
		}
	}
	if strings.HasSuffix(base, ".json") {
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		n.Each(func(key string, line int, v *scan.Node) { take(key, jsonValue(v, nil), line) })
		return
	}
	if f == nil {
		return
	}
	for _, a := range ordered(f.Attributes) {
		name := a.Name
		v, _ := a.Expr.Value(nil)
		take(name, v, a.NameRange.Start.Line)
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.String {
			state := stackparse.Firm
			if !auto {
				state = stackparse.Faint
			}
			out.Value(stackparse.Setting{Name: name, Line: a.NameRange.Start.Line}, v.AsString(), state)
		}
	}
}

// lock reads the dependency lock: which providers are installed, nothing of their use.
func lock(f *hclsyntax.Body, out *stackparse.Result) {
	if f == nil {
		return
	}
	for _, b := range f.Blocks {
		if b.Type == "provider" && len(b.Labels) == 1 {
			provider(b.Labels[0], b.TypeRange.Start.Line, out)
		}
	}
}

// provider adds a provider that is required or locked.
func provider(source string, line int, out *stackparse.Result) {
	short, private := address(source)
	f := stackparse.Fact{Kind: "tf_provider", Name: short, Show: source, Line: line, State: stackparse.Loose}
	if private {
		f.Kind = stackparse.KindUnknown
	}
	out.Add(f)
}

// address takes the host of the public registries off a provider's address.
func address(source string) (short string, private bool) {
	s := strings.ToLower(source)
	for _, h := range []string{"registry.terraform.io/", "registry.opentofu.org/"} {
		s = strings.TrimPrefix(s, h)
	}
	if after, ok := strings.CutPrefix(s, "-/"); ok {
		s = "hashicorp/" + after
	}
	if !strings.Contains(s, "/") {
		s = "hashicorp/" + s
	}
	return s, strings.Count(s, "/") > 1 && !strings.HasPrefix(s, "terraform.releases.teleport.dev/")
}

// local returns the folder of a module call with a local source, "" for others.
func (m *module) local(b *block) string {
	v, _, ok := b.body.attr("source", nil)
	if !ok || !isString(v) {
		return ""
	}
	s := v.AsString()
	if !strings.HasPrefix(s, "./") && !strings.HasPrefix(s, "../") {
		return ""
	}
	return path.Join(m.dir, s)
}

func isString(v cty.Value) bool {
	return v != cty.NilVal && v.IsKnown() && !v.IsNull() && v.Type() == cty.String && !v.IsMarked()
}
