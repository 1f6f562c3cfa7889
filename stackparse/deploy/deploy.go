// Package deploy reads infrastructure code beside Terraform: CloudFormation and SAM templates (YAML and JSON),
// serverless.yml, Pulumi projects and stacks, CDK's context and samconfig.toml, Azure Resource Manager templates and
// Bicep, jobs of Nomad.
package deploy

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/arm"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/tfname"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "deploy".
func (Parser) Name() string { return "deploy" }

var (
	templateName = pattern.New(`(?i)^(?:.*[-_.])?(?:template|cloudformation|cfn|sam|stack)(?:[-_.].*)?\.(?:ya?ml|json|template)$|\.template$|\.cfn\.(?:ya?ml|json)$`)
	pulumiStack  = pattern.New(`^Pulumi\.[\w.-]+\.ya?ml$`)
)

// Claims takes files by name, JSON in folders named for CloudFormation, and all YAML: templates are called anything.
// What turns out to be no template is left to the other readers of YAML.
func (Parser) Claims(p string) bool { return named(p) || yamlFile(p) }

func yamlFile(p string) bool {
	return (strings.HasSuffix(p, ".yml") || strings.HasSuffix(p, ".yaml")) && !strings.Contains(p, "locales/") && !strings.Contains(p, "ISSUE_TEMPLATE/")
}

func named(p string) bool {
	base := path.Base(p)
	switch base {
	case "serverless.yml", "serverless.yaml", "Pulumi.yaml", "Pulumi.yml", "cdk.json", "cdk.context.json", "samconfig.toml", "samconfig.yaml", "samconfig.yml", "azuredeploy.json", "azuredeploy.parameters.json", "copilot.yml":
		return true
	}
	dir := strings.ToLower(path.Dir(p))
	return templateName.MatchString(base) || pulumiStack.MatchString(base) || strings.HasSuffix(base, ".bicep") || strings.HasSuffix(base, ".bicepparam") || strings.HasSuffix(base, ".parameters.json") || nomadFile(base) ||
		(strings.Contains(dir, "cloudformation") || strings.Contains(dir, "/cfn") || strings.HasPrefix(dir, "cfn")) && (strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml") || strings.HasSuffix(base, ".json"))
}

// Sniffs knows CloudFormation and ARM templates.
func (Parser) Sniffs(head []byte) bool {
	return bytes.Contains(head, []byte(`"AWSTemplateFormatVersion"`)) || bytes.Contains(head, []byte("/deploymentTemplate.json")) || bytes.Contains(head, []byte("/deploymentParameters.json"))
}

// Parse tells the kinds apart by name and content.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if !named(in.Path) && !bytes.Contains(in.Data, []byte("AWS::")) {
		out.Kind = stackparse.Unread
		return
	}
	switch {
	case strings.HasSuffix(base, ".bicep") || strings.HasSuffix(base, ".bicepparam"):
		out.Kind = "bicep"
		bicep(in, out)
		return
	case nomadFile(base):
		out.Kind = "nomad"
		nomad(in, out)
		return
	case base == "samconfig.toml":
		n, probs := scan.TOML(in.Data)
		out.Problems(probs)
		n.WalkMaps(func(m *scan.Node) { regionKey(m, out) })
		return
	}
	for _, n := range documents(in, out) {
		switch {
		case strings.HasPrefix(base, "samconfig."):
			out.Kind = "sam"
			n.WalkMaps(func(m *scan.Node) { regionKey(m, out) })
		case strings.HasPrefix(base, "serverless."):
			out.Kind = "serverless"
			serverless(n, out)
		case strings.HasPrefix(base, "Pulumi."):
			out.Kind = "pulumi"
			pulumi(n, out)
		case strings.HasPrefix(base, "cdk."):
			out.Kind = "cdk"
			cdk(n, out)
		case n.Get("Resources") != nil || n.Get("AWSTemplateFormatVersion") != nil:
			out.Kind = "cloudformation"
			template(n, out)
		case strings.Contains(n.Get("$schema").Str(), "deploymentParameters"), strings.HasSuffix(base, ".parameters.json") && n.Get("parameters") != nil:
			out.Kind = "arm"
			arguments(n, out)
		case strings.Contains(n.Get("$schema").Str(), "deploymentTemplate"):
			out.Kind = "arm"
			azureTemplate(n, out)
		}
	}
	if out.Kind == "" {
		out.Kind = stackparse.Unread
	}
}

