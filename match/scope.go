package match

import (
	"slices"
	"strings"

	"downwind"
	"downwind/catalog"
	"downwind/internal/pattern"
)

var (
	// twoSides spells out "US Central/East" and "US East and West".
	twoSides = pattern.New(`\b([A-Z][A-Za-z]*)\s+(North|South|East|West|Central)(?:\s*/\s*|\s+and\s+|\s*&\s*)(North|South|East|West|Central)\b`)
	all      = pattern.New(`\b(?:worldwide|globally|global|(?:in|across|for|from)?\s*(?:all|every|each)\s+(?:of\s+(?:our|the)\s+)?(?:\w+\s+)?(?:regions?|locations?|zones?|sites|data cent(?:er|re)s|environments|continents?)|around the world|the whole world)\b`)
	many     = pattern.New(`\b(?:several|multiple|many|most|various|numerous)\s+(?:of\s+(?:our|the)\s+)?(?:\w+\s+)?(?:regions|locations|countries|continents|cities|data cent(?:er|re)s|sites|pops)\b`)
	oneZone  = pattern.New(`\b(?:(?:one|single|an?)\s+(?:of\s+the\s+)?(?:availability\s+)?zone|availability zone|\w+-az\d+)\b`)
	allZones = pattern.New(`\b(?:all|multiple|several|both)\s+(?:availability\s+)?zones\b`)
	modelID  = pattern.New(`\b(?:gpt-[\w.]+(?:-[\w.]+)*|gpt \d[\w.]*(?: (?:mini|nano|pro|turbo|codex|image))*|o[134](?:-(?:mini|pro|preview))?|chatgpt-4o\S*|dall-e-\d|whisper-\w+|tts-1\S*|text-embedding-[\w-]+|sora-\d\S*|(?:claude[- ])?(?:opus|sonnet|haiku)[- ]\d+(?:[.-]\d+)?|claude-[\w.-]+|gemini[- ]\d[\w.]*(?:[- ](?:pro|flash|ultra|nano|lite|preview|live|tts|image))*|nova-\d\S*|aura-\d\S*|flux(?:-\w+)?|sonic(?:-[\w.]+)+|sonic-\d\S*|ink-\w+|llama[- ][\d.]+[\w-]*|mixtral\S*|mistral-\w+|kimi-\S+|deepseek-\S+|qwen[\w.-]*\d\S*|grok-\S+|imagen[- ]\d\S*|veo[- ]\d\S*|eleven_\w+)\b`)
	pathID   = pattern.New(`\b(?:openai|anthropic|google|deepgram|cartesia|elevenlabs|assemblyai|groq|rime|inworld|xai|deepseek-ai|moonshotai|qwen|meta|mistral|cohere|cerebras)/[\w.:-]*\w`)
	family   = pattern.New(`\b(gpt|claude|opus|sonnet|haiku|gemini|gemma|llama|mistral|deepseek|qwen|kimi|grok|nova|aura|sonic|whisper|flux)\s+(?:family|models?)\b`)
	// vendorOf finds whose models fail where somebody else serves them ("AssemblyAI STT errors").
	vendorOf = pattern.New(`\b(openai|anthropic|google|deepgram|cartesia|elevenlabs|assemblyai|groq|rime|inworld|xai|deepseek|mistral|cohere|cerebras|meta)\s+(?:stt|tts|llms?|speech-to-text|text-to-speech|transcription|voices?|models?)\b`)
	allModel = pattern.New(`\b(?:all|any|several|multiple|many|most|every|various)\s+(?:of\s+(?:our|the)\s+)?(?:\w+\s+)?models?\b`)
	oneModel = pattern.New(`\b(?:one|a single|a|some|certain)\s+(?:\w+\s+)?model\b`)
	// multiRegion is a place of its own: what is kept in it is in none of the regions around.
	multiRegion = pattern.New(`\b(?:eu|us|asia|europe)\s+multi-?region\b|\bmulti-?region\s+(?:eu|us|asia|europe|buckets?|datasets?|locations?|storage)\b`)
	// buildish are titles about making and changing instead of running.
	buildish = pattern.New(`\b(?:builds?|building|deploy\w*|roll-?outs?|provision\w*|launch(?:es|ing)|launch\s+(?:fail|error|issue|problem|delay)\w*|control[- ]plane|propagat\w*|node upgrades?|upgrades?|activations?|changes?|releases?|publish\w*)\b`)
	// deployed things run: "deployments in AWS" or "deployments unreachable" are no deploying.
	deployed = pattern.New(`\bdeploy(?:ment|ed)s?\s+(?:(?:are|were)\s+)?(?:in|on|with|using|unreachable|unavailable|inaccessible|unresponsive|offline|down)\b`)
	// published are messages that programs publish while they run.
	published = pattern.New(`\bpublish(?:ing|ed)?\s+(?:and\s+subscri\w+\s+)?(?:requests?|latenc\w+|errors?|failures?|messages?|operations?|calls?|throughput|rates?)\b`)
	// goesOn are spared clauses about what is already there.
	goesOn   = pattern.New(`\b(?:running|existing|already|deployed|published|live|in progress|cached|proxied|established|active|data plane|workloads?)\b`)
	camelOp  = pattern.New(`\b(?:[A-Z][a-z]+){2,}\b`)
	dataOp   = pattern.New(`^(?:Send|Receive|Get|Put|Invoke|Query|Scan|Publish|CreateSIP)[A-Z]`)
	changes  = pattern.New(`^(?:Create|Delete|Update|Describe|Run|Modify|Start|Stop|List|Register|Terminate|Launch|Attach|Detach)[A-Z]`)
	noHarm   = pattern.New(`\bno\s+(?:\w+\s+){0,2}(?:impact|downtime|interruption|disruption|effect)s?\b|\bwithout\s+(?:any\s+)?(?:\w+\s+)?(?:impact|downtime|interruption|disruption)\b|\bnot\s+expect\w*\s+(?:any\s+|to\s+(?:be|have)\s+(?:any\s+)?)?(?:\w+\s+)?(?:impact|downtime|disruption|affect)|\bwill\s+not\s+(?:be\s+)?(?:affect|notice|impact|interrupt)`)
	edgeSite = pattern.New(`\b(?:edge\s+(?:locations?|nodes?|sites?|cities)|pops?|points?\s+of\s+presence)\b`)
	// ownHost are what teams run themselves.
	ownHost = pattern.New(`\bself-(?:hosted|managed)\s+(?:compute|runners?|agents?|workers?)\b`)
	// otherModels are the models beside those that fail.
	otherModels = pattern.New(`\b(?:all\s+)?(?:(?:the\s+)?others?|remaining|rest of the)\s+(?:\w+\s+)?models?\b|\bmodels? other than\b`)
	hosted      = pattern.New(`\b(?:\w+-)?hosted\s+(?:\w+\s+)?(?:compute|runners?|agents?)\b`)
)

