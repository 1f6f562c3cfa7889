package terraform

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/scan"
)

// hclBody is a body in the native syntax.
type hclBody struct {
	b   *hclsyntax.Body
	src []byte
}

// value evaluates an expression; what cannot be known is unknown, never an error.
func value(e hcl.Expression, ctx *hcl.EvalContext) (v cty.Value) {
	defer func() {
		if recover() != nil {
			v = cty.DynamicVal
		}
	}()
	v, _ = e.Value(ctx)
	if v == cty.NilVal {
		return cty.DynamicVal
	}
	v, _ = v.UnmarkDeep()
	return v
}

func (h hclBody) attr(name string, ctx *hcl.EvalContext) (cty.Value, int, bool) {
	a := h.b.Attributes[name]
	if a == nil {
		return cty.NilVal, 0, false
	}
	return value(a.Expr, ctx), a.NameRange.Start.Line, true
}

func (h hclBody) has(name string) bool { return h.b.Attributes[name] != nil }

func (h hclBody) spread(name string, ctx *hcl.EvalContext) []cty.Value {
	a := h.b.Attributes[name]
	if a == nil {
		return nil
	}
	return spread(a.Expr, ctx, 0)
}

func spread(e hclsyntax.Expression, ctx *hcl.EvalContext, depth int) []cty.Value {
	if v := value(e, ctx); v.IsWhollyKnown() || depth > 8 {
		return []cty.Value{v}
	}
	switch x := e.(type) {
	case *hclsyntax.ConditionalExpr:
		return append(spread(x.TrueResult, ctx, depth+1), spread(x.FalseResult, ctx, depth+1)...)
	case *hclsyntax.ParenthesesExpr:
		return spread(x.Expression, ctx, depth+1)
	case *hclsyntax.TupleConsExpr:
		var out []cty.Value
		for _, y := range x.Exprs {
			out = append(out, spread(y, ctx, depth+1)...)
		}
		return out
	case *hclsyntax.IndexExpr: // a table by what is not known, such as the name of the workspace
		return entries(value(x.Collection, ctx))
	case *hclsyntax.RelativeTraversalExpr: // an attribute of what is not known which of several
		var out []cty.Value
		for _, v := range spread(x.Source, ctx, depth+1) {
			if part, diags := x.Traversal.TraverseRel(v); !diags.HasErrors() {
				out = append(out, part)
			}
		}
		return out
	case *hclsyntax.FunctionCallExpr:
		if x.Name == "lookup" && len(x.Args) > 1 {
			return entries(value(x.Args[0], ctx))
		}
	}
	return []cty.Value{cty.DynamicVal}
}

// entries are all values of a small table, any of which may be meant.
func entries(table cty.Value) (out []cty.Value) {
	const most = 6
	if !table.IsWhollyKnown() || table.IsNull() || !table.CanIterateElements() || table.LengthInt() > most {
		return []cty.Value{cty.DynamicVal}
	}
	for it := table.ElementIterator(); it.Next(); {
		_, v := it.Element()
		out = append(out, v)
	}
	return out
}

func (h hclBody) text(name string) string {
	a := h.b.Attributes[name]
	if a == nil {
		return ""
	}
	return strings.TrimSpace(string(a.Expr.Range().SliceBytes(h.src)))
}