func documents(in stackparse.Input, out *stackparse.Result) []*scan.Node {
	if t := bytes.TrimSpace(in.Data); len(t) > 0 && t[0] == '{' {
		n, probs := scan.JSON(in.Data)
		out.Problems(probs)
		return []*scan.Node{n}
	}
	docs, probs := scan.YAML(in.Data)
	out.Problems(probs)
	return docs
}

func template(n *scan.Node, out *stackparse.Result) {
	n.Get("Parameters").Each(func(k string, _ int, p *scan.Node) {
		if d := p.Get("Default"); strings.HasSuffix(k, "Region") && d.Str() != "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: k, Show: d.Str(), Line: d.Line, Regions: []string{d.Str()}})
		}
	})
	n.Get("Resources").Each(func(_ string, _ int, r *scan.Node) {
		t := r.Get("Type")
		resource(t, replicas(r.Get("Properties")), out)
		if t.Str() == "AWS::CloudFormation::StackSet" {
			stackSet(r.Get("Properties", "StackInstancesGroup"), out)
		}
		values(r.Get("Properties"), out)
		r.Get("Properties", "Events").Each(func(_ string, _ int, e *scan.Node) {
			if t := e.Get("Type"); triggers()[t.Str()] != "" {
				out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: triggers()[t.Str()], Name: t.Str(), Line: t.Line})
			}
		})
	})
	values(n.Get("Globals"), out)
}

// triggers maps what calls a function in SAM to services.
var triggers = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Api": "apigateway", "HttpApi": "apigateway", "WebSocketApi": "apigateway", "S3": "s3", "SNS": "sns", "SQS": "sqs", "Kinesis": "kinesis", "DynamoDB": "dynamodb", "Schedule": "eventbridge", "ScheduleV2": "eventbridge-scheduler",
		"EventBridgeRule": "eventbridge", "CloudWatchEvent": "eventbridge", "CloudWatchLogs": "cloudwatch", "IoTRule": "iot-core", "Cognito": "cognito", "MSK": "msk", "MQ": "mq", "DocumentDB": "documentdb",
	}
})

// resolved are references to secrets and parameters that are looked up when deployed, with the service that keeps them.
var resolved = []struct{ mark, service string }{
	{"{{resolve:secretsmanager:", "secrets-manager"}, {"{{resolve:ssm:", "ssm"}, {"{{resolve:ssm-secure:", "ssm"}, {"${ssm:", "ssm"}, {"${ssm(", "ssm"}, {"${aws:ssm", "ssm"}, {"${secretsManager:", "secrets-manager"}, {"${cf:", "cloudformation"}, {"${s3:", "s3"},
}

// lookups takes in the references of a text.
func lookups(text string, line int, out *stackparse.Result) {
	for _, r := range resolved {
		if strings.Contains(text, r.mark) {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: r.service, Name: strings.Trim(r.mark, "{$}:("), Line: line})
		}
	}
}

// stackSet reads the regions in which a set of stacks is made.
func stackSet(groups *scan.Node, out *stackparse.Result) {
	for _, g := range groups.All() {
		for _, r := range g.Get("Regions").All() {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: "Regions", Show: r.Str(), Line: r.Line, Regions: []string{r.Str()}})
		}
	}
}

// replicas are the regions that properties name, as those of a global table do, and that of a zone.
func replicas(properties *scan.Node) []string {
	var out []string
	if zone := properties.Get("AvailabilityZone").Str(); zone != "" {
		out = append(out, zone)
	}
	for _, r := range properties.Get("Replicas").All() {
		if region := r.Get("Region").Str(); region != "" {
			out = append(out, region)
		}
	}
	return out
}

// resource adds a resource by its type ("AWS::S3::Bucket", "MongoDB::Atlas::Cluster").
func resource(t *scan.Node, regions []string, out *stackparse.Result) {
	if name := tfname.CloudFormation(t.Str()); name != "" {
		out.Add(stackparse.Fact{Kind: "tf_resource", Name: name, Show: t.Str(), Line: t.Line, Regions: regions})
	}
}

