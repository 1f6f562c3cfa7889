// Package program reads source code: the infrastructure that programs describe with the CDK, SST and Pulumi, and the
// services and regions that programs hand to the clients of clouds. Programs are never run: what counts is a literal that
// stands where a region or a service is told. Tables of regions, comparisons and clients of look-alike stores say nothing.
package program

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"

	"downwind"
	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/marks"
	"downwind/stackparse/internal/scan"
	"downwind/stackparse/internal/tfname"
	"downwind/stackparse/internal/words"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "program".
func (Parser) Name() string { return "program" }

// Claims takes source code outside of tests, examples and builds.
func (Parser) Claims(p string) bool { return marks.Source(p) }

// Skims says that of source code only so much is read as the reader allows for it.
func (Parser) Skims() {}

// A file is one file while it is read.
type file struct {
	in   stackparse.Input
	out  *stackparse.Result
	text []byte
	// seen are the words of the text, here those of the line.
	seen, here words.Set
	// cdk, sst and pulumi say which of them describes the infrastructure of this file; described is any of them.
	cdk, cdktf, sst, pulumi, described bool
	// amplify says that the file is what Amplify writes for programs.
	amplify bool
	// serverless says that the file is the Serverless Framework's.
	serverless bool
	// ways are those by which the file may tell kits of vendors where they work.
	ways []told
	// genai says that the file uses the kit for Gemini.
	genai bool
	// edge says that the file tells where a function of Vercel's runs.
	edge bool
	// firebase says that the file defines functions of Firebase.
	firebase bool
	// azure says that the file speaks of Azure, whose places look like other words; native that it does by the types of
	// Azure itself.
	azure, native bool
	// modules maps names that imports of Pulumi's kits in Go give to what they stand for.
	modules map[string]kit
	// constructs are the names imported from the older SST.
	constructs map[string]bool
	places     places
}

// Parse reads one file, where it speaks of a cloud at all.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	f := &file{in: in, out: out, text: in.Data, seen: words.In(vocabulary, in.Data), modules: map[string]kit{}, constructs: map[string]bool{}}
	f.hosts()
	f.stores()
	if !f.concerns() {
		if len(out.Facts) == 0 {
			out.Kind = stackparse.Unread
		}
		return
	}
	f.places.here = &f.here
	readers := f.readers()
	block := false // inside a comment of several lines
	scan.Lines(in.Data, func(line int, text string) {
		s := strings.TrimSpace(text)
		if block {
			block = !strings.Contains(s, "*/")
			return
		}
		if block = strings.HasPrefix(s, "/*") && !strings.Contains(s, "*/"); block || s == "" || comment(s) {
			return
		}
		f.here = words.In(lineWords, s)
		for _, read := range readers {
			read(line, s)
		}
	})
	if f.sst {
		f.project()
	}
	f.regions()
	switch {
	case f.sst:
		out.Kind = "sst"
	case f.cdk, f.cdktf:
		out.Kind = "cdk"
	case f.pulumi:
		out.Kind = "pulumi"
	}
	if len(out.Facts) == 0 {
		out.Kind = stackparse.Unread
	}
}

// readers are what looks at each line, by what the file speaks of.
func (f *file) readers() (list []func(line int, s string)) {
	for _, r := range [...]struct {
		speaks bool
		read   func(line int, s string)
	}{
		{f.sst, f.components},
		{f.cdk, f.stackModules},
		{f.cdktf, f.bindings},
		{f.pulumi || f.sst, f.resources},
		{f.amplify, f.exports},
		{f.edge, f.edges},
		{f.serverless, f.templates},
		{f.genai, f.models},
		{len(f.ways) > 0, f.kits},
		{true, f.clients},
		{true, f.places.read},
	} {
		if r.speaks {
			list = append(list, r.read)
		}
	}
	return list
}

func comment(s string) bool {
	return strings.HasPrefix(s, "//") || strings.HasPrefix(s, "*") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "<!--")
}

// vocabulary has the words by which a file tells of what it speaks.
var vocabulary = words.Exact()

func signs(list ...string) words.Run { return vocabulary.Add(list...) }

