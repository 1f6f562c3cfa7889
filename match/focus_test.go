package match

import (
	"slices"
	"testing"

	"downwind"
)

// TestWordsNarrowLists judges notices whose words speak of less than their lists of components.
func TestWordsNarrowLists(t *testing.T) {
	j := judge(t)
	ev := func(kind, match, service string) downwind.Evidence {
		return downwind.Evidence{Kind: kind, Match: match, Service: service, Relation: downwind.Hosted}
	}
	kv := stackOf("cloudflare", ev("config_file", "wrangler.toml", "workers"), ev("binding", "kv_namespaces", "workers-kv"))
	mail := stackOf("sendgrid", ev("domain", "smtp.sendgrid.net", ""))
	pay := stackOf("paypal", ev("npm", "@paypal/paypal-server-sdk", ""))
	try := stackOf("paypal", ev("npm", "@paypal/paypal-server-sdk", ""), ev("domain", "api-m.sandbox.paypal.com", ""))
	cases := []struct {
		name, provider, title, body string
		list                        []string
		stack                       *downwind.Stack
		want                        []string // nil: not affected
	}{
		{"title names one of two products, the other is used", "cloudflare", "R2 object reads failing", "Reading objects fails.", []string{"R2", "Workers KV"}, kv, nil},
		{"title names the one that is used", "cloudflare", "Workers KV reads failing", "Reads fail.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"words add the neighbour", "cloudflare", "R2 object reads failing", "Reads from Workers KV fail as well.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"several products are more than the title names", "cloudflare", "R2 and other products failing", "Reads fail.", []string{"R2", "Workers KV"}, kv, []string{"Workers KV"}},
		{"two names of one service, one cleared", "sendgrid", "SMTP hand-over slow", "Messages wait. The Web API is not affected.", []string{"SMTP", "Web API"}, mail, []string{"SMTP"}},
		{"sandbox only, production cleared", "paypal", "Payments in the sandbox time out", "Calls to the sandbox time out. Production is not affected.", []string{"Payments"}, pay, nil},
		{"sandbox only, and the files name it", "paypal", "Payments in the sandbox time out", "Calls to the sandbox time out. Production is not affected.", []string{"Payments"}, try, []string{"Payments"}},
		{"sandbox beside production", "paypal", "Payments time out", "Calls to the sandbox and to production time out.", []string{"Payments"}, pay, []string{"Payments"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := j.Match(incident(c.provider, c.title, c.body, nil, c.list...), c.stack, nil, Known{})
			if m.Affected != (c.want != nil) || !slices.Equal(m.Components, c.want) {
				t.Errorf("got %s %q (held %q: %s), want %q", m.Verdict, m.Components, m.Held, m.WhyNot, c.want)
			}
		})
	}
}
