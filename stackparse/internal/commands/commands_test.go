package commands_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downwind/stackparse/internal/commands"
)

// known holds a few rows as the catalogue would, found by as many of the first words as a row has.
func known(name string) bool {
	rows := map[string]bool{"gcloud run": true, "chromatic": true, "wrangler deploy": true, "vapor deploy": true, "vercel --prod": true, "aws s3": true, "aws ecs": true, "trigger.dev deploy": true, "gcloud --set-secrets": true, "fly scale": true, "flyctl scale": true}
	for row := range rows {
		if strings.HasSuffix(name, " ") && strings.HasPrefix(row, name) {
			return true
		}
	}
	for name = strings.TrimSuffix(name, " "); name != ""; {
		if rows[name] {
			return true
		}
		name = name[:max(strings.LastIndexByte(name, ' '), 0)]
	}
	return false
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []commands.Command
	}{
		{"plain", "wrangler deploy --env x", []commands.Command{{Name: "wrangler deploy --env x", Show: "wrangler deploy"}}},
		{"flags between", "gcloud --quiet beta run deploy api --region europe-west1", []commands.Command{{Name: "gcloud run deploy api", Show: "gcloud --quiet", Region: "europe-west1"}}},
		{"flags with values", "aws --profile prod s3 sync . s3://x", []commands.Command{{Name: "aws s3 sync .", Show: "aws --profile"}}},
		{"flag known", "npx vercel --prod", []commands.Command{{Name: "vercel --prod", Show: "vercel --prod"}}},
		{"flag that names a service", "gcloud run deploy a --region=europe-west1 --set-secrets=A=b:latest && rm --set-secrets", []commands.Command{
			{Name: "gcloud run deploy a", Show: "gcloud run deploy", Region: "europe-west1"}, {Name: "gcloud --set-secrets", Show: "--set-secrets", Region: "europe-west1"},
		}},
		{"two in a line", "x && wrangler deploy && aws s3 ls", []commands.Command{{Name: "wrangler deploy", Show: "wrangler deploy"}, {Name: "aws s3 ls", Show: "aws s3 ls"}}},
		{"in a folder", "php vendor/bin/vapor deploy production", []commands.Command{{Name: "vapor deploy production", Show: "vendor/bin/vapor deploy"}}},
		{"with version", "npx trigger.dev@latest deploy", []commands.Command{{Name: "trigger.dev deploy", Show: "trigger.dev@latest deploy"}}},
		{"tool alone", "npx --yes chromatic --exit-zero", []commands.Command{{Name: "chromatic", Show: "chromatic"}}},
		{"after an assignment", "CI=1 chromatic", []commands.Command{{Name: "chromatic", Show: "chromatic"}}},
		{"in prose", "echo upload to chromatic", nil},
		{"as another word", "my-chromatic run", nil},
		{"in quotes", `sh -c "aws s3 ls"`, []commands.Command{{Name: "aws s3 ls", Show: "aws s3 ls"}}},
		{"as a list", `["aws", "s3", "ls"]`, []commands.Command{{Name: "aws s3 ls", Show: `aws", "s3`}}},
		{"several regions", "fly scale count web=2 --region waw,arn --yes", []commands.Command{{Name: "fly scale count web=2", Show: "fly scale", Region: "waw,arn"}}},
		{"several regions by a letter", "flyctl scale count 2 --remote-only -r waw,arn", []commands.Command{{Name: "flyctl scale count 2", Show: "flyctl scale", Region: "waw,arn"}}},
		{"a list of words with a region", "gcloud run deploy a, --region=europe-west1, --quiet", []commands.Command{{Name: "gcloud run deploy a", Show: "gcloud run deploy", Region: "europe-west1"}}},
		{"region of a variable", "aws s3 ls --region $REGION", []commands.Command{{Name: "aws s3 ls --region", Show: "aws s3 ls", Region: "$REGION"}}},
		{"region of a workflow", `aws ecs update-service --service x --region "${{ env.AWS_REGION }}" --force`, []commands.Command{{Name: "aws ecs update-service --service", Show: "aws ecs update-service", Region: "${{ env.AWS_REGION }}"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, commands.New(known).Find(c.line)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}
