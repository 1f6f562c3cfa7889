package terraform

import (
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"downwind"
	"downwind/internal/pattern"
	"downwind/stackparse"
)

// functions are those that can bear on a region; all others leave their result unknown.
var functions = sync.OnceValue(func() map[string]function.Function {
	return map[string]function.Function{
		"try": tryfunc.TryFunc, "can": tryfunc.CanFunc, "format": stdlib.FormatFunc, "lower": stdlib.LowerFunc, "upper": stdlib.UpperFunc,
		"keys": stdlib.KeysFunc, "values": stdlib.ValuesFunc, "lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "concat": stdlib.ConcatFunc,
		"element": stdlib.ElementFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
		"join": stdlib.JoinFunc, "split": stdlib.SplitFunc, "replace": stdlib.ReplaceFunc, "substr": stdlib.SubstrFunc, "trimspace": stdlib.TrimSpaceFunc,
		"flatten": stdlib.FlattenFunc, "distinct": stdlib.DistinctFunc, "length": stdlib.LengthFunc, "contains": stdlib.ContainsFunc, "slice": stdlib.SliceFunc,
		"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
		"tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)), "tostring": stdlib.MakeToFunc(cty.String), "jsondecode": stdlib.JSONDecodeFunc,
		"zipmap": stdlib.ZipmapFunc, "setunion": stdlib.SetUnionFunc, "sort": stdlib.SortFunc, "regex": stdlib.RegexFunc, "reverse": stdlib.ReverseListFunc,
	}
})

// regionsOf are the regions that a provider configuration stands for; unknown when it cannot be resolved.
type regionsOf map[string][]string // "aws", "aws.dr"

// call is one evaluation of a module.
type call struct {
	t         *tree
	m         *module
	ctx       *hcl.EvalContext
	providers regionsOf
	depth     int
	// nested says that a dynamic block is being read.
	nested bool
}

// run evaluates a module with the inputs and provider configurations that its caller hands in.
func (t *tree) run(m *module, inputs map[string]cty.Value, providers regionsOf, depth int) {
	if t.budget--; t.budget < 0 || depth > 8 || m.open || t.ctx.Err() != nil {
		return
	}
	m.visited, m.open = true, true
	defer func() { m.open = false }()
	c := &call{t: t, m: m, depth: depth, providers: regionsOf{}}
	for k, v := range providers {
		c.providers[k] = v
	}
	c.ctx = &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions()}
	c.variables(inputs, depth == 0)
	c.locals()
	c.attributes()
	c.requirements()
	c.configurations()
	for _, b := range m.blocks {
		c.block(b)
	}
}

func (c *call) variables(inputs map[string]cty.Value, root bool) {
	vars := map[string]cty.Value{}
	for _, b := range c.m.blocks {
		if b.kind != "variable" || len(b.labels) != 1 {
			continue
		}
		v, _, ok := b.body.attr("default", nil)
		if !ok {
			v = cty.DynamicVal
		}
		vars[b.labels[0]] = v
	}
	if root {
		for k, v := range c.m.vars {
			vars[k] = v
		}
	}
	for k, v := range inputs {
		if v.IsWhollyKnown() || vars[k] == cty.NilVal || !root {
			vars[k] = v
		}
	}
	c.ctx.Variables["var"] = cty.ObjectVal(vars)
	unknown := cty.UnknownVal(cty.String)
	c.ctx.Variables["terraform"] = cty.ObjectVal(map[string]cty.Value{"workspace": unknown})
	c.ctx.Variables["path"] = cty.ObjectVal(map[string]cty.Value{"module": unknown, "root": unknown, "cwd": unknown})
	c.ctx.Variables["local"] = cty.DynamicVal
	c.ctx.Variables["data"] = cty.DynamicVal
	c.ctx.Variables["module"] = cty.DynamicVal
}

// locals evaluates the locals, which may build on each other in any order.
func (c *call) locals() {
	done := map[string]cty.Value{}
	for range 6 {
		changed := false
		for _, b := range c.m.blocks {
			if b.kind != "locals" {
				continue
			}
			b.body.each(func(name string, _ int) {
				if v, ok := done[name]; ok && v.IsWhollyKnown() {
					return
				}
				v, _, _ := b.body.attr(name, c.ctx)
				if old, ok := done[name]; !ok || v.IsWhollyKnown() && !old.IsWhollyKnown() {
					changed = true
				}
				done[name] = v
			})
		}
		if !changed {
			break
		}
		c.ctx.Variables["local"] = cty.ObjectVal(done)
	}
}

