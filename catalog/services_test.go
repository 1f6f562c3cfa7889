package catalog

import (
	"slices"
	"strings"
	"testing"
)

func services(t testing.TB) *Services {
	t.Helper()
	s, err := LoadServices()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNamedServices(t *testing.T) {
	s := services(t)
	cases := []struct{ provider, name, key string }{
		{"aws", "Amazon DynamoDB", "dynamodb"},
		{"aws", "AWS Identity and Access Management", "iam"},
		{"aws", "Amazon EC2", "ec2"},
		{"google-cloud", "Google Kubernetes Engine", "gke"},
		{"azure", "Azure Kubernetes Service (AKS)", "aks"},
		{"github", "API Requests", "api"},
		{"stripe", "webhook", "webhooks"},
		{"nobody", "Dashboard", "dashboard"},
	}
	for _, c := range cases {
		got := s.Named(c.provider, c.name)
		if len(got) == 0 || got[0].Key != c.key {
			t.Errorf("%s %q: got %v, want %s", c.provider, c.name, got, c.key)
		}
	}
	if got := s.Named("aws", "Quantum Teleporter"); got != nil {
		t.Errorf("unknown service: got %v, want none", got)
	}
}

func TestServiceMentionsInProse(t *testing.T) {
	s := services(t)
	cases := []struct {
		provider, text string
		want           []string
	}{
		{"livekit", "some SIP calls placed through the region failed", []string{"sip"}},
		{"github", "we could access pages and issues", nil},
		{"github", "Pages deployments are delayed", []string{"pages"}},
		{"livekit", "room management, agent dispatch and SIP APIs failed", []string{"agent-dispatch", "sip"}},
	}
	for _, c := range cases {
		var got []string
		for _, m := range s.Mentions(c.provider, c.text, false) {
			got = append(got, m.Services[0].Key)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %q: got %q, want %q", c.provider, c.text, got, c.want)
		}
	}
}

func TestShown(t *testing.T) {
	s := services(t)
	has := func(list []*Service, key string) bool {
		return slices.ContainsFunc(list, func(x *Service) bool { return x.Key == key })
	}
	if got := s.Shown("livekit", "env", "SIP_TRUNK_ID", "", false); !has(got, "sip") {
		t.Errorf("a trunk id shows %v, want sip", got)
	}
	if got := s.Shown("google-cloud", "tf_resource", "google_container_cluster.c", "gke", true); !has(got, "compute-engine") {
		t.Errorf("beneath a cluster runs %v, want compute-engine", got)
	}
	if got := s.Shown("google-cloud", "tf_resource", "google_container_cluster.c", "gke", false); has(got, "compute-engine") {
		t.Error("a cluster shows compute-engine firmly, want weakly")
	}
}

func TestServicesTableNamesItsFaults(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{"p\tk\tproduct\tName", "columns"}, {"p\tk\t\tName\t\t", "no class"}, {"p\tk\tproduct\tName\tnokind\t", "nokind"},
	} {
		if _, err := parseServices("h\n"+c.row+"\n", ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.row, err, c.want)
		}
	}
}

func TestEveryServiceHasAKnownClass(t *testing.T) {
	known := []ServiceClass{
		ServiceProduct, ServiceCore, ServiceWhole, ServiceGeneral, ServiceEndpoint, ServiceOption, ServiceFeature, ServiceOutbound, ServiceSpecial,
		ServiceScreen, ServiceGuess, ServiceDashboard, ServiceWebsite, ServiceControl, ServicePublish, ServiceLogins,
	}
	for provider, list := range services(t).of {
		for _, sv := range list {
			if !slices.Contains(known, sv.Class) {
				t.Errorf("%s %s has class %q", provider, sv.Key, sv.Class)
			}
		}
	}
}