// spellOut writes "US Central/East" as two names.
func spellOut(s string) string { return twoSides.ReplaceAllString(s, "$1 $2, $1 $3") }

// sideGate lets texts through that may name two sides at once.
var sideGate = gateOf(
	"/north", "/ north", "and north", "& north", "/south", "/ south", "and south", "& south", "/east", "/ east", "and east", "& east",
	"/west", "/ west", "and west", "& west", "/central", "/ central", "and central", "& central",
)

// readScope reads how far the trouble reaches, from the words alone.
func (r *Reading) readScope(t *prose) {
	r.hostedOnly = t.says(onHosted) || t.clears(onOwn)
	r.atEdge = t.says(atEdges)
	r.cloud = cloudIn(t.title.low)
	for _, c := range r.inc.Components {
		if x := cloudIn(c.Name); r.cloud == "" {
			r.cloud = x
		}
	}
	if len(r.inc.Components) > 1 {
		for _, c := range r.inc.Components {
			if cloudIn(c.Name) != r.cloud {
				r.cloud = ""
				break
			}
		}
	}
	r.harmless = r.inc.Kind == downwind.KindMaintenance && t.some(func(c *clause) bool { return c.signs&withoutHarm != 0 })
}

var cloudWord = pattern.New(`\b(?:(aws|amazon)|(gcp|google cloud)|(azure))\b`)