// placeNames are the attributes that say where a resource is.
var placeNames = []string{
	"region", "location", "zone", "availability_zone", "region_name", "primary_region", "locations", "regions", "availability_zones", "azs", "datacenter", "replica_regions", "placement", "region_slug", "aws_region", "location_id", "database_region", "cloud_region",
	"cloud_name", "region_id", "region_code", "provider_region_name", "service_region", "serverless_function_region", "source_region", "destination_region", "datacenter_region", "region_configs",
}

// referred are the attributes of resources that others may refer to.
var referred = append([]string{"name"}, placeNames...)

// attributes lets resources refer to the place of others ("azurerm_resource_group.rg.location").
func (c *call) attributes() {
	types := map[string]map[string]cty.Value{}
	for _, b := range c.m.blocks {
		if b.kind != "resource" || len(b.labels) != 2 {
			continue
		}
		attrs := map[string]cty.Value{}
		for _, name := range referred {
			if v, _, ok := b.body.attr(name, c.ctx); ok {
				attrs[name] = v
			}
		}
		if len(attrs) == 0 {
			continue
		}
		if types[b.labels[0]] == nil {
			types[b.labels[0]] = map[string]cty.Value{}
		}
		types[b.labels[0]][b.labels[1]] = cty.ObjectVal(attrs)
	}
	for t, byName := range types {
		if _, taken := c.ctx.Variables[t]; !taken {
			c.ctx.Variables[t] = cty.ObjectVal(byName)
		}
	}
}

// requirements learns the addresses of providers.
func (c *call) requirements() {
	for _, b := range c.m.blocks {
		if b.kind != "terraform" {
			continue
		}
		out := c.t.out(b.file)
		b.body.inner(func(name string, labels []string, line int, in body) {
			switch name {
			case "required_providers":
				in.each(func(local string, line int) {
					v, _, _ := in.attr(local, nil)
					source := "hashicorp/" + local
					if v.IsKnown() && !v.IsNull() && v.Type().IsObjectType() && v.Type().HasAttribute("source") && isString(v.GetAttr("source")) {
						source = v.GetAttr("source").AsString()
					} else if o := in.references(local); o["source"] != "" {
						source = strings.Trim(o["source"], `"`)
					}
					c.m.sources[local], _ = address(source)
					if local != "source" && local != "version" {
						provider(source, line, out)
					}
				})
			case "backend":
				if len(labels) == 1 {
					if !c.ownStore(in, out) {
						backend(labels[0], c.place(in), line, `backend "`+labels[0]+`"`, out)
						if _, at, locks := in.attr("dynamodb_table", c.ctx); locks && labels[0] == "s3" {
							out.Add(stackparse.Fact{Kind: stackparse.KindUse, As: "tf_backend", Relation: downwind.BuildTime, Provider: "aws", Service: "dynamodb", Name: "dynamodb_table", Line: at, Regions: c.place(in)})
						}
					}
				} else {
					in.inner(func(kind string, _ []string, line int, in2 body) { backend(kind, c.place(in2), line, kind, out) })
				}
			case "cloud":
				backend("remote", nil, line, "cloud", out)
			}
		})
	}
}

// ownStore reads the address of a store that only speaks S3's protocol: the state is there, not at the cloud.
func (c *call) ownStore(in body, out *stackparse.Result) bool {
	found := false
	in.strings(func(key, text string, line int) {
		if (key == "endpoint" || key == "s3") && strings.Contains(text, ".") {
			out.Value(stackparse.Setting{Name: key, Line: line}, text, stackparse.Firm)
			found = true
		}
	})
	return found
}

// backend adds the store of the state.
func backend(kind string, regions []string, line int, show string, out *stackparse.Result) {
	f := stackparse.Fact{Kind: stackparse.KindUse, As: "tf_backend", Relation: downwind.BuildTime, Name: show, Line: line, Regions: regions}
	switch kind {
	case "s3":
		f.Provider, f.Service = "aws", "s3"
	case "gcs":
		f.Provider, f.Service, f.Regions = "google-cloud", "cloud-storage", nil
	case "azurerm":
		f.Provider, f.Service, f.Regions = "azure", "blob-storage", nil
	case "remote":
		f.Provider, f.Service, f.Regions = "hashicorp", "hcp-terraform", nil
	default:
		return
	}
	out.Add(f)
}

