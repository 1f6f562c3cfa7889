package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downwind"
	"downwind/match"
)

// A made stack is a few files of different providers, each the only sign of its provider, and incidents that hit them.
type madeUse struct {
	provider, file, text string
	incident             downwind.Incident
}

func madeIncident(provider, title, body string, regions []string, components ...string) downwind.Incident {
	inc := downwind.Incident{
		ID: "i", Provider: provider, Kind: downwind.KindIncident, Title: title, Regions: regions, Phase: downwind.Identified,
		Updates: []downwind.Update{{ID: "u", Phase: downwind.Identified, Body: body}},
	}
	for i, c := range components {
		inc.Components = append(inc.Components, downwind.Component{ID: fmt.Sprint(i), Name: c, Status: downwind.PartialOutage})
	}
	return inc
}

// madeUses are told apart by their files: no file names two providers of the list.
func madeUses(region string) []madeUse {
	return []madeUse{
		{
			"aws", "infra/queue.tf", fmt.Sprintf("provider \"aws\" {\n  region = %q\n}\nresource \"aws_sqs_queue\" \"q\" {\n  name = \"q\"\n}\n", region),
			madeIncident("aws", "SQS errors", "Requests in "+strings.ToUpper(region)+" fail.", []string{region}, "Amazon SQS"),
		},
		{"circleci", ".circleci/config.yml", "version: 2.1\njobs:\n  t:\n    docker: [{image: x}]\n", madeIncident("circleci", "Pipelines delayed", "Jobs wait.", nil, "Pipelines & Workflows")},
		{"auth0", "auth.env", "AUTH0_DOMAIN=acme.eu.auth0.com\n", madeIncident("auth0", "EU: logins fail", "Logins fail.", []string{"EU"}, "User Authentication")},
		{"fly-io", "fly.toml", "app = \"x\"\nprimary_region = \"ams\"\n", madeIncident("fly-io", "Machines unreachable", "Apps do not answer.", nil, "Machines")},
		{"gitlab", ".gitlab-ci.yml", "test:\n  script: make\n", madeIncident("gitlab", "Pipelines stuck", "Jobs are not picked up.", nil, "CI/CD")},
		{"mongodb-atlas", "db.env", "MONGO_URI=mongodb+srv://u:p@c.ab1cd.mongodb.net/x\n", madeIncident("mongodb-atlas", "Clusters unreachable", "Connections fail.", nil, "MongoDB Cloud")},
		{"sendgrid", "mailer/package.json", "{\"dependencies\": {\"@sendgrid/mail\": \"^8.0.0\"}}\n", madeIncident("sendgrid", "Mail is late", "Mail waits.", nil, "Mail Sending")},
	}
}

var regionNames = []string{"us-east-1", "us-east-2", "us-west-2", "eu-west-1", "eu-central-1", "ap-southeast-2", "sa-east-1"}

// drawUses draws a stack of some of the uses, and the one that the incident is about.
func drawUses(t *rapid.T) (uses []madeUse, about madeUse, files map[string]string) {
	all := madeUses(rapid.SampledFrom(regionNames).Draw(t, "region"))
	uses = rapid.Permutation(all).Draw(t, "uses")[:rapid.IntRange(1, len(all)).Draw(t, "n")]
	about = uses[rapid.IntRange(0, len(uses)-1).Draw(t, "about")]
	files = map[string]string{}
	for _, u := range uses {
		files[u.file] = u.text
	}
	return uses, about, files
}

