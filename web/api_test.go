package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"downwind"
	"downwind/web"
	"downwind/web/webtest"
)

var update = flag.Bool("update", false, "write docs/openapi.yaml anew")

// openAPI is the part of the document that tests look at.
type openAPI struct {
	OpenAPI string `yaml:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string `yaml:"operationId"`
		Parameters  []struct {
			Name string `yaml:"name"`
			In   string `yaml:"in"`
			Ref  string `yaml:"$ref"`
		} `yaml:"parameters"`
		Security  []map[string][]string `yaml:"security"`
		Responses map[string]struct {
			Content map[string]struct {
				Schema schema `yaml:"schema"`
			} `yaml:"content"`
		} `yaml:"responses"`
	} `yaml:"paths"`
	Components struct {
		Schemas    map[string]schema `yaml:"schemas"`
		Parameters map[string]struct {
			Name string `yaml:"name"`
			In   string `yaml:"in"`
		} `yaml:"parameters"`
	} `yaml:"components"`
}

type schema struct {
	Ref        string            `yaml:"$ref"`
	Required   []string          `yaml:"required"`
	Properties map[string]schema `yaml:"properties"`
	Items      *schema           `yaml:"items"`
}

func describe(t *testing.T) openAPI {
	t.Helper()
	body, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc openAPI
	if err := yaml.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDescriptionIsTheDocs(t *testing.T) {
	served, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("../docs/openapi.yaml", served, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := os.ReadFile("../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(served, docs) {
		t.Error("docs/openapi.yaml differs from web/openapi.yaml; run: go test ./web -run TestDescriptionIsTheDocs -update")
	}
}

func TestDescriptionNamesEveryOperation(t *testing.T) {
	doc := describe(t)
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi %q", doc.OpenAPI)
	}
	var described []string
	ids := map[string]bool{}
	for path, ops := range doc.Paths {
		for method, op := range ops {
			described = append(described, strings.ToUpper(method)+" "+path)
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s: operationId %q is empty or used twice", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
			var inPath []string
			for _, p := range op.Parameters {
				if p.Ref != "" {
					named := doc.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
					p.Name, p.In = named.Name, named.In
				}
				if p.Name == "" {
					t.Errorf("%s %s: parameter %q leads nowhere", method, path, p.Ref)
				}
				if p.In == "path" {
					inPath = append(inPath, p.Name)
				}
			}
			for _, part := range strings.Split(path, "/") {
				if name, ok := strings.CutPrefix(part, "{"); ok && !slices.Contains(inPath, strings.TrimSuffix(name, "}")) {
					t.Errorf("%s %s: %s is not described", method, path, part)
				}
			}
		}
	}
	sort.Strings(described)
	if got := web.Operations(); !slices.Equal(got, described) {
		t.Errorf("operations\n served    %v\n described %v", got, described)
	}
}

// TestAnswersFitTheirDescription asks every reading operation and checks that the required fields are there.
func TestAnswersFitTheirDescription(t *testing.T) {
	server, _ := site(t, proofs)
	doc := describe(t)
	fill := strings.NewReplacer("{slug}", "lumen-voice", "{provider}", "lumen-voice", "{id}", "k03ne", "{n}", "2", "{team}", webtest.Team)
	for path, ops := range doc.Paths {
		op, ok := ops["get"]
		if !ok || path == "/events" {
			continue
		}
		address := server.URL + "/api/v1" + fill.Replace(path)
		if path == "/impact" {
			address += "?team=" + webtest.Team
		}
		resp, body := get(t, address, "Authorization", "Bearer the-administrator")
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, resp.StatusCode, body)
			continue
		}
		kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
		content, ok := op.Responses["200"].Content[kind]
		if !ok {
			t.Errorf("%s: type %q is not described", path, kind)
			continue
		}
		if kind == "application/json" {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			checkShape(t, path, doc, content.Schema, v)
		}
	}
}

// proofs lets the installation write and check proofs.
func proofs(o *web.Options) {
	o.Bundle = func(_ context.Context, v downwind.Version) ([]byte, error) { return []byte("proof of " + v.Hash), nil }
	o.Verify = func(_ context.Context, bundle []byte) (string, any) {
		report := map[string]any{"findings": []any{}, "proves": nil, "does_not_prove": nil}
		if strings.HasPrefix(string(bundle), "proof of ") {
			return "valid", report
		}
		return "unreadable", report
	}
}

func TestVerify(t *testing.T) {
	server, _ := site(t, proofs)
	_, bundle := get(t, server.URL+"/api/v1/incidents/lumen-voice/k03ne/versions/2/proof")
	for body, want := range map[string]string{bundle: "valid", "something else": "unreadable"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/verify", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, answer := do(t, r)
		var got struct{ Schema, Result string }
		if err := json.Unmarshal([]byte(answer), &got); err != nil || resp.StatusCode != http.StatusOK || got.Schema != "downwind.verify/v1" || got.Result != want {
			t.Errorf("verify %.20q: status %d, %+v, want %s: %v", body, resp.StatusCode, got, want, err)
		}
	}
}

func checkShape(t *testing.T, at string, doc openAPI, s schema, v any) {
	t.Helper()
	if s.Ref != "" {
		s = doc.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				t.Errorf("%s: required field %q is missing", at, name)
			}
		}
		for name, inner := range s.Properties {
			if v[name] != nil {
				checkShape(t, at+"."+name, doc, inner, v[name])
			}
		}
	case []any:
		if s.Items != nil && len(v) > 0 {
			checkShape(t, at+"[0]", doc, *s.Items, v[0])
		}
	}
}

func TestAPIRefusals(t *testing.T) {
	server, world := site(t)
	reader := token(t, world, webtest.Team, downwind.ScopeRead)
	writer := token(t, world, webtest.Team, downwind.ScopeStackWrite)
	stranger := token(t, world, "other", downwind.ScopeStackWrite)
	for _, c := range []struct {
		name, method, path, token, body string
		want                            int
		detail                          string
	}{
		{"no token", "GET", "/teams", "", "", 401, "Send a token"},
		{"wrong token", "GET", "/teams", "dw_nothing", "", 401, "not known"},
		{"wrong token on a public path", "GET", "/providers", "dw_nothing", "", 401, "not known"},
		{"another scheme", "GET", "/teams", "Basic YTpi", "", 401, "Bearer"},
		{"missing scope", "PUT", "/teams/checkout/stack", reader, "{}", 403, "stack:write"},
		{"another team's stack", "PUT", "/teams/checkout/stack", stranger, `{"schema":"downwind.stack/v1"}`, 404, "no team"},
		{"another team's impact", "GET", "/impact?team=checkout", stranger, "", 404, "no team"},
		{"another team's deliveries", "GET", "/deliveries?team=checkout", stranger, "", 404, "no team"},
		{"a team that is not there", "GET", "/teams/nobody", writer, "", 404, "no team"},
		{"another schema", "PUT", "/teams/checkout/stack", writer, `{"schema":"x"}`, 400, "downwind.stack/v1"},
		{"broken JSON", "PUT", "/teams/checkout/stack", writer, `{`, 400, "not the JSON"},
		{"unknown provider", "PUT", "/teams/checkout/stack", writer, `{"schema":"downwind.stack/v1","providers":[{"provider":"nope","confidence":"sure"}]}`, 422, "nope"},
		{"unknown grade", "PUT", "/teams/checkout/stack", writer, `{"schema":"downwind.stack/v1","providers":[{"provider":"quaymail","confidence":"certain"}]}`, 422, "confidence"},
		{"unknown provider in a path", "GET", "/providers/lumen", "", "", 404, "lumen-voice"},
		{"unknown incident", "GET", "/incidents/lumen-voice/none", "", "", 404, "No such incident"},
		{"unknown version", "GET", "/incidents/lumen-voice/k03ne/versions/99", "", "", 404, "5 versions"},
		{"bad limit", "GET", "/incidents?limit=0", "", "", 400, "limit"},
		{"bad cursor", "GET", "/incidents?cursor=zzz", "", "", 400, ""},
		{"bad time", "GET", "/incidents?since=yesterday", "", "", 400, "since"},
		{"bad kind", "GET", "/incidents?kind=x", "", "", 400, "kind"},
		{"wrong method", "DELETE", "/providers", "", "", 405, "GET"},
		{"no operation", "GET", "/nothing", "", "", 404, "openapi.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+"/api/v1"+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if strings.Contains(c.token, " ") {
				r.Header.Set("Authorization", c.token)
			} else if c.token != "" {
				r.Header.Set("Authorization", "Bearer "+c.token)
			}
			resp, body := do(t, r)
			if resp.StatusCode != c.want {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, c.want, body)
			}
			var p struct {
				Status int    `json:"status"`
				Title  string `json:"title"`
				Detail string `json:"detail"`
			}
			if err := json.Unmarshal([]byte(body), &p); err != nil || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("no problem document: %v, %s", err, body)
			}
			if p.Status != c.want || p.Title == "" || !strings.Contains(p.Detail, c.detail) {
				t.Errorf("problem %+v, want %q in the detail", p, c.detail)
			}
		})
	}
	if team, err := world.Store.Team(t.Context(), webtest.Team); err != nil || team.StackBy != "token ci" {
		t.Errorf("a refused request stored a stack: %v, %v", team.StackBy, err)
	}
}

// token makes an API token of a team.
func token(t *testing.T, world *webtest.World, team, scope string) string {
	t.Helper()
	secret := "dw_" + team + scope
	if _, err := world.Store.AddToken(t.Context(), downwind.Token{Name: "job", Team: team, Scopes: []string{scope}, Hash: web.HashToken(secret)}); err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestPutStack(t *testing.T) {
	multi := func() (string, string) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, err := w.CreateFormFile("a", "deploy/hosts.txt")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(part, "api.quaymail.example")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String(), w.FormDataContentType()
	}
	files, boundary := multi()
	for _, c := range []struct{ name, query, kind, body string }{
		{"json", "", "application/json", `{"schema":"downwind.stack/v1","providers":[{"provider":"Quaymail","confidence":"sure"}]}`},
		{"files", "", boundary, files},
		{"one raw file", "?name=hosts.txt", "application/octet-stream", "api.quaymail.example\n"},
		{"a raw file that is JSON", "?name=package.json", "application/json", "{\n\"quaymail\": \"1\"\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, world := site(t)
			secret := token(t, world, webtest.Team, downwind.ScopeStackWrite)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/api/v1/teams/checkout/stack"+c.query, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", c.kind)
			r.Header.Set("Authorization", "Bearer "+secret)
			resp, body := do(t, r)
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("status %d: %s", resp.StatusCode, body)
			}
			var out struct {
				Added, Removed []string
			}
			if err := json.Unmarshal([]byte(body), &out); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out.Added, []string{"quaymail"}) || !slices.Equal(out.Removed, []string{"kestrel-db", "lumen-voice", "tallypay"}) {
				t.Errorf("added %v, removed %v", out.Added, out.Removed)
			}
			team, err := world.Store.Team(t.Context(), webtest.Team)
			if err != nil || len(team.Stack.Providers) != 1 || team.Stack.Providers[0].Provider != "quaymail" || team.StackBy != "token job" || !team.StackAt.Equal(world.Clock.Now()) {
				t.Errorf("stored %+v by %q at %v: %v", team.Stack.Providers, team.StackBy, team.StackAt, err)
			}
		})
	}
}

func TestPagesOfIncidents(t *testing.T) {
	server, world := site(t)
	seen := map[string]bool{}
	next := server.URL + "/api/v1/incidents?limit=7"
	pages := 0
	for ; next != ""; pages++ {
		resp, body := get(t, next)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", next, resp.StatusCode, body)
		}
		var out struct {
			Items []struct{ Provider, ID string }
			Next  *string
		}
		if err := json.Unmarshal([]byte(body), &out); err != nil {
			t.Fatal(err)
		}
		for _, item := range out.Items {
			key := item.Provider + "/" + item.ID
			if seen[key] {
				t.Errorf("%s on two pages", key)
			}
			seen[key] = true
		}
		next = ""
		if out.Next != nil {
			next = *out.Next
		}
	}
	if len(seen) != len(world.Store.Records) || pages != (len(seen)+6)/7 {
		t.Errorf("%d incidents on %d pages, want %d", len(seen), pages, len(world.Store.Records))
	}
}

// TestPagesOfLedgers goes through deliveries and held lines page by page: each comes once, the newest first.
func TestPagesOfLedgers(t *testing.T) {
	server, world := site(t)
	bearer := "Bearer " + token(t, world, webtest.Team, downwind.ScopeRead)
	world.Store.HoldRows = nil
	world.Store.DeliverRows = nil
	for i := range 7 {
		at := world.Clock.At.Add(-time.Duration(i/2) * time.Minute) // pairs of one time
		world.Store.HoldRows = append(world.Store.HoldRows, downwind.Hold{ID: int64(100 - i), Team: webtest.Team, At: at})
		world.Store.DeliverRows = append(world.Store.DeliverRows, downwind.Delivery{ID: fmt.Sprintf("d%d", 9-i), Team: webtest.Team, UpdatedAt: at})
	}
	for path, want := range map[string]string{
		"/api/v1/teams/checkout/holds?limit=2": "100 99 98 97 96 95 94", "/api/v1/deliveries?limit=3": "d9 d8 d7 d6 d5 d4 d3",
	} {
		var got []string
		for address := server.URL + path; address != ""; {
			_, body := get(t, address, "Authorization", bearer)
			var page struct {
				Items []struct{ ID any }
				Next  string
			}
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatalf("%s: %v: %.200s", address, err, body)
			}
			for _, item := range page.Items {
				got = append(got, fmt.Sprint(item.ID))
			}
			address = page.Next
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
	for _, bad := range []string{"x", "!!!", "MTIz", "YXwx"} {
		if resp, _ := get(t, server.URL+"/api/v1/deliveries?cursor="+bad, "Authorization", bearer); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("cursor %s: status %d", bad, resp.StatusCode)
		}
	}
}

func TestAPINeedsATokenWherePagesArePrivate(t *testing.T) {
	server, world := site(t, func(o *web.Options) { o.Public = false })
	for _, path := range []string{"/providers", "/incidents", "/incidents/lumen-voice/k03ne", "/events"} {
		if resp, _ := get(t, server.URL+"/api/v1"+path); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, resp.StatusCode)
		}
	}
	secret := token(t, world, webtest.Team, downwind.ScopeRead)
	if resp, body := get(t, server.URL+"/api/v1/incidents", "Authorization", "Bearer "+secret); resp.StatusCode != http.StatusOK {
		t.Errorf("with a token: %d %s", resp.StatusCode, body)
	}
	for _, path := range []string{"/", "/providers", "/incidents/lumen-voice/k03ne", "/stack", "/archive"} {
		if resp, _ := get(t, server.URL+path); resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(resp.Header.Get("Location"), "/login?next=") {
			t.Errorf("%s: %d to %q", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/login", "/teams/" + webtest.Secret + "/feed", "/api/v1/openapi.yaml"} {
		if resp, _ := get(t, server.URL+path); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	if resp, _ := get(t, server.URL+"/feed"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("/feed: %d", resp.StatusCode)
	}
}

func TestEventStream(t *testing.T) {
	server, world := site(t)
	last := world.Store.Items[len(world.Store.Items)-1]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", fmt.Sprint(last.Seq-1))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("type %q", kind)
	}
	first := readEvent(t, resp)
	if !strings.Contains(first, fmt.Sprintf("id: %d\n", last.Seq)) || !strings.Contains(first, `"provider":"`+last.Provider+`"`) {
		t.Errorf("first event %q", first)
	}
	world.Store.Publish(downwind.FeedItem{ID: "u/quaymail/x/y/1", Provider: "quaymail", Incident: "x", Kind: downwind.ChangeNew, Title: "New\nline"}, world.Clock.Now())
	changed(server)
	second := readEvent(t, resp)
	if !strings.Contains(second, "event: new\n") || !strings.Contains(second, `"title":"New line"`) {
		t.Errorf("second event %q", second)
	}
}

// readEvent reads up to the blank line that ends an event, passing over comments.
func readEvent(t *testing.T, resp *http.Response) string {
	t.Helper()
	var b strings.Builder
	one := make([]byte, 1)
	deadline := time.AfterFunc(20*time.Second, func() { resp.Body.Close() })
	defer deadline.Stop()
	for {
		if _, err := resp.Body.Read(one); err != nil {
			t.Fatalf("stream ended: %v after %q", err, b.String())
		}
		b.Write(one)
		if text := b.String(); strings.HasSuffix(text, "\n\n") {
			if strings.Contains(text, "data:") {
				return text
			}
			b.Reset()
		}
	}
}