// configurations resolves the provider blocks.
func (c *call) configurations() {
	for _, b := range c.m.blocks {
		if b.kind != "provider" || len(b.labels) != 1 {
			continue
		}
		key := b.labels[0]
		if v, _, ok := b.body.attr("alias", nil); ok && isString(v) {
			key += "." + v.AsString()
		}
		regions := c.eachPlace(b.body)
		if regions != nil || !strings.Contains(key, ".") && c.providers[key] == nil {
			c.providers[key] = regions
		}
	}
}

// place returns the regions that a body states by itself, nested blocks included.
func (c *call) place(b body) []string {
	const longestPlace = 64 // "google-compute-engine::northamerica-northeast1"
	var out []string
	add := func(v cty.Value) {
		for _, s := range texts(v) {
			if s != "" && len(s) <= longestPlace && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	for _, name := range placeNames {
		if !b.has(name) {
			continue
		}
		for _, v := range b.spread(name, c.ctx) {
			add(v)
		}
		if out == nil {
			for _, v := range c.alternatives(b.text(name)) {
				add(v)
			}
		}
		if out != nil && !slices.Equal(out, []string{"global"}) && (name == "region" || name == "location") {
			break
		}
	}
	b.inner(func(name string, labels []string, _ int, in body) {
		var inside []string
		switch {
		case name == "placement":
		case name != "dynamic":
			inside = c.place(in)
		case len(labels) == 1:
			inside = c.dynamicPlace(labels[0], in)
		}
		out = union(out, inside)
	})
	return out
}

// alternatives are all values that a local may have, where it is not known which, and those that files of stages give to a
// variable without a default.
func (c *call) alternatives(text string) (out []cty.Value) {
	const most = 6
	if name, ok := strings.CutPrefix(text, "var."); ok && c.depth == 0 {
		if list := c.m.spare[name]; len(list) <= most {
			return list
		}
		return nil
	}
	name, ok := strings.CutPrefix(text, "local.")
	if !ok {
		return nil
	}
	for _, b := range c.m.blocks {
		if b.kind == "locals" {
			if v := b.body.spread(name, c.ctx); v != nil {
				return v
			}
		}
	}
	return nil
}

// dynamicPlace is place of the blocks that a dynamic block makes, by the name under which its content knows the element.
func (c *call) dynamicPlace(name string, b body) (out []string) {
	if own := b.text("iterator"); own != "" {
		name = own
	}
	if _, taken := c.ctx.Variables[name]; taken {
		return nil
	}
	each, _, _ := b.attr("for_each", c.ctx)
	if c.nested { // elements of elements are too many to try
		each = cty.DynamicVal
	}
	defer func(was bool) { c.nested = was }(c.nested)
	c.nested = true
	b.inner(func(kind string, _ []string, _ int, content body) {
		if kind == "content" {
			c.elements(name, each, func() { out = union(out, c.place(content)) })
		}
	})
	return out
}

// texts returns the known strings of a value: itself, or the elements of a collection.
func texts(v cty.Value) []string {
	switch {
	case v == cty.NilVal || !v.IsKnown() || v.IsNull():
		return nil
	case v.Type() == cty.String:
		return []string{v.AsString()}
	case v.CanIterateElements() && (v.Type().IsTupleType() || v.Type().IsListType() || v.Type().IsSetType()):
		var out []string
		for it := v.ElementIterator(); it.Next(); {
			switch _, e := it.Element(); {
			case isString(e):
				out = append(out, e.AsString())
			case e.IsKnown() && !e.IsNull() && e.Type().IsObjectType() && e.Type().HasAttribute("name") && isString(e.GetAttr("name")):
				out = append(out, e.GetAttr("name").AsString()) // regions = [{ name = "…" }]
			}
		}
		return out
	}
	return nil
}

func (c *call) block(b *block) {
	out := c.t.out(b.file)
	switch b.kind {
	case "resource", "data":
		if len(b.labels) == 2 {
			c.resource(b, out)
		}
	case "provider":
		if len(b.labels) == 1 {
			c.provider(b, out)
		}
	case "module":
		if len(b.labels) == 1 {
			c.module(b, out)
		}
	case "source":
		if len(b.labels) == 2 && packerFile(b.file) {
			c.builder(b, out)
		}
	case "locals", "output":
		settings(b, out, stackparse.Loose)
	}
}

func (c *call) source(local string) string {
	if s := c.m.sources[local]; s != "" {
		return s
	}
	return ""
}

func (c *call) provider(b *block, out *stackparse.Result) {
	name := b.labels[0]
	f := stackparse.Fact{Kind: "tf_provider", Name: c.source(name), Show: `provider "` + name + `"`, Line: b.line}
	if _, isJSON := b.body.(jsonBody); isJSON {
		f.Show = name
	}
	if f.Name == "" {
		f.Name = "hashicorp/" + name
	}
	v, _, aliased := b.body.attr("alias", nil)
	if !aliased || !isString(v) {
		f.Regions = c.providers[name]
		if _, line, ok := b.body.attr("region", c.ctx); ok && f.Regions == nil {
			out.Warn(line, "the region of provider %q is not known from these files", name)
		}
	} else {
		f.State = stackparse.Loose
	}
	if strings.Count(f.Name, "/") > 1 {
		f.Kind = stackparse.KindUnknown
	}
	out.Add(f)
	settings(b, out, stackparse.Firm)
}

// aside are data sources that tell of identity, places and documents only.
var aside = pattern.New(`^(?:aws_(?:region|regions|caller_identity|availability_zones?|partition|iam_policy_document|default_tags|billing_service_account|canonical_user_id|ip_ranges)|google_(?:client_config|client_openid_userinfo|project|projects|organization|billing_account|folder|compute_zones|compute_regions|iam_policy)|azurerm_(?:client_config|subscription|subscriptions|location)|azuread_(?:client_config|domains)|terraform_remote_state|template_.*|http|external|local_.*|archive_file|null_.*|tls_.*)$`)

func (c *call) resource(b *block, out *stackparse.Result) {
	kind := b.labels[0]
	if b.kind == "data" && aside.MatchString(kind) {
		return
	}
	local, _, _ := strings.Cut(kind, "_")
	config := local
	if ref := b.body.text("provider"); ref != "" {
		config, _, _ = strings.Cut(strings.Trim(ref, `"`), "[") // one of several made by for_each
		local, _, _ = strings.Cut(config, ".")
	}
	f := stackparse.Fact{Kind: "tf_resource", Name: kind, Show: kind + "." + b.labels[1], Line: b.line, Source: c.source(local)}
	if _, isJSON := b.body.(jsonBody); isJSON {
		f.Show = "" // type and name stand on lines far apart
	}
	if b.kind == "data" {
		f.State, f.As = stackparse.Loose, "tf_data"
	}
	f.Regions = c.eachPlace(b.body)
	if v, _, ok := b.body.attr("cluster", c.ctx); ok && f.Regions == nil && strings.HasPrefix(kind, "linode_object_storage") {
		f.Regions = texts(v) // its stores name the place so
	}
	if f.Regions == nil {
		f.Regions = c.providers[config]
		if strings.HasPrefix(config, "google-beta") && f.Regions == nil {
			f.Regions = c.providers["google"]
		}
	}
	if kind == "aws_wafv2_web_acl" {
		if v, _, ok := b.body.attr("scope", c.ctx); ok && isString(v) && v.AsString() == "CLOUDFRONT" {
			f.Regions = append([]string{"global"}, f.Regions...)
		}
	}
	c.refine(b, &f, out)
	out.Add(f)
	if strings.HasPrefix(kind, "fastly_") {
		logging(b, out)
	}
	settings(b, out, stackparse.Firm)
}

// logTargets are blocks by which a CDN ships its logs to another vendor.
var logTargets = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"s3": {"aws", "s3"}, "kinesis": {"aws", "kinesis"}, "gcs": {"google-cloud", "cloud-storage"}, "bigquery": {"google-cloud", "bigquery"}, "googlepubsub": {"google-cloud", "pubsub"},
		"blobstorage": {"azure", "blob-storage"}, "datadog": {"datadog", "logs"}, "newrelic": {"new-relic", "logs"}, "newrelicotlp": {"new-relic", "logs"}, "splunk": {"splunk", ""}, "sumologic": {"sumologic", ""},
		"papertrail": {"papertrail", ""}, "loggly": {"loggly", ""}, "honeycomb": {"honeycomb", ""}, "logentries": {"rapid7", ""}, "scalyr": {"scalyr", ""}, "grafanacloudlogs": {"grafana", "logs"}, "digitalocean": {"digitalocean", "spaces"},
	}
})

