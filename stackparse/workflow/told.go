package workflow

import (
	"strings"
	"sync"

	"downwind"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/words"
)

// A saying is a way in which a line of shell says where something is, whose it is, and the word that must stand in the line.
type saying struct {
	provider string
	signs    words.Run
	pattern  *pattern.Regexp
}

// sayings have two groups: the name of the setting, and its value.
var sayings = []saying{
	{"", signs("-var"), pattern.New(`-var[= ]["']?(\w*(?:region|location|zone)\w*)=([\w${}. -]+)`)},
	{"aws", signs("-backend-config"), pattern.New(`-backend-config[= ]["']?(region)=["']?([\w${}.-]+)`)},
	{"google-cloud", signs("config set"), pattern.New(`\bgcloud\s+config\s+set\s+(?:\w+/)?(region|zone|location)\s+["']?([^\s"']+)`)},
	{"aws", signs("configure set"), pattern.New(`\baws\s+configure\s+set\s+(?:[\w.]+\.)?(region)\s+["']?([^\s"']+)`)},
	{"azure", signs("location="), pattern.New(`\baz\s+config(?:ure)?\s[^;|&]*?\b(?:defaults\.)?(location)=["']?([^\s"']+)`)},
	{"aws", signs("aws://"), pattern.New(`\b(aws)://[\w${}().-]+/([\w${}().-]+)`)},
	{"", signs("REGION="), pattern.New(`(?:^|[\s"';])([A-Z][A-Z0-9_]*REGION)=["']?([a-z][a-z0-9-]+)["']?\s`)},
}

// pulumiConfig is a value for a stack of Pulumi.
var pulumiConfig = pattern.New(`\bpulumi\s+config\s+set\s+(?:--\S+\s+)*([a-z-]+):(region|location|zone)\s+(\S+)`)

// pulumiClouds are the providers whose namespaces hold a place.
var pulumiClouds = sync.OnceValue(func() map[string]string {
	return map[string]string{"aws": "aws", "aws-native": "aws", "gcp": "google-cloud", "azure-native": "azure", "azure": "azure", "digitalocean": "digitalocean"}
})

var (
	// clusterName is the name that Google's command line gives to a cluster.
	clusterName = pattern.New(`\bgke_[a-z][a-z0-9-]+_([a-z]+-[a-z]+[0-9]{1,2})(?:-[a-f])?_`)
	// arn is the name of a resource of Amazon's.
	arn = pattern.New(`\barn:aws[a-z-]*:[a-z0-9-]+:[a-z]{2}-[a-z-]+[0-9]:[^\s"',]*`)
	// stored is a cache of builds that is kept in S3.
	stored = pattern.New(`\btype=s3\b[^\s"']*?\bregion=([a-z0-9-]+)`)
)

var (
	registrySigns = signs("-docker.pkg.dev", ".dkr.ecr.")
	pulumiSigns   = signs("config set")
	clusterSigns  = signs("gke_")
	arnSigns      = signs("arn:aws")
	storedSigns   = signs("type=s3")
)

// told adds the places that a line tells in other ways than by the key of a setting or the flag of a command.
func (r *reader) told(text string, n int) {
	if r.seen.Has(registrySigns) && r.host != "google-cloud" { // builds knows them better
		r.registry(text, n)
	}
	for _, s := range sayings {
		if r.seen.Has(s.signs) {
			for _, m := range s.pattern.FindAllStringSubmatch(text, 4) {
				r.placed(s.provider, m[1], m[2], n)
			}
		}
	}
	if r.seen.Has(pulumiSigns) {
		if m := pulumiConfig.FindStringSubmatch(text); m != nil {
			r.placed(pulumiClouds()[m[1]], m[2], m[3], n)
		}
	}
	if r.seen.Has(clusterSigns) {
		if m := clusterName.FindStringSubmatch(text); m != nil {
			r.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: "google-cloud", Service: "gke", Name: m[0], Line: n, State: stackparse.Loose, Regions: m[1:]})
		}
	}
	if r.seen.Has(arnSigns) {
		for _, name := range arn.FindAllString(text, 4) {
			r.out.Value(stackparse.Setting{Name: "arn", Line: n, Pipeline: true}, name, stackparse.Loose)
		}
	}
	if r.seen.Has(storedSigns) {
		if m := stored.FindStringSubmatch(text); m != nil {
			r.out.Add(stackparse.Fact{Kind: stackparse.KindUse, Relation: downwind.BuildTime, Provider: "aws", Service: "s3", Name: "type=s3", Line: n, State: stackparse.Loose, Regions: m[1:]})
		}
	}
}

// imagesAt are the hosts of registries whose place is told by a name.
var imagesAt = pattern.New(`([\w.${}<>()-][\w.${}<>() -]*)(-docker\.pkg\.dev|\.dkr\.ecr\.([\w.${}<>() -]+)\.amazonaws\.com)\b`)

// registry adds the registries of Google and Amazon whose place stands in a variable.
func (r *reader) registry(text string, n int) {
	for _, m := range imagesAt.FindAllStringSubmatch(text, 4) {
		service, provider, show, place := "artifact-registry", "google-cloud", "docker.pkg.dev", m[1]
		if m[3] != "" {
			service, provider, show, place = "ecr", "aws", ".dkr.ecr.", m[3]
		}
		refs := reference.FindAllString(place, -1)
		f := stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: service, Name: show, Line: n}
		if len(refs) == 0 {
			if strings.ContainsAny(m[1], "$<{") && !strings.ContainsAny(place, "$<{") { // only the account is open
				f.Regions = []string{place}
				r.out.Add(f)
			}
			continue
		}
		r.out.Add(f)
		r.placed(provider, "region", refs[len(refs)-1], n)
	}
}

// placed adds the places that a text says or stands for; whose they are tells the provider or, where it is "", the name.
func (r *reader) placed(provider, name, text string, n int) {
	for _, x := range r.names.resolve(text, n) {
		r.out.Facts = append(r.out.Facts, stackparse.Fact{Kind: stackparse.KindRegion, Provider: provider, Name: name, Show: x.text, Line: x.line, Regions: []string{x.text}})
	}
}
