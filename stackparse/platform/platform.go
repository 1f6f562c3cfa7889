// Package platform reads the settings of application platforms: vercel.json, netlify.toml, fly.toml, wrangler.toml and
// .json, firebase.json, render.yaml, app.json and Procfile of Heroku, supabase/config.toml, livekit.toml, App Engine's
// app.yaml and DigitalOcean's app specs. That the file exists is already evidence by the catalogue; these parsers add
// the products, regions, variables and add-ons inside.
package platform

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "platform".
func (Parser) Name() string { return "platform" }

// readerOf returns what reads a file of a name, nil where the name alone does not tell.
func readerOf(base string) func(*scan.Node, *stackparse.Result) {
	switch base {
	case "vercel.json", "now.json":
		return vercel
	case "netlify.toml":
		return netlify
	case "fly.toml":
		return fly
	case "wrangler.toml", "wrangler.json", "wrangler.jsonc":
		return wrangler
	case "firebase.json":
		return firebase
	case "render.yaml":
		return render
	case "app.json":
		return heroku
	case "heroku.yml":
		return variablesOnly
	case "railway.toml", "railway.json":
		return railway
	case "app.yaml":
		return appEngine
	case "vercel-template.json":
		return marketplace
	case "livekit.toml":
		return livekit
	case "nx.json":
		return nx
	case "eas.json":
		return eas
	case "google-services.json":
		return googleServices
	case "profiles.yml":
		return dbt
	case "apphosting.yaml":
		return appHosting
	case "dataconnect.yaml":
		return dataConnect
	case "azure.yaml":
		return azd
	case "zappa_settings.json":
		return zappa
	case "team-provider-info.json":
		return amplify
	case "koyeb.yaml":
		return koyeb
	case "apprunner.yaml":
		return appRunner
	case "backend-config.json":
		return amplifyBackend
	}
	return nil
}

// Claims takes the files by name.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return readerOf(base) != nil || base == "Procfile" || base == "app.arc" || base == ".arc" || base == "config.toml" && path.Base(path.Dir(p)) == "supabase" || beanstalkConfig(p) || beanstalkOptions(p) || copilotManifest(p) ||
		strings.HasPrefix(base, "fly.") && strings.HasSuffix(base, ".toml") || (base == "app.yaml" || base == "deploy.template.yaml") && path.Base(path.Dir(p)) == ".do"
}

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	out.Kind = strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
	switch base {
	case "Procfile":
		procfile(in, out)
		return
	case "app.arc", ".arc":
		architect(in, out)
		return
	}
	var docs []*scan.Node
	var probs []scan.Problem
	switch path.Ext(base) {
	case ".toml":
		var n *scan.Node
		n, probs = scan.TOML(in.Data)
		docs = []*scan.Node{n}
	case ".yaml", ".yml", ".config":
		docs, probs = scan.YAML(in.Data)
	default:
		var n *scan.Node
		n, probs = scan.JSON(in.Data)
		docs = []*scan.Node{n}
	}
	out.Problems(probs)
	read := readerOf(base)
	switch {
	case base == "config.toml":
		read, out.Kind = supabase, "supabase"
	case strings.HasPrefix(base, "fly."):
		read, out.Kind = fly, "fly"
	case beanstalkOptions(in.Path):
		read, out.Kind = options, "elastic-beanstalk"
	case copilotManifest(in.Path):
		read, out.Kind = copilot, "copilot"
	case beanstalkConfig(in.Path):
		read, out.Kind = beanstalk, "elastic-beanstalk"
	case path.Base(path.Dir(in.Path)) == ".do":
		read, out.Kind = digitalOcean, "digitalocean"
	}
	for _, n := range docs {
		if n != nil && n.Kind == scan.Map {
			read(n, out)
		}
	}
}

func use(out *stackparse.Result, provider, service, name string, line int) {
	out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: service, Name: name, Line: line})
}

func region(out *stackparse.Result, provider, name string, v *scan.Node) {
	for _, r := range v.All() {
		if r.Str() != "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: name, Line: r.Line, Regions: []string{r.Str()}})
		}
	}
}