func drawnStack(t *rapid.T, m *matcher, files map[string]string) downwind.Stack {
	stack, err := m.stackOf(context.Background(), pair{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

func (m *matcher) judged(inc downwind.Incident, stack *downwind.Stack) downwind.Match {
	return m.judge.Match(&inc, stack, nil, match.Known{Provider: m.provider(inc.Provider)})
}

// TestAddingAFileRemovesNoMatch adds files that have nothing to do with the incident.
func TestAddingAFileRemovesNoMatch(t *testing.T) {
	m := testMatcher(t)
	rank := map[string]int{"no": 0, "possible": 1, "yes": 2}
	unrelated := map[string]string{
		"README.md": "# Notes\n\nNothing of interest.\n", "src/sum.py": "def add(a, b):\n    return a + b\n", "web/index.html": "<p>Hello</p>\n",
		"go.mod": "module example.org/x\n\ngo 1.24\n", "Makefile": "all:\n\techo done\n", "notes/todo.txt": "buy milk\n", "conf/app.yaml": "name: x\nreplicas: 2\n",
		"web/package.json": "{\"dependencies\": {\"left-pad\": \"^1.3.0\"}}\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		_, about, files := drawUses(t)
		stack := drawnStack(t, m, files)
		before := verdictWord(m.judged(about.incident, &stack).Verdict)
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(sortedKeys(unrelated)), 1, 4, rapid.ID).Draw(t, "added") {
			files[name] = unrelated[name]
		}
		stack = drawnStack(t, m, files)
		if after := m.judged(about.incident, &stack); rank[verdictWord(after.Verdict)] < rank[before] {
			t.Fatalf("got %s (%s) with more files, %s before", after.Verdict, after.WhyNot, before)
		}
	})
}

// TestRenamedRegionKeepsTheVerdict writes another region everywhere: in the files, the fields and the words.
func TestRenamedRegionKeepsTheVerdict(t *testing.T) {
	m := testMatcher(t)
	rapid.Check(t, func(t *rapid.T) {
		mine, hit := rapid.SampledFrom(regionNames).Draw(t, "mine"), rapid.SampledFrom(regionNames).Draw(t, "hit")
		renamed := rapid.Permutation(regionNames).Draw(t, "renamed")
		to := func(region string) string { return renamed[slices.Index(regionNames, region)] }
		judged := func(mine, hit string) downwind.Match {
			stack := drawnStack(t, m, map[string]string{"main.tf": madeUses(mine)[0].text})
			inc := madeUses(hit)[0].incident
			inc.Updates[0].Body += " Other regions are operating normally."
			return m.judged(inc, &stack)
		}
		a, b := judged(mine, hit), judged(to(mine), to(hit))
		if a.Verdict != b.Verdict || a.Held != b.Held || a.Urgency != b.Urgency || !slices.Equal(a.Components, b.Components) {
			t.Fatalf("files in %s, incident in %s: %s (%s); renamed to %s and %s: %s (%s)", mine, hit, a.Verdict, a.Held, to(mine), to(hit), b.Verdict, b.Held)
		}
	})
}

// TestWithoutTheOnlyEvidenceNothingMatches takes the one file away that names the provider.
func TestWithoutTheOnlyEvidenceNothingMatches(t *testing.T) {
	m := testMatcher(t)
	rapid.Check(t, func(t *rapid.T) {
		_, about, files := drawUses(t)
		stack := drawnStack(t, m, files)
		if with := m.judged(about.incident, &stack); verdictWord(with.Verdict) != "yes" {
			t.Fatalf("%s with its file: got %s (%s), want yes", about.provider, with.Verdict, with.WhyNot)
		}
		delete(files, about.file)
		stack = drawnStack(t, m, files)
		if without := m.judged(about.incident, &stack); without.Affected || without.Held != downwind.HeldProvider {
			t.Fatalf("%s without its file: got %s held %q, want no for want of the provider", about.provider, without.Verdict, without.Held)
		}
	})
}

// TestOrderOfFilesAndComponentsChangesNothing shuffles what has no order.
func TestOrderOfFilesAndComponentsChangesNothing(t *testing.T) {
	m := testMatcher(t)
	pairs := readPairs(t, "testdata/match/pairs.jsonl")
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(pairs).Draw(t, "pair")
		inc := p.Incident
		inc.Provider = m.provider(p.Provider).Slug
		stack := drawnStack(t, m, p.Files)
		before := m.judged(inc, &stack)
		stack.Providers = rapid.Permutation(stack.Providers).Draw(t, "providers")
		for i := range stack.Providers {
			stack.Providers[i].Evidence = rapid.Permutation(stack.Providers[i].Evidence).Draw(t, "evidence")
		}
		inc.Components = rapid.Permutation(inc.Components).Draw(t, "components")
		inc.Regions = rapid.Permutation(inc.Regions).Draw(t, "regions")
		after := m.judged(inc, &stack)
		if before.Verdict != after.Verdict || before.Urgency != after.Urgency || !slices.Equal(sortedFold(before.Components), sortedFold(after.Components)) ||
			!slices.Equal(sortedFold(before.Regions), sortedFold(after.Regions)) {
			t.Fatalf("%s: got %s %q %q, shuffled %s %q %q", p.ID, before.Verdict, before.Components, before.Regions, after.Verdict, after.Components, after.Regions)
		}
	})
}
