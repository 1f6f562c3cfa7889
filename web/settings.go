package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"downwind"
)

// Wishes keeps what the channels of teams want to hear, and when.
type Wishes interface {
	// SaveSubscription adds a subscription, or replaces the one of the same destination and target.
	SaveSubscription(ctx context.Context, sub downwind.Subscription) (saved downwind.Subscription, existed bool, err error)
	DeleteSubscription(ctx context.Context, destination string, id int64) error
	SaveDestination(ctx context.Context, d downwind.Destination) error
}

// maxSubscriptions is how many a channel may have, as in chat.
const maxSubscriptions = 500

// settingKinds are the kinds of news that the form offers, in the order of an incident's life.
var settingKinds = []string{"new", "update", "resolved", "postmortem", "edit", "maintenance"}

type settingsView struct {
	// Team is the team's name.
	Team        string
	Destination destinationRow
	// From and To are the ends of the quiet hours ("22:00"), empty without.
	From, To string
	// Zone is the time zone in which they are meant.
	Zone string
	// Providers are offered by the form: those of the stack first, then the catalogue.
	Providers []downwind.Provider
	Kinds     []string
	// Reminds are the choices for reminders, with the channel's own where it is none of them.
	Reminds []time.Duration
	// Saved says that something has just been changed.
	Saved bool
}

// ownDestination finds a destination of the visitor's team; those of others do not exist for it.
func (s *Server) ownDestination(r *http.Request, id string) (downwind.Team, downwind.Destination, error) {
	team, err := s.opt.Reader.Team(r.Context(), sessionOf(r).Team)
	if err != nil {
		return team, downwind.Destination{}, err
	}
	list, err := s.opt.Reader.Destinations(r.Context(), team.ID)
	if err != nil {
		return team, downwind.Destination{}, err
	}
	i := slices.IndexFunc(list, func(d downwind.Destination) bool { return d.ID == id })
	if i < 0 {
		return team, downwind.Destination{}, refuse(http.StatusNotFound, "Your team has no such channel.")
	}
	return team, list[i], nil
}

// changeable is ownDestination for changes: a channel can be reserved to administrators in chat.
func (s *Server) changeable(r *http.Request, id string) (downwind.Team, downwind.Destination, error) {
	team, d, err := s.ownDestination(r, id)
	if err != nil || s.opt.AdminsOnly == nil || sessionOf(r).Role == RoleAdmin {
		return team, d, err
	}
	reserved, err := s.opt.AdminsOnly(r.Context(), d.ID)
	if err == nil && reserved {
		err = refuse(http.StatusForbidden, "In %s only administrators change this; that was set in chat with /feed settings.", destinationName(d))
	}
	return team, d, err
}

func settingsPath(destination string) string {
	return "/team/settings?destination=" + url.QueryEscape(destination)
}

func (s *Server) showSettings(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	team, d, err := s.ownDestination(r, q.Get("destination"))
	if err != nil {
		return err
	}
	row, err := s.destinationRow(r.Context(), d)
	if err != nil {
		return err
	}
	data := settingsView{Team: teamName(team), Destination: row, Zone: zoneOf(team, d), Kinds: settingKinds, Saved: q.Get("saved") == "1"}
	data.From, data.To, _ = strings.Cut(d.Quiet, "-")
	data.Providers, data.Reminds = s.choices(team), remindChoices
	if d.Remind != 0 && !slices.Contains(remindChoices, d.Remind) {
		data.Reminds = append([]time.Duration{d.Remind}, remindChoices...)
	}
	v := s.view(r, "Settings of "+destinationName(d), data)
	v.NoIndex = true
	w.Header().Set("Cache-Control", "no-store")
	return s.render(w, http.StatusOK, "settings.html", v)
}

// choices lists the providers of the team's stack; the field takes any other name too.
func (s *Server) choices(team downwind.Team) []downwind.Provider {
	var out []downwind.Provider
	for _, slug := range teamProviders(team) {
		if p, ok := s.opt.Catalog.Provider(slug); ok {
			out = append(out, p)
		}
	}
	return out
}

func zoneOf(team downwind.Team, d downwind.Destination) string {
	switch {
	case d.Timezone != "":
		return d.Timezone
	case team.Timezone != "":
		return team.Timezone
	}
	return "UTC"
}