// table reads a map of variables.
func table(n *scan.Node, out *stackparse.Result) {
	n.Each(func(k string, line int, v *scan.Node) {
		out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line, Secret: v.Kind == scan.Map})
	})
}

// variablesOnly takes whatever looks like a variable or a host.
func variablesOnly(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			if v.Kind == scan.String {
				out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line, Deep: k != strings.ToUpper(k)})
			}
		})
	})
}

func vercel(n *scan.Node, out *stackparse.Result) {
	region(out, "vercel", "regions", n.Get("regions"))
	if f := n.Get("functions"); f != nil {
		use(out, "vercel", "functions", "functions", f.Line)
		f.Each(func(_ string, _ int, v *scan.Node) { region(out, "vercel", "regions", v.Get("regions")) })
	}
	if c := n.Get("crons"); c != nil {
		use(out, "vercel", "functions", "crons", c.Line)
	}
	table(n.Get("env"), out)
	table(n.Get("build", "env"), out)
	destinations(n, out)
}

// destinations are hosts to which a platform's rewrites hand requests on.
func destinations(n *scan.Node, out *stackparse.Result) {
	for _, key := range []string{"rewrites", "routes", "redirects"} {
		for _, r := range n.Get(key).All() {
			for _, k := range []string{"destination", "dest", "to"} {
				if d := r.Get(k); strings.HasPrefix(d.Str(), "http") && key != "redirects" {
					out.Value(stackparse.Setting{Name: k, Line: d.Line}, d.Str(), stackparse.Firm)
				}
			}
		}
	}
}

// appHosting reads the variables of Firebase App Hosting, of which some come from secrets.
func appHosting(n *scan.Node, out *stackparse.Result) {
	for _, e := range n.Get("env").All() {
		if k := e.Get("variable"); k.Str() != "" {
			out.Setting(stackparse.Setting{Name: k.Str(), Value: e.Get("value").Str(), Line: k.Line, Secret: e.Get("secret") != nil})
		}
	}
}

// marketplace reads what a template provisions through Vercel's marketplace.
func marketplace(n *scan.Node, out *stackparse.Result) {
	vendors := map[string]struct{ provider, service string }{
		"neon": {"neon", ""}, "upstash": {"upstash", "redis"}, "supabase": {"supabase", ""}, "redis": {"redis", ""}, "mongodbatlas": {"mongodb-atlas", "clusters"},
		"planetscale": {"planetscale", ""}, "prisma": {"prisma", ""}, "turso": {"turso", ""}, "sentry": {"sentry", ""}, "clerk": {"clerk", ""}, "stripe": {"stripe", ""}, "xata": {"xata", ""}, "convex": {"convex", ""},
		"sanity": {"sanity", ""}, "groq": {"groq", ""}, "fal": {"fal", ""}, "deepinfra": {"deepinfra", ""}, "checkly": {"checkly", ""}, "dash0": {"dash0", ""}, "statsig": {"statsig", ""}, "axiom": {"axiom", ""}, "inngest": {"inngest", ""},
	}
	for _, p := range n.Get("products").All() {
		slug := p.Get("integrationSlug")
		if v := vendors[slug.Str()]; v.provider != "" {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: v.provider, Service: v.service, Name: slug.Str(), Line: slug.Line, State: stackparse.Loose})
		}
		if t := p.Get("type"); t.Str() == "blob" {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "vercel", Service: "blob", Name: "blob", Line: t.Line, State: stackparse.Loose})
		}
	}
}