// ordered returns attributes as they stand in the file, so that the answer is always the same.
func ordered(as hclsyntax.Attributes) []*hclsyntax.Attribute {
	return slices.SortedFunc(maps.Values(as), func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
}

func (h hclBody) each(f func(string, int)) {
	for _, a := range ordered(h.b.Attributes) {
		f(a.Name, a.NameRange.Start.Line)
	}
}

func (h hclBody) inner(f func(string, []string, int, body)) {
	for _, b := range h.b.Blocks {
		f(b.Type, b.Labels, b.TypeRange.Start.Line, hclBody{b.Body, h.src})
	}
}

// prose reports whether the text of an attribute is for people.
func prose(s string) bool {
	switch s {
	case "description", "comment", "comments", "notes", "documentation", "message",
		"source", "version", "error_message", "title", "homepage_url", "runbook_url", "display_name":
		return true
	}
	return false
}

func (h hclBody) strings(f func(key, text string, line int)) {
	for _, a := range ordered(h.b.Attributes) {
		if !prose(a.Name) {
			literals(a.Name, a.Expr, f, 0)
		}
	}
	for _, b := range h.b.Blocks {
		if !prose(b.Type) {
			hclBody{b.Body, h.src}.strings(f)
		}
	}
}

// shown is the text of a template, with "${x}" for what is computed.
func shown(t *hclsyntax.TemplateExpr) string {
	text := func(part hclsyntax.Expression) string {
		if l, ok := part.(*hclsyntax.LiteralValueExpr); ok && l.Val.Type() == cty.String {
			return l.Val.AsString()
		}
		return "${x}"
	}
	if len(t.Parts) == 1 {
		return text(t.Parts[0])
	}
	var b strings.Builder
	for _, p := range t.Parts {
		b.WriteString(text(p))
	}
	return b.String()
}

func literals(key string, e hclsyntax.Node, f func(key, text string, line int), depth int) {
	if depth > 40 {
		return
	}
	switch x := e.(type) {
	case *hclsyntax.TemplateExpr:
		line := x.SrcRange.Start.Line
		for l := range strings.SplitSeq(shown(x), "\n") {
			f(key, l, line)
			line++
		}
	case *hclsyntax.ObjectConsExpr:
		for _, it := range x.Items {
			k := key
			if v := value(it.KeyExpr, nil); isString(v) {
				k = v.AsString()
			}
			if !prose(k) {
				literals(k, it.ValueExpr, f, depth+1)
			}
		}
	case *hclsyntax.TupleConsExpr:
		for _, y := range x.Exprs {
			literals(key, y, f, depth+1)
		}
	case *hclsyntax.FunctionCallExpr:
		for _, y := range x.Args {
			literals(key, y, f, depth+1)
		}
	case *hclsyntax.ConditionalExpr:
		literals(key, x.TrueResult, f, depth+1)
		literals(key, x.FalseResult, f, depth+1)
	case *hclsyntax.ParenthesesExpr:
		literals(key, x.Expression, f, depth+1)
	case *hclsyntax.ForExpr:
		literals(key, x.CollExpr, f, depth+1)
		literals(key, x.ValExpr, f, depth+1)
	}
}

var variableName = pattern.New(`^[A-Z][A-Z0-9_]{2,}$`)

// isVariable says whether a name is written like a variable.
func isVariable(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && variableName.MatchString(name)
}

func (h hclBody) pairs(wanted func(name string) bool, f func(name, value string, line int, expr bool)) {
	for _, a := range ordered(h.b.Attributes) {
		pair(a.Name, a.Expr, wanted, f, 0)
	}
	for _, b := range h.b.Blocks {
		inner := hclBody{b.Body, h.src}
		inner.named(b.TypeRange.Start.Line, f)
		inner.pairs(wanted, f)
	}
}

// named takes in a block that is itself a variable, as containers have them: "env { name = …, value = … }".
func (h hclBody) named(line int, f func(name, value string, line int, expr bool)) {
	v, at, ok := h.attr("name", nil)
	if !ok || !isString(v) || !isVariable(v.AsString()) {
		return
	}
	line = max(line, at)
	if val, _, ok := h.attr("value", nil); ok && isString(val) {
		f(v.AsString(), val.AsString(), line, false)
		return
	}
	f(v.AsString(), "", line, true)
}

func pair(name string, e hclsyntax.Expression, wanted func(string) bool, f func(string, string, int, bool), depth int) {
	if depth > 40 {
		return
	}
	line := e.Range().Start.Line
	switch x := e.(type) {
	case *hclsyntax.ObjectConsExpr:
		var key, val string
		isExpr, found := false, false
		for _, it := range x.Items {
			k := value(it.KeyExpr, nil)
			if !isString(k) {
				continue
			}
			switch k.AsString() {
			case "name", "key":
				if v := value(it.ValueExpr, nil); isString(v) {
					key = v.AsString()
				}
			case "value", "valueFrom", "value_from":
				found = true
				if v := value(it.ValueExpr, nil); isString(v) {
					val = v.AsString()
				} else {
					isExpr = true
				}
				isExpr = isExpr || k.AsString() != "value"
			}
			pair(k.AsString(), it.ValueExpr, wanted, f, depth+1)
		}
		if found && isVariable(key) {
			f(key, val, line, isExpr)
		}
	case *hclsyntax.TupleConsExpr:
		for _, y := range x.Exprs {
			pair("", y, wanted, f, depth+1)
		}
	case *hclsyntax.FunctionCallExpr:
		for _, y := range x.Args {
			pair(name, y, wanted, f, depth+1)
		}
	case *hclsyntax.ForExpr:
		pair(name, x.ValExpr, wanted, f, depth+1)
	default:
		if !wanted(name) {
			return
		}
		if v := value(e, nil); isString(v) {
			f(name, v.AsString(), line, false)
		} else {
			f(name, "", line, true)
		}
	}
}

func (h hclBody) references(name string) map[string]string {
	a := h.b.Attributes[name]
	if a == nil {
		return nil
	}
	o, ok := a.Expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil
	}
	out := map[string]string{}
	for _, it := range o.Items {
		k := strings.TrimSpace(string(it.KeyExpr.Range().SliceBytes(h.src)))
		out[strings.Trim(k, `"`)] = strings.TrimSpace(string(it.ValueExpr.Range().SliceBytes(h.src)))
	}
	return out
}

