package match

import "slices"

// members are the numbers of teams, in order, each once.
type members []uint32

func (m *members) add(n uint32) {
	if last := len(*m) - 1; last < 0 || (*m)[last] < n {
		*m = append(*m, n) // teams that are taken in one after the other
		return
	}
	if i, there := slices.BinarySearch(*m, n); !there {
		*m = slices.Insert(*m, i, n)
	}
}

// remove reports whether the number was there.
func (m *members) remove(n uint32) bool {
	i, there := slices.BinarySearch(*m, n)
	if there {
		*m = slices.Delete(*m, i, i+1)
	}
	return there
}

func (m members) has(n uint32) bool {
	_, there := slices.BinarySearch(m, n)
	return there
}