func netlify(n *scan.Node, out *stackparse.Result) {
	table(n.Get("build", "environment"), out)
	n.Get("context").Each(func(_ string, _ int, c *scan.Node) { table(c.Get("environment"), out) })
	if f := n.Get("functions"); f != nil {
		use(out, "netlify", "functions", "functions", f.Line)
		region(out, "netlify", "region", f.Get("region"))
		f.Each(func(_ string, _ int, one *scan.Node) { region(out, "netlify", "region", one.Get("region")) })
	}
	if f := n.Get("edge_functions"); f != nil {
		use(out, "netlify", "edge-functions", "edge_functions", f.Line)
	}
	for _, r := range n.Get("redirects").All() {
		if t := r.Get("to"); strings.HasPrefix(t.Str(), "http") && r.Get("status").Str() == "200" {
			out.Value(stackparse.Setting{Name: "to", Line: t.Line}, t.Str(), stackparse.Firm)
		}
	}
	for _, p := range n.Get("plugins").All() {
		if k := p.Get("package"); k.Str() != "" {
			out.Add(stackparse.Fact{Kind: "npm", Name: k.Str(), Line: k.Line})
		}
	}
}

func fly(n *scan.Node, out *stackparse.Result) {
	region(out, "fly-io", "primary_region", n.Get("primary_region"))
	table(n.Get("env"), out)
	if img := n.Get("build", "image"); img.Str() != "" {
		out.Add(stackparse.Fact{Kind: "image", Name: img.Str(), Line: img.Line})
	}
}

// bindings are the keys of a Worker's settings that bind a product.
var bindings = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"kv_namespaces": "workers-kv", "r2_buckets": "r2", "d1_databases": "d1", "queues": "queues", "durable_objects": "durable-objects",
		"ai": "workers-ai", "vectorize": "vectorize", "hyperdrive": "hyperdrive", "browser": "browser-rendering", "images": "images", "containers": "containers",
		"pages_build_output_dir": "pages", "triggers": "cron-triggers", "analytics_engine_datasets": "workers-analytics-engine", "send_email": "email-routing", "workflows": "workflows",
	}
})

func wrangler(n *scan.Node, out *stackparse.Result) {
	read := func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			if s := bindings()[k]; s != "" {
				use(out, "cloudflare", s, k, line)
			}
		})
		table(m.Get("vars"), out)
		for _, b := range m.Get("r2_buckets").All() {
			region(out, "cloudflare", "jurisdiction", b.Get("jurisdiction"))
		}
	}
	read(n)
	n.Get("env").Each(func(_ string, _ int, v *scan.Node) { read(v) })
}

func firebase(n *scan.Node, out *stackparse.Result) {
	services := map[string]string{
		"hosting": "hosting", "functions": "functions", "firestore": "firestore", "storage": "cloud-storage", "database": "realtime-database",
		"apphosting": "app-hosting", "remoteconfig": "remote-config", "dataconnect": "data-connect",
	}
	for _, key := range slices.Sorted(maps.Keys(services)) {
		service := services[key]
		if v := n.Get(key); v != nil {
			use(out, "firebase", service, key, v.Line)
		}
	}
	for _, db := range n.Get("firestore").All() {
		region(out, "firebase", "location", db.Get("location"))
	}
	for _, f := range n.Get("functions").All() {
		region(out, "firebase", "region", f.Get("region"))
	}
	n.Get("hosting").WalkMaps(func(m *scan.Node) {
		if run := m.Get("run"); run.Get("serviceId") != nil {
			use(out, "google-cloud", "cloud-run", "serviceId", run.Get("serviceId").Line)
			region(out, "google-cloud", "region", run.Get("region"))
		}
		region(out, "firebase", "region", m.Get("function", "region"))
	})
}

// railway reads where a service runs, and the variables beside.
func railway(n *scan.Node, out *stackparse.Result) {
	variablesOnly(n, out)
	n.WalkMaps(func(m *scan.Node) {
		region(out, "railway", "region", m.Get("region"))
		m.Get("multiRegionConfig").Each(func(k string, line int, _ *scan.Node) {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "railway", Name: k, Line: line, Regions: []string{k}})
		})
	})
}

func render(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		region(out, "render", "region", m.Get("region"))
		for _, e := range m.Get("envVars").All() {
			k := e.Get("key")
			if k.Str() == "" {
				continue
			}
			out.Setting(stackparse.Setting{Name: k.Str(), Value: e.Get("value").Str(), Line: k.Line, Secret: e.Get("sync").Str() == "false" || e.Get("fromDatabase") != nil, Pipeline: e.Get("sync").Str() == "false"})
		}
	})
	n.Each(func(k string, line int, _ *scan.Node) {
		if k == "databases" {
			use(out, "render", "postgresql", k, line)
		}
	})
	for _, s := range n.Get("services").All() {
		if t := s.Get("type"); t.Str() == "redis" || t.Str() == "keyvalue" {
			use(out, "render", "key-value", t.Str(), t.Line)
		}
	}
}

