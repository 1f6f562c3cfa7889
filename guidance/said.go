package guidance

import (
	"strings"

	"downwind"
)

// phraseTable files the phrases that the reader looks for, by what they say. All are lower case and begin with a whole word.
var phraseTable = [...]struct {
	kind phraseKind
	list []string
}{
	// what a provider tells its customers to do
	{saysAsk, []string{
		"we recommend", "we advise", "we suggest", "we encourage", "please retry", "please try", "please use", "please upgrade", "please update to", "please restart", "please switch", "please consider", "please redeploy", "please re-run", "please reconnect", "please refresh",
		"customers should", "users should", "customers can", "users can", "customers may need to", "users may need to", "you should", "you can", "you may need", "you will need", "customers are advised", "users are advised", "customers are encouraged",
		"customers need to", "customers must", "users must", "you must", "retrying", "reconnecting will", "restarting", "workaround", "to work around", "safely resume", "safely disregard", "safely disregarded", "safely ignore", "safely ignored", "safely be",
		"consider alternate", "recommend replacing", "can be restored by", "should be retried", "may be retried", "can be retried", "need to be re-run", "re-run", "rerun", "resubmit", "re-submit", "continue working by", "will restore access", "upgrade to",
		"please repeat", "please re-upload", "please regenerate", "please check", "please clear", "please log in", "please reload", "please resend", "please re-send", "please start", "please verify", "please make sure", "please ensure", "please download", "please replace", "please rotate",
		"need to be repeated", "needs to be repeated", "need to be re-triggered", "have to be started again", "have to be repeated", "should be repeated", "can be safely retried", "can safely be retried", "can be repeated",
		"leave and rejoin", "tell if you were affected", "end the range", "manually trigger", "redeploy", "recommended deploying",
	}},
	// what looks like it and asks for nothing
	{saysHollow, []string{
		"contact support", "support ticket", "reach out", "support team", "open a ticket", "open a support", "subscribe", "apologize", "apologise", "apologies", "apology", "customers can expect", "users can expect", "we will", "contact us", "support case", "users can now", "customers can now", "you can now", "you can expect",
		"please contact", "please bear", "please accept", "let us know", "please check our", "please check back", "please check the status",
		"status page", "more details", "tracking id", "for details", "we are adding", "we are working to", "users should no longer", "customers should no longer", "should be able to", "users should not", "customers should not", "should now", "users should see", "customers should see",
	}},
	{saysQuoted, []string{"error message", "service unavailable"}},
	{saysNone, []string{
		"no action is required", "no action is needed", "no action required", "no action needed", "no action necessary", "no action is necessary", "no action from", "no action on your", "no further action", "no customer action", "no user action", "no additional action", "no additional actions", "no actions are required",
		"need not do anything", "don't need to do anything", "do not need to do anything", "nothing needs to be done", "no need to do anything", "nothing to do on your", "not require any action", "no steps are needed", "no action by",
		"not need to take any", "need to take any action", "not need to do anything", "no intervention is", "without any action", "nothing for you to do",
	}},
	{saysLossDenied, []string{
		"no data loss", "no data was lost", "no data has been lost", "no data is being lost", "no data lost", "no data is lost", "no data will be lost", "no log data has been lost", "without data loss", "no indication of data loss", "no loss of data", "not resulted in data loss", "no evidence of data loss",
		"no missing data", "no data went missing", "no data should be lost", "no data loss", "there was no data loss", "nothing was lost", "no work was lost", "no messages have been lost", "no events have been lost", "no emails were lost", "no mail was lost", "no customer data was affected",
		"no customer data was lost", "no customer data has been lost", "no messages were lost", "no events were lost", "data is not lost", "was not lost", "no log data",
	}},
	{saysLossHeld, []string{
		"will be backfilled", "are being backfilled", "been backfilled", "is being backfilled", "were backfilled", "been reprocessed", "being reprocessed", "were reprocessed", "will be reprocessed", "will be delivered", "delivered in a burst", "have been delivered", "been recovered", "changes queued", "backfilling historical", "have been replayed", "will be replayed", "have since been sent", "have since been delivered", "have since been processed", "have all been sent", "has since been delivered", "were delivered later", "were delivered afterwards", "have been synced", "will be resent", "will be re-sent", "were retried by",
	}},
	{saysLossMaybe, []string{"may have been lost", "possible data loss", "potential data loss", "may be lost", "may be missing", "might be missing", "some gaps may remain", "may have lost", "could have been lost", "missing usage data", "might have been lost", "might be lost", "may have been corrupted", "may have been dropped", "may be incomplete", "could be missing", "might be incomplete"}},
	{saysLossStated, []string{
		"unrecoverable", "cannot be recovered", "can not be recovered", "could not be recovered", "permanently lost", "permanent data loss", "were dropped and", "was not saved", "were not saved", "was not delivered", "not be recovered", "data loss occurred", "media was not written", "were lost", "was lost", "have been lost", "would have been dropped",
		"can't be recovered", "can't be restored", "cannot be restored", "could not be restored", "are lost", "is lost", "were discarded", "was discarded", "were not stored", "will not be delivered", "will not be retried", "will not be sent",
		"ended prematurely", "were not recorded", "not recoverable", "intermittently not delivered", "terminated before completion",
	}},
	{saysLate, []string{
		"backlog", "backlogs", "backlogged", "backfill", "backfilled", "backfilling", "backfills", "in a burst", "queued webhooks", "queued internally", "catching up", "catch up", "late data", "are delayed", "will arrive", "delayed delivery", "delivered late", "sent all at once", "still being processed", "begin to deliver", "out of order",
	}},
	{saysNoLate, []string{"we are working to", "sudden release", "we are adding"}},
	{saysPlanned, []string{"will undergo", "scheduled maintenance", "planned maintenance", "will be performing", "will perform", "maintenance window", "will be carrying out", "will be conducting", "will carry out", "will conduct", "going to carry out", "going to perform", "going to conduct", "upcoming maintenance", "maintenance is scheduled", "maintenance is planned", "maintenance has been scheduled", "maintenance is expected", "ongoing maintenance", "maintenance, which started", "maintenance will", "will upgrade", "will migrate", "will be upgrading", "will be migrating", "for maintenance", "for planned", "for scheduled", "planned works", "planned work", "scheduled work", "planned downtime", "scheduled downtime", "planned outage", "planned upgrade", "we're upgrading", "we are upgrading", "we'll be upgrading", "will reboot", "will be rebooting", "will be rebooted", "will be taken offline", "will be offline", "downtime will"}},
	{saysUnplanned, []string{
		"due to a scheduled", "following a routine", "routine maintenance operation", "during a routine", "during planned", "during scheduled", "after a planned", "after a scheduled", "due to a planned", "caused by", "result of",
	}},
	{saysMaintenance, []string{"maintenance", "planned works", "planned work", "scheduled work", "planned downtime", "scheduled downtime", "will reboot", "will be rebooting", "will be rebooted", "will be taken offline", "downtime will"}},
	{saysPast, []string{"was", "were", "has been", "have been", "ran", "went"}},
	{saysAhead, []string{"will", "we'll", "is planned", "is scheduled", "are planned", "scheduled for", "going to", "expected", "expect"}},
	{saysMaintDone, []string{"has been completed", "maintenance is complete", "completed successfully", "was completed", "were completed", "is now complete", "maintenance complete", "maintenance is over", "maintenance has ended", "took longer", "completed on time"}},
	{saysMaintNow, []string{"in progress", "has begun", "underway", "has started"}},
	{saysReview, []string{"root cause", "postmortem", "post-mortem", "post incident review", "incident report", "corrective actions", "summary", "timeline"}},
	{saysResolved, []string{
		"has been resolved", "been resolved", "is resolved", "was resolved", "is now resolved", "have been resolved", "fully resolved", "now resolved", "fully recovered", "been fully restored", "has recovered", "resolved the issue", "been mitigated",
	}},
	{saysMonitoring, []string{"monitoring", "fix has been", "fix was", "recovering", "back to normal", "returned to normal", "returning to normal"}},
	{saysIdentified, []string{"identified", "working on a fix", "implementing a fix", "root cause"}},
	{saysInvestigating, []string{"investigating", "investigate", "looking into", "aware of"}},
	{saysSpared, []string{
		"unaffected", "unimpacted", "not affected", "not impacted", "not been affected", "not been impacted", "not affect", "not impact", "no impact", "not interrupted", "t affected", "t impacted", "without impact", "not have been affected", "not directly affected",
	}},
	{saysElsewhere, []string{"other regions", "another region", "nearby regions", "healthy region", "routing away"}},
	{saysTimeout, []string{"timeout", "timeouts"}},
	{saysGaveUp, []string{"shorter than", "gave up", "timed out"}},
	{saysTransfer, []string{"transfer", "transfers", "transferred", "transferring", "transfersipparticipant"}},
	{saysDispatch, []string{"dispatch", "dispatches", "dispatched", "dispatching"}},
	{saysAgent, []string{"agent", "agents"}},
	{saysSDK, []string{"sdk", "sdks"}},
	{saysRetried, []string{"retry", "retries", "retried", "retrying"}},
	{saysDropped, []string{"not delivered", "never delivered", "dropped", "unrecoverable"}},
	{saysDashboardOnly, []string{"limited to the dashboard", "limited to the console", "services remain unaffected", "services were unaffected", "services are unaffected", "cli access were not affected", "user-facing services"}},
}