// values takes variables and hosts out of properties.
func values(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		for _, k := range []string{"Variables", "environment", "Environment"} {
			e := m.Get(k)
			if e != nil && e.Kind == scan.Map {
				e.Each(func(name string, line int, v *scan.Node) {
					if name == strings.ToUpper(name) {
						out.Setting(stackparse.Setting{Name: name, Value: v.Str(), Line: line, Secret: v.Kind == scan.Map})
					}
				})
				continue
			}
			for _, x := range e.All() {
				if name := x.Get("Name"); name.Str() != "" {
					out.Setting(stackparse.Setting{Name: name.Str(), Value: x.Get("Value").Str(), Line: name.Line, Secret: x.Get("Value").Str() == ""})
				}
			}
		}
		if img := m.Get("Image"); img.Str() != "" {
			out.Add(stackparse.Fact{Kind: "image", Name: img.Str(), Line: img.Line})
		}
	})
	n.Walk(func(key string, v *scan.Node) {
		lookups(v.Text, v.Line, out)
		if v.Kind == scan.String && strings.Contains(v.Text, "://") && len(v.Text) < 2048 && key != "Description" {
			out.Value(stackparse.Setting{Name: "literal", Line: v.Line}, v.Text, stackparse.Firm)
		}
	})
}

func regionKey(m *scan.Node, out *stackparse.Result) {
	for _, k := range []string{"region", "aws:region", "aws_region"} {
		if r := m.Get(k); r.Str() != "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: "region", Show: k, Line: r.Line, Regions: []string{fallback(r.Str())}})
		}
	}
}

var optDefault = pattern.New(`\$\{[^}]*?,\s*'([^']*)'\s*\}`)

// fallback takes the default out of a variable of the serverless framework ("${opt:region, 'eu-west-1'}").
func fallback(s string) string {
	if m := optDefault.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

// ownTable is a variable of the file itself, up to where another variable chooses ("self:custom.region.${sls:stage}").
var ownTable = pattern.New(`self:([\w.]+)\.\$\{`)

// byStage adds the regions of a table from which the stage chooses one.
func byStage(n *scan.Node, text, provider string, out *stackparse.Result) {
	m := ownTable.FindStringSubmatch(text)
	if m == nil {
		return
	}
	n.Get(strings.Split(m[1], ".")...).Each(func(stage string, line int, v *scan.Node) {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: stage, Line: line, Regions: []string{v.Str()}})
	})
}

// forDevelopment reports whether nobody else uses a stage.
func forDevelopment(s string) bool {
	switch s {
	case "dev", "development", "test", "local":
		return true
	}
	return false
}

// events maps triggers of serverless functions to services.
var events = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"http": "apigateway", "httpApi": "apigateway", "websocket": "apigateway", "s3": "s3", "sqs": "sqs", "sns": "sns", "schedule": "eventbridge", "eventBridge": "eventbridge",
		"stream": "dynamodb", "cloudwatchLog": "cloudwatch", "cloudwatchEvent": "eventbridge", "cognitoUserPool": "cognito", "alb": "elb", "iot": "iot-core", "kafka": "", "msk": "msk", "cloudFront": "cloudfront",
	}
})

func serverless(n *scan.Node, out *stackparse.Result) {
	p := n.Get("provider")
	name := p.Get("name")
	if name == nil {
		name = p
	}
	vendor := map[string]struct{ provider, service string }{"aws": {"aws", "lambda"}, "google": {"google-cloud", "cloud-functions"}, "azure": {"azure", "functions"}, "cloudflare": {"cloudflare", "workers"}}[name.Str()]
	if vendor.provider == "" {
		return
	}
	out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: vendor.provider, Service: vendor.service, Name: name.Str(), Line: name.Line})
	if r := p.Get("region"); r.Str() != "" {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: vendor.provider, Name: "region", Line: r.Line, Regions: []string{fallback(r.Str())}})
		byStage(n, r.Str(), vendor.provider, out)
	}
	values(n, out)
	if vendor.provider == "aws" {
		granted(n, out)
	}
	n.Get("functions").Each(func(_ string, _ int, f *scan.Node) {
		for _, e := range f.Get("events").All() {
			e.Each(func(k string, line int, v *scan.Node) {
				if a := v.Get("arn"); a.Str() != "" {
					out.Value(stackparse.Setting{Name: "arn", Line: a.Line}, a.Str(), stackparse.Firm)
				}
				if s := events()[k]; s != "" && vendor.provider == "aws" {
					out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: s, Name: k, Line: line})
				}
			})
		}
	})
	template(n.Get("resources"), out)
	for _, r := range n.Get("resources").All() {
		template(r, out)
	}
	for _, pl := range n.Get("plugins").All() {
		out.Add(stackparse.Fact{Kind: "npm", Name: pl.Str(), Line: pl.Line, Dev: true})
	}
}

