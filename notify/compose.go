package notify

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"downwind"
)

// maxQuote is how much of a provider's post is quoted, in characters.
const maxQuote = 600

// ComposeOptions is what a message needs beside its alert.
type ComposeOptions struct {
	// BaseURL is the address of our own pages ("https://downwind.example"); empty: no links to them.
	BaseURL string
	// StatusURL is the provider's status page from the catalogue. Links that the incident carries are shown only when
	// they stay on its site; empty: any http or https address of the incident is shown.
	StatusURL string
	// Root asks for the root's text, which always shows the newest state; otherwise the reply for this version is made.
	Root bool
	// Version is the version of the delivery, 1 for the first; it makes links of replies unique.
	Version int
	// Delivery is the message's own key, see Key.
	Delivery string
	// Location is the team's zone for platforms that cannot show the reader's; nil: UTC only.
	Location *time.Location
	// AckedBy and AckedAt show on the root who has taken it; empty: nobody.
	AckedBy string
	AckedAt time.Time
	// DoneBy says who has worked through the checklist; empty: nobody.
	DoneBy string
	// Continued says that an earlier root was deleted and this one goes on for it.
	Continued bool
	// Command is the chat command that works here ("/feed"); empty: "/feed".
	Command string
}

// composer builds one message.
type composer struct {
	a downwind.Alert
	o ComposeOptions
}

// Compose says what one version of a delivery has to say: the root's newest state or the reply for this version. It is
// pure: the same input gives the same message.
func Compose(a downwind.Alert, o ComposeOptions) Message {
	if o.Command == "" {
		o.Command = "/feed"
	}
	if a.ProviderName == "" {
		a.ProviderName = a.Incident.Provider
	}
	a.ProviderName = OneLine(a.ProviderName)
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	c := &composer{a: a, o: o}
	if a.Announcement != nil {
		m := c.announcement()
		m.Location, m.Alert = o.Location, &a
		if !o.Root {
			m.Anchor = fmt.Sprintf("u%d", o.Version)
		}
		m.Text = strings.TrimSpace(m.Title + "\n\n" + Plain(m))
		return m
	}
	var m Message
	if o.Root {
		m = c.root()
	} else {
		m = c.reply()
	}
	m.Delivery, m.Incident, m.Kind = o.Delivery, a.Incident.Key(), string(a.Kind)
	m.URL = c.pageURL("")
	m.Thread = Cut(c.a.ProviderName+": "+c.title(), 100)
	m.Broadcast = !o.Root && a.Broadcast
	m.Silent = a.Quiet || a.Incident.Kind == downwind.KindMaintenance || (!o.Root && !a.Broadcast)
	if a.Push && !m.Silent {
		m.Mention = a.Mention
	}
	if !o.Root {
		m.Anchor = fmt.Sprintf("u%d", o.Version)
	}
	if a.Sample {
		m.Title = "Sample: " + m.Title
		m.Footer = append([]Run{plain("This is a sample, not a real incident. ")}, m.Footer...)
	}
	m.Actions = usable(m.Actions)
	m.Alert, m.Location = &a, o.Location
	lead := c.lead(m)
	m.Text = strings.TrimSpace(lead + "\n\n" + Plain(m))
	return m
}

// usable drops buttons without a target.
func usable(in []Action) []Action {
	var out []Action
	for _, a := range in {
		if a.URL != "" || a.ID != "" {
			out = append(out, a)
		}
	}
	return out
}

func (c *composer) title() string {
	t := OneLine(c.a.Incident.Title)
	if t == "" {
		t = "incident without a title"
	}
	return t
}

// yours reports whether the team is hit as far as is known now.
func (c *composer) yours() bool { return c.a.Match.Affected }

// freed reports whether the team was told of the incident and is out of it now.
func (c *composer) freed() bool {
	return !c.a.Match.Affected && c.a.Because == "" && c.a.Match.Verdict != ""
}

func (c *composer) has(kind downwind.ChangeKind) bool {
	if c.a.Kind == kind {
		return true
	}
	for _, ch := range c.a.Changes {
		if ch.Kind == kind {
			return true
		}
	}
	return false
}

// withdrawn reports whether the page no longer shows the incident.
func (c *composer) withdrawn() bool { return c.a.Kind == downwind.ChangeWithdrawn }

func (c *composer) maintenance() bool { return c.a.Incident.Kind == downwind.KindMaintenance }

func (c *composer) over() bool { return c.a.Incident.Phase.Over() }

