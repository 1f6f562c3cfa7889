package downwind

import "time"

// An Install is a workspace that added the app by OAuth. Its token is stored encrypted only.
type Install struct {
	// Platform and Workspace are those of its destinations; Enterprise is Slack's organisation, empty without.
	Platform, Workspace, Enterprise string
	// Name is the workspace's own; App and Bot the platform's ids of the app and its user; Installer who added it.
	Name, App, Bot, Installer string
	Scopes                    []string
	// Token is the bot token. It is left out of JSON and of every print.
	Token string `json:"-"`
	At    time.Time
}

// String names the install without its token.
func (i Install) String() string { return i.Platform + ":" + i.Workspace + " (" + i.Name + ")" }

// GoString keeps the token out of %#v.
func (i Install) GoString() string { return i.String() }
