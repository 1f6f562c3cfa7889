package match

import (
	"testing"

	"downwind"
)

func TestRules(t *testing.T) {
	j := judge(t)
	open := stackOf("aws", downwind.Evidence{Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs"})
	east := stackOf("aws", downwind.Evidence{Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: "us-east-2"})
	inc := incident("aws", "SQS errors (Ohio)", "Requests in US-EAST-2 fail.", []string{"us-east-2"}, "Amazon SQS")
	rule := func(kind downwind.RuleKind, component, region string) downwind.Rule {
		return downwind.Rule{Kind: kind, Provider: "aws", Component: component, Region: region, By: "@ana"}
	}
	cases := []struct {
		name  string
		stack *downwind.Stack
		rules []downwind.Rule
		want  string
		held  downwind.HoldReason
	}{
		{"no rule", east, nil, "yes", ""},
		{"not us", east, []downwind.Rule{rule(downwind.RuleNotUs, "", "")}, "no", downwind.HeldRule},
		{"not us in this region", east, []downwind.Rule{rule(downwind.RuleNotUs, "", "us-east-*")}, "no", downwind.HeldRule},
		{"not us in another region", east, []downwind.Rule{rule(downwind.RuleNotUs, "", "eu-*")}, "yes", ""},
		{"not us for this component", east, []downwind.Rule{rule(downwind.RuleNotUs, "Amazon SQS", "")}, "no", downwind.HeldRule},
		{"not us for another component", east, []downwind.Rule{rule(downwind.RuleNotUs, "Amazon S3", "")}, "yes", ""},
		{"dropped", east, []downwind.Rule{rule(downwind.RuleDrop, "", "")}, "no", downwind.HeldRule},
		{"dropped and added again", east, []downwind.Rule{rule(downwind.RuleDrop, "", ""), rule(downwind.RuleAdd, "", "")}, "yes", ""},
		{"region answered: here", open, []downwind.Rule{rule(downwind.RuleRegion, "", "us-east-2")}, "yes", ""},
		{"region answered: elsewhere", open, []downwind.Rule{rule(downwind.RuleRegion, "", "eu-west-1")}, "no", downwind.HeldRegion},
		{"rule of another provider", east, []downwind.Rule{{Kind: downwind.RuleNotUs, Provider: "stripe"}}, "yes", ""},
		{"added without files", &downwind.Stack{}, []downwind.Rule{rule(downwind.RuleAdd, "", ""), rule(downwind.RuleComponent, "Amazon SQS", ""), rule(downwind.RuleRegion, "", "us-east-2")}, "yes", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(inc, c.stack, c.rules, Known{})
			got := map[downwind.Verdict]string{downwind.AffectedSure: "yes", downwind.AffectedLikely: "yes", downwind.AffectedPossible: "possible", downwind.NotAffected: "no"}[m.Verdict]
			if got != c.want || m.Held != c.held {
				t.Errorf("got %s %q (%s), want %s %q", got, m.Held, m.WhyNot, c.want, c.held)
			}
		})
	}
}

// FuzzRead checks that no words of a provider make the reading or the judging panic, and that an answer always has a reason.
func FuzzRead(f *testing.F) {
	j := judge(f)
	f.Add("aws", "Errors in N. Virginia", "Requests in US-EAST-1 fail. Other regions are fine.", "Amazon SQS", "us-east-1")
	f.Add("livekit", "US Central/East calls", "Numbers of other carriers\nare not affected; * SIP — fails", "US East - SIP", "")
	f.Add("cloudflare", "Santiago", "(SCL)", "Santiago, Chile - (SCL)", "global")
	stack := stackOf("aws", downwind.Evidence{Kind: "tf_resource", Match: "aws_sqs_queue.q", Service: "sqs", Region: "us-east-1"}, downwind.Evidence{Kind: "model", Match: "anthropic.claude-x"})
	f.Fuzz(func(t *testing.T, provider, title, body, component, region string) {
		inc := incident(provider, title, body, []string{region}, component)
		r := j.Read(inc, Known{Components: inc.Components})
		for _, p := range []string{provider, "aws"} {
			stack.Providers[0].Provider = p
			m := r.Judge(stack, nil)
			if m.Affected == (m.WhyNot != "") || m.Affected == (m.Verdict == downwind.NotAffected) || !m.Affected && m.Held == "" {
				t.Fatalf("answer without reason: %+v", m)
			}
		}
	})
}