// jsonBody is a body in the JSON syntax.
type jsonBody struct{ n *scan.Node }

// jsonValue evaluates a JSON value; strings may hold templates.
func jsonValue(n *scan.Node, ctx *hcl.EvalContext) cty.Value {
	if n == nil {
		return cty.DynamicVal
	}
	switch n.Kind {
	case scan.String:
		if !strings.Contains(n.Text, "${") {
			return cty.StringVal(n.Text)
		}
		if tooDeep([]byte(n.Text)) > 0 {
			return cty.DynamicVal
		}
		e, diags := hclsyntax.ParseTemplate([]byte(n.Text), "", hcl.InitialPos)
		if diags.HasErrors() {
			return cty.DynamicVal
		}
		return value(e, ctx)
	case scan.List:
		var list []cty.Value
		for _, x := range n.Items {
			list = append(list, jsonValue(x, ctx))
		}
		return cty.TupleVal(list)
	case scan.Map:
		m := map[string]cty.Value{}
		for _, x := range n.Fields {
			m[x.Key] = jsonValue(x.Value, ctx)
		}
		return cty.ObjectVal(m)
	case scan.Bool:
		return cty.BoolVal(n.Text == "true")
	}
	return cty.DynamicVal
}

func (j jsonBody) attr(name string, ctx *hcl.EvalContext) (cty.Value, int, bool) {
	v := j.n.Get(name)
	if v == nil {
		return cty.NilVal, 0, false
	}
	return jsonValue(v, ctx), v.Line, true
}

func (j jsonBody) has(name string) bool { return j.n.Get(name) != nil }

func (j jsonBody) spread(name string, ctx *hcl.EvalContext) []cty.Value {
	v := j.n.Get(name)
	if v == nil {
		return nil
	}
	return []cty.Value{jsonValue(v, ctx)}
}

func (j jsonBody) text(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(j.n.Get(name).Str(), "${"), "}")
}

func (j jsonBody) each(f func(string, int)) {
	j.n.Each(func(key string, line int, _ *scan.Node) { f(key, line) })
}

func (j jsonBody) inner(f func(string, []string, int, body)) {
	j.n.Each(func(key string, line int, v *scan.Node) {
		for _, x := range v.All() {
			if x.Kind == scan.Map {
				f(key, nil, line, jsonBody{x})
			}
		}
	})
}

func (j jsonBody) strings(f func(key, text string, line int)) {
	j.n.Walk(func(key string, v *scan.Node) {
		if v.Kind == scan.String && !prose(key) {
			f(key, v.Text, v.Line)
		}
	})
}

func (j jsonBody) pairs(wanted func(string) bool, f func(string, string, int, bool)) {
	j.n.Walk(func(key string, v *scan.Node) {
		if v.Kind == scan.String && wanted(key) {
			f(key, v.Text, v.Line, strings.Contains(v.Text, "${"))
		}
	})
}

func (j jsonBody) references(name string) map[string]string {
	out := map[string]string{}
	j.n.Get(name).Each(func(key string, _ int, v *scan.Node) {
		out[key] = strings.TrimSuffix(strings.TrimPrefix(v.Str(), "${"), "}")
	})
	return out
}

// labelled tells how many labels a block kind has.
var labelled = map[string]int{"resource": 2, "data": 2, "provider": 1, "module": 1, "variable": 1, "output": 1, "terraform": 0, "locals": 0}

// jsonBlocks turns the object form into blocks; where one object is due, a list of objects may stand.
func jsonBlocks(n *scan.Node, file string) []*block {
	var out []*block
	var descend func(kind string, labels []string, at int, v *scan.Node, left int)
	descend = func(kind string, labels []string, at int, v *scan.Node, left int) {
		for _, x := range v.All() {
			if x.Kind != scan.Map {
				continue
			}
			if left == 0 {
				out = append(out, &block{kind: kind, labels: labels, file: file, line: at, body: jsonBody{x}})
				continue
			}
			x.Each(func(key string, line int, y *scan.Node) {
				if key != "//" {
					if len(labels) > 0 {
						line = at // the line of the first label, which is the type
					}
					descend(kind, append(labels[:len(labels):len(labels)], key), line, y, left-1)
				}
			})
		}
	}
	for _, top := range n.All() {
		top.Each(func(key string, line int, v *scan.Node) {
			if left, ok := labelled[key]; ok {
				descend(key, nil, line, v, left)
			}
		})
	}
	return out
}
