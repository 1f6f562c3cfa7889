package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

// A clause is one statement of the incident's words, or its title, with all that it tells by itself. Every post is read again with each
// later version of its incident, so clauses are made once, remembered and shared: nothing may change one.
type clause struct {
	// text is as written, pairs of places spelt out; low is the same in lower case.
	text, low string
	tone      tone
	signs     sign
	// models and engines are those that it names, shard is the one of many like installations.
	models, engines []string
	shard           string
	// places and services are those of the gazetteers that it names, left to right; services are found with the first letter raised,
	// since some names are common words that only a capital tells.
	places   []catalog.PlaceMention
	services []catalog.ServiceMention
}

// A sign is a thing that a clause may say, one bit each.
type sign uint32

const (
	onHosted sign = 1 << iota
	onOwn
	atEdges
	withoutHarm
	severalNamed
	inAll
	inMany
	inOneZone
	inAllZones
	inMultiRegion
	bySSH
	byHTTPS
	onTrial
	onTrialOnly
	onReal
	forAllModels
	forOneModel
	forOtherModels
	goingOn
	callsData
	callsAdmin
)

// signsBy are the signs that one pattern shows, wherever it stands.
var signsBy = [...]struct {
	sign
	phrase
}{
	{onHosted, phrase{gateOf("hosted"), hosted}},
	{onOwn, phrase{gateOf("self-"), ownHost}},
	{atEdges, phrase{gateOf("edge", "pop", "presence"), edgeSite}},
	{withoutHarm, phrase{gateOf("no", "without"), noHarm}},
	{severalNamed, phrase{gateOf("services", "products", "components", "apis", "systems", "features", "resources", "including", "among"), severalThings}},
	{inAll, phrase{gateOf("all ", "every ", "each ", "global", "world"), all}},
	{inMany, phrase{gateOf("several", "multiple", "many", "most", "various", "numerous"), many}},
	{inOneZone, phrase{gateOf("zone", "-az"), oneZone}},
	{inAllZones, phrase{gateOf("zones"), allZones}},
	{inMultiRegion, phrase{gateOf("multi-region", "multiregion"), multiRegion}},
	{bySSH, phrase{gateOf("ssh"), overSSH}},
	{onTrial, phrase{trialGate, trial}},
	{onTrialOnly, phrase{trialGate, trialAlone}},
	{forAllModels, phrase{gateOf("model"), allModel}},
	{forOneModel, phrase{gateOf("model"), oneModel}},
	{forOtherModels, phrase{gateOf("model"), otherModels}},
}

// clausesOf splits one post of a provider's incident.
func (j *Judge) clausesOf(provider, body string) []*clause {
	parts := statements(body)
	out := make([]*clause, 0, len(parts))
	for _, part := range parts {
		low := lowered(part)
		out = append(out, j.clauseOf(provider, part, low, toneOf(&low)))
	}
	return out
}

// clauseOf reads one statement.
func (j *Judge) clauseOf(provider, text string, low lowText, tone tone) *clause {
	if sideGate.open(&low) {
		text = spellOut(text)
		low = lowered(text)
	}
	c := &clause{text: text, low: low.text, tone: tone}
	for i := range signsBy {
		if s := &signsBy[i]; s.in(&low) {
			c.signs |= s.sign
		}
	}
	c.signs |= callsIn(c.text)
	if tone == spared {
		c.signs |= c.clearing()
	}
	c.models, c.engines, c.shard = modelsIn(&low, provider), enginesIn(c.low), shardIn(&low)
	c.places = j.regions.Mentions(provider, c.text)
	c.services = j.services.Mentions(provider, upperFirst(c.text), false)
	return c
}

// servicesAsWritten are the services that a clause names when its first letter stays as it is.
func (r *Reading) servicesAsWritten(c *clause) []catalog.ServiceMention {
	if upperFirst(c.text) == c.text {
		return c.services
	}
	return r.judge.services.Mentions(r.provider, c.text, false)
}

// liveWords are what goes on between people: that it goes on says nothing of building.
var liveWords = words(`session* call calls room* connection* participant* conversation* meeting*`)

// clearing are the signs of a clause that clears something, by what it clears.
func (c *clause) clearing() (s sign) {
	subject := c.subject()
	if forReal.MatchString(subject) {
		s |= onReal
	}
	if goesOn.MatchString(subject) && !liveWords.in(c.low) {
		s |= goingOn
	}
	if strings.Contains(c.low, "https") {
		s |= byHTTPS
	}
	return s
}

// denies reports whether a clause says outright that something was never hit; "operating normally" after trouble only ends it.
func (c *clause) denies() bool {
	return anyOf(c.low, []string{"affected", "impacted", "affect ", "impact "})
}

// subject returns what stands before the words that clear it, in lower case: the thing that is not hit.
func (c *clause) subject() string {
	for i := range notHit {
		if at := notHit[i].says.FindStringIndex(c.low); at != nil {
			if at[0] == 0 {
				return c.low // "no impact on running instances"
			}
			return c.low[:at[0]]
		}
	}
	return c.low
}

// prose is the words of an incident: title and clauses, oldest first.
type prose struct {
	title   *clause
	clauses []*clause
	// signs are those of all clauses of a tone, the title's left out.
	signs [recovered + 1]sign
}

