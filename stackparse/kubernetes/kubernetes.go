// Package kubernetes reads manifests, Helm charts and values, kustomizations and other YAML, also when it is a template
// of Helm, Jinja or ERB. CloudFormation and workflows of other parsers are left to those.
package kubernetes

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser. It comes last of the YAML readers: it takes what the others leave.
type Parser struct{}

// Name returns "kubernetes".
func (Parser) Name() string { return "kubernetes" }

// Claims takes YAML that no other parser claims, and templates of it.
func (Parser) Claims(p string) bool {
	if strings.Contains(p, "ISSUE_TEMPLATE/") {
		return false
	}
	base := strings.ToLower(path.Base(p))
	for _, s := range []string{".yaml", ".yml", ".yaml.erb", ".yml.erb", ".yaml.tpl", ".yml.tpl", ".yaml.j2", ".yml.j2", ".yaml.gotmpl", ".yaml.tmpl", ".yml.tmpl"} {
		if strings.HasSuffix(base, s) {
			return !localFile.MatchString(base)
		}
	}
	return false
}

// localFile are YAML files that configure tools and translations, not what runs.
var localFile = pattern.New(`^(?:\.?(?:eslintrc|prettierrc|stylelintrc|rubocop|yamllint|pre-commit-config|markdownlint|golangci|swiftlint|clang-format|codespell|hadolint|releaserc|commitlintrc|lintstagedrc|mergify|dependabot)\b.*|mkdocs\.ya?ml|openapi.*|swagger.*|(?:[a-z]{2}(?:[-_][a-z]{2,4})?|.*[-_.][a-z]{2})\.yml|_config\.ya?ml|.*\.lock\.ya?ml|crowdin\.ya?ml|lerna\.yml|pnpm-workspace\.yaml|citation.*)$`)

var (
	valuesName  = pattern.New(`(?i)^(?:.*[-_.])?values(?:[-_.].*)?\.ya?ml$`)
	apiLine     = pattern.New(`(?m)^apiVersion:`)
	settingName = pattern.New(`^(?:application|bootstrap|config|settings|secrets?|production|staging|app|datadog|newrelic|(?:file|metric|packet|heart|audit|winlog)beat|elastic-agent|promtail|tempo|loki|mimir|cortex|vmagent|clouds|\.sops|dagster|meltano)(?:[-_.].*)?\.ya?ml$`)
)

// Parse reads one file.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	base := path.Base(in.Path)
	if !promising(in) {
		out.Kind = stackparse.Unread
		return
	}
	docs, probs := scan.YAML(in.Data)
	values := valuesName.MatchString(base)
	found := false
	for _, n := range docs {
		switch {
		case n.Get("apiVersion") != nil && n.Get("kind") != nil:
			found = true
			object(n, out)
		case base == "Chart.yaml" || base == "requirements.yaml" || base == "Chart.lock":
			found, out.Kind = true, "helm"
			chart(n, out)
		case values:
			found, out.Kind = true, "helm"
			helmValues(n, out)
		case strings.HasPrefix(base, "helmfile"):
			found, out.Kind = true, "helmfile"
			helmfile(n, out)
		case strings.HasPrefix(base, "kustomization"):
			found, out.Kind = true, "kustomize"
			kustomization(n, out)
		case n.Kind == scan.Map && setting(in.Path):
			found, out.Kind = true, "config"
			free(n, strings.TrimSuffix(base, path.Ext(base)), out)
			if strings.HasPrefix(base, "storage.") || path.Base(path.Dir(in.Path)) == "storage" {
				storage(n, out)
			}
		}
	}
	if len(probs) > 0 {
		if template(in) || values || setting(in.Path) || found || manifestText(in.Data) {
			out.Problems(probs)
			lines(in, out)
			return
		}
		if !found && len(docs) == 0 {
			out.Problems(probs)
			return
		}
	}
	for _, n := range docs {
		if other := receivers(n, out) || collector(n, out) || objectStore(n, out) || tools(n, out); other && !found {
			found, out.Kind = true, "config"
		}
	}
	if !found {
		out.Kind = stackparse.Unread
		if len(docs) > 0 && images(docs, out) {
			out.Kind = "yaml"
		}
	}
}

