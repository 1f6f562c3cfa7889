package config

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"downwind"
	"downwind/internal/pattern"
	"downwind/secret"
)

// A check collects faults with key and line.
type check struct {
	text   string
	meta   toml.MetaData
	faults []error
}

func (c *check) fail(key, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if line := lineOf(c.text, key); line > 0 {
		c.faults = append(c.faults, fmt.Errorf("line %d: %s: %s", line, key, msg))
		return
	}
	c.faults = append(c.faults, fmt.Errorf("%s: %s", key, msg))
}

// lineOf finds the line of a dotted key ("slack.mode"), 0 where the text does not have it.
func lineOf(text, key string) int {
	table, name := "", key
	if i := strings.LastIndex(key, "."); i >= 0 {
		table, name = key[:i], key[i+1:]
	}
	current := ""
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			current = strings.Trim(strings.SplitN(line, "#", 2)[0], "[] \t")
			if current == key {
				return n + 1
			}
			continue
		}
		k, _, ok := strings.Cut(line, "=")
		k = strings.Trim(strings.TrimSpace(k), `"'`)
		if ok && (current == table && k == name || current == "" && k == key) {
			return n + 1
		}
	}
	return 0
}

func (c *check) all(cfg *Config, getenv func(string) string) {
	c.server(&cfg.Server, cfg, getenv)
	c.store(&cfg.Store, getenv)
	c.poll(&cfg.Poll)
	c.slack(cfg, getenv)
	c.discord(cfg, getenv)
	c.email(cfg, getenv)
	c.oidc(cfg, getenv)
	c.operator(cfg)
	c.archive(cfg)
	c.providers(cfg, getenv)
	c.teams(cfg)
	c.destinations(cfg, getenv)
	c.oneOf("log.level", cfg.Log.Level, "debug", "info", "warn", "error")
	c.oneOf("log.format", cfg.Log.Format, "text", "json")
}

func (c *check) oneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.fail(key, "%q is none of %s", value, strings.Join(allowed, ", "))
	}
}

// secret reads a secret from the variable or file that the configuration names. A variable that is named by default
// may be unset; one that the file names must be set.
func (c *check) secret(cfg *Config, key, env, file string, getenv func(string) string) secret.String {
	if secretLooking.MatchString(env) {
		c.fail(key+"_env", "this looks like the secret itself; name the environment variable that holds it (and renew the secret, it was written to a file)")
		return secret.String{}
	}
	if file != "" {
		b, err := os.ReadFile(cfg.Path(file))
		if err != nil {
			c.fail(key+"_file", "cannot read the secret: %v", err)
			return secret.String{}
		}
		return secret.New(strings.TrimSpace(string(b)))
	}
	if env == "" {
		return secret.String{}
	}
	v := strings.TrimSpace(getenv(env))
	if v == "" && c.meta.IsDefined(strings.Split(key+"_env", ".")...) {
		c.fail(key+"_env", "the environment variable %s is not set", env)
	}
	return secret.New(v)
}

func (c *check) server(s *Server, cfg *Config, getenv func(string) string) {
	if _, _, err := net.SplitHostPort(s.Listen); err != nil {
		c.fail("server.listen", "%q is no address such as \"127.0.0.1:8080\"", s.Listen)
	}
	if s.BaseURL != "" && !validURL(s.BaseURL) {
		c.fail("server.base_url", "%q is no http or https address", s.BaseURL)
	}
	if s.Pprof != "" {
		if host, _, err := net.SplitHostPort(s.Pprof); err != nil || !loopback(host) {
			c.fail("server.pprof", "%q is no loopback address; profiles are not for the network", s.Pprof)
		}
	}
	s.Proxies = c.prefixes("server.trusted_proxies", s.TrustedProxies)
	if (s.TLSCert == "") != (s.TLSKey == "") {
		c.fail("server.tls_cert", "tls_cert and tls_key go together")
	}
	if s.TLSCert != "" && len(s.ACMEDomains) > 0 {
		c.fail("server.acme_domains", "either certificate files or acme_domains, not both")
	}
	s.AdminToken = c.secret(cfg, "server.admin_token", s.AdminTokenEnv, s.AdminTokenFile, getenv)
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

func (c *check) prefixes(key string, list []string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			c.fail(key, "%q is no network such as \"10.0.0.0/8\"", s)
			continue
		}
		out = append(out, p)
	}
	return out
}