var (
	cdkSigns      = signs("aws-cdk", "aws_cdk", "awscdk")
	cdktfSigns    = signs("cdktf")
	pulumiSigns   = signs("pulumi")
	sstSigns      = signs("sst.aws.", "sst.cloudflare.", "sst/constructs", "@serverless-stack/resources")
	sstPartSigns  = signs("aws.", "cloudflare.")
	firebaseSigns = signs("firebase-functions", "firebase_functions")
	amplifySigns  = signs("aws_project_region", "aws_user_pools_id", "CognitoUserPool")
	genaiSigns    = signs("genai", "GenAI")
	edgeSigns     = signs("preferredRegion", "adapter-vercel", "@astrojs/vercel")
	azureSigns    = signs("azure", "Azure")
	nativeSigns   = signs("azure-native", "azure_native")
	placeSigns    = signs("region", "Region", "REGION", "location")
	// cloudKitSigns are words of which one stands in every file that uses a client of a cloud.
	cloudKitSigns = signs(
		"boto", "aws.sdk", "rusoto", "AzureLocation", "storage-s3", "upload-aws-s3", "file-s3", "aws-sdk", "aws_sdk", "amazonaws", "awssdk", "Aws\\", "Aws::", "Amazon.", "AWS.", "google-cloud", "google.cloud",
		"cloud.google.com", "vertexai", "aiplatform", "firebase-functions", "firebase_functions", "pinecone", "aws-lambda-powertools", "aws_lambda_powertools",
		"AnthropicBedrock", "AnthropicVertex",
	)
	// cloudSigns are names of settings that say of whom they speak.
	cloudSigns = signs("aws_region", "AWS_REGION", "awsRegion", "AWS_DEFAULT_REGION", "gcp_region", "GCP_REGION", "gcpRegion", "GCP_LOCATION", "vertex_location", "VERTEX_LOCATION", "azure_region", "AZURE_REGION", "AZURE_LOCATION", "azureRegion")
)

// concerns finds out of which clouds and kits a file speaks; false where of none.
func (f *file) concerns() bool {
	has := func(signs words.Run) bool { return f.seen.Has(signs) }
	f.cdk = has(cdkSigns)
	f.cdktf = has(cdktfSigns)
	f.pulumi = has(pulumiSigns)
	f.sst = path.Base(f.in.Path) == "sst.config.ts" || has(sstSigns) || has(sstPartSigns) && f.above("sst.config.ts")
	f.firebase = has(firebaseSigns)
	f.amplify = has(amplifySigns)
	f.serverless = strings.HasPrefix(path.Base(f.in.Path), "serverless.")
	f.genai = has(genaiSigns)
	f.edge = has(edgeSigns)
	for _, w := range ways {
		if has(w.signs) {
			f.ways = append(f.ways, w)
		}
	}
	f.azure, f.native = has(azureSigns), has(nativeSigns)
	f.described = f.cdk || f.pulumi || f.sst || f.cdktf
	if f.described || f.amplify || f.genai || f.edge || len(f.ways) > 0 || f.serverless || has(cloudKitSigns) || has(cloudSigns) {
		return true
	}
	// Settings of such a program stand in files of their own.
	if !has(placeSigns) || bytes.IndexByte(f.text, '-') < 0 {
		return false
	}
	f.described = f.above("cdk.json") || f.above("Pulumi.yaml") || f.above("sst.config.ts")
	return f.described
}

// above reports whether a file stands in the folder of this one or in one of the two above it.
func (f *file) above(name string) bool {
	return f.in.Beside(name) || f.in.Beside("../"+name) || f.in.Beside("../../"+name)
}

// code adds what a line shows of a service.
func (f *file) code(line int, show, provider, service string, regions ...string) {
	f.out.Add(stackparse.Fact{Kind: stackparse.KindUse, As: "code", Provider: provider, Service: service, Name: show, Line: line, Regions: regions})
}

