// Package all lists the parsers of stack files.
package all

import (
	"downwind/stackparse"
	"downwind/stackparse/ansible"
	"downwind/stackparse/apple"
	"downwind/stackparse/compose"
	"downwind/stackparse/config"
	"downwind/stackparse/dart"
	"downwind/stackparse/deploy"
	"downwind/stackparse/dotenv"
	"downwind/stackparse/dotnet"
	"downwind/stackparse/elixir"
	"downwind/stackparse/golang"
	"downwind/stackparse/hosts"
	"downwind/stackparse/jvm"
	"downwind/stackparse/kubernetes"
	"downwind/stackparse/npm"
	"downwind/stackparse/page"
	"downwind/stackparse/php"
	"downwind/stackparse/platform"
	"downwind/stackparse/program"
	"downwind/stackparse/python"
	"downwind/stackparse/ruby"
	"downwind/stackparse/rust"
	"downwind/stackparse/sbom"
	"downwind/stackparse/terraform"
	"downwind/stackparse/workflow"
)

// Parsers returns all parsers in the order in which they are asked: the particular before the general.
func Parsers() []stackparse.Parser {
	return []stackparse.Parser{
		npm.Parser{},
		python.Parser{},
		golang.Parser{},
		ruby.Parser{},
		rust.Parser{},
		php.Parser{},
		jvm.Parser{},
		dotnet.Parser{},
		elixir.Parser{},
		dart.Parser{},
		apple.Parser{},
		terraform.Parser{},
		terraform.State{},
		sbom.Parser{},
		workflow.Parser{},
		compose.Parser{},
		dotenv.Parser{},
		platform.Parser{},
		deploy.Parser{},
		page.Parser{},
		hosts.Parser{},
		config.Parser{},
		ansible.Parser{},
		kubernetes.Parser{},
		program.Parser{},
	}
}
