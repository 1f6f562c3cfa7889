package slack

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	slackgo "github.com/slack-go/slack"

	"downwind"
	"downwind/chat"
	"downwind/notify"
)

// The callback ids of the modals.
const (
	viewStack    = "stack_import"
	viewCheck    = "stack_check"
	viewSettings = "settings"
)

// The ids of the modals' inputs: a block and its element share one.
const (
	inFiles, inDomains                     = "files", "domains"
	inQuiet, inExcept, inZone              = "quiet", "except", "tz"
	inDigest, inAt, inAdmins, adminsOption = "digest", "at", "admins", "only"
	inRemind                               = "remind"
)

// metadata travels through a modal and back.
type metadata struct {
	Channel string `json:"c"`
	Name    string `json:"n,omitempty"`
	URL     string `json:"u,omitempty"`
	Command string `json:"k,omitempty"`
}

// open opens the dialog of an answer.
func (a *App) open(ctx context.Context, to reply, ans chat.Answer) error {
	var view slackgo.ModalViewRequest
	switch ans.Dialog {
	case chat.DialogStack:
		view = fileView(viewStack, "Your stack", "Read them")
	case chat.DialogCheck:
		view = fileView(viewCheck, "Check files", "Check")
	case chat.DialogSettings:
		view = settingsView(ans.Settings)
	default:
		return errors.New("no such dialog")
	}
	meta, err := json.Marshal(metadata{to.channel, to.channelName, to.url, to.name})
	if err != nil {
		return err
	}
	view.PrivateMetadata = string(meta)
	api, err := a.client(ctx, to.workspace)
	if err != nil {
		return err
	}
	_, err = api.OpenViewContext(ctx, to.trigger, view)
	return err
}

func modal(callback, title, submit string, blocks ...slackgo.Block) slackgo.ModalViewRequest {
	return slackgo.ModalViewRequest{
		Type: slackgo.VTModal, CallbackID: callback, Title: plain(title, 24), Submit: plain(submit, 24), Close: plain("Cancel", 24),
		Blocks: slackgo.Blocks{BlockSet: blocks},
	}
}

func input(id, label, hint string, el slackgo.BlockElement) *slackgo.InputBlock {
	var h *slackgo.TextBlockObject
	if hint != "" {
		h = plain(hint, 150)
	}
	b := slackgo.NewInputBlock(id, plain(label, 150), h, el)
	b.Optional = true
	return b
}

// fileView asks for files and pasted domains.
func fileView(callback, title, submit string) slackgo.ModalViewRequest {
	files := slackgo.NewFileInputBlockElement(inFiles)
	files.MaxFiles = chat.MaxFiles
	text := slackgo.NewPlainTextInputBlockElement(plain("api.stripe.com\nmy-app.livekit.cloud", 150), inDomains)
	text.Multiline, text.MaxLength = true, 3000
	note := "Only names are kept: providers, packages, hosts, regions and line numbers. The files are read once and forgotten; values that look like secrets are dropped unread."
	if callback == viewCheck {
		note = "Nothing is stored. The files are read once and forgotten; values that look like secrets are dropped unread."
	}
	return modal(callback, title, submit,
		slackgo.NewContextBlock("", plain(note, 300)),
		input(inFiles, "Files", "package.json, lockfiles, go.mod, requirements.txt, *.tf, tfstate, .env, compose files: up to 10, 5 MiB each", files),
		input(inDomains, "Or domains, one a line", "", text))
}