// cloudIn returns the slug of the one cloud that a text names, empty for none or several.
func cloudIn(s string) string {
	found := ""
	s = strings.ToLower(s)
	if !anyOf(s, []string{"aws", "amazon", "gcp", "google cloud", "azure"}) {
		return ""
	}
	for _, m := range cloudWord.FindAllStringSubmatch(s, -1) {
		c := "azure"
		if m[1] != "" {
			c = "aws"
		} else if m[2] != "" {
			c = "google-cloud"
		}
		if found != "" && found != c {
			return ""
		}
		found = c
	}
	return found
}

// readPlaces gathers where it is: the page's own fields first, then title and words; words clear places both ways.
func (r *Reading) readPlaces(t *prose) {
	for _, name := range r.inc.Regions {
		r.hit(r.judge.regions.Resolve(r.provider, name))
	}
	byPage := len(r.places) > 0
	for _, m := range r.placesSaid(t.title) {
		r.hit(m.Places)
	}
	byTitle := len(r.places) > 0
	offers := r.judge.regions.Of(r.provider) != nil
	for _, c := range t.clauses {
		ms := r.placesSaid(c)
		switch {
		case byTitle && len(ms) > 0 && anyOf(c.low, upstreamGate) && upstream.MatchString(c.low):
		case c.tone == spared:
			for _, m := range ms {
				if !notIn.MatchString(strings.ToLower(c.text[:m.Start])) && (c.denies() || !slices.ContainsFunc(m.Places, r.isHit)) {
					r.sparedPlaces = append(r.sparedPlaces, m.Places...)
				}
			}
		case c.tone == failing || !byTitle && c.tone != recovered:
			for _, m := range ms {
				// A provider that offers no regions may tell where its own data centres are: that is nobody's place.
				if m.Places[0].Kind != catalog.PlaceGlobal && (offers || byTitle || m.Places[0].Kind == catalog.PlaceArea || m.Places[0].Kind == catalog.PlaceCountry) {
					r.unspare(m.Places)
					r.hit(m.Places)
				}
			}
		}
	}
	if offers && !byTitle && len(r.places) == 0 {
		for _, c := range t.clauses {
			if c.tone == recovered {
				for _, m := range r.placesSaid(c) {
					r.hit(m.Places)
				}
			}
		}
	}
	r.narrowPage()
	r.multiRegion = t.says(inMultiRegion) && !slices.ContainsFunc(r.places, func(p catalog.Place) bool { return p.Kind == catalog.PlaceRegion && !p.Wide })
	r.readExtent(t, byPage, byTitle)
	r.keepOne()
	r.places = slices.DeleteFunc(r.places, r.isSpared)
}

// narrowPage drops a place of the page's own field where the words name one of its parts ("eu", and "tenants in EU-2").
func (r *Reading) narrowPage() {
	for _, name := range r.inc.Regions {
		for _, wide := range r.judge.regions.Resolve(r.provider, name) {
			within := func(p catalog.Place) bool {
				return p.Kind == catalog.PlaceRegion && p.Code != wide.Code && r.judge.regions.Relate(p, wide) == catalog.PlacesInside
			}
			if slices.ContainsFunc(r.places, within) {
				r.places = slices.DeleteFunc(r.places, func(p catalog.Place) bool { return p.Kind == wide.Kind && p.Code == wide.Code })
			}
		}
	}
}

// notIn are the words before a place that turn "… are not affected" around: "requests outside US East".
var notIn = pattern.New(`\b(?:not|n't|outside|except|besides|apart from|other than|elsewhere than|other)\s+(?:\w+\s+){0,3}$`)

// keepOne drops the clearing of places when it would leave nothing that is hit: then the words meant a part of it.
func (r *Reading) keepOne() {
	all := r.allPlaces()
	if len(all) > 0 && !slices.ContainsFunc(all, func(p catalog.Place) bool { return !r.isSpared(p) }) {
		r.unspare(all)
	}
}

var upstreamGate = []string{" provider", " vendor", " carrier"}

