package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"downwind"
	"downwind/notify"
)

// The verbs of this package's own buttons, beside those of notify.
const (
	verbYes     = "yes"     // carry out the command in the argument, which was asked back
	verbNo      = "no"      // do not
	verbDiscard = "discard" // take an import back
	verbPick    = "pick"    // subscribe to the providers chosen
	verbHide    = "hide"    // "not us", narrowed: "p:…", "c0:…", "r0:…"
)

// A Click is a button pressed or an option chosen. All of it comes from outside.
type Click struct {
	// ID is "verb:argument"; the argument is an index only.
	ID string
	// Message is the platform's id of the message that holds the button, in the caller's channel.
	Message string
	// Values are the options chosen.
	Values []string
}

// Click carries a click out, after authorising it again: what it names must belong to the caller's channel.
func (h *Handler) Click(ctx context.Context, who Caller, c Click) Answer {
	if !h.rate.take(who.Platform+who.Workspace+who.User, h.Clock.Now()) {
		return plainf("That was more than %d clicks in a minute. Please wait a moment.", commandsPerMinute)
	}
	verb, arg, ok := notify.ParseActionID(c.ID)
	if !ok || len(c.ID) > 255 {
		return unknownButton()
	}
	switch verb {
	case verbNo:
		return Answer{Private: say(words("Nothing changed.")), Replace: true}
	case notify.VerbSample:
		return plainf("This is a sample; its buttons do nothing.")
	}
	p, err := h.place(ctx, who)
	if err != nil {
		return h.failed(who, "find this channel's team", err)
	}
	if verb != notify.VerbWhy {
		if a, ok := p.mayChange(); !ok {
			return a
		}
	}
	a, err := h.click(ctx, p, verb, arg, c)
	if errors.Is(err, downwind.ErrNotFound) {
		h.Logger.Warn("chat: click on something that is not here", "destination", p.dest.ID, "user", who.User, "verb", verb)
		return plainf("Not found: this button belongs to nothing in this channel any more.")
	}
	if err != nil {
		return h.failed(who, "carry out the click", err)
	}
	h.logChange(p, verb, a)
	return a
}

func unknownButton() Answer { return plainf("This button is not in use any more.") }

func (h *Handler) click(ctx context.Context, p *place, verb, arg string, c Click) (Answer, error) {
	switch verb {
	case verbYes:
		return h.confirmed(ctx, p, arg)
	case verbDiscard:
		return h.discard(ctx, p, arg)
	case verbPick:
		return h.picked(ctx, p, c.Values)
	case verbHide:
		how, rest, _ := strings.Cut(arg, ":")
		ab, err := h.clicked(ctx, p, rest, c.Message)
		if err != nil {
			return Answer{}, err
		}
		return h.hide(ctx, p, ab, how)
	}
	ab, err := h.clicked(ctx, p, arg, c.Message)
	if err != nil {
		return Answer{}, err
	}
	switch verb {
	case notify.VerbAck:
		return h.acknowledge(ctx, p, ab)
	case notify.VerbMute:
		inc := ab.record.Incident
		m := downwind.Mute{Destination: p.dest.ID, Provider: inc.Provider, Incident: inc.Key()}
		return h.saveMutes(ctx, p, []downwind.Mute{m}, h.Clock.Now().Add(time.Hour))
	case notify.VerbWhy:
		return h.explain(ctx, p, ab)
	case notify.VerbNotUs:
		return h.askHide(ctx, p, ab, arg)
	case notify.VerbOurs:
		return h.ours(ctx, p, ab)
	case notify.VerbDone:
		return h.done(ctx, p, ab)
	case notify.VerbRemind:
		return h.remind(ctx, ab)
	}
	return unknownButton(), nil
}

// clicked finds the delivery of the caller's own channel that a click is about; ErrNotFound where the channel has none.
func (h *Handler) clicked(ctx context.Context, p *place, arg, message string) (*about, error) {
	d, err := h.deliveryOf(ctx, p, arg, message)
	if err != nil {
		return nil, err
	}
	slug, id, _ := strings.Cut(d.Incident, "/")
	rec, err := h.Store.Incident(ctx, slug, id)
	if err != nil {
		return nil, err
	}
	ab, _, err := h.withParts(ctx, &about{record: rec, delivery: &d})
	return ab, err
}

func (h *Handler) deliveryOf(ctx context.Context, p *place, arg, message string) (downwind.Delivery, error) {
	if message != "" {
		d, err := h.Store.DeliveryByMessage(ctx, p.dest.ID, message)
		if err == nil && d.Destination == p.dest.ID && notify.MatchesIncident(arg, d.Incident) {
			return d, nil
		}
		if err != nil && !errors.Is(err, downwind.ErrNotFound) {
			return downwind.Delivery{}, err
		}
	}
	f := downwind.DeliveryFilter{Destination: p.dest.ID, Limit: 1000}
	if !strings.HasPrefix(arg, "#") {
		f.Incident = arg
	}
	ds, err := h.Store.Deliveries(ctx, f)
	if err != nil {
		return downwind.Delivery{}, err
	}
	for _, d := range ds {
		if d.Destination == p.dest.ID && notify.MatchesIncident(arg, d.Incident) {
			return d, nil
		}
	}
	return downwind.Delivery{}, fmt.Errorf("incident in %s: %w", p.dest.ID, downwind.ErrNotFound)
}

