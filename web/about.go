package web

import (
	"html/template"
	"net/http"
	"strings"
)

// An aboutSection is a part of the page about the installation. Words between backticks are code.
type aboutSection struct {
	Title string      `json:"title"`
	Items []aboutItem `json:"items"`
}

// An aboutItem is a sentence, or a term with what it means.
type aboutItem struct {
	Term string `json:"term,omitempty"`
	Text string `json:"text"`
	// Path leads to a page of ours, with Link as its words; empty: none.
	Path string `json:"path,omitempty"`
	Link string `json:"-"`
}

const aboutLead = "Downwind reads the status pages of the providers you depend on and tells you when one breaks, whether that hits you, when it really was, and what to do."

func sentences(texts ...string) []aboutItem {
	items := make([]aboutItem, len(texts))
	for i, text := range texts {
		items[i].Text = text
	}
	return items
}

var aboutSections = []aboutSection{
	{"What we promise", sentences(
		"One message per incident and channel. It is kept up to date; what follows goes into its thread.",
		"Every message says why you get it: the file and the line of your stack, and the words of the incident.",
		"Periods come from the provider’s words first and from its page’s clock only where there are none, and then we say so.",
		"Every state of every post that we read is kept. Changes without notice are shown as differences.",
		"Silence is not health: a source that cannot be read is shown as such, not as quiet.",
		"What you upload is read for names, hosts and regions. Values are dropped; files are not kept.",
	)},
	{"What we cannot know", sentences(
		"What a provider does not post. Many outages are posted late, some never.",
		"Whether your own requests failed. The periods say where to look.",
		"Why something broke, beyond what the provider says.",
	)},
	{"Words on these pages", []aboutItem{
		{Term: "Impact", Text: "What the provider’s page says of the gravity: minor, major or critical. Where it says nothing, we say so and guess nothing."},
		{Term: "Hits you", Text: "Your stack uses what is broken. “Sure” and “likely” are what your files show; “possibly” means that one question stays open, such as the region."},
		{Term: "Replay period", Text: "The stretch in which requests may have failed, with a margin: what to re-run, or to search your logs for."},
		{Term: "Silent edit", Text: "A past post that the provider changed without saying so. We keep the text before and after."},
		{Term: "Read", Text: "The source was read well a short time ago. Only one that is read and reports nothing is healthy."},
		{Term: "Stale", Text: "It was read well, but too long ago to be trusted."},
		{Term: "Cannot be read", Text: "It answers with errors, or with something that is no status page."},
		{Term: "Moved", Text: "It now stands at another address, which somebody should confirm."},
	}},
	{"Use it elsewhere", []aboutItem{
		{Text: "Feeds: `/feed?provider=SLUG` as RSS; add `format=atom` or `format=json`, `component=`, `region=`, `min=`, `kinds=`."},
		{Text: "Nearly every page is also Markdown and JSON: put `.md` or `.json` behind its address. Incidents are calendar entries too (`.ics`), and their periods are CSV."},
		{Text: "A badge for a README: `/badges/SLUG.svg`."},
		{Text: "The API lists, judges and takes stacks.", Path: "/api/v1/openapi.yaml", Link: "Its description"},
	}},
	{"Help", []aboutItem{
		{Text: "In chat, `/feed help` lists the commands."},
		{Text: "If a page here is wrong, tell us.", Path: "/corrections", Link: "Report an error"},
	}},
}

// codeTag shows the words between backticks as code.
func codeTag(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		} else {
			b.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(b.String())
}

func (s *Server) showAbout(w http.ResponseWriter, r *http.Request) error {
	switch formOf(r) {
	case ".json":
		return writeJSON(w, r, struct {
			Schema   string         `json:"schema"`
			Lead     string         `json:"lead"`
			Sections []aboutSection `json:"sections"`
		}{"downwind.about/v1", aboutLead, aboutSections})
	case ".md":
		return writeMarkdown(w, r, s.aboutMarkdown(r))
	}
	v := s.view(r, "About", struct {
		Lead     string
		Sections []aboutSection
	}{aboutLead, aboutSections})
	v.Description = "What Downwind promises, how it reads status pages, and what it cannot know."
	v.Alternates = otherForms(r, "/about")
	return s.show(w, r, "about.html", v)
}

func (s *Server) aboutMarkdown(r *http.Request) string {
	var b strings.Builder
	b.WriteString("# About and help\n\n" + aboutLead + "\n")
	for _, section := range aboutSections {
		b.WriteString("\n## " + section.Title + "\n\n")
		for _, item := range section.Items {
			b.WriteString("- ")
			if item.Term != "" {
				b.WriteString("**" + item.Term + "**: ")
			}
			b.WriteString(item.Text)
			if item.Path != "" {
				b.WriteString(" [" + item.Link + "](" + s.baseFor(r) + item.Path + ")")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