// hit adds places, each once; a cloud that the words name rules out the places of others.
func (r *Reading) hit(ps []catalog.Place) {
	for _, p := range ps {
		if p.Kind == catalog.PlaceGlobal {
			r.everywhere = true
			continue
		}
		if r.cloud != "" && p.Cloud != "" && p.Cloud != r.cloud {
			continue
		}
		if p.Kind == catalog.PlaceZone {
			r.zones = append(r.zones, p)
		}
		if !slices.ContainsFunc(r.places, func(q catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code && q.Cloud == p.Cloud }) {
			r.places = append(r.places, p)
		}
	}
}

func (r *Reading) isHit(p catalog.Place) bool {
	return slices.ContainsFunc(r.places, func(q catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code })
}

func (r *Reading) unspare(ps []catalog.Place) {
	r.sparedPlaces = slices.DeleteFunc(r.sparedPlaces, func(q catalog.Place) bool {
		return slices.ContainsFunc(ps, func(p catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code })
	})
}

func (r *Reading) isSpared(p catalog.Place) bool {
	return slices.ContainsFunc(r.sparedPlaces, func(q catalog.Place) bool { return q.Kind == p.Kind && q.Code == p.Code })
}

// readExtent decides whether the trouble is everywhere, or on several continents.
func (r *Reading) readExtent(t *prose, byPage, byTitle bool) {
	own := slices.ContainsFunc(r.items, func(it item) bool { return len(it.places) > 0 })
	titleAll := !byPage && t.title.signs&inAll != 0
	saysAll := titleAll || !byPage && !byTitle && t.says(inAll)
	r.everywhere = r.everywhere || titleAll || saysAll && !own
	r.allOver = r.everywhere || saysAll
	areas := map[string]bool{}
	count := func(ps []catalog.Place) {
		for _, p := range ps {
			for _, a := range r.judge.regions.Areas(p) {
				if a == "Middle East" || a == "Asia Pacific" {
					a = "Asia"
				}
				areas[a] = true
			}
		}
	}
	count(r.places)
	for _, it := range r.items {
		if slices.ContainsFunc(it.places, func(p catalog.Place) bool { return p.Kind == catalog.PlaceGlobal }) {
			r.wide = true
		}
		count(it.places)
	}
	r.wide = r.wide || r.everywhere || len(areas) > 1 || len(areas) == 0 && t.says(inMany)
}

// readNarrowing finds what limits the trouble to a part of what it names: zones, models, features, building only.
func (r *Reading) readNarrowing(t *prose) {
	r.zoneOnly = (len(r.zones) > 0 || t.says(inOneZone)) && !t.says(inAllZones)
	r.sshOnly = t.says(bySSH) && t.signs[spared]&byHTTPS != 0
	r.trialOnly = onlyTrial(t)
	r.shard = t.oneShard()
	for _, c := range t.clauses {
		if c.tone == spared {
			r.clearing = append(r.clearing, c)
		}
	}
	if r.readModels(t); len(r.models) > 0 {
		r.residue = "" // a title that names a model names nothing unknown
	}
	r.readEngines(t)
	for _, m := range r.servicesAsWritten(t.title) {
		for _, s := range m.Services {
			if (s.Class == catalog.ServiceFeature || oneWay(s, t.title, m)) && !slices.Contains(r.features, s) &&
				!slices.ContainsFunc(r.items, func(it item) bool { return it.service == s }) {
				r.features = append(r.features, s)
				r.variants = append(r.variants, m.Text)
			}
		}
	}
	if len(r.features) == 0 && t.some(func(c *clause) bool {
		return c.tone == spared && (c.denies() || len(c.services) > 0) && !aboutPlaces(c)
	}) {
		r.readKinds(t)
	}
	r.readOn(t)
	effect := t.title.low
	if anyOf(effect, causeGate) {
		if at := cause.FindStringIndex(effect); at != nil {
			effect = effect[:at[0]]
		}
	}
	if anyOf(effect, []string{"publish"}) {
		effect = published.ReplaceAllString(effect, " ")
	}
	if r.inc.Kind == downwind.KindMaintenance {
		effect = strings.ReplaceAll(effect, "upgrade", " ") // it tells the work, not what is hit
	}
	building := anyOf(effect, buildGate) && buildish.MatchString(effect) && !deployed.MatchString(effect) && !strings.Contains(effect, "scheduled")
	r.buildOnly = t.signs[spared]&goingOn != 0 || makes(effect) || building || t.says(callsAdmin) && !t.says(callsData)
}