func (c *check) store(s *Store, getenv func(string) string) {
	if s.URLEnv != "" {
		if s.URL != "" {
			c.fail("store.url_env", "either url or url_env, not both")
		}
		s.URL = getenv(s.URLEnv)
		if s.URL == "" {
			c.fail("store.url_env", "the environment variable %s is not set", s.URLEnv)
		}
	}
	if s.URL != "" && !strings.HasPrefix(s.URL, "sqlite:") && !strings.HasPrefix(s.URL, "postgres://") && !strings.HasPrefix(s.URL, "postgresql://") {
		c.fail("store.url", "begins with neither \"sqlite:\" nor \"postgres://\"")
	}
	if s.Retain.Duration < 0 {
		c.fail("store.retain", "must not be negative")
	}
}

// Polite is the interval under which a public page should not be asked; leastInterval what is accepted at all.
const (
	Polite        = 10 * time.Second
	leastInterval = 100 * time.Millisecond
)

func (c *check) poll(p *Poll) {
	if p.Interval.Duration < leastInterval {
		c.fail("poll.interval", "%s is too short; %s is the least, and under %s is impolite to anything but your own pages", p.Interval, leastInterval, Polite)
	}
	if !c.meta.IsDefined("poll", "hot_interval") {
		p.HotInterval.Duration = min(p.HotInterval.Duration, p.Interval.Duration)
	}
	if p.HotInterval.Duration < leastInterval || p.HotInterval.Duration > p.Interval.Duration {
		c.fail("poll.hot_interval", "%s must lie between %s and poll.interval (%s)", p.HotInterval, leastInterval, p.Interval)
	}
	p.Private = c.prefixes("poll.allow_private", p.AllowPrivate)
}

func (c *check) slack(cfg *Config, getenv func(string) string) {
	s := &cfg.Slack
	c.oneOf("slack.mode", s.Mode, "socket", "http")
	s.BotToken = c.secret(cfg, "slack.bot_token", s.BotTokenEnv, s.BotTokenFile, getenv)
	s.AppToken = c.secret(cfg, "slack.app_token", s.AppTokenEnv, s.AppTokenFile, getenv)
	s.SigningSecret = c.secret(cfg, "slack.signing_secret", s.SigningSecretEnv, s.SigningSecretFile, getenv)
	s.ClientSecret = c.secret(cfg, "slack.client_secret", s.ClientSecretEnv, s.ClientSecretFile, getenv)
	if s.APIURL != "" && (!validURL(s.APIURL) || !strings.HasSuffix(s.APIURL, "/api/")) {
		c.fail("slack.api_url", "%q does not end in /api/", s.APIURL)
	}
	if !s.On() {
		return
	}
	if s.Mode == "socket" && s.AppToken.IsZero() {
		c.fail("slack.mode", "socket mode needs an app-level token (xapp-…) with connections:write in app_token_env or app_token_file")
	}
	if s.Mode == "http" && s.SigningSecret.IsZero() {
		c.fail("slack.mode", "http mode needs signing_secret_env or signing_secret_file")
	}
	if s.ClientID != "" && (s.ClientSecret.IsZero() || cfg.Server.BaseURL == "" || cfg.Store.KeyFile == "") {
		c.fail("slack.client_id", "installing in several workspaces needs client_secret_env, server.base_url and store.key_file")
	}
}

func (c *check) discord(cfg *Config, getenv func(string) string) {
	d := &cfg.Discord
	c.oneOf("discord.mode", d.Mode, "gateway", "http")
	d.BotToken = c.secret(cfg, "discord.bot_token", d.BotTokenEnv, d.BotTokenFile, getenv)
	if d.APIURL != "" && (!validURL(d.APIURL) || !strings.HasSuffix(d.APIURL, "/api/v10")) {
		c.fail("discord.api_url", "%q does not end in /api/v10", d.APIURL)
	}
	if !d.On() {
		return
	}
	if d.ApplicationID == "" && d.Mode == "http" {
		c.fail("discord.application_id", "http mode needs it to register the commands (Developer Portal, General Information)")
	}
	if key, err := hex.DecodeString(d.PublicKey); d.Mode == "http" && (err != nil || len(key) != 32) {
		c.fail("discord.public_key", "http mode needs the application's public key: 64 hex digits")
	}
}

