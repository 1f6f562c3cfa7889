package guidance

import (
	"slices"
	"strings"
	"sync"
)

// cost orders advice: what is cheap to do and to undo comes first.
type cost uint8

const (
	costRegion cost = iota
	costRetry
	costDegrade
	costFailover
	costReplay
	costCheck
)

// stage is how far an incident has come, as advice sees it.
type stage uint8

const (
	stageActive stage = 1 << iota
	stageMonitoring
	stageResolved
	stagePostmortem
	stageBefore // planned work announced
	stageDuring // planned work going on
	stageAfter  // planned work done

	stageOver = stageResolved | stagePostmortem
)

// kinds of integration that a stack's services show.
type integration uint16

const (
	usesAny   integration = 0
	usesCalls integration = 1 << iota
	usesAgents
	usesSessions
	usesRecordings
	usesServer
	usesWebhooks
	usesBuilds
)

// A line is one sentence of advice. "{P}" stands for the period of the team's windows, "{S}" for its start, "{O}" for the
// operations that the posts name, "{R}" for the regions hit.
type line struct {
	cat   cat // 0: only the trigger decides
	when  stage
	cost  cost
	needs integration
	// cue must be said in the posts, all of it; names says that they must name operations.
	cue   phraseKind
	names bool
	text  string
	// alone is said only where no other line is.
	alone bool
	// check puts the sentence into the checklist rather than the advice.
	check bool
}

// stages is how many stages there are.
const stages = 7

// A saying is a line ready to be worded: parted at the place of the period, before which all stands where it has none.
type saying struct {
	*line
	before, after string
	timed         bool // it names the period
	bare          bool // a word before the period makes a preposition needless
}

// sayings are the lines of each stage by its bit, in the order of the table.
var sayings = sync.OnceValue(func() [][]saying {
	out := make([][]saying, stages)
	for i := range adviceTable {
		s := saying{line: &adviceTable[i]}
		s.before, s.after, s.timed = strings.Cut(s.text, "{P}")
		s.bare = slices.Contains(bare, lastWord(s.before))
		for st := range out {
			if s.when&(1<<st) != 0 {
				out[st] = append(out[st], s)
			}
		}
	}
	return out
})

// bare are the words after which a period stands without a preposition.
var bare = []string{"Put", "of", "in", "read", "overlap", "overlaps", "Compare", "for"}

// lastWord returns the last word of a text that ends in a blank.
func lastWord(s string) string {
	s = strings.TrimSuffix(s, " ")
	return s[strings.LastIndexByte(s, ' ')+1:]
}