// alerting are keys by which Alertmanager and its like send to a vendor.
var alerting = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"pagerduty_configs": "pagerduty", "slack_configs": "slack", "opsgenie_configs": "opsgenie", "victorops_configs": "splunk",
		"discord_configs": "discord", "telegram_configs": "telegram", "msteams_configs": "microsoft-365", "sns_configs": "aws", "pagerdutyConfigs": "pagerduty", "slackConfigs": "slack", "opsgenieConfigs": "opsgenie",
	}
})

// receivers reads where alerts are sent to, with the hosts beside.
func receivers(n *scan.Node, out *stackparse.Result) bool {
	any := false
	n.WalkMaps(func(m *scan.Node) {
		m.Each(func(k string, line int, v *scan.Node) {
			p := alerting()[k]
			if p == "" {
				return
			}
			any = true
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: p, Name: k, Line: line})
			v.Walk(func(_ string, x *scan.Node) {
				out.Value(stackparse.Setting{Name: "receiver", Line: x.Line}, x.Text, stackparse.Firm)
			})
		})
	})
	return any
}

// promising says whether a file can hold anything for this parser; most YAML of a repository cannot.
func promising(in stackparse.Input) bool {
	base := path.Base(in.Path)
	if setting(in.Path) || valuesName.MatchString(base) || strings.HasPrefix(base, "Chart.") || strings.HasPrefix(base, "kustomization") || strings.HasPrefix(base, "helmfile") || base == "requirements.yaml" {
		return true
	}
	for _, word := range []string{"apiVersion:", "image:", "\"apiVersion\"", "\"image\"", "_configs:", "Configs:", "image\":", "exporters:", "bucket:", "datasources:", "scrape_configs:", "remote_write:", "sinks:", "blobs:", "available_node_types:"} {
		if bytes.Contains(in.Data, []byte(word)) {
			return true
		}
	}
	return false
}

func template(in stackparse.Input) bool {
	return strings.Contains(string(in.Data[:min(len(in.Data), 1<<16)]), "{{") || strings.Contains(string(in.Data[:min(len(in.Data), 1<<16)]), "<%")
}

func manifestText(b []byte) bool {
	return apiLine.Match(b)
}

// setting says whether a YAML file is configuration of something that runs.
func setting(p string) bool {
	base := strings.ToLower(path.Base(p))
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(p)), "/") {
		switch dir {
		case "config", "configs", "conf", "settings", "deploy", "deployment", "environments", "group_vars", "host_vars", "k8s", "kubernetes", "helm", "manifests", "values":
			return !strings.Contains(base, "locale")
		}
	}
	return settingName.MatchString(base)
}

// images finds images in YAML of any kind (workflow engines, task definitions).
func images(docs []*scan.Node, out *stackparse.Result) bool {
	n := len(out.Facts)
	for _, d := range docs {
		d.WalkMaps(func(m *scan.Node) {
			if v := m.Get("image"); v != nil && strings.Contains(v.Str(), "/") && strings.ContainsAny(v.Str(), ".:") {
				out.Add(stackparse.Fact{Kind: "image", Name: v.Str(), Line: v.Line, State: stackparse.Loose})
			}
		})
	}
	return len(out.Facts) > n
}

// cloudRun reads a service of Knative that Cloud Run has written: its labels tell the place.
func cloudRun(n *scan.Node, out *stackparse.Result) {
	at := n.Get("metadata", "labels", "cloud.googleapis.com/location")
	if at.Str() == "" {
		return
	}
	out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "google-cloud", Service: "cloud-run", Name: "cloud.googleapis.com/location", Line: at.Line, Regions: []string{at.Str()}})
}

