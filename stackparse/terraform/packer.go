package terraform

import (
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/packer"
)

// packerFile says whether a file is Packer's, whose language and variables are those of Terraform.
func packerFile(p string) bool {
	return strings.HasSuffix(p, ".pkr.hcl") || strings.HasSuffix(p, ".pkrvars.hcl")
}

// builder is a builder of Packer: whose machine it makes an image on, and where.
func (c *call) builder(b *block, out *stackparse.Result) {
	provider, service := packer.Builder(b.labels[0])
	if provider == "" {
		return
	}
	f := stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Service: service, Name: b.labels[0], Line: b.line}
	for _, name := range packer.Places {
		for _, v := range b.body.spread(name, c.ctx) {
			f.Regions = union(f.Regions, texts(v))
		}
	}
	out.Kind = "packer"
	out.Add(f)
}

// backendFile says whether a file holds settings for a backend that are handed in when Terraform is set up.
func backendFile(p string) bool {
	base := p[strings.LastIndexByte(p, '/')+1:]
	return strings.HasSuffix(base, ".tfbackend") || strings.HasPrefix(base, "backend") && strings.HasSuffix(base, ".hcl")
}

// backendSettings reads such a file; what it names tells whose store it is.
func backendSettings(b hclBody, out *stackparse.Result) {
	out.Kind = "tfbackend"
	kind, show := "", ""
	switch {
	case b.has("endpoint") || b.has("endpoints"):
		return
	case b.has("storage_account_name"):
		kind, show = "azurerm", "storage_account_name"
	case b.has("bucket") && b.has("prefix") && !b.has("key"):
		kind, show = "gcs", "bucket"
	case b.has("bucket"):
		kind, show = "s3", "bucket"
	default:
		return
	}
	_, line, _ := b.attr(show, nil)
	region, _, _ := b.attr("region", nil)
	backend(kind, texts(region), line, show, out)
}
