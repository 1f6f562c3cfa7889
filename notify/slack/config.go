package slack

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"downwind/secret"
)

// Config is what the configuration says of one Slack workspace.
type Config struct {
	// Token is the bot token ("xoxb-…").
	Token secret.String
	// APIURL replaces "https://slack.com/api/" (for tests); with or without the final slash.
	APIURL string
}

// Validate reports what keeps the configuration from working.
func (c Config) Validate() error {
	var errs []error
	if !c.Token.IsZero() && !strings.HasPrefix(c.Token.Reveal(), "xoxb-") {
		errs = append(errs, errors.New("token: a bot token begins with xoxb-; copy it from “OAuth & Permissions” of the app"))
	}
	if c.APIURL != "" {
		if u, err := url.Parse(c.APIURL); err != nil || u.Host == "" {
			errs = append(errs, fmt.Errorf("api_url: %q is not an address", c.APIURL))
		}
	}
	return errors.Join(errs...)
}

// apiURL is the address with the final slash that slack-go needs.
func apiURL(s string) string {
	if s == "" {
		return ""
	}
	return strings.TrimRight(s, "/") + "/"
}
