package notify

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// The verbs of buttons. Each takes an incident argument made by IncidentArg, but where said otherwise.
const (
	VerbAck    = "ack"    // I have seen it
	VerbMute   = "mute"   // mute this incident here for an hour
	VerbNotUs  = "notus"  // incidents like this are not ours
	VerbOurs   = "ours"   // the open question is answered with yes: this region, product … is ours
	VerbDone   = "done"   // the checklist has been worked through
	VerbWhy    = "why"    // explain the match
	VerbRemind = "remind" // remind an hour before a maintenance
	VerbSample = "sample" // a button of a preview, which does nothing; its argument is its place
)

// InChannel stands in Result.Thread and Target.Thread for roots whose replies go into the channel itself,
// because the place allows no threads.
const InChannel = "channel"

// maxArg keeps "verb:argument" within Discord's 100 characters of a custom_id.
const maxArg = 80

// ActionID joins a verb and its argument to the id of a button.
func ActionID(verb, arg string) string { return verb + ":" + arg }

// ParseActionID splits the id of a button; ok is false for ids that are not ours.
func ParseActionID(id string) (verb, arg string, ok bool) {
	verb, arg, ok = strings.Cut(id, ":")
	return verb, arg, ok && verb != ""
}

// IncidentArg is how a button names an incident: its key, or for long keys "#" and a hash. It is an index only: the
// click is authorised by the channel it comes from, whose deliveries must hold the incident (MatchesIncident).
func IncidentArg(incident string) string {
	if len(incident) <= maxArg && !strings.HasPrefix(incident, "#") {
		return incident
	}
	sum := sha256.Sum256([]byte(incident))
	return "#" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:])[:26]
}

// MatchesIncident reports whether a button's argument names the incident with this key.
func MatchesIncident(arg, incident string) bool { return arg != "" && arg == IncidentArg(incident) }
