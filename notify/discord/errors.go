package discord

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"downwind/notify"
)

// apiError is Discord's refusal without the request, whose headers hold the token.
type apiError struct {
	status, code int
	message      string
}

// Error implements error.
func (e *apiError) Error() string {
	return fmt.Sprintf("discord answered %d, code %d: %s", e.status, e.code, notify.Cut(notify.OneLine(e.message), 300))
}

// code is Discord's code of a refusal, the status where it gives none, 0 for other results.
func code(r notify.Result) int {
	var e *apiError
	if errors.As(r.Err, &e) {
		if e.code == 0 {
			return e.status
		}
		return e.code
	}
	return 0
}

func isUnknownChannel(r notify.Result) bool { return code(r) == 10003 }

// slowMode is how long we wait for limits of a channel that tell no time.
const slowMode = 30 * time.Second

// oldEdit is how long we wait after too many edits of an old message.
const oldEdit = 5 * time.Minute

// judge turns discordgo's error into a verdict.
func judge(err error) notify.Result {
	var limited *discordgo.RateLimitError
	var rest *discordgo.RESTError
	switch {
	case errors.As(err, &limited):
		d := time.Minute
		if limited.RateLimit != nil && limited.TooManyRequests != nil {
			d = limited.RetryAfter
		}
		return notify.Result{Verdict: notify.Wait, RetryAfter: max(d, 100*time.Millisecond), Err: errors.New("discord: rate limited")}
	case errors.As(err, &rest):
		e := &apiError{}
		if rest.Response != nil {
			e.status = rest.Response.StatusCode
		}
		if rest.Message != nil {
			e.code, e.message = rest.Message.Code, rest.Message.Message
		}
		r := byCode(e)
		r.Err = e
		return r
	case errors.Is(err, discordgo.ErrUnauthorized):
		return notify.Result{Verdict: notify.Revoked, Reason: badToken, Err: err}
	}
	// discordgo gives 502 as plain text; it may have been accepted.
	return notify.Result{Verdict: notify.Transport(err), Err: notify.Redact(err)}
}

const badToken = "Discord no longer accepts the bot token: make a new one in the developer portal and put it into the configuration"

// byCode is the table of Discord's codes (docs.discord.com/developers/topics/opcodes-and-status-codes).
func byCode(e *apiError) notify.Result {
	permanent := func(reason string) notify.Result {
		return notify.Result{Verdict: notify.Permanent, Reason: reason}
	}
	switch e.code {
	case 40001:
		return notify.Result{Verdict: notify.Revoked, Reason: badToken}
	case 50001:
		return permanent("the app cannot see this channel: give it “View Channel” and “Send Messages” there")
	case 50013:
		return permanent("the app lacks a permission here: give it “Send Messages”, “Embed Links”, “Read Message History”, “Create Public Threads” and “Send Messages in Threads”")
	case 10003, 10004:
		return permanent("the channel or server is gone, or the app was removed: subscribe in another channel or invite the app again")
	case 10015, 50027:
		return permanent("the webhook is gone: make a new one")
	case 40067:
		return permanent("this forum asks for a tag: choose a text channel")
	case 50008:
		return permanent("messages cannot be sent to this kind of channel: choose a text channel")
	case 10008:
		return notify.Result{Verdict: notify.RootGone}
	case 50005:
		return notify.Result{Verdict: notify.NoEdit}
	case 50083, 160005, 160006:
		return notify.Result{Verdict: notify.NoThread}
	case 30046:
		return notify.Result{Verdict: notify.Wait, RetryAfter: oldEdit}
	case 20016, 20028, 40062:
		return notify.Result{Verdict: notify.Wait, RetryAfter: slowMode}
	case 200000, 240000:
		return notify.Result{
			Verdict: notify.Permanent,
			Reason:  "AutoMod or the link filter of this server blocks the text: exempt the app under Server Settings, AutoMod",
		}
	}
	switch {
	case e.status == http.StatusUnauthorized:
		return notify.Result{Verdict: notify.Revoked, Reason: badToken}
	case e.status == http.StatusTooManyRequests:
		return notify.Result{Verdict: notify.Wait, RetryAfter: slowMode}
	case e.status >= 500, e.status == http.StatusRequestTimeout:
		return notify.Result{Verdict: notify.Unclear}
	case e.status == http.StatusForbidden:
		return permanent(fmt.Sprintf("Discord forbids this (code %d): check the app's permissions in the channel", e.code))
	}
	return notify.Result{
		Verdict: notify.Rejected,
		Reason:  fmt.Sprintf("Discord refused the message (code %d): please report this as a fault of Downwind", e.code),
	}
}
