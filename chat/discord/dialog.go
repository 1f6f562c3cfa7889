package discord

import (
	"context"
	"slices"
	"strings"

	"downwind"
	"downwind/chat"
	"downwind/notify"
)

// The dialogs, by the beginning of their custom_id; the name of the command follows after a colon.
const (
	dialogStack    = "stack"
	dialogCheck    = "check"
	dialogSettings = "settings"
)

// The custom_ids of the dialogs' fields.
const (
	inFiles, inDomains = "files", "domains"
	inQuiet, inDigest  = "quiet", "digest"
	inZone, inRemind   = "tz", "remind"
)

// Discord's numbers for what a dialog is made of.
const (
	partSelect, partInput, partText, partLabel, partFiles = 3, 4, 10, 18, 19
	inputLine, inputParagraph                             = 1, 2
)

// A field is one component of a dialog, as it is shown and as it comes back. discordgo knows labels and uploads not yet.
type field struct {
	Type        int           `json:"type"`
	CustomID    string        `json:"custom_id,omitempty"`
	Label       string        `json:"label,omitempty"`
	Description string        `json:"description,omitempty"`
	Content     string        `json:"content,omitempty"`
	Style       int           `json:"style,omitempty"`
	Placeholder string        `json:"placeholder,omitempty"`
	Value       string        `json:"value,omitempty"`
	MaxLength   int           `json:"max_length,omitempty"`
	MinValues   *int          `json:"min_values,omitempty"`
	MaxValues   int           `json:"max_values,omitempty"`
	Required    *bool         `json:"required,omitempty"`
	Options     []fieldOption `json:"options,omitempty"`
	Component   *field        `json:"component,omitempty"`
	// Values are the options chosen or the ids of the files, in a dialog that comes back.
	Values []string `json:"values,omitempty"`
}

type fieldOption struct {
	Label   string `json:"label"`
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"`
}

// modal is the form of a dialog.
type modal struct {
	CustomID   string  `json:"custom_id"`
	Title      string  `json:"title"`
	Components []field `json:"components"`
}

// labelled puts a label on a field that may stay empty.
func labelled(label, about string, f field) field {
	optional := false
	f.Required = &optional
	return field{Type: partLabel, Label: label, Description: about, Component: &f}
}

func line(id, value, placeholder string) field {
	return field{Type: partInput, CustomID: id, Style: inputLine, Value: value, Placeholder: placeholder, MaxLength: 60}
}

// asksForDialog reports whether a command is answered with a dialog, which Discord takes as a first answer only.
func (i *interaction) asksForDialog() bool {
	verb, sub, options := i.path()
	if len(options) > 0 {
		return false
	}
	return verb == "stack" && sub == "import" || verb == "check" || verb == "settings"
}

// dialog asks the handler within Discord's three seconds: the dialog, or why there is none.
func (a *App) dialog(who chat.Caller, i *interaction) *response {
	verb, sub, _ := i.path()
	got := make(chan chat.Answer, 1)
	ctx, cancel := context.WithTimeout(context.Background(), suggestTime)
	defer cancel()
	if !a.start(func(context.Context) { got <- a.o.Handler.RunOptions(ctx, who, verb, sub, nil) }) {
		return private(busyText)
	}
	select {
	case ans := <-got:
		return dialogOf(who, ans)
	case <-ctx.Done():
		return private(busyText)
	}
}

func dialogOf(who chat.Caller, ans chat.Answer) *response {
	name := ":" + strings.TrimPrefix(who.Name(), "/")
	switch ans.Dialog {
	case chat.DialogStack:
		return &response{Type: answerDialog, Data: fileModal(dialogStack+name, "Your stack")}
	case chat.DialogCheck:
		return &response{Type: answerDialog, Data: fileModal(dialogCheck+name, "Check files")}
	case chat.DialogSettings:
		return &response{Type: answerDialog, Data: settingsModal(dialogSettings+name, who, ans.Settings)}
	}
	if ans.Private == nil {
		return private("Done.")
	}
	m := build(ans.Private, ans.Select)
	m.Flags = flagEphemeral
	return &response{Type: answerMessage, Data: m}
}