// object reads one Kubernetes object.
func object(n *scan.Node, out *stackparse.Result) {
	kind, api := n.Get("kind").Str(), n.Get("apiVersion").Str()
	if kind == "List" {
		for _, item := range n.Get("items").All() {
			object(item, out)
		}
		return
	}
	n.WalkMaps(func(m *scan.Node) { part(n, m, out) })
	placed := false // its place is read already
	if group, _, ok := strings.Cut(api, "/"); ok {
		line := n.Get("apiVersion").Line
		out.Facts = append(out.Facts, stackparse.Fact{Kind: "k8s", Name: group + "/" + kind, Show: api, Line: line})
		if s := groups()[group]; s.provider != "" {
			out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: s.provider, Service: s.service, Name: api, Line: line})
		}
		placed = managed(n, group, out) || clusterAPI(n, group, out)
	}
	if strings.HasPrefix(api, "serving.knative.dev/") {
		cloudRun(n, out)
	}
	if custom(api) {
		addresses(n.Get("spec"), api, !placed, out)
	}
	byKind(n, kind, api, out)
}

// part reads one map of an object: what any of them may hold.
func part(n, m *scan.Node, out *stackparse.Result) {
	if v := m.Get("image"); v.Str() != "" {
		out.Add(stackparse.Fact{Kind: "image", Name: v.Str(), Line: v.Line})
	}
	variables(m, out)
	arguments(m, out)
	terms(m, out)
	if m != n && m.Get("apiVersion") != nil && m.Get("kind") != nil { // an object inside another
		if group, _, ok := strings.Cut(m.Get("apiVersion").Str(), "/"); ok {
			_ = managed(m, group, out) || clusterAPI(m, group, out)
		}
	}
	if s := m.Get("nfs", "server"); s != nil {
		out.Value(stackparse.Setting{Name: "server", Line: s.Line, Deep: true}, s.Str(), stackparse.Firm)
	}
	for _, group := range []string{"annotations", "labels", "nodeSelector", "matchLabels"} {
		m.Get(group).Each(func(k string, line int, v *scan.Node) {
			annotation(k, v, line, out)
		})
	}
	for _, key := range []string{"provisioner", "driver", "storageClassName", "ingressClassName", "gatewayClassName"} {
		if v := m.Get(key); v.Str() != "" {
			out.Facts = append(out.Facts, stackparse.Fact{Kind: "k8s", Name: v.Str(), Line: v.Line})
		}
	}
}

// byKind reads what objects of one kind hold.
func byKind(n *scan.Node, kind, api string, out *stackparse.Result) {
	switch kind {
	case "Kustomization", "Component":
		if strings.HasPrefix(api, "kustomize.config.k8s.io/") {
			kustomization(n, out)
		}
	case "Target":
		target(n, out)
	case "ClusterConfig":
		cluster(n, api, out)
	case "SecretProviderClass":
		mounted(n.Get("spec"), out)
	case "GitRepository":
		if u := n.Get("spec", "url"); u != nil {
			source(u, true, out)
		}
	case "SecretStore", "ClusterSecretStore":
		n.Get("spec", "provider").Each(func(k string, line int, v *scan.Node) {
			if s, ok := secretStores()[k]; ok {
				f := stackparse.Fact{Kind: stackparse.KindUse, Provider: s.provider, Service: s.service, Name: k, Line: line}
				if r := v.Get("region").Str(); r != "" {
					f.Regions = []string{r}
				}
				out.Add(f)
			}
		})
	case "ConfigMap", "Secret":
		for _, part := range []string{"data", "stringData"} {
			n.Get(part).Each(func(k string, line int, v *scan.Node) { data(k, line, v, kind == "Secret", part, out) })
		}
	case "ExternalSecret":
		for _, d := range n.Get("spec", "data").All() {
			if k := d.Get("secretKey"); k.Str() != "" {
				out.Setting(stackparse.Setting{Name: k.Str(), Line: k.Line, Secret: true})
			}
		}
	case "ClusterIssuer", "Issuer":
		issuer(n.Get("spec", "acme"), out)
	case "BackupStorageLocation", "VolumeSnapshotLocation":
		backup(n.Get("spec"), out)
	case "HelmRelease", "Application", "ApplicationSet", "HelmChart", "HelmChartProxy":
		release(n, out)
		if s := n.Get("spec", "destination", "server"); s != nil {
			out.Value(stackparse.Setting{Name: "destination", Line: s.Line}, s.Str(), stackparse.Firm)
		}
	case "ServiceEntry":
		for _, e := range n.Get("spec", "hosts").All() {
			out.Value(stackparse.Setting{Name: "hosts", Line: e.Line}, e.Str(), stackparse.Firm)
		}
	case "Certificate", "Ingress", "IngressRoute", "HTTPRoute", "Gateway":
		ownHosts(n.Get("spec"), out)
	case "Service":
		if e := n.Get("spec", "externalName"); e != nil {
			out.Value(stackparse.Setting{Name: "externalName", Line: e.Line}, e.Str(), stackparse.Firm)
		}
	}
}

