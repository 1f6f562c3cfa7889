package stores

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Client
	}{
		{"keyword", `c = boto3.client("s3", endpoint_url="https://s3.lark.example/x")`, []Client{{Line: 1, Address: "https://s3.lark.example"}}},
		{"several lines", "const c = new S3Client({\n  region: r,\n  endpoint: 'https://files.lark.example',\n});", []Client{{Line: 3, Address: "https://files.lark.example"}}},
		{"a name that says so", `const s3Endpoint = "https://files.lark.example";`, []Client{{Line: 1, Address: "https://files.lark.example"}}},
		{"a fallback", `'s3' => ['endpoint' => env('FILES_URL', 'https://files.lark.example')]`, []Client{{Line: 1, Address: "https://files.lark.example"}}},
		{"a chain", "S3Client.builder()\n  .region(r)\n  .endpointOverride(URI.create(\"https://files.lark.example\"))", []Client{{Line: 3, Address: "https://files.lark.example"}}},
		{"a host that says so", `var place = new AWS.Endpoint("nyc3.digitaloceanspaces.com")`, []Client{{Line: 1, Address: "nyc3.digitaloceanspaces.com"}}},
		{"only a variable", `new S3Client({ endpoint: process.env.S3_ENDPOINT })`, nil},
		{"a variable in brackets", `['driver' => 's3', 'endpoint' => env('AWS_ENDPOINT')], 'x' => ['driver' => 'files.local']`, nil},
		{"a comment", "// new S3Client({ endpoint: 'https://files.lark.example' })", nil},
		{"a comment of several lines", "/*\nnew S3Client({ endpoint: 'https://files.lark.example' })\n*/", nil},
		{"compared", `if (s3.endpoint == "https://files.lark.example") {}`, nil},
		{"another client", "new S3Client({});\nnew Search({ endpoint: 'https://search.lark.example' });", nil},
		{"another client in a function", "function f() {\n  s3.put(x);\n  api.endpoint = 'https://search.lark.example';\n}", nil},
		{"for developers", "new S3Client(isLocal ? { endpoint: 'https://stack.lark.example' } : {})", nil},
		{"a stand-in", "new S3Client({ endpoint: 'https://localstack.lark.example' })", nil},
		{"for developers, else elsewhere", "new S3Client({ endpoint: dev ? 'http://localhost:9000' : 'https://files.lark.example' })", []Client{{Line: 1, Address: "https://files.lark.example"}}},
		{"a host that is called so", "aws_sdk_s3::config::Builder::new()\n  .endpoint_url(\"https://files.lark.dev\")", []Client{{Line: 2, Address: "https://files.lark.dev"}}},
		{"a table", "const all = [{ s3Endpoint: 'https://s3.lark.example' }, { s3Endpoint: 'https://s3.kite.example' }];\nboto3.client('s3')", nil},
		{"two places of one vendor", "const all = [{ s3Endpoint: 'https://a.lark.example' }, { s3Endpoint: 'https://b.lark.example' }];", []Client{{Line: 1, Address: "https://a.lark.example"}, {Line: 1, Address: "https://b.lark.example"}}},
		{"plain clients", "boto3.client('s3')\nnew S3Client({ region: 'eu-west-1' })", []Client{{Line: 1, Show: "boto3.client('s3'"}, {Line: 2, Show: "new S3Client("}}},
		{"clients of which it is not told", "new S3Client(settings)\nboto3.client('s3', **settings)\nnew S3Client({ ...settings, region })", nil},
		{"brackets that never close", "new S3Client({ region: " + strings.Repeat("(", 5000), []Client{{Line: 1, Show: "new S3Client("}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Find([]byte(c.text))); diff != "" {
				t.Errorf("clients (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("boto3.client('s3', endpoint_url='https://a.example')"))
	f.Add([]byte("new AmazonS3Config\n{ ServiceURL = \"https://a.example\" }"))
	f.Add([]byte(".endpoint(\n.endpoint(\"a.b\")"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := strings.Count(string(text), "\n") + 1
		for _, c := range Find(text) {
			if c.Line < 1 || c.Line > lines || (c.Address == "") == (c.Show == "") {
				t.Fatalf("%+v of %d lines", c, lines)
			}
		}
	})
}
