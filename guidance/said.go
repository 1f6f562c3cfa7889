package guidance

import (
	"strings"

	"downwind"
)

// A sentence is a stretch of a text, trimmed.
type sentence struct {
	from, to int
	lower    string
}

// sentences cuts the text at stops, line ends and list marks.
func (r *reader) sentences() []sentence {
	var out []sentence
	if len(r.words) == 0 {
		return out
	}
	low := string(r.lower)
	start := int(r.words[0].from)
	for i := range r.words {
		if !r.endsSentence(i) {
			continue
		}
		to := int(r.words[i].to)
		end := to
		for end < len(r.text) && end < to+3 && strings.IndexByte(".!?\")", r.text[end]) >= 0 {
			end++
		}
		out = append(out, sentence{start, end, low[start:to]})
		if i+1 < len(r.words) {
			start = int(r.words[i+1].from)
		}
	}
	return out
}

// asks are the phrases in which a provider tells its customers what to do.
var asks = []string{
	"we recommend", "we advise", "we suggest", "we encourage", "please retry", "please re-", "please use", "please upgrade", "please update to", "please restart", "please switch", "please consider",
	"customers should", "users should", "customers can", "users can", "customers may need to", "users may need to", "you should", "you can", "you may need", "you will need", "customers are advised", "users are advised",
	"customers need to", "customers must", "users must", "you must", "retrying ", "reconnecting will", "restarting ", "as a workaround", "workaround", "to work around", "safely resume", "safely disregard", "safely ignore", "safely be ",
	"restart self-hosted", "consider alternate", "for immediate recovery", "can be restored by", "should be retried", "may be retried", "re-run", "rerun the", "resubmit", "re-submit", "could continue working by", "will restore access", "upgrade to ", "leave and rejoin", "how to tell if you were affected",
}

// hollow are phrases that ask for nothing: support, subscriptions, apologies.
var hollow = []string{"contact support", "support ticket", "reach out", "support team", "open a ticket", "open a support", "subscribe", "apologi", "customers can expect", "we will", "contact us", "case with", "users can now", "customers can now", "you can expect", "status page", "more details", "tracking id", "for details"}

// nothingToDo are the phrases with which a provider says that nothing is needed.
var nothingToDo = []string{"no action is required", "no action is needed", "no action required", "no action needed", "no further action", "no customer action", "no user action", "no additional action", "do not need to take any", "don't need to take any", "not need to do anything", "no actions are required", "no intervention is", "do not need to do anything", "no action from", "no action on your", "no action necessary", "no action is necessary", "without any action"}

// maxActions bounds how many of the provider's instructions are repeated, and maxActionLen how long each may be.
const (
	maxActions   = 4
	maxActionLen = 240
)

// actions reads the provider's own instructions.
func actions(r *reader, ss []sentence) (out []downwind.Action, none bool) {
	for _, s := range ss {
		if containsAny(s.lower, nothingToDo) {
			none = true
			continue
		}
		if len(out) >= maxActions || !containsAny(s.lower, asks) || containsAny(s.lower, hollow) || strings.Contains(s.lower, "error message") {
			continue
		}
		out = append(out, downwind.Action{Text: cut(r.text[s.from:s.to], maxActionLen), Source: "provider"})
	}
	return out, none && len(out) == 0
}

func containsAny(s string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// cut shortens provider text to n bytes at a word, with an ellipsis.
func cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	k := strings.LastIndexByte(s[:n], ' ')
	if k < n/2 {
		k = n
		for k > 0 && s[k]&0xc0 == 0x80 {
			k--
		}
	}
	return s[:k] + " …"
}

// Words on data loss, strongest first.
const (
	lossYes      = "yes"
	lossPossible = "possible"
	lossNone     = "none claimed"
)

var (
	lossDenied = []string{"no data loss", "no data was lost", "no data has been lost", "no data is being lost", "no data lost", "no log data has been lost", "without data loss", "no indication of data loss", "no loss of data", "no data is lost", "not resulted in data loss", "no evidence of data loss", "no customer data was lost", "no messages were lost", "no events were lost", "data is not lost", "no data will be lost"}
	lossHeld   = []string{"will be backfilled", "are being backfilled", "been backfilled", "is being backfilled", "were backfilled", "been reprocessed", "being reprocessed", "were reprocessed", "will be reprocessed", "will be delivered", "were delivered in a burst", "have been delivered", "been recovered", "queued changes", "have been recovered", "backfilling historical"}
	lossMaybe  = []string{"may have been lost", "possible data loss", "potential data loss", "may be lost", "may be missing", "might be missing", "some gaps may remain", "may have lost", "could have been lost", "missing usage data"}
	lossStated = []string{"unrecoverable", "cannot be recovered", "can not be recovered", "could not be recovered", "permanently lost", "permanent data loss", "were dropped and", "was not saved correctly", "were not saved", "was not delivered", "not be recovered", "data loss occurred", "media was not written", "were lost", "was lost", "have been lost", "would have been dropped", "ended prematurely", "were not recorded", "not recoverable", "intermittently not delivered", "terminated before completion"}
)

// dataLoss reads what a text says of lost data.
func dataLoss(ss []sentence) string {
	out := ""
	for _, s := range ss {
		switch {
		case containsAny(s.lower, lossDenied):
			out = lossNone
			return out
		case containsAny(s.lower, lossStated):
			out = lossYes
		case out != lossYes && containsAny(s.lower, lossMaybe):
			out = lossPossible
		case out == "" && containsAny(s.lower, lossHeld):
			out = lossNone
		}
	}
	return out
}

var late = []string{"backlog", "backfill", "in a burst", "queued webhooks", "queued internally", "catching up", "catch up", "late data", "are delayed", "will arrive", "delayed delivery", "delivered late", "sent all at once", "still being processed", "continue to process", "begin to deliver", "out of order"}

// delayedEffects collects the sentences on what arrives after the impact.
func delayedEffects(r *reader, ss []sentence) []string {
	var out []string
	for _, s := range ss {
		if len(out) < 3 && containsAny(s.lower, late) && !strings.Contains(s.lower, "we are working to") && !strings.Contains(s.lower, "sudden release") {
			out = append(out, cut(r.text[s.from:s.to], maxActionLen))
		}
	}
	return out
}

// phaseOf infers the phase of a post that does not carry one.
func phaseOf(low string, maintenance bool) downwind.Phase {
	has := func(words ...string) bool { return containsAny(low, words) }
	switch {
	case maintenance && has("has been completed", "maintenance is complete", "completed successfully"):
		return downwind.Completed
	case maintenance && has("in progress", "has begun", "underway"):
		return downwind.InProgress
	case maintenance:
		return downwind.Scheduled
	case len(low) > 900 && has("root cause", "postmortem", "post-mortem", "post incident review", "incident report", "corrective actions", "summary"):
		return downwind.Postmortem
	case has("has been resolved", "been resolved", "is resolved", "was resolved", "incident has been", "is now resolved", "have been resolved", "is fully resolved", "now resolved", "fully recovered"):
		return downwind.Resolved
	case has("monitoring", "fix has been", "fix was deployed", "recovering", "back to normal", "returned to normal", "returning to normal"):
		return downwind.Monitoring
	case has("identified", "working on a fix", "implementing a fix", "root cause"):
		return downwind.Identified
	case has("investigat", "looking into", "aware of"):
		return downwind.Investigating
	}
	return downwind.PhaseUnknown
}