type product struct{ provider, service string }

// secretStores are the providers of the External Secrets operator.
var secretStores = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"aws": {"aws", "secrets-manager"}, "gcpsm": {"google-cloud", "secret-manager"}, "azurekv": {"azure", "key-vault"}, "doppler": {"doppler", ""},
		"onepassword": {"1password", ""}, "onepasswordSDK": {"1password", ""}, "akeyless": {"akeyless", ""}, "infisical": {"infisical", ""}, "ibm": {"ibm-cloud", "secrets-manager"},
		"oracle": {"oracle-cloud", "vault"}, "alibaba": {"alibaba-cloud", ""}, "gitlab": {"gitlab", ""}, "scaleway": {"scaleway", "secret-manager"}, "keepersecurity": {"keeper", ""}, "pulumi": {"pulumi", ""},
	}
})

// groups are API groups whose objects are made by a vendor's own controller.
var groups = sync.OnceValue(func() map[string]product {
	return map[string]product{
		"external-secrets.io": {}, "services.k8s.aws": {"aws", ""}, "vpcresources.k8s.aws": {"aws", "vpc"}, "elbv2.k8s.aws": {"aws", "elb"},
		"karpenter.k8s.aws": {"aws", "ec2"}, "cloud.google.com": {"google-cloud", "gke"}, "networking.gke.io": {"google-cloud", "gke"}, "datadoghq.com": {"datadog", ""},
		"s3.services.k8s.aws": {"aws", "s3"}, "rds.services.k8s.aws": {"aws", "rds"}, "sqs.services.k8s.aws": {"aws", "sqs"}, "atlas.mongodb.com": {"mongodb-atlas", "clusters"},
		"app.terraform.io": {"hashicorp", "hcp-terraform"}, "doppler.com": {"doppler", ""}, "onepassword.com": {"1password", ""}, "secrets.doppler.com": {"doppler", ""}, "tailscale.com": {"tailscale", ""},
		"s3.aws.upbound.io": {"aws", "s3"}, "rds.aws.upbound.io": {"aws", "rds"}, "aws.upbound.io": {"aws", ""}, "gcp.upbound.io": {"google-cloud", ""}, "azure.upbound.io": {"azure", ""},
	}
})

func annotation(k string, v *scan.Node, line int, out *stackparse.Result) {
	if topologyKey(k) {
		out.Facts = append(out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Name: "region", Show: k, Regions: []string{v.Str()}, Line: line})
		return
	}
	out.Facts = append(out.Facts, stackparse.Fact{Kind: "k8s", Name: k, Line: line})
	if strings.Contains(v.Str(), "arn:aws") || strings.HasSuffix(k, "gcp-service-account") {
		out.Value(stackparse.Setting{Name: "annotation", Line: v.Line}, v.Str(), stackparse.Firm)
	}
}

