package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	metricName  = regexp.MustCompile(`\b(downwind|process|go)_[a-z_]+`)
	grouping    = regexp.MustCompile(`\bby \(([^)]*)\)`)
	selector    = regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	labelName   = regexp.MustCompile(`([a-z_]+)\s*[=!]`)
	exposed     = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `)
	exposedName = regexp.MustCompile(`([a-z_]+)="`)
)

// served are the metrics of a daemon through whose hands an outage has gone, each with its labels.
func served(t *testing.T) map[string][]string {
	t.Helper()
	v := newVillage(t, nil)
	v.until(hour(16, 30))
	for _, path := range []string{"/", "/metrics"} {
		w := httptest.NewRecorder()
		v.app.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		if path != "/metrics" {
			continue
		}
		out := map[string][]string{}
		for _, m := range exposed.FindAllStringSubmatch(w.Body.String(), -1) {
			labels := out[m[1]]
			for _, l := range exposedName.FindAllStringSubmatch(m[2], -1) {
				labels = append(labels, l[1])
			}
			out[m[1]] = labels
		}
		return out
	}
	return nil
}

// expressions are those of the dashboard and of the alert rules in docs, by the title of their panel or rule.
func expressions(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	body, err := os.ReadFile("../docs/grafana.json")
	if err == nil {
		err = json.Unmarshal(body, &board)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			out["panel "+p.Title] = append(out["panel "+p.Title], target.Expr)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	body, err = os.ReadFile("../docs/alerts.yaml")
	if err == nil {
		err = yaml.Unmarshal(body, &rules)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			out["alert "+r.Alert] = append(out["alert "+r.Alert], r.Expr)
		}
	}
	return out
}

// TestDashboardAsksForWhatIsServed keeps the dashboard, the alert rules and the table in docs/operations.md true.
func TestDashboardAsksForWhatIsServed(t *testing.T) {
	metrics := served(t)
	asked := expressions(t)
	if len(asked) < 20 {
		t.Errorf("only %d panels and rules", len(asked))
	}
	used := map[string]bool{}
	for where, exprs := range asked {
		for _, expr := range exprs {
			names := metricName.FindAllString(expr, -1)
			if len(names) == 0 {
				t.Errorf("%s asks for nothing: %s", where, expr)
			}
			var labels []string
			for _, name := range names {
				used[strings.TrimSuffix(name, "_bucket")] = true
				if metrics[name] == nil && !slices.Contains(keysOf(metrics), name) {
					t.Errorf("%s asks for %s, which is not served", where, name)
				}
				labels = append(labels, metrics[name]...)
			}
			for _, by := range grouping.FindAllStringSubmatch(expr, -1) {
				for _, label := range strings.Split(by[1], ",") {
					if label = strings.TrimSpace(label); !slices.Contains(labels, label) {
						t.Errorf("%s groups by %s, which %v do not have", where, label, names)
					}
				}
			}
			for _, sel := range selector.FindAllStringSubmatch(expr, -1) {
				for _, label := range labelName.FindAllStringSubmatch(sel[2], -1) {
					if !slices.Contains(metrics[sel[1]], label[1]) {
						t.Errorf("%s selects by %s, which %s does not have", where, label[1], sel[1])
					}
				}
			}
		}
	}
	docs, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range metrics {
		name = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		short, ours := strings.CutPrefix(name, "downwind_")
		if ours && !strings.Contains(string(docs), "`"+short) {
			t.Errorf("docs/operations.md does not name %s", short)
		}
		if ours && !used[name] {
			t.Errorf("no panel or rule shows %s", name)
		}
	}
}

func keysOf(m map[string][]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}