// adviceTable is the table of category by phase.
var adviceTable = [...]line{
	// region
	{cat: catAPI, when: stageActive, cost: costRegion, cue: saysElsewhere, text: "Point clients at another region if yours is pinned to one that is hit: the provider names healthy ones."},

	// API errors
	{cat: catAPI, when: stageActive, cost: costRetry, text: "Retry failed requests with backoff, jitter and idempotency keys."},
	{cat: catAPI, when: stageActive, cost: costDegrade, text: "Pause batch jobs that depend on it, and keep failed requests for a replay."},
	{cat: catAPI, when: stageMonitoring, cost: costRetry, text: "Let retries run, release backlogs slowly, and watch your own error rate."},
	{cat: catAPI, when: stageResolved, cost: costReplay, text: "Replay requests that failed {P}, with idempotency keys: creates that timed out may exist twice."},
	{cat: catAPI, when: stagePostmortem, cost: costReplay, text: "Compare {P} with what you have replayed, and replay the difference."},

	// latency
	{cat: catLatency, when: stageActive, cost: costDegrade, text: "Raise client timeouts and retry what times out; shed optional calls, and do not fail over for latency alone."},
	{cat: catLatency, when: stageMonitoring, cost: costRetry, text: "Put client timeouts back once your own latency is normal."},
	{cat: catLatency, when: stageResolved, cost: costReplay, text: "Look for calls that timed out {P}, and replay only those."},
	{cat: catLatency, when: stagePostmortem, cost: costCheck, text: "Adjust timeouts: a client that gives up early never sees the provider's fallback answer."},
	{when: stagePostmortem, cost: costCheck, cue: saysTimeout | saysGaveUp, text: "Check your client timeouts: short ones gave up before the provider's fallback could answer."},

	// sessions and media
	{cat: catSessions, when: stageActive, cost: costRetry, text: "Let clients reconnect with backoff, and do not restart healthy sessions."},
	{cat: catSessions, when: stageMonitoring, cost: costRetry, text: "Expect waves of reconnects."},
	{cat: catSessions, when: stageResolved, cost: costCheck, text: "Check sessions that ended {P}: rejoin or call back those that did not reconnect."},
	{cat: catSessions, when: stagePostmortem, cost: costCheck, text: "Check session analytics {P} for the same identity leaving and rejoining."},

	// telephony
	{cat: catCalls, when: stageActive, cost: costFailover, needs: usesCalls, text: "Fail calls over to another carrier or region, and queue outbound campaigns."},
	{cat: catCalls, when: stageMonitoring, cost: costRetry, needs: usesCalls, text: "Resume outbound calls slowly."},
	{cat: catCalls, when: stageResolved, cost: costReplay, needs: usesCalls, text: "Redial outbound calls that failed {P}, and review missed inbound ones."},
	{cat: catCalls, when: stagePostmortem, cost: costCheck, needs: usesCalls, text: "Search call records {P} for the failures described, and redial what is still open."},
	{when: stageOver, cost: costReplay, needs: usesCalls, cue: saysTransfer, text: "Retry call transfers that failed {P}; check first that the call itself ended."},
	{when: stageOver, cost: costReplay, needs: usesAgents, cue: saysDispatch, text: "Redispatch agents for rooms created {P} that got none."},
	{when: stageOver, cost: costCheck, needs: usesAgents, cue: saysAgent, text: "Check agent sessions {P}: restart those that ended or did not recover."},
	{when: stageOver, cost: costCheck, needs: usesServer | usesAgents | usesCalls, cue: saysSDK | saysRetried, text: "Leave out what recent SDK versions have retried already: deduplicate before you replay."},
	{when: stageOver, cost: costCheck, needs: usesServer, names: true, text: "Check and retry calls to {O} {P}: they are named as affected."},

	// recordings
	{cat: catRecordings, when: stageActive, cost: costFailover, needs: usesRecordings, text: "Start a second recorder where a recording matters."},
	{cat: catRecordings, when: stageMonitoring, cost: costRetry, needs: usesRecordings, text: "Check that running recordings still grow."},
	{cat: catRecordings, when: stageOver, cost: costCheck, needs: usesRecordings, text: "Verify every recording that overlaps {P}: length, status, destination. What was never written cannot be replayed."},

	// webhooks
	{cat: catWebhooks, when: stageActive, cost: costFailover, text: "Poll the API for events that you cannot miss."},
	{cat: catWebhooks, when: stageMonitoring, cost: costDegrade, text: "Make room for a burst of webhooks: raise consumer limits and keep handlers idempotent."},
	{cat: catWebhooks, when: stageOver, cost: costCheck, text: "Expect webhooks of that time late, twice and out of order; fill gaps {P} from the API."},
	{cat: catWebhooks, when: stageOver, cost: costReplay, cue: saysDropped, text: "Rebuild from the API what lost webhooks would have told {P}."},

	// auth
	{cat: catAuth, when: stageActive, cost: costDegrade, text: "Do not rotate keys because of it; cache tokens longer and stop forced logouts."},
	{cat: catAuth, when: stageMonitoring, cost: costRetry, text: "Open the sign-in paths again that you had closed."},
	{cat: catAuth, when: stageResolved, cost: costCheck, text: "Check for users that were locked out or created twice {P}."},

	// data
	{cat: catData, when: stageActive, cost: costDegrade, text: "Draw no alarms or invoices from fresh data; traffic is a matter of its own."},
	{cat: catData, when: stageMonitoring, cost: costDegrade, text: "Wait for the backfill before you trust figures of that time."},
	{cat: catData, when: stageResolved, cost: costReplay, text: "Re-run reports, exports and billing jobs that read {P}, once the backfill is confirmed."},
	{cat: catData, when: stagePostmortem, cost: costCheck, text: "Compare totals {P} before and after the backfill."},

	// dashboard
	{cat: catDashboard, when: stageActive, cost: costRegion, text: "Use the API or command line where the dashboard fails."},
	{cat: catDashboard, when: stageResolved, cost: costCheck, text: "Redo manual changes that failed in the dashboard {P}."},

	// DNS and edge
	{cat: catDNS, when: stageActive, cost: costRetry, text: "Distrust cached failures: retry, and use another name or region where one is given."},
	{cat: catDNS, when: stageMonitoring, cost: costRetry, text: "Wait one TTL, then flush resolvers that still fail."},
	{cat: catDNS, when: stageResolved, cost: costReplay, text: "Replay requests that failed {P} plus one TTL."},
	{cat: catDNS, when: stagePostmortem, cost: costCheck, text: "Add a monitor on the record or route that failed."},

	// builds
	{cat: catBuilds, when: stageActive, cost: costDegrade, needs: usesBuilds, text: "Freeze deploys and scale-downs; keep the running versions."},
	{cat: catBuilds, when: stageMonitoring, cost: costRetry, needs: usesBuilds, text: "Retry one deploy before you retry all."},
	{cat: catBuilds, when: stageOver, cost: costReplay, needs: usesBuilds, text: "Re-run builds that failed {P}, and check pending rollouts and autoscaling."},

	// upstream
	{cat: catUpstream, when: stageActive, cost: costFailover, text: "Switch to another model or upstream where you can, and honour Retry-After."},
	{cat: catUpstream, when: stageMonitoring, cost: costRetry, text: "Move back step by step."},

	// maintenance
	{cat: catMaintenance, when: stageBefore, cost: costDegrade, text: "Put {P} into the calendar; before it begins, move jobs out of the period and raise timeouts."},
	{cat: catMaintenance, when: stageBefore, cost: costDegrade, needs: usesCalls, cue: saysTransfer, text: "Avoid call transfers in the period, or retry those that fail."},
	{cat: catMaintenance, when: stageDuring, cost: costRetry, text: "Expect reconnects and short failures; retry rather than restart."},
	{cat: catMaintenance, when: stageAfter, cost: costCheck, text: "Check that everything reconnected, and retry what failed {P}."},

	// what holds where the words name no kind of trouble that we know
	{alone: true, when: stageActive, cost: costRetry, text: "Retry what fails with backoff, and keep what did not go through for later."},
	{alone: true, when: stageMonitoring, cost: costRetry, text: "Watch your own error rate before you repeat what failed."},
	{alone: true, when: stageOver, cost: costReplay, text: "Check what you sent, ran or received {P}, and repeat what failed or is missing."},

	// checklist: what to go through once it is over, per kind of integration
	{cat: catAPI, when: stageOver, check: true, text: "Requests: replay failures of {P} idempotently; reconcile creates that timed out."},
	{cat: catAPI, when: stageOver, check: true, text: "Queues: drain dead letters of {P} after the replay, oldest first."},
	{cat: catAPI, when: stageOver, check: true, text: "Cron: re-run jobs that were due {P}."},
	{cat: catWebhooks, when: stageOver, check: true, text: "Webhooks: compare with the API for {P}; expect late and double deliveries."},
	{cat: catCalls, when: stageOver, check: true, needs: usesCalls, text: "Calls: redial failed outbound calls, review missed inbound calls and transfers of {P}."},
	{cat: catSessions, when: stageOver, check: true, text: "Sessions: list those that ended in {P} and did not come back."},
	{cat: catRecordings, when: stageOver, check: true, needs: usesRecordings, text: "Recordings: verify length and status of all that overlap {P}."},
	{cat: catBuilds, when: stageOver, check: true, needs: usesBuilds, text: "Builds: re-run failures of {P}; check rollouts and autoscaling."},
	{cat: catData, when: stageOver, check: true, text: "Data: re-run reports, exports and invoices that read {P}, after the backfill."},
}
