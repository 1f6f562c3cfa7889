package discord

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bwmarrin/discordgo"

	"downwind"
	"downwind/notify"
)

// needed are the permissions that a channel must give us, in the words of Discord's settings. Without those that are not
// vital Downwind goes on, with less.
var needed = []struct {
	bit   int64
	name  string
	vital bool
}{
	{discordgo.PermissionViewChannel, "View Channel", true},
	{discordgo.PermissionSendMessages, "Send Messages", true},
	{discordgo.PermissionEmbedLinks, "Embed Links", true},
	{discordgo.PermissionReadMessageHistory, "Read Message History", false},
	{discordgo.PermissionCreatePublicThreads, "Create Public Threads", false},
	{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads", false},
}

// Check implements notify.Notifier: is the token good, the channel visible, and what may we do there? It posts nothing.
func (n *Notifier) Check(ctx context.Context, d downwind.Destination) notify.Result {
	raw, r := n.do(ctx, "GET", discordgo.EndpointUser("@me"), nil, "me")
	if r.Verdict != notify.Done {
		return r
	}
	var me discordgo.User
	if err := json.Unmarshal(raw, &me); err != nil {
		return notify.Result{Verdict: notify.Unclear, Err: err}
	}
	raw, r = n.do(ctx, "GET", discordgo.EndpointChannel(d.Channel), nil, "channel/"+d.Channel)
	if r.Verdict != notify.Done {
		return r
	}
	var ch discordgo.Channel
	if err := json.Unmarshal(raw, &ch); err != nil {
		return notify.Result{Verdict: notify.Unclear, Err: err}
	}
	have, known := n.permissions(ctx, me.ID, &ch)
	if !known {
		return notify.Result{Verdict: notify.Done}
	}
	return missing(have)
}

// missing judges a set of permissions.
func missing(have int64) notify.Result {
	if have&discordgo.PermissionAdministrator != 0 {
		return notify.Result{Verdict: notify.Done}
	}
	r := notify.Result{Verdict: notify.Done}
	var lacks []string
	for _, p := range needed {
		if have&p.bit == 0 {
			lacks = append(lacks, "“"+p.name+"”")
			if p.vital {
				r.Verdict = notify.Permanent
			}
		}
	}
	switch {
	case len(lacks) == 0:
	case r.Verdict == notify.Permanent:
		r.Reason = "the app lacks permissions in this channel: give it " + strings.Join(lacks, ", ")
	default:
		r.Reason = "works with less than it could: without " + strings.Join(lacks, ", ") +
			" replies may go into the channel itself, and a message in doubt cannot be looked for"
	}
	return r
}

// permissions are what we may do in a channel, by the roles of the server and the channel's overwrites
// (docs.discord.com/developers/topics/permissions); known is false where the server does not tell.
func (n *Notifier) permissions(ctx context.Context, me string, ch *discordgo.Channel) (have int64, known bool) {
	if ch.GuildID == "" {
		return 0, false
	}
	var roles []discordgo.Role
	var member discordgo.Member
	for address, v := range map[string]any{
		discordgo.EndpointGuildRoles(ch.GuildID): &roles, discordgo.EndpointGuildMember(ch.GuildID, me): &member,
	} {
		raw, r := n.do(ctx, "GET", address, nil, "guild/"+ch.GuildID)
		if r.Verdict != notify.Done || json.Unmarshal(raw, v) != nil {
			return 0, false
		}
	}
	mine := map[string]bool{ch.GuildID: true}
	for _, id := range member.Roles {
		mine[id] = true
	}
	for _, role := range roles {
		if mine[role.ID] {
			have |= role.Permissions
		}
	}
	return overwrite(have, ch, mine, me), true
}

// overwrite applies a channel's overwrites: of everyone, then of the roles together, then of the member.
func overwrite(have int64, ch *discordgo.Channel, mine map[string]bool, me string) int64 {
	var allow, deny int64
	for _, o := range ch.PermissionOverwrites {
		if o.ID == ch.GuildID {
			have = have&^o.Deny | o.Allow
		}
	}
	for _, o := range ch.PermissionOverwrites {
		if o.Type == discordgo.PermissionOverwriteTypeRole && o.ID != ch.GuildID && mine[o.ID] {
			allow, deny = allow|o.Allow, deny|o.Deny
		}
	}
	have = have&^deny | allow
	for _, o := range ch.PermissionOverwrites {
		if o.Type == discordgo.PermissionOverwriteTypeMember && o.ID == me {
			have = have&^o.Deny | o.Allow
		}
	}
	return have
}