// tone is the look of the newest state.
func (c *composer) tone() Tone {
	in := c.a.Incident
	switch {
	case c.withdrawn():
		return ToneEdited
	case c.maintenance():
		return ToneMaintenance
	case in.Phase.Over():
		return ToneResolved
	case in.Phase == downwind.Monitoring:
		return ToneMonitoring
	case in.Impact == downwind.ImpactCritical:
		return ToneCritical
	case in.Impact == downwind.ImpactMajor:
		return ToneMajor
	}
	return ToneMinor
}

// pageURL is the incident's address: on our pages, or without them on the provider's.
func (c *composer) pageURL(suffix string) string {
	if c.o.BaseURL == "" {
		if suffix != "" {
			return ""
		}
		return c.providerURL()
	}
	in := c.a.Incident
	return SafeURL(c.o.BaseURL + "/incidents/" + url.PathEscape(in.Provider) + "/" + url.PathEscape(in.ID) + suffix)
}

// diffURL is the address of the difference between the two versions, empty where it is not known.
func (c *composer) diffURL() string {
	if c.a.Version == 0 || c.a.PrevVersion == 0 {
		return ""
	}
	return c.pageURL(fmt.Sprintf("/diff/%d..%d", c.a.PrevVersion, c.a.Version))
}

// providerURL is where the provider itself tells of it: the incident's own link when it stays on the provider's site,
// else the status page.
func (c *composer) providerURL() string {
	own := SafeURL(c.a.Incident.URL)
	page := SafeURL(c.o.StatusURL)
	if page == "" || own == "" {
		return own + page
	}
	if sameSite(own, page) {
		return own
	}
	return page
}

// shortLinks are hosts on which platforms of status pages keep their short links.
var shortLinks = map[string]bool{"stspg.io": true}

func sameSite(a, b string) bool {
	ua, err1 := url.Parse(a)
	ub, err2 := url.Parse(b)
	if err1 != nil || err2 != nil {
		return false
	}
	ha, hb := strings.ToLower(ua.Hostname()), strings.ToLower(ub.Hostname())
	if ha == hb || shortLinks[ha] {
		return true
	}
	sa, err1 := publicsuffix.EffectiveTLDPlusOne(ha)
	sb, err2 := publicsuffix.EffectiveTLDPlusOne(hb)
	return err1 == nil && err2 == nil && sa == sb
}

// SafeURL returns an http or https address in a form that no markup can break out of, or "" for anything else.
func SafeURL(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return ""
	}
	for _, r := range u.Host {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-:[]", r)) {
			return ""
		}
	}
	out := u.String()
	var b strings.Builder
	for i := 0; i < len(out); i++ {
		switch ch := out[i]; {
		case ch <= ' ' || ch >= 0x7F || strings.IndexByte("<>|\"'`(){}\\^*@!", ch) >= 0:
			fmt.Fprintf(&b, "%%%02X", ch)
		default:
			b.WriteByte(ch)
		}
	}
	if b.Len() > 500 {
		return ""
	}
	return b.String()
}

// lead is the first sentence of the plain form: what a notification shows and a screen reader says first.
func (c *composer) lead(m Message) string {
	var s []string
	s = append(s, strings.TrimSuffix(m.Title, ".")+".")
	if c.a.Sample {
		s = append(s, "This is a sample.")
	}
	if c.o.Root && !c.maintenance() && !c.withdrawn() && !c.over() {
		s = append(s, "State: "+PhaseWord(c.a.Incident.Phase)+".")
	}
	if c.withdrawn() {
		return Cut(strings.Join(append(s, "It was removed from the page; nothing to replay by the provider's words."), " "), 600)
	}
	if names := c.a.Match.Components; c.yours() && len(names) > 0 {
		s = append(s, "You use "+and(firstNames(names, 3))+".")
	}
	if c.over() && !c.maintenance() && !c.freed() {
		if p := c.a.Guidance.Replay; p != nil {
			s = append(s, "Replay "+ISOInterval(p.Start, p.End)+".")
		}
	} else if adv := c.a.Guidance.Advice; c.yours() && !c.over() && len(adv) > 0 {
		s = append(s, "Do now: "+OneLine(adv[0]))
	}
	return Cut(strings.Join(s, " "), 600)
}

func firstNames(names []string, n int) []string {
	out := make([]string, 0, n+1)
	for i, name := range names {
		if i == n && len(names) > n {
			out = append(out, fmt.Sprintf("%d more", len(names)-n))
			break
		}
		out = append(out, OneLine(name))
	}
	return out
}
