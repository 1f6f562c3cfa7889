package marks

import (
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse/internal/words"
)

// A call is a pattern of source code that shows which of a provider's services is used.
type call struct {
	provider, service string
	pattern           *pattern.Regexp
	// speaks are the words of which the file, need those of which the line must hold one.
	speaks, need words.Run
}

// speaks names the words of which a source file must hold one before calls of a provider are looked for in it.
func speaks(provider string) []string {
	switch provider {
	case "datadog":
		return []string{"datadog", "dd-trace", "ddtrace"}
	case "google-workspace":
		return []string{"googleapis", "google.oauth2", "gspread"}
	case "aws":
		return []string{"boto3", "aws-sdk", "amazonaws", "aws_sdk"}
	case "mongodb-atlas":
		return []string{"mongo"}
	case "google-gemini":
		return []string{"genai", "generativeai"}
	case "vercel":
		return []string{"vercel", "next/"}
	}
	return []string{provider} // as most do by their own name
}

// calls are the calls of one provider: services with the patterns that show them.
func calls(provider string, pairs ...string) []call {
	var out []call
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, call{provider: provider, service: pairs[i], pattern: pattern.New(pairs[i+1])})
	}
	return out
}

// needs takes from a pattern the words of which one stands in whatever fits it: for each alternative the longest run of letters in
// it or before its group, less a letter that may be absent. Parts that may be absent must be shorter than what surrounds them.
func needs(text string) (out []string) {
	longest, begun := "", 0
	var around []string // the longest runs before the groups that are open
	for i := 0; i <= len(text); i++ {
		if i < len(text) && letter(text[i]) {
			continue
		}
		run := text[begun:i]
		if i < len(text) && text[i] == '?' && run != "" {
			run = run[:len(run)-1]
		}
		if len(run) > len(longest) {
			longest = run
		}
		if i == len(text) {
			break
		}
		switch text[i] {
		case '|':
			out, longest = append(out, strings.ToLower(longest)), ""
			if len(around) > 0 {
				longest = around[len(around)-1]
			}
		case '(':
			around = append(around, longest)
		case ')':
			around = around[:len(around)-1]
		case '\\':
			i++
		case '[':
			i += strings.IndexByte(text[i:], ']')
		}
		begun = i + 1
	}
	return append(out, strings.ToLower(longest))
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// table has all calls, and the vocabulary with their words. It is made when the first file of source is looked at.
var table = sync.OnceValues(func() (all []call, list *words.List) {
	list = vocabulary.Clone()
	for _, c := range [...][]call{
		calls("openai", "chat-completions", `\bchat\.completions\b|\bcreateChatCompletion\b|\bChatCompletion\.create\b|\bChat\.Completions\b`, "responses", `\bresponses\.(?:create|stream|parse|retrieve)\b|\bResponses\.New\b`,
			"embeddings", `(?i)\bembeddings\.(?:create|new)\b|\bcreateEmbedding\b`, "images", `(?i)\bimages\.(?:generate|edit|createVariation|create_variation)\b`,
			"audio", `(?i)\baudio\.(?:speech|transcriptions|translations)\b`, "realtime", `\b(?:beta\.)?realtime\.\w+|\bRealtimeClient\b|\bRealtimeAgent\b|\bRealtimeSession\b`, "files", `\b(?:files\.create|vector_stores|vectorStores)\b`,
			"batch", `\bbatches\.(?:create|retrieve)\b`, "fine-tuning", `\b(?:fine_tuning|fineTuning)\.\w+`, "moderations", `\bmoderations\.create\b`, "assistants", `\b(?:beta\.)?(?:assistants|threads)\.\w+`),
		calls("livekit", "", `\b(?:RoomServiceClient|RoomService)\b`, "egress", `(?i)\b(?:New)?EgressClient\b|\bstart_\w*egress\b|\bstart\w*Egress\b|\.egress\.`, "ingress", `(?i)\b(?:New)?IngressClient\b|\bcreate_?ingress\b|\.ingress\.`,
			"sip", `(?i)\b(?:create|transfer)_?sip_?participant\b`, "sip", `(?i)\b(?:New)?SipClient\b|\bcreate_?sip_?\w+|\btransfer_?sip_?participant\b|\.sip\.`, "agent-dispatch", `(?i)\b(?:New)?AgentDispatchClient\b|\bcreate_?dispatch\b|\.agent_dispatch\.`,
			"inference", `\binference\.(?:STT|LLM|TTS|AgentSession)\b`),
		calls("twilio", "programmable-messaging", `\bmessages\.create\b|\bMessagingResponse\b|\bMessage\.creator\b|\bCreateMessage\b`, "programmable-voice", `\bcalls\.create\b|\bVoiceResponse\b|\bCall\.creator\b|\bCreateCall\b|\bTwiML\b`,
			"verify", `\bverify\b.*\b(?:services|verifications?)\b`, "lookup", `\blookups?\.(?:v\d|phoneNumbers|phone_numbers)`, "conversations", `\bconversations\.(?:v\d|conversations|services)`,
			"programmable-video", `\bvideo\.(?:v\d|rooms)|\bVideoGrant\b`, "taskrouter", `\btaskrouter\b`, "sync", `\bsync\.(?:v\d|services)|\bSyncGrant\b`, "studio", `\bstudio\.(?:v\d|flows)`, "", `\bincoming_?[pP]hone_?[nN]umbers\b`),
		calls("stripe", "checkout", `(?i)\bcheckout\.sessions?\b|\bcheckout/session`, "", `(?i)\bpayment_?intents?\b`, "billing", `(?i)\bsubscriptions?\.(?:create|update|retrieve|new|list)|\binvoices?\.(?:create|pay|new|list)|\bbillingPortal\b|\bbilling_portal\b`,
			"webhooks", `(?i)\bconstruct_?event\b|\bwebhooks?\.construct`, "connect", `\bstripe_?[aA]ccount\b|\baccounts\.create\b|\btransfer_data\b|\btransfers\.create\b`, "terminal", `(?i)\bterminal\.\w+`, "issuing", `\bissuing\.\w+`,
			"identity", `\bidentity\.verification\w+`, "", `\bpayouts\.create\b`, "", `\bautomatic_tax\b`),
		calls("firebase", "firestore", `(?i)\bget_?firestore\b|\bfirestore\(\)|\bfirestore\.client\b|\bFirestoreClient\b|firebase/firestore`, "fcm", `(?i)\bget_?messaging\b|\bmessaging\(\)|\bmessaging\.send|firebase/messaging|\bsendEachForMulticast\b`,
			"authentication", `(?i)\bgetAuth\b|\bauth\(\)|\bverifyIdToken\b|\bverify_id_token\b|firebase/auth`, "realtime-database", `\bgetDatabase\b|\bdatabase\(\)|firebase/database|\bdb\.reference\b`,
			"cloud-storage", `\bgetStorage\b|\bstorage\(\)|firebase/storage|\bstorage\.bucket\b`, "functions", `firebase-functions|\bhttpsCallable\b`, "remote-config", `\bgetRemoteConfig\b`),
		calls("supabase", "auth", `\bsupabase\w*\.auth\b|\.auth\.(?:signIn\w*|getUser|admin)`, "storage", `\.storage\.from\b|\bsupabase\w*\.storage\b`, "realtime", `\.channel\(`, "edge-functions", `\bfunctions\.invoke\b`, "database", `\bsupabase\w*\.(?:from|rpc|table)\(`),
		calls("sentry", "session-replay", `(?i)\breplayIntegration\b|\breplaysSessionSampleRate\b|\breplaysOnErrorSampleRate\b|\bnew Replay\b`, "performance", `\btracesSampleRate\b|\btraces_sample_rate\b|\bTracesSampleRate\b`, "profiling", `(?i)\bprofiles_?sample_?rate\b`,
			"crons", `\bcaptureCheckIn\b|\bwithMonitor\b|\bmonitor\(`),
		calls("datadog", "rum", `\bdatadogRum\.init\b`, "logs", `\bdatadogLogs\.init\b`, "apm", `\btracer\.init\b|dd-trace/init|\bddtrace\.patch\b`),
		calls("auth0", "management-api", `\bManagementClient\b|\bManagementAPI\b|\bGetToken\b|\bauth0\.management\b|\bauth0/management\b`),
		calls("google-workspace", "google-sheets", `(?i)\bgoogle\.sheets\b|build\(['"]sheets['"]|\bgspread\b`, "google-drive", `\bgoogle\.drive\b|build\(['"]drive['"]`, "google-calendar", `\bgoogle\.calendar\b|build\(['"]calendar['"]`, "gmail", `\bgoogle\.gmail\b|build\(['"]gmail['"]`),
		calls("deepgram", "stt", `\blisten\.(?:live|websocket|asyncwebsocket|v\d)\b`, "", `\b(?:prerecorded|transcribe_?(?:file|url|File|Url))\b`, "tts", `\bspeak\.\w+`, "agent", `\bagent\.(?:websocket|v\d)`),
		calls("algolia", "indexing", `\b(?:saveObjects?|save_objects?|partialUpdateObjects?|replaceAllObjects)\b`, "insights-api", `\b(?:search-insights|insightsClient|clickedObjectIDs\w*)\b`, "recommend", `\bgetRecommendations\b|\bgetRelatedProducts\b`),
		calls("pinecone", "control-plane", `\bcreate_?index\b|\bcreateIndex\b`, "inference", `\binference\.(?:embed|rerank)\b`),
		calls("slack", "files", `\bfiles\.upload|\bfiles_upload|\bfilesUploadV2\b`),
		calls("mongodb-atlas", "atlas-search", `['"]\$(?:search|vectorSearch|searchMeta)['"]|\$(?:search|vectorSearch)\s*:`),
		calls("paypal", "payouts", `\bpayouts?\b`),
		calls("google-gemini", "live", `\blive\.connect\b`),
		calls("cartesia", "stt", `\bstt\.\w+`),
		calls("vercel", "image-optimization", `next/image`),
	} {
		speak := list.Add(speaks(c[0].provider)...)
		for i := range c {
			c[i].speaks, c[i].need = speak, list.Add(needs(c[i].pattern.String())...)
		}
		all = append(all, c...)
	}
	return all, list
})

// Words of source code, beside those that stand with their rules.
var (
	dsnSigns       = signs("sentry.io")
	elsewhereSigns = signs("anthropicbedrock", "anthropicvertex", "azureopenai")
	siteSigns      = signs("datadoghq", "ddog-gov")
	stripeSigns    = signs("stripe")
	methodSigns    = signs("method_types", "methodtypes")
	poolSigns      = signs("user_pool", "userpool")
	redirectSigns  = signs("base_url", "baseurl", "api_base", "apibase", "endpoint")
	storeSigns     = signs("s3client", "client('s3'", `client("s3"`, "aws-sdk-s3", "s3.")
	awsSigns       = signs(speaks("aws")...)
	livekitSigns   = signs("livekit", "agentsession")
	routerSigns    = signs("openrouter")
	gatewaySigns   = signs("gateway", "ai_gateway", "generatetext", "streamtext")
)

// A client is one that can be told to speak to another server than its vendor's.
type client struct {
	provider, own string
	signs         words.Run
}

var clients = []client{{"openai", "openai.com", signs("openai")}, {"anthropic", "anthropic.com", signs("anthropic")}}

var (
	sentryDSN     = pattern.New(`@(o\d+\.ingest\.(?:(us|de)\.)?sentry\.io)/`)
	elsewhere     = pattern.New(`\b(?:Async)?(Anthropic)(?:Bedrock|Vertex)\b|\b(?:Async)?Azure(OpenAI)\b`)
	baseURL       = pattern.New(`(?i)\b(?:base_?url|api_?base|endpoint_?url|endpoint)\s*[:=]\s*['"](https?://[^'"/:\s]+)`)
	inSite        = pattern.New(`\bsite\s*[:=]\s*['"]((?:[a-z0-9-]+\.)?(?:datadoghq\.(?:com|eu)|ddog-gov\.com))['"]`)
	listedMethods = pattern.New(`(?i)payment_?method_?types\W+\[([^\]]*)\]`)
	quoted        = pattern.New(`['"]([a-z0-9_]+)['"]`)
)

// calls finds calls of clients in source code.
func (f *file) calls(n int, s string) {
	for _, c := range f.active.calls {
		if !f.here.Has(c.need) {
			continue
		}
		if m := c.pattern.FindString(s); m != "" {
			f.add(c.provider, KindCode, strings.Trim(m, `'"`), c.service, "", n)
		}
	}
	if f.here.Has(siteSigns) {
		if m := inSite.FindStringSubmatch(s); m != nil {
			f.add("datadog", "domain", m[1], "", datadogSite(m[1]), n)
		}
	}
	if f.here.Has(dsnSigns) {
		if m := sentryDSN.FindStringSubmatch(s); m != nil {
			f.add("sentry", "domain", m[1], "", m[2], n)
		}
	}
	if f.here.Has(elsewhereSigns) {
		f.resold(n, s)
	}
	if f.active.payment && f.here.Has(methodSigns) {
		for _, m := range listedMethods.FindAllStringSubmatch(s, -1) {
			for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
				f.add("stripe", KindSetting, "payment_method "+q[1], "", "", n)
			}
		}
	}
	if f.active.cognito && f.here.Has(poolSigns) {
		if m := poolID.FindStringSubmatch(s); m != nil {
			f.add("aws", KindCode, m[1], "cognito", m[2], n)
		}
	}
	if f.here.Has(redirectSigns) {
		f.redirect(n, s)
	}
}

