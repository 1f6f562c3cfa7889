// Package config reads config.toml: defaults, decoding over them, and a check that names the key and the line.
//
// A secret never stands in the file: a key ending in _env names an environment variable, one ending in _file a file.
// Relative paths are relative to the file.
package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"downwind"
	"downwind/internal/pattern"
	"downwind/secret"
)

// Config is the whole configuration. Every key stands with a comment in config.example.toml.
type Config struct {
	Server      Server        `toml:"server"`
	Store       Store         `toml:"store"`
	Poll        Poll          `toml:"poll"`
	Catalog     Catalog       `toml:"catalog"`
	Slack       Slack         `toml:"slack"`
	Discord     Discord       `toml:"discord"`
	Operator    Operator      `toml:"operator"`
	Email       Email         `toml:"email"`
	OIDC        OIDC          `toml:"oidc"`
	Archive     Archive       `toml:"archive"`
	Log         Log           `toml:"log"`
	Provider    []Provider    `toml:"provider"`
	Team        []Team        `toml:"team"`
	Destination []Destination `toml:"destination"`

	// Dir is the folder of the file; relative paths start there.
	Dir string `toml:"-"`
}

// Server is the web side.
type Server struct {
	Listen         string   `toml:"listen"`
	BaseURL        string   `toml:"base_url"`
	Public         bool     `toml:"public"`
	TrustedProxies []string `toml:"trusted_proxies"`
	AdminTokenEnv  string   `toml:"admin_token_env"`
	AdminTokenFile string   `toml:"admin_token_file"`
	Pprof          string   `toml:"pprof"`
	TLSCert        string   `toml:"tls_cert"`
	TLSKey         string   `toml:"tls_key"`
	ACMEDomains    []string `toml:"acme_domains"`
	WebSubHub      string   `toml:"websub_hub"`
	RiverUI        bool     `toml:"river_ui"`

	AdminToken secret.String  `toml:"-"`
	Proxies    []netip.Prefix `toml:"-"`
}

// Store is the database.
type Store struct {
	URL     string `toml:"url"`
	URLEnv  string `toml:"url_env"`
	KeyFile string `toml:"key_file"`
	Retain  Span   `toml:"retain"`
}

// Poll is how sources are read.
type Poll struct {
	Interval     Span     `toml:"interval"`
	HotInterval  Span     `toml:"hot_interval"`
	All          bool     `toml:"all"`
	AllowPrivate []string `toml:"allow_private"`
	Contact      string   `toml:"contact"`

	Private []netip.Prefix `toml:"-"`
}

// Catalog names the users' own additions.
type Catalog struct {
	Overlay    string `toml:"overlay"`
	Signatures string `toml:"signatures"`
}

// Slack is the Slack side; without a bot token it is off.
type Slack struct {
	Mode              string `toml:"mode"`
	BotTokenEnv       string `toml:"bot_token_env"`
	BotTokenFile      string `toml:"bot_token_file"`
	AppTokenEnv       string `toml:"app_token_env"`
	AppTokenFile      string `toml:"app_token_file"`
	SigningSecretEnv  string `toml:"signing_secret_env"`
	SigningSecretFile string `toml:"signing_secret_file"`
	ClientID          string `toml:"client_id"`
	ClientSecretEnv   string `toml:"client_secret_env"`
	ClientSecretFile  string `toml:"client_secret_file"`
	APIURL            string `toml:"api_url"`

	BotToken, AppToken, SigningSecret, ClientSecret secret.String `toml:"-"`
}

// On reports whether Slack is configured.
func (s *Slack) On() bool { return !s.BotToken.IsZero() || s.ClientID != "" }

// Discord is the Discord side; without a bot token it is off.
type Discord struct {
	Mode          string   `toml:"mode"`
	BotTokenEnv   string   `toml:"bot_token_env"`
	BotTokenFile  string   `toml:"bot_token_file"`
	ApplicationID string   `toml:"application_id"`
	PublicKey     string   `toml:"public_key"`
	ManagerRoles  []string `toml:"manager_roles"`
	APIURL        string   `toml:"api_url"`

	BotToken secret.String `toml:"-"`
}

