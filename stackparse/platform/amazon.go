package platform

import (
	"path"
	"strings"

	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// zappa reads the stages of Zappa, which runs programs in Python as functions of AWS.
func zappa(n *scan.Node, out *stackparse.Result) {
	n.Each(func(stage string, line int, settings *scan.Node) {
		use(out, "aws", "lambda", stage, line)
		region(out, "aws", "aws_region", settings.Get("aws_region"))
		for _, key := range []string{"environment_variables", "aws_environment_variables"} {
			table(settings.Get(key), out)
		}
	})
}

// amplify reads the environments that Amplify has set up.
func amplify(n *scan.Node, out *stackparse.Result) {
	n.Each(func(_ string, _ int, env *scan.Node) {
		at := env.Get("awscloudformation")
		if r := at.Get("Region"); r.Str() != "" {
			use(out, "aws", "amplify", "Region", r.Line)
			region(out, "aws", "Region", r)
		}
	})
}

func beanstalkConfig(p string) bool {
	base := path.Base(p)
	return path.Base(path.Dir(p)) == ".elasticbeanstalk" && strings.HasPrefix(base, "config.") && base != "config.toml"
}

// beanstalk reads the settings of the command line of Elastic Beanstalk.
func beanstalk(n *scan.Node, out *stackparse.Result) {
	for _, key := range []string{"application_name", "default_region"} {
		if v := n.Get("global", key); v != nil {
			use(out, "aws", "elastic-beanstalk", key, v.Line)
		}
	}
	region(out, "aws", "default_region", n.Get("global", "default_region"))
}

// appRunner reads the variables and secrets of a service on App Runner.
func appRunner(n *scan.Node, out *stackparse.Result) {
	r := n.Get("runtime")
	if r == nil {
		out.Kind = stackparse.Unread
		return
	}
	use(out, "aws", "app-runner", "runtime", r.Line)
	for _, at := range [...]*scan.Node{n.Get("run"), n.Get("build")} {
		for _, e := range at.Get("env").All() {
			out.Setting(stackparse.Setting{Name: e.Get("name").Str(), Value: e.Get("value").Str(), Line: e.Line})
		}
		for _, e := range at.Get("secrets").All() {
			out.Setting(stackparse.Setting{Name: e.Get("name").Str(), Line: e.Line, Secret: true})
			out.Value(stackparse.Setting{Name: "value-from", Line: e.Line}, e.Get("value-from").Str(), stackparse.Firm)
		}
	}
}

// beanstalkOptions says whether a path holds options of an environment of Elastic Beanstalk.
func beanstalkOptions(p string) bool {
	return path.Base(path.Dir(p)) == ".ebextensions" && strings.HasSuffix(p, ".config")
}

// beanstalkEnvironment is the namespace of the variables of an environment.
const beanstalkEnvironment = "aws:elasticbeanstalk:application:environment"

// options reads the variables that options of Elastic Beanstalk set: by namespace, or each for itself.
func options(n *scan.Node, out *stackparse.Result) {
	all := n.Get("option_settings")
	if all == nil {
		return
	}
	n.Each(func(k string, line int, _ *scan.Node) {
		if k == "option_settings" {
			use(out, "aws", "elastic-beanstalk", k, line)
		}
	})
	table(all.Get(beanstalkEnvironment), out)
	if all.Kind != scan.List {
		return
	}
	for _, o := range all.All() {
		if name := o.Get("option_name"); name.Str() != "" && (o.Get("namespace") == nil || o.Get("namespace").Str() == beanstalkEnvironment) {
			out.Setting(stackparse.Setting{Name: name.Str(), Value: o.Get("value").Str(), Line: name.Line})
		}
	}
}
