package marks

import (
	"testing"

	"downwind"
)

// What points one service of a vendor away is one sign, what points all of them away another.
func TestAttachKeepsWhatPointsAllServicesAway(t *testing.T) {
	away := downwind.Evidence{File: "compose.yml", Line: 5, Kind: KindEndpoint, Match: "localstack", Direct: true}
	ofS3 := away
	ofS3.Service = "s3"
	for _, c := range []struct {
		name string
		has  []downwind.Evidence
		want int
	}{
		{"one service is away", []downwind.Evidence{ofS3}, 2},
		{"all are away already", []downwind.Evidence{away}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := downwind.Stack{SelfHosted: map[string][]downwind.Evidence{"aws": c.has}}
			Attach(&s, []Mark{{Provider: "aws", Evidence: away, Away: true}})
			if got := s.SelfHosted["aws"]; len(got) != c.want {
				t.Errorf("%d signs: %v, want %d", len(got), got, c.want)
			}
		})
	}
}
