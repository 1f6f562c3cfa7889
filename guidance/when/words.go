package when

import (
	"strings"
	"sync"

	"downwind/internal/lexicon"
)

// class is a set of word classes: what a word says about the time beside it.
type class uint32

const (
	cRecov   class = 1 << iota // the trouble is over: recovered, cleared, back to normal
	cWeakRec                   // somebody says so: resolved, fixed, mitigated
	cOnset                     // something begins
	cBad                       // trouble: errors, outage, delays
	cWork                      // what the provider did: deployed, identified, escalated
	cFuture                    // will, expect, planned
	cUpdate                    // the next post
	cPart                      // only in part: majority, signs of, improvement
	cNeg                       // no, not, without
	cApprox                    // about, around
	cRange                     // to, until, through
	cOpen                      // between, from
	cPrep                      // at, on, by
	cChange                    // what a provider rolls out: change, deployment, maintenance
	cSeen                      // observed, noticed, detected, alerted
	cEvent                     // the noun of a whole impact: incident, outage, issue, problem
	cEnd                       // ended, ends, until
	cMaint                     // maintenance
	cMade                      // created, sent, uploaded, ended: objects of a period
	cPeak                      // peak, worst
	cMonitor                   // monitoring
	cProbe                     // investigating, aware
	cHead                      // the words of headings
	cNow                       // currently, still
	cWait                      // paused, delayed by
	cPlace                     // region words kept apart by the scope reader
	cTrue                      // fully, completely, all
	cCause                     // resulted in, caused
)

// word is one of the vocabulary: an id to compare and its classes.
type word struct {
	id wid
	// lead says that a phrase may begin with it, which only then is looked at.
	lead bool
	c    class
}

type wid uint16

// The words that rules name one by one.
const (
	wNone wid = iota
	wTo
	wUntil
	wThrough
	wAnd
	wBetween
	wFrom
	wAt
	wOn
	wBy
	wAs
	wOf
	wSince
	wAfter
	wBefore
	wThe
	wStart
	wEnd
	wBegin
	wFor
	wAll
	wTimes
	wTime
	wIn
	wNext
	wWithin
	wOr
	wEvery
	wToday
	wYesterday
	wTomorrow
	wEarlier
	wMorning
	wAfternoon
	wEvening
	wNight
	wTonight
	wNoon
	wMidnight
	wThis
	wLast
	wDay
	wPrevious
	wSame
	wLate
	wEarly
	wImpact
	wSummary
	wTimeline
	wRoot
	wCause
	wResolution
	wMitigation
	wDetection
	wPrevention
	wCorrective
	wWhat
	wHow
	wIncident
	wAgain
	wLater
	wOther
	wLasted
	wDuration
	wWindow
	wStandard
	wDaylight
	wBack
	wReturn
	wNormal
	wBaseline
	wMost
	wUp
	wShortly
	wLong
	wAnother
	wA
	wWas
	wWere
	wHas
	wHad
	wBeen
	wBut
	wWhile
	wWhen
	wWhich
	wThat
	wExcept
	wMonday
	wTuesday
	wWednesday
	wThursday
	wFriday
	wSaturday
	wSunday
	wAm
	wPm
	wOnline
	wUnder
	wLess
	wHalf
	wBackfill
	wQueued  // queued, pending, held: what waits and is delivered later
	wDrained // drained, worked off
	wOnwards
	wDue
	wNo
	wFurther
	wDegraded
	wOutage
	wFull
	wPast
	wLocal
	wRecurs // reappeared, recurred: trouble that had been over
	wEases  // "started to decline": less trouble, and no end of it
)

// An entry is all that one word can be: a word of the rules, a zone, a place before "time", a month, a unit of length.
type entry struct {
	w     word
	known bool
	z     zone
	zoned bool // an abbreviation or name of a zone
	place bool // a zone only before "time"
	month uint8
	unit  int32 // seconds
}

// allWords holds every word that some rule looks at; all others are only "a word".
var allWords = sync.OnceValue(func() *lexicon.Table[entry] { return lexicon.New(buildLexicon()) })

// unknown is what is known of a word that no rule looks at.
var unknown entry