// poolID is a name of user pools beside the id of one, which begins with its region.
var poolID = pattern.New(`(?i)\b(\w*user_?pools?_?(?:web_)?(?:client_)?id)\b["']?\s*[:=]\s*["']((?:us|eu|ap|sa|ca|me|af|il|mx)-[a-z]+-\d)_[A-Za-z0-9]{4,}["']`)

// resold finds clients that reach a vendor's models through a cloud.
func (f *file) resold(n int, s string) {
	m := elsewhere.FindStringSubmatch(s)
	if m == nil {
		return
	}
	f.add(strings.ToLower(m[1]+m[2]), KindEndpoint, m[0], "", "", n)
	f.marks[len(f.marks)-1].Away = true
}

// redirect finds clients that source code points at somebody else's server.
func (f *file) redirect(n int, s string) {
	m := baseURL.FindStringSubmatch(s)
	if m == nil {
		return
	}
	host := m[1][strings.Index(m[1], "://")+3:]
	for _, c := range clients {
		if f.seen.Has(c.signs) && !strings.HasSuffix(host, c.own) {
			f.add(c.provider, KindEndpoint, host, "", "", n)
			f.marks[len(f.marks)-1].Away = true
		}
	}
	if f.seen.Has(storeSigns) && !strings.HasSuffix(host, "amazonaws.com") && f.seen.Has(awsSigns) {
		f.add("aws", KindEndpoint, host, "s3", "", n)
		f.marks[len(f.marks)-1].Away = true
	}
}