var commonProducts = []string{"API", "Dashboard", "SIP", "Egress", "Ingress", "Webhooks", "Authentication", "SSO", "Actions", "Codespaces", "Pages", "Copilot", "Pull Requests", "DNS", "CDN", "SMS", "Voice", "Builds", "Deployments", "Metrics", "Logs", "Console", "Registry", "Storage"}

// maxActions bounds how many of the provider's instructions are repeated, and maxActionLen how long each may be.
const (
	maxActions   = 4
	maxActionLen = 240
)

// actions reads the provider's own instructions.
func (r *reader) actions() (out []downwind.Action, none bool) {
	for i := range r.sentences {
		s := &r.sentences[i]
		if s.phrases&saysNone != 0 {
			none = true
			continue
		}
		if len(out) < maxActions && s.phrases&saysAsk != 0 && s.phrases&(saysHollow|saysQuoted) == 0 {
			out = append(out, downwind.Action{Text: cut(r.text[s.from:s.to], maxActionLen), Source: "provider"})
		}
	}
	return out, none && len(out) == 0
}

// singleSpaced puts one blank for each run of blanks and line ends, and none around the text.
func singleSpaced(s string) string {
	prev := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || c < ' ' || c == ' ' && prev == ' ' {
			return strings.Join(strings.Fields(s), " ")
		}
		prev = c
	}
	return strings.TrimSuffix(s, " ") // as it was, in most texts
}