// On reports whether Discord is configured.
func (d *Discord) On() bool { return !d.BotToken.IsZero() }

// Operator names who hears what concerns the installation itself.
type Operator struct {
	Slack   string `toml:"slack"`
	Discord string `toml:"discord"`
	Email   string `toml:"email"`
}

// Email is the outgoing mail server; without an address it is off.
type Email struct {
	Addr         string `toml:"addr"`
	Security     string `toml:"security"`
	User         string `toml:"user"`
	PasswordEnv  string `toml:"password_env"`
	PasswordFile string `toml:"password_file"`
	From         string `toml:"from"`

	Password secret.String `toml:"-"`
}

// OIDC lets people sign in to the pages with a provider of identities; without an issuer it is off.
type OIDC struct {
	Issuer           string   `toml:"issuer"`
	Name             string   `toml:"name"`
	ClientID         string   `toml:"client_id"`
	ClientSecretEnv  string   `toml:"client_secret_env"`
	ClientSecretFile string   `toml:"client_secret_file"`
	Scopes           []string `toml:"scopes"`
	Grant            []Grant  `toml:"grant"`

	ClientSecret secret.String `toml:"-"`
}

// Grant gives a role in a team to everybody whose claim has a value.
type Grant struct {
	Claim string `toml:"claim"`
	Value string `toml:"value"`
	Team  string `toml:"team"`
	Role  string `toml:"role"`
}

// Destination is a place for a team's alerts beside its chat channels.
type Destination struct {
	Name string `toml:"name"`
	Team string `toml:"team"`
	// Kind is webhook, teams, pagerduty, alertmanager, ntfy, post or email.
	Kind string `toml:"kind"`
	// URL is the address where it is no secret; URLEnv and URLFile name one that is.
	URL     string `toml:"url"`
	URLEnv  string `toml:"url_env"`
	URLFile string `toml:"url_file"`
	// Key signs (webhook), routes (pagerduty) or opens (alertmanager and ntfy tokens).
	KeyEnv  string `toml:"key_env"`
	KeyFile string `toml:"key_file"`
	// Topic is ntfy's, a secret; To is the recipient of mails.
	TopicEnv  string            `toml:"topic_env"`
	TopicFile string            `toml:"topic_file"`
	To        string            `toml:"to"`
	Labels    map[string]string `toml:"labels"`
	// Body, Method, Header and Max say how a message is posted (post): a JSON object with {title} and {text}, POST or PUT, the
	// header that carries the key, and the longest text in characters.
	Body   string   `toml:"body"`
	Method string   `toml:"method"`
	Header string   `toml:"header"`
	Max    int      `toml:"max"`
	Min    string   `toml:"min"`
	Kinds  []string `toml:"kinds"`

	Address, Key, Topic secret.String `toml:"-"`
}

// Archive is the transparency log and its time stamps.
type Archive struct {
	Origin      string    `toml:"origin"`
	KeyFile     string    `toml:"key_file"`
	Authorities []TSA     `toml:"timestamp"`
	Witness     []Witness `toml:"witness"`
	// Calendars are addresses of OpenTimestamps calendars.
	Calendars []string `toml:"opentimestamps"`
}

// TSA is one RFC 3161 time-stamp authority.
type TSA struct {
	URL   string `toml:"url"`
	Roots string `toml:"roots"`
}

// Witness is one witness whose cosignatures are accepted, as a C2SP verifier key.
type Witness struct {
	Key string `toml:"key"`
	URL string `toml:"url"`
}

// Log is what is written to standard error.
type Log struct {
	Level  string `toml:"level"`
	Format string `toml:"format"`
}