func (c *check) operator(cfg *Config) {
	o := cfg.Operator
	if o.Slack != "" && !cfg.Slack.On() {
		c.fail("operator.slack", "Slack is not configured")
	}
	if o.Discord != "" && !cfg.Discord.On() {
		c.fail("operator.discord", "Discord is not configured")
	}
	if o.Email != "" && cfg.Email.Addr == "" {
		c.fail("operator.email", "needs a mail server: email.addr (host:port) and email.from")
	}
}

func (c *check) email(cfg *Config, getenv func(string) string) {
	e := &cfg.Email
	e.Password = c.secret(cfg, "email.password", e.PasswordEnv, e.PasswordFile, getenv)
	if e.Addr == "" {
		return
	}
	if _, _, err := net.SplitHostPort(e.Addr); err != nil {
		c.fail("email.addr", "%q is no host:port", e.Addr)
	}
	c.oneOf("email.security", e.Security, "", "starttls", "tls", "none")
	if e.From == "" {
		c.fail("email.from", "is missing: the sender of the mails")
	}
}

func (c *check) oidc(cfg *Config, getenv func(string) string) {
	o := &cfg.OIDC
	o.ClientSecret = c.secret(cfg, "oidc.client_secret", o.ClientSecretEnv, o.ClientSecretFile, getenv)
	if o.Issuer == "" {
		return
	}
	if !validURL(o.Issuer) {
		c.fail("oidc.issuer", "%q is no http or https address", o.Issuer)
	}
	if o.ClientID == "" || cfg.Server.BaseURL == "" {
		c.fail("oidc.client_id", "signing in needs oidc.client_id and server.base_url (the redirect address is base_url/login/oidc/callback)")
	}
	for _, g := range o.Grant {
		c.oneOf("oidc.grant.role", g.Role, "viewer", "editor", "admin")
		if g.Claim == "" || g.Value == "" || g.Team == "" {
			c.fail("oidc.grant", "claim, value and team are needed")
		}
	}
}

func (c *check) destinations(cfg *Config, getenv func(string) string) {
	seen := map[string]bool{}
	for i := range cfg.Destination {
		d := &cfg.Destination[i]
		if TeamID(d.Name) == "" {
			c.fail("destination.name", "is missing or has no letter or digit")
		}
		if seen[d.Kind+d.Name] {
			c.fail("destination.name", "%q stands twice", d.Name)
		}
		seen[d.Kind+d.Name] = true
		c.oneOf("destination.kind", d.Kind, "webhook", "teams", "pagerduty", "alertmanager", "ntfy", "post", "email")
		if !slices.ContainsFunc(cfg.Team, func(t Team) bool { return TeamID(t.Name) == TeamID(d.Team) }) {
			c.fail("destination.team", "there is no [[team]] named %q", d.Team)
		}
		if d.URL != "" && !validURL(d.URL) {
			c.fail("destination.url", "%q is no http or https address", d.URL)
		}
		d.Address = secret.New(d.URL)
		if d.URLEnv != "" || d.URLFile != "" {
			d.Address = c.secret(cfg, "destination.url", d.URLEnv, d.URLFile, getenv)
		}
		d.Key = c.secret(cfg, "destination.key", d.KeyEnv, d.KeyFile, getenv)
		d.Topic = c.secret(cfg, "destination.topic", d.TopicEnv, d.TopicFile, getenv)
		if d.Kind == "email" && (d.To == "" || cfg.Email.Addr == "") {
			c.fail("destination.to", "a mail destination needs to and a mail server ([email] addr)")
		}
		if d.Min != "" {
			c.oneOf("destination.min", d.Min, string(downwind.ImpactNone), string(downwind.ImpactMinor), string(downwind.ImpactMajor), string(downwind.ImpactCritical))
		}
		for _, k := range d.Kinds {
			c.oneOf("destination.kinds", k, "new", "update", "resolved", "postmortem", "edit", "maintenance")
		}
	}
}

func (c *check) archive(cfg *Config) {
	for _, a := range cfg.Archive.Authorities {
		if !validURL(a.URL) {
			c.fail("archive.timestamp.url", "%q is no http or https address", a.URL)
		}
	}
	for _, url := range cfg.Archive.Calendars {
		if !validURL(url) {
			c.fail("archive.opentimestamps", "%q is no http or https address", url)
		}
	}
}