// variables reads a container's env list.
func variables(m *scan.Node, out *stackparse.Result) {
	for _, key := range []string{"env", "extraEnv", "extraEnvVars", "additionalEnv", "environment"} {
		list := m.Get(key)
		if list == nil {
			continue
		}
		if list.Kind == scan.Map {
			list.Each(func(k string, line int, v *scan.Node) {
				if upper.MatchString(k) {
					secret := v.Kind == scan.Map && (v.Get("valueFrom") != nil || v.Get("secretKeyRef") != nil)
					out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line, Secret: secret})
				}
			})
			continue
		}
		for _, e := range list.All() {
			name := e.Get("name")
			if name.Str() == "" {
				continue
			}
			from := e.Get("valueFrom")
			secret := from.Get("secretKeyRef") != nil || from.Get("configMapKeyRef") != nil
			if from != nil && !secret {
				continue
			}
			out.Setting(stackparse.Setting{Name: name.Str(), Value: e.Get("value").Str(), Line: name.Line, Secret: secret})
		}
	}
}

var upper = pattern.New(`^[A-Z][A-Z0-9_]{2,}$`)

// data reads an entry of a ConfigMap or Secret: a variable, or a whole file whose hosts count.
func data(k string, line int, v *scan.Node, secret bool, part string, out *stackparse.Result) {
	if upper.MatchString(k) {
		text := v.Str()
		if secret && part == "data" {
			text = "" // base64
		}
		out.Setting(stackparse.Setting{Name: k, Value: text, Line: line, Secret: secret})
		return
	}
	if strings.Contains(v.Str(), "\n") {
		text(k, v, out)
	} else if !secret {
		out.Setting(stackparse.Setting{Name: k, Value: v.Str(), Line: line, Deep: true})
	}
}

func chart(n *scan.Node, out *stackparse.Result) {
	for _, d := range n.Get("dependencies").All() {
		named(d.Get("name"), out)
		if r := d.Get("repository"); r != nil {
			out.Value(stackparse.Setting{Name: "repository", Line: r.Line}, r.Str(), stackparse.Faint)
		}
	}
}

// registryHost begins an image that names its registry.
var registryHost = pattern.New(`^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?/`)

// helmValues reads values: images (also split into registry, repository and tag), variables, and hosts.
func helmValues(n *scan.Node, out *stackparse.Result) {
	n.WalkMaps(func(m *scan.Node) {
		if v := m.Get("image"); v.Str() != "" && strings.ContainsAny(v.Str(), "/:") {
			out.Add(stackparse.Fact{Kind: "image", Name: v.Str(), Line: v.Line})
		}
		if r := m.Get("repository"); r.Str() != "" && !strings.Contains(r.Str(), "://") && (m.Get("tag") != nil || m.Get("pullPolicy") != nil || m.Get("registry") != nil || registryHost.MatchString(r.Str())) {
			name := r.Str()
			if reg := m.Get("registry").Str(); reg != "" {
				name = reg + "/" + name
			}
			out.Add(stackparse.Fact{Kind: "image", Name: name, Show: r.Str(), Line: r.Line})
		}
		if e := m.Get("enabled"); e != nil && e.Str() == "false" {
			return
		}
		variables(m, out)
		m.Each(func(k string, line int, v *scan.Node) {
			if v.Kind == scan.Map && (k == "annotations" || strings.HasSuffix(k, "Annotations") || k == "nodeSelector" || k == "labels") {
				v.Each(func(k string, line int, v *scan.Node) { annotation(k, v, line, out) })
			}
			switch k {
			case "storage":
				bucket(v, out)
			case "backupStorageLocation", "volumeSnapshotLocation":
				for _, place := range v.All() {
					backup(place, out)
				}
			}
			if k == "external-dns" || k == "externalDns" || k == "domainFilters" || k == "txtOwnerId" {
				zones(k, m, v, out)
			}
			if k == "storageClass" || k == "storageClassName" || k == "className" {
				out.Facts = append(out.Facts, stackparse.Fact{Kind: "k8s", Name: v.Str(), Line: line})
			}
		})
	})
	free(n, "", out)
}

