package match

import (
	"strconv"
	"testing"
)

func TestMemoRemembersWithinItsWeight(t *testing.T) {
	m := memo[int, []int]{weigh: func(v []int) int { return len(v) }}
	found := 0
	get := func(key, size int) {
		m.get(key, func() []int {
			found++
			return make([]int, size)
		})
	}
	get(1, memoMost/2)
	get(2, memoMost/2)
	get(1, memoMost/2)
	if found != 2 {
		t.Errorf("found %d times, want 2: both fit", found)
	}
	get(3, 1)
	if len(m.have) != 1 || m.weight != 1 {
		t.Errorf("after one too many: %d values of weight %d, want the newest alone", len(m.have), m.weight)
	}
	get(4, 2*memoMost)
	get(4, 2*memoMost)
	if found != 4 || len(m.have) != 1 {
		t.Errorf("a value heavier than all: found %d times with %d values, want 4 and 1", found, len(m.have))
	}
}

func TestLongTextsAreNotRemembered(t *testing.T) {
	var m memo[inText, int]
	for i := range 3 {
		ofText(&m, "acme", string(make([]byte, memoText+1))+strconv.Itoa(i), func() int { return i })
		ofText(&m, "acme", strconv.Itoa(i), func() int { return i })
	}
	if len(m.have) != 3 {
		t.Errorf("%d texts are remembered, want the 3 short ones", len(m.have))
	}
}