// fileModal asks for files and pasted domains.
func fileModal(id, title string) modal {
	note := "Only names are kept: providers, packages, hosts, regions and line numbers. The files are read once and forgotten; values that look like secrets are dropped unread."
	if strings.HasPrefix(id, dialogCheck) {
		note = "Nothing is stored. The files are read once and forgotten; values that look like secrets are dropped unread."
	}
	none := 0
	return modal{CustomID: id, Title: title, Components: []field{
		{Type: partText, Content: note},
		labelled("Files", "package.json, lockfiles, go.mod, *.tf, tfstate, .env, compose: up to 10, 5 MiB each",
			field{Type: partFiles, CustomID: inFiles, MinValues: &none, MaxValues: chat.MaxFiles}),
		labelled("Or domains, one a line", "", field{
			Type: partInput, CustomID: inDomains, Style: inputParagraph, Placeholder: "api.stripe.com\nmy-app.livekit.cloud", MaxLength: 3000,
		}),
	}}
}

// settingsModal asks for the settings of a channel. A dialog holds five parts; who may change things is an option of the command.
func settingsModal(id string, who chat.Caller, s chat.Settings) modal {
	note := "Who may change things here: `" + who.Name() + " settings` with `admins_only` or `role`."
	if u := notify.SafeURL(s.SignIn); u != "" {
		note = "[Open this team's pages in the browser](" + u + "). The link signs you in, once, within ten minutes; do not pass it on.\n" + note
	}
	quiet, digest := s.Quiet, s.Digest
	if quiet != "" && s.Except != "" {
		quiet += " except:" + string(s.Except)
	}
	if digest != "" && s.At != "" {
		digest += " at:" + s.At
	}
	return modal{CustomID: id, Title: "Settings here", Components: []field{
		{Type: partText, Content: note},
		labelled("Quiet hours", "Empty: none. What breaks them stands behind: except:critical", line(inQuiet, quiet, "22:00-07:00 except:critical")),
		labelled("Digest of what is not urgent", "daily or weekly; empty: none", line(inDigest, digest, "daily at:08:00")),
		labelled("Time zone", "", line(inZone, s.Timezone, "Europe/Berlin")),
		labelled("Reminders", "Say again what is still open and nobody acknowledged; empty: never", line(inRemind, s.Remind, "2h")),
	}}
}

// inputs are the fields of a dialog that came back, by custom_id, however deep they stand.
func (i *interaction) inputs() map[string]field {
	out := map[string]field{}
	for _, f := range i.Data.Components {
		if f.Component != nil {
			f = *f.Component
		}
		if f.CustomID != "" {
			out[f.CustomID] = f
		}
	}
	return out
}

// submitted takes a dialog in. Who may do what is asked again, as for a command.
func (a *App) submitted(who chat.Caller, i *interaction) *response {
	name, command, _ := strings.Cut(i.Data.CustomID, ":")
	if slices.Contains(commandNames, command) {
		who.Command = "/" + command
	}
	in := i.inputs()
	var run func(ctx context.Context) chat.Answer
	switch name {
	case dialogStack, dialogCheck:
		var files []attachment
		for _, id := range in[inFiles].Values {
			files = append(files, i.Data.Resolved.Attachments[id])
		}
		run = func(ctx context.Context) chat.Answer {
			return a.o.Handler.Import(ctx, who, a.download(ctx, files), in[inDomains].Value, name == dialogStack)
		}
	case dialogSettings:
		run = func(ctx context.Context) chat.Answer { return a.saveSettings(ctx, who, in) }
	default:
		return private("This dialog is not in use any more.")
	}
	if !a.start(func(ctx context.Context) { a.answer(ctx, i, run(ctx), false) }) {
		return private(busyText)
	}
	return &response{Type: answerLater, Data: map[string]int{"flags": flagEphemeral}}
}

// saveSettings changes what the dialog shows and leaves the rest.
func (a *App) saveSettings(ctx context.Context, who chat.Caller, in map[string]field) chat.Answer {
	ans := a.o.Handler.RunOptions(ctx, who, string(chat.VerbSettings), "", nil)
	if ans.Dialog != chat.DialogSettings {
		return ans
	}
	s := ans.Settings
	s.Quiet, s.Except = strings.TrimSpace(in[inQuiet].Value), downwind.Impact("")
	s.Digest, s.At = strings.TrimSpace(in[inDigest].Value), ""
	s.Timezone, s.Remind = strings.TrimSpace(in[inZone].Value), strings.TrimSpace(in[inRemind].Value)
	return a.o.Handler.SaveSettings(ctx, who, s)
}

// fromMessage reads the files of the message that the message command was used on.
func (a *App) fromMessage(ctx context.Context, who chat.Caller, i *interaction) chat.Answer {
	return a.o.Handler.Import(ctx, who, a.download(ctx, i.Data.Resolved.Messages[i.Data.Target].Attachments), "", true)
}