// free reads free configuration, by whose name its own settings go: hosts and identifiers in values, variables by upper-case keys.
func free(n *scan.Node, name string, out *stackparse.Result) {
	n.WalkNamed(func(in string, m *scan.Node) {
		if in == "" {
			in = name
		}
		m.Each(func(k string, line int, v *scan.Node) {
			for _, x := range v.All() {
				if x.Kind != scan.String || strings.HasPrefix(k, "image") && !strings.HasSuffix(k, "Registry") || k == "repository" || k == "description" || k == "home" || k == "documentation" {
					continue
				}
				if in == "env" && k == "secret" && upper.MatchString(x.Str()) { // Kamal's
					out.Setting(stackparse.Setting{Name: x.Str(), Line: x.Line, Secret: true})
				} else if x.Block {
					text(k, x, out)
				} else if upper.MatchString(k) {
					out.Setting(stackparse.Setting{Name: k, Value: x.Str(), Line: line})
				} else {
					out.Setting(stackparse.Setting{Name: k, In: in, Value: x.Str(), Line: x.Line, Deep: true})
				}
			}
		})
	})
}

var (
	imageLine = pattern.New(`^\s*(?:-\s*)?["']?(image|repository)["']?\s*:\s*["']?((?:\{\{[^{}]*\}\}|[^\s"'#{])+)`)
	nameLine  = pattern.New(`^\s*-?\s*name:\s*["']?([A-Z][A-Z0-9_]{2,})["']?\s*$`)
	valueLine = pattern.New(`^\s*value:\s*(.*)$`)
	pairLine  = pattern.New(`^\s*-?\s*([A-Z][A-Z0-9_]{2,}):\s*(.*)$`)
	noteLine  = pattern.New(`^\s*["']?([a-z][a-z0-9.-]*\.[a-z.]+/[A-Za-z0-9._-]+)["']?\s*:`)
)

// lines reads a file that is no YAML, not even with its template lines blanked, line by line.
func lines(in stackparse.Input, out *stackparse.Result) {
	name, at := "", 0
	scan.Lines(in.Data, func(line int, text string) {
		if strings.HasPrefix(strings.TrimSpace(text), "#") {
			return
		}
		switch {
		case imageLine.MatchString(text):
			if m := imageLine.FindStringSubmatch(text); m[1] == "image" || registryHost.MatchString(m[2]) || strings.Contains(m[2], "-docker.pkg.dev/") {
				out.Add(stackparse.Fact{Kind: "image", Name: m[2], Line: line})
			}
		case nameLine.MatchString(text):
			if name != "" {
				out.Setting(stackparse.Setting{Name: name, Line: at, Secret: true})
			}
			name, at = nameLine.FindStringSubmatch(text)[1], line
			return
		case name != "" && valueLine.MatchString(text):
			out.Setting(stackparse.Setting{Name: name, Value: valueLine.FindStringSubmatch(text)[1], Line: at})
			name = ""
		case name != "" && (strings.Contains(text, "secretKeyRef") || strings.Contains(text, "configMapKeyRef")):
			out.Setting(stackparse.Setting{Name: name, Line: at, Secret: true})
			name = ""
		case pairLine.MatchString(text):
			m := pairLine.FindStringSubmatch(text)
			out.Setting(stackparse.Setting{Name: m[1], Value: m[2], Line: line})
		case noteLine.MatchString(text):
			out.Facts = append(out.Facts, stackparse.Fact{Kind: "k8s", Name: noteLine.FindStringSubmatch(text)[1], Line: line})
		}
	})
	if name != "" {
		out.Setting(stackparse.Setting{Name: name, Line: at, Secret: true})
	}
}