// heroku reads app.json, which Expo and others also use: only Heroku's has these keys.
func heroku(n *scan.Node, out *stackparse.Result) {
	mark := ""
	for _, k := range []string{"formation", "addons", "buildpacks", "environments", "stack"} {
		if n.Get(k) != nil {
			mark = k
			break
		}
	}
	if app := n.Get("expo"); app != nil {
		use(out, "expo", "", "expo", app.Line)
		expo(app, out)
		return
	}
	if mark == "" {
		out.Kind = stackparse.Unread
		return
	}
	use(out, "heroku", "", mark, n.Get(mark).Line)
	region(out, "heroku", "region", n.Get("region"))
	for _, a := range n.Get("addons").All() {
		plan := a
		if a.Kind == scan.Map {
			plan = a.Get("plan")
		}
		if plan.Str() == "" {
			continue
		}
		name, _, _ := strings.Cut(plan.Str(), ":")
		out.Add(stackparse.Fact{Kind: "addon", Name: name, Line: plan.Line})
	}
	n.Get("env").Each(func(k string, line int, v *scan.Node) {
		value := v.Str()
		if v.Kind == scan.Map {
			value = v.Get("value").Str()
		}
		out.Setting(stackparse.Setting{Name: k, Value: value, Line: line, Template: true})
	})
}

// googleServices reads Firebase's settings of an Android app, of which only the address of a database tells a product.
func googleServices(n *scan.Node, out *stackparse.Result) {
	if u := n.Get("project_info", "firebase_url"); u != nil {
		out.Value(stackparse.Setting{Name: "firebase_url", Line: u.Line}, u.Str(), stackparse.Firm)
	}
}

// eas reads how Expo builds an app and where it submits it to.
func eas(n *scan.Node, out *stackparse.Result) {
	n.Get("build").Each(func(_ string, _ int, profile *scan.Node) { table(profile.Get("env"), out) })
	n.Get("submit").Each(func(_ string, _ int, profile *scan.Node) {
		profile.Each(func(k string, line int, _ *scan.Node) {
			switch k {
			case "ios":
				use(out, "apple-developer", "", k, line)
			case "android":
				use(out, "google-play", "", k, line)
			}
		})
	})
}

// warehouses maps dbt's adapters to what they talk to.
var warehouses = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"snowflake": {"snowflake", ""}, "bigquery": {"google-cloud", "bigquery"}, "redshift": {"aws", "redshift"}, "athena": {"aws", "athena"}, "glue": {"aws", "glue"}, "databricks": {"databricks", ""},
		"synapse": {"azure", "synapse-analytics"}, "fabric": {"azure", "fabric"},
	}
})

// dbt reads the profiles of dbt: which warehouse, where.
func dbt(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		t := m.Get("type")
		w, ok := warehouses()[t.Str()]
		if !ok {
			return
		}
		use(out, w.provider, w.service, t.Str(), t.Line)
		for _, k := range []string{"location", "region", "region_name"} {
			region(out, w.provider, k, m.Get(k))
		}
		for _, k := range []string{"host", "account"} {
			if v := m.Get(k); v.Str() != "" {
				out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: v.Line, Deep: true})
			}
		}
	})
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}

// nx reads the settings of an Nx workspace, of which only the cloud that caches and distributes its tasks counts.
func nx(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			if (k == "nxCloudAccessToken" || k == "nxCloudId" || k == "nxCloudUrl" || k == "runner" && strings.Contains(v.Str(), "nx-cloud")) && v.Str() != "" {
				use(out, "nx-cloud", "", k, line)
			}
		})
	})
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}

