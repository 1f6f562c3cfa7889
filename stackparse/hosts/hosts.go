// Package hosts reads lists of host names (plain, CSV) and DNS zone files.
package hosts

import (
	"context"
	"path"
	"strings"
	"sync"

	"downwind/internal/pattern"
	"downwind/stackparse"
	"downwind/stackparse/internal/scan"
)

// Parser implements stackparse.Parser.
type Parser struct{}

// Name returns "domains".
func (Parser) Name() string { return "domains" }

var listName = pattern.New(`(?i)^(?:.*[-_.])?(?:domains?|hosts?|hostnames?|endpoints?|dns|zone|urls?|egress|upstreams?)(?:[-_.].*)?\.(?:txt|csv|tsv|list|zone)$|\.zone$|^db\.[a-z0-9.-]+$`)

// Claims takes lists by their name, and zone files.
func (Parser) Claims(p string) bool {
	base := path.Base(p)
	return listName.MatchString(base) || strings.HasSuffix(base, ".txt") && !strings.Contains(base, "requirements") && path.Dir(p) == "."
}

// zoneLine is a record of a zone: name, TTL and class optional, type, data.
var zoneLine = pattern.New(`(?i)^(\S+)?\s+(?:\d+[smhdw]?\s+)?(?:IN\s+)?(?:\d+\s+)?(CNAME|MX|NS|TXT|SRV|ALIAS|ANAME|A|AAAA|SPF|CAA|HTTPS)\s+(.+)$`)

// Parse reads one file. Only files that are lists for the most part are taken: prose with a link in it is not.
func (Parser) Parse(_ context.Context, in stackparse.Input, out *stackparse.Result) {
	text := string(in.Data)
	if strings.Contains(text, "$ORIGIN") || zoneShare(text) {
		out.Kind = "zone"
		zone(in, out)
		return
	}
	total, good := 0, 0
	scan.Lines(in.Data, func(_ int, l string) {
		if l = entry(l); l != "" {
			total++
			if strings.Contains(l, ".") && strings.Count(l, " ") < 3 {
				good++
			}
		}
	})
	if total == 0 || good*2 < total {
		if !listName.MatchString(path.Base(in.Path)) {
			out.Kind = stackparse.Unread
			return
		}
	}
	scan.Lines(in.Data, func(line int, l string) {
		if l = entry(l); l == "" {
			return
		}
		out.Dependencies++
		for field := range strings.FieldsFuncSeq(l, func(r rune) bool { return r == ',' || r == '"' || r == '\t' || r == ';' || r == '|' }) {
			field = strings.TrimSpace(field)
			if field == "" || strings.ContainsRune(field, ' ') && !strings.Contains(field, "://") {
				// "127.0.0.1 api.example.com" of a hosts file
				for w := range strings.FieldsSeq(field) {
					out.Value(stackparse.Setting{Name: "entry", Line: line, Listed: true}, w, stackparse.Firm)
				}
				continue
			}
			out.Value(stackparse.Setting{Name: "entry", Line: line, Listed: true}, field, stackparse.Firm)
		}
	})
}

// entry takes the comment off a line.
func entry(l string) string {
	l = strings.TrimSpace(l)
	if l == "" || l[0] == '#' || l[0] == ';' || strings.HasPrefix(l, "//") {
		return ""
	}
	for _, c := range []string{" #", "\t#", " ;", "\t;", " //"} {
		l, _, _ = strings.Cut(l, c)
	}
	return strings.TrimSpace(l)
}

func zoneShare(text string) bool {
	total, good := 0, 0
	for l := range strings.Lines(text) {
		if l = entry(l); l != "" {
			total++
			if zoneLine.MatchString(l) {
				good++
			}
		}
	}
	return good > 0 && good*2 > total
}

// verifications are TXT records that prove a domain to a vendor; only those that come with using the vendor's mail,
// payments or work tools say anything.
var verifications = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"stripe-verification": "stripe", "atlassian-domain-verification": "atlassian", "docusign": "docusign", "zoom-verification": "zoom",
		"dropbox-domain-verification": "dropbox", "slack-domain-verification": "slack", "adobe-idp-site-verification": "adobe", "twilio-domain-verification": "twilio",
		"shopify-verification-code": "shopify", "notion-domain-verification": "notion", "miro-verification": "miro", "1password-site-verification": "1password",
		"openai-domain-verification": "openai", "cursor-domain-verification": "cursor", "anthropic-domain-verification": "anthropic", "hubspot-developer-verification": "hubspot",
	}
})

var txtHost = pattern.New(`(?i)\b(?:include|redirect|a|mx|exists)[:=]([a-z0-9._-]+\.[a-z]{2,})`)

func zone(in stackparse.Input, out *stackparse.Result) {
	scan.Lines(in.Data, func(line int, text string) {
		if l := entry(text); l == "" || l[0] == '$' {
			return
		}
		m := zoneLine.FindStringSubmatch(text)
		if m == nil {
			return
		}
		out.Dependencies++
		rdata := m[3]
		set := stackparse.Setting{Name: "record", Line: line, Listed: true}
		switch strings.ToUpper(m[2]) {
		case "TXT", "SPF":
			for _, h := range txtHost.FindAllStringSubmatch(rdata, -1) {
				out.Value(set, h[1], stackparse.Firm)
			}
			for word, provider := range verifications() {
				if strings.Contains(strings.ToLower(rdata), word) {
					out.Add(stackparse.Fact{Kind: stackparse.KindUse, Provider: provider, Name: word, Line: line})
				}
			}
		case "CNAME", "NS", "MX", "SRV", "ALIAS", "ANAME", "HTTPS":
			rdata, _, _ = strings.Cut(rdata, ";")
			w := strings.Fields(rdata)
			if len(w) > 0 {
				out.Value(set, w[len(w)-1], stackparse.Firm)
			}
		}
	})
}