// saveSettings takes in the quiet hours, the digest and the reminders of a channel.
func (s *Server) saveSettings(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	team, d, err := s.changeable(r, form.Get("destination"))
	if err != nil {
		return err
	}
	before := d
	if d.Quiet, err = quietHours(form.Get("from"), form.Get("to")); err != nil {
		return err
	}
	if d.QuietExcept, err = leastImpact(form.Get("except")); err != nil {
		return err
	}
	if d.Quiet == "" {
		d.QuietExcept = ""
	}
	if d.Digest, d.DigestAt, err = digest(form.Get("digest"), form.Get("at")); err != nil {
		return err
	}
	if d.Remind, err = remindAfter(form.Get("remind")); err != nil {
		return err
	}
	if zone := strings.TrimSpace(form.Get("zone")); zone != zoneOf(team, before) {
		if _, err := time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
			return refuse(http.StatusBadRequest, "Name the time zone like Europe/Berlin or UTC.")
		}
		d.Timezone = zone
	}
	if d != before {
		if err := s.opt.Reader.SaveDestination(r.Context(), d); err != nil {
			return fmt.Errorf("settings of %s: %w", d.ID, err)
		}
		s.tellChannel(r, d, "changed the settings of this channel: "+hoursWords(d, zoneOf(team, d)))
	}
	http.Redirect(w, r, s.prefix+settingsPath(d.ID)+"&saved=1", http.StatusSeeOther)
	return nil
}

// hoursWords tells the quiet hours, the digest and the reminders of a channel.
func hoursWords(d downwind.Destination, zone string) string {
	words := "no quiet hours"
	if d.Quiet != "" {
		words = "quiet " + d.Quiet + " " + zone
		if d.QuietExcept != "" {
			words += ", but not for " + impactWord(d.QuietExcept)
		}
	}
	if d.Digest == "" {
		words += "; no digest"
	} else {
		words += "; digest " + d.Digest + " at " + d.DigestAt + " " + zone
	}
	if d.Remind == 0 {
		return words + "; no reminders"
	}
	return words + "; reminders every " + spanWords(d.Remind)
}

// remindChoices are the lengths of time in which an open incident that nobody acknowledged can be brought up again.
var remindChoices = []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, downwind.RemindMost}

// remindAfter reads a length of time such as "2h0m0s"; empty: no reminders.
func remindAfter(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < downwind.RemindLeast || d > downwind.RemindMost {
		return 0, refuse(http.StatusBadRequest, "Reminders come every %s to %s.", spanWords(downwind.RemindLeast), spanWords(downwind.RemindMost))
	}
	return d, nil
}

// quietHours joins the two ends; both empty: none.
func quietHours(from, to string) (string, error) {
	if from == "" && to == "" {
		return "", nil
	}
	if !isClock(from) || !isClock(to) || from == to {
		return "", refuse(http.StatusBadRequest, "Quiet hours need a beginning and another end, like 22:00 and 07:00; leave both empty for none.")
	}
	return from + "-" + to, nil
}

func isClock(text string) bool {
	_, err := time.Parse("15:04", text)
	return err == nil && len(text) == len("15:04")
}

func digest(rhythm, at string) (string, string, error) {
	switch rhythm {
	case "":
		return "", "", nil
	case "daily", "weekly":
	default:
		return "", "", refuse(http.StatusBadRequest, "The digest is daily, weekly or off.")
	}
	if at == "" {
		at = "08:00"
	}
	if !isClock(at) {
		return "", "", refuse(http.StatusBadRequest, "The digest needs a time like 08:00.")
	}
	return rhythm, at, nil
}

func leastImpact(text string) (downwind.Impact, error) {
	switch i := downwind.Impact(text); i {
	case "", downwind.ImpactMinor, downwind.ImpactMajor, downwind.ImpactCritical:
		return i, nil
	}
	return "", refuse(http.StatusBadRequest, "The least impact is minor, major or critical.")
}

