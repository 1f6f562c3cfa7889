package slack

import (
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

// apiURL is the address with the final slash that slack-go needs.
func apiURL(s string) string {
	if s == "" {
		return ""
	}
	return strings.TrimRight(s, "/") + "/"
}