// datadogSite returns the code of a site by its host.
func datadogSite(host string) string {
	switch host {
	case "datadoghq.com":
		return "us1"
	case "datadoghq.eu":
		return "eu1"
	case "ddog-gov.com":
		return "us1-fed"
	}
	site, _, _ := strings.Cut(host, ".")
	return site
}

var (
	plainModel = pattern.New(`['"=:\s]((?:gpt-[\w.]+|o[134](?:-(?:mini|pro|preview))?|chatgpt-4o|dall-e-\d|whisper-\w+|tts-1|text-embedding-[\w]+|sora-\d|claude-[\w.]+|gemini-[\w.]+|nova-\d|aura-[\w]+|sonic-[\w.]+|ink-\w+|llama-?[\d.]+\w*|mixtral-\w+|flux-\w+)(?:-[\w.]+)*)(?:['",\s;)]|$)`)
	pathModel  = pattern.New(`['"=\s]((?:openai|anthropic|google|deepgram|cartesia|elevenlabs|assemblyai|groq|rime|inworld|xai|deepseek-ai|moonshotai|qwen|meta|mistral|cohere|cerebras)/[\w.:-]+)(?:['",\s)]|$)`)
	bedrockID  = pattern.New(`['"=/:\s]((?:(?:us|eu|apac|global)\.)?(?:anthropic|meta|mistral|cohere|amazon|ai21|deepseek)\.[a-z][\w.-]+(?::\d+)?)(?:['",\s)]|$)`)
)