// Provider adds a provider or changes one of the catalogue.
type Provider struct {
	Slug      string `toml:"slug"`
	Name      string `toml:"name"`
	StatusURL string `toml:"status_url"`
	Platform  string `toml:"platform"`
	Interval  Span   `toml:"interval"`
	// WebhookSecretEnv names the variable with the secret of /hooks/{slug}/….
	WebhookSecretEnv string        `toml:"webhook_secret_env"`
	WebhookSecret    secret.String `toml:"-"`
}

// Team pins a team, its stack and its channels.
type Team struct {
	Name     string   `toml:"name"`
	Stack    []string `toml:"stack"`
	Slack    string   `toml:"slack"`
	Discord  string   `toml:"discord"`
	Console  bool     `toml:"console"`
	Min      string   `toml:"min"`
	Kinds    []string `toml:"kinds"`
	Timezone string   `toml:"timezone"`
	Quiet    string   `toml:"quiet"`
	Remind   Span     `toml:"remind"`
}

// Span is a duration in Go's form ("60s").
type Span struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is no duration such as \"60s\"", b)
	}
	s.Duration = d
	return nil
}

// Default returns the configuration of a daemon without a file: the given database, loopback, nothing connected.
func Default() *Config {
	return &Config{
		Server:  Server{Listen: "127.0.0.1:8080", Public: true},
		Poll:    Poll{All: true, Interval: Span{time.Minute}, HotInterval: Span{20 * time.Second}},
		Slack:   Slack{Mode: "socket", BotTokenEnv: "SLACK_BOT_TOKEN", AppTokenEnv: "SLACK_APP_TOKEN", SigningSecretEnv: "SLACK_SIGNING_SECRET"},
		Discord: Discord{Mode: "gateway", BotTokenEnv: "DISCORD_BOT_TOKEN"},
		Log:     Log{Level: "info", Format: "text"},
	}
}

// Load reads and checks a file. getenv gives environment variables (os.Getenv). All faults are reported at once, each
// with its key and, where the file has it, its line.
func Load(path string, getenv func(string) string) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	cfg, err := Parse(string(text), filepath.Dir(path), getenv)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

// Parse reads and checks the text of a file that lies in dir.
func Parse(text, dir string, getenv func(string) string) (*Config, error) {
	cfg := Default()
	cfg.Dir = dir
	meta, err := toml.Decode(text, cfg)
	if err != nil {
		var perr toml.ParseError
		if errors.As(err, &perr) {
			return nil, fmt.Errorf("line %d: %s", perr.Position.Line, firstLine(perr.Message))
		}
		return nil, err
	}
	c := check{text: text, meta: meta}
	for _, key := range meta.Undecoded() {
		c.fail(key.String(), "unknown key%s", hint(key))
	}
	c.all(cfg, getenv)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	return cfg, nil
}

// Offline fills secrets and checks a configuration that came from no file.
func (cfg *Config) Offline(getenv func(string) string) error {
	c := check{}
	c.all(cfg, getenv)
	return errors.Join(c.faults...)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// secretLooking finds secrets that were written into the file itself.
var secretLooking = pattern.New(`^(xox[a-z]-|xapp-|whsec_|ghp_|AKIA)|^[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}$`)

// hint tells what to do about keys that people often write.
func hint(key toml.Key) string {
	last := key[len(key)-1]
	for _, s := range []string{"bot_token", "app_token", "signing_secret", "client_secret", "admin_token"} {
		if last == s {
			return fmt.Sprintf("; a secret does not stand in the file: name an environment variable with %s_env or a file with %s_file", s, s)
		}
	}
	return ""
}

// Provider returns the overlay as domain providers.
func (p Provider) Provider() downwind.Provider {
	return downwind.Provider{
		Slug: p.Slug, Name: p.Name, StatusURL: p.StatusURL, Platform: p.Platform, Interval: p.Interval.Duration, Verified: true,
	}
}

// Path makes a path of the file absolute or relative to the file's folder.
func (cfg *Config) Path(p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(cfg.Dir, p)
}

// validURL reports whether s is an absolute http(s) address without credentials.
func validURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}
