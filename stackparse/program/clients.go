package program

import (
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
)

var (
	// byName makes a client of AWS by the name of its service.
	byName = pattern.New(`\b(?:boto3|aioboto3|\w*session)\.(?:client|resource)\(\s*(?:service_name\s*=\s*)?['"]([a-z0-9-]+)['"](?:[^)]*?region_name\s*=\s*['"]([a-z0-9-]+)['"])?`)
	// byType makes one by a type or a package of its own, in kits that hold all services in one package.
	byType = pattern.New(`\bnew AWS\.([A-Z]\w+)|\bAws\\([A-Z]\w+)\\|aws-sdk-go/service/([a-z0-9]+)|\bAws::([A-Z]\w+)::(?:Client|Resource)`)
	// onVertex lets the kit for Gemini call Vertex AI instead.
	onVertex = pattern.New(`\bvertex_?[aA][iI]["']?\s*[:=(]\s*[tT]rue\b|\bBackendVertexAI\b`)
)

// models finds by whom the kit for Gemini has its models served, where that is the cloud, in the place that is set for it.
func (f *file) models(line int, s string) {
	m := onVertex.FindString(s)
	if m == "" {
		return
	}
	f.out.Facts = append(f.out.Facts, stackparse.Fact{Kind: stackparse.KindRedirect, Provider: "google-gemini", Name: "aiplatform.googleapis.com", Show: m, Line: line})
	f.code(line, m, "google-cloud", "vertex-ai")
}

// clients finds the services of AWS whose clients a program makes: kits such as boto3 do not tell them by their name. A
// client that is pointed at an address of its own may be another store's.
func (f *file) clients(line int, s string) {
	if !f.here.Has(clientSigns) || endpointIs.MatchString(s) {
		return
	}
	for _, m := range byName.FindAllStringSubmatch(s, 4) {
		f.client(line, "client "+m[1], m[1], m[2])
	}
	if m := byType.FindStringSubmatch(s); m != nil {
		f.client(line, m[0], strings.ToLower(m[1]+m[2]+m[3]+m[4]), "")
	}
}

// exported are the names by which Amplify hands to a program what it has set up.
var exported = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"aws_user_pools_id": "cognito", "aws_cognito_identity_pool_id": "cognito", "aws_appsync_graphqlEndpoint": "appsync", "aws_user_files_s3_bucket": "s3", "aws_cloud_logic_custom": "apigateway", "aws_mobile_analytics_app_id": "pinpoint",
	}
})

var exportedName = pattern.New(`\b(aws_[A-Za-z0-9_]+)["']?\s*[:=]\s*["'\[]`)

// exports finds what Amplify has set up for the program.
func (f *file) exports(line int, s string) {
	if m := exportedName.FindStringSubmatch(s); m != nil && exported()[m[1]] != "" {
		f.code(line, m[1], "aws", exported()[m[1]])
	}
}

func (f *file) client(line int, show, name, region string) {
	x := stackparse.Fact{Kind: stackparse.KindClient, Provider: "aws", Name: name, Show: show, Line: line}
	if region != "" {
		x.Regions = []string{region}
	}
	f.out.Add(x)
}
