package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"downwind"
	"downwind/notify"
)

// stack carries out the stack commands.
func (h *Handler) stack(ctx context.Context, p *place, cmd Command) (Answer, error) {
	switch cmd.Sub {
	case "import":
		a := plainf("Attach the files in the dialog. Without it: send them as a message and use its shortcut “Check this stack”, or run %s stack import file:… on Discord.", p.Name())
		a.Dialog = DialogStack
		return a, nil
	case "show":
		return h.showStack(p), nil
	case "clear":
		return h.clearStack(ctx, p, cmd)
	}
	targets, err := h.resolve(ctx, p, cmd, false)
	if a, ok := repairable(p, err); ok || err != nil {
		return a, orNil(ok, err)
	}
	return h.stackRules(ctx, p, cmd, targets)
}

func (h *Handler) showStack(p *place) Answer {
	if len(p.team.Stack.Providers) == 0 && len(p.team.Rules) == 0 {
		return private(say(words("Team ", bold(p.team.Name), " has no stack yet. Give it one: ", code(p.Name()+" stack import"))))
	}
	kept := "Taken in"
	if !p.team.StackAt.IsZero() {
		kept += " " + p.team.StackAt.UTC().Format("2 Jan 2006 15:04") + " UTC"
	}
	if p.team.StackBy != "" {
		kept += " by " + p.team.StackBy
	}
	m := h.stackMessage(p, p.team.MyStack(), nil, kept+"; only names are kept.")
	m.Title = "Stack of team " + p.team.Name
	if len(p.team.Rules) > 0 {
		with(m, rulesBlock(p))
	}
	if h.BaseURL != "" {
		m.Actions = append(m.Actions, notify.Action{Label: "Check files in the browser", URL: h.BaseURL + "/stack"})
	}
	return private(m)
}

// rulesBlock lists what people of the team said, and who.
func rulesBlock(p *place) notify.Block {
	var rules [][]notify.Run
	for _, r := range p.team.Rules {
		rules = append(rules, words(their(ruleText(r)), " · by ", their(r.By)))
	}
	return list("What people said", cut(rules, 15)...)
}

func ruleText(r downwind.Rule) string {
	where := r.Provider
	if r.Component != "" {
		where += " / " + r.Component
	}
	if r.Region != "" {
		where += " in " + r.Region
	}
	return map[downwind.RuleKind]string{
		downwind.RuleAdd: "we use ", downwind.RuleDrop: "we do not use ", downwind.RuleConfirm: "confirmed: ",
		downwind.RuleRegion: "we use ", downwind.RuleComponent: "we use ", downwind.RuleNotUs: "not us: ",
	}[r.Kind] + where
}

func (h *Handler) clearStack(ctx context.Context, p *place, cmd Command) (Answer, error) {
	if !cmd.Yes {
		m := say(words("This forgets the stack of team ", bold(p.team.Name), fmt.Sprintf(" (%s). Subscriptions stay. Sure?", plural(len(p.team.Stack.Providers), "provider"))))
		m.Actions = []notify.Action{
			{Label: "Forget the stack", ID: notify.ActionID(verbYes, "stack clear"), Style: "danger"},
			{Label: "Keep it", ID: notify.ActionID(verbNo, "")},
		}
		m.Text += " To confirm: " + p.Name() + " stack clear yes"
		return private(m), nil
	}
	if err := h.Store.SaveStack(ctx, p.team.ID, downwind.Stack{}, p.By(), h.Clock.Now()); err != nil {
		return Answer{}, err
	}
	for _, r := range p.team.Rules {
		if err := h.Store.DeleteRule(ctx, p.team.ID, r.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return Answer{}, err
		}
	}
	return Answer{
		Private: say(words("Forgotten: files, names and what people said of them.")),
		Public:  say(words(bold(p.By()), " cleared the stack of team ", bold(p.team.Name), ".")), Replace: true,
	}, nil
}