func buildLexicon() map[string]entry {
	out := make(map[string]entry, 1000)
	for s, w := range buildVocabulary() {
		out[s] = entry{w: w, known: true}
	}
	for s := range zonePlaces() {
		first, _, _ := strings.Cut(s, " ")
		e := out[first]
		e.place = true
		out[first] = e
	}
	for s, z := range zoneNames() {
		e := out[s]
		e.z, e.zoned = z, true
		out[s] = e
	}
	for i, name := range monthNames {
		forms := []string{name, name[:3]}
		if len(name) > 3 && (i == 5 || i == 6 || i == 8) {
			forms = append(forms, name[:4])
		}
		for _, s := range forms {
			e := out[s]
			e.month = uint8(i + 1)
			out[s] = e
		}
	}
	for s, u := range units() {
		e := out[s]
		e.unit = int32(u)
		out[s] = e
	}
	return out
}

func buildVocabulary() map[string]word {
	v := make(map[string]word, 700)
	id := func(w wid, c class, names ...string) {
		for _, n := range names {
			if w == wNone {
				v[n] = word{id: v[n].id, c: v[n].c | c}
				continue
			}
			v[n] = word{id: w, c: v[n].c | c}
		}
	}
	id(wTo, cRange, "to")
	id(wUntil, cRange|cEnd, "until", "till", "til")
	id(wThrough, cRange, "through", "thru")
	id(wAnd, 0, "and")
	id(wBetween, cOpen, "between")
	id(wFrom, cOpen, "from")
	id(wAt, cPrep, "at")
	id(wOn, cPrep, "on")
	id(wBy, cPrep, "by")
	id(wAs, cPrep, "as")
	id(wOf, cPrep, "of")
	id(wSince, cPrep, "since")
	id(wAfter, cPrep, "after", "following")
	id(wBefore, cPrep, "before", "prior")
	id(wThe, 0, "the")
	id(wStart, cOnset, "start", "started", "starting", "starts", "commenced", "commencing", "onset")
	id(wBegin, cOnset, "begin", "began", "begins", "beginning", "begun")
	id(wEnd, cRecov|cEnd, "end", "ended", "ends", "ending", "ceased", "concluded", "stopped", "stoped")
	id(wFor, cPrep, "for")
	id(wAll, cTrue, "all")
	id(wTimes, 0, "times", "timestamps")
	id(wTime, 0, "time")
	id(wIn, cPrep, "in")
	id(wNext, cFuture, "next")
	id(wWithin, cPrep, "within")
	id(wOr, 0, "or")
	id(wEvery, 0, "every", "each", "per")
	id(wToday, 0, "today")
	id(wYesterday, 0, "yesterday")
	id(wTomorrow, cFuture, "tomorrow")
	id(wEarlier, 0, "earlier")
	id(wMorning, 0, "morning")
	id(wAfternoon, 0, "afternoon")
	id(wEvening, 0, "evening")
	id(wNight, 0, "night", "overnight")
	id(wTonight, 0, "tonight")
	id(wNoon, 0, "noon", "midday")
	id(wMidnight, 0, "midnight")
	id(wThis, 0, "this")
	id(wLast, 0, "last")
	id(wDay, 0, "day")
	id(wPrevious, 0, "previous", "prior")
	id(wSame, 0, "same")
	id(wLate, 0, "late")
	id(wEarly, 0, "early")
	id(wImpact, cBad|cEvent|cHead, "impact", "impacts")
	id(wSummary, cHead, "summary", "overview", "description", "background", "introduction")
	id(wTimeline, cHead, "timeline", "chronology")
	id(wRoot, cHead, "root", "contributing")
	id(wCause, cHead, "cause", "causes", "factors")
	id(wResolution, cHead, "resolution", "remediation", "recovery", "restoration")
	id(wMitigation, cHead|cWork, "mitigation", "mitigations", "workaround")
	id(wDetection, cHead, "detection")
	id(wPrevention, cHead, "prevention", "lessons", "improvements")
	id(wCorrective, cHead, "corrective", "preventive", "follow-up", "actions", "followup")
	id(wWhat, cHead, "what")
	id(wHow, cHead, "how")
	id(wIncident, cBad|cEvent|cHead, "incident", "incidents")
	id(wAgain, 0, "again")
	id(wLater, 0, "later", "subsequently")
	id(wOther, 0, "other")
	id(wLasted, 0, "lasted", "lasting", "persisted", "continued", "remained")
	id(wDuration, 0, "duration", "period", "total")
	id(wWindow, 0, "window", "windows")
	id(wStandard, 0, "standard")
	id(wDaylight, 0, "daylight")
	id(wBack, cRecov, "back")
	id(wReturn, cRecov, "return", "returned", "returning", "returns")
	id(wNormal, cRecov, "normal", "normally", "normalized", "normalised", "normalize", "normalise")
	id(wBaseline, cRecov, "baseline")
	id(wMost, cPart, "most", "majority", "largely", "mostly")
	id(wUp, 0, "up")
	id(wShortly, cApprox, "shortly", "just")
	id(wAnother, 0, "another")
	id(wA, 0, "a", "an")
	id(wWas, 0, "was", "is")
	id(wWere, 0, "were", "are")
	id(wHas, 0, "has", "have")
	id(wHad, 0, "had")
	id(wBeen, 0, "been")
	id(wBut, 0, "but", "however", "although", "though")
	id(wWhile, 0, "while", "whereas")
	id(wWhen, 0, "when")
	id(wWhich, 0, "which")
	id(wThat, 0, "that")
	id(wExcept, 0, "except")
	id(wMonday, 0, "monday", "mon")
	id(wTuesday, 0, "tuesday", "tue", "tues")
	id(wWednesday, 0, "wednesday", "wed")
	id(wThursday, 0, "thursday", "thu", "thur", "thurs")
	id(wFriday, 0, "friday", "fri")
	id(wSaturday, 0, "saturday", "sat")
	id(wSunday, 0, "sunday", "sun")
	id(wAm, 0, "am")
	id(wPm, 0, "pm")
	id(wOnline, 0, "online", "rotation")
	id(wUnder, 0, "under")
	id(wLess, 0, "less", "fewer")
	id(wHalf, 0, "half")
	id(wBackfill, 0, "backfill", "backfilled", "backfilling", "backfills", "backlog", "backlogs", "drain")
	id(wQueued, cBad, "queued", "enqueued", "deferred")
	id(wQueued, 0, "pending", "held", "buffered", "backlogged")
	id(wDrained, cWork, "drained", "draining")
	id(wOnwards, 0, "onwards", "onward")
	id(wDue, 0, "due")
	id(wNo, cNeg, "no")
	id(wFurther, 0, "further", "longer", "new", "additional")
	id(wDegraded, cBad, "degraded")
	id(wOutage, cBad, "outage", "outages", "downtime")
	id(wFull, cTrue, "full", "fully", "completely", "complete", "entirely")
	id(wPast, 0, "past")
	id(wLocal, 0, "local")
	id(wRecurs, cBad|cOnset, "reappeared", "recurred", "reoccurred", "resurfaced", "re-emerged", "reemerged")
	many := func(c class, names ...string) { id(wNone, c, names...) }
	many(cRecov, "recovered", "recovers", "recover", "restored", "cleared", "subsided", "stabilized", "stabilised", "stable", "healthy", "successful", "successfully",
		"succeeding", "succeed", "succeeded", "operational", "operating", "functional", "over", "nominal", "disappeared", "dropped-off", "reestablished", "re-established", "reconnected", "reachable", "clear", "stabilize", "gone", "good", "fine", "okay", "ok", "functioning", "resumed", "resume", "resuming", "resumes", "green", "regain", "regained", "regaining", "caught-up", "up-to-date", "responsive", "quiet")
	many(cWeakRec, "all-clear")
	many(cWeakRec, "resolved", "resolves", "fixed", "mitigated", "remediated", "corrected", "resolve", "completed", "repaired", "addressed", "rectified", "eliminated", "renewed", "patched", "closed", "resolving", "solved")
	many(cBad, "errors", "error", "failed", "failing", "failure", "failures", "fail", "fails", "degradation", "degrade", "unavailable", "unavailability", "unable", "elevated", "increased", "increase", "spike", "spikes",
		"slow", "slower", "slowness", "sluggish", "latency", "latencies", "delay", "delays", "delayed", "impacted", "impacting", "affected", "affecting", "affects", "affect", "experienced", "experience", "experiencing", "disruption", "disruptions", "disrupted",
		"timeouts", "timeout", "timing", "timed", "dropped", "drops", "down", "disconnected", "disconnections", "disconnects", "stuck", "lost", "loss", "missing", "missed", "intermittent", "intermittently", "inaccessible",
		"unreachable", "interrupted", "interruption", "interruptions", "instability", "trouble", "difficulties", "difficulty", "rejected", "inaccurate", "incorrect", "incorrectly", "stale", "crashed", "crash", "unresponsive", "outage", "reduced",
		"offline", "broken", "problems", "issues", "connectivity", "congestion", "queueing", "fault", "faults", "5xx", "4xx", "denied", "poor", "anomaly", "anomalies", "instances", "event", "wave", "waves", "terminated", "inconsistent", "duplicate", "duplicated", "high", "higher", "unusual", "not-loading", "erroneous", "invalid", "outdated", "impaired", "impairment", "impairments", "blocked", "unstable", "cannot", "unsuccessful", "couldn", "dark", "pile", "piling", "stalled", "stalling", "hung", "overloaded", "exhausted", "saturated", "throttled", "malfunctioned", "regressed", "regression", "refused", "prevented", "preventing",
		"crashing", "crashes", "flap", "flaps", "flapping", "flapped", "bounce", "bounces", "bounced", "bouncing", "reject", "rejecting", "rejects", "hang", "hangs", "hanging", "froze", "frozen", "freezing", "empty", "blank", "incomplete", "wrong", "corrupt", "corrupted", "corruption",
		"read-only", "dead", "died", "blip", "blips", "hiccup", "glitch", "glitches", "dip", "dips", "dropping", "gap", "gaps", "overload", "starvation", "brownout", "blackout", "broke", "breaks", "breaking", "vanished", "misrouted", "unhealthy", "flaky", "symptom", "symptoms", "breached", "lag", "lagging", "lagged",
		"losing", "lose", "loses", "disconnecting", "deregistered", "deregistering", "rose", "risen", "climbed", "climbing", "jumped", "spiked", "surged", "soared", "complaints", "complaining", "skipped", "undelivered", "unprocessed", "unsent", "unusable", "inoperable", "non-functional", "out-of-service",
		"halted", "expired", "stalls", "strained", "worsened", "worsening", "garbled", "choppy", "jitter", "unanswered", "busy", "red", "blackholed", "blocking", "misconfigured", "faulty", "locked", "killed", "evicted", "discarded", "unreliable", "unplayable", "distorted", "flooded", "misbehaving", "oom", "outages", "throttling", "notready", "inadvertently", "accidentally", "mistakenly", "erroneously", "accidental", "unschedulable", "waited")
	many(cBad|cEvent, "bug", "issue", "problem", "disturbance", "event")
	many(cWork, "deployed", "deploy", "deploying", "rolled", "rolling", "reverted", "revert", "rollback", "identified", "escalated", "escalation", "paged", "alert", "alerts", "applied", "pushed", "merged", "rerouted", "re-routed", "routed",
		"suspended", "shifted", "redirected", "implemented", "enabled", "re-enabled", "enable", "removed", "replaced", "restarted", "restart", "restarting", "disabled", "scaled", "introduced", "released", "traffic", "engaged", "declared", "confirmed", "published", "posted", "notified", "triggered", "tracked", "determined", "pinpointed", "traced", "narrowed", "mitigate", "mitigates", "shipped", "tested", "verified", "opened", "notice", "found", "discovered", "isolated", "failover", "initiated", "processed", "notifying", "rolls", "roll", "confirms", "executed", "notify", "triage", "mitigating", "reboot", "rebooting", "rebooted", "rotated", "flushed", "purged", "switched")
	many(cChange, "change", "changes", "deployment", "deployments", "rollout", "roll-out", "release", "configuration", "upgrade", "migration", "update-rollout", "backup", "maintenance", "code", "patch", "rollback", "operation", "script", "fix", "hotfix", "investigation")
	many(cFuture, "will", "ll", "expect", "expected", "expects", "eta", "estimate", "estimated", "estimates", "anticipate", "anticipated", "plan", "planned", "planning", "scheduled", "schedule", "should", "hope", "aim", "target", "targeting", "going", "upcoming", "anticipating", "tentatively", "projected")
	many(cUpdate, "update", "updates", "information", "details")
	many(cPart, "partial", "partially", "some", "improvement", "improve", "improved", "improving", "signs", "initial", "subset", "progressively", "gradually", "decline", "declined", "decrease", "decreased", "subside", "significant", "several", "gradual", "trending", "recovering", "first", "initially")
	many(cNeg, "not", "never", "without", "none", "nor", "didn", "don", "doesn", "wasn", "weren", "isn", "hasn", "haven", "hadn", "zero", "neither", "nobody")
	many(cApprox, "approximately", "approx", "around", "about", "roughly", "circa", "ca", "nearly", "approximate", "estimated-at", "near", "almost")
	many(cSeen, "observed", "noticed", "detected", "alerted", "alarms", "alarm", "reports", "reported", "seeing", "seen", "saw", "see", "observing", "monitors", "paging", "observe", "encountered", "encountering", "encounter", "received", "receive", "receiving", "noticing", "occurred", "occurring")
	many(cMaint, "maintenance", "upgrade", "migration")
	many(cMade, "created", "sent", "uploaded", "submitted", "generated", "scheduled-for", "published", "processed", "recorded", "placed", "logged", "delivered", "signed", "changed", "ordered", "registered", "requested", "purchased")
	many(cPeak, "peak", "peaked", "peaks", "peaking", "worst", "highest", "concentrated", "acute", "acutely", "severe", "heaviest", "below")
	many(cMonitor, "monitoring", "monitored", "monitor", "watching")
	many(cProbe, "investigating", "investigate", "aware", "looking", "investigation", "became")
	many(cNow, "currently", "still", "ongoing", "continuing", "continue", "continues", "now")
	many(cWait, "paused", "pause", "pausing")
	many(cHead, "happened", "steps", "status", "detailed", "executive", "response", "customer", "user", "customers", "scope", "of", "issue", "analysis", "technical", "next", "our", "follow-ups", "follow", "measures", "action", "items", "report", "details", "went", "learned", "doing", "preliminary", "mini", "long-term", "remediations", "moving", "forward", "prevent", "recurrence")
	many(cOnset, "appeared", "surfaced", "emerged", "arose", "manifested")
	many(cCause, "resulted", "resulting", "caused", "causing", "led", "leading", "rendered", "rendering", "prevented", "preventing", "result", "consequently", "therefore", "thus", "hence", "broke")
	many(0, "fine-tuning", "fine-tune", "fine-tuned", "fine-grained", "end-user", "end-users", "end-to-end", "back-end", "front-end", "start-up")
	many(cTrue, "entire", "everything", "every", "wholly", "total")
	for _, n := range leads {
		v[n] = word{id: v[n].id, c: v[n].c, lead: true}
	}
	for n, w := range v {
		if w.c&cNeg != 0 || w.id == wStart || w.id == wBegin || w.id == wReturn {
			w.lead = true
			v[n] = w
		}
	}
	return v
}

// leads are the words that a phrase may begin with, beside those of denial and of beginning.
var leads = []string{
	"again", "all", "are", "as", "empty", "run", "running", "runs", "back", "backed", "been", "came", "caught", "ceased", "come", "could", "declined", "decreased", "drop", "drops", "dropped", "end", "everyone", "fall", "fell", "confirmed", "i", "instead", "known", "introduced", "is", "no",
	"normally", "over", "piled", "queued", "reduced", "settled", "should", "shut", "switched", "took", "stabilized", "stop", "same", "normal", "passing", "set", "put", "work", "works", "time", "times", "logged", "stopped", "stops", "succeeded", "late", "t", "than", "twice", "typically", "up", "verified", "usually", "was", "we", "went", "were", "working",
}
