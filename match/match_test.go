package match

import (
	"testing"

	"downwind"
)

func judge(t testing.TB) *Judge {
	t.Helper()
	j, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// stackOf builds a stack that uses one provider by the given evidence, all of it direct.
func stackOf(provider string, es ...downwind.Evidence) *downwind.Stack {
	u := downwind.Use{Provider: provider, Name: provider, Confidence: downwind.Sure}
	for i := range es {
		if es[i].File == "" {
			es[i].File, es[i].Line = "main.tf", i+1
		}
		es[i].Direct = true
		u.Evidence = append(u.Evidence, es[i])
	}
	return &downwind.Stack{Providers: []downwind.Use{u}}
}

func incident(provider, title, body string, regions []string, components ...string) *downwind.Incident {
	inc := &downwind.Incident{Provider: provider, ID: "i1", Kind: downwind.KindIncident, Title: title, Phase: downwind.Identified, Regions: regions}
	for _, c := range components {
		inc.Components = append(inc.Components, downwind.Component{Name: c})
	}
	inc.Updates = []downwind.Update{{ID: "u1", Phase: downwind.Identified, Body: body}}
	return inc
}

func TestMatchPlaces(t *testing.T) {
	j := judge(t)
	table := downwind.Evidence{Kind: "tf_resource", Match: "aws_dynamodb_table.t", Service: "dynamodb"}
	in := func(e downwind.Evidence, region string) downwind.Evidence { e.Region = region; return e }
	inc := incident("aws", "Increased errors (N. Virginia)", "Requests in US-EAST-1 fail. Other regions are fine.", []string{"us-east-1"}, "Amazon DynamoDB")
	cases := []struct {
		name  string
		stack *downwind.Stack
		want  downwind.Verdict
		held  downwind.HoldReason
	}{
		{"same region", stackOf("aws", in(table, "us-east-1")), downwind.AffectedSure, ""},
		{"other region", stackOf("aws", in(table, "eu-west-1")), downwind.NotAffected, downwind.HeldRegion},
		{"region not told", stackOf("aws", table), downwind.AffectedPossible, ""},
		{"other product", stackOf("aws", downwind.Evidence{Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: "us-east-1"}), downwind.NotAffected, downwind.HeldProduct},
		{"other provider", stackOf("stripe", downwind.Evidence{Kind: "npm", Match: "stripe"}), downwind.NotAffected, downwind.HeldProvider},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(inc, c.stack, nil, Known{})
			if m.Verdict != c.want || m.Held != c.held {
				t.Errorf("got %s %q (%s), want %s %q", m.Verdict, m.Held, m.WhyNot, c.want, c.held)
			}
		})
	}
}
