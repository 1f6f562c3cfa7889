package statuspage

import (
	"testing"

	"downwind/feeds/adaptertest"
)

func TestGolden(t *testing.T) { adaptertest.Golden(t, Adapter{}) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, Adapter{}) }

func TestParseClock(t *testing.T) {
	cases := []struct {
		in   string
		want clock
	}{
		{"Jun 18, 18:09 UTC", clock{month: 6, day: 18, h: 18, m: 9, zone: "UTC", ok: true}},
		{"Jun  8, 06:09 PM PDT", clock{month: 6, day: 8, h: 18, m: 9, zone: "PDT", ok: true}},
		{"Jan 1, 12:05 AM +08", clock{month: 1, day: 1, h: 0, m: 5, zone: "+08", ok: true}},
		{"May 13, 2017, 06:45 UTC", clock{month: 5, day: 13, year: 2017, h: 6, m: 45, zone: "UTC", ok: true}},
		{"yesterday", clock{}},
		{"", clock{}},
	}
	for _, tc := range cases {
		if got := parseClock(tc.in); got != tc.want {
			t.Errorf("parseClock(%q) = %+v, want %+v", tc.in, got, tc.want)
		}
	}
}