func logging(b *block, out *stackparse.Result) {
	b.body.inner(func(name string, labels []string, line int, _ body) {
		if name == "dynamic" && len(labels) == 1 {
			name = labels[0]
		}
		target, ok := strings.CutPrefix(name, "logging_")
		if !ok {
			target, ok = strings.CutSuffix(name, "logging")
		}
		if t := logTargets()[target]; ok && t.provider != "" {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: t.provider, Service: t.service, Name: name, Line: line})
		}
	})
}

// eachPlace is place, once per key of for_each when that is known.
func (c *call) eachPlace(b body) (out []string) {
	c.each(b, func() { out = union(out, c.place(b)) })
	return out
}

// each calls f once per key of a body's for_each where that is known, else once.
func (c *call) each(b body, f func()) {
	each, _, ok := b.attr("for_each", c.ctx)
	if !ok {
		c.ctx.Variables["count"] = cty.ObjectVal(map[string]cty.Value{"index": cty.NumberIntVal(0)})
		each = cty.DynamicVal
	}
	c.elements("each", each, f)
}

// elements calls f once per element of a collection, which expressions know by a name meanwhile; once where the collection is
// not known.
func (c *call) elements(name string, each cty.Value, f func()) {
	defer delete(c.ctx.Variables, name)
	if each == cty.NilVal || !each.IsKnown() || each.IsNull() || !each.CanIterateElements() {
		c.ctx.Variables[name] = cty.DynamicVal
		f()
		return
	}
	const most = 50
	n := 0
	for it := each.ElementIterator(); it.Next() && n < most && c.t.elements > 0; n++ {
		c.t.elements--
		k, v := it.Element()
		if each.Type().IsSetType() || each.Type().IsTupleType() || each.Type().IsListType() {
			k = v
		}
		known := map[string]cty.Value{"value": v}
		if k, err := convert.Convert(k, cty.String); err == nil {
			known["key"] = k
		}
		c.ctx.Variables[name] = cty.ObjectVal(known)
		f()
	}
}

