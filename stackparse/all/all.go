// Package all lists the parsers of stack files.
package all

import (
	"downwind/stackparse"
	"downwind/stackparse/apple"
	"downwind/stackparse/compose"
	"downwind/stackparse/dart"
	"downwind/stackparse/dotenv"
	"downwind/stackparse/elixir"
	"downwind/stackparse/golang"
	"downwind/stackparse/hosts"
	"downwind/stackparse/kubernetes"
	"downwind/stackparse/npm"
	"downwind/stackparse/php"
	"downwind/stackparse/python"
	"downwind/stackparse/ruby"
	"downwind/stackparse/rust"
	"downwind/stackparse/terraform"
	"downwind/stackparse/workflow"
)

// Parsers returns all parsers in the order in which they are asked: the particular before the general.
func Parsers() []stackparse.Parser {
	return []stackparse.Parser{
		npm.Parser{}, python.Parser{}, golang.Parser{}, ruby.Parser{}, rust.Parser{}, php.Parser{}, elixir.Parser{}, dart.Parser{}, apple.Parser{},
		terraform.Parser{}, terraform.State{}, compose.Parser{}, dotenv.Parser{}, workflow.Parser{},
		hosts.Parser{}, kubernetes.Parser{},
	}
}