// subscribe adds what the form asks for: the stack, all providers, or one or more by name.
func (s *Server) subscribe(w http.ResponseWriter, r *http.Request) error {
	_, d, err := s.changeable(r, r.PostForm.Get("destination"))
	if err != nil {
		return err
	}
	subs, err := s.wanted(r.PostForm)
	if err != nil {
		return err
	}
	have, err := s.opt.Reader.Subscriptions(r.Context(), d.ID)
	if err != nil {
		return err
	}
	if len(have)+len(subs) > maxSubscriptions {
		return refuse(http.StatusConflict, "A channel takes %d subscriptions at most; end some, or subscribe to all providers.", maxSubscriptions)
	}
	var words []string
	for _, sub := range subs {
		sub.Destination, sub.Team, sub.CreatedBy, sub.CreatedAt = d.ID, d.Team, sessionOf(r).Name, s.now()
		saved, _, err := s.opt.Reader.SaveSubscription(r.Context(), sub)
		if err != nil {
			return fmt.Errorf("subscribe %s: %w", d.ID, err)
		}
		words = append(words, strings.TrimSuffix(s.targetWords(saved)+" ("+subscriptionWords(saved)+")", " ()"))
	}
	s.tellChannel(r, d, "subscribed this channel to "+strings.Join(words, ", "))
	http.Redirect(w, r, s.prefix+settingsPath(d.ID)+"&saved=1", http.StatusSeeOther)
	return nil
}

// wanted reads the subscriptions of a form.
func (s *Server) wanted(form url.Values) ([]downwind.Subscription, error) {
	var f downwind.Filter
	var err error
	if f.Min, err = leastImpact(form.Get("min")); err != nil {
		return nil, err
	}
	for _, kind := range form["kinds"] {
		if !slices.Contains(settingKinds, kind) {
			return nil, refuse(http.StatusBadRequest, "Kinds are %s.", strings.Join(settingKinds, ", "))
		}
		f.Kinds = append(f.Kinds, kind)
	}
	if f.Kinds = sortedSet(f.Kinds); len(f.Kinds) == len(settingKinds) {
		f.Kinds = nil
	}
	f.NoThread = form.Get("thread") == "off"
	target := downwind.TargetKind(form.Get("target"))
	switch target {
	case downwind.TargetStack, downwind.TargetAll:
		f.OnlyAffected = target == downwind.TargetStack
		return []downwind.Subscription{{Target: target, Filter: f}}, nil
	case downwind.TargetProvider:
	default:
		return nil, refuse(http.StatusBadRequest, "Choose what the channel shall hear of.")
	}
	names := words(form["provider"])
	if len(names) == 0 || len(names) > 100 {
		return nil, refuse(http.StatusBadRequest, "Name providers, such as github, with commas between; at most 100 at once.")
	}
	var subs []downwind.Subscription
	for _, name := range names {
		p, err := s.knownProvider(name)
		if err != nil {
			return nil, err
		}
		subs = append(subs, downwind.Subscription{Target: target, Provider: p.Slug, Component: clip(oneLine(form.Get("component")), 120), Filter: f})
	}
	return subs, nil
}

func (s *Server) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	_, d, err := s.changeable(r, r.PostForm.Get("destination"))
	if err != nil {
		return err
	}
	subs, err := s.opt.Reader.Subscriptions(r.Context(), d.ID)
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if fmt.Sprint(sub.ID) != r.PostForm.Get("id") {
			continue
		}
		if err := s.opt.Reader.DeleteSubscription(r.Context(), d.ID, sub.ID); err != nil {
			return fmt.Errorf("unsubscribe %s: %w", d.ID, err)
		}
		s.tellChannel(r, d, "ended this channel's subscription to "+s.targetWords(sub))
		break
	}
	http.Redirect(w, r, s.prefix+settingsPath(d.ID)+"&saved=1", http.StatusSeeOther)
	return nil
}

// tellChannel lets the channel know who changed what, as changes in chat do. The change stands even where that fails.
func (s *Server) tellChannel(r *http.Request, d downwind.Destination, what string) {
	who := sessionOf(r)
	s.log.Info("settings changed", "team", who.Team, "destination", d.ID, "by", who.Name, "what", what)
	if s.opt.Announce == nil {
		return
	}
	if err := s.opt.Announce(r.Context(), d, who.Name+" "+what+" (on the team's page)."); err != nil {
		s.log.Error("change not announced", "destination", d.ID, "error", err)
	}
}
