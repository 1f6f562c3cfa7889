package match

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"downwind"
)

const livekitPack = "../../shared/corpus/livekit"

// livekitTeams are the stacks of the pack as their files show them.
func livekitTeams() map[string]*downwind.Stack {
	ev := func(file, kind, match, service, region string) downwind.Evidence {
		return downwind.Evidence{File: file, Line: 1, Kind: kind, Match: match, Service: service, Region: region, Relation: downwind.Hosted}
	}
	return map[string]*downwind.Stack{
		"browser-app": stackOf("livekit", ev("package.json", "npm", "livekit-client", "", ""), ev("package.json", "npm", "@livekit/components-react", "", ""),
			ev(".env.example", "domain", "example-classroom-h3j5k7.livekit.cloud", "", "")),
		"telephony-agent": stackOf("livekit", ev("pyproject.toml", "pypi", "livekit-agents", "agents", ""), ev("pyproject.toml", "pypi", "livekit-api", "", ""),
			ev(".env.example", "env", "LIVEKIT_REGION", "", "us-central"), ev(".env.example", "domain", "5b7d9f1h3j.us-central.sip.livekit.cloud", "sip", "us-central"),
			ev(".env.example", "env", "LIVEKIT_SIP_OUTBOUND_TRUNK_ID", "sip", ""), ev("deploy/callbot.yaml", "env", "LIVEKIT_REGION", "", "us-central")),
		"eu-backend": stackOf("livekit", ev("package.json", "npm", "livekit-server-sdk", "", ""),
			ev("config/production.json", "domain", "example-clinic-r8s0t2.eu-central.livekit.cloud", "", "eu-central"), ev(".env.example", "env", "LIVEKIT_REGION", "", "eu-central")),
		"self-hosted": {SelfHosted: map[string][]downwind.Evidence{"livekit": {ev("compose.yaml", "image", "livekit/livekit-server:v1.9.1", "", "")}}},
	}
}

type livekitStep struct {
	Step        string
	Incident    string
	Subscribers map[string]struct {
		Affected string
		Held     string
		// Components are those that the message must name.
		Components   []string
		OpenQuestion string `json:"open_question"`
		Confidence   string
	}
}

// livekitPage is what the tests read of the page's JSON.
type livekitPage struct {
	Incidents   []livekitIncident
	Maintenance []livekitIncident `json:"scheduled_maintenances"`
}

type livekitIncident struct {
	ID, Name, Status, Impact string
	Components               []struct{ ID, Name, Status string }
	Updates                  []struct {
		ID, Status, Body string
		Affected         []struct{ Name, Code string } `json:"affected_components"`
	} `json:"incident_updates"`
}

func (p livekitIncident) incident(kind downwind.Kind) *downwind.Incident {
	inc := &downwind.Incident{Provider: "livekit", ID: p.ID, Kind: kind, Title: p.Name, Phase: downwind.Phase(p.Status), Impact: downwind.Impact(p.Impact)}
	for _, c := range p.Components {
		inc.Components = append(inc.Components, downwind.Component{ID: c.ID, Name: c.Name})
	}
	for _, u := range slices.Backward(p.Updates) {
		up := downwind.Update{ID: u.ID, Phase: downwind.Phase(u.Status), Body: u.Body}
		for _, c := range u.Affected {
			up.Components = append(up.Components, downwind.Component{ID: c.Code, Name: c.Name})
		}
		inc.Updates = append(inc.Updates, up)
	}
	return inc
}

// TestLivekitSteps judges the incident of every step of the replay for its four teams.
func TestLivekitSteps(t *testing.T) {
	raw, err := os.ReadFile(livekitPack + "/steps.json")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the replay pack ../shared/corpus/livekit is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	var pack struct{ Steps []livekitStep }
	if err := json.Unmarshal(raw, &pack); err != nil {
		t.Fatal(err)
	}
	j, teams := judge(t), livekitTeams()
	for _, s := range pack.Steps {
		if s.Incident == "" {
			continue
		}
		inc := livekitAt(t, s.Step, s.Incident)
		if inc == nil {
			continue // withdrawn: the planner keeps the judgement it had
		}
		for team, want := range s.Subscribers {
			t.Run(s.Step+"/"+team, func(t *testing.T) {
				m := j.Match(inc, teams[team], nil, Known{Provider: downwind.Provider{Slug: "livekit", Name: "LiveKit"}})
				got := map[downwind.Verdict]string{downwind.AffectedSure: "yes", downwind.AffectedLikely: "yes", downwind.AffectedPossible: "possible", downwind.NotAffected: "no"}[m.Verdict]
				if got != want.Affected {
					t.Fatalf("affected: got %s, want %s; %+v", got, want.Affected, m)
				}
				if want.Held != "" && string(m.Held) != want.Held {
					t.Errorf("held: got %s, want %s (%s)", m.Held, want.Held, m.WhyNot)
				}
				if want.OpenQuestion != "" && m.OpenQuestion != want.OpenQuestion {
					t.Errorf("open question: got %q, want %q", m.OpenQuestion, want.OpenQuestion)
				}
				if want.Confidence == "likely" && m.Verdict == downwind.AffectedSure {
					t.Errorf("confidence: got sure, want at most likely")
				}
				for _, c := range want.Components {
					if !slices.Contains(m.Components, c) {
						t.Errorf("components: got %q, want %q among them", m.Components, c)
					}
				}
			})
		}
	}
}

// livekitAt returns an incident as the page has it at a step, nil where it is not listed.
func livekitAt(t *testing.T, step, id string) *downwind.Incident {
	t.Helper()
	for _, name := range []string{"incidents.json", "scheduled-maintenances.json"} {
		var newest string
		files, err := filepath.Glob(livekitPack + "/page/*/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if filepath.Base(filepath.Dir(f)) <= step && strings.Compare(f, newest) > 0 {
				newest = f
			}
		}
		raw, err := os.ReadFile(newest)
		if err != nil {
			t.Fatal(err)
		}
		var page livekitPage
		if err := json.Unmarshal(raw, &page); err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Incidents {
			if p.ID == id {
				return p.incident(downwind.KindIncident)
			}
		}
		for _, p := range page.Maintenance {
			if p.ID == id {
				return p.incident(downwind.KindMaintenance)
			}
		}
	}
	return nil
}
