package guidance

import (
	"math/bits"
	"slices"

	"downwind"
)

// cat is a set of categories, one bit each in the order of the advice table.
type cat uint16

var categoryOrder = [...]downwind.Category{
	downwind.CategoryAPIErrors, downwind.CategoryLatency, downwind.CategorySessions, downwind.CategoryCalls, downwind.CategoryRecordings, downwind.CategoryWebhooks,
	downwind.CategoryAuth, downwind.CategoryData, downwind.CategoryDashboard, downwind.CategoryDNS, downwind.CategoryBuilds, downwind.CategoryUpstream, downwind.CategoryMaintenance,
}

const (
	catAPI cat = 1 << iota
	catLatency
	catSessions
	catCalls
	catRecordings
	catWebhooks
	catAuth
	catData
	catDashboard
	catDNS
	catBuilds
	catUpstream
	catMaintenance
	catAll = 1<<iota - 1

	// halves of cues of two words
	cueFail    cat = 1 << 14 // failure words, which make "requests" API errors
	cueRequest cat = 1 << 15 // what can fail
)

// setOf makes a set of a list of categories.
func setOf(list []downwind.Category) cat {
	var set cat
	for _, c := range list {
		if i := slices.Index(categoryOrder[:], c); i >= 0 {
			set |= 1 << i
		}
	}
	return set
}

// buildCues returns the single words that speak for a category.
func buildCues() map[string]cat {
	m := map[string]cat{}
	put := func(c cat, words ...string) {
		for _, w := range words {
			m[w] |= c
		}
	}
	put(cueFail, "fail", "failed", "failing", "fails", "failure", "failures", "error", "errors", "unavailable", "elevated", "rejected", "timed", "timeouts", "timeout", "unable", "disrupted", "disruption", "outage", "degraded", "503s", "500s")
	put(cueRequest, "api", "apis", "request", "requests", "endpoint", "endpoints", "calls-api", "roomservice", "inference", "queries", "operations", "uploads", "graphql", "grpc")
	put(catAPI, "5xx", "503", "502", "500", "504", "408", "429", "503s", "500s")
	put(catLatency, "latency", "latencies", "slow", "slower", "slowness", "sluggish", "slowdown")
	put(catSessions, "participants", "participant", "reconnect", "reconnects", "reconnected", "disconnected", "disconnections", "disconnects", "disconnect", "sessions", "websocket", "websockets", "media", "rooms", "realtime", "real-time", "gateway")
	put(catCalls, "sip", "telephony", "inbound", "outbound", "carrier", "carriers", "pstn", "dtmf", "voice", "sms", "mms", "trunk", "trunks", "dial", "calls")
	put(catRecordings, "egress", "recording", "recordings", "hls", "transcripts", "exports")
	put(catWebhooks, "webhook", "webhooks", "callback", "callbacks", "queued")
	put(catAuth, "authentication", "login", "logins", "sso", "saml", "401", "oauth", "authenticate", "authenticating", "sign-in", "sign-ins", "signin", "mfa", "2fa", "authorization", "token", "tokens")
	put(catData, "ingestion", "ingest", "analytics", "backfill", "backfilled", "backfilling", "metrics", "telemetry", "billing", "usage", "insights", "reporting", "reports-data", "logs", "traces", "pipeline", "pipelines")
	put(catDashboard, "dashboard", "dashboards", "console", "portal", "ui", "admin")
	put(catDNS, "dns", "nameserver", "nameservers", "resolver", "certificate", "certificates", "bgp", "cdn")
	put(catBuilds, "build", "builds", "deployments", "deploys", "builder", "builders", "runners", "runner", "registry", "workflow", "workflows", "scale-up", "autoscaling", "provisioning", "ci")
	put(catUpstream, "upstream", "third-party", "aws", "gcp", "azure", "downstream")
	put(catMaintenance, "maintenance")
	return m
}

// categories reads the categories of a text, sentence by sentence: what a sentence calls unaffected does not count.
func (r *reader) categories(title *reader, maintenance bool) []downwind.Category {
	votes := [13]int{}
	r.vote(&votes)
	if title != nil {
		title.vote(&votes)
		title.vote(&votes)
	}
	if maintenance {
		votes[12] += 2
	}
	// in a long text one word in passing is no subject
	var out []downwind.Category
	most := slices.Max(votes[:])
	for i, n := range votes {
		need := 1
		if most >= 6 {
			need = 2
		}
		if i == 12 && !maintenance {
			need = 2
		}
		if n >= need {
			out = append(out, categoryOrder[i])
		}
	}
	return out
}

// vote counts the cues of each sentence.
func (r *reader) vote(votes *[13]int) {
	for k := range r.sentences {
		s := &r.sentences[k]
		here := s.cues
		if s.spared || here == 0 {
			continue
		}
		if here&cueFail != 0 && here&cueRequest != 0 {
			here |= catAPI
		}
		for set := here & catAll; set != 0; set &= set - 1 {
			votes[bits.TrailingZeros16(uint16(set))]++
		}
	}
}