// confirmed carries out one of the few commands that are asked back.
func (h *Handler) confirmed(ctx context.Context, p *place, arg string) (Answer, error) {
	var a Answer
	var err error
	switch arg {
	case "unsubscribe all":
		a, err = h.unsubscribe(ctx, p, Command{Verb: VerbUnsubscribe, All: true, Yes: true})
	case "stack clear":
		a, err = h.clearStack(ctx, p, Command{Verb: VerbStack, Sub: "clear", Yes: true})
	case "subscribe stack":
		a, err = h.subscribe(ctx, p, Command{Verb: VerbSubscribe, Targets: []Target{{Kind: TargetStack}}})
	default:
		return unknownButton(), nil
	}
	a.Replace = arg != "subscribe stack"
	return a, err
}

// discard puts the stack back that was there before an import. It works once, for the team that imported.
func (h *Handler) discard(ctx context.Context, p *place, key string) (Answer, error) {
	raw, err := h.Store.Temp(ctx, tempBefore, key)
	if err != nil {
		return Answer{}, err
	}
	var before struct {
		Team  string
		Stack downwind.Stack
	}
	if err := json.Unmarshal(raw, &before); err != nil {
		return Answer{}, err
	}
	if before.Team != p.team.ID {
		return Answer{}, fmt.Errorf("import of another team: %w", downwind.ErrNotFound)
	}
	if _, err := h.Store.TakeTemp(ctx, tempBefore, key); err != nil {
		return Answer{}, err
	}
	if err := h.Store.SaveStack(ctx, p.team.ID, before.Stack, p.By(), h.Clock.Now()); err != nil {
		return Answer{}, err
	}
	return Answer{
		Private: say(words("Taken back: the stack is what it was before.")), Replace: true,
		Public: say(words(bold(p.By()), " took back what was imported into the stack of team ", bold(p.team.Name), ".")),
	}, nil
}

// picked subscribes the channel to single providers of a stack.
func (h *Handler) picked(ctx context.Context, p *place, values []string) (Answer, error) {
	cmd := Command{Verb: VerbSubscribe, Filter: downwind.Filter{OnlyAffected: true}, Given: []string{"only"}}
	for i, v := range values {
		if i == 25 {
			break
		}
		if pr, ok := h.Catalogue.Provider(v); ok {
			cmd.Targets = append(cmd.Targets, Target{Kind: TargetProvider, Text: pr.Slug})
		}
	}
	if len(cmd.Targets) == 0 {
		return plainf("Nothing was chosen."), nil
	}
	return h.subscribe(ctx, p, cmd)
}

// notUs lists the rules that "not us" may mean for an incident, narrowest first, with their index words.
func notUs(inc *downwind.Incident, m downwind.Match) (keys []string, rules []downwind.Rule) {
	add := func(key string, r downwind.Rule) {
		r.Kind, r.Provider = downwind.RuleNotUs, inc.Provider
		keys, rules = append(keys, key), append(rules, r)
	}
	names := m.Components
	if len(names) == 0 {
		for _, c := range inc.Components {
			names = append(names, c.Name)
		}
	}
	for i, n := range names {
		if i < 3 {
			add(fmt.Sprintf("c%d", i), downwind.Rule{Component: n})
		}
	}
	regions := m.Regions
	if len(regions) == 0 {
		regions = inc.Regions
	}
	for i, r := range regions {
		if i < 3 {
			add(fmt.Sprintf("r%d", i), downwind.Rule{Region: r})
		}
	}
	add("p", downwind.Rule{})
	return keys, rules
}

// askHide asks how far "not us" goes, and says what each answer would have hidden here.
func (h *Handler) askHide(ctx context.Context, p *place, ab *about, arg string) (Answer, error) {
	inc := &ab.record.Incident
	keys, rules := notUs(inc, matchOf(ab))
	records, err := h.Store.Incidents(ctx, downwind.IncidentFilter{Provider: inc.Provider, Limit: tried})
	if err != nil {
		return Answer{}, err
	}
	m := titled("What is not yours?")
	var lines [][]notify.Run
	for i, r := range rules {
		lines = append(lines, words(their(strings.TrimPrefix(ruleText(r), "not us: ")), fmt.Sprintf(": would have hidden %d of the last %d incidents", hidden(records, r), len(records))))
		label := "All of " + h.nameOf(inc.Provider)
		if r.Component != "" {
			label = "Component " + r.Component
		} else if r.Region != "" {
			label = "Region " + r.Region
		}
		m.Actions = append(m.Actions, notify.Action{Label: short(label, 60), ID: notify.ActionID(verbHide, keys[i]+":"+arg)})
	}
	m.Actions = append(m.Actions, notify.Action{Label: "Cancel", ID: notify.ActionID(verbNo, "")})
	with(m, list("", lines...), small(words("The answer counts for the whole team ", bold(p.team.Name), " and can be taken back with ", code(p.Name()+" stack add "+inc.Provider), ".")))
	return private(m), nil
}

