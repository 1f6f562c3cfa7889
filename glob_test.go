package downwind_test

import (
	"testing"

	"downwind"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "anything", true},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"a*", "abc", true},
		{"*c", "abc", true},
		{"a*c", "ac", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c2b", false},
		{"ab*ba", "aba", false},
		{"**", "x", true},
	} {
		if got := downwind.Glob(c.pattern, c.name); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestFitsAny(t *testing.T) {
	for _, c := range []struct {
		name            string
		patterns, names []string
		want            bool
	}{
		{"letters and digits decide", []string{"message-api"}, []string{"Dashboard", "Message API"}, true},
		{"stars", []string{"*webhook*"}, []string{"Incoming Webhooks (EU)"}, true},
		{"one of several patterns", []string{"sms", "eu *"}, []string{"EU West"}, true},
		{"none", []string{"sms"}, []string{"MMS"}, false},
		{"a star meets no empty name", []string{"*"}, []string{"", "–"}, false},
		{"no patterns", nil, []string{"SMS"}, false},
		{"no names", []string{"*"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := downwind.FitsAny(c.patterns, c.names); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestComponentNames(t *testing.T) {
	in := downwind.Incident{Components: []downwind.Component{{Name: "API"}, {Name: "Queue", Group: "EU"}}}
	if got := in.ComponentNames(); len(got) != 4 || got[1] != "Queue" || got[2] != "EU - Queue" || got[3] != "EU" {
		t.Errorf("got %q", got)
	}
}
