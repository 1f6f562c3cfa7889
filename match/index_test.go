package match

import (
	"fmt"
	"slices"
	"testing"

	"downwind"
)

// crowd fills an index with teams of thirty providers each; one in a hundred runs the table that the incident hits.
func crowd(tb testing.TB, n int) (*Index, map[string]*downwind.Stack, *downwind.Incident) {
	tb.Helper()
	j := judge(tb)
	x := NewIndex(j)
	regions := []string{"eu-west-1", "eu-central-1", "us-west-2", "ap-southeast-2", "sa-east-1"}
	other := make([]downwind.Use, 29)
	for i := range other {
		slug := fmt.Sprintf("provider-%d", i)
		other[i] = downwind.Use{Provider: slug, Name: slug, Confidence: downwind.Sure, Evidence: []downwind.Evidence{{File: "package.json", Line: i, Kind: "npm", Match: slug, Direct: true}}}
	}
	stacks := make(map[string]*downwind.Stack, n)
	for i := range n {
		region := regions[i%len(regions)]
		if i%100 == 0 {
			region = "us-east-1"
		}
		aws := downwind.Use{Provider: "aws", Name: "AWS", Confidence: downwind.Sure, Regions: []string{region}, Evidence: []downwind.Evidence{
			{File: "main.tf", Line: 7, Kind: "tf_resource", Match: "aws_dynamodb_table.t", Service: "dynamodb", Region: region, Direct: true, Relation: downwind.Hosted},
			{File: "main.tf", Line: 9, Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: region, Direct: true, Relation: downwind.Hosted},
		}}
		team := fmt.Sprintf("team-%06d", i)
		s := &downwind.Stack{Providers: append(append([]downwind.Use{}, other...), aws)}
		stacks[team] = s
		x.Add(team, s)
	}
	inc := incident("aws", "DynamoDB increased error rates (N. Virginia)", "Requests in US-EAST-1 fail. Other regions are operating normally.", []string{"us-east-1"}, "Amazon DynamoDB")
	return x, stacks, inc
}

// BenchmarkIncident measures one incident against many teams, of which one in a hundred is hit: reading, finding, judging.
func BenchmarkIncident(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("teams=%d", n), func(b *testing.B) {
			x, stacks, inc := crowd(b, n)
			b.ResetTimer()
			for b.Loop() {
				r := x.judge.Read(inc, Known{})
				hit := 0
				for _, team := range x.For(r) {
					if r.Judge(stacks[team], nil).Affected {
						hit++
					}
				}
				if hit != n/100 {
					b.Fatalf("got %d teams hit, want %d", hit, n/100)
				}
			}
		})
	}
	b.Run("teams=100000/hit=100", func(b *testing.B) {
		x, stacks, inc := crowd(b, 100_000)
		kept := 0
		for team := range stacks {
			if slices.ContainsFunc(stacks[team].Providers[29].Regions, func(r string) bool { return r == "us-east-1" }) {
				if kept++; kept > 100 {
					x.Remove(team)
				}
			}
		}
		b.ResetTimer()
		for b.Loop() {
			r := x.judge.Read(inc, Known{})
			for _, team := range x.For(r) {
				r.Judge(stacks[team], nil)
			}
		}
	})
}

func TestIndexFindsAllThatAreHit(t *testing.T) {
	x, stacks, inc := crowd(t, 1000)
	cases := []struct {
		name string
		inc  *downwind.Incident
	}{
		{"one region", inc},
		{"no region", incident("aws", "Increased error rates", "We are looking into it.", nil)},
		{"continent", incident("aws", "DynamoDB errors in Europe", "Requests in Europe fail.", nil, "Amazon DynamoDB")},
		{"global service", incident("aws", "IAM delays", "Changes take long.", []string{"us-east-1"}, "AWS Identity and Access Management")},
		{"other provider", incident("provider-3", "API errors", "Requests fail.", nil)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := x.Candidates(c.inc)
			for team, s := range stacks {
				if m := x.judge.Match(c.inc, s, nil, Known{}); m.Affected && !slices.Contains(found, team) {
					t.Fatalf("%s is hit (%s) and not among the candidates", team, m.Verdict)
				}
			}
		})
	}
	if got := len(x.Candidates(inc)); got != 10 {
		t.Errorf("candidates of a regional incident: got %d, want the 10 teams of that region", got)
	}
}

func TestIndexForgets(t *testing.T) {
	x, stacks, inc := crowd(t, 200)
	x.Remove("team-000100")
	if got, want := x.Candidates(inc), []string{"team-000000"}; !slices.Equal(got, want) {
		t.Errorf("after Remove: got %q, want %q", got, want)
	}
	moved := *stacks["team-000000"]
	moved.Providers = moved.Providers[:29]
	x.Add("team-000000", &moved)
	if got := x.Candidates(inc); len(got) != 0 {
		t.Errorf("after Add without the provider: got %q, want none", got)
	}
	for team := range stacks {
		x.Remove(team)
	}
	if len(x.providers) != 0 || len(x.teams) != 0 {
		t.Errorf("an empty index keeps %d providers and %d teams", len(x.providers), len(x.teams))
	}
}