var (
	slugForm    = pattern.New(`^[a-z0-9][a-z0-9-]{0,62}$`)
	quietForm   = pattern.New(`^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$`)
	slackForm   = pattern.New(`^[CGD][A-Z0-9]{6,}$`)
	discordForm = pattern.New(`^\d{15,22}$`)
)

func (c *check) providers(cfg *Config, getenv func(string) string) {
	seen := map[string]bool{}
	for i := range cfg.Provider {
		p := &cfg.Provider[i]
		if !slugForm.MatchString(p.Slug) {
			c.fail("provider.slug", "%q is no slug: lower-case letters, digits and hyphens", p.Slug)
		}
		if seen[p.Slug] {
			c.fail("provider.slug", "%q stands twice", p.Slug)
		}
		seen[p.Slug] = true
		if p.StatusURL != "" && !validURL(p.StatusURL) {
			c.fail("provider.status_url", "%q is no http or https address", p.StatusURL)
		}
		if p.Interval.Duration != 0 && p.Interval.Duration < leastInterval {
			c.fail("provider.interval", "%s is too short; %s is the least", p.Interval, leastInterval)
		}
		if p.WebhookSecretEnv != "" {
			p.WebhookSecret = c.secret(cfg, "provider.webhook_secret", p.WebhookSecretEnv, "", getenv)
		}
	}
}

func (c *check) teams(cfg *Config) {
	names, channels := map[string]bool{}, map[string]string{}
	for i := range cfg.Team {
		t := &cfg.Team[i]
		id := TeamID(t.Name)
		if id == "" {
			c.fail("team.name", "is missing or has no letter or digit")
		}
		if names[id] {
			c.fail("team.name", "%q stands twice", t.Name)
		}
		names[id] = true
		if len(t.Stack) == 0 && t.Slack == "" && t.Discord == "" && !t.Console {
			c.fail("team.name", "team %q has neither a stack nor a channel", t.Name)
		}
		for _, ch := range []struct{ key, value string }{{"slack", t.Slack}, {"discord", t.Discord}} {
			if ch.value == "" {
				continue
			}
			if other := channels[ch.value]; other != "" {
				c.fail("team."+ch.key, "channel %s belongs to team %q already; a channel belongs to one team", ch.value, other)
			}
			channels[ch.value] = t.Name
		}
		if t.Slack != "" && !slackForm.MatchString(t.Slack) {
			c.fail("team.slack", "%q is no channel id such as \"C0123456789\" (in Slack: channel details, at the bottom)", t.Slack)
		}
		if t.Discord != "" && !discordForm.MatchString(t.Discord) {
			c.fail("team.discord", "%q is no channel id (in Discord: developer mode on, right click the channel, Copy Channel ID)", t.Discord)
		}
		if t.Slack != "" && !cfg.Slack.On() {
			c.fail("team.slack", "team %q has a Slack channel, but Slack is not configured (no bot token)", t.Name)
		}
		if t.Discord != "" && !cfg.Discord.On() {
			c.fail("team.discord", "team %q has a Discord channel, but Discord is not configured (no bot token)", t.Name)
		}
		c.team(t)
	}
}

func (c *check) team(t *Team) {
	if t.Min != "" {
		c.oneOf("team.min", t.Min, string(downwind.ImpactNone), string(downwind.ImpactMinor), string(downwind.ImpactMajor), string(downwind.ImpactCritical))
	}
	for _, k := range t.Kinds {
		c.oneOf("team.kinds", k, "new", "update", "resolved", "postmortem", "edit", "maintenance")
	}
	if t.Timezone != "" {
		if _, err := time.LoadLocation(t.Timezone); err != nil {
			c.fail("team.timezone", "%q is no IANA name such as \"Europe/Berlin\"", t.Timezone)
		}
	}
	if t.Quiet != "" && !quietForm.MatchString(t.Quiet) {
		c.fail("team.quiet", "%q is no span such as \"22:00-07:00\"", t.Quiet)
	}
	if r := t.Remind.Duration; r != 0 && (r < downwind.RemindLeast || r > downwind.RemindMost) {
		c.fail("team.remind", "%s must lie between %s and %s", r, downwind.RemindLeast, downwind.RemindMost)
	}
}

// TeamID makes the key of a team from its name: letters and digits in lower case, everything else a hyphen.
func TeamID(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
