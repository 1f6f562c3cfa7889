package python

import (
	"strings"
	"sync"

	"downwind/stackparse"
)

// plugins are packages whose extras install the plug-in of a vendor; the extra's name is put into the pattern.
var plugins = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"livekit-agents": "livekit-plugins-%", "apache-airflow": "apache-airflow-providers-%", "langchain": "langchain-%",
		"opentelemetry-exporter": "", "llama-index": "llama-index-llms-%",
	}
})

// gateway reports whether a package talks to many vendors; the extra's name says which, by the table below.
func gateway(s string) bool {
	switch s {
	case "pipecat-ai", "django-anymail", "pydantic-ai", "pydantic-ai-slim", "dspy", "instructor",
		"django-storages", "celery", "kombu", "smart-open", "fsspec", "apache-libcloud", "vocode", "mem0ai",
		"crewai", "agno", "magentic", "marvin", "unstructured", "dask", "pandas", "universal-pathlib",
		"cloudpathlib", "social-auth-core", "apprise", "letta", "guidance", "embedchain", "autogen-ext", "smolagents":
		return true
	}
	return false
}

type vendor struct{ provider, service string }

var extraVendors = sync.OnceValue(func() map[string]vendor {
	return map[string]vendor{
		"openai": {"openai", ""}, "anthropic": {"anthropic", ""}, "deepgram": {"deepgram", ""}, "elevenlabs": {"elevenlabs", ""}, "cartesia": {"cartesia", ""},
		"groq": {"groq", ""}, "mistral": {"mistral-ai", ""}, "mistralai": {"mistral-ai", ""}, "cohere": {"cohere", ""}, "assemblyai": {"assemblyai", ""},
		"daily": {"daily", ""}, "livekit": {"livekit", ""}, "twilio": {"twilio", ""}, "azure": {"azure", ""}, "aws": {"aws", ""}, "bedrock": {"aws", "bedrock"},
		"boto3": {"aws", "s3"}, "s3": {"aws", "s3"}, "sqs": {"aws", "sqs"}, "dynamodb": {"aws", "dynamodb"}, "amazon-ses": {"aws", "ses"}, "gcs": {"google-cloud", "cloud-storage"},
		"gs": {"google-cloud", "cloud-storage"}, "gcp": {"google-cloud", ""}, "vertexai": {"google-cloud", "vertex-ai"}, "google": {"google-gemini", ""}, "google-genai": {"google-gemini", ""},
		"dropbox": {"dropbox", ""}, "postmark": {"postmark", ""}, "sendgrid": {"sendgrid", ""}, "mailgun": {"mailgun", ""}, "mailjet": {"mailjet", ""},
		"mandrill": {"mailchimp", "transactional"}, "brevo": {"brevo", ""}, "sendinblue": {"brevo", ""}, "resend": {"resend", ""}, "sparkpost": {"sparkpost", ""},
		"fireworks": {"fireworks", ""}, "together": {"together-ai", ""}, "cerebras": {"cerebras", ""}, "perplexity": {"perplexity", ""}, "deepseek": {"deepseek", ""},
		"rime": {"rime", ""}, "lmnt": {"lmnt", ""}, "playht": {"playht", ""}, "speechmatics": {"speechmatics", ""}, "gladia": {"gladia", ""}, "soniox": {"soniox", ""},
		"hume": {"hume", ""}, "tavus": {"tavus", ""}, "simli": {"simli", ""}, "fal": {"fal", ""}, "openrouter": {"openrouter", ""}, "langsmith": {"langsmith", ""},
		"posthog": {"posthog", ""}, "huggingface": {"huggingface", ""}, "sentry": {"sentry", ""}, "slack": {"slack", ""}, "pinecone": {"pinecone", ""},
		"azure-openai": {"azure", "azure-openai"}, "xai": {"xai", ""}, "grok": {"xai", ""}, "openpipe": {"openpipe", ""}, "neuphonic": {"neuphonic", ""},
	}
})

// extras takes in what the extras of a requirement install.
func extras(out *stackparse.Result, pkg, list string, base stackparse.Fact) {
	if list == "" {
		return
	}
	pkg = strings.ToLower(strings.ReplaceAll(pkg, "_", "-"))
	for e := range strings.SplitSeq(list, ",") {
		e = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(e), "_", "-"))
		if e == "" {
			continue
		}
		f := base
		f.Show = e
		if pattern := plugins()[pkg]; pattern != "" {
			f.Kind, f.Name = "pypi", strings.Replace(pattern, "%", e, 1)
			if pkg == "livekit-agents" {
				f.Except = "livekit"
			}
			out.Facts = append(out.Facts, f)
			continue
		}
		if pkg == "django-storages" {
			switch e {
			case "google":
				f.Kind, f.Name = "pypi", "google-cloud-storage"
				out.Facts = append(out.Facts, f)
				continue
			case "azure":
				f.Kind, f.Name = "pypi", "azure-storage-blob"
				out.Facts = append(out.Facts, f)
				continue
			}
		}
		if v, ok := extraVendors()[e]; ok && gateway(pkg) {
			f.Kind, f.As, f.Provider, f.Service, f.Name = stackparse.KindUse, "pypi", v.provider, v.service, e
			if f.State == stackparse.Firm && !f.Dev {
				f.State = stackparse.Loose
			}
			out.Facts = append(out.Facts, f)
		}
	}
}