// readText splits title and updates into clauses with their tone.
func (j *Judge) readText(provider string, inc *downwind.Incident) *prose {
	t := &prose{title: ofText(&j.titles, provider, inc.Title, func() *clause { return j.clauseOf(provider, inc.Title, lowered(inc.Title), neutral) })}
	for _, u := range inc.Updates {
		body := u.Body
		if len(body) > maxBody {
			body = body[:maxBody]
		}
		t.clauses = append(t.clauses, ofText(&j.clauses, provider, body, func() []*clause { return j.clausesOf(provider, body) })...)
	}
	for _, c := range t.clauses {
		t.signs[c.tone] |= c.signs
	}
	return t
}

// says reports whether the title or a failing clause has a sign.
func (t *prose) says(s sign) bool { return (t.title.signs|t.signs[failing])&s != 0 }

// clears reports whether words that clear something, or call it well again, have a sign.
func (t *prose) clears(s sign) bool { return (t.signs[spared]|t.signs[recovered])&s != 0 }

// some reports whether a clause fits, whatever its tone.
func (t *prose) some(fits func(c *clause) bool) bool { return slices.ContainsFunc(t.clauses, fits) }

// failing returns the clauses that report trouble, in order; all but the spared ones where none does.
func (t *prose) failing() []*clause {
	var out, rest []*clause
	for _, c := range t.clauses {
		switch c.tone {
		case failing:
			out = append(out, c)
		case neutral, recovered:
			rest = append(rest, c)
		}
	}
	if len(out) == 0 {
		return rest
	}
	return out
}

// trouble returns the title and the failing clauses.
func (t *prose) trouble() []*clause {
	out := []*clause{t.title}
	for _, c := range t.clauses {
		if c.tone == failing {
			out = append(out, c)
		}
	}
	return out
}

// shardNamed finds the name of one of many like installations behind the word for it ("on cluster c12-eu", "Pod 19").
var shardNamed = pattern.New(`\b(?:clusters?|pods?|shards?|cells?)\s+([a-z]*-?\d[\w-]*)\b`)

var shardGate = gateOf("cluster", "pod", "shard", "cell")

// shardIn returns the name of the one installation of which a text speaks, empty where it speaks of none.
func shardIn(t *lowText) string {
	if !shardGate.open(t) {
		return ""
	}
	if m := shardNamed.FindStringSubmatch(t.text); m != nil {
		return m[1]
	}
	return ""
}

// callsIn tells the kinds of API calls that a text names: administrative ones (CreateHostedZone, RunInstances) and others.
func callsIn(text string) (s sign) {
	if !camel(text) {
		return 0
	}
	for _, op := range camelOp.FindAllString(text, -1) {
		switch {
		case dataOp.MatchString(op) || atRunTime(op):
			s |= callsData
		case changes.MatchString(op):
			s |= callsAdmin
		}
	}
	return s
}

// camel reports whether a capital follows a small letter anywhere in a text, as in names of calls.
func camel(text string) bool {
	for i := 1; i < len(text); i++ {
		if text[i] >= 'A' && text[i] <= 'Z' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// atRunTime reports whether a call handles what an application makes while it runs ("UpdateParticipant", "CreateRoom").
func atRunTime(op string) bool {
	noun := strings.LastIndexFunc(op, func(c rune) bool { return c >= 'A' && c <= 'Z' })
	return noun > 0 && created.has(strings.ToLower(op[noun:]))
}

// modelWords are parts of names of models, one of which must stand in a text before models are looked for.
var modelWords = gateOf(
	"gpt", "o1", "o3", "o4", "dall-e", "whisper", "tts-", "embedding", "sora", "opus", "sonnet", "haiku", "claude", "gemini", "nova", "aura", "flux", "sonic", "ink-", "llama",
	"mixtral", "mistral", "gemma", "rime", "inworld", "xai", "meta", "cohere", "cerebras", "openai", "google", "anthropic", "deepgram", "cartesia", "elevenlabs", "assemblyai", "groq", "kimi", "deepseek", "qwen", "grok", "imagen", "veo", "eleven_",
)

// modelsIn returns the models that a text names, whole families and other vendors' with an asterisk behind.
func modelsIn(t *lowText, provider string) []string {
	if !modelWords.open(t) {
		return nil
	}
	low := t.text
	if named := pathID.FindAllString(low, -1); named != nil {
		return named
	}
	var named []string
	for _, at := range modelID.FindAllStringSubmatchIndex(low, -1) {
		m := low[at[0]:at[1]]
		if rest := strings.TrimSpace(low[at[1]:]); strings.HasPrefix(rest, "models") || strings.HasPrefix(rest, "family") {
			m += "*" // "GPT-4.1 models"
		}
		named = append(named, m)
	}
	if named != nil {
		return named
	}
	for _, m := range family.FindAllStringSubmatch(low, -1) {
		named = append(named, m[1]+"*")
	}
	if named != nil {
		return named
	}
	for _, m := range vendorOf.FindAllStringSubmatch(low, -1) {
		if m[1] != provider {
			named = append(named, m[1]+"*")
		}
	}
	return named
}
