package match

import "testing"

func TestToneOf(t *testing.T) {
	cases := map[tone][]string{
		failing: {
			"api requests for all models fail more often", "logins for tenants in eu environments fail intermittently", "events are processed with delays",
			"error rates for the small model are up", "webhooks remain delayed", "calls continue to fail", "messages are delivered late", "the dashboard does not load",
			"jobs wait long for hosted agents", "we continue to see errors in frankfurt", "new deployments are pending", "some requests time out", "customers may be unable to sign in",
			"us central is affected", "replays appear late", "builds are not starting", "uploads are not working for customers in europe",
		},
		spared: {
			"clusters are not affected", "other regions are operating normally", "running agents keep serving", "logins work", "published sites are served",
			"the registry is fine", "existing credentials and sign-in kept working", "numbers from other carriers were not affected", "cached and proxied traffic is served normally",
			"us central was not affected", "installs work", "running pods continue", "sessions and calls went on", "there is no impact on payments", "the incident does not affect the api",
			"all other services remain operational", "calls stayed connected", "running applications continue to serve traffic", "existing workloads are unaffected",
		},
		recovered: {
			"all listed services are back to normal", "connectivity was restored at 23:58 utc", "calls and apis have been operating normally since 23:58 utc", "builds succeed again",
			"the region is operating normally again", "service has recovered",
		},
		neutral: {
			"we continue to work on a fix", "we are continuing to monitor", "we will post another update in 30 minutes", "the team is engaged", "traffic was moved away from hyderabad to other regions",
		},
	}
	for want, texts := range cases {
		for _, s := range texts {
			t.Run(s, func(t *testing.T) {
				low := lowered(s)
				if got := toneOf(&low); got != want {
					t.Errorf("got %d, want %d", got, want)
				}
			})
		}
	}
}
