package plan_test

import (
	"testing"

	"downwind"
)

// A feed that names an incident by its oldest item: once that item is listed no more, the rest has another id.
func TestTheRestOfAKnownEntryIsThatEntry(t *testing.T) {
	s := newSite(t, team())
	s.doc.OpenOnly = true
	s.incident("ec2_1", 0, downwind.Investigating, "Requests fail.").Components = []downwind.Component{{ID: "c1", Name: "API"}}
	s.post("ec2_1", downwind.Identified, "A cause was found.")
	one(t, s.read())
	rest := s.find("ec2_1")
	rest.ID, rest.StartedAt, rest.Updates, rest.Title = "ec2_2", rest.Updates[1].PostedAt, rest.Updates[1:], "A cause was found."
	s.post("ec2_2", downwind.Monitoring, "It gets better.")
	p := s.read()
	if len(p.Versions) != 1 || p.Versions[0].State.ID != "ec2_1" || len(p.Versions[0].State.Updates) != 3 {
		t.Fatalf("the rest brings %+v", p.Versions)
	}
	if got := p.Versions[0].State; !got.StartedAt.Equal(at(0)) {
		t.Errorf("it started at %s, want %s", got.StartedAt, at(0))
	}
	if p := s.read(); len(p.Versions)+len(p.Raises) != 0 {
		t.Errorf("read again it brings %+v", p.Versions)
	}
}

// One text posted at once for two components is two incidents.
func TestTheSameWordsOfAnotherComponentAreAnotherEntry(t *testing.T) {
	s := newSite(t, team())
	s.doc.OpenOnly = true
	s.incident("ec2_1", 0, downwind.Investigating, "Requests fail.").Components = []downwind.Component{{ID: "c1", Name: "API"}}
	one(t, s.read())
	s.remove("ec2_1")
	s.incident("lambda_1", 0, downwind.Investigating, "Requests fail.").Components = []downwind.Component{{ID: "c2", Name: "Functions"}}
	s.find("lambda_1").Title = "Functions fail"
	if p := s.read(); len(p.Versions) == 0 || p.Versions[0].State.ID != "lambda_1" {
		t.Errorf("it brings %+v", p.Versions)
	}
}