// cut shortens provider text to n bytes at a word, with an ellipsis.
func cut(s string, n int) string {
	if len(s) > 4*n {
		s = s[:4*n]
	}
	s = singleSpaced(s)
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

// dataLoss reads what a text says of lost data.
func (r *reader) dataLoss() string {
	switch k := r.said; {
	case k&saysLossDenied != 0:
		return lossNone
	case k&saysLossStated != 0:
		return lossYes
	case k&saysLossMaybe != 0:
		return lossPossible
	case k&saysLossHeld != 0:
		return lossNone
	}
	return ""
}

// delayed collects the sentences on what arrives after the impact.
func (r *reader) delayed() []string {
	var out []string
	for i := range r.sentences {
		if s := &r.sentences[i]; len(out) < 3 && s.phrases&saysLate != 0 && s.phrases&saysNoLate == 0 {
			out = append(out, cut(r.text[s.from:s.to], maxActionLen))
		}
	}
	return out
}

// phase infers the phase of a post that does not carry one.
func (r *reader) phase(maintenance bool) downwind.Phase {
	k := r.said
	switch {
	case maintenance && (k&saysMaintDone != 0 || k&saysPast != 0 && k&saysAhead == 0):
		return downwind.Completed
	case maintenance && k&saysMaintNow != 0:
		return downwind.InProgress
	case maintenance:
		return downwind.Scheduled
	case len(r.text) > 900 && k&saysReview != 0:
		return downwind.Postmortem
	case k&saysResolved != 0:
		return downwind.Resolved
	case k&saysMonitoring != 0:
		return downwind.Monitoring
	case k&saysIdentified != 0:
		return downwind.Identified
	case k&saysInvestigating != 0:
		return downwind.Investigating
	}
	return downwind.PhaseUnknown
}

// planned reports whether a text announces work.
func (r *reader) planned(title string) bool {
	k := r.said
	if k&saysMaintenance == 0 && !strings.Contains(strings.ToLower(title), "maintenance") {
		return false
	}
	return (k&saysPlanned != 0 || r.opensWith("maintenance")) && k&saysUnplanned == 0
}

// opensWith reports whether a word is the first of the text: "MAINTENANCE NOTICE: …".
func (r *reader) opensWith(word string) bool { return len(r.words) > 0 && r.word(0) == word }