func appEngine(n *scan.Node, out *stackparse.Result) {
	if n.Get("runtime") == nil {
		out.Kind = stackparse.Unread
		return
	}
	use(out, "google-cloud", "app-engine", n.Get("runtime").Str(), n.Get("runtime").Line)
	table(n.Get("env_variables"), out)
	for _, i := range n.Get("beta_settings", "cloud_sql_instances").All() {
		out.Value(stackparse.Setting{Name: "cloud_sql_instances", Line: i.Line}, i.Str(), stackparse.Firm)
	}
}

func digitalOcean(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		region(out, "digitalocean", "region", m.Get("region"))
		for _, e := range m.Get("envs").All() {
			if k := e.Get("key"); k.Str() != "" {
				out.Setting(stackparse.Setting{Name: k.Str(), Value: e.Get("value").Str(), Line: k.Line, Secret: e.Get("type").Str() == "SECRET"})
			}
		}
		m.Each(func(k string, line int, _ *scan.Node) {
			if k == "databases" {
				use(out, "digitalocean", "managed-databases", k, line)
			}
		})
	})
}

// logins maps the names by which Supabase knows vendors that people sign in with or that send its messages.
var logins = sync.OnceValue(func() map[string]struct{ provider, service string } {
	return map[string]struct{ provider, service string }{
		"apple": {"apple-developer", "sign-in-with-apple"}, "azure": {"azure", "entra-id"}, "bitbucket": {"bitbucket", ""}, "discord": {"discord", ""}, "facebook": {"meta", "facebook-login"},
		"github": {"github", "oauth"}, "gitlab": {"gitlab", ""}, "google": {"google-identity", ""}, "linkedin": {"linkedin", ""}, "linkedin_oidc": {"linkedin", ""}, "notion": {"notion", ""}, "twitch": {"twitch", ""},
		"twitter": {"twitter", ""}, "x": {"twitter", ""}, "slack": {"slack", ""}, "slack_oidc": {"slack", ""}, "spotify": {"spotify", ""}, "workos": {"workos", ""}, "zoom": {"zoom", ""}, "figma": {"figma", ""},
		"twilio": {"twilio", ""}, "twilio_verify": {"twilio", "verify"}, "messagebird": {"messagebird", ""}, "vonage": {"vonage-api", ""},
		"firebase": {"firebase", "authentication"}, "auth0": {"auth0", ""}, "aws_cognito": {"aws", "cognito"}, "clerk": {"clerk", ""},
	}
})

// supabase reads the settings of a project: vendors count where they are enabled.
func supabase(n *scan.Node, out *stackparse.Result) {
	variablesOnly(n, out)
	for _, group := range []string{"external", "sms", "third_party"} {
		n.Get("auth", group).Each(func(k string, line int, v *scan.Node) {
			if l := logins()[k]; l.provider != "" && v.Get("enabled").Str() == "true" {
				use(out, l.provider, l.service, k, line)
			}
		})
	}
	if c := n.Get("auth", "captcha"); c.Get("enabled").Str() == "true" {
		out.Setting(stackparse.Setting{Name: strings.ToUpper(c.Get("provider").Str()) + "_SECRET_KEY", Line: c.Line, Secret: true})
	}
}

func livekit(n *scan.Node, out *stackparse.Result) {
	if a := n.Get("agent"); a != nil {
		use(out, "livekit", "agents", "agent", a.Line)
	}
	region(out, "livekit", "region", n.Get("agent", "region"))
	region(out, "livekit", "regions", n.Get("agent", "regions"))
	variablesOnly(n, out)
}

// wrappers are programs in a Procfile's commands that talk to a vendor.
var wrappers = sync.OnceValue(func() map[string]string {
	return map[string]string{"ddtrace-run": "datadog", "newrelic-admin": "new-relic", "doppler": "doppler", "sentry-cli": "sentry"}
})

func procfile(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		if strings.HasPrefix(text, "#") {
			return
		}
		for w := range strings.FieldsSeq(text) {
			if p := wrappers()[path.Base(w)]; p != "" {
				use(out, p, "", path.Base(w), line)
			}
		}
		out.Dependencies++
	})
}