// granted reads what functions may do: "ses:SendEmail" tells the service.
func granted(n *scan.Node, out *stackparse.Result) {
	n.Walk(func(key string, v *scan.Node) {
		if service, verb, ok := strings.Cut(v.Text, ":"); ok && (key == "Action" || key == "actions") && verb != "" && !strings.ContainsAny(service, " /{$") {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindClient, Provider: "aws", Name: service, Show: v.Text, Line: v.Line})
		}
	})
}

func pulumi(n *scan.Node, out *stackparse.Result) {
	if b := n.Get("backend", "url"); b.Str() != "" {
		out.Value(stackparse.Setting{Name: "backend", Line: b.Line}, b.Str(), stackparse.Firm)
	}
	if k := n.Get("secretsprovider"); k.Str() != "" {
		out.Value(stackparse.Setting{Name: "secretsprovider", Line: k.Line}, k.Str(), stackparse.Firm)
	}
	n.Get("config").Each(func(k string, line int, v *scan.Node) {
		ns, key, _ := strings.Cut(k, ":")
		provider := map[string]string{"aws": "aws", "aws-native": "aws", "gcp": "google-cloud", "google-native": "google-cloud", "azure-native": "azure", "azure": "azure", "digitalocean": "digitalocean", "cloudflare": "cloudflare", "datadog": "datadog", "github": "github", "mongodbatlas": "mongodb-atlas", "auth0": "auth0", "okta": "okta"}[ns]
		for _, set := range [...]string{"value", "default"} { // of a project, which tells more of its settings
			if x := v.Get(set); x != nil {
				v = x
			}
		}
		if provider == "" {
			if v.Kind == scan.String { // of the project itself
				out.Setting(stackparse.Setting{Name: key, Value: v.Str(), Line: line, Deep: true})
				if kind, vendor, ok := strings.Cut(key, "."); ok && strings.HasPrefix(kind, "region") { // "regions.digitalocean"
					out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Name: vendor + ".region", Show: key, Line: line, Regions: []string{v.Str()}})
				}
			}
			return
		}
		out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Name: k, Line: line, State: stackparse.Loose})
		out.Value(stackparse.Setting{Name: key, Line: line}, v.Str(), stackparse.Firm)
		if key == "region" || key == "location" || key == "zone" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: k, Show: v.Str(), Line: v.Line, Regions: []string{v.Str()}})
		}
	})
	n.Get("resources").Each(func(_ string, _ int, r *scan.Node) {
		t := r.Get("type")
		p := strings.Split(t.Str(), ":")
		if len(p) < 2 {
			return
		}
		module := p[1]
		module, _, _ = strings.Cut(module, "/")
		prefix := map[string]string{"aws": "aws_", "gcp": "google_", "azure-native": "azurerm_", "azure": "azurerm_"}[p[0]]
		if prefix == "" {
			prefix = p[0] + "_"
		}
		out.Add(stackparse.Fact{Kind: "tf_resource", Name: prefix + strings.ToLower(module) + "_", Show: t.Str(), Line: t.Line})
	})
}

var cdkRegion = pattern.New(`region=([a-z0-9-]+)`)

func cdk(n *scan.Node, out *stackparse.Result) {
	n.Get("context").Walk(func(key string, v *scan.Node) {
		if strings.HasSuffix(strings.ToLower(key), "region") && !strings.ContainsAny(key, "@:/") {
			out.Setting(stackparse.Setting{Name: key, Value: v.Str(), Line: v.Line, Deep: true})
		}
	})
	n.Each(func(k string, line int, _ *scan.Node) {
		if strings.HasPrefix(k, "hosted-zone:") {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Service: "route53", Name: "hosted-zone", Line: line, Regions: []string{"global"}})
		}
		if m := cdkRegion.FindStringSubmatch(k); m != nil {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "aws", Name: m[0], Line: line, Regions: []string{m[1]}})
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "aws", Name: m[0], Line: line, State: stackparse.Loose})
		}
	})
}

func azureTemplate(n *scan.Node, out *stackparse.Result) {
	for _, r := range n.Get("resources").All() {
		if t := r.Get("type"); t.Str() != "" {
			f := stackparse.Fact{Kind: "tf_resource", Name: arm.Resource(t.Str()), Show: t.Str(), Line: t.Line}
			if f.Name == cognitiveAccount {
				f.Service = cognitive()[strings.ToLower(r.Get("kind").Str())]
			}
			if l := r.Get("location").Str(); l != "" && l[0] != '[' {
				f.Regions = []string{l}
			} else if l := n.Get("parameters", "location", "defaultValue").Str(); l != "" && l[0] != '[' {
				f.Regions = []string{l}
			}
			out.Add(f)
		}
	}
}

