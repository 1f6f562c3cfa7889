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
		x.Add(Member{Team: team, Stack: s})
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
				teams, _ := x.For(r)
				for _, team := range teams {
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
			teams, _ := x.For(r)
			for _, team := range teams {
				r.Judge(stacks[team], nil)
			}
		}
	})
}

func candidates(x *Index, inc *downwind.Incident) []string {
	teams, _ := x.For(x.judge.Read(inc, Known{}))
	return teams
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
		{"a service that no team uses", incident("aws", "Amazon Connect is unavailable", "Calls fail.", []string{"us-east-1"}, "Amazon Connect")},
		{"other provider", incident("provider-3", "API errors", "Requests fail.", nil)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := candidates(x, c.inc)
			for team, s := range stacks {
				if m := x.judge.Match(c.inc, s, nil, Known{}); m.Affected && !slices.Contains(found, team) {
					t.Fatalf("%s is hit (%s) and not among the candidates", team, m.Verdict)
				}
			}
		})
	}
	if got := len(candidates(x, inc)); got != 10 {
		t.Errorf("candidates of a regional incident: got %d, want the 10 teams of that region", got)
	}
}

func TestIndexForgets(t *testing.T) {
	x, stacks, inc := crowd(t, 200)
	x.Remove("team-000100")
	if got, want := candidates(x, inc), []string{"team-000000"}; !slices.Equal(got, want) {
		t.Errorf("after Remove: got %q, want %q", got, want)
	}
	moved := *stacks["team-000000"]
	moved.Providers = moved.Providers[:29]
	x.Add(Member{Team: "team-000000", Stack: &moved})
	if got := candidates(x, inc); len(got) != 0 {
		t.Errorf("after Add without the provider: got %q, want none", got)
	}
	for team := range stacks {
		x.Remove(team)
	}
	if len(x.shelves) != 0 || len(x.numbers) != 0 {
		t.Errorf("an empty index keeps %d providers and %d teams", len(x.shelves), len(x.numbers))
	}
}

// TestIndexFilesPeoplesWords files teams that use no file of the provider: what they subscribed to and answered concerns them.
func TestIndexFilesPeoplesWords(t *testing.T) {
	inc := incident("aws", "DynamoDB increased error rates (N. Virginia)", "Requests in US-EAST-1 fail.", []string{"us-east-1"}, "Amazon DynamoDB")
	far := downwind.Stack{Providers: []downwind.Use{{Provider: "aws", Confidence: downwind.Sure, Evidence: []downwind.Evidence{
		{File: "main.tf", Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: "eu-west-1", Direct: true, Relation: downwind.Hosted},
	}}}}
	affected := downwind.Filter{OnlyAffected: true}
	cases := []struct {
		name            string
		member          Member
		reached, others bool
	}{
		{"nothing of the provider", Member{}, false, false},
		{"another region", Member{Stack: &far}, false, true},
		{"follows the provider", Member{Subscriptions: []downwind.Subscription{{Target: downwind.TargetProvider, Provider: "aws"}}}, true, false},
		{"follows the provider, as far as it is hit", Member{Subscriptions: []downwind.Subscription{{Target: downwind.TargetProvider, Provider: "aws", Filter: affected}}}, false, true},
		{"follows everything", Member{Subscriptions: []downwind.Subscription{{Target: downwind.TargetAll}}}, true, false},
		{"follows everything, as far as it is hit", Member{Subscriptions: []downwind.Subscription{{Target: downwind.TargetAll, Filter: affected}}}, false, true},
		{"said that it uses the provider", Member{Stack: &far, Rules: []downwind.Rule{{Kind: downwind.RuleAdd, Provider: "aws"}}}, true, false},
		{"said that it does not", Member{Stack: &far, Rules: []downwind.Rule{{Kind: downwind.RuleDrop, Provider: "aws"}}}, false, true},
		{"named another region", Member{Stack: &far, Rules: []downwind.Rule{{Kind: downwind.RuleRegion, Provider: "aws", Region: "us-east-1"}}}, true, false},
		{"runs its own server", Member{Stack: &downwind.Stack{SelfHosted: map[string][]downwind.Evidence{"aws": {{File: "compose.yml"}}}}}, false, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			x := NewIndex(judge(t))
			if c.member.Team = "t"; c.member.Stack == nil {
				c.member.Stack = &downwind.Stack{}
			}
			x.Add(c.member)
			teams, others := x.For(x.judge.Read(inc, Known{}))
			if reached := len(teams) > 0; reached != c.reached || others != c.others {
				t.Errorf("got reached %t, others %t; want %t, %t", reached, others, c.reached, c.others)
			}
			concerned := c.reached || c.others
			if got, any := x.Concerns("amazon-web-services", "t"), x.Anyone("amazon-web-services"); got != concerned || any != concerned {
				t.Errorf("the provider concerns the team: got %t, anyone: %t, want %t", got, any, concerned)
			}
			x.Remove("t")
			if teams, others := x.For(x.judge.Read(inc, Known{})); len(teams) > 0 || others {
				t.Errorf("after Remove: got %q, others %t", teams, others)
			}
		})
	}
}
