package plan_test

import (
	"testing"

	"downwind"
)

// C037: a channel may keep the end in the thread; the default shows it in the channel too.
func TestTheEndMayStayInTheThread(t *testing.T) {
	for _, stays := range []bool{false, true} {
		s := newSite(t, team(withSubscription(downwind.Subscription{Target: downwind.TargetStack, Filter: downwind.Filter{EndInThread: stays}})))
		s.incident("i", 0, downwind.Investigating, "Requests fail.")
		one(t, s.read())
		s.post("i", downwind.Resolved, "Requests failed between 09:40 and 10:02 UTC.")
		if r := one(t, s.read()); r.RootOnly || r.Alert.Broadcast == stays {
			t.Errorf("end in thread %v: root only %v, in the channel %v", stays, r.RootOnly, r.Alert.Broadcast)
		}
		s.post("i", downwind.Investigating, "It is back.")
		if r := one(t, s.read()); !r.Alert.Broadcast {
			t.Error("a re-opened incident stays in the thread")
		}
	}
}

// A group is pinged from its impact up: by the root, and by what gets as bad later.
func TestMentionFrom(t *testing.T) {
	s := newSite(t, team(withSubscription(downwind.Subscription{
		Target: downwind.TargetStack, Filter: downwind.Filter{Mention: "S1", MentionFrom: downwind.ImpactCritical},
	})))
	inc := s.incident("i", 0, downwind.Investigating, "Requests fail.")
	inc.Impact = downwind.ImpactMinor
	if r := one(t, s.read()); r.Alert.Mention != "" {
		t.Errorf("minor pings %q", r.Alert.Mention)
	}
	s.find("i").Impact = downwind.ImpactMajor
	if r := one(t, s.read()); r.Alert.Mention != "" || !r.Alert.Push {
		t.Errorf("major pings %q, push %v", r.Alert.Mention, r.Alert.Push)
	}
	s.find("i").Impact = downwind.ImpactCritical
	if r := one(t, s.read()); r.Alert.Mention != "S1" {
		t.Errorf("critical pings %q", r.Alert.Mention)
	}
	s.post("i", downwind.Identified, "A cause was found.")
	if r := one(t, s.read()); r.Alert.Mention != "" {
		t.Errorf("a plain update pings %q", r.Alert.Mention)
	}
}
