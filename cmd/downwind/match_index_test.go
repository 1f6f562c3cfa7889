package main

import (
	"fmt"
	"slices"
	"testing"

	"downwind"
	"downwind/match"
)

// TestIndexNamesAllWhoAreHit files the stacks of all pairs in one index and judges every incident against every stack: whoever is
// hit is among the candidates. The index may name others, but far from all.
func TestIndexNamesAllWhoAreHit(t *testing.T) {
	m := testMatcher(t)
	pairs := readPairs(t, "testdata/match/pairs.jsonl")
	x := match.NewIndex(m.judge)
	stacks := make([]downwind.Stack, len(pairs))
	for i, p := range pairs {
		var err error
		if stacks[i], err = m.stackOf(t.Context(), p.pair); err != nil {
			t.Fatal(err)
		}
		x.Add(match.Member{Team: fmt.Sprintf("team-%04d", i), Stack: &stacks[i]})
	}
	var named, concerned, hit int
	for _, p := range pairs {
		provider := m.provider(p.Provider)
		p.Incident.Provider = provider.Slug
		r := m.judge.Read(&p.Incident, match.Known{Provider: provider})
		found, _ := x.For(r)
		named += len(found)
		for i := range stacks {
			if x.Concerns(provider.Slug, fmt.Sprintf("team-%04d", i)) {
				concerned++
			}
			if !r.Judge(&stacks[i], nil).Affected {
				continue
			}
			hit++
			if _, there := slices.BinarySearch(found, fmt.Sprintf("team-%04d", i)); !there {
				t.Errorf("%s: the stack of %s is hit and not among the candidates", p.ID, pairs[i].ID)
			}
		}
	}
	t.Logf("%d users of the providers, %d candidates, %d hit", concerned, named, hit)
	if named*4 > concerned*3 {
		t.Errorf("the index names %d of %d teams that use the providers, of which %d are hit: it narrows nothing", named, concerned, hit)
	}
}