// union adds to a list what is not in it.
func union(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// module evaluates a call: a local folder with its inputs, or a module of the registry by its name.
func (c *call) module(b *block, out *stackparse.Result) {
	out.Dependencies++
	if dir := c.m.local(b); dir != "" {
		m := c.t.dirs[dir]
		if m == nil || dir == c.m.dir {
			return
		}
		handed := regionsOf{}
		for k, v := range c.providers {
			handed[k] = v // an alias by its name too, where a folder names one that nobody hands to it
		}
		for to, from := range b.body.references("providers") {
			handed[to] = c.providers[from]
		}
		c.each(b.body, func() {
			inputs := map[string]cty.Value{}
			b.body.each(func(name string, _ int) {
				v, _, _ := b.body.attr(name, c.ctx)
				inputs[name] = v
			})
			c.t.run(m, inputs, handed, c.depth+1)
		})
		return
	}
	v, line, ok := b.body.attr("source", nil)
	if !ok || !isString(v) {
		return
	}
	c.registry(b, v.AsString(), line, out)
	settings(b, out, stackparse.Firm)
}

// principal are names of services inside policies; they look like hosts and are none.
var principal = pattern.New(`(?:^|[^.\w-])[a-z0-9-]+\.amazonaws\.com(?:$|[^.\w])`)

// settings takes hosts and variables out of the literals of a block, once.
func settings(b *block, out *stackparse.Result, state stackparse.State) {
	if b.told {
		return
	}
	b.told = true
	b.body.strings(func(key, text string, line int) {
		if len(text) > 4096 || !strings.Contains(text, ".") && !strings.Contains(text, "arn:") || strings.HasPrefix(strings.TrimSpace(text), "#") {
			return
		}
		if principal.MatchString(text) && !strings.Contains(text, "://") {
			return
		}
		if key == "Resource" || key == "resources" || key == "Principal" || key == "identifiers" || key == "AWS" || key == "policy_arn" || key == "policy" || key == "managed_policy_arns" {
			return
		}
		out.Value(stackparse.Setting{Name: "literal", Line: line}, text, state)
	})
	b.body.pairs(isVariable, func(name, value string, line int, expr bool) {
		out.Setting(stackparse.Setting{Name: name, Value: value, Line: line, Secret: expr && value == ""})
	})
}