// settingsView asks for the settings of a channel.
func settingsView(s chat.Settings) slackgo.ModalViewRequest {
	field := func(id, value, placeholder string) *slackgo.PlainTextInputBlockElement {
		el := slackgo.NewPlainTextInputBlockElement(plain(placeholder, 150), id)
		el.InitialValue, el.MaxLength = value, 60
		return el
	}
	choice := func(id, value string, values ...string) *slackgo.SelectBlockElement {
		el := slackgo.NewOptionsSelectBlockElement(slackgo.OptTypeStatic, plain("none", 20), id)
		for _, v := range values {
			o := slackgo.NewOptionBlockObject(v, plain(v, 75), nil)
			el.Options = append(el.Options, o)
			if v == value {
				el.InitialOption = o
			}
		}
		return el
	}
	if s.Digest == "" {
		s.Digest = "off"
	}
	only := slackgo.NewOptionBlockObject(adminsOption, plain("Only admins may change things here", 75), nil)
	boxes := slackgo.NewCheckboxGroupsBlockElement(inAdmins, only)
	if s.AdminsOnly {
		boxes.InitialOptions = []*slackgo.OptionBlockObject{only}
	}
	blocks := []slackgo.Block{}
	if u := notify.SafeURL(s.SignIn); u != "" && !strings.ContainsAny(u, "|<>") {
		blocks = append(blocks, slackgo.NewSectionBlock(markdown("<"+strings.ReplaceAll(u, "&", "&amp;")+"|Open this team's pages in the browser>. The link signs you in, once, within ten minutes; do not pass it on."), nil, nil))
	}
	return modal(viewSettings, "Settings here", "Save", append(blocks,
		input(inQuiet, "Quiet hours", "Empty: none", field(inQuiet, s.Quiet, "22:00-07:00")),
		input(inExcept, "What breaks the quiet hours", "", choice(inExcept, string(s.Except), "minor", "major", "critical")),
		input(inDigest, "Digest of what is not urgent", "", choice(inDigest, s.Digest, "off", "daily", "weekly")),
		input(inAt, "Digest at", "", field(inAt, s.At, "08:00")),
		input(inZone, "Time zone", "", field(inZone, s.Timezone, "Europe/Berlin")),
		input(inRemind, "Reminders", "Say again what is still open and nobody acknowledged; empty: never", field(inRemind, s.Remind, "2h")),
		input(inAdmins, "Who", "", boxes))...)
}

// submitted takes a dialog in. The answer goes to where the dialog was asked for; wrong fields are marked in the dialog.
func (a *App) submitted(i slackgo.InteractionCallback) any {
	var meta metadata
	if err := json.Unmarshal([]byte(i.View.PrivateMetadata), &meta); err != nil || meta.Channel == "" || i.View.State == nil {
		return nil
	}
	to := replyOf(i)
	to.channel, to.channelName, to.url, to.name, to.trigger = meta.Channel, meta.Name, meta.URL, meta.Command, ""
	values := i.View.State.Values
	var run func(ctx context.Context, who chat.Caller) chat.Answer
	switch i.View.CallbackID {
	case viewStack, viewCheck:
		files, domains := values[inFiles][inFiles].Files, values[inDomains][inDomains].Value
		if len(files) == 0 && domains == "" {
			return slackgo.NewErrorsViewSubmissionResponse(map[string]string{inDomains: "Attach a file above, or paste domains here."})
		}
		store := i.View.CallbackID == viewStack
		run = func(ctx context.Context, who chat.Caller) chat.Answer {
			return a.imported(ctx, who, files, domains, store)
		}
	case viewSettings:
		s, wrong := readSettings(values)
		if len(wrong) > 0 {
			return slackgo.NewErrorsViewSubmissionResponse(wrong)
		}
		run = func(ctx context.Context, who chat.Caller) chat.Answer { return a.o.Handler.SaveSettings(ctx, who, s) }
	default:
		return nil
	}
	ok := a.start(func(ctx context.Context) {
		a.answer(ctx, to, run(ctx, a.caller(ctx, to, userName(i.User), i.User.TeamID)))
	})
	if !ok {
		return slackgo.NewErrorsViewSubmissionResponse(map[string]string{inDomains: busyText, inQuiet: busyText})
	}
	return nil
}

// readSettings reads the settings' fields and says which are wrong.
func readSettings(v map[string]map[string]slackgo.BlockAction) (chat.Settings, map[string]string) {
	s := chat.Settings{
		Quiet: v[inQuiet][inQuiet].Value, Except: downwind.Impact(v[inExcept][inExcept].SelectedOption.Value),
		Digest: v[inDigest][inDigest].SelectedOption.Value, At: v[inAt][inAt].Value, Timezone: v[inZone][inZone].Value,
		Remind: v[inRemind][inRemind].Value,
	}
	for _, o := range v[inAdmins][inAdmins].SelectedOptions {
		s.AdminsOnly = s.AdminsOnly || o.Value == adminsOption
	}
	wrong := map[string]string{}
	for id, text := range map[string]string{inQuiet: "quiet " + s.Quiet, inAt: "digest daily at:" + s.At, inZone: "digest daily tz:" + s.Timezone, inRemind: "remind " + s.Remind} {
		if v[id][id].Value == "" {
			continue
		}
		var syntax *chat.SyntaxError
		if _, err := chat.Parse(text); errors.As(err, &syntax) {
			wrong[id] = syntax.Wrong
		}
	}
	return s, wrong
}