var (
	// trial are words for what programs are tried out with.
	trial = pattern.New(`\b(?:sandbox(?:es)?|test[- ]mode|test environments?|testing environments?|staging(?: environments?)?)\b`)
	// forTrial finds the same in names of hosts, keys and files.
	forTrial = pattern.New(`(?:^|[^a-z])(?:sandbox|test|testing|staging)(?:[^a-z]|$)`)
	// forReal are words for what real customers use.
	forReal    = pattern.New(`\b(?:production|live)(?:[- ](?:mode|environments?|traffic|payments?|transactions?|requests?|calls|keys?|api|data))?\b`)
	trialGate  = gateOf("sandbox", "test", "staging")
	trialAlone = pattern.New(`\b(?:sandbox|test[- ]mode|staging) only\b|\bonly (?:in |on )?(?:the )?(?:sandbox|test[- ]mode|staging)\b|^\W*(?:sandbox|test mode)\b`)
)

// onlyTrial reports whether the words say that sandboxes or test modes are hit and clear production, or speak of nothing else.
func onlyTrial(t *prose) bool {
	return t.says(onTrial) && (t.title.signs&onTrialOnly != 0 || t.signs[spared]&onReal != 0)
}

// oneShard returns the name of the one installation of which the words speak, empty where they speak of none.
func (t *prose) oneShard() string {
	for _, c := range t.trouble() {
		if c.shard != "" {
			return c.shard
		}
	}
	return ""
}

// overSSH are words about access by SSH.
var overSSH = pattern.New(`\bssh\b`)

// cause begins the part of a title that tells why, not what: a deploy that broke an API leaves its callers without the API.
var cause = pattern.New(`\b(?:after|following|due to|caused by|because of|related to)\s`)

// readKinds narrows to the kind of a service that the words say fails, where they clear the others ("larger runners wait, standard
// runners are not affected").
func (r *Reading) readKinds(t *prose) {
	for _, c := range t.clauses {
		if c.tone != failing {
			continue
		}
		for _, m := range r.servicesAsWritten(c) {
			for _, s := range m.Services {
				if oneWay(s, c, m) && !slices.Contains(r.features, s) && !slices.ContainsFunc(r.items, func(it item) bool { return it.service == s }) {
					r.features, r.variants = append(r.features, s), append(r.variants, m.Text)
				}
			}
		}
	}
}

// readOn finds the items of which the title says that a feature fails on them.
func (r *Reading) readOn(t *prose) {
	if len(r.features) == 0 {
		return
	}
	for i := range r.items {
		it := &r.items[i]
		if start, _ := findName(t.title.text, strings.TrimSpace(r.withoutPlaces(it.name))); start >= 0 && onWhat.MatchString(strings.ToLower(t.title.text[:start])) {
			r.on = append(r.on, it.service)
		}
	}
}

// aboutPlaces reports whether a clause clears places, not kinds of what fails ("other regions are not affected").
func aboutPlaces(c *clause) bool { return len(c.places) > 0 || placeWord.MatchString(c.low) }

// oneWay reports whether a mention narrows to one direction or kind; "inbound and outbound calls" are all calls.
func oneWay(s *catalog.Service, c *clause, m catalog.ServiceMention) bool {
	return s.Class == catalog.ServiceOutbound && !otherWay.MatchString(strings.ToLower(c.text[:m.Start]))
}

var (
	placeWord = pattern.New(`\b(?:regions?|locations?|zones?|data cent(?:er|re)s|sites|countries|continents)\b`)
	// onWhat ends before the thing on which something fails in one way ("outbound calls fail on Acme's phone numbers").
	onWhat   = pattern.New(`\b(?:on|from|over|through|via)\s+(?:[\w'’]+\s+)?$`)
	otherWay = pattern.New(`\b(?:inbound|incoming)\s*(?:and|or|/|&|,)\s*$`)
)