// stackRules keeps what people say of single providers.
func (h *Handler) stackRules(ctx context.Context, p *place, cmd Command, targets []resolved) (Answer, error) {
	kind := map[string]downwind.RuleKind{"add": downwind.RuleAdd, "confirm": downwind.RuleConfirm, "remove": downwind.RuleDrop}[cmd.Sub]
	var told [][]notify.Run
	var providers []string
	for _, t := range targets {
		if t.kind != downwind.TargetProvider {
			return private(say(words("stack "+cmd.Sub+" takes providers. To forget everything: ", code(p.Name()+" stack clear")))), nil
		}
		providers = append(providers, t.provider.Slug)
		rules := []downwind.Rule{{Kind: kind, Provider: t.provider.Slug}}
		if kind != downwind.RuleDrop {
			for _, r := range cmd.Filter.Regions {
				rules = append(rules, downwind.Rule{Kind: downwind.RuleRegion, Provider: t.provider.Slug, Region: r})
			}
			for _, c := range cmd.Filter.Components {
				rules = append(rules, downwind.Rule{Kind: downwind.RuleComponent, Provider: t.provider.Slug, Component: c})
			}
			if t.component != "" {
				rules = append(rules, downwind.Rule{Kind: downwind.RuleComponent, Provider: t.provider.Slug, Component: t.component})
			}
		}
		for _, r := range rules {
			changed, err := h.addRule(ctx, p, r)
			if err != nil {
				return Answer{}, err
			}
			if changed {
				told = append(told, words(their(ruleText(r))))
			}
		}
	}
	if len(told) == 0 {
		return private(say(words("Nothing changed: that is known already. ", code(p.Name()+" stack show")))), nil
	}
	pub := say(words(bold(p.By()), " about the stack of team ", bold(p.team.Name), ":"))
	with(pub, list("", told...))
	m := say(words("Noted. It survives the next upload: ", code(p.Name()+" stack show")))
	n, of, err := h.matching(ctx, p, providers)
	if err != nil {
		return Answer{}, err
	}
	if of > 0 {
		with(m, small(words(fmt.Sprintf("Tried on the newest %s there: %d would have matched.", plural(of, "incident"), n))))
	}
	return Answer{Public: pub, Private: m}, nil
}

// matching counts how many of the newest archived incidents of providers hit the team, by its files and what its people said.
func (h *Handler) matching(ctx context.Context, p *place, providers []string) (n, of int, err error) {
	if h.Judge == nil || len(providers) == 0 {
		return 0, 0, nil
	}
	records, err := h.Store.Incidents(ctx, downwind.IncidentFilter{Providers: providers, Kind: downwind.KindIncident, Limit: tried})
	if err != nil {
		return 0, 0, err
	}
	for i := range records {
		if h.Judge(&records[i].Incident, &p.team).Affected {
			n++
		}
	}
	return n, len(records), nil
}

// tried is on how many of the newest incidents what people say is tried.
const tried = 40

// addRule adds a rule once and takes back those that say the opposite.
func (h *Handler) addRule(ctx context.Context, p *place, r downwind.Rule) (bool, error) {
	r.By, r.At = p.By(), h.Clock.Now()
	for _, have := range p.team.Rules {
		if have.Same(r) {
			return false, nil
		}
		if r.Opposes(have) {
			if err := h.Store.DeleteRule(ctx, p.team.ID, have.ID); err != nil && !errors.Is(err, downwind.ErrNotFound) {
				return false, err
			}
		}
	}
	saved, err := h.Store.AddRule(ctx, p.team.ID, r)
	if err != nil {
		return false, err
	}
	p.team.Rules = append(p.team.Rules, saved)
	return true, nil
}

// check reads domains once and stores nothing; without any it opens the dialog for files.
func (h *Handler) check(ctx context.Context, p *place, cmd Command) (Answer, error) {
	if len(cmd.Targets) == 0 {
		a := plainf("Attach files in the dialog, or name domains: %s check api.stripe.com. Nothing is stored.", p.Name())
		a.Dialog = DialogCheck
		return a, nil
	}
	var hosts []string
	for _, t := range cmd.Targets {
		switch t.Kind {
		case TargetProvider:
			if _, ok := h.Catalogue.Lookup(t.Text); !ok {
				return repairOr(p, h.unknownProvider(cmd, t))
			}
			return h.status(ctx, p, Command{Verb: VerbStatus, Targets: []Target{t}})
		default:
			hosts = append(hosts, t.Text)
		}
	}
	return h.read(ctx, p, nil, strings.Join(hosts, " "), false)
}

func repairOr(p *place, err error) (Answer, error) {
	a, ok := repairable(p, err)
	return a, orNil(ok, err)
}
