package catalog

import _ "embed" // for the tables

// The tables of signatures, one for each kind: tab-separated rows sorted by key, with the columns key, provider, service, relation,
// region, note. They are strings, which are read where they lie in the program; an embed.FS hands out copies.
var (
	//go:embed data/signatures/addon.tsv
	addonRows string
	//go:embed data/signatures/cargo.tsv
	cargoRows string
	//go:embed data/signatures/chart.tsv
	chartRows string
	//go:embed data/signatures/command.tsv
	commandRows string
	//go:embed data/signatures/composer.tsv
	composerRows string
	//go:embed data/signatures/config_file.tsv
	configFileRows string
	//go:embed data/signatures/domain.tsv
	domainRows string
	//go:embed data/signatures/env.tsv
	envRows string
	//go:embed data/signatures/gem.tsv
	gemRows string
	//go:embed data/signatures/gh_action.tsv
	ghActionRows string
	//go:embed data/signatures/go.tsv
	goRows string
	//go:embed data/signatures/hex.tsv
	hexRows string
	//go:embed data/signatures/image.tsv
	imageRows string
	//go:embed data/signatures/k8s.tsv
	k8sRows string
	//go:embed data/signatures/maven.tsv
	mavenRows string
	//go:embed data/signatures/npm.tsv
	npmRows string
	//go:embed data/signatures/nuget.tsv
	nugetRows string
	//go:embed data/signatures/pod.tsv
	podRows string
	//go:embed data/signatures/pub.tsv
	pubRows string
	//go:embed data/signatures/pypi.tsv
	pypiRows string
	//go:embed data/signatures/step.tsv
	stepRows string
	//go:embed data/signatures/tf_provider.tsv
	tfProviderRows string
	//go:embed data/signatures/tf_resource.tsv
	tfResourceRows string
	//go:embed data/signatures/url_scheme.tsv
	urlSchemeRows string
)

// signatureKinds are the sorts of signs by which a provider shows in a file, with their tables, sorted.
var signatureKinds = [...]struct {
	name string
	rows *string
}{
	{"addon", &addonRows},
	{"cargo", &cargoRows},
	{"chart", &chartRows},
	{"command", &commandRows},
	{"composer", &composerRows},
	{"config_file", &configFileRows},
	{"domain", &domainRows},
	{"env", &envRows},
	{"gem", &gemRows},
	{"gh_action", &ghActionRows},
	{"go", &goRows},
	{"hex", &hexRows},
	{"image", &imageRows},
	{"k8s", &k8sRows},
	{"maven", &mavenRows},
	{"npm", &npmRows},
	{"nuget", &nugetRows},
	{"pod", &podRows},
	{"pub", &pubRows},
	{"pypi", &pypiRows},
	{"step", &stepRows},
	{"tf_provider", &tfProviderRows},
	{"tf_resource", &tfResourceRows},
	{"url_scheme", &urlSchemeRows},
}
