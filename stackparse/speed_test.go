package stackparse_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"downwind/stackparse"
	"downwind/stackparse/all"
)

// bench reads a folder once per round, with a reader that has read nothing yet.
func bench(b *testing.B, dir string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		r := stackparse.New(stackparse.Options{Parsers: all.Parsers()})
		if _, err := r.ReadPaths(context.Background(), []string{dir}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadPaths reads the folder named by STACK_BENCH, the stack corpus by default.
func BenchmarkReadPaths(b *testing.B) {
	dir := os.Getenv("STACK_BENCH")
	if dir == "" {
		dir = "../../shared/corpus/stacks"
	}
	if _, err := os.Stat(dir); err != nil {
		b.Skipf("no files to read: %v", err)
	}
	bench(b, dir)
}

// BenchmarkLarge reads files of 2 MB in every format that is read piece by piece.
func BenchmarkLarge(b *testing.B) {
	const size = 2 << 20
	for _, l := range larges {
		b.Run(l.name, func(b *testing.B) {
			dir := b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, l.name), l.text(size), 0o644); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			bench(b, dir)
		})
	}
}

// BenchmarkTerraform reads 160 files of 40 deployments, of which each calls one of eight modules.
func BenchmarkTerraform(b *testing.B) {
	dir := b.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	const (
		variables = "variable \"region\" {\n  type        = string\n  description = \"Where it runs\"\n  default     = \"eu-west-%d\"\n}\n\nlocals {\n  name = \"app-${var.region}\"\n}\n"
		providers = "terraform {\n  required_providers {\n    aws = { source = \"hashicorp/aws\", version = \"~> 5.0\" }\n  }\n}\n\nprovider \"aws\" {\n  region = var.region\n}\n"
		resource  = "resource \"aws_%s\" \"r%d\" {\n  for_each = toset([\"a\", \"b\"])\n  name     = \"${local.name}-${each.key}\"\n  tags     = merge(local.tags, { Name = \"x\", Host = \"https://${each.key}.example.com/hook\" })\n  dynamic \"rule\" {\n    for_each = var.rules\n    content {\n      port = rule.value\n    }\n  }\n}\n\n"
		module    = "module \"m\" {\n  source = \"../../modules/m%d\"\n  region = var.region\n}\n"
	)
	for m := range 8 {
		write(fmt.Sprintf("modules/m%d/main.tf", m), fmt.Sprintf(variables, 1)+fmt.Sprintf(resource, "sqs_queue", m))
	}
	for d := range 38 {
		at := fmt.Sprintf("deployments/d%d/", d)
		write(at+"variables.tf", fmt.Sprintf(variables, 1+d%3))
		write(at+"providers.tf", providers)
		write(at+"modules.tf", fmt.Sprintf(module, d%8))
		var main strings.Builder
		for r, kind := range []string{"s3_bucket", "db_instance", "lambda_function", "sns_topic", "lb", "ecs_service"} {
			fmt.Fprintf(&main, resource, kind, r)
		}
		write(at+"main.tf", main.String())
	}
	bench(b, dir)
}