var (
	causeGate = []string{"after", "following", "due", "cause", "related"}
	buildGate = []string{"build", "deploy", "roll", "provision", "launch", "control", "propagat", "upgrade", "activation", "change", "release", "publish"}
)

// created are things whose creation happens while an application runs.
var created = words(`room rooms session sessions call calls message messages user users account accounts token tokens task tasks payment payments order orders checkout item items
	customer customers event events conversation conversations participant participants channel channels ticket tickets
	alert alerts notification notifications contact contacts lead leads document documents file files meeting meetings invoice invoices charge charges
	refund refunds transfer transfers payout payouts envelope envelopes subscription subscriptions shipment shipments label labels post posts record records`)

var creation = pattern.New(`\b(\w+)\s+creat(?:e|ion|ing)\b`)

// makes reports whether a title is about making resources, not about what an application makes while it runs.
func makes(low string) bool {
	if !strings.Contains(low, "creat") {
		return false
	}
	m := creation.FindStringSubmatch(low)
	return m != nil && !created.has(m[1])
}

// readModels finds the models that alone are hit.
func (r *Reading) readModels(t *prose) {
	rest := t.clears(forOtherModels) // then "multiple models" in the title was the beginning
	if t.says(forAllModels) && !rest {
		return
	}
	for _, c := range t.trouble() {
		for _, m := range c.models {
			if !slices.Contains(r.models, m) {
				r.models = append(r.models, m)
			}
		}
		if len(r.models) > 0 && c == t.title {
			return
		}
	}
	if len(r.models) == 0 && (resoldAs(r.provider) != nil || strings.Contains(t.title.low, "model")) && t.says(forOneModel) {
		r.models = []string{"?"}
	}
}

// common are words of titles that name nothing.
var common = words(`a an and are as at been being by for from has have in into is it its of on or our some several the their there
	these this to us was we were will with within multiple various certain few many customers customer users user clients
	elevated increased increase high higher error errors rate rates latency latencies slow slower slowness delay delays delayed degraded
	degradation performance outage outages partial full major minor critical incident incidents issue issues problem problems trouble
	disruption disruptions interruption interruptions investigating investigation identified monitoring resolved update service services
	system systems platform product products cloud request requests response responses traffic network networking connectivity connection
	connections intermittent failure failures failing failed fail fails timeout timeouts time times unavailable unavailability availability
	unable access accessing affecting affected impact impacting impacted reports reported report operational operation operations
	scheduled maintenance emergency planned upgrade experiencing experience possible potential region regions location locations data center
	centre datacenter internal external widespread global worldwide general across all both down reduced degrading loading processing
	unexpected brief temporary ongoing known current recent new old other part parts number subset small large 4xx 5xx 500 502 503 504
	create creates created creation creating delete deleting deletion change changes changing temporarily disabled observed during event processing several multiple
	affecting email emails notification notifications sending receiving delivery we re ve is unable login logins sign-in new existing regional across lag mode work
	web api apis experience reduced availability started starting stuck missing delays queue queued jobs tasks pages page data backend frontend internal support
	http https infrastructure provider third party upstream dependency stability instability unstable event events applications application`)

// leftover returns the words of a title that are left when places, the provider's name and common words are taken out and that are
// written like a name; empty: the title names nothing.
func (r *Reading) leftover(title string) string {
	rest := strings.NewReplacer("’", "'", "'re", "", "'ve", "", "'s", "").Replace(title)
	for _, m := range slices.Backward(r.placesNamed(rest)) {
		rest = rest[:m.Start] + " " + rest[m.End:]
	}
	name := strings.Fields(strings.ToLower(r.name + " " + strings.ReplaceAll(r.provider, "-", " ")))
	var out []string
	for _, w := range strings.FieldsFunc(rest, func(c rune) bool { return c != '-' && c != '.' && !isWordRune(c) }) {
		low := strings.Trim(strings.ToLower(w), "-.")
		if low == "" || common.has(low) || slices.Contains(name, low) || w == strings.ToLower(w) {
			continue
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func isWordRune(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c > 0x7f
}
