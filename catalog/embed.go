package catalog

import _ "embed" // for the files below

// The files are strings, which are read where they lie in the program; an embed.FS hands out copies.

// The providers, by the first character of their slugs.
var (
	//go:embed data/providers/0-9.toml
	providers09 string
	//go:embed data/providers/a.toml
	providersA string
	//go:embed data/providers/b.toml
	providersB string
	//go:embed data/providers/c.toml
	providersC string
	//go:embed data/providers/d.toml
	providersD string
	//go:embed data/providers/e.toml
	providersE string
	//go:embed data/providers/f.toml
	providersF string
	//go:embed data/providers/g.toml
	providersG string
	//go:embed data/providers/h.toml
	providersH string
	//go:embed data/providers/i.toml
	providersI string
	//go:embed data/providers/j.toml
	providersJ string
	//go:embed data/providers/k.toml
	providersK string
	//go:embed data/providers/l.toml
	providersL string
	//go:embed data/providers/m.toml
	providersM string
	//go:embed data/providers/n.toml
	providersN string
	//go:embed data/providers/o.toml
	providersO string
	//go:embed data/providers/p.toml
	providersP string
	//go:embed data/providers/q.toml
	providersQ string
	//go:embed data/providers/r.toml
	providersR string
	//go:embed data/providers/s.toml
	providersS string
	//go:embed data/providers/t.toml
	providersT string
	//go:embed data/providers/u.toml
	providersU string
	//go:embed data/providers/v.toml
	providersV string
	//go:embed data/providers/w.toml
	providersW string
	//go:embed data/providers/x.toml
	providersX string
	//go:embed data/providers/y.toml
	providersY string
	//go:embed data/providers/z.toml
	providersZ string
)

// providerFiles are the files of the catalogue by name: slugs that begin with a digit, then those with a, with b and so on.
var providerFiles = [...]struct {
	name string
	text *string
}{
	{"0-9", &providers09},
	{"a", &providersA},
	{"b", &providersB},
	{"c", &providersC},
	{"d", &providersD},
	{"e", &providersE},
	{"f", &providersF},
	{"g", &providersG},
	{"h", &providersH},
	{"i", &providersI},
	{"j", &providersJ},
	{"k", &providersK},
	{"l", &providersL},
	{"m", &providersM},
	{"n", &providersN},
	{"o", &providersO},
	{"p", &providersP},
	{"q", &providersQ},
	{"r", &providersR},
	{"s", &providersS},
	{"t", &providersT},
	{"u", &providersU},
	{"v", &providersV},
	{"w", &providersW},
	{"x", &providersX},
	{"y", &providersY},
	{"z", &providersZ},
}

// The tables of signatures, one for each kind: tab-separated rows sorted by key, with the columns key, provider, service, relation,
// region, note.
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
