package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"downwind"
)

// said are the words in which forms and the API tell what people know of a provider.
var said = map[string]downwind.RuleKind{"add": downwind.RuleAdd, "confirm": downwind.RuleConfirm, "drop": downwind.RuleDrop}

// mostSaid is how many providers one request may speak of.
const mostSaid = 100

// amendStack takes in what somebody says on the team's page of one provider.
func (s *Server) amendStack(w http.ResponseWriter, r *http.Request) error {
	who := sessionOf(r)
	team, err := s.opt.Reader.Team(r.Context(), who.Team)
	if err != nil {
		return err
	}
	kind, ok := said[r.PostForm.Get("word")]
	if !ok {
		return refuse(http.StatusBadRequest, "Say add, confirm or drop.")
	}
	rules, err := s.spoken(kind, []string{r.PostForm.Get("provider")})
	if err != nil {
		return err
	}
	if err := s.amend(r.Context(), &team, rules, who.Name); err != nil {
		return err
	}
	s.log.Info("stack amended", "team", team.ID, "by", who.Name, "provider", rules[0].Provider, "what", kind)
	http.Redirect(w, r, s.prefix+"/team#stack", http.StatusSeeOther)
	return nil
}

// spoken makes rules of what is said of providers, by whatever name they are called.
func (s *Server) spoken(kind downwind.RuleKind, names []string) ([]downwind.Rule, error) {
	var rules []downwind.Rule
	for _, name := range names {
		p, ok := s.opt.Catalog.Lookup(strings.TrimSpace(name))
		if !ok {
			sentence := fmt.Sprintf("There is no provider called %q.", clip(oneLine(name), 60))
			if near := s.opt.Catalog.Closest(name, 3); len(near) > 0 {
				sentence += " Did you mean " + strings.Join(near, ", ") + "?"
			}
			return nil, refuse(http.StatusUnprocessableEntity, "%s", sentence)
		}
		rules = append(rules, downwind.Rule{Kind: kind, Provider: p.Slug})
	}
	return rules, nil
}

// amend keeps rules of a team, each once, and takes back those that say the opposite.
func (s *Server) amend(ctx context.Context, team *downwind.Team, rules []downwind.Rule, by string) error {
	for _, r := range rules {
		if slices.ContainsFunc(team.Rules, r.Same) {
			continue
		}
		for _, have := range team.Rules {
			if !r.Opposes(have) {
				continue
			}
			if err := s.opt.Reader.DeleteRule(ctx, team.ID, have.ID); err != nil && !isMissing(err) {
				return fmt.Errorf("amend the stack of %s: %w", team.ID, err)
			}
		}
		r.By, r.At = by, s.now()
		saved, err := s.opt.Reader.AddRule(ctx, team.ID, r)
		if err != nil {
			return fmt.Errorf("amend the stack of %s: %w", team.ID, err)
		}
		team.Rules = append(slices.DeleteFunc(team.Rules, r.Opposes), saved)
	}
	return nil
}

// apiAmendStack takes in what is said of providers: {"add": […], "confirm": […], "drop": […]}.
func (s *Server) apiAmendStack(w http.ResponseWriter, r *http.Request, who apiCaller) error {
	team, err := s.callersTeam(r.Context(), who, r.PathValue("team"))
	if err != nil {
		return err
	}
	var words map[string][]string
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&words); err != nil {
		return &httpError{status: http.StatusBadRequest, sentence: `The body is {"add": […], "confirm": […], "drop": […]} with names of providers.`, cause: err}
	}
	before := teamProviders(team)
	var rules []downwind.Rule
	for word, names := range words {
		kind, ok := said[word]
		if !ok {
			return refuse(http.StatusBadRequest, "%q is not understood: say add, confirm or drop.", clip(oneLine(word), 40))
		}
		more, err := s.spoken(kind, names)
		if err != nil {
			return err
		}
		rules = append(rules, more...)
	}
	for i, r := range rules {
		if slices.ContainsFunc(rules[:i], r.Opposes) {
			return refuse(http.StatusUnprocessableEntity, "%s cannot be used and dropped at once.", r.Provider)
		}
	}
	if len(rules) > mostSaid {
		return refuse(http.StatusUnprocessableEntity, "At most %d providers at once.", mostSaid)
	}
	if err := s.amend(r.Context(), &team, rules, "token "+who.name); err != nil {
		return err
	}
	return s.answerStack(w, r, team.ID, before)
}