var modelVendors = []struct{ start, provider string }{
	{"gpt-oss", "groq"},
	{"gpt-", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4", "openai"},
	{"chatgpt", "openai"},
	{"dall-e", "openai"},
	{"whisper", "openai"},
	{"tts-1", "openai"},
	{"text-embedding", "openai"},
	{"sora", "openai"},
	{"claude", "anthropic"},
	{"gemini", "google-gemini"},
	{"nova", "deepgram"},
	{"aura", "deepgram"},
	{"sonic", "cartesia"},
	{"ink", "cartesia"},
	{"llama", "groq"},
	{"mixtral", "groq"},
}

// modelSigns are parts of names of models, of which a line that names one holds one.
var modelSigns = signs(
	"gpt-", "model: o1", "model: o3", "model: o4", "\"o1", "\"o3", "\"o4", "'o1", "'o3", "'o4", "=o1", "=o3", "=o4", "chatgpt", "dall-e", "whisper", "tts-1", "text-embedding", "sora-", "claude", "gemini", "nova-", "aura-",
	"sonic-", "ink-", "llama", "mixtral", "flux-", "openai/", "anthropic", "google/", "deepgram/", "cartesia/", "elevenlabs/", "assemblyai/", "groq/", "rime/", "inworld/",
	"xai/", "deepseek", "moonshotai/", "qwen/", "meta.llama", "meta/", "mistral", "cohere.", "cohere/", "cerebras/", "amazon.", "ai21",
)

// models finds names of models in settings and source code.
func (f *file) models(n int, s string) {
	padded := " " + s + " "
	for _, m := range pathModel.FindAllStringSubmatch(padded, 4) {
		switch {
		case f.seen.Has(livekitSigns):
			f.add("livekit", KindModel, m[1], "inference", "", n)
		case f.seen.Has(routerSigns):
			f.add("openrouter", KindModel, m[1], "", "", n)
		case f.seen.Has(gatewaySigns):
			f.add("vercel", KindModel, m[1], "ai-gateway", "", n)
		default:
			f.add("livekit", KindModel, m[1], "inference", "", n)
		}
	}
	for _, m := range bedrockID.FindAllStringSubmatch(padded, 4) {
		f.add("aws", KindModel, m[1], "bedrock", "", n)
	}
	for _, m := range plainModel.FindAllStringSubmatch(padded, 4) {
		low := strings.ToLower(m[1])
		for _, v := range modelVendors {
			if strings.HasPrefix(low, v.start) {
				f.add(v.provider, KindModel, m[1], "", "", n)
				if v.provider == "google-gemini" {
					f.add("google-cloud", KindModel, m[1], "vertex-ai", "", n)
				}
				break
			}
		}
	}
}