// arguments reads the values that are handed to a template of Azure.
func arguments(n *scan.Node, out *stackparse.Result) {
	n.Get("parameters").Each(func(k string, line int, v *scan.Node) {
		text := v.Get("value").Str()
		if m := azdDefault.FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		if low := strings.ToLower(k); text != "" && (strings.HasSuffix(low, "location") || strings.HasSuffix(low, "region")) {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "azure", Name: k, Line: line, Regions: []string{text}})
		}
	})
}

// azdDefault is a variable of the developer's command line with what counts where it is not set.
var azdDefault = pattern.New(`^\$\{\w+=([\w ]+)\}$`)

const cognitiveAccount = "azurerm_cognitive_account"

// cognitive maps kinds of accounts to the product that an account is for.
var cognitive = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"openai": "azure-openai", "formrecognizer": "ai-document-intelligence", "speechservices": "ai-speech", "computervision": "ai-vision", "texttranslation": "ai-translator",
		"textanalytics": "ai-language", "contentsafety": "ai-content-safety",
	}
})

var (
	bicepKind     = pattern.New(`^\s*kind:\s*'(\w+)'`)
	bicepResource = pattern.New(`^\s*resource\s+\w+\s+'([^'@]+)@`)
	bicepLocation = pattern.New(`^\s*(?:param|var)\s+\w*[lL]ocation\w*\s*(?:string)?\s*=\s*'([^']+)'|^\s*location(?:Name)?:\s*'([^']+)'`)
	bicepPlaces   = pattern.New(`^\s*(?:var|param)\s+(\w*(?i:region|location)\w*)\s*(?:object|array|string\[\])?\s*=\s*[{\[]\s*$`)
	bicepPlace    = pattern.New(`^\s*(?:(\w+):\s*)?'([^']+)'\s*$`)
	// bicepText is a name for a text, bicepRef a place that is told by a name.
	bicepText = pattern.New(`^\s*(?:param|var)\s+(\w+)\s*(?:string)?\s*=\s*'([^']+)'`)
	bicepRef  = pattern.New(`^\s*location(?:Name)?:\s*(\w+)\s*$`)
	// bicepUsing is the template that a file of values belongs to, bicepParam the name of a parameter.
	bicepUsing = pattern.New(`^\s*using\s+'([^']+\.bicep)'`)
	bicepParam = pattern.New(`^\s*param\s+(\w+)`)
)

func bicep(in stackparse.Input, out *stackparse.Result) {
	last := -1      // the fact of the resource that is being read
	places := false // inside a table of places
	texts := map[string]stackparse.Fact{}
	template := in.Path // whose parameters are set
	param := func(text string) string {
		if m := bicepParam.FindStringSubmatch(text); m != nil {
			return template + "#" + m[1]
		}
		return ""
	}
	scan.Lines(in.Data, func(line int, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "//") {
			return
		}
		if m := bicepUsing.FindStringSubmatch(text); m != nil {
			template = path.Join(path.Dir(in.Path), m[1])
		}
		if m := bicepKind.FindStringSubmatch(text); m != nil && last >= 0 {
			if f := &out.Facts[last]; f.Name == cognitiveAccount {
				f.Service = cognitive()[strings.ToLower(m[1])]
			}
		}
		if m := bicepResource.FindStringSubmatch(text); m != nil {
			last = len(out.Facts)
			out.Add(stackparse.Fact{Kind: "tf_resource", Name: arm.Resource(m[1]), Show: m[1], Line: line})
		}
		if places {
			if m := bicepPlace.FindStringSubmatch(text); m != nil {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "azure", Name: cmp.Or(m[1], m[2]), Line: line, Regions: m[2:], Dev: forDevelopment(m[1])})
			}
			places = !strings.ContainsAny(text, "}]")
			return
		}
		if m := bicepText.FindStringSubmatch(text); m != nil {
			texts[m[1]] = stackparse.Fact{Kind: stackparse.KindRegion, Provider: "azure", Name: m[2], Line: line, Regions: m[2:], Param: param(text)}
		}
		if m := bicepRef.FindStringSubmatch(text); m != nil && texts[m[1]].Name != "" {
			out.Facts = append(out.Facts, texts[m[1]])
		}
		places = bicepPlaces.MatchString(text)
		if m := bicepLocation.FindStringSubmatch(text); m != nil {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: "azure", Name: "location", Line: line, Regions: []string{m[1] + m[2]}, Param: param(text)})
		}
	})
}
