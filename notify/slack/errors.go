package slack

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"downwind/notify"
)

// repairs are the sentences for errors that need a person (docs.slack.dev/reference/methods/chat.postMessage).
var repairs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"not_in_channel":          "the app is not in the channel: type /invite @downwind there",
		"channel_not_found":       "the channel is deleted, or private without the app: type /invite @downwind there, or subscribe in another channel",
		"is_archived":             "the channel is archived: unarchive it, or subscribe in another channel",
		"missing_scope":           "the app lacks a permission: add the scope named in the log and install the app again",
		"restricted_action":       "the workspace's rules keep the app from posting here: ask an admin to allow it",
		"no_permission":           "the app may not post here: install it again with the scopes of the manifest",
		"not_allowed_token_type":  "the token is of the wrong kind: use the bot token (xoxb-…)",
		"ekm_access_denied":       "the workspace's admins have suspended posting: ask them",
		"team_access_not_granted": "the app is not granted to this workspace: ask an admin to add it",
		"access_denied":           "the app may not post here: ask an admin to allow it",
		"messages_tab_disabled":   "the app's message tab is off: turn it on under “App Home”",
		"cannot_dm_bot":           "a bot cannot be written to: choose a channel",
		"user_is_bot":             "a bot cannot be written to: choose a channel",
		"is_inactive":             "the channel is frozen: subscribe in another channel",
	}
})

// judge turns slack-go's error into a verdict; editing tells chat.update from chat.postMessage.
func judge(err error, editing bool) notify.Result {
	var limited *slackgo.RateLimitedError
	var status slackgo.StatusCodeError
	var answer slackgo.SlackErrorResponse
	r := notify.Result{Err: notify.Redact(err)}
	switch {
	case errors.As(err, &limited):
		r.Verdict, r.RetryAfter = notify.Wait, max(limited.RetryAfter, time.Second)
	case errors.As(err, &status):
		r.Verdict = statusVerdict(status.Code)
		if status.Code == http.StatusTooManyRequests {
			r.RetryAfter = 30 * time.Second
		}
	case errors.As(err, &answer):
		byName(&r, answer, editing)
	default:
		r.Verdict = notify.Transport(err)
	}
	return r
}

func statusVerdict(code int) notify.Verdict {
	switch {
	case code == http.StatusTooManyRequests:
		return notify.Wait
	case code >= 500, code == http.StatusRequestTimeout:
		return notify.Unclear
	}
	return notify.Rejected
}

// byName judges an error that Slack names.
func byName(r *notify.Result, answer slackgo.SlackErrorResponse, editing bool) {
	name := answer.Err
	switch name {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		r.Verdict, r.RetryAfter = notify.Wait, 30*time.Second
	case "fatal_error", "internal_error", "service_unavailable", "request_timeout", "team_added_to_org":
		r.Verdict = notify.Unclear
	case "token_revoked", "account_inactive", "invalid_auth", "token_expired", "not_authed":
		r.Verdict, r.Reason = notify.Revoked, "Slack no longer accepts this workspace's token ("+name+"): install the app again"
	case "message_not_found", "thread_not_found", "cannot_reply_to_message", "invalid_thread_ts":
		r.Verdict = notify.RootGone
	case "cant_update_message", "edit_window_closed", "cant_broadcast_message", "is_inactive_thread":
		r.Verdict = notify.NoEdit
		if !editing {
			r.Verdict = notify.NoThread
		}
	case "restricted_action_non_threadable_channel":
		r.Verdict = notify.NoThread
	case "missing_scope":
		r.Verdict = notify.Permanent
		r.Reason = fmt.Sprintf("the app lacks the scope %s (it has %s): add it and install the app again",
			orUnknown(answer.Needed), orUnknown(answer.Provided))
	default:
		if strings.HasPrefix(name, "restricted_action") {
			r.Verdict, r.Reason = notify.Permanent, repairs()["restricted_action"]+" ("+name+")"
			return
		}
		if repair, ok := repairs()[name]; ok {
			r.Verdict, r.Reason = notify.Permanent, repair
			return
		}
		r.Verdict, r.Reason = notify.Rejected, "Slack refused the message ("+notify.Cut(name, 60)+"): please report this as a fault of Downwind"
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