func matchOf(ab *about) downwind.Match {
	if ab.last != nil {
		return ab.last.Alert.Match
	}
	return downwind.Match{}
}

// short cuts a label of ours to n characters.
func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// hidden counts the incidents that a rule would have kept back.
func hidden(records []downwind.IncidentRecord, r downwind.Rule) int {
	n := 0
	for i := range records {
		inc := &records[i].Incident
		switch {
		case r.Component == "" && r.Region == "",
			r.Component != "" && downwind.FitsAny([]string{r.Component}, inc.ComponentNames()),
			r.Region != "" && downwind.FitsAny([]string{r.Region}, inc.Regions):
			n++
		}
	}
	return n
}

func (h *Handler) hide(ctx context.Context, p *place, ab *about, how string) (Answer, error) {
	keys, rules := notUs(&ab.record.Incident, matchOf(ab))
	for i, k := range keys {
		if k != how {
			continue
		}
		changed, err := h.addRule(ctx, p, rules[i])
		if err != nil {
			return Answer{}, err
		}
		if !changed {
			return Answer{Private: say(words("That is known already.")), Replace: true}, nil
		}
		return Answer{
			Private: say(words("Noted. ", code(p.Name()+" stack show"), " lists what people said.")), Replace: true,
			Public: say(words(bold(p.By()), " said for team ", bold(p.team.Name), ": ", their(ruleText(rules[i])), ".")),
		}, nil
	}
	return unknownButton(), nil
}

// ours answers the open question of a match with yes.
func (h *Handler) ours(ctx context.Context, p *place, ab *about) (Answer, error) {
	m := matchOf(ab)
	slug := ab.record.Incident.Provider
	var rules []downwind.Rule
	switch m.OpenQuestion {
	case "region", "zone":
		for _, r := range m.Regions {
			rules = append(rules, downwind.Rule{Kind: downwind.RuleRegion, Provider: slug, Region: r})
		}
	case "":
	default:
		for _, c := range m.Components {
			rules = append(rules, downwind.Rule{Kind: downwind.RuleComponent, Provider: slug, Component: c})
		}
	}
	if len(rules) == 0 {
		rules = []downwind.Rule{{Kind: downwind.RuleConfirm, Provider: slug}}
	}
	var told [][]notify.Run
	for _, r := range rules {
		changed, err := h.addRule(ctx, p, r)
		if err != nil {
			return Answer{}, err
		}
		if changed {
			told = append(told, words(their(ruleText(r))))
		}
	}
	if len(told) == 0 {
		return plainf("That is known already."), nil
	}
	pub := say(words(bold(p.By()), " answered for team ", bold(p.team.Name), ":"))
	with(pub, list("", told...))
	return Answer{Public: pub, Private: say(words("Noted; it will not be asked again."))}, nil
}

// done notes that the checklist was worked through, once.
func (h *Handler) done(ctx context.Context, p *place, ab *about) (Answer, error) {
	first, err := h.Store.PutTemp(ctx, tempDone, ab.delivery.ID, []byte(p.By()), h.Clock.Now().Add(90*24*time.Hour))
	if err != nil {
		return Answer{}, err
	}
	if !first {
		by, err := h.Store.Temp(ctx, tempDone, ab.delivery.ID)
		if err != nil {
			return Answer{}, err
		}
		return private(say(words("Already marked done by ", their(string(by)), "."))), nil
	}
	if h.Redraw != nil {
		if err := h.Redraw(ctx, ab.delivery.ID); err != nil {
			h.Logger.Warn("chat: the root could not be drawn anew", "delivery", ab.delivery.ID, "err", err)
		}
	}
	return Answer{
		Private: say(words("Marked done.")),
		Public:  say(words(bold(p.By()), " worked through the checklist of ", bold(h.nameOf(ab.record.Incident.Provider)), ": ", their(ab.record.Incident.Title), ".")),
	}, nil
}

// DoneBy says who marked the checklist of a delivery as done; empty: nobody.
func (h *Handler) DoneBy(ctx context.Context, delivery string) string {
	by, err := h.Store.Temp(ctx, tempDone, delivery)
	if err != nil {
		return ""
	}
	return string(by)
}

func (h *Handler) remind(ctx context.Context, ab *about) (Answer, error) {
	if h.Remind == nil {
		return plainf("This Downwind cannot remind; the calendar link of the message can."), nil
	}
	inc := ab.record.Incident
	if !inc.ScheduledFor.IsZero() && !h.Clock.Now().Before(inc.ScheduledFor.Add(-time.Hour)) {
		return plainf("It begins within the hour or has begun."), nil
	}
	switch err := h.Remind(ctx, ab.delivery.ID); {
	case errors.Is(err, downwind.ErrInvalid):
		return plainf("It begins within the hour or has begun."), nil
	case err != nil:
		return Answer{}, err
	}
	return plainf("A reminder will come an hour before it begins."), nil
}