var (
	// stackModule is the module of one service in the CDK, in the languages that it is written in.
	stackModule = pattern.New(`(?:aws-cdk-lib/aws-|@aws-cdk/aws-|awscdk/v2/aws|awscdk\.services\.)([a-z0-9-]+)`)
	// fromStack lists modules of the CDK as Python imports them.
	fromStack  = pattern.New(`\baws_([a-z0-9]+(?:_[a-z0-9]+)*)`)
	stackClass = pattern.New(`\bec2\.(Vpc|Instance|BastionHostLinux|LaunchTemplate|SecurityGroup|NewVpc|NewInstance)\b`)
)

// onlyHelps reports whether a module of the CDK comes along with others.
func onlyHelps(s string) bool {
	switch s {
	case "iam", "logs", "ec2", "assets", "cdk":
		return true
	}
	return false
}

// stackModules finds the modules of the CDK that a program imports; they are called as its packages for one service were.
func (f *file) stackModules(line int, s string) {
	add := func(show, module string) {
		module = strings.ReplaceAll(module, "_", "-")
		if onlyHelps(module) {
			return
		}
		f.out.Add(stackparse.Fact{Kind: "npm", As: "code", Name: "@aws-cdk/aws-" + module, Show: show, Line: line})
	}
	if m := stackModule.FindStringSubmatch(s); m != nil {
		add(m[0], m[1])
	} else if strings.Contains(s, "aws_cdk") || strings.HasPrefix(s, "aws_") {
		for _, m := range fromStack.FindAllStringSubmatch(s, 20) {
			add(m[0], m[1])
		}
	}
	if m := stackClass.FindStringSubmatch(s); m != nil {
		service := "ec2"
		if strings.HasSuffix(m[1], "Vpc") {
			service = "vpc"
		}
		f.code(line, m[0], "aws", service)
	}
}

var (
	// templateType is a type of CloudFormation, grantedAction what a function may do there.
	templateType  = pattern.New(`["']?Type["']?\s*:\s*["']([A-Z]\w+::\w+::\w+)["']`)
	grantedAction = pattern.New(`["']([a-z0-9-]+):[A-Z*][A-Za-z*]*["']`)
)

// templates finds the resources that the Serverless Framework makes besides functions, and the services that these may call.
func (f *file) templates(line int, s string) {
	for _, m := range templateType.FindAllStringSubmatch(s, 4) {
		if name := tfname.CloudFormation(m[1]); name != "" {
			f.out.Add(stackparse.Fact{Kind: "tf_resource", As: "code", Name: name, Show: m[1], Line: line})
		}
	}
	for _, m := range grantedAction.FindAllStringSubmatch(s, 8) {
		f.client(line, strings.Trim(m[0], `"'`), m[1], "")
	}
}

// binding is the module of one type of Terraform's resources, as the CDK for Terraform has it.
var binding = pattern.New(`(?:\bcdktf_cdktf_provider_|@cdktf/provider-)([a-z0-9]+)(?:\.|/lib/)([a-z0-9_-]+)`)

// stateStore is where the CDK for Terraform keeps its state.
var stateStore = pattern.New(`\b(S3|Gcs|Azurerm|Cloud|Remote)Backend\(`)

var stateStores = sync.OnceValue(func() map[string][2]string {
	return map[string][2]string{"S3": {"aws", "s3"}, "Gcs": {"google-cloud", "cloud-storage"}, "Azurerm": {"azure", "blob-storage"}, "Cloud": {"hashicorp", "hcp-terraform"}, "Remote": {"hashicorp", "hcp-terraform"}}
})

// bindings finds the types of resources that a program imports.
func (f *file) bindings(line int, s string) {
	if m := stateStore.FindStringSubmatch(s); m != nil {
		b := stateStores()[m[1]]
		f.out.Add(stackparse.Fact{Kind: stackparse.KindUse, As: "tf_backend", Relation: downwind.BuildTime, Provider: b[0], Service: b[1], Name: m[1] + "Backend", Line: line})
	}
	m := binding.FindStringSubmatch(s)
	if m == nil || m[2] == "provider" || strings.HasPrefix(m[2], "data") {
		return
	}
	f.out.Add(stackparse.Fact{Kind: "tf_resource", As: "code", Name: m[1] + "_" + strings.ReplaceAll(m[2], "-", "_"), Show: m[0], Line: line})
}
